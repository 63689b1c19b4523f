//! The clients, with the versions that they are tested in.

use super::suites::{
    CUDA_PYTHON_PACKAGES, CUDA_PYTHON_SOURCE, CUDA_PYTHON_TESTS, NUMBA_MLIR_PACKAGES, NUMBA_MLIR_SOURCE,
    NUMBA_MLIR_TESTS, TINYGRAD_PACKAGES, TINYGRAD_SOURCE, TINYGRAD_TESTS,
};

/// A client.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    /// Its name, also in the table of expected results.
    pub name: &'static str,
    /// Its packages and those that its tests need, for pip. A client in Rust has a lock file instead.
    pub packages: &'static [&'static str],
    /// Where its tests are, if they are not in the packages.
    pub source: Option<Source>,
    /// What is run.
    pub runs: &'static [Run],
}

impl Client {
    /// Whether it is a package of Rust.
    pub fn is_rust(&self) -> bool {
        self.runs.iter().any(|run| matches!(run.program, Program::Cargo(_)))
    }
}

/// A version of a repository, which is fetched with git.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    /// Its address.
    pub repository: &'static str,
    /// The commit, whole.
    pub commit: &'static str,
    /// Folders in it that Python looks for modules in.
    pub modules: &'static [&'static str],
}

/// A run: one process, or one for each file.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// What tells it from others of the client.
    pub name: &'static str,
    /// Whether it is one of those that tests take; the others only `cargo xtask clients` takes.
    pub small: bool,
    /// Options of `ptx-cuda run`.
    pub options: &'static [&'static str],
    /// Variables of the environment.
    pub environment: &'static [(&'static str, &'static str)],
    /// What is run.
    pub program: Program,
}

/// What a run executes, with the client's Python unless it is a package of Rust.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Program {
    /// A file of `test-suite/clients`, which is given names of tests and prints a line for each that passes.
    Script(&'static str, &'static [&'static str]),
    /// Numba's own tests of a module.
    Numba(&'static str),
    /// Files of tests below a folder of the client's source, each with pytest in a process of its own.
    Pytest(&'static str, &'static [&'static str]),
    /// The package of `test-suite/clients/rust` with the name of the client, whose program is given names of tests as a script is.
    Cargo(&'static [&'static str]),
}

const fn script(
    name: &'static str,
    options: &'static [&'static str],
    file: &'static str,
    tests: &'static [&'static str],
) -> Run {
    Run { name, small: true, options, environment: &[], program: Program::Script(file, tests) }
}

const TRITON: &[&str] = &["add", "softmax", "matmul"];

const TUTORIALS: &str = "triton_tutorials.py";

const TUTORIAL_TESTS: &[&str] = &[
    "vector_add",
    "fused_softmax",
    "matrix_multiplication",
    "dropout",
    "layer_norm",
    "fused_attention",
    "grouped_gemm",
    "persistent_matmul",
    "tensor_descriptors",
    "device_descriptors",
    "warp_specialization",
];

const CUDA_CORE: &[&str] = &["linked", "refused", "template"];

const CUTILE: &[&str] = &[
    "saxpy",
    "matmul",
    "batched_matmul",
    "tf32_matmul",
    "int8_matmul",
    "attention",
    "softmax",
    "layer_norm",
    "transpose",
    "gather",
    "scatter",
    "atomic_add",
    "where",
    "cumulative_sum",
    "argmax",
    "integers",
    "doubles",
    "transcendental",
    "half_product",
    "strided_sum",
];

const TINYGRAD: &[&str] = &[
    "elementwise",
    "reduce",
    "matmul",
    "half",
    "convolution",
    "integers",
    "sort",
    "graphs",
    "training",
    "transformer",
];

/// A client in Rust, with the package of `test-suite/clients/rust` of this name.
const fn rust(name: &'static str, runs: &'static [Run]) -> Client {
    Client { name, packages: &[], source: None, runs }
}

const fn rust_programs(tests: &'static [&'static str]) -> Run {
    Run {
        name: "programs",
        small: true,
        options: &["--arch", "80"],
        environment: &[],
        program: Program::Cargo(tests),
    }
}

/// A module of Numba's tests.
const fn numba(module: &'static str, small: bool) -> Run {
    Run { name: module, small, options: &[], environment: &[], program: Program::Numba(module) }
}

/// A module of Numba's tests with an access that does no harm on a GPU, whose allocations end at a multiple of 512 bytes.
const fn numba_on_gpu(module: &'static str) -> Run {
    Run { options: &["--bounds", "gpu"], ..numba(module, false) }
}

const NUMBA_PACKAGES: &[&str] = &[
    "numba-cuda==0.30.4",
    "numba==0.68.1",
    "cuda-core==1.2.2",
    "cuda-bindings==13.5.0",
    "nvidia-cuda-nvrtc==13.5.37",
    "nvidia-cuda-nvcc==13.5.37",
    "filecheck==1.0.6",
    "ml_dtypes==0.6.0",
    "psutil==7.2.2",
    "cffi==2.1.1",
    "nvidia-cuda-cccl==13.3.5.0.6",
    "numpy==2.4.6",
    "pytest==9.2.0",
];

/// All clients.
pub const CLIENTS: &[Client] = &[
    Client {
        name: "triton",
        packages: &["triton==3.9.0", "numpy==2.4.6"],
        source: None,
        runs: &[
            script("sm_80", &["--arch", "80"], "triton_kernels.py", TRITON),
            script("sm_90a", &["--arch", "90a"], "triton_kernels.py", TRITON),
            script("sm_100a", &["--arch", "100a"], "triton_kernels.py", TRITON),
            Run { small: false, ..script("tutorials sm_80", &["--arch", "80"], TUTORIALS, TUTORIAL_TESTS) },
            Run { small: false, ..script("tutorials sm_90a", &["--arch", "90a"], TUTORIALS, TUTORIAL_TESTS) },
            Run {
                small: false,
                ..script("tutorials sm_100a", &["--arch", "100a"], TUTORIALS, TUTORIAL_TESTS)
            },
        ],
    },
    Client {
        name: "cuda-core",
        packages: &[
            "cuda-core==1.2.2",
            "cuda-bindings==13.5.0",
            "nvidia-cuda-nvrtc==13.5.37",
            // It is there, and ours is used nevertheless.
            "nvidia-nvjitlink==13.5.37",
            "numpy==2.4.6",
        ],
        source: None,
        runs: &[
            script("sm_80", &["--arch", "80"], "cuda_core_programs.py", CUDA_CORE),
            Run {
                environment: &[("PTX_NVJITLINK_VERSION", "13.5")],
                ..script(
                    "sm_90a with a later nvJitLink",
                    &["--arch", "90a"],
                    "cuda_core_programs.py",
                    CUDA_CORE,
                )
            },
        ],
    },
    Client {
        name: "tinygrad",
        packages: &["tinygrad==0.14.0", "numpy==2.4.6"],
        source: None,
        runs: &[Run {
            environment: &[("DEV", "CUDA:PTX")],
            ..script("sm_86", &["--arch", "86"], "tinygrad_programs.py", TINYGRAD)
        }],
    },
    Client {
        name: "numba-cuda-mlir",
        packages: &[
            "numba-cuda-mlir==0.6.0",
            "cuda-core==1.2.2",
            "cuda-bindings==13.5.0",
            "nvidia-cuda-runtime==13.5.37",
            "nvidia-cuda-nvrtc==13.5.37",
            "nvidia-nvvm==13.5.37",
            "numpy==2.4.6",
        ],
        source: None,
        runs: &[script(
            "sm_80",
            &["--arch", "80"],
            "numba_mlir_programs.py",
            &["scale", "shared_memory", "atomics", "matmul", "cuda_source"],
        )],
    },
    Client {
        name: "cutile",
        packages: &["cuda-tile==1.7.0", "nvidia-cuda-tileiras==13.5.37", "numpy==2.4.6"],
        source: None,
        runs: &[
            script("sm_80", &["--arch", "80"], "cutile_kernels.py", &["saxpy", "matmul", "softmax"]),
            Run { small: false, ..script("sm_86", &["--arch", "86"], "cutile_kernels.py", CUTILE) },
        ],
    },
    Client { name: "numba-cuda", packages: NUMBA_PACKAGES, source: None, runs: NUMBA },
    Client {
        name: "tinygrad-tests",
        packages: TINYGRAD_PACKAGES,
        source: Some(TINYGRAD_SOURCE),
        runs: TINYGRAD_TESTS,
    },
    Client {
        name: "numba-cuda-mlir-tests",
        packages: NUMBA_MLIR_PACKAGES,
        source: Some(NUMBA_MLIR_SOURCE),
        runs: NUMBA_MLIR_TESTS,
    },
    Client {
        name: "cuda-python-tests",
        packages: CUDA_PYTHON_PACKAGES,
        source: Some(CUDA_PYTHON_SOURCE),
        runs: CUDA_PYTHON_TESTS,
    },
    rust("cudarc", &[rust_programs(&["launch", "streams", "errors"])]),
    rust("cust", &[rust_programs(&["buffers", "errors"])]),
    Client {
        name: "pytest",
        packages: &["pytest==9.2.0", "pytest-xdist==3.8.0"],
        source: None,
        runs: &[script(
            "plugin",
            &[],
            "pytest_plugin.py",
            &["plain", "options", "workers", "failures", "wrong_use"],
        )],
    },
];

// Without `test_array_reductions`, which compiles a library in C++ for each test and takes more than four minutes, and `test_matmul` and
// `test_cupy_bfloat16_interop`, which need CuPy.
const NUMBA: &[Run] = &[
    numba("cudadrv.test_array_attr", false),
    numba("cudadrv.test_context_stack", false),
    numba("cudadrv.test_cuda_array_slicing", false),
    numba("cudadrv.test_cuda_auto_context", false),
    numba("cudadrv.test_cuda_devicerecord", false),
    numba("cudadrv.test_cuda_driver", false),
    numba("cudadrv.test_cuda_memory", false),
    numba("cudadrv.test_cuda_ndarray", false),
    numba("cudadrv.test_deallocations", false),
    numba("cudadrv.test_detect", false),
    numba("cudadrv.test_emm_plugins", false),
    numba("cudadrv.test_events", false),
    numba("cudadrv.test_host_alloc", false),
    numba("cudadrv.test_init", false),
    numba("cudadrv.test_inline_ptx", false),
    numba("cudadrv.test_is_fp16", false),
    numba("cudadrv.test_linkable_code", false),
    numba("cudadrv.test_linker", false),
    numba("cudadrv.test_managed_alloc", false),
    numba("cudadrv.test_module_callbacks", false),
    numba("cudadrv.test_nvjitlink", false),
    numba("cudadrv.test_nvrtc", false),
    numba("cudadrv.test_nvvm_driver", false),
    numba("cudadrv.test_pinned", false),
    numba("cudadrv.test_profiler", false),
    numba("cudadrv.test_reset_device", false),
    numba("cudadrv.test_runtime", false),
    numba("cudadrv.test_select_device", false),
    numba("cudadrv.test_streams", false),
    numba("cudapy.test_alignment", false),
    numba("cudapy.test_analysis", false),
    numba("cudapy.test_array", false),
    numba("cudapy.test_array_alignment", false),
    numba("cudapy.test_array_args", false),
    numba("cudapy.test_array_methods", false),
    numba("cudapy.test_atomics", false),
    numba("cudapy.test_bfloat16", false),
    numba("cudapy.test_bfloat16_bindings", false),
    numba("cudapy.test_blackscholes", false),
    numba("cudapy.test_boolean", false),
    numba("cudapy.test_byteflow", false),
    numba("cudapy.test_cache_hints", false),
    numba("cudapy.test_caching", false),
    numba("cudapy.test_casting", false),
    numba("cudapy.test_cffi", false),
    numba("cudapy.test_compiler", false),
    numba("cudapy.test_complex", false),
    numba("cudapy.test_complex_kernel", false),
    numba("cudapy.test_const_string", false),
    numba("cudapy.test_constmem", true),
    numba("cudapy.test_cooperative_groups", true),
    numba("cudapy.test_copy_propagate", false),
    numba("cudapy.test_cuda_array_interface", false),
    numba("cudapy.test_cuda_jit_no_types", false),
    numba("cudapy.test_datetime", false),
    numba("cudapy.test_debug", false),
    numba("cudapy.test_debuginfo", false),
    numba("cudapy.test_debuginfo_types", false),
    numba("cudapy.test_device_array_capture", false),
    numba("cudapy.test_device_func", false),
    numba_on_gpu("cudapy.test_dispatcher"),
    numba("cudapy.test_enums", false),
    numba("cudapy.test_errors", false),
    numba("cudapy.test_exception", false),
    numba("cudapy.test_extending", false),
    numba("cudapy.test_extending_types", false),
    numba("cudapy.test_fastmath", false),
    numba("cudapy.test_flow_control", false),
    numba("cudapy.test_forall", false),
    numba("cudapy.test_fp8_bindings", false),
    numba("cudapy.test_freevar", false),
    numba("cudapy.test_frexp_ldexp", false),
    numba("cudapy.test_globals", false),
    numba("cudapy.test_gufunc", false),
    numba("cudapy.test_gufunc_scalar", false),
    numba("cudapy.test_gufunc_scheduling", false),
    numba("cudapy.test_idiv", false),
    numba("cudapy.test_inline", false),
    numba("cudapy.test_inspect", false),
    numba("cudapy.test_intrinsics", false),
    numba("cudapy.test_ipc", false),
    numba("cudapy.test_ir", false),
    numba("cudapy.test_ir_utils", false),
    numba("cudapy.test_iterators", false),
    numba("cudapy.test_lang", false),
    numba("cudapy.test_laplace", false),
    numba("cudapy.test_launch_config_sensitive", false),
    numba("cudapy.test_libdevice", false),
    numba("cudapy.test_lineinfo", false),
    numba_on_gpu("cudapy.test_localmem"),
    numba("cudapy.test_make_function_to_jit_function", false),
    numba("cudapy.test_mandel", false),
    numba("cudapy.test_math", false),
    numba("cudapy.test_minmax", false),
    numba("cudapy.test_montecarlo", false),
    numba("cudapy.test_multigpu", false),
    numba("cudapy.test_multiprocessing", false),
    numba("cudapy.test_multithreads", false),
    numba("cudapy.test_nondet", false),
    numba("cudapy.test_numba_interop", false),
    numba("cudapy.test_operator", false),
    numba("cudapy.test_optimization", false),
    numba("cudapy.test_overload", false),
    numba("cudapy.test_powi", false),
    numba("cudapy.test_print", false),
    numba("cudapy.test_py2_div_issue", false),
    numba("cudapy.test_random", false),
    numba("cudapy.test_record_dtype", false),
    numba("cudapy.test_recursion", false),
    numba("cudapy.test_reduction", false),
    numba("cudapy.test_retrieve_autoconverted_arrays", false),
    numba("cudapy.test_serialize", false),
    numba("cudapy.test_slicing", false),
    numba("cudapy.test_sm", false),
    numba("cudapy.test_sm_creation", false),
    numba("cudapy.test_ssa", false),
    numba("cudapy.test_stream_api", false),
    numba("cudapy.test_sync", true),
    numba("cudapy.test_tracing", false),
    numba("cudapy.test_transpose", false),
    numba("cudapy.test_typeconv", false),
    numba("cudapy.test_typeinfer", false),
    numba("cudapy.test_ufuncs", false),
    numba("cudapy.test_userexc", false),
    numba("cudapy.test_vector_type", false),
    numba("cudapy.test_vectorize", false),
    numba("cudapy.test_vectorize_complex", false),
    numba("cudapy.test_vectorize_decor", false),
    numba("cudapy.test_vectorize_device", false),
    numba("cudapy.test_vectorize_scalar_arg", false),
    numba("cudapy.test_warning", false),
    numba("cudapy.test_warp_ops", true),
];
