#!/usr/bin/env python3
"""Writes the directive head of these kernels: inputs, and the results that the CUDA sources have in Python's arithmetic.

    expectations.py            check that every file here is what this script writes
    expectations.py --write    write them
"""
import math
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
MARK = "// END\n"
rng = np.random.default_rng(20)
KERNELS = {}


def words(values):
    return " ".join(v if isinstance(v, str) else repr(v.item() if hasattr(v, "item") else v) for v in values)


def kernel(function):
    KERNELS[function.__name__] = function()


def lines(launch, *rest):
    return [f"LAUNCH: {launch}", *rest]


@kernel
def local_sort():
    v = rng.integers(-1000, 1000, (12, 8))
    return lines("entry=local_sort grid=3 block=4", f"ARG: in in s32 = {words(v.ravel())}", "ARG: out out s32[96]",
                 f"WANT: out = {words(np.sort(v, axis=1).ravel())}")


def cdiv(a, b):
    q = abs(a) // abs(b)
    return -q if (a < 0) != (b < 0) else q


def machine(x):
    s = x + 7
    s = [s * s, x, -3]
    s = [s[0], cdiv(s[1], s[2]), x]
    s = [s[0], s[1] ^ s[2]]
    s = [s[0], abs(s[1])]
    r = s[0] + s[1]
    return r - 1000 * cdiv(r, 1000)


@kernel
def little_machine():
    x = [0, 1, -1, 5, -17, 1000, 123456, -99999, 31, 32, 1 << 20, -(1 << 20), 77]
    return lines("entry=little_machine grid=1 block=32", f"ARG: in in s64 = {words(x)}", f"ARG: out out s64[{len(x)}]",
                 f"ARG: i32 = {len(x)}", f"WANT: out = {words([machine(v) for v in x])}")


@kernel
def double_math():
    x = [-20.5, -3.0, -1.25, -0.0, 0.125, 0.5, 1.0, 2.75, 10.0, 700.0]
    f = [math.exp, lambda v: math.log(abs(v) + 0.5), math.sin, lambda v: v / (1 + v * v), lambda v: math.sqrt(abs(v)),
         lambda v: math.floor(v) + math.atan(v)]
    return lines("entry=double_math grid=1 block=16", f"ARG: in in f64 = {words(x)}", f"ARG: out out f64[{6*len(x)}]",
                 f"ARG: i32 = {len(x)}", f"WANT: out = {words([g(v) for g in f for v in x])} rtol=1e-13 atol=1e-300")


@kernel
def half_dot():
    a = rng.integers(-8, 9, (3, 128)) / 8
    b = rng.integers(-4, 5, 128) / 4
    # Two products a lane and half, each exact in half precision, so only the last sums matter; they are exact too.
    return lines("entry=half_dot grid=3 block=32", f"ARG: in a f16 = {words(a.ravel())}", f"ARG: in b f16 = {words(b)}",
                 "ARG: out out f32[3]", f"WANT: out = {words(a @ b)}")


def hit(lo, hi, ident, o, d):
    t0, t1 = 0.0, 1e30
    for i in range(3):
        a, c = (lo[i] - o[i]) / d[i], (hi[i] - o[i]) / d[i]
        t0, t1 = max(t0, min(a, c)), min(t1, max(a, c))
    t1 = float(np.float32(t1))
    inside = t0 == 0.0 and t0 <= t1
    ident = ident if t0 <= t1 else -1
    return t0, ident + 100 if inside else ident


@kernel
def structs():
    lo, hi = [-1.0, -2.0, -1.0], [1.0, 2.0, 3.0]
    rays = [[-4, 0.5, 0, 1, 0.25, 0.125], [0, 0, 0, 1, 1, 1], [5, 5, 5, -1, -1, -1], [5, 5, 5, 1, 1, 1], [-4, 9, 0, 1, 0.5, 0.5],
            [0.5, -6, 1, -0.0625, 2, 0.25]]
    hits = [hit(lo, hi, 7, r[:3], r[3:]) for r in rays]
    box = np.array(lo + hi, np.float32).view(np.uint32).tolist() + [7]
    return lines("entry=structs grid=1 block=6", f"ARG: u32[7] = {words(box)}", f"ARG: in rays f32 = {words(v for r in rays for v in r)}",
                 "ARG: out t f32[6]", "ARG: out id s32[6]", f"WANT: t = {words([h[0] for h in hits])} rtol=1e-6",
                 f"WANT: id = {words([h[1] for h in hits])}")


def ackermann(m, n):
    if m == 0:
        return n + 1
    return ackermann(m - 1, 1 if n == 0 else ackermann(m, n - 1))


@kernel
def function_table():
    a, b = [3, 4, 48, 2, -5, 6, 1071, 1], [9, -7, 36, 3, 2, 6, 462, 5]
    f = [lambda x, y: x + y, lambda x, y: x * y, math.gcd, ackermann]
    return lines("entry=function_table grid=1 block=8", f"ARG: in a s32 = {words(a)}", f"ARG: in b s32 = {words(b)}", "ARG: out out s32[8]",
                 f"WANT: out = {words([f[i & 3](x, y) for i, (x, y) in enumerate(zip(a, b))])}")


@kernel
def block_scan():
    v = rng.integers(0, 1 << 32, 300, dtype=np.uint32)
    s = np.concatenate([np.cumsum(v[:160], dtype=np.uint32), np.cumsum(v[160:], dtype=np.uint32)])
    return lines("entry=block_scan grid=2 block=160 shared=128", f"ARG: in in u32 = {words(v)}", "ARG: out out u32[300]", "ARG: i32 = 300",
                 f"WANT: out = {words(s)}")


@kernel
def grouped_atomics():
    v = rng.integers(0, 1 << 16, 200) ** 2 >> 3
    count = np.bincount(v & 15, minlength=16)
    return lines("entry=grouped_atomics grid=4 block=64", f"ARG: in in u32 = {words(v)}", "ARG: inout bins u32 = 16*0",
                 "ARG: inout order u32 = 16*0", "ARG: i32 = 200", f"WANT: bins = {words(count)}", f"WANT: order = {words(count)}")


@kernel
def wide_integers():
    pairs = [(7, 3), (2**64 - 1, 10), (2**63 + 5, 2**63 - 1), (123456789012345678, 987654321), (5, 2**64 - 3), (2**40, 2**32 + 1)]
    m = 2**64

    def signed(x):
        return x - m if x >> 63 else x

    out = []
    for x, y in pairs:
        q = cdiv(signed(x), signed(y))
        out += [x // y, x % y, q % m, (signed(x) - q * signed(y)) % m, x * y >> 64, bin(x).count("1") * 100 + 64 - y.bit_length(),
                int(format(x, "064b")[::-1], 2), (x * x + y >> 60) % m]
    return lines("entry=wide_integers grid=1 block=6", f"ARG: in a u64 = {words([p[0] for p in pairs])}",
                 f"ARG: in b u64 = {words([p[1] for p in pairs])}", "ARG: out out u64[48]", f"WANT: out = {words(out)}")


def main():
    stale = 0
    for name, head in KERNELS.items():
        path = os.path.join(HERE, name + ".ptx")
        with open(path, encoding="utf-8") as f:
            old = f.read()
        runs = ["RUN: parse", "RUN: lower -O2", "RUN: roundtrip -O0 -O2", "RUN: exec"]
        new = "".join(f"// {line}\n" for line in runs + head) + MARK + old.split(MARK, 1)[-1]
        if new != old and "--write" in sys.argv:
            with open(path, "w", encoding="utf-8") as f:
                f.write(new)
        elif new != old:
            print("stale:", path)
            stale = 1
    sys.exit(stale)


if __name__ == "__main__":
    main()
