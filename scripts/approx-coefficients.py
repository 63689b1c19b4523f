#!/usr/bin/env python3
"""Coefficients of the polynomials in crates/ptx-program/src/scalar/approx.rs and crates/ptx-host/src/emit/power.rs (needs mpmath).

Each function is interpolated at the Chebyshev nodes of its interval, with 60 digits, which is within a small factor of the best
polynomial; the coefficients of the powers are then rounded to binary64. Prints them, and the largest error relative to the function
before they are rounded, as a power of two.
"""
import struct

from mpmath import mp, mpf, cos, pi, log, polyval, lu_solve, matrix, sin, atanh, sqrt, fabs

mp.dps = 60


def fit(f, low, high, degree):
    n = degree + 1
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    a = matrix([[x**k for k in range(n)] for x in nodes])
    return list(lu_solve(a, matrix([f(x) for x in nodes])))


def report(name, f, low, high, degree):
    c = fit(f, low, high, degree)
    points = [low + (high - low) * (mpf(i) + mpf("0.37")) / 997 for i in range(997)]
    worst = max(fabs(polyval(c[::-1], x) / f(x) - 1) for x in points)
    print(f"{name}: degree {degree}, 2^{mp.nstr(log(worst, 2), 4)}")
    for k in c:
        print(f"    {float(k)!r},")


def divided(f, limit):
    return lambda x: f(x) if fabs(x) > mpf(10) ** -20 else limit


half = mpf(1) / 2
# (2^x - 1) / x
report("EX2", divided(lambda x: (2**x - 1) / x, log(2)), -half - mpf(1) / 1000, half + mpf(1) / 1000, 10)
# log2((1 + s) / (1 - s)) / s of z = s^2, for (1 + s) / (1 - s) from sqrt(1/2) to sqrt(2)
s = (sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)
report("LG2", divided(lambda z: 2 * atanh(sqrt(z)) / sqrt(z) / log(2), 2 / log(2)), mpf(0), s * s * mpf("1.001"), 7)
# (sin(r) - r) / r^3 and (cos(r) - 1 + z / 2) / z^2 of z = r^2, for r up to a quarter of pi
top = (pi / 4) ** 2 * mpf("1.001")
report("SIN", divided(lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, -mpf(1) / 6), mpf(0), top, 5)
report("COS", divided(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, mpf(1) / 24), mpf(0), top, 5)


def bits_of(x, count):
    """The upper bits of a positive number, as a number."""
    scale = mpf(2) ** (count - 1 - mp.floor(log(x, 2)))
    return mp.floor(x * scale) / scale


rest = pi / 2
print("QUARTER (33 bits, 33 bits, the rest)")
for _ in range(2):
    part = bits_of(rest, 33)
    print(f"    {float(part)!r},")
    rest -= part
print(f"    {float(rest)!r},")
mp.dps = 120
rest = 2 / pi
print("QUARTERS_PER_RADIAN (24 bits each: from 2^-1 on)")
for n in range(11):
    scale = mpf(2) ** (24 * (n + 1))
    part = mp.floor(rest * scale) / scale
    print(f"    {float(part)!r},")
    rest -= part
print("ln 2, 2 / ln 2:", repr(float(log(2))), repr(float(2 / log(2))), "pi / 2", repr(float(pi / 2)))
print("pi/2 low", repr(float(pi / 2 - mpf(float(pi / 2)))))


def single(x):
    """The nearest binary32 number."""
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def in_single(x):
    """As text that gives the same number as a literal of binary32."""
    return next(text for text in (f"{x:.{n}g}" for n in range(1, 17)) if single(float(text)) == x)


# 2^x in single precision: tables of powers, and (2^f - 1 - f ln 2) / f^2 for f up to half of the distance of two entries.
ln2 = log(mpf(2))
print("LN_2 of power.rs:", in_single(single(ln2)), in_single(single(ln2 - mpf(single(ln2)))))
for entries, degree in ((16, 2), (8, 3)):
    powers = [mpf(2) ** (mpf(j) / entries) for j in range(entries)]
    print("high:", ", ".join(in_single(single(x)) for x in powers))
    print("low:", ", ".join(in_single(single(x - mpf(single(x)))) for x in powers))
    reach = mpf("1.0001") / (2 * entries)
    c = fit(divided(lambda x: (2**x - 1 - x * ln2) / x**2, ln2**2 / 2), -reach, reach, degree)
    print("coefficients:", ", ".join(in_single(single(k)) for k in c))
