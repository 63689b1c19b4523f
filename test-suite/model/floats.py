"""Floating-point arithmetic and functions (manual 9.7.3, 9.7.4)."""

import math

from formats import F64, add, quotient, root
from registers import Loose, mask

ROUNDINGS = ("rn", "rz", "rm", "rp", "rna")


def rounding(words):
    return next((word for word in words if word in ROUNDINGS), "rn")


def finish(f, raw, words):
    """`.sat` and `.relu` of a result that is no NaN."""
    if "sat" in words:
        return 0 if f.negative(raw) else min(raw, f.one)
    if "relu" in words and f.negative(raw):
        return 0
    return raw


def nan_result(f, words):
    """NaNs are canonical (manual 9.7.3, 9.7.4); double precision leaves their bits open."""
    if "sat" in words:
        return 0
    if f is F64:
        return Loose(lambda raw: F64.is_nan(raw), "any NaN")
    return f.nan


def f_add(f, a, b, words):
    ftz, mode = "ftz" in words, rounding(words)
    a, b = f.flush(a, ftz), f.flush(b, ftz)
    if f.is_nan(a) or f.is_nan(b) or (f.is_inf(a) and f.is_inf(b) and a != b):
        return nan_result(f, words)
    if f.is_inf(a) or f.is_inf(b):
        return finish(f, a if f.is_inf(a) else b, words)
    result = add(f, (f.value(a), f.negative(a)), (f.value(b), f.negative(b)), mode, ftz)
    return finish(f, result, words)


def f_mul(f, a, b, words):
    ftz = "ftz" in words
    a, b = f.flush(a, ftz), f.flush(b, ftz)
    sign = (a ^ b) & f.sign
    if f.is_nan(a) or f.is_nan(b) or (f.is_inf(a) and f.is_zero(b)) or (f.is_zero(a) and f.is_inf(b)):
        return nan_result(f, words)
    if f.is_inf(a) or f.is_inf(b):
        return finish(f, sign | f.inf, words)
    (ma, ea), (mb, eb) = f.value(a), f.value(b)
    return finish(f, f.encode(sign != 0, ma * mb, ea + eb, rounding(words), ftz=ftz), words)


def f_fma(f, a, b, c, words):
    ftz, mode = "ftz" in words, rounding(words)
    a, b, c = (f.flush(x, ftz) for x in (a, b, c))
    sign = (a ^ b) & f.sign
    infinite = f.is_inf(a) or f.is_inf(b)
    if any(map(f.is_nan, (a, b, c))) or (infinite and (f.is_zero(a) or f.is_zero(b))):
        return nan_result(f, words)
    if infinite:
        if f.is_inf(c) and c & f.sign != sign:
            return nan_result(f, words)
        return finish(f, sign | f.inf, words)
    if f.is_inf(c):
        return finish(f, c, words)
    (ma, ea), (mb, eb) = f.value(a), f.value(b)
    product = ((ma * mb, ea + eb), sign != 0)
    return finish(f, add(f, product, (f.value(c), f.negative(c)), mode, ftz), words)


def f_div(f, a, b, words):
    ftz = "ftz" in words and f is not F64  # rcp takes it with .f64, to no effect
    a, b = f.flush(a, ftz), f.flush(b, ftz)
    sign = (a ^ b) & f.sign
    if f.is_nan(a) or f.is_nan(b) or (f.is_inf(a) and f.is_inf(b)) or (f.is_zero(a) and f.is_zero(b)):
        return nan_result(f, words)
    if f.is_inf(a) or f.is_zero(b):
        return finish(f, sign | f.inf, words)
    if f.is_zero(a) or f.is_inf(b):
        return finish(f, sign, words)
    return finish(f, quotient(f, f.value(a), f.value(b), rounding(words), ftz), words)


def f_sqrt(f, a, words):
    ftz = "ftz" in words
    a = f.flush(a, ftz)
    if f.is_nan(a) or (f.negative(a) and not f.is_zero(a)):
        return nan_result(f, words)
    if f.is_zero(a) or f.is_inf(a):
        return a
    return finish(f, root(f, f.value(a), rounding(words)), words)


def near(f, value, relative, absolute, words):
    """Results within bounds of a value; what may be flushed may be a zero."""

    def accepts(raw):
        if f.is_nan(raw):
            return False
        if f.is_inf(raw):
            return abs(value) >= float(f.value(f.max)[0]) * 2.0 ** f.value(f.max)[1] * (1 - relative - 1e-6)
        m, e = f.value(raw)
        got = math.ldexp(m, e)
        smallest = math.ldexp(1, f.emin)
        if "ftz" in words and f.is_zero(raw) and abs(value) <= math.ldexp(1, f.emin + f.fbits) * 1.001:
            return True
        return abs(got - value) <= relative * abs(value) + absolute + smallest

    return Loose(accepts, "about %r" % value)


def special(table, f, a):
    """A row of the manual's table of corner cases."""
    if f.is_nan(a):
        return "nan"
    kind = "inf" if f.is_inf(a) else "zero" if f.is_zero(a) else None
    if kind is None:
        return table["negative"] if f.negative(a) and "negative" in table else None
    return table[("-" if f.negative(a) else "+") + kind]


TABLES = {
    "sin": {"-inf": "nan", "+inf": "nan", "-zero": "-0", "+zero": "+0"},
    "cos": {"-inf": "nan", "+inf": "nan", "-zero": "+1", "+zero": "+1"},
    "lg2": {"-inf": "nan", "+inf": "+inf", "-zero": "-inf", "+zero": "-inf", "negative": "nan"},
    "ex2": {"-inf": "+0", "+inf": "+inf", "-zero": "+1", "+zero": "+1"},
    "tanh": {"-inf": "-1", "+inf": "+1", "-zero": "-0", "+zero": "+0"},
    "rsqrt": {"-inf": "nan", "+inf": "+0", "-zero": "-inf", "+zero": "+inf", "negative": "nan"},
    "rcp": {"-inf": "-0", "+inf": "+0", "-zero": "-inf", "+zero": "+inf"},
    "sqrt": {"-inf": "nan", "+inf": "+inf", "-zero": "-0", "+zero": "+0", "negative": "nan"},
}


def named(f, text):
    if text == "nan":
        return Loose(f.is_nan, "a NaN") if f is F64 else f.nan
    magnitude = {"0": 0, "1": f.one, "inf": f.inf}[text[1:]]
    return magnitude | (f.sign if text[0] == "-" else 0)


# The bounds of the approximate functions: relative and absolute errors (manual 9.7.3.13 to 9.7.3.22, 9.7.4.9, 9.7.4.10).
BOUNDS = {
    ("sin", "f32"): (0, 2**-20.5), ("cos", "f32"): (0, 2**-20.5), ("lg2", "f32"): (2**-22, 2**-22),
    ("ex2", "f32"): (2**-22, 0), ("tanh", "f32"): (2**-11, 0), ("rsqrt", "f32"): (2**-22.9, 0),
    ("rcp", "f32"): (2**-23, 0), ("sqrt", "f32"): (2**-23, 0), ("rsqrt", "f64"): (2**-40, 0),
    ("tanh", "f16"): (0, 2**-10.987), ("tanh", "bf16"): (0, 2**-8), ("ex2", "f16"): (2**-9.9, 0),
    ("ex2", "bf16"): (2**-7, 0),
}


def approximate(name, f, a, words):
    a = f.flush(a, "ftz" in words)
    row = special(TABLES[name], f, a)
    if row is not None:
        return named(f, row)
    x = math.ldexp(*f.value(a))
    try:
        value = {
            "sin": lambda: math.sin(2 * math.pi * (x - round(x)) if "2pi" in words else x),
            "cos": lambda: math.cos(2 * math.pi * (x - round(x)) if "2pi" in words else x),
            "lg2": lambda: math.log2(x),
            "ex2": lambda: 2.0**x,
            "tanh": lambda: math.tanh(x),
            "rsqrt": lambda: 1 / math.sqrt(x),
            "rcp": lambda: 1 / x,
            "sqrt": lambda: math.sqrt(x),
        }[name]()
    except OverflowError:
        value = math.inf
    relative, absolute = BOUNDS[(name, f.name)]
    # Only the format's last place is finer than some bounds.
    return near(f, value, max(relative, 2.0 ** -(f.fbits + 1)), absolute, words)


def gross(name, a):
    """rcp.approx.ftz.f64, rsqrt.approx.ftz.f64: of the upper word, in the upper word (manual 9.7.3.14, 9.7.3.17)."""
    if F64.is_nan(a):
        return 0x7FFF_FFFF_0000_0000
    a = F64.flush(a & ~mask(32), True)
    row = special(TABLES[name], F64, a)
    if row == "nan":
        return 0x7FFF_FFFF_0000_0000
    if row is not None:
        return named(F64, row)
    x = math.ldexp(*F64.value(a))
    bound = near(F64, 1 / x if name == "rcp" else 1 / math.sqrt(x), 2**-19, 0, ["ftz"])
    return Loose(lambda raw: raw & mask(32) == 0 and bound.accepts(raw), bound.text)


def extreme(f, a, b, words, smaller):
    """min and max of two values (manual 9.7.3.11)."""
    ftz = "ftz" in words
    a, b = f.flush(a, ftz), f.flush(b, ftz)
    sign = (a ^ b) & f.sign
    if "abs" in words:
        a, b = a & ~f.sign, b & ~f.sign
    if f.is_nan(a) or f.is_nan(b):
        if "NaN" in words or (f.is_nan(a) and f.is_nan(b)):
            return Loose(f.is_nan, "a NaN") if f is F64 else f.nan
        result = b if f.is_nan(a) else a
    else:
        def order(raw):
            magnitude = raw & ~f.sign
            return -magnitude - 1 if f.negative(raw) else magnitude  # -0.0 < +0.0

        result = a if (order(a) < order(b)) == smaller else b
    return (result & ~f.sign) | sign if "xorsign" in words else result
