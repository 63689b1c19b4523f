"""cvt (manual 9.7.9.21, 9.7.9.22)."""

from floats import finish, rounding
from formats import F32, F64, FORMATS, NARROW
from registers import Loose, clamp, is_type, limits, mask, number, split, width


def to_integral(value, mode):
    """m * 2**e as an integer."""
    m, e = value
    if e >= 0:
        return m << e
    floor, rest = m >> -e, m & mask(-e)
    half = 1 << (-e - 1)
    if mode in ("rni", "rn"):
        return floor + (rest > half or (rest == half and floor & 1))
    return {"rzi": floor + (1 if m < 0 and rest else 0), "rmi": floor, "rpi": floor + (1 if rest else 0)}[mode]


def convert(words, dtype, atype, raw):
    """cvt of one value (manual 9.7.9.21)."""
    ftz = "ftz" in words
    mode = next((word for word in words if word in ("rni", "rzi", "rmi", "rpi")), None)
    if atype in FORMATS:
        f = FORMATS[atype]
        if f is F32:
            raw = f.flush(raw, ftz)
        if dtype in FORMATS:
            return float_to_float(words, FORMATS[dtype], f, raw, mode, ftz)
        bits = width(dtype)
        if f.is_nan(raw):
            return 1 << (bits - 1) if f is F64 or bits == 64 else 0
        low, high = limits(dtype)
        if f.is_inf(raw):
            return (low if f.negative(raw) else high) & mask(bits)
        return clamp(dtype, to_integral(f.value(raw), mode or "rzi")) & mask(bits)
    value = number(atype, raw)
    if dtype in FORMATS:
        f = FORMATS[dtype]
        result = f.encode(value < 0, value, 0, rounding(words))
        if "satfinite" in words and f.is_inf(result):
            result = f.max | (result & f.sign)
        return finish(f, result, words)
    return (clamp(dtype, value) if "sat" in words else value) & mask(width(dtype))


def float_to_float(words, to, f, raw, mode, ftz):
    if f.is_nan(raw):
        if "sat" in words:
            return 0
        # Which NaN it is the manual says with .relu and .satfinite alone.
        return to.nan if "relu" in words or "satfinite" in words else Loose(to.is_nan, "a NaN")
    negative = f.negative(raw)
    if f.is_inf(raw):
        result = to.inf | (to.sign if negative else 0)
    elif mode is not None:
        integral = to_integral(f.value(raw), mode)
        result = to.encode(negative, integral, 0, "rn")
    else:
        result = to.encode(negative, *f.value(raw), rounding(words), ftz=ftz and to is F32)
    if "satfinite" in words and (to.is_inf(result) or beyond(to, f, raw)):
        result = to.max | (to.sign if negative else 0)
    return finish(to, result, words)


def beyond(to, f, raw):
    """Whether a value is larger than the largest of a format."""
    if f.is_inf(raw):
        return True
    (m, e), (n, g) = f.value(raw), to.value(to.max)
    low = min(e, g)
    return abs(m) << (e - low) > n << (g - low)


ELEMENTS = {"f16x2": ("f16", 2), "bf16x2": ("bf16", 2), "f32": ("f32", 1)}
ELEMENTS.update({name + "x2": (name, 2) for name in NARROW})
ELEMENTS.update({name + "x4": (name, 4) for name in ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")})


def place(name):
    return NARROW[name].place if name in NARROW else FORMATS[name].bits


def decode(name, raw):
    if name in NARROW:
        return NARROW[name].decode(raw)
    f = FORMATS[name]
    if f.is_nan(raw):
        return ("nan",)
    if f.is_inf(raw):
        return ("inf", f.negative(raw))
    m, e = f.value(raw)
    return ("num", f.negative(raw), abs(m), e)


def scaled(number_, exponent):
    if exponent is None:
        return ("nan",)
    return (*number_[:3], number_[3] + exponent) if number_[0] == "num" else number_


def encode(name, value, mode, words):
    satfinite, relu = "satfinite" in words, "relu" in words
    if name in NARROW:
        return NARROW[name].encode(value, mode, satfinite, relu)
    f = FORMATS[name]
    if value[0] == "nan":
        return f.nan
    sign = f.sign if value[1] else 0
    result = f.inf | sign if value[0] == "inf" else f.encode(value[1], value[2], value[3], mode)
    if satfinite:
        limit, exponent = f.value(f.max)
        large = value[0] == "inf"
        if not large:
            low = min(value[3], exponent)
            large = value[2] << (value[3] - low) > limit << (exponent - low)
        if large:
            result = f.max | sign
    return 0 if relu and f.negative(result) else result


def random_mode(dtype, n, count, rbits):
    """The random bits of the n-th source, the one that goes to the top first (manual 9.7.9.21)."""
    if dtype == "f16":
        return ("rs", 13, rbits >> 16 if n == 0 else rbits)
    if dtype == "bf16":
        return ("rs", 16, rbits >> 16 if n == 0 else rbits)
    if dtype == "e2m1":
        return ("rs", 8, rbits >> (24, 8, 16, 0)[n])
    assert count == 4
    return ("rs", 16, rbits >> 16 if n < 2 else rbits)


def convert_pack(words, operands, state):
    """cvt between packs of elements."""
    dtype, atype = [word for word in words if word in ELEMENTS][:2]
    (to, count), (source, per) = ELEMENTS[dtype], ELEMENTS[atype]
    rest = operands[1:]
    if atype == "f32":
        texts = split(rest[0][1:-1]) if rest[0].startswith("{") else rest[:count]
        rest = rest[1:] if rest[0].startswith("{") else rest[count:]
        raws = [state.read(text, "f32") for text in texts]
    else:
        bits = place(source)
        pack = state.read(rest[0], "b%d" % (bits * per))
        raws = [pack >> (bits * (per - 1 - n)) & mask(bits) for n in range(per)]
        rest = rest[1:]
    values = [decode(source, raw) for raw in raws]
    modes = [rounding(words)] * count
    if "rs" in words:
        rbits = state.read(rest[0], "b32")
        modes = [random_mode(to, n, count, rbits) for n in range(count)]
    elif "scaled::n2::ue8m0" in words:
        factors = state.read(rest[0], "b16")
        for n in range(2):
            factor = factors >> (8 - 8 * n) & 255
            exponent = None if factor == 255 else factor - 127 if source in NARROW else 127 - factor
            values[n] = scaled(values[n], exponent)
    result = 0
    for value, mode in zip(values, modes):
        result = result << place(to) | encode(to, value, mode, words)
    return result, "b%d" % (place(to) * count)


def pack_integers(words, operands, state):
    """cvt.pack (manual 9.7.9.22)."""
    ty = words[3]
    size = int(ty[1:])
    a, b = (number("s32", state.read(text, "s32")) for text in operands[1:3])
    low, high = (-(1 << (size - 1)), mask(size - 1)) if ty[0] == "s" else (0, mask(size))
    a, b = (max(low, min(high, x)) & mask(size) for x in (a, b))
    td = a << size | b
    if size < 16:
        td |= state.read(operands[3], "b32") << (2 * size)
    return td & mask(32), "b32"


def conversions(words, operands, state):
    if words[1] == "pack":
        result, ty = pack_integers(words, operands, state)
        return state.write(operands[0], result, ty)
    packs = [word for word in words if word in ELEMENTS]
    narrow = any(word not in ("f32",) for word in packs)
    if narrow:
        result, ty = convert_pack(words, operands, state)
        return state.write(operands[0], result, ty)
    dtype, atype = [word for word in words if is_type(word)]
    raw = state.read(operands[1], atype)
    return state.write(operands[0], convert(words, dtype, atype, raw), dtype)
