//! The clients, with the versions that they are tested in.

/// A client.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    /// Its name, also in the table of expected results.
    pub name: &'static str,
    /// Its packages and those that its tests need, for pip.
    pub packages: &'static [&'static str],
    /// What is run.
    pub runs: &'static [Run],
}

/// A run: one process.
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

/// What a run executes with the client's Python.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Program {
    /// A file of `test-suite/clients`, which is given names of tests and prints a line for each that passes.
    Script(&'static str, &'static [&'static str]),
    /// Numba's own tests of a module.
    Numba(&'static str),
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

const CUDA_CORE: &[&str] = &["linked", "refused", "template"];

const TINYGRAD: &[&str] =
    &["elementwise", "reduce", "matmul", "half", "convolution", "integers", "sort", "graphs", "training"];

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
        runs: &[
            script("sm_80", &["--arch", "80"], "triton_kernels.py", TRITON),
            script("sm_90a", &["--arch", "90a"], "triton_kernels.py", TRITON),
            script("sm_100a", &["--arch", "100a"], "triton_kernels.py", TRITON),
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
        runs: &[script(
            "sm_80",
            &["--arch", "80"],
            "numba_mlir_programs.py",
            &["scale", "shared_memory", "atomics", "matmul"],
        )],
    },
    Client { name: "numba-cuda", packages: NUMBA_PACKAGES, runs: NUMBA },
    Client {
        name: "pytest",
        packages: &["pytest==9.2.0", "pytest-xdist==3.8.0"],
        runs: &[script(
            "plugin",
            &[],
            "pytest_plugin.py",
            &["plain", "options", "workers", "failures", "wrong_use"],
        )],
    },
];

const NUMBA: &[Run] = &[numba("cudapy.test_sync", true), numba("cudapy.test_warp_ops", true)];
