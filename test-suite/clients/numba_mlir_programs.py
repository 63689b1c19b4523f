"""Kernels of numba-cuda-mlir, compared with NumPy: `python numba_mlir_programs.py NAME..`; prints a line for each."""

import math
import sys
import warnings

import numpy as np
from numba_cuda_mlir import cuda

warnings.simplefilter("ignore")


@cuda.jit
def scale_kernel(x, factor):
    i = cuda.grid(1)
    if i < x.shape[0]:
        x[i] = math.sqrt(x[i]) * factor


@cuda.jit
def sum_kernel(x, out):
    partial = cuda.shared.array(128, np.float32)
    i = cuda.threadIdx.x
    partial[i] = x[cuda.blockIdx.x * 128 + i]
    cuda.syncthreads()
    width = 64
    while width > 0:
        if i < width:
            partial[i] += partial[i + width]
        cuda.syncthreads()
        width //= 2
    if i == 0:
        out[cuda.blockIdx.x] = partial[0]


@cuda.jit
def count_kernel(x, counts):
    i = cuda.grid(1)
    if i < x.shape[0]:
        cuda.atomic.add(counts, x[i], 1)


@cuda.jit
def matmul_kernel(a, b, c):
    row, column = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        sum = 0.0
        for inner in range(a.shape[1]):
            sum += a[row, inner] * b[inner, column]
        c[row, column] = sum


SOURCE = cuda.CUSource('extern "C" __device__ int twice(int *out, int a) { *out = 2 * a; return 0; }')

twice = cuda.declare_device("twice", "int32(int32)")


# Without `lto=False` the source is compiled to LTO-IR.
@cuda.jit(link=[SOURCE], lto=False)
def twice_kernel(x):
    i = cuda.grid(1)
    if i < x.shape[0]:
        x[i] = twice(x[i])


def scale(random):
    x = random.random(1000)
    found = x.copy()
    scale_kernel[8, 128](found, 3.0)
    np.testing.assert_allclose(found, np.sqrt(x) * 3.0, rtol=1e-15)


def shared_memory(random):
    x = random.integers(0, 100, 4 * 128).astype(np.float32)
    out = np.zeros(4, np.float32)
    sum_kernel[4, 128](x, out)
    np.testing.assert_array_equal(out, x.reshape(4, 128).sum(axis=1))


def atomics(random):
    x = random.integers(0, 16, 3000)
    counts = np.zeros(16, np.int64)
    count_kernel[24, 128](x, counts)
    np.testing.assert_array_equal(counts, np.bincount(x, minlength=16))


def matmul(random):
    a, b = random.standard_normal((20, 30)), random.standard_normal((30, 10))
    c = np.zeros((20, 10))
    matmul_kernel[(2, 1), (16, 16)](a, b, c)
    np.testing.assert_allclose(c, a @ b, atol=1e-12)


def cuda_source(random):
    x = random.integers(0, 1000, 300).astype(np.int32)
    found = x.copy()
    twice_kernel[3, 128](found)
    np.testing.assert_array_equal(found, 2 * x)


def main():
    tests = {test.__name__: test for test in (scale, shared_memory, atomics, matmul, cuda_source)}
    for name in sys.argv[1:] or tests:
        tests[name](np.random.default_rng(1))
        print(f"passed {name}", flush=True)


main()
