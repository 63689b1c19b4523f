#!/usr/bin/env python3
"""Kernels in the manner of common GPU benchmarks, for `cargo xtask opt-report`: CUDA C++ of the project, each with a launch whose inner loops have at least 16 trips.

    kernels.py            check that the directives and the expected values are what this script makes
    kernels.py --write    write them
    kernels.py --compile [NAME ..]  compile the sources with `nvcc -O3` (NVCC, or .oracle/bin/nvcc), and write them
    kernels.py --clang [NAME ..]    compile the sources with clang 22 (CLANG) and CUDA's headers (CUDA_PATH, or those of .oracle) to LLVM IR

NAME.cu is compiled to NAME.ptx, and to test-suite/clang/O0/NAME.ll and O3/NAME.ll, for sm_80. A function `NAME` here gives its launch, and computes what it leaves from the definition of the kernel with NumPy.
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
KERNELS = {}
NEAR = dict(rtol=1e-4, atol=1e-5)


class Kernel(Case):
    def __init__(self, name):
        super().__init__(name)
        self.random = rng(name)

    def launch(self, grid=1, block=64, **more):
        extra = "".join(f" {key}={value}" for key, value in more.items())
        self.lines.append(f"LAUNCH: entry={self.name} grid={grid} block={block}{extra}")

    def reals(self, *shape, low=-1.0, high=1.0, ty=np.float32):
        return self.random.uniform(low, high, shape).astype(ty)

    def into(self, name, ty, data):
        self.buffer("in", name, ty, data)

    def out(self, name, ty, data, **judgement):
        """A buffer that the kernel fills."""
        self.buffer("out", name, ty, count=np.asarray(data).size)
        self.waiting.append((name, ty, data, judgement))

    def update(self, name, ty, before, data, **judgement):
        """A buffer that the kernel changes."""
        self.buffer("inout", name, ty, before)
        self.waiting.append((name, ty, data, judgement))

    def scalars(self, ty, *values):
        for value in values:
            self.scalar(ty, value)


def kernel(function):
    this = Kernel(function.__name__)
    this.waiting = []
    function(this)
    # Expectations follow the arguments.
    for name, ty, data, judgement in this.waiting:
        dtype = {"i32": np.int32, "u32": np.uint32, "f32": np.float32, "f64": np.float64, "i8": np.int8}[ty]
        this.want(name, ty, np.asarray(data).astype(dtype), **judgement)
    KERNELS[function.__name__] = this


@kernel
def stencil1d(c):
    x = c.random.integers(-1000, 1000, 500).astype(np.int32)
    c.launch(4, 128); c.into("in", "i32", x)
    c.out("out", "i32", np.convolve(x.astype(np.int64), np.ones(33, np.int64), "same")); c.scalar("i32", 500)


@kernel
def heat2d(c):
    width, height, k = 45, 50, 0.125
    u = c.reals(height, width)
    p = np.pad(u.astype(float), 1, "edge")
    c.launch(2, 64); c.into("in", "f32", u)
    c.out("out", "f32", u + k * (p[1:-1, :-2] + p[1:-1, 2:] + p[:-2, 1:-1] + p[2:, 1:-1] - 4 * u), **NEAR)
    c.scalars("i32", width, height); c.scalar("f32", k)


@kernel
def conv1d(c):
    x, w = c.reals(300), c.reals(31)
    c.launch(3, 128); c.into("in", "f32", x); c.into("weights", "f32", w)
    c.out("out", "f32", np.correlate(x.astype(float), w.astype(float), "same"), **NEAR); c.scalars("i32", 300, 31)


@kernel
def conv2d(c):
    x, w = c.reals(20, 30), c.reals(17, 17)
    p = np.pad(x.astype(float), 8, "edge")
    want = sum(p[j:j + 20, i:i + 30] * w[j, i] for j in range(17) for i in range(17))
    c.launch("2,3", "16,8"); c.into("in", "f32", x); c.into("weights", "f32", w); c.out("out", "f32", want, **NEAR)
    c.scalars("i32", 30, 20, 17)


@kernel
def bilateral(c):
    x, n, radius, space, reach = c.reals(200), 200, 12, 0.02, 1.5
    want = []
    for i in range(n):
        j = np.arange(max(i - radius, 0), min(i + radius, n - 1) + 1)
        w = np.exp(-((j - i) ** 2) * space - (x[j].astype(float) - x[i]) ** 2 * reach)
        want.append((w * x[j]).sum() / w.sum())
    c.launch(2, 128); c.into("in", "f32", x); c.out("out", "f32", want, **NEAR)
    c.scalars("i32", n, radius); c.scalars("f32", space, reach)


@kernel
def maxpool(c):
    x = c.reals(48, 60)
    want = [[x[4 * r:4 * r + 16, 4 * q:4 * q + 16].max() for q in range(12)] for r in range(9)]
    c.launch("2,2", "8,8"); c.into("in", "f32", x); c.out("out", "f32", want); c.scalars("i32", 60, 48, 16, 4)


@kernel
def softmax(c):
    x = c.reals(4, 1100, low=-4, high=4)
    e = np.exp(x.astype(float) - x.max(1, keepdims=True))
    c.launch(4, 64); c.into("in", "f32", x); c.out("out", "f32", e / e.sum(1, keepdims=True), **NEAR); c.scalar("i32", 1100)


@kernel
def rmsnorm(c):
    x, w = c.reals(3, 2100), c.reals(2100)
    scale = 1 / np.sqrt((x.astype(float) ** 2).mean(1, keepdims=True) + 1e-5)
    c.launch(3, 128); c.into("in", "f32", x); c.into("weights", "f32", w); c.out("out", "f32", x * scale * w, **NEAR)
    c.scalar("i32", 2100); c.scalar("f32", 1e-5)


@kernel
def layernorm(c):
    x, g, b = c.reals(6, 640), c.reals(640), c.reals(640)
    d = x.astype(float)
    want = (d - d.mean(1, keepdims=True)) / np.sqrt(d.var(1, keepdims=True) + 1e-5) * g + b
    c.launch(2, 128); c.into("in", "f32", x); c.into("gain", "f32", g); c.into("bias", "f32", b)
    c.out("out", "f32", want, **NEAR); c.scalars("i32", 6, 640)


@kernel
def cross_entropy(c):
    x, label = c.reals(7, 600, low=-5, high=5), c.random.integers(0, 600, 7).astype(np.int32)
    d = x.astype(float)
    want = np.log(np.exp(d).sum(1)) - d[np.arange(7), label]
    c.launch(2, 128); c.into("logits", "f32", x); c.into("labels", "i32", label); c.out("loss", "f32", want, **NEAR)
    c.scalars("i32", 7, 600)


@kernel
def adam(c):
    n, steps, rate, b1, b2, epsilon = 200, 20, 0.01, 0.9, 0.99, 1e-6
    p, m, v, g = c.reals(n), c.reals(n, low=0), c.reals(n, low=0.1), c.reals(n)
    q, r, s = p.astype(float), m.astype(float), v.astype(float)
    for t in range(1, steps + 1):
        r = b1 * r + (1 - b1) * g; s = b2 * s + (1 - b2) * g * g
        q = q - rate * (r / (1 - b1 ** t)) / (np.sqrt(s / (1 - b2 ** t)) + epsilon)
    near = dict(rtol=1e-3, atol=1e-4)
    c.launch(2, 128); c.update("p", "f32", p, q, **near); c.update("m", "f32", m, r, **near); c.update("v", "f32", v, s, **near)
    c.into("g", "f32", g); c.scalars("i32", n, steps); c.scalars("f32", rate, b1, b2, epsilon)


@kernel
def quantize(c):
    x = c.reals(6, 544)
    scale = abs(x).max(1) / np.float32(127)
    c.launch(2, 128); c.into("in", "f32", x); c.out("out", "i8", np.rint(x / scale[:, None])); c.out("scales", "f32", scale, rtol=1e-6)
    c.scalars("i32", 6, 544)


@kernel
def buckets(c):
    x = c.random.integers(0, 1 << 32, 2500, dtype=np.uint64).astype(np.uint32)
    want = np.bincount(x.view(np.uint8) >> 2, minlength=64)
    c.launch(2, 64); c.into("in", "u32", x); c.update("out", "u32", np.zeros(64, np.uint32), want); c.scalar("i32", 2500)


@kernel
def rounds(c):
    n, mask = 100, 0xFFFFFFFF
    x = c.random.integers(0, 1 << 32, n, dtype=np.uint64).astype(np.uint32)
    turns = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
    want = []
    for at in range(n):
        a, b, c_, d = 0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476
        for i in range(64):
            f, k = [((b & c_) | (~b & d), i), ((d & b) | (~d & c_), 5 * i + 1), (b ^ c_ ^ d, 3 * i + 5), (c_ ^ (b | ~d & mask), 7 * i)][i // 16]
            total, turn = (a + f + int(x[(at + k) % n]) + i * 0x9E3779B9) & mask, turns[i // 16 * 4 + i % 4]
            a, d, c_, b = d, c_, b, (b + (total << turn | total >> (32 - turn))) & mask
        want += [a, b, c_, d]
    c.launch(2, 64); c.into("in", "u32", x); c.out("out", "u32", np.array(want, np.uint64)); c.scalar("i32", n)


@kernel
def julia(c):
    f = np.float32
    want = np.zeros((24, 24), int)
    for y in range(24):
        for x in range(24):
            re, im, steps = f(x) * f(0.125) - f(1.5), f(y) * f(0.125) - f(1.5), 0
            while steps < 60 and re * re + im * im <= f(4):
                re, im, steps = re * re - im * im + f(-0.75), f(2) * re * im + f(0.125), steps + 1
            want[y, x] = steps
    c.launch("3,3", "8,8"); c.out("out", "i32", want); c.scalars("i32", 24, 24); c.scalars("f32", -0.75, 0.125); c.scalar("i32", 60)


@kernel
def nearest(c):
    p, q = c.reals(100, 3), c.reals(80, 3)
    distance = ((p[:, None].astype(float) - q[None]) ** 2).sum(2)
    c.launch(2, 64); c.into("points", "f32", p); c.into("others", "f32", q); c.out("out", "i32", distance.argmin(1)); c.scalars("i32", 100, 80)


@kernel
def bfs_step(c):
    n = 200
    degree = c.random.integers(16, 40, n)
    starts = np.concatenate([[0], degree.cumsum()]).astype(np.int32)
    to = c.random.integers(0, n, starts[-1]).astype(np.int32)
    levels = np.where(c.random.random(n) < 0.3, 2, np.where(c.random.random(n) < 0.4, 1, -1)).astype(np.int32)
    want = levels.copy()
    for at in np.where(levels == 2)[0]:
        for e in to[starts[at]:starts[at + 1]]:
            want[e] = 3 if levels[e] < 0 else levels[e]
    c.launch(2, 128); c.into("starts", "i32", starts); c.into("neighbours", "i32", to); c.update("levels", "i32", levels, want)
    c.update("changed", "i32", np.zeros(1, np.int32), [1]); c.scalars("i32", n, 2)


@kernel
def spmv_ell(c):
    rows, width = 100, 24
    columns = np.where(c.random.random((width, rows)) < 0.2, -1, c.random.integers(0, rows, (width, rows))).astype(np.int32)
    values, x = c.reals(width, rows, ty=np.float64), c.reals(rows, ty=np.float64)
    want = (np.where(columns >= 0, values * x[columns], 0)).sum(0)
    c.launch(2, 64); c.into("columns", "i32", columns); c.into("values", "f64", values); c.into("x", "f64", x)
    c.out("y", "f64", want, rtol=1e-12, atol=1e-12); c.scalars("i32", rows, width)


@kernel
def scan16(c):
    x = c.random.integers(-100, 100, (2, 64 * 16)).astype(np.int32)
    c.launch(2, 64); c.into("in", "i32", x); c.out("out", "i32", x.cumsum(1))


@kernel
def sort_shared(c):
    x = c.random.integers(-10000, 10000, (2, 512)).astype(np.int32)
    c.launch(2, 64, shared=2048); c.update("data", "i32", x, np.sort(x, 1)); c.scalar("i32", 512)


@kernel
def binomial(c):
    steps, spot, up, p, discount = 48, 100.0, 1.03, 0.51, 0.999
    strikes = c.reals(3, low=80, high=120)
    want = []
    for strike in strikes.astype(float):
        v = np.maximum(spot * up ** (2.0 * np.arange(steps + 1) - steps) - strike, 0)
        for _ in range(steps):
            v = discount * (p * v[1:] + (1 - p) * v[:-1])
        want.append(v[0])
    c.launch(3, 64); c.into("strikes", "f32", strikes); c.out("prices", "f32", want, rtol=1e-3, atol=1e-3)
    c.scalar("i32", steps); c.scalars("f32", spot, up, p, discount)


@kernel
def fft_steps(c):
    bits, n = 9, 512
    x = c.reals(2, n, 2)
    roots = np.exp(-2j * np.pi * np.arange(n // 2) / n)
    want = np.fft.fft(x[..., 0].astype(float) + 1j * x[..., 1])
    pairs = lambda z: np.stack([z.real, z.imag], -1).astype(np.float32)
    c.launch(2, 16, shared=4096); c.into("in", "f32", x); c.into("roots", "f32", pairs(roots)); c.out("out", "f32", pairs(want), rtol=1e-3, atol=1e-3)
    c.scalar("i32", bits)


@kernel
def haversine(c):
    n, threads = 2300, 128
    p = c.reals(n, 4)
    a = np.sin((p[:, 2] - p[:, 0].astype(float)) / 2) ** 2 + np.cos(p[:, 0].astype(float)) * np.cos(p[:, 2].astype(float)) * np.sin((p[:, 3] - p[:, 1].astype(float)) / 2) ** 2
    d = 2 * np.arcsin(np.minimum(np.sqrt(a), 1))
    c.launch(2, 64); c.into("pairs", "f32", p); c.out("out", "f32", [d[i::threads].max() for i in range(threads)], rtol=1e-3, atol=1e-3); c.scalar("i32", n)


@kernel
def transpose_pad(c):
    x = c.reals(50, 70)
    c.launch("3,2", "32,2"); c.into("in", "f32", x); c.out("out", "f32", x.T); c.scalars("i32", 70, 50)


@kernel
def gemm_tile(c):
    m, n, k = 40, 24, 50
    a, b, d = c.reals(m, k), c.reals(k, n), c.reals(m, n)
    c.launch("2,2", "16,16"); c.into("a", "f32", a); c.into("b", "f32", b)
    c.update("c", "f32", d, 1.5 * (a.astype(float) @ b) + 0.5 * d, **NEAR); c.scalars("i32", m, n, k); c.scalars("f32", 1.5, 0.5)


@kernel
def lu_step(c):
    n, k = 80, 5
    a = c.reals(n, n) + 2 * np.eye(n, dtype=np.float32)
    want = a.astype(float)
    want[k + 1:, k] /= want[k, k]
    want[k + 1:, k + 1:] -= np.outer(want[k + 1:, k], want[k, k + 1:])
    c.launch(2, 64); c.update("a", "f32", a, want, rtol=1e-3, atol=1e-4); c.scalars("i32", n, k)


@kernel
def floyd(c):
    n = 16
    d = c.random.integers(1, 1000, (2, n, n)).astype(np.int32)
    want = d.copy()
    for k in range(n):
        want = np.minimum(want, want[:, :, k:k + 1] + want[:, k:k + 1, :])
    c.launch(2, "16,16", shared=1024); c.update("distances", "i32", d, want); c.scalar("i32", n)


@kernel
def interval_search(c):
    borders = np.sort(c.random.integers(0, 1 << 32, 3000, dtype=np.uint64)).astype(np.uint32)
    keys = c.random.integers(0, 1 << 32, 2100, dtype=np.uint64).astype(np.uint32)
    c.launch(2, 64); c.into("borders", "u32", borders); c.into("keys", "u32", keys)
    c.out("out", "i32", np.searchsorted(borders, keys, "right")); c.scalars("i32", 3000, 2100)


@kernel
def idw(c):
    n, count, power = 60, 90, 1.5
    x, y, v, at = c.reals(n), c.reals(n), c.reals(n), c.reals(count, 2)
    w = ((at[:, :1].astype(float) - x) ** 2 + (at[:, 1:].astype(float) - y) ** 2 + 0.01) ** -power
    c.launch(2, 64)
    for name, data in (("x", x), ("y", y), ("value", v), ("at", at)):
        c.into(name, "f32", data)
    c.out("out", "f32", (w * v).sum(1) / w.sum(1), rtol=1e-3, atol=1e-4); c.scalars("i32", n, count); c.scalar("f32", power)


@kernel
def lennard_jones(c):
    n, bound = 100, 6.0
    # Places on a grid, moved a little, so that no two are near enough for rounding to matter.
    grid = np.stack(np.meshgrid(*[np.arange(5)] * 3), -1).reshape(-1, 3)[:n]
    p = np.concatenate([grid * 1.2 + c.reals(n, 3, low=-0.1, high=0.1), np.zeros((n, 1))], 1).astype(np.float32)
    d = p[:, None, :3].astype(float) - p[None, :, :3]
    square = (d ** 2).sum(2) + np.eye(n) * 100
    near = square < bound
    six = np.where(near, 1 / square ** 3, 0)
    force = (2 * six - 1) * six / square * 24
    want = np.concatenate([(force[..., None] * d).sum(1), (4 * six * (six - 1)).sum(1)[:, None]], 1)
    c.launch(2, 64); c.into("places", "f32", p); c.out("forces", "f32", want, rtol=1e-3, atol=1e-2); c.scalar("i32", n); c.scalar("f32", bound)


@kernel
def circle(c):
    trips, mask = 40, 0xFFFFFFFF
    hits = 0
    for at in range(128):
        state = (at * 2654435761 + 12345) & mask
        for _ in range(trips):
            xy = []
            for _ in range(2):
                state ^= state << 13 & mask; state ^= state >> 17; state ^= state << 5 & mask
                xy.append(state & 0xFFFF)
            hits += (xy[0] ** 2 >> 1) + (xy[1] ** 2 >> 1) < 0x7FFF0000
    c.launch(2, 64); c.update("hits", "u32", np.zeros(1, np.uint32), [hits]); c.scalar("i32", trips)


ROOT = os.path.join(HERE, *[os.pardir] * 3)


def clang(name):
    """LLVM IR for a source, at two levels."""
    compiler = os.environ.get("CLANG", "clang-22")
    cuda = os.environ.get("CUDA_PATH", os.path.join(ROOT, ".oracle", "python", "nvidia", "cu13"))
    with tempfile.TemporaryDirectory() as folder:
        # clang's wrapper includes a header of cuRAND, which is not with the compiler.
        open(os.path.join(folder, "curand_mtgp32_kernel.h"), "w").close()
        options = ["-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_80", f"--cuda-path={cuda}", "-I", folder,
                   "-Wno-unknown-cuda-version", "-S", "-emit-llvm", "-o", "-", name + ".cu"]
        for level in ("O0", "O3"):
            run = subprocess.run([compiler, f"-{level}", *options], cwd=HERE, check=True, capture_output=True)
            yield os.path.join(os.pardir, os.pardir, "clang", level, name + ".ll"), run.stdout


def main():
    chosen = [word for word in sys.argv[1:] if not word.startswith("-")]
    nvcc = os.environ.get("NVCC", os.path.join(ROOT, ".oracle", "bin", "nvcc"))
    made = {}
    for name, this in KERNELS.items():
        if chosen and name not in chosen:
            continue
        if "--clang" in sys.argv:
            made.update(clang(name))
            continue
        made.update(this.files)
        runs = ["// RUN: parse", "// RUN: exec", "// RUN: roundtrip -O0 -O2"]
        head = "\n".join(runs + [f"// {line}" for line in this.lines]) + "\n" + END
        if "--compile" in sys.argv:
            with tempfile.NamedTemporaryFile("r", suffix=".ptx") as output:
                command = [nvcc, "-std=c++17", "-O3", "-ptx", "-arch=sm_80", os.path.join(HERE, name + ".cu"), "-o", output.name]
                subprocess.run(command, check=True)
                code = open(output.name).read()
        else:
            text = open(os.path.join(HERE, name + ".ptx")).read()
            code = text[text.index(END) + len(END):]
        made[name + ".ptx"] = (head + code).encode()
    settle(HERE, made, any(word in sys.argv for word in ("--write", "--compile", "--clang")))


if __name__ == "__main__":
    main()
