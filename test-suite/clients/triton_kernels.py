"""Kernels of Triton, compared with NumPy: `python triton_kernels.py NAME..`; prints a line for each."""

import sys

import numpy as np
import triton
import triton.language as tl

from device import Array, start


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def matmul_kernel(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    sum = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        inner = start + tl.arange(0, BK)
        left = tl.load(a + rows[:, None] * k + inner, mask=(rows[:, None] < m) & (inner < k), other=0.0)
        right = tl.load(b + inner[:, None] * n + columns, mask=(inner[:, None] < k) & (columns < n), other=0.0)
        sum = tl.dot(left, right, sum)
    tl.store(c + rows[:, None] * n + columns, sum, mask=(rows[:, None] < m) & (columns < n))


@triton.jit
def softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + at, powers / tl.sum(powers, axis=0), mask=at < columns)


def close(name, found, wanted, tolerance):
    error = float(np.max(np.abs(found.astype(np.float64) - wanted)))
    if not error <= tolerance:
        raise AssertionError(f"{name}: error {error}")


def add(random):
    x, y = (random.standard_normal(5000, dtype=np.float32) for _ in range(2))
    out = Array(np.zeros_like(x))
    add_kernel[(triton.cdiv(5000, 1024),)](Array(x), Array(y), out, 5000, BLOCK=1024)
    close("add", out.numpy(), x + y, 0.0)


def matmul(random):
    m, n, k = 100, 72, 90
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
    out = Array(np.zeros((m, n), np.float32))
    grid = (triton.cdiv(m, 64), triton.cdiv(n, 64))
    matmul_kernel[grid](Array(a), Array(b), out, m, n, k, BM=64, BN=64, BK=32)
    close("matmul", out.numpy(), a.astype(np.float64) @ b.astype(np.float64), 1e-4)


def softmax(random):
    x = random.standard_normal((37, 200), dtype=np.float32)
    out = Array(np.zeros_like(x))
    softmax_kernel[(37,)](Array(x), out, 200, BLOCK=256)
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    close("softmax", out.numpy(), powers / powers.sum(axis=1, keepdims=True), 1e-6)


def main():
    tests = {test.__name__: test for test in (add, softmax, matmul)}
    start()
    for name in sys.argv[1:] or tests:
        tests[name](np.random.default_rng(1))
        print(f"passed {name}", flush=True)


main()
