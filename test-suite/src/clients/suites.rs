//! The clients' own test suites that are not in their packages: a version of the repository of each, and the files that are run of it.

use super::table::{Program, Run, Source};

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

/// Those of `test/backend` with the two ways to compile a kernel, and with eight devices.
pub const TINYGRAD_TESTS: &[Run] = &[
    pytest("ptx", &["--arch", "86"], TINYGRAD_PTX, "test/backend", TINYGRAD_BACKEND),
    pytest("more", &["--arch", "86"], TINYGRAD_PTX, "test/backend", TINYGRAD_MORE),
    // One of its kernels reads past the end of an allocation.
    pytest(
        "bounds",
        &["--arch", "86", "--bounds", "gpu"],
        TINYGRAD_PTX,
        "test/backend",
        &["test_tensor_variable"],
    ),
    pytest(
        "ops",
        &["--arch", "86"],
        &[("DEV", "CUDA:PTX"), ("CC", CLANG), ("FORWARD_ONLY", "1")],
        "test/backend",
        &["test_ops"],
    ),
    // The mock device of tinygrad runs kernels by the function of gpuocelot that `libptx_exec` has.
    pytest("mock", &[], &[("DEV", "MOCK+CUDA:PTX"), ("CC", CLANG)], "test", &["test_tiny"]),
    pytest("nvrtc", &["--arch", "86"], &[("DEV", "CUDA"), ("CC", CLANG)], "test/backend", TINYGRAD_NVRTC),
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

/// `test_device_func` writes past the end of an array.
pub const NUMBA_MLIR_TESTS: &[Run] = &[
    pytest(
        "tests",
        &["--arch", "80"],
        &[],
        "tests",
        &[
            "test_annotations_as_signatures",
            "test_argument_handler_extensions",
            "test_array",
            "test_array_methods",
            "test_atomics",
            "test_bitwise",
            "test_bool",
            "test_caching",
            "test_warp_ops",
        ],
    ),
    pytest("mlir", &["--arch", "80"], &[], "tests/mlir", &["test_arith_pow", "test_llvm_helpers"]),
    pytest("runtime", &["--arch", "80"], &[], "tests/runtime", &["test_cmath_runtime"]),
    pytest(
        "ast_transforms",
        &["--arch", "80", "--bounds", "gpu"],
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
        &["--arch", "80"],
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
        &["--arch", "80"],
        &[],
        "tests/memory_management",
        &["test_nrt_comprehensive", "test_rtsys"],
    ),
    pytest(
        "driver",
        &["--arch", "80"],
        &[],
        "tests/numba_cuda_tests/cudadrv",
        &[
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
        ],
    ),
];

pub const CUDA_PYTHON_PACKAGES: &[&str] = &[
    "cuda-core==1.2.0",
    "cuda-bindings==13.4.1",
    "nvidia-cuda-nvrtc==13.5.37",
    "nvidia-cuda-runtime==13.5.37",
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

pub const CUDA_PYTHON_TESTS: &[Run] = &[pytest(
    "core",
    &["--arch", "80"],
    &[],
    "cuda_core/tests",
    &[
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
    ],
)];
