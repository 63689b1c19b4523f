#!/usr/bin/env python3
"""CUDA C++ with the libraries of the toolkit, each kernel with what Python computes for it.

    kernels.py            check that the directives and the expected values are what this script makes
    kernels.py --write    write them
    kernels.py --compile [NAME ..]  compile the sources with `nvcc` (NVCC, or .oracle/bin/nvcc), and write them

NAME.cu is compiled to NAME.sm_80.ptx and so on. A function `NAME` here adds the launches of its kernels.
"""
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from case import *  # noqa: E402, F401, F403

HERE = os.path.dirname(os.path.abspath(__file__))
ALL = ("80", "90a", "100a", "120a")
SOURCES = {}


class Source(Case):
    """The launches of one file."""

    def __init__(self, name, targets, roundtrip):
        super().__init__(name)
        self.targets, self.roundtrip = targets, roundtrip

    def launch(self, entry, grid=1, block=32, **more):
        self.entry = entry
        extra = "".join(f" {key}={value}" for key, value in more.items())
        self.lines.append(f"LAUNCH: entry={entry} grid={grid} block={block}{extra}")

    def values(self, name, ty, data):
        return super().values(f"{self.entry}.{name}", ty, data)

    def want(self, name, ty, data, **judgement):
        super().want(name, ty, data, file=f"{self.entry}.{name}", **judgement)


def source(targets=ALL, roundtrip=True):
    def decorate(function):
        this = Source(function.__name__, targets, roundtrip)
        function(this)
        SOURCES[function.__name__] = this
        return function
    return decorate


def wrap(values):
    """Integers modulo 2^32, with a sign."""
    return (np.asarray(values).astype(np.int64) & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


@source()
def collectives(c):
    r = rng("collectives")
    x = r.integers(-100, 100, 128).astype(np.int32)
    eights = x.reshape(-1, 8)
    c.launch("tiles", 2, 64)
    c.buffer("in", "in", "i32", x)
    for name in ("sums", "scans", "most"):
        c.buffer("out", name, "i32", count=128)
    c.want("sums", "i32", wrap(eights.sum(1).repeat(8))); c.want("scans", "i32", wrap(eights.cumsum(1)))
    c.want("most", "i32", x.reshape(-1, 32).max(1).repeat(32))

    # The order of warps is open, that of the lanes of a warp is not: one warp.
    v = r.integers(0, 100, 32).astype(np.int32)
    chosen = v[v % 3 == 0]
    c.launch("coalesced", 1, 32)
    c.buffer("in", "in", "i32", v); c.buffer("inout", "count", "i32", np.zeros(1, np.int32))
    c.buffer("inout", "order", "i32", np.full(32, -1, np.int32)); c.scalar("i32", 32)
    c.want("count", "i32", np.array([chosen.size], np.int32)); c.want("order", "i32", np.concatenate([chosen, np.full(32 - chosen.size, -1)]).astype(np.int32))

    v = r.integers(0, 50, 64).astype(np.int32)
    want = [sum(int(w) for w in v[i // 32 * 32:i // 32 * 32 + 32] if w % 5 == v[i] % 5) * 100
            + sum(1 for w in v[i // 32 * 32:i // 32 * 32 + 32] if w % 5 == v[i] % 5) for i in range(64)]
    c.launch("labeled", 1, 64)
    c.buffer("in", "in", "i32", v); c.buffer("out", "out", "i32", count=64); c.want("out", "i32", np.array(want, np.int32))

    v = r.integers(-20, 20, 64).astype(np.int32)
    want = []
    for i in range(64):
        warp = [int(w) for w in v[i // 32 * 32:i // 32 * 32 + 32]]
        bits = lambda f: sum(1 << n for n, w in enumerate(warp) if f(w))
        match = bits(lambda w: w & 7 == v[i] & 7)
        all_same = len({w >> 31 for w in warp}) == 1
        want.append((bits(lambda w: w > 0) ^ match << 1 ^ (0xFFFFFFFF if all_same else 7) ^ (16 if 3 in warp else 0) ^ 0xFFFFFFFF) & 0xFFFFFFFF)
    c.launch("votes", 1, 64)
    c.buffer("in", "in", "i32", v); c.buffer("out", "out", "u32", count=64); c.want("out", "u32", np.array(want, np.uint32))

    c.launch("reduced", 1, 64)
    v = r.integers(-2 ** 31, 2 ** 31, 64).astype(np.int32)
    want = []
    for warp in v.reshape(2, 32):
        u = warp.view(np.uint32)
        want += [wrap(warp.astype(np.int64).sum()), warp.min(), warp.max()] + [f.reduce(u).view(np.int32) for f in (np.bitwise_and, np.bitwise_or, np.bitwise_xor)]
    c.buffer("in", "in", "i32", v); c.buffer("out", "out", "i32", count=12); c.want("out", "i32", np.array(want, np.int32))


@source()
def cub_blocks(c):
    r = rng("cub")
    x = r.integers(-1000, 1000, (2, 512)).astype(np.int32)
    c.launch("reduce", 2, 128)
    c.buffer("in", "in", "i32", x); c.buffer("out", "out", "i32", count=4)
    c.want("out", "i32", np.stack([x.sum(1), x.max(1)], 1).astype(np.int32))
    c.launch("scan", 2, 128)
    c.buffer("in", "in", "i32", x); c.buffer("out", "out", "i32", count=1024); c.buffer("out", "totals", "i32", count=2)
    c.want("out", "i32", (x.cumsum(1) - x).astype(np.int32)); c.want("totals", "i32", x.sum(1).astype(np.int32))
    keys = r.integers(0, 200, 512).astype(np.uint32) * np.uint32(0x01000193)
    c.launch("sort", 1, 128)
    c.buffer("in", "keys", "u32", keys); c.buffer("out", "out", "u32", count=512); c.buffer("out", "places", "u32", count=512)
    c.want("out", "u32", np.sort(keys)); c.want("places", "u32", np.argsort(keys, kind="stable").astype(np.uint32))
    f = r.normal(size=512).astype(np.float32)
    c.launch("merge_sort", 1, 128)
    c.buffer("in", "in", "f32", f); c.buffer("out", "out", "f32", count=512); c.want("out", "f32", -np.sort(-f))
    b = r.integers(0, 64, 512).astype(np.uint8)
    c.launch("histogram", 1, 128)
    c.buffer("in", "in", "u8", b); c.buffer("out", "by_atomics", "u32", count=64); c.buffer("out", "by_sorting", "u32", count=64)
    count = np.bincount(b, minlength=64).astype(np.uint32)
    c.want("by_atomics", "u32", count); c.want("by_sorting", "u32", count)
    heads, values = (r.random(128) < 0.15).astype(np.int32), r.integers(-64, 64, 128) / 8
    want, sum = [], 0.0
    for h, v in zip(heads, values):
        sum = v if h else sum + v
        want.append(sum)
    c.launch("segments", 1, 128)
    c.buffer("in", "heads", "i32", heads); c.buffer("in", "values", "f64", values); c.buffer("out", "out", "f64", count=128)
    c.want("out", "f64", np.array(want))
    v = r.integers(-99, 99, 128).astype(np.int32)
    c.launch("warps", 1, 128)
    c.buffer("in", "in", "i32", v); c.buffer("out", "sums", "i32", count=8); c.buffer("out", "scans", "i32", count=128)
    c.want("sums", "i32", v.reshape(8, 16).sum(1).astype(np.int32)); c.want("scans", "i32", v.reshape(4, 32).cumsum(1).astype(np.int32))


def ackermann(m, n):
    return n + 1 if m == 0 else ackermann(m - 1, 1 if n == 0 else ackermann(m, n - 1))


# What links to the system's functions is not assembled by itself.
@source()
def system(c):
    v = np.array([5, -3, 1000], np.int32)
    c.launch("prints", 3, 32)
    c.buffer("in", "in", "i32", v)
    c.lines += [f"WANT: prints block {i}: {n} {n / 4:5.2f} text 1234567890 x%" for i, n in enumerate(v)]
    c.launch("lists", 1, 32)
    c.buffer("out", "out", "i32", count=32); c.scalar("i32", 5)
    c.want("out", "i32", np.array([sum((place + 1) * (4 - place) * t for place in range(5)) + 100 * t for t in range(32)], np.int32))
    c.launch("asserts", 1, 32)
    c.buffer("in", "in", "i32", np.where(np.arange(32) == 7, -1, 1).astype(np.int32))
    c.lines.append("WANT: fault X0202 in[threadIdx.x] >= 0")
    value = 0
    for _ in range(16):
        value = value * 3 + 1
    c.launch("spin", 1, 16)
    c.buffer("inout", "lock", "i32", np.zeros(1, np.int32)); c.buffer("inout", "count", "i32", np.zeros(1, np.int32))
    c.want("lock", "i32", np.zeros(1, np.int32)); c.want("count", "i32", wrap([value]))
    x = rng("pipeline").integers(-50, 50, (7, 32)).astype(np.int32)
    c.launch("pipeline", 1, 64)
    c.buffer("in", "in", "i32", x); c.buffer("out", "out", "i32", count=32); c.scalar("i32", 7)
    c.want("out", "i32", (2 * x.sum(0))[::-1].astype(np.int32))
    v = np.arange(32, dtype=np.int32)
    c.launch("virtuals", 1, 32)
    c.buffer("in", "in", "i32", v); c.buffer("out", "out", "i32", count=32); c.want("out", "i32", np.where(v % 2, v * v, v * (v + 1)).astype(np.int32))
    c.launch("recursion", 1, 24)
    c.buffer("out", "out", "i32", count=24); c.want("out", "i32", np.array([ackermann(t % 3, t // 3) for t in range(24)], np.int32))


@source()
def matrices(c):
    r = rng("matrices")
    eighths = lambda shape: r.integers(-16, 17, shape) / 8
    a, b = eighths((32, 48)), eighths((48, 32))
    c.launch("wmma_halves", 1, 128)
    c.buffer("in", "a", "f16", a.astype(np.float16)); c.buffer("in", "b", "f16", b.T.astype(np.float16)); c.buffer("out", "out", "f32", count=1024)
    c.want("out", "f32", np.maximum(a @ b, 0).astype(np.float32))
    a, b = r.integers(-128, 128, (8, 16)), r.integers(-128, 128, (16, 32))
    c.launch("wmma_bytes", 1, 32)
    c.buffer("in", "a", "i8", a.astype(np.int8)); c.buffer("in", "b", "i8", b.astype(np.int8)); c.buffer("out", "out", "i32", count=256)
    c.want("out", "i32", (a @ b + 5).T.astype(np.int32))
    a, b = eighths((64, 64)), eighths((64, 64))
    c.launch("staged", 1, 128)
    c.buffer("in", "a", "bf16", bf16(a)); c.buffer("in", "b", "bf16", bf16(b)); c.buffer("out", "out", "f32", count=4096)
    c.want("out", "f32", (a @ b).astype(np.float32))


@source()
def libcudacxx(c):
    r = rng("libcudacxx")
    v = r.integers(-9, 9, 64)
    out = v.copy()
    for _ in range(4):
        out = out + np.roll(out, -1)
    c.launch("barriers", 1, 64)
    c.buffer("in", "in", "i32", v.astype(np.int32)); c.buffer("out", "out", "i32", count=64); c.scalar("i32", 4)
    c.want("out", "i32", wrap(out))
    v = r.integers(-999, 999, 256)
    c.launch("copies", 1, 64)
    c.buffer("in", "in", "i32", v.astype(np.int32)); c.buffer("out", "out", "i32", count=64)
    c.want("out", "i32", (v[::-1][:64] + v[128:192]).astype(np.int32))
    v = r.integers(-99, 99, (5, 64))
    c.launch("pipelined", 1, 64)
    c.buffer("in", "in", "i32", v.astype(np.int32)); c.buffer("out", "out", "i32", count=64); c.scalar("i32", 5)
    c.want("out", "i32", (v[:, np.arange(64) * 7 % 64] * np.arange(1, 6)[:, None]).sum(0).astype(np.int32))
    v = r.integers(0, 2 ** 32, 128).astype(np.uint32)
    c.launch("atomics", 2, 64)
    c.buffer("in", "in", "u32", v); c.buffer("inout", "most", "u32", np.zeros(1, np.uint32))
    c.buffer("inout", "sum", "i64", np.zeros(1, np.int64)); c.buffer("inout", "order", "i32", np.zeros(129, np.int32))
    c.want("most", "u32", v.max(keepdims=True)); c.want("sum", "i64", v.astype(np.int64).sum(keepdims=True))
    c.want("order", "i32", np.array([128] + [1] * 128, np.int32))
    re, im = (r.integers(-32, 32, (2, 32)) / 4).astype(np.float32)
    re[0], re[1], im[1] = 0, -0.0, 1
    im[0] = 2
    z, w = re + 1j * im.astype(complex), 0.5 - 0.25j
    q = z / w
    c.launch("values", 1, 32)
    c.buffer("in", "re", "f32", re); c.buffer("in", "im", "f32", im); c.buffer("out", "out", "f32", count=128); c.buffer("out", "bits", "u32", count=32)
    c.want("out", "f32", np.stack([(z * w).real, (z * w).imag, abs(z) ** 2, q.real], 1).astype(np.float32), rtol=1e-6, atol=1e-6)
    rotated = lambda u: (u << 5 | u >> 27) & 3
    c.want("bits", "u32", np.array([bin(u).count("1") * 1000 + (32 - u.bit_length() if u else 99) + 100000 * rotated(u) for u in re.view(np.uint32).tolist()], np.uint32))


def signed(v, bits=32):
    return (v & (1 << bits) - 1) - (1 << bits) * (v >> (bits - 1) & 1)


def parts(v, bits):
    return [v >> at & (1 << bits) - 1 for at in range(0, 32, bits)]


def joined(values, bits):
    return sum((v & (1 << bits) - 1) << (n * bits) for n, v in enumerate(values))


@source()
def intrinsics(c):
    r = rng("intrinsics")
    a, b = r.integers(0, 2 ** 32, 32).tolist(), r.integers(0, 2 ** 32, 32).tolist()
    rows = []
    for x, y in zip(a, b):
        bytes_ = parts(x, 8) + parts(y, 8)
        per = lambda f, bits: joined([f(p, q) for p, q in zip(parts(x, bits), parts(y, bits))], bits)
        shift = y & 31
        dot = sum(signed(p, 8) * signed(q, 8) for p, q in zip(parts(x, 8), parts(y, 8)))
        rows.append([int(format(x, "032b")[::-1], 2), 32 - x.bit_length(), joined([bytes_[0], bytes_[4], bytes_[1], bytes_[5]], 8),
                     ((y << 32 | x) << shift >> 32) & 0xFFFFFFFF, x * y >> 32, per(lambda p, q: p + q, 8),
                     per(lambda p, q: max(signed(p, 16), signed(q, 16)), 16), per(lambda p, q: (p + q + 1) // 2, 8), dot + 7, abs(x - y) + 3,
                     max(signed(signed(x) + signed(y)), -5), min(signed(x), signed(y), 100)])
    c.launch("integers", 1, 32)
    c.buffer("in", "a", "u32", np.array(a, np.uint32)); c.buffer("in", "b", "u32", np.array(b, np.uint32)); c.buffer("out", "out", "u32", count=384); c.scalar("i32", 32)
    c.want("out", "u32", np.array([[v & 0xFFFFFFFF for v in row] for row in rows], np.uint32).T)

    x, y = (r.integers(-28, 29, (2, 32)) / 4).astype(np.float32)
    half = lambda v: v.astype(np.float16).astype(float)
    near = lambda table, v: np.array([table[code] for code in nearest(table, v)])
    low, high = x.astype(float), y.astype(float)
    c.launch("halves", 1, 32)
    c.buffer("in", "a", "f32", x); c.buffer("in", "b", "f32", y); c.buffer("out", "out", "f32", count=256); c.scalar("i32", 32)
    want = [half(low * high + low), half(high * 0.5 + high), from_bf16(bf16(low * low)), np.maximum(high, from_bf16(bf16(high * high))),
            near(E4M3, x), near(E5M2, y), abs(low), np.clip(half(low + high), 0, 1)]
    c.want("out", "f32", np.array(want, np.float32))

    x, y = r.uniform(-100, 100, (2, 32)).astype(np.float32)
    c.launch("directed", 1, 32)
    c.buffer("in", "a", "f32", x); c.buffer("in", "b", "f32", y); c.buffer("out", "out", "f32", count=256); c.scalar("i32", 32)
    from fractions import Fraction as F
    def rounded(value, way):
        """An exact number as a float32: up, down or to zero."""
        near = np.float32(float(value))
        way = way if way != "z" else ("d" if value > 0 else "u")
        if way == "u" and F(float(near)) < value:
            near = np.nextafter(near, np.float32(np.inf))
        if way == "d" and F(float(near)) > value:
            near = np.nextafter(near, np.float32(-np.inf))
        # The nearest number may be two steps away from the way's, where it was rounded twice.
        return near
    rows = []
    for i, (u, v) in enumerate(zip(x, y)):
        p, q = F(float(u)), F(float(v))
        square = np.float32(u * u)
        root = np.float32(math.sqrt(float(square)))
        if F(float(root)) ** 2 < F(float(square)):
            root = np.nextafter(root, np.float32(np.inf))
        flipped = np.array([np.float32(u)]).view(np.int32) ^ 1
        rows.append([rounded(p + q, "u"), rounded(p * q, "d"), rounded(p / q, "z"), root, rounded(p * q + 1, "z"), np.float32(math.floor(p)),
                     flipped.view(np.float32)[0], rounded(F((i + 1) * 0x123456789), "z")])
    c.want("out", "f32", np.array(rows, np.float32).T)


@source(targets=("90a", "100a", "120a"))
def clusters(c):
    r = rng("clusters")
    x = r.integers(-100, 100, (2, 4, 64)).astype(np.int32)
    c.launch("reduction", 8, 64, cluster=4)
    c.buffer("in", "in", "i32", x); c.buffer("inout", "out", "i32", np.zeros(2, np.int32))
    c.want("out", "i32", (x.sum(2) * np.arange(1, 5)).sum(1).astype(np.int32))
    v = r.integers(0, 80, 8 * 32).astype(np.int32)
    c.launch("histogram", 8, 32, cluster=2, shared=160)
    c.buffer("in", "in", "i32", v); c.buffer("inout", "out", "i32", np.zeros(80, np.int32)); c.scalar("i32", 40)
    c.want("out", "i32", np.bincount(v, minlength=80).astype(np.int32))
    box = np.array([[rank * 100 + t for t in range(32)] for rank in range(4)])
    for _ in range(5):
        box = np.roll(box, 1, axis=0)[:, ::-1] + 1
    # A grid of 2 x 4 blocks has two clusters of 2 x 2.
    c.launch("ring", "2,4", 32, cluster="2,2")
    c.buffer("out", "out", "i32", count=256); c.scalar("i32", 5)
    c.want("out", "i32", np.concatenate([box, box]).astype(np.int32))


@source(targets=("90a", "100a", "120a"))
def wrappers(c):
    x = rng("wrappers").integers(-999, 999, 256)
    c.launch("bulk", 1, 256)
    c.buffer("in", "in", "i32", x.astype(np.int32)); c.buffer("out", "out", "i32", count=256)
    c.want("out", "i32", (2 * x + np.arange(256)).astype(np.int32))
    t, b = np.arange(64), np.arange(5)[:, None]
    c.launch("reduction", 5, 64)
    c.buffer("inout", "out", "i32", np.full(64, 7, np.int32)); c.buffer("inout", "most", "u32", np.zeros(64, np.uint32))
    c.want("out", "i32", (7 + (t * (b + 1)).sum(0)).astype(np.int32)); c.want("most", "u32", ((t * 37 + b * 11) % 64).max(0).astype(np.uint32))
    c.launch("stores", 4, 64, cluster=2)
    c.buffer("out", "out", "i32", count=256)
    c.want("out", "i32", np.array([(block % 2 ^ 1) * 1000 + 63 - i for block in range(4) for i in range(64)], np.int32))


@source()
def grids(c):
    a = rng("grids").integers(-9, 9, 6 * 64)
    c.launch("rounds", 6, 64, cooperative="yes")
    c.buffer("inout", "a", "i32", a.astype(np.int32)); c.buffer("inout", "b", "i32", np.zeros(384, np.int32)); c.scalar("i32", 3)
    steps = [a]
    for _ in range(3):
        steps.append(steps[-1] + np.roll(steps[-1], -1))
    c.want("a", "i32", wrap(steps[2])); c.want("b", "i32", wrap(steps[3]))


# These kernels take textures, which tests/textures.rs makes.
@source(roundtrip=False)
def textures(c):
    pass


def main():
    chosen = [word for word in sys.argv[1:] if not word.startswith("-")]
    nvcc = os.environ.get("NVCC", os.path.join(HERE, *[os.pardir] * 3, ".oracle", "bin", "nvcc"))
    made = {}
    for name, this in SOURCES.items():
        if chosen and name not in chosen:
            continue
        made.update(this.files)
        runs = ["// RUN: parse"] + (["// RUN: exec"] if this.lines else []) + (["// RUN: roundtrip -O0 -O2"] if this.roundtrip else [])
        head = "\n".join(runs + [f"// {line}" for line in this.lines]) + "\n" + END
        for target in this.targets:
            path = f"{name}.sm_{target}.ptx"
            if "--compile" in sys.argv:
                with tempfile.NamedTemporaryFile("r", suffix=".ptx") as output:
                    command = [nvcc, "-std=c++17", "-ptx", f"-arch=sm_{target}", os.path.join(HERE, name + ".cu"), "-o", output.name]
                    subprocess.run(command, check=True)
                    code = open(output.name).read()
            else:
                text = open(os.path.join(HERE, path)).read()
                code = text[text.index(END) + len(END):]
            made[path] = (head + code).encode()
    settle(HERE, made, "--write" in sys.argv or "--compile" in sys.argv)


if __name__ == "__main__":
    main()
