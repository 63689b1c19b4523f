#!/usr/bin/env python3
"""Makes the PTX in this folder from sources of the project: `python3 make.py clang CUDA` and `python3 make.py numba`.

clang compiles test-suite/bench/cuda with CUDA's headers and libdevice, which are below CUDA (`.oracle/python/nvidia/cu13` after
scripts/setup). numba needs the packages numba-cuda, nvidia-nvvm and nvidia-cuda-nvrtc. Versions are in README.md.
"""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def clang(cuda):
    with tempfile.TemporaryDirectory() as empty:
        # clang includes this header of a library that no kernel uses.
        (pathlib.Path(empty) / "curand_mtgp32_kernel.h").touch()
        for source in sorted((HERE.parent / "bench/cuda").glob("*.cu")):
            for level, sm in [("O2", "sm_80"), ("O0", "sm_80")]:
                out = HERE / "clang" / f"{source.stem}.{level}.{sm}.ptx"
                command = [
                    "clang++-22", "-x", "cuda", "--cuda-device-only", f"--cuda-path={cuda}", f"-I{cuda}/include", f"-I{empty}",
                    "-Wno-unknown-cuda-version", f"--cuda-gpu-arch={sm}", f"-{level}", "-S", str(source), "-o", str(out),
                ]
                if subprocess.run(command).returncode != 0:
                    print(f"{source.name}: not compiled for {sm}", file=sys.stderr)


def numba():
    from numba import cuda

    sys.path.insert(0, str(HERE / "numba"))
    import kernels

    for name, (function, signature) in kernels.KERNELS.items():
        for options, suffix in [({}, ""), ({"lineinfo": True, "fastmath": True}, ".fast")]:
            text, _ = cuda.compile_ptx(function, signature, cc=(8, 0), abi="numba", **options)
            # Line tables name the folder of the source.
            (HERE / "numba" / f"{name}{suffix}.ptx").write_text(text.replace(str(HERE), "corpus"))


if __name__ == "__main__":
    clang(pathlib.Path(sys.argv[2]).resolve()) if sys.argv[1] == "clang" else numba()
