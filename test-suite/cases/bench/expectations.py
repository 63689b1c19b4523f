#!/usr/bin/env python3
"""Writes the directive head and the expected values of the benchmark kernels, independently of ptx-llvm.

    expectations.py            check that every file here is what this script writes
    expectations.py --write    write them

Every kernel of this folder is a CUDA source (NAME.cu), the PTX that nvcc -arch=sm_80 -ptx made of it (NAME.ptx, with
the directives in front) and expected values (NAME.BUFFER.bin, raw little-endian).  The values follow from the CUDA
source by way of NumPy in double precision (or exact integers), so they know nothing of the interpreter they judge.
The inputs are counter-based hashes, which the runner computes by the same formula.
"""
import hashlib
import os
import sys

import numpy as np

np.seterr(over="ignore")
HERE = os.path.dirname(os.path.abspath(__file__))
U = np.uint32


def hash_u32(count, seed):
    h = np.arange(count, dtype=U) * U(0x9E3779B9) + U((seed * 0x85EBCA6B) & 0xFFFFFFFF)
    h ^= h >> U(16)
    h *= U(0x7FEB352D)
    h ^= h >> U(15)
    h *= U(0x846CA68B)
    return h ^ (h >> U(16))


def hash_f32(count, seed, lo, hi):
    unit = (hash_u32(count, seed) >> U(8)).astype(np.float32) * np.float32(2.0**-24)
    return np.float32(lo) + np.float32(hi - lo) * unit


def mod_u32(count, seed, mod):
    h = hash_u32(count, seed)
    return h % U(mod) if mod else h


def row_starts(count, seed, mod):
    return np.concatenate([[0], np.cumsum(1 + mod_u32(count - 1, seed, mod))]).astype(np.int32)


# One kernel: grid, block, the ARG lines, and the expected buffers {name: (values, judgement)}.
KERNELS = {}


def kernel(function):
    KERNELS[function.__name__] = function()
    return function


@kernel
def saxpy():
    n = 5000
    x, y = hash_f32(n, 1, 0, 1).astype(float), hash_f32(n, 2, 0, 1).astype(float)
    out = (1.0009765625 * x + y).astype(np.float32)
    args = [f"i32 = {n}", "f32 = 1.0009765625", f"in x f32[{n}] = hash_f32(1, 0, 1)", f"inout y f32[{n}] = hash_f32(2, 0, 1)"]
    return "20", "256", args, {"y": (out, "rtol=1e-6")}


@kernel
def stencil2d():
    w, h = 70, 37
    a = hash_f32(w * h, 1, 0, 1).astype(float).reshape(h, w)
    o = a.copy()
    o[1:-1, 1:-1] = 0.5 * a[1:-1, 1:-1] + 0.125 * (a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1])
    args = [f"i32 = {w}", f"i32 = {h}", f"in in f32[{w*h}] = hash_f32(1, 0, 1)", f"out out f32[{w*h}]"]
    return "3,5", "32,8", args, {"out": (o.astype(np.float32), "rtol=1e-5")}


def matmul(n, grid, block):
    a, b = (hash_f32(n * n, s, -1, 1).astype(float).reshape(n, n) for s in (1, 2))
    args = [f"i32 = {n}", f"in a f32[{n*n}] = hash_f32(1, -1, 1)", f"in b f32[{n*n}] = hash_f32(2, -1, 1)", f"out c f32[{n*n}]"]
    return grid, block, args, {"c": ((a @ b).astype(np.float32), "rtol=1e-4 atol=1e-4")}


@kernel
def matmul_naive():
    return matmul(40, "3,3", "16,16")


@kernel
def matmul_tiled():
    return matmul(64, "2,2", "32,32")


def reduction():
    n, blocks = 3900, 8
    v = np.zeros(blocks * 512)
    v[:n] = hash_f32(n, 1, 0, 1)
    out = v.reshape(blocks, 512).sum(axis=1).astype(np.float32)
    args = [f"i32 = {n}", f"in in f32[{n}] = hash_f32(1, 0, 1)", f"out out f32[{blocks}]"]
    return str(blocks), "256", args, {"out": (out, "rtol=1e-5")}


@kernel
def reduce_smem():
    return reduction()


@kernel
def reduce_shfl():
    return reduction()


@kernel
def scan_block():
    blocks = 3
    v = mod_u32(blocks * 512, 1, 1000).astype(np.int64).reshape(blocks, 512)
    args = [f"in in s32[{blocks*512}] = hash_u32(1, 1000)", f"out out s32[{blocks*512}]"]
    return str(blocks), "512", args, {"out": (v.cumsum(axis=1).astype(np.int32), "")}


@kernel
def transpose():
    n = 64
    v = hash_f32(n * n, 1, 0, 1).reshape(n, n)
    args = [f"i32 = {n}", f"in in f32[{n*n}] = hash_f32(1, 0, 1)", f"out out f32[{n*n}]"]
    return "2,2", "32,8", args, {"out": (v.T.copy(), "")}


@kernel
def histogram():
    n = 10000
    out = np.bincount(mod_u32(n, 1, 0) & U(255), minlength=256).astype(U)
    args = [f"i32 = {n}", f"in in u32[{n}] = hash_u32(1, 0)", "inout out u32[256] = 256*0"]
    return "4", "256", args, {"out": (out, "")}


@kernel
def nbody():
    n = 512
    p = hash_f32(4 * n, 1, -1, 1).astype(float).reshape(n, 4)
    d = p[None, :, :3] - p[:, None, :3]
    w = p[None, :, 3] * ((d**2).sum(axis=2) + 1e-3) ** -1.5
    acc = np.zeros((n, 4))
    acc[:, :3] = (d * w[:, :, None]).sum(axis=1)
    args = [f"i32 = {n}", f"in pos f32[{4*n}] = hash_f32(1, -1, 1)", f"out acc f32[{4*n}]"]
    return "2", "256", args, {"acc": (acc.astype(np.float32), "rtol=1e-3 atol=0.1")}


@kernel
def blackscholes():
    n, r, v = 1000, float(np.float32(0.02)), float(np.float32(0.3))
    s, x, t = hash_f32(n, 1, 5, 30).astype(float), hash_f32(n, 2, 1, 100).astype(float), hash_f32(n, 3, 0.25, 10).astype(float)

    def cnd(d):
        k = 1 / (1 + 0.2316419 * np.abs(d))
        poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        c = 0.39894228 * np.exp(-0.5 * d * d) * poly
        return np.where(d > 0, 1 - c, c)

    d1 = (np.log(s / x) + (r + 0.5 * v * v) * t) / (v * np.sqrt(t))
    d2 = d1 - v * np.sqrt(t)
    c1, c2, e = cnd(d1), cnd(d2), np.exp(-r * t)
    call, put = s * c1 - x * e * c2, x * e * (1 - c2) - s * (1 - c1)
    args = [f"i32 = {n}", "f32 = 0.02", "f32 = 0.3", f"in s f32[{n}] = hash_f32(1, 5, 30)", f"in x f32[{n}] = hash_f32(2, 1, 100)",
            f"in t f32[{n}] = hash_f32(3, 0.25, 10)", f"out call f32[{n}]", f"out put f32[{n}]"]
    return "4", "256", args, {"call": (call.astype(np.float32), "rtol=1e-4 atol=1e-4"), "put": (put.astype(np.float32), "rtol=1e-4 atol=1e-4")}


@kernel
def mandelbrot():
    w, h, limit = 48, 40, 64
    dx, dy = 2.75 / 48, 2.5 / 40
    dx, dy = float(np.float32(dx)), float(np.float32(dy))
    c = (-2.0 + np.arange(w) * dx)[None, :] + 1j * (-1.25 + np.arange(h) * dy)[:, None]
    z, it, live = np.zeros_like(c), np.zeros((h, w), np.int32), np.ones((h, w), bool)
    for _ in range(limit):
        live &= z.real**2 + z.imag**2 <= 4.0
        it += live
        z = np.where(live, z * z + c, z)
    args = [f"i32 = {w}", f"i32 = {h}", f"i32 = {limit}", "f32 = -2.0", "f32 = -1.25", f"f32 = {dx!r}", f"f32 = {dy!r}", f"out out s32[{w*h}]"]
    return "3,3", "16,16", args, {"out": (it, "mismatch=0.02")}


@kernel
def bitonic():
    blocks = 2
    v = np.sort(mod_u32(blocks * 1024, 1, 0).reshape(blocks, 1024), axis=1)
    args = [f"inout data u32[{blocks*1024}] = hash_u32(1, 0)"]
    return str(blocks), "512", args, {"data": (v, "")}


@kernel
def spmv_csr():
    rows = 400
    rp = row_starts(rows + 1, 7, 31)
    nnz = int(rp[-1])
    ci, va, x = mod_u32(nnz, 8, rows), hash_f32(nnz, 9, -1, 1).astype(float), hash_f32(rows, 10, -1, 1).astype(float)
    y = np.add.reduceat(va * x[ci], rp[:-1])
    args = [f"i32 = {rows}", f"in rp s32[{rows+1}] = row_starts(7, 31)", f"in ci s32[{nnz}] = hash_u32(8, {rows})",
            f"in va f32[{nnz}] = hash_f32(9, -1, 1)", f"in x f32[{rows}] = hash_f32(10, -1, 1)", f"out y f32[{rows}]"]
    return "2", "256", args, {"y": (y.astype(np.float32), "rtol=1e-4 atol=1e-4")}


PRIMES = [p for p in range(2, 312) if all(p % q for q in range(2, p))]


def root_bits(p, degree):
    """The first 32 bits of the fraction of p's square or cube root, by integer arithmetic."""
    n, lo, hi = p << (32 * degree), 0, 1 << 40
    while lo < hi:
        mid = (lo + hi + 1) // 2
        lo, hi = (mid, hi) if mid**degree <= n else (lo, mid - 1)
    return lo & 0xFFFFFFFF


SHA_START = [U(root_bits(p, 2)) for p in PRIMES[:8]]
SHA_ROUND = [U(root_bits(p, 3)) for p in PRIMES[:64]]


def sha256_compress(w):
    """One compression of 16 word arrays from the standard start; returns the eight state arrays (FIPS 180-4, 6.2.2)."""
    def ror(x, n):
        return (x >> U(n)) | (x << U(32 - n))

    w = list(w)
    for t in range(16, 64):
        s0 = ror(w[t - 15], 7) ^ ror(w[t - 15], 18) ^ (w[t - 15] >> U(3))
        s1 = ror(w[t - 2], 17) ^ ror(w[t - 2], 19) ^ (w[t - 2] >> U(10))
        w.append(w[t - 16] + s0 + w[t - 7] + s1)
    a, b, c, d, e, f, g, h = (np.full_like(w[0], s) for s in SHA_START)
    for t in range(64):
        t1 = h + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) + ((e & f) ^ (~e & g)) + SHA_ROUND[t] + w[t]
        t2 = (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
        a, b, c, d, e, f, g, h = t1 + t2, a, b, c, d + t1, e, f, g
    return [v + s for v, s in zip((a, b, c, d, e, f, g, h), SHA_START)]


def judge_sha256():
    block = b"abc" + b"\x80" + bytes(52) + (24).to_bytes(8, "big")
    state = sha256_compress([np.array([x], U) for x in np.frombuffer(block, ">u4")])
    digest = b"".join(int(s[0]).to_bytes(4, "big") for s in state)
    assert digest == hashlib.sha256(b"abc").digest()


@kernel
def sha256():
    judge_sha256()
    n = 300
    i, seed = np.arange(n, dtype=U), mod_u32(16, 1, 0)
    s = sha256_compress([seed[j] ^ (i * U(0x9E3779B9) + U(j)) for j in range(16)])
    args = [f"i32 = {n}", "in seed u32[16] = hash_u32(1, 0)", f"out out u32[{n}]"]
    return "2", "256", args, {"out": (s[0] ^ s[4], "")}


@kernel
def mma_gemm():
    n = 64
    a, bt = (hash_f32(n * n, s, -1, 1).astype(np.float16).astype(float).reshape(n, n) for s in (1, 2))
    args = [f"i32 = {n}", f"in a f16[{n*n}] = hash_f32(1, -1, 1)", f"in bt f16[{n*n}] = hash_f32(2, -1, 1)", f"out c f32[{n*n}]"]
    return "2,1", "128", args, {"c": ((a @ bt.T).astype(np.float32), "rtol=1e-4 atol=1e-4")}


MARK = "// END\n"


def files(name):
    grid, block, args, wants = KERNELS[name]
    head = ["// RUN: parse", "// RUN: lower -O0", "// RUN: lower -O2", "// RUN: roundtrip -O0 -O2", "// RUN: exec",
            f"// LAUNCH: entry={name} grid={grid} block={block}"]
    head += [f"// ARG: {a}" for a in args]
    out = {}
    for buffer, (values, judgement) in wants.items():
        out[f"{name}.{buffer}.bin"] = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<")).tobytes()
        head.append(f"// WANT: {buffer} = file({name}.{buffer}.bin) {judgement}".rstrip())
    with open(os.path.join(HERE, name + ".ptx"), encoding="utf-8") as f:
        body = f.read().split(MARK, 1)[-1]
    out[name + ".ptx"] = ("\n".join(head) + "\n" + MARK + body).encode()
    return out


def main():
    stale = 0
    for name in KERNELS:
        for path, data in files(name).items():
            full = os.path.join(HERE, path)
            if os.path.exists(full) and open(full, "rb").read() == data:
                continue
            if "--write" in sys.argv:
                open(full, "wb").write(data)
            else:
                print("stale:", path)
                stale = 1
    sys.exit(stale)


if __name__ == "__main__":
    main()
