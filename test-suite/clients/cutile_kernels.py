"""Kernels of CUDA Tile, compared with NumPy: `python cutile_kernels.py NAME..`; prints a line for each."""

import sys

import cuda.tile as ct
import numpy as np

from device import Array, start

TESTS = {}


def test(function):
    TESTS[function.__name__] = function
    return function


def launch(kernel, grid, *arguments):
    ct.launch(0, grid, kernel, arguments)


def close(found, wanted, tolerance=0.0):
    """Compares results, with an error relative to the largest one."""
    wanted = np.asarray(wanted)
    error = np.max(np.abs(found.astype(np.float64) - wanted)) / max(1.0, float(np.max(np.abs(wanted))))
    if not error <= tolerance:
        raise AssertionError(f"error {error}")


def floats(random, *shape):
    return random.standard_normal(shape).astype(np.float32)


def halves(random, *shape):
    return random.standard_normal(shape).astype(np.float16)


def zeros(*shape, dtype=np.float32):
    return Array(np.zeros(shape, dtype))


def product(a, b):
    return a.astype(np.float64) @ b.astype(np.float64)


@test
def saxpy(random):
    @ct.kernel
    def kernel(x, y, out, factor: ct.Constant[float]):
        i = ct.bid(0)
        ct.store(out, (i,), ct.load(x, (i,), (128,)) * factor + ct.load(y, (i,), (128,)))

    x, y, out = floats(random, 1000), floats(random, 1000), zeros(1000)
    launch(kernel, (8,), Array(x), Array(y), out, 2.5)
    close(out.numpy(), x * 2.5 + y, 1e-6)


@test
def matmul(random):
    @ct.kernel
    def kernel(a, b, c):
        i, j = ct.bid(0), ct.bid(1)
        sum = ct.full((64, 64), 0.0, ct.float32)
        for k in range(ct.num_tiles(a, 1, (64, 32))):
            sum = ct.mma(ct.load(a, (i, k), (64, 32)), ct.load(b, (k, j), (32, 64)), sum)
        ct.store(c, (i, j), sum)

    a, b, c = halves(random, 128, 96), halves(random, 96, 128), zeros(128, 128)
    launch(kernel, (2, 2), Array(a), Array(b), c)
    close(c.numpy(), product(a, b), 1e-6)


@test
def batched_matmul(random):
    @ct.kernel
    def kernel(a, b, c):
        z, i, j = ct.bid(0), ct.bid(1), ct.bid(2)
        sum = ct.full((32, 32), 0.0, ct.float32)
        for k in range(2):
            x = ct.reshape(ct.load(a, (z, i, k), (1, 32, 32)), (32, 32))
            y = ct.reshape(ct.load(b, (z, k, j), (1, 32, 32)), (32, 32))
            sum = ct.mma(x, y, sum)
        ct.store(c, (z, i, j), ct.reshape(sum, (1, 32, 32)))

    a, b, c = halves(random, 3, 64, 64), halves(random, 3, 64, 64), zeros(3, 64, 64)
    launch(kernel, (3, 2, 2), Array(a), Array(b), c)
    close(c.numpy(), product(a, b), 1e-6)


@test
def tf32_matmul(random):
    @ct.kernel
    def kernel(a, b, c):
        i, j = ct.bid(0), ct.bid(1)
        sum = ct.full((32, 32), 0.0, ct.float32)
        for k in range(2):
            x = ct.astype(ct.load(a, (i, k), (32, 32)), ct.tfloat32)
            y = ct.astype(ct.load(b, (k, j), (32, 32)), ct.tfloat32)
            sum = ct.mma(x, y, sum)
        ct.store(c, (i, j), sum)

    a, b, c = floats(random, 64, 64), floats(random, 64, 64), zeros(64, 64)
    launch(kernel, (2, 2), Array(a), Array(b), c)
    # tf32 has 10 bits after the point.
    close(c.numpy(), product(a, b), 1e-3)


@test
def int8_matmul(random):
    @ct.kernel
    def kernel(a, b, c):
        i, j = ct.bid(0), ct.bid(1)
        sum = ct.full((32, 32), 0, ct.int32)
        for k in range(2):
            sum = ct.mma(ct.load(a, (i, k), (32, 32)), ct.load(b, (k, j), (32, 32)), sum)
        ct.store(c, (i, j), sum)

    a, b = (random.integers(-128, 127, (64, 64)).astype(np.int8) for _ in range(2))
    c = zeros(64, 64, dtype=np.int32)
    launch(kernel, (2, 2), Array(a), Array(b), c)
    close(c.numpy(), product(a, b))


@test
def attention(random):
    @ct.kernel
    def kernel(q, k, v, out):
        i = ct.bid(0)
        query = ct.load(q, (i, 0), (64, 64))
        most = ct.full((64, 1), -1e30, ct.float32)
        total = ct.full((64, 1), 0.0, ct.float32)
        sum = ct.full((64, 64), 0.0, ct.float32)
        for j in range(ct.num_tiles(k, 0, (64, 64))):
            keys = ct.transpose(ct.load(k, (j, 0), (64, 64)))
            scores = ct.mma(query, keys, ct.full((64, 64), 0.0, ct.float32)) * 0.125
            new = ct.maximum(most, ct.max(scores, axis=1, keepdims=True))
            weights, scale = ct.exp(scores - new), ct.exp(most - new)
            total = total * scale + ct.sum(weights, axis=1, keepdims=True)
            sum = ct.mma(ct.astype(weights, ct.float16), ct.load(v, (j, 0), (64, 64)), sum * scale)
            most = new
        ct.store(out, (i, 0), sum / total)

    q, k, v = (halves(random, 128, 64) for _ in range(3))
    out = zeros(128, 64)
    launch(kernel, (2,), Array(q), Array(k), Array(v), out)
    scores = product(q, k.T) * 0.125
    weights = np.exp(scores - scores.max(1, keepdims=True))
    # The weights are rounded to 11 bits.
    close(out.numpy(), weights / weights.sum(1, keepdims=True) @ v.astype(np.float64), 1e-3)


@test
def softmax(random):
    @ct.kernel
    def kernel(x, out):
        i = ct.bid(0)
        row = ct.load(x, (i, 0), (1, 256))
        powers = ct.exp(row - ct.max(row, axis=1, keepdims=True))
        ct.store(out, (i, 0), powers / ct.sum(powers, axis=1, keepdims=True))

    x, out = floats(random, 16, 256), zeros(16, 256)
    launch(kernel, (16,), Array(x), out)
    powers = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    close(out.numpy(), powers / powers.sum(1, keepdims=True), 1e-6)


@test
def layer_norm(random):
    @ct.kernel
    def kernel(x, out):
        i = ct.bid(0)
        row = ct.load(x, (i, 0), (1, 512))
        difference = row - ct.sum(row, axis=1, keepdims=True) / 512.0
        variance = ct.sum(difference * difference, axis=1, keepdims=True) / 512.0
        ct.store(out, (i, 0), difference * ct.rsqrt(variance + 1e-5))

    x, out = floats(random, 8, 512), zeros(8, 512)
    launch(kernel, (8,), Array(x), out)
    difference = x.astype(np.float64) - x.astype(np.float64).mean(1, keepdims=True)
    close(out.numpy(), difference / np.sqrt((difference**2).mean(1, keepdims=True) + 1e-5), 1e-6)


@test
def transpose(random):
    @ct.kernel
    def kernel(x, out):
        i, j = ct.bid(0), ct.bid(1)
        ct.store(out, (j, i), ct.transpose(ct.load(x, (i, j), (32, 32))))

    x, out = floats(random, 64, 96), zeros(96, 64)
    launch(kernel, (2, 3), Array(x), out)
    close(out.numpy(), x.T)


@test
def gather(random):
    @ct.kernel
    def kernel(x, at, out):
        i = ct.bid(0)
        ct.store(out, (i,), ct.gather(x, ct.load(at, (i,), (64,))))

    x, out = floats(random, 500), zeros(256)
    at = random.integers(0, 500, 256).astype(np.int32)
    launch(kernel, (4,), Array(x), Array(at), out)
    close(out.numpy(), x[at])


@test
def scatter(random):
    @ct.kernel
    def kernel(x, at, out):
        i = ct.bid(0)
        ct.scatter(out, ct.load(at, (i,), (64,)), ct.load(x, (i,), (64,)))

    x, out = floats(random, 256), zeros(256)
    at = random.permutation(256).astype(np.int32)
    launch(kernel, (4,), Array(x), Array(at), out)
    wanted = np.zeros_like(x)
    wanted[at] = x
    close(out.numpy(), wanted)


@test
def atomic_add(random):
    @ct.kernel
    def kernel(x, out):
        ct.atomic_add(out, (0,), ct.sum(ct.load(x, (ct.bid(0),), (128,))))

    x, out = random.integers(0, 100, 1024).astype(np.int32), zeros(1, dtype=np.int32)
    launch(kernel, (8,), Array(x), out)
    close(out.numpy(), [x.sum()])


@test
def where(random):
    @ct.kernel
    def kernel(x, out):
        i = ct.bid(0)
        value = ct.load(x, (i,), (64,))
        ct.store(out, (i,), ct.where(value > 0.0, ct.sqrt(ct.abs(value)), value * 0.5))

    x, out = floats(random, 256), zeros(256)
    launch(kernel, (4,), Array(x), out)
    close(out.numpy(), np.where(x > 0, np.sqrt(np.abs(x)), x * 0.5), 1e-6)


@test
def cumulative_sum(random):
    @ct.kernel
    def kernel(x, out):
        i = ct.bid(0)
        ct.store(out, (i, 0), ct.cumsum(ct.load(x, (i, 0), (1, 128)), axis=1))

    x, out = floats(random, 8, 128), zeros(8, 128)
    launch(kernel, (8,), Array(x), out)
    close(out.numpy(), np.cumsum(x.astype(np.float64), 1), 1e-6)


@test
def argmax(random):
    @ct.kernel
    def kernel(x, out):
        i = ct.bid(0)
        ct.store(out, (i,), ct.argmax(ct.load(x, (i, 0), (1, 128)), axis=1))

    x, out = floats(random, 8, 128), zeros(8, dtype=np.int32)
    launch(kernel, (8,), Array(x), out)
    close(out.numpy(), x.argmax(1))


@test
def integers(random):
    @ct.kernel
    def kernel(x, y, out):
        i = ct.bid(0)
        a, b = ct.load(x, (i,), (64,)), ct.load(y, (i,), (64,))
        ct.store(out, (i,), (a // b) * 3 + (a % b) ^ (a & b))

    x = random.integers(0, 10000, 256).astype(np.int32)
    y = random.integers(1, 100, 256).astype(np.int32)
    out = zeros(256, dtype=np.int32)
    launch(kernel, (4,), Array(x), Array(y), out)
    close(out.numpy(), (x // y) * 3 + (x % y) ^ (x & y))


@test
def doubles(random):
    @ct.kernel
    def kernel(x, out):
        i = ct.bid(0)
        value = ct.load(x, (i,), (64,))
        ct.store(out, (i,), ct.sin(value) * ct.exp(value) + ct.log(ct.abs(value) + 1.0))

    x, out = random.standard_normal(256), zeros(256, dtype=np.float64)
    launch(kernel, (4,), Array(x), out)
    close(out.numpy(), np.sin(x) * np.exp(x) + np.log(np.abs(x) + 1), 1e-14)


@test
def transcendental(random):
    @ct.kernel
    def kernel(x, out):
        i = ct.bid(0)
        value = ct.load(x, (i,), (64,))
        powers = ct.exp2(value) + ct.log2(ct.abs(value) + 1.0)
        ct.store(out, (i,), ct.sin(value) + ct.cos(value) * ct.tanh(value) + powers)

    x, out = floats(random, 256), zeros(256)
    launch(kernel, (4,), Array(x), out)
    x = x.astype(np.float64)
    close(out.numpy(), np.sin(x) + np.cos(x) * np.tanh(x) + np.exp2(x) + np.log2(np.abs(x) + 1), 1e-6)


@test
def half_product(random):
    @ct.kernel
    def kernel(x, y, out):
        i = ct.bid(0)
        ct.store(out, (i,), ct.load(x, (i,), (128,)) * ct.load(y, (i,), (128,)))

    x, y, out = halves(random, 512), halves(random, 512), zeros(512, dtype=np.float16)
    launch(kernel, (4,), Array(x), Array(y), out)
    close(out.numpy(), x * y)


@test
def strided_sum(random):
    @ct.kernel
    def kernel(x, out):
        sum = ct.full((128,), 0.0, ct.float32)
        for i in range(ct.bid(0), ct.num_tiles(x, 0, (128,)), ct.num_blocks(0)):
            sum = sum + ct.load(x, (i,), (128,))
        ct.store(out, (ct.bid(0),), ct.reshape(ct.sum(sum), (1,)))

    x, out = floats(random, 4096), zeros(4)
    launch(kernel, (4,), Array(x), out)
    close(out.numpy(), x.astype(np.float64).reshape(8, 4, 128).sum((0, 2)), 1e-6)


def main():
    start()
    for name in sys.argv[1:] or TESTS:
        TESTS[name](np.random.default_rng(1))
        print(f"passed {name}", flush=True)


main()
