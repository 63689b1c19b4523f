//! The clients' own test suites that are not in their packages: a version of the repository of each, and the files that are run of it.

use super::table::{Program, Run, Source};

const SM_80: &[&str] = &["--arch", "80"];

const SM_86: &[&str] = &["--arch", "86"];

/// With accesses past the end of an allocation that do no harm on a GPU.
const SM_80_AS_GPU: &[&str] = &["--arch", "80", "--bounds", "gpu"];

/// Files of tests, each in a process of its own.
const fn pytest(
    name: &'static str,
    options: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
    folder: &'static str,
    files: &'static [&'static str],
) -> Run {
    Run { name, small: false, options, environment, program: Program::Pytest(folder, files) }
}

pub const TINYGRAD_PACKAGES: &[&str] = &[
    "torch==2.15.0",
    "numpy==2.4.6",
    "nvidia-cuda-nvrtc==13.2.86",
    "pytest==9.2.0",
    "hypothesis==6.170.17",
    "onnx==1.23.2",
    "pillow==13.0.0",
    "tqdm==4.70.1",
];

pub const TINYGRAD_SOURCE: Source = Source {
    repository: "https://github.com/tinygrad/tinygrad",
    commit: "a9069c177a9da9cca18593edf55acd2e6073cca6",
    modules: &["."],
};

const TINYGRAD_BACKEND: &[&str] = &[
    "test_arange",
    "test_asm_gemm",
    "test_call",
    "test_const_folding",
    "test_custom_kernel",
    "test_dtype",
    "test_dtype_alu",
    "test_edgecases",
    "test_encodings",
    "test_graph",
    "test_interop",
    "test_isel",
    "test_jit",
    "test_linearizer",
    "test_linearizer_dumb",
    "test_llama_kernels",
    "test_nn",
    "test_opt_gemm",
    "test_optim",
    "test_pickle",
    "test_profiler",
    "test_quantize_onnx",
    "test_randomness",
    "test_rangeify",
    "test_renderer_failures",
];

/// The compiler of tinygrad's own CPU device, which is that of this project's tests.
const CLANG: &str = "clang-22";

const TINYGRAD_PTX: &[(&str, &str)] = &[("DEV", "CUDA:PTX"), ("CC", CLANG)];

/// The rest of `test/backend`: those that take longer.
const TINYGRAD_MORE: &[&str] = &[
    "test_schedule",
    "test_setitem",
    "test_softmax_fusion",
    "test_stunning",
    "test_subbuffer",
    "test_symbolic_jit",
    "test_symbolic_ops",
    "test_tensor",
    "test_to_numpy",
    "test_transcendental",
    "test_uops",
    "test_wait_loop",
    "test_zero_copy",
];

const TINYGRAD_NVRTC: &[&str] = &[
    "test_arange",
    "test_call",
    "test_const_folding",
    "test_custom_kernel",
    "test_edgecases",
    "test_graph",
    "test_jit",
];

/// The environment of a part of `test_ops`.
macro_rules! ops {
    ($tests:literal) => {
        &[
            ("DEV", "CUDA:PTX"),
            ("CC", CLANG),
            ("FORWARD_ONLY", "1"),
            ("PYTEST_ADDOPTS", concat!("-k '", $tests, "'")),
        ]
    };
}

/// Those of `test/backend` with the two ways to compile a kernel, and with eight devices.
pub const TINYGRAD_TESTS: &[Run] = &[
    pytest("ptx", SM_86, TINYGRAD_PTX, "test/backend", TINYGRAD_BACKEND),
    pytest("more", SM_86, TINYGRAD_PTX, "test/backend", TINYGRAD_MORE),
    // One of its kernels reads past the end of an allocation.
    pytest(
        "bounds",
        &["--arch", "86", "--bounds", "gpu"],
        TINYGRAD_PTX,
        "test/backend",
        &["test_tensor_variable"],
    ),
    // In parts, each of which takes a few minutes. `test_o` would choose the whole file, by its name.
    pytest("ops a-c", SM_86, ops!("test_9 or test_a or test_b or test_c"), "test/backend", &["test_ops"]),
    pytest(
        "ops d-l",
        SM_86,
        ops!("test_d or test_e or test_f or test_g or test_h or test_i or test_l"),
        "test/backend",
        &["test_ops"],
    ),
    pytest(
        "ops m-r",
        SM_86,
        ops!("test_m or test_n or test_p or test_q or test_r"),
        "test/backend",
        &["test_ops"],
    ),
    pytest("ops s", SM_86, ops!("test_s"), "test/backend", &["test_ops"]),
    pytest(
        "ops others",
        SM_86,
        ops!(
            "not (test_9 or test_a or test_b or test_c or test_d or test_e or test_f or test_g or test_h or test_i or test_l or test_m or test_n or test_p or test_q or test_r or test_s)"
        ),
        "test/backend",
        &["test_ops"],
    ),
    // The mock device of tinygrad runs kernels by the function of gpuocelot that `libptx_exec` has.
    pytest("mock", &[], &[("DEV", "MOCK+CUDA:PTX"), ("CC", CLANG)], "test", &["test_tiny"]),
    pytest("nvrtc", SM_86, &[("DEV", "CUDA"), ("CC", CLANG)], "test/backend", TINYGRAD_NVRTC),
    pytest(
        "devices",
        &["--arch", "86", "--devices", "8"],
        TINYGRAD_PTX,
        "test/backend",
        &["test_multitensor"],
    ),
];

pub const NUMBA_MLIR_PACKAGES: &[&str] = &[
    "numba-cuda-mlir==0.5.0",
    "cuda-core==1.2.2",
    "cuda-bindings==13.5.0",
    "nvidia-cuda-runtime==13.5.37",
    "nvidia-cuda-nvrtc==13.5.37",
    "nvidia-cuda-nvcc==13.5.37",
    "nvidia-nvvm==13.5.37",
    "nvidia-cuda-cccl==13.3.5.0.6",
    "numpy==2.4.6",
    "pytest==9.2.0",
    "pytest-rerunfailures==16.7",
    "pytest-benchmark==5.3.1",
    "filecheck==1.0.6",
    "ml_dtypes==0.6.0",
    "psutil==7.2.2",
    "cffi==2.1.1",
];

pub const NUMBA_MLIR_SOURCE: Source = Source {
    repository: "https://github.com/NVIDIA/numba-cuda-mlir",
    commit: "10ece76b48edd680c2b9bad05a8081921b46f6fc",
    modules: &[],
};

/// The files of `tests` itself that are quick.
const NUMBA_MLIR_ROOT: &[&str] = &[
    "test_annotations_as_signatures",
    "test_argument_handler_extensions",
    "test_array",
    "test_array_methods",
    "test_atomics",
    "test_bitwise",
    "test_bool",
    "test_caching",
    "test_warp_ops",
];

/// The rest of them, without `test_builtin_broadcasted_binops`, which compiles 251 kernels and takes more than ten minutes.
const NUMBA_MLIR_MORE: &[&str] = &[
    "test_array_reductions",
    "test_captured_array_constants",
    "test_captured_constants",
    "test_class_poly",
    "test_cluster_launch",
    "test_cmath_signed_zeros",
    "test_compat_attrs",
    "test_compiler_public_api",
    "test_complex",
    "test_context_aware_dmm",
    "test_coop_sync",
    "test_cuda_array_interface_dtype",
    "test_cuda_array_interface_launch_cache",
    "test_cuda_builtins",
    "test_cuda_gdb",
    "test_cupy_types",
    "test_custom_dtype",
    "test_datetime",
    "test_debuginfo",
    "test_descriptor_launch_config",
    "test_device_array_capture",
    "test_device_default_args",
    "test_device_functions",
    "test_dtype_attributes",
    "test_dtype_static_attributes",
    "test_dump_nvvm",
    "test_dynamic_shared_memory",
    "test_enum",
    "test_examples",
    "test_exotic_float_types",
    "test_extending_lower_cast",
    "test_flow_control",
    "test_forall",
    "test_free_threading",
    "test_half_precision",
    "test_help_message",
    "test_ice",
    "test_inline_ptx",
    "test_inlining",
    "test_inspect_llvm",
    "test_integer_division",
    "test_intrinsics",
    "test_iterators",
    "test_jit_compat",
    "test_kernel_exceptions",
    "test_large_smem",
    "test_libdevice",
    "test_lineinfo",
    "test_literals",
    "test_liveness_bitsets",
    "test_loop_early_return",
    "test_lowering_utilities",
    "test_lto_defaults",
    "test_managed_memory",
    "test_math",
    "test_matmul",
    "test_matmul_sharedmem",
    "test_memref_element_type",
    "test_narrow_float_types",
    "test_numba_cuda_mlir_extending",
    "test_numpy",
    "test_nvvm_intrinsics",
    "test_post_inline_planners",
    "test_printf",
    "test_profile_compile_time",
    "test_ptr_ops",
    "test_range",
    "test_record_dtype",
    "test_slicing",
    "test_string_types",
    "test_symbol_isolation",
    "test_to_mlir_type_extension",
    "test_torch_tensors",
    "test_tuple",
    "test_type_conversions",
    "test_ufunc_memory",
    "test_value_storage_model",
    "test_value_storage_runtime",
    "test_varargs",
    "test_vector_type_complex_cast",
    "test_vector_types",
    "test_vector_types_ops",
];

/// Those that came from numba-cuda: the driver.
const NUMBA_MLIR_CUDADRV: &[&str] = &[
    "test_array_attr",
    "test_context_stack",
    "test_cuda_array_slicing",
    "test_cuda_auto_context",
    "test_cuda_devicerecord",
    "test_cuda_driver",
    "test_cuda_memory",
    "test_cuda_ndarray",
    "test_deallocations",
    "test_detect",
    "test_events",
    "test_host_alloc",
    "test_init",
    "test_is_fp16",
    "test_linkable_code",
    "test_linker",
    "test_module_callbacks",
    "test_nvjitlink",
    "test_nvrtc",
    "test_nvvm_driver",
    "test_reset_device",
    "test_runtime",
    "test_select_device",
    "test_streams",
];

/// Those that came from numba-cuda: kernels.
const NUMBA_MLIR_CUDAPY: &[&str] = &[
    "test_alignment",
    "test_analysis",
    "test_array",
    "test_array_alignment",
    "test_array_args",
    "test_array_methods",
    "test_array_reductions",
    "test_atomics",
    "test_bfloat16",
    "test_bfloat16_bindings",
    "test_blackscholes",
    "test_boolean",
    "test_cache_hints",
    "test_casting",
    "test_cffi",
    "test_compiler",
    "test_complex",
    "test_complex_kernel",
    "test_const_string",
    "test_constmem",
    "test_cooperative_groups",
    "test_cuda_array_interface",
    "test_cuda_jit_no_types",
    "test_cupy_bfloat16_interop",
    "test_datetime",
    "test_debuginfo_types",
    "test_device_array_capture",
    "test_device_func",
    "test_enums",
    "test_errors",
    "test_exception",
    "test_extending",
    "test_extending_types",
    "test_fastmath",
    "test_flow_control",
    "test_freevar",
    "test_frexp_ldexp",
    "test_globals",
    "test_gufunc",
    "test_gufunc_scalar",
    "test_idiv",
    "test_inline",
    "test_inspect",
    "test_intrinsics",
    "test_ir",
    "test_ir_utils",
    "test_iterators",
    "test_lang",
    "test_laplace",
    "test_libdevice",
    "test_lineinfo",
    "test_localmem",
    "test_mandel",
    "test_math",
    "test_matmul",
    "test_minmax",
    "test_montecarlo",
    "test_multigpu",
    "test_multithreads",
    "test_nondet",
    "test_numba_interop",
    "test_operator",
    "test_optimization",
    "test_overload",
    "test_powi",
    "test_print",
    "test_py2_div_issue",
    "test_record_dtype",
    "test_reduction",
    "test_retrieve_autoconverted_arrays",
    "test_serialize",
    "test_slicing",
    "test_sm",
    "test_sm_creation",
    "test_ssa",
    "test_stream_api",
    "test_sync",
    "test_transpose",
    "test_typeconv",
    "test_typeinfer",
    "test_ufuncs",
    "test_userexc",
    "test_vector_type",
    "test_vectorize",
    "test_vectorize_complex",
    "test_vectorize_decor",
    "test_vectorize_device",
    "test_vectorize_scalar_arg",
    "test_warp_ops",
];

/// These use a module that they do not import: the suite is meant to run in one process, where other files do.
const NUMBA_MLIR_IMPORTS: &[&str] =
    &["test_debuginfo", "test_forall", "test_make_function_to_jit_function", "test_recursion"];

/// The suite without `doc_examples` and `benchmarks`, which its own configuration leaves out.
pub const NUMBA_MLIR_TESTS: &[Run] = &[
    pytest("tests", SM_80, &[], "tests", NUMBA_MLIR_ROOT),
    pytest("more", SM_80, &[], "tests", NUMBA_MLIR_MORE),
    pytest("mlir", SM_80, &[], "tests/mlir", &["test_llvm_helpers"]),
    // It does not import the module that defines `**` for values.
    pytest(
        "arith",
        SM_80,
        &[("PYTEST_ADDOPTS", "-p numba_cuda_mlir.mlir.dialect_exts.arith")],
        "tests/mlir",
        &["test_arith_pow"],
    ),
    pytest("runtime", SM_80, &[], "tests/runtime", &["test_cmath_runtime"]),
    // `test_device_func` writes past the end of an array.
    pytest(
        "ast_transforms",
        SM_80_AS_GPU,
        &[],
        "tests/ast_transforms",
        &[
            "test_ast_transform_examples",
            "test_constant_if",
            "test_consteval",
            "test_device_func",
            "test_dump_ast",
            "test_local_array_from",
            "test_loop_unroll",
        ],
    ),
    pytest(
        "infra",
        SM_80,
        &[],
        "tests/infra",
        &[
            "test_cooperative",
            "test_dwarf_cubin",
            "test_export_cubin",
            "test_export_mlir",
            "test_export_ptx",
            "test_link_libraries",
            "test_link_mlir",
            "test_numba_cuda_mlir_module_callbacks",
            "test_ptx_version",
            "test_user_intrinsics",
        ],
    ),
    pytest(
        "memory_management",
        SM_80,
        &[],
        "tests/memory_management",
        &["test_nrt_comprehensive", "test_nrt_stats", "test_nrt_strings", "test_rtsys"],
    ),
    pytest("driver", SM_80, &[], "tests/numba_cuda_tests/cudadrv", NUMBA_MLIR_CUDADRV),
    pytest("cudapy", SM_80, &[], "tests/numba_cuda_tests/cudapy", NUMBA_MLIR_CUDAPY),
    pytest(
        "imports",
        SM_80,
        &[("PYTEST_ADDOPTS", "-p numba_cuda_mlir.cuda")],
        "tests/numba_cuda_tests/cudapy",
        NUMBA_MLIR_IMPORTS,
    ),
    // A slice with a step (`a[::2]`) has as many rows as the whole array, so that its kernel reads past the end.
    pytest("slices", SM_80_AS_GPU, &[], "tests", &["test_array_view"]),
    // It reads past the end of an array.
    pytest("bounds", SM_80_AS_GPU, &[], "tests/numba_cuda_tests/cudapy", &["test_dispatcher"]),
];

pub const CUDA_PYTHON_PACKAGES: &[&str] = &[
    "cuda-core==1.2.0",
    "cuda-bindings==13.4.1",
    "nvidia-cuda-nvrtc==13.5.37",
    "nvidia-cuda-runtime==13.5.37",
    "nvidia-nvfatbin==13.5.37",
    "nvidia-nvjitlink==13.5.37",
    "nvidia-nvvm==13.5.37",
    "numpy==2.4.6",
    "pytest==9.2.0",
    "pytest-benchmark==5.3.1",
    "pytest-mock==3.17.0",
    "pytest-repeat==0.9.4",
    "pytest-rerunfailures==16.7",
    "pytest-timeout==2.4.0",
    "psutil==7.2.2",
    "cffi==2.1.1",
    "ml_dtypes==0.6.0",
];

pub const CUDA_PYTHON_SOURCE: Source = Source {
    repository: "https://github.com/NVIDIA/cuda-python",
    commit: "cb56ab9f9ae3b4a0ef19666697336945925589a5",
    modules: &["cuda_python_test_helpers"],
};

const CUDA_CORE: &[&str] = &[
    "test_context",
    "test_device",
    "test_event",
    "test_host",
    "test_launcher",
    "test_linker",
    "test_module",
    "test_stream",
    "test_tensor_map",
    "test_texture_surface",
    "test_utils",
];

const CUDA_BINDINGS: &[&str] = &[
    "test_basics",
    "test_cuda",
    "test_cudart",
    "test_examples",
    "test_graphics_apis",
    "test_interoperability",
    "test_kernelParams",
    "test_nvfatbin",
    "test_nvjitlink",
    "test_nvrtc",
    "test_nvvm",
    "test_utils",
    "test_version_check",
];

/// They import helpers that are in no package.
const WITH_HELPERS: &[(&str, &str)] = &[("PYTEST_ADDOPTS", "-p cuda_bindings_helpers")];

/// Those of cuda.core, and of cuda.bindings but for those that need libraries of NVIDIA's driver (NVML, cuFile, cuDLA) or a build with Cython.
pub const CUDA_PYTHON_TESTS: &[Run] = &[
    pytest("core", SM_80, &[], "cuda_core/tests", CUDA_CORE),
    pytest("bindings", SM_80, WITH_HELPERS, "cuda_bindings/tests", CUDA_BINDINGS),
    pytest(
        "legacy",
        SM_80,
        WITH_HELPERS,
        "cuda_bindings/tests/legacy_api",
        &["test_legacy_kernelParams", "test_legacy_nvfatbin", "test_legacy_nvjitlink", "test_legacy_nvrtc"],
    ),
];
