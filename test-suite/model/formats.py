"""Numbers as the PTX manual defines them: integers of a width and binary floating-point formats, exactly.

A finite floating-point value is a pair (m, e) of integers that means m * 2**e; signs of zeros travel beside it.  Nothing
here uses the host's floating point, but for the approximate functions, whose results are only held to bounds.
"""

from math import isqrt


class Format:
    """A binary floating-point format with a sign, `ebits` of exponent and `fbits` of fraction, padded at the bottom."""

    def __init__(self, name, ebits, fbits, padding=0, nan=None):
        self.name, self.ebits, self.fbits, self.padding = name, ebits, fbits, padding
        self.bits = 1 + ebits + fbits + padding
        self.sign = 1 << (self.bits - 1)
        self.bias = (1 << (ebits - 1)) - 1
        self.inf = ((1 << ebits) - 1) << (fbits + padding)
        self.max = self.inf - (1 << padding)
        self.one = self.bias << (fbits + padding)
        self.nan = nan if nan is not None else self.sign - 1
        self.emin = 1 - self.bias - fbits  # the exponent of the last place of the smallest values
        self.min_normal = 1 << (fbits + padding)

    def is_nan(self, raw):
        return raw & (self.sign - 1) > self.inf

    def is_inf(self, raw):
        return raw & (self.sign - 1) == self.inf

    def is_zero(self, raw):
        return raw & (self.sign - 1) == 0

    def is_subnormal(self, raw):
        return 0 < raw & (self.sign - 1) < self.min_normal

    def negative(self, raw):
        return raw & self.sign != 0

    def value(self, raw):
        """The value of a finite number as (m, e)."""
        magnitude = (raw & (self.sign - 1)) >> self.padding
        lost = raw & ((1 << self.padding) - 1)
        exponent, fraction = magnitude >> self.fbits, magnitude & ((1 << self.fbits) - 1)
        if exponent:
            fraction |= 1 << self.fbits
        m, e = fraction, self.emin + max(exponent, 1) - 1
        if self.padding:  # low bits of a padded format still count as those of binary32
            m, e = m << self.padding | lost, e - self.padding
        return (-m if self.negative(raw) else m), e

    def flush(self, raw, ftz):
        return raw & self.sign if ftz and self.is_subnormal(raw) else raw

    def encode(self, negative, m, e, mode, exact=True, ftz=False):
        """|m| * 2**e rounded; `exact` is false when something nonzero below m was left out.

        Flushed is what is below the smallest normal value after rounding with exponents without an end: ptxas folds
        constants so.
        """
        if ftz and m:
            low = -100_000
            unbounded = grid(abs(m), e, self.fbits, low, mode, negative, exact)
            if unbounded < (self.emin - low + 1) << self.fbits:
                return self.sign if negative else 0
        magnitude = grid(abs(m), e, self.fbits, self.emin, mode, negative, exact) << self.padding
        if magnitude >= self.inf:
            toward_zero = mode == "rz" or (mode == "rm" and not negative) or (mode == "rp" and negative)
            magnitude = self.max if toward_zero else self.inf
        return magnitude | (self.sign if negative else 0)


def grid(m, e, fbits, emin, mode, negative, exact=True):
    """The number of the magnitude next to m * 2**e, where those of an exponent are 2**fbits evenly spaced ones."""
    if m == 0:
        assert exact
        return 0
    last = max(m.bit_length() - 1 + e - fbits, emin)
    drop = last - e
    if drop <= 0:
        kept, rest, half = m << -drop, 0 if exact else 1, 2
    else:
        kept, rest, half = m >> drop, m & ((1 << drop) - 1), 1 << (drop - 1)
        rest, half = rest * 2 + (0 if exact else 1), half * 2
    if isinstance(mode, tuple):  # ("rs", count, bits): the carry out of the bits below and the random ones
        _, count, bits = mode
        below = rest << count >> (drop + 1) if drop > 0 else 0
        up = below + (bits & ((1 << count) - 1)) >> count
    else:
        up = {
            "rn": rest > half or (rest == half and kept & 1),
            "rna": rest >= half,
            "rz": False,
            "rm": negative and rest > 0,
            "rp": not negative and rest > 0,
        }[mode]
    return ((last - emin) << fbits) + kept + (1 if up else 0)


F16 = Format("f16", 5, 10)
BF16 = Format("bf16", 8, 7)
F32 = Format("f32", 8, 23)
F64 = Format("f64", 11, 52, nan=0x7FF8_0000_0000_0000)
TF32 = Format("tf32", 8, 10, padding=13)
FORMATS = {f.name: f for f in (F16, BF16, F32, F64, TF32)}


class Narrow:
    """A format of 8 bits or fewer (manual 5.2.3, 5.2.4): `largest` magnitude, what a NaN is, what overflow gives."""

    def __init__(self, name, place, ebits, fbits, signed, largest, nan, overflow):
        self.name, self.place, self.ebits, self.fbits = name, place, ebits, fbits
        self.signed, self.largest, self.nan, self.overflow = signed, largest, nan, overflow
        self.sign = (1 << (ebits + fbits)) if signed else 0

    def decode(self, raw):
        """('nan',), ('inf', negative) or ('num', negative, m, e)."""
        raw &= (1 << (self.ebits + self.fbits + (1 if self.signed else 0))) - 1
        if self.name == "s2f6":
            value = raw - 256 if raw & 128 else raw
            return ("num", value < 0, abs(value), -6)
        if self.name == "ue8m0":
            return ("nan",) if raw == 255 else ("num", False, 1, raw - 127)
        negative, magnitude = bool(raw & self.sign), raw & ~self.sign
        if self.name == "e5m2" and magnitude >= 0x7C:
            return ("inf", negative) if magnitude == 0x7C else ("nan",)
        if self.name in ("e4m3", "ue5m3") and magnitude == self.nan:
            return ("nan",)
        bias = (1 << (self.ebits - 1)) - 1
        exponent, fraction = magnitude >> self.fbits, magnitude & ((1 << self.fbits) - 1)
        if exponent:
            fraction |= 1 << self.fbits
        return ("num", negative, fraction, max(exponent, 1) - bias - self.fbits)

    def encode(self, number, mode, satfinite, relu):
        if number[0] == "nan":
            return self.nan
        negative = number[1] and self.signed
        if negative and relu:
            return 0
        beyond = self.largest if satfinite else self.overflow
        if number[0] == "inf":
            magnitude = None
        elif self.name == "s2f6":
            magnitude = fixed(number[2], number[3], -6, mode, negative)
        elif self.name == "ue8m0":
            magnitude = power(number[2], number[3], mode)
        else:
            emin = 2 - (1 << (self.ebits - 1)) - self.fbits
            magnitude = grid(number[2], number[3], self.fbits, emin, mode, negative)
        if magnitude is None or magnitude > self.largest:
            truncated = magnitude is not None and mode == "rz"
            if self.name == "s2f6":
                return 0x80 if negative else self.largest
            magnitude = self.largest if truncated else beyond
        if self.name == "s2f6":
            return -magnitude & 0xFF if negative else magnitude
        return magnitude | (self.sign if negative else 0)


def fixed(m, e, last, mode, negative):
    """m * 2**e in units of 2**last."""
    drop = last - e
    if drop <= 0:
        return m << -drop
    kept, rest, half = m >> drop, m & ((1 << drop) - 1), 1 << (drop - 1)
    up = {"rn": rest > half or (rest == half and kept & 1), "rz": False}[mode]
    return kept + (1 if up else 0)


def power(m, e, mode):
    """The exponent of the power of two next to m * 2**e, by the bias of ue8m0; what is below the smallest is that."""
    if m == 0:
        return 0
    exponent = m.bit_length() - 1 + e
    if mode == "rp" and m & (m - 1):
        exponent += 1
    return max(exponent, -127) + 127


NARROW = {
    n.name: n
    for n in (
        Narrow("e4m3", 8, 4, 3, True, 0x7E, 0x7F, 0x7F),
        Narrow("e5m2", 8, 5, 2, True, 0x7B, 0x7F, 0x7C),
        Narrow("e2m3", 8, 2, 3, True, 0x1F, 0x1F, 0x1F),
        Narrow("e3m2", 8, 3, 2, True, 0x1F, 0x1F, 0x1F),
        Narrow("e2m1", 4, 2, 1, True, 0x07, 0x07, 0x07),
        Narrow("ue8m0", 8, 8, 0, False, 0xFE, 0xFF, 0xFF),
        Narrow("ue5m3", 8, 5, 3, False, 0xFE, 0xFF, 0xFF),
        Narrow("s2f6", 8, 1, 6, True, 0x7F, 0x7F, 0x7F),
    )
}


def add(f, a, b, mode, ftz=False):
    """a + b of finite numbers (m, e) with their signs, rounded into f; a and b are ((m, e), negative)."""
    ((ma, ea), na), ((mb, eb), nb) = a, b
    e = min(ea, eb)
    total = (ma << (ea - e)) + (mb << (eb - e))
    if total == 0:
        negative = na if na == nb else mode == "rm"
        return f.sign if negative else 0
    return f.encode(total < 0, total, e, mode, ftz=ftz)


def quotient(f, a, b, mode, ftz=False):
    """a / b of nonzero finite numbers (m, e)."""
    (ma, ea), (mb, eb) = a, b
    extra = 70 + max(0, mb.bit_length() - ma.bit_length())
    q, rest = divmod(abs(ma) << extra, abs(mb))
    return f.encode((ma < 0) != (mb < 0), q, ea - eb - extra, mode, rest == 0, ftz)


def root(f, a, mode):
    """The square root of a positive number (m, e)."""
    m, e = a
    extra = 140 + (e & 1)
    m, e = m << extra, e - extra
    if e & 1:
        m, e = m << 1, e - 1
    r = isqrt(m)
    return f.encode(False, r, e // 2, mode, r * r == m)
