"""Kernels of the subjects of Triton's tutorials 1 to 6, 8 and 9, compared with NumPy: `python triton_tutorials.py NAME..`; prints a line for each."""

import sys

import numpy as np
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from device import Array, start


def close(name, found, wanted, tolerance):
    error = float(np.max(np.abs(found.astype(np.float64) - wanted)))
    if not error <= tolerance:
        raise AssertionError(f"{name}: error {error}")


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


def vector_add(random):
    n = 98432
    x, y = (random.random(n, dtype=np.float32) for _ in range(2))
    out = Array(np.zeros_like(x))
    add_kernel[(triton.cdiv(n, 1024),)](Array(x), Array(y), out, n, BLOCK=1024)
    close("vector_add", out.numpy(), x + y, 0.0)


@triton.jit
def softmax_kernel(x, out, x_row, out_row, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        at = tl.arange(0, BLOCK)
        values = tl.load(x + row * x_row + at, mask=at < columns, other=-float("inf"))
        powers = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * out_row + at, powers / tl.sum(powers, axis=0), mask=at < columns)


def fused_softmax(random):
    rows, columns = 183, 781
    x = random.standard_normal((rows, columns), dtype=np.float32)
    out = Array(np.zeros_like(x))
    softmax_kernel[(16,)](Array(x), out, columns, columns, rows, columns, BLOCK=1024, STAGES=2, num_warps=8)
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    close("fused_softmax", out.numpy(), powers / powers.sum(axis=1, keepdims=True), 1e-6)


@triton.jit
def matmul_kernel(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, LEAKY: tl.constexpr):
    # Programs of a group share columns of b.
    program = tl.program_id(0)
    rows_of_tiles, columns_of_tiles = tl.cdiv(m, BM), tl.cdiv(n, BN)
    group = program // (GROUP * columns_of_tiles)
    height = min(rows_of_tiles - group * GROUP, GROUP)
    row_tile = group * GROUP + program % (GROUP * columns_of_tiles) % height
    column_tile = program % (GROUP * columns_of_tiles) // height
    rows = (row_tile * BM + tl.arange(0, BM)) % m
    columns = (column_tile * BN + tl.arange(0, BN)) % n
    inner = tl.arange(0, BK)
    sums = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        left = tl.load(a + rows[:, None] * k + start + inner[None, :], mask=start + inner[None, :] < k, other=0.0)
        right = tl.load(b + (start + inner[:, None]) * n + columns[None, :], mask=start + inner[:, None] < k, other=0.0)
        sums = tl.dot(left, right, sums)
    if LEAKY:
        sums = tl.where(sums >= 0, sums, 0.01 * sums)
    rows = row_tile * BM + tl.arange(0, BM)
    columns = column_tile * BN + tl.arange(0, BN)
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(c + rows[:, None] * n + columns[None, :], sums.to(c.dtype.element_ty), mask=inside)


def matrix_multiplication(random):
    m, n, k = 160, 96, 144
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
    wanted = a.astype(np.float64) @ b.astype(np.float64)
    for leaky in (False, True):
        c = Array(np.zeros((m, n), np.float16))
        grid = (triton.cdiv(m, 64) * triton.cdiv(n, 32),)
        matmul_kernel[grid](Array(a), Array(b), c, m, n, k, BM=64, BN=32, BK=32, GROUP=2, LEAKY=leaky)
        close("matrix_multiplication", c.numpy(), np.where(wanted >= 0, wanted, 0.01 * wanted) if leaky else wanted, 0.03)


@triton.jit
def dropout_kernel(x, out, n, probability, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n)
    kept = tl.rand(seed, at) > probability
    tl.store(out + at, tl.where(kept, values / (1 - probability), 0.0), mask=at < n)


def philox(seed, counters):
    """The first word of Philox 4x32 with 10 rounds, as its authors define it (Salmon et al. 2011)."""
    words = [counters.astype(np.uint64)] + [np.zeros_like(counters, np.uint64)] * 3
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        low = np.uint64(0xFFFFFFFF)
        words = [b >> np.uint64(32) ^ words[1] ^ np.uint64(key[0]), b & low, a >> np.uint64(32) ^ words[3] ^ np.uint64(key[1]), a & low]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return words[0].astype(np.uint32)


def dropout(random):
    n, probability = 5000, 0.5
    x = random.standard_normal(n, dtype=np.float32)
    out = Array(np.zeros_like(x))
    dropout_kernel[(triton.cdiv(n, 1024),)](Array(x), out, n, probability, 123, BLOCK=1024)
    bits = philox(123, np.arange(n)).astype(np.int32)
    uniform = np.where(bits < 0, -bits - 1, bits) * np.float32(4.6566127342e-10)
    close("dropout", out.numpy(), np.where(uniform > probability, x / np.float32(0.5), 0), 0.0)


@triton.jit
def layer_norm_kernel(x, out, weight, bias, mean, scale, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * columns + at, mask=at < columns, other=0.0)
    average = tl.sum(total) / columns
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        centred = tl.where(at < columns, tl.load(x + row * columns + at, mask=at < columns, other=0.0) - average, 0.0)
        squares += centred * centred
    inverse = 1 / tl.sqrt(tl.sum(squares) / columns + eps)
    tl.store(mean + row, average)
    tl.store(scale + row, inverse)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < columns
        normal = (tl.load(x + row * columns + at, mask=inside, other=0.0) - average) * inverse
        tl.store(out + row * columns + at, normal * tl.load(weight + at, mask=inside) + tl.load(bias + at, mask=inside), mask=inside)


@triton.jit
def layer_norm_gradient_kernel(x, dout, dx, weight, dweight, dbias, locks, mean, scale, columns, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    normal = (tl.load(x + row * columns + at, mask=inside, other=0.0) - tl.load(mean + row)) * tl.load(scale + row)
    gradient = tl.load(dout + row * columns + at, mask=inside, other=0.0)
    normal = tl.where(inside, normal, 0.0)
    weighted = tl.load(weight + at, mask=inside, other=0.0) * gradient
    along = tl.sum(normal * weighted) / columns
    average = tl.sum(weighted) / columns
    tl.store(dx + row * columns + at, (weighted - (normal * along + average)) * tl.load(scale + row), mask=inside)
    # Rows of a group add up their parts one after the other.
    group = row % GROUPS
    lock = locks + group
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    for_weight, for_bias = dweight + group * columns + at, dbias + group * columns + at
    tl.store(for_weight, tl.load(for_weight, mask=inside) + gradient * normal, mask=inside)
    tl.store(for_bias, tl.load(for_bias, mask=inside) + gradient, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


def layer_norm(random):
    rows, columns, groups = 23, 300, 4
    x, dout = (random.standard_normal((rows, columns), dtype=np.float32) for _ in range(2))
    weight, bias = (random.standard_normal(columns, dtype=np.float32) for _ in range(2))
    out, dx, mean, scale = (Array(np.zeros(shape, np.float32)) for shape in (x.shape, x.shape, rows, rows))
    layer_norm_kernel[(rows,)](Array(x), out, Array(weight), Array(bias), mean, scale, columns, 1e-5, BLOCK=128)
    x64 = x.astype(np.float64)
    inverse = 1 / np.sqrt(x64.var(axis=1, keepdims=True) + 1e-5)
    normal = (x64 - x64.mean(axis=1, keepdims=True)) * inverse
    close("layer_norm", out.numpy(), normal * weight + bias, 1e-5)
    dweight, dbias = (Array(np.zeros((groups, columns), np.float32)) for _ in range(2))
    locks = Array(np.zeros(groups, np.int32))
    layer_norm_gradient_kernel[(rows,)](Array(x), Array(dout), dx, Array(weight), dweight, dbias, locks, mean, scale, columns, GROUPS=groups, BLOCK=512)
    weighted = weight * dout.astype(np.float64)
    along, average = (values.mean(axis=1, keepdims=True) for values in (normal * weighted, weighted))
    close("layer_norm dx", dx.numpy(), (weighted - normal * along - average) * inverse, 1e-5)
    close("layer_norm dweight", dweight.numpy().sum(axis=0), (dout * normal).sum(axis=0), 1e-4)
    close("layer_norm dbias", dbias.numpy().sum(axis=0), dout.astype(np.float64).sum(axis=0), 1e-4)


@triton.jit
def attention_kernel(q, k, v, out, scale, length, BM: tl.constexpr, BN: tl.constexpr, HEAD: tl.constexpr, CAUSAL: tl.constexpr, SPECIALIZE: tl.constexpr):
    first = tl.program_id(0) * BM
    head = tl.program_id(1) * length * HEAD
    rows, inner = first + tl.arange(0, BM), tl.arange(0, HEAD)
    queries = tl.load(q + head + rows[:, None] * HEAD + inner[None, :])
    largest = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    sums = tl.zeros((BM, HEAD), tl.float32)
    end = first + BM if CAUSAL else length
    for start in tl.range(0, end, BN, warp_specialize=SPECIALIZE):
        columns = start + tl.arange(0, BN)
        keys = tl.load(k + head + columns[None, :] * HEAD + inner[:, None])
        scores = tl.dot(queries, keys) * (scale * 1.44269504)
        if CAUSAL:
            scores = tl.where(rows[:, None] >= columns[None, :], scores, -1.0e6)
        new = tl.maximum(largest, tl.max(scores, 1))
        powers = tl.math.exp2(scores - new[:, None])
        correction = tl.math.exp2(largest - new)
        total = total * correction + tl.sum(powers, 1)
        values = tl.load(v + head + columns[:, None] * HEAD + inner[None, :])
        sums = tl.dot(powers.to(values.dtype), values, sums * correction[:, None])
        largest = new
    tl.store(out + head + rows[:, None] * HEAD + inner[None, :], (sums / total[:, None]).to(out.dtype.element_ty))


def fused_attention(random):
    heads, length, size = 3, 128, 64
    q, k, v = (random.standard_normal((heads, length, size)).astype(np.float16) for _ in range(3))
    for causal in (False, True):
        out = Array(np.zeros_like(q))
        attention_kernel[(length // 64, heads)](
            Array(q), Array(k), Array(v), out, 0.5, length, BM=64, BN=32, HEAD=size, CAUSAL=causal, SPECIALIZE=False
        )
        scores = 0.5 * q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1)
        if causal:
            scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
        powers = np.exp(scores - scores.max(axis=2, keepdims=True))
        close("fused_attention", out.numpy(), powers / powers.sum(axis=2, keepdims=True) @ v.astype(np.float64), 1e-2)


@triton.jit
def grouped_kernel(addresses, sizes, count, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    # Each program takes every so many tiles of all products.
    tile = tl.program_id(0)
    last = 0
    for product in range(count):
        m, n, k = tl.load(sizes + product * 3), tl.load(sizes + product * 3 + 1), tl.load(sizes + product * 3 + 2)
        columns_of_tiles = tl.cdiv(n, BN)
        tiles = tl.cdiv(m, BM) * columns_of_tiles
        while tile >= last and tile < last + tiles:
            a = tl.load(addresses + product * 3).to(tl.pointer_type(tl.float16))
            b = tl.load(addresses + product * 3 + 1).to(tl.pointer_type(tl.float16))
            c = tl.load(addresses + product * 3 + 2).to(tl.pointer_type(tl.float16))
            rows = (tile - last) // columns_of_tiles * BM + tl.arange(0, BM)
            columns = (tile - last) % columns_of_tiles * BN + tl.arange(0, BN)
            inner = tl.arange(0, BK)
            sums = tl.zeros((BM, BN), tl.float32)
            for start in range(0, k, BK):
                left = tl.load(a + rows[:, None] * k + start + inner[None, :])
                right = tl.load(b + (start + inner[:, None]) * n + columns[None, :])
                sums = tl.dot(left, right, sums)
            tl.store(c + rows[:, None] * n + columns[None, :], sums.to(tl.float16))
            tile += tl.num_programs(0)
        last += tiles


def grouped_gemm(random):
    sizes = [(64, 128, 32), (128, 64, 64), (64, 64, 96)]
    products = [tuple(random.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n))) for m, n, k in sizes]
    arrays = [(Array(a), Array(b), Array(np.zeros((a.shape[0], b.shape[1]), np.float16))) for a, b in products]
    addresses = Array(np.array([array.data_ptr() for group in arrays for array in group], np.int64))
    grouped_kernel[(4,)](addresses, Array(np.array(sizes, np.int32).ravel()), len(sizes), BM=64, BN=64, BK=32)
    for (a, b), (_, _, c) in zip(products, arrays):
        close("grouped_gemm", c.numpy(), a.astype(np.float64) @ b.astype(np.float64), 0.05)


@triton.jit
def persistent_kernel(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows_of_tiles, columns_of_tiles = tl.cdiv(m, BM), tl.cdiv(n, BN)
    for tile in tl.range(tl.program_id(0), rows_of_tiles * columns_of_tiles, tl.num_programs(0), flatten=True):
        rows = tile // columns_of_tiles * BM + tl.arange(0, BM)
        columns = tile % columns_of_tiles * BN + tl.arange(0, BN)
        sums = tl.zeros((BM, BN), tl.float32)
        for start in range(0, k, BK):
            inner = start + tl.arange(0, BK)
            left = tl.load(a + rows[:, None] * k + inner[None, :], mask=(rows[:, None] < m) & (inner[None, :] < k), other=0.0)
            right = tl.load(b + columns[None, :] * k + inner[:, None], mask=(columns[None, :] < n) & (inner[:, None] < k), other=0.0)
            sums = tl.dot(left, right, sums)
        tl.store(c + rows[:, None] * n + columns[None, :], sums.to(tl.float16), mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def descriptor_kernel(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPECIALIZE: tl.constexpr):
    columns_of_tiles = tl.cdiv(n, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(m, BM) * columns_of_tiles, tl.num_programs(0), warp_specialize=SPECIALIZE):
        row, column = tile // columns_of_tiles * BM, tile % columns_of_tiles * BN
        sums = tl.zeros((BM, BN), tl.float32)
        for start in range(0, k, BK):
            sums = tl.dot(a.load([row, start]), b.load([column, start]).T, sums)
        c.store([row, column], sums.to(tl.float16))


@triton.jit
def device_descriptor_kernel(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    left = tl.make_tensor_descriptor(a, shape=[m, k], strides=[k, 1], block_shape=[BM, BK])
    right = tl.make_tensor_descriptor(b, shape=[n, k], strides=[k, 1], block_shape=[BN, BK])
    out = tl.make_tensor_descriptor(c, shape=[m, n], strides=[n, 1], block_shape=[BM, BN])
    columns_of_tiles = tl.cdiv(n, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(m, BM) * columns_of_tiles, tl.num_programs(0)):
        row, column = tile // columns_of_tiles * BM, tile % columns_of_tiles * BN
        sums = tl.zeros((BM, BN), tl.float32)
        for start in range(0, k, BK):
            sums = tl.dot(left.load([row, start]), right.load([column, start]).T, sums)
        out.store([row, column], sums.to(tl.float16))


class Factors:
    """Two factors and their product, the second transposed."""

    def __init__(self, random):
        self.m, self.n, self.k = 256, 128, 160
        self.a, self.b = (random.standard_normal(shape).astype(np.float16) for shape in ((self.m, self.k), (self.n, self.k)))
        self.wanted = self.a.astype(np.float64) @ self.b.astype(np.float64).T

    def compare(self, name, launch):
        c = Array(np.zeros((self.m, self.n), np.float16))
        launch(Array(self.a), Array(self.b), c, self.m, self.n, self.k)
        close(name, c.numpy(), self.wanted, 0.05)


def persistent_matmul(random):
    tiles = dict(BM=128, BN=64, BK=32)
    Factors(random).compare("persistent_matmul", lambda *arguments: persistent_kernel[(3,)](*arguments, **tiles))


class Type(str):
    """The name of a type, with its size."""

    @property
    def itemsize(self):
        return np.dtype(self).itemsize


class OfDescriptor(Array):
    """An array that a descriptor refers to, with what Triton asks of it."""

    @property
    def dtype(self):
        return Type(self.host)

    def stride(self, axis=None):
        strides = [stride // self.host.itemsize for stride in np.empty(self.shape, self.host).strides]
        return strides if axis is None else strides[axis]

    def element_size(self):
        return self.host.itemsize


def descriptors(specialize):
    def launch(a, b, c, m, n, k):
        tiles = dict(BM=128, BN=64, BK=32)

        def of(array, block):
            array.__class__ = OfDescriptor
            return TensorDescriptor(array, list(array.shape), array.stride(), block)

        arrays = of(a, [128, 32]), of(b, [64, 32]), of(c, [128, 64])
        descriptor_kernel[(3,)](*arrays, m, n, k, **tiles, SPECIALIZE=specialize)

    return launch


def tensor_descriptors(random):
    Factors(random).compare("tensor_descriptors", descriptors(False))


def warp_specialization(random):
    Factors(random).compare("warp_specialization", descriptors(True))


def device_descriptors(random):
    def scratch(size, alignment, stream):
        return Array(np.zeros(size + alignment, np.uint8))

    triton.set_allocator(scratch)
    tiles = dict(BM=128, BN=64, BK=32)
    Factors(random).compare("device_descriptors", lambda *arguments: device_descriptor_kernel[(3,)](*arguments, **tiles))


def main():
    tests = [vector_add, fused_softmax, matrix_multiplication, dropout, layer_norm, fused_attention, grouped_gemm, persistent_matmul]
    tests += [tensor_descriptors, device_descriptors, warp_specialization]
    tests = {test.__name__: test for test in tests}
    start()
    for name in sys.argv[1:] or tests:
        tests[name](np.random.default_rng(1))
        print(f"passed {name}", flush=True)


main()
