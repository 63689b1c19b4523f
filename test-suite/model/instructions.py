"""What scalar PTX instructions compute, written down from the manual's semantics alone.

`execute(text, state)` runs statements on registers.  An instruction is the words of its mnemonic and a list of operands; each
family has a function that takes both and writes the results.
"""

from conversions import conversions, convert
from floats import approximate, extreme, f_add, f_div, f_fma, f_mul, f_sqrt, gross
from formats import F32, F64, FORMATS
from registers import PACKED, Loose, Unknown, clamp, each, is_type, mask, number, split, width
from video import compare, lanes, video


def arithmetic(words, operands, state):
    """add, sub, mul, mad, fma, div, rem, abs, neg, min, max."""
    op = words[0]
    types = [word for word in words if is_type(word)]
    ty = types[0]
    if len(types) == 2:  # mixed precision: the last argument and the result are .f32 (manual 9.7.5)
        raws = [state.read(text, types[1]) for text in operands[1:-1]]
        raws = [convert([], "f32", types[1], raw) for raw in raws]
        raws = [F32.nan if isinstance(raw, Loose) else raw for raw in raws]
        raws.append(state.read(operands[-1], "f32"))
    else:
        wide = "wide" in words
        kinds = [ty] * (len(operands) - 1)
        if wide and op == "mad":
            kinds[2] = ty[0] + str(2 * width(ty))
        raws = [state.read(text, kind) for text, kind in zip(operands[1:], kinds)]
        if wide:
            product = number(ty, raws[0]) * number(ty, raws[1])
            total = product + (raws[2] if op == "mad" else 0)
            wider = ty[0] + str(2 * width(ty))
            return state.write(operands[0], total & mask(width(wider)), wider)
    state.write(operands[0], each(ty, raws, lambda element, *args: one(words, op, element, args)), ty)


def one(words, op, ty, args):
    if ty in FORMATS:
        f = FORMATS[ty]
        ftz = "ftz" in words
        if op in ("add", "sub"):
            b = args[1] ^ f.sign if op == "sub" else args[1]
            return f_add(f, args[0], b, words)
        if op == "mul":
            return f_mul(f, *args, words)
        if op in ("fma", "mad"):
            if "oob" in words and 0x7FF7 in args[:2]:
                return 0
            return f_fma(f, *args, words)
        if op == "div":
            if "approx" in words or "full" in words:
                return divide_approximately(f, *args, words)
            return f_div(f, *args, words)
        if op in ("abs", "neg"):
            a = f.flush(args[0], ftz)
            if f.is_nan(a):
                return Loose(f.is_nan, "a NaN")
            return a & ~f.sign if op == "abs" else a ^ f.sign
        if op in ("min", "max"):
            result = extreme(f, args[0], args[1], words, op == "min")
            if len(args) == 3:
                result = extreme(f, result, args[2], words, op == "min")
            return result
        raise Unknown(op)
    values = [number(ty, raw) for raw in args]
    bits = width(ty)
    sat = "sat" in words
    if op == "neg":
        result = -values[0]
    elif op == "abs":
        result = abs(values[0])
    elif op in ("add", "sub"):
        result = values[0] + values[1] if op == "add" else values[0] - values[1]
        result = clamp(ty, result) if sat else result
    elif op in ("min", "max"):
        result = min(values) if op == "min" else max(values)
        result = max(result, 0) if "relu" in words else result
    elif op in ("mul", "mad"):
        result = values[0] * values[1]
        result = result >> bits if "hi" in words else result
        if op == "mad":
            result = number(ty, result) + values[2]
            result = clamp(ty, result) if sat else result
    elif op in ("div", "rem"):
        q = abs(values[0]) // abs(values[1])
        q = -q if (values[0] < 0) != (values[1] < 0) else q
        result = q if op == "div" else values[0] - q * values[1]
    else:
        raise Unknown(op)
    return result & mask(bits)


def divide_approximately(f, a, b, words):
    """div.approx and div.full: 2 ulp (manual 9.7.3.8)."""
    flushed = f.flush(b, "ftz" in words)
    size = flushed & ~f.sign
    if "approx" in words and 0x7E80_0000 < size < f.inf:
        if f.is_nan(a) or f.is_inf(a):
            return f.nan
        return (a ^ b) & f.sign
    exact = f_div(f, a, b, [word for word in words if word == "ftz"])
    if "approx" in words and 0 < size < 0x0080_0000:
        return Loose(lambda raw: True, "anything: the divisor is out of range")
    if f.is_nan(exact) or f.is_inf(exact) or f.is_zero(exact):
        return exact
    return Loose(lambda raw: (raw ^ exact) & f.sign == 0 and abs(raw - exact) <= 2, "%#x within 2 ulp" % exact)


def carries(words, operands, state):
    """add.cc, addc, sub.cc, subc, mad.cc, madc (manual 9.7.2); a difference is a + ~b + carry."""
    op, ty = words[0], words[-1]
    bits = width(ty)
    raws = [state.read(text, ty) for text in operands[1:]]
    subtracts = op.startswith("sub")
    carry = state.carry if op.endswith("c") else int(subtracts)
    if op.startswith("mad"):
        product = number(ty, raws[0]) * number(ty, raws[1])
        # ptxas takes the bits from 32 on of 16-bit factors.
        raws = [(product >> max(bits, 32) if "hi" in words else product) & mask(bits), raws[2]]
    if "sat" in words and not op.startswith("mad"):
        a, b = (number(ty, raw) for raw in raws)
        total = clamp(ty, a - b - 1 + carry if subtracts else a + b + carry)
        out = 0
    else:
        total = raws[0] + (raws[1] ^ mask(bits) if subtracts else raws[1]) + carry
        out = total >> bits
    if "cc" in words:
        state.carry = out
    state.write(operands[0], total & mask(bits), ty)


def bits_of(words, operands, state):
    """Logic, shifts, bit counts, bit fields, byte permutation, dot products."""
    op, ty = words[0], words[-1]
    read = state.read
    if op in ("and", "or", "xor", "not", "cnot"):
        raws = [read(text, ty) for text in operands[1:]]
        result = {"and": lambda: raws[0] & raws[1], "or": lambda: raws[0] | raws[1], "xor": lambda: raws[0] ^ raws[1],
                  "not": lambda: ~raws[0], "cnot": lambda: int(raws[0] == 0)}[op]() & mask(width(ty))
    elif op == "lop3":
        return lop3(words, operands, state)
    elif op in ("shl", "shr"):
        a, n = number(ty, read(operands[1], ty)), min(read(operands[2], "u32"), width(ty))
        result = a << n if op == "shl" else a >> n
    elif op == "shf":
        a, b, c = (read(text, "b32") for text in operands[1:])
        n = min(c, 32) if "clamp" in words else c & 31
        result = (b << n | a >> (32 - n)) if "l" in words else (b << (32 - n) | a >> n)
        return state.write(operands[0], result & mask(32), "b32")
    elif op in ("popc", "clz", "bfind"):
        a = read(operands[1], ty)
        if op == "popc":
            result = bin(a).count("1")
        elif op == "clz":
            result = width(ty) - a.bit_length()
        else:
            if ty[0] == "s" and a >> (width(ty) - 1):
                a = ~a & mask(width(ty))
            result = a.bit_length() - 1
            if "shiftamt" in words and result >= 0:
                result = width(ty) - 1 - result
        return state.write(operands[0], result & mask(32), "u32")
    elif op == "brev":
        a = read(operands[1], ty)
        result = int(format(a, "0%db" % width(ty))[::-1], 2)
    elif op == "fns":
        return state.write(operands[0], find_nth(*(read(text, "b32") for text in operands[1:])), "b32")
    elif op == "bfe":
        a, pos, length = read(operands[1], ty), read(operands[2], "u32") & 255, read(operands[3], "u32") & 255
        msb = width(ty) - 1
        sbit = a >> min(pos + length - 1, msb) & 1 if ty[0] == "s" and length else 0
        result = 0
        for i in range(msb + 1):
            bit = a >> (pos + i) & 1 if i < length and pos + i <= msb else sbit
            result |= bit << i
    elif op == "bfi":
        a, b = read(operands[1], ty), read(operands[2], ty)
        pos, length = read(operands[3], "u32") & 255, read(operands[4], "u32") & 255
        result = b
        for i in range(length):
            if pos + i < width(ty):
                result = result & ~(1 << (pos + i)) | (a >> i & 1) << (pos + i)
    elif op == "bmsk":
        result = bit_mask(words, read(operands[1], "u32"), read(operands[2], "u32"))
    elif op == "szext":
        result = extend_or_zero(words, ty, read(operands[1], ty), read(operands[2], "u32"))
    elif op == "prmt":
        return state.write(operands[0], permute(words, *(read(text, "b32") for text in operands[1:])), "b32")
    elif op in ("dp4a", "dp2a"):
        return state.write(operands[0], dot(words, *(read(text, "b32") for text in operands[1:])), "b32")
    elif op == "sad":
        a, b, c = (number(ty, read(text, ty)) for text in operands[1:])
        result = c + abs(a - b)
    elif op in ("mul24", "mad24"):
        a, b = (number(ty[0] + "24", read(text, ty)) for text in operands[1:3])
        result = a * b >> (16 if "hi" in words else 0)
        if op == "mad24":
            result = number(ty, result & mask(32)) + number(ty, read(operands[3], ty))
            result = clamp(ty, result) if "sat" in words else result
    else:
        raise Unknown(op)
    state.write(operands[0], result & mask(width(ty)), ty)


def lop3(words, operands, state):
    a, b, c = (state.read(text, "b32") for text in operands[1:4])
    table = int(operands[4], 0) & 255
    result = 0
    for i in range(32):
        index = (a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1
        result |= (table >> index & 1) << i
    d, _, p = operands[0].partition("|")
    if p or len(operands) > 5:
        q = state.read(operands[5], "pred")
        holds = int(result != 0)
        if p:
            state.write(p, holds & q if "and" in words else holds | q, "pred")
    state.write(d, result, "b32")


def find_nth(mask_, base, offset):
    if base > 31:
        return Loose(lambda raw: True, "anything: the base is beyond 31")
    offset = number("s32", offset)
    if offset == 0:
        return base if mask_ >> base & 1 else mask(32)
    pos, count, step = base, abs(offset) - 1, 1 if offset > 0 else -1
    while 0 <= pos < 32:
        if mask_ >> pos & 1:
            if count == 0:
                return pos
            count -= 1
        pos += step
    return mask(32)


def bit_mask(words, a, b):
    a1, b1 = a & 31, b & 31
    mask0, total = (mask(32) << a1) & mask(32), a1 + b1
    mask1 = (mask(32) << total) & mask(32)
    overflow = total >= 32
    if "clamp" in words:
        if a >= 32:
            overflow, mask0 = True, 0
        overflow = overflow or b >= 32
    if overflow:
        mask1 = 0
    elif b1 == 0:
        mask1 = mask(32)
    return mask0 & ~mask1


def extend_or_zero(words, ty, a, b):
    b1 = b & 31
    large = b >= 32 and "clamp" in words
    kept = 0 if large else (mask(32) << b1) & mask(32)
    sign = 0 if b1 == 0 or large or ty != "s32" else a >> ((b1 - 1) & 31) & 1
    return (a & ~kept) | (kept if sign else 0)


def permute(words, a, b, c):
    source = b << 32 | a
    mode = next((word for word in words if word in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")), None)
    n = c & 3
    order = {  # bytes of the result, the highest first
        None: [c >> 12 & 15, c >> 8 & 15, c >> 4 & 15, c & 15],
        "f4e": [n + 3, n + 2, n + 1, n],
        "b4e": [(n + 5) % 8, (n + 6) % 8, (n + 7) % 8, n],
        "rc8": [n] * 4,
        "ecl": [3, max(2, n), max(1, n), n],
        "ecr": [n, min(2, n), min(1, n), 0],
        "rc16": [1, 0, 1, 0] if n % 2 == 0 else [3, 2, 3, 2],
    }[mode]
    result = 0
    for index in order:
        byte = source >> (8 * (index & 7)) & 255
        if index & 8:
            byte = 255 if byte & 128 else 0
        result = result << 8 | byte
    return result


def dot(words, a, b, c):
    atype, btype = words[-2], words[-1]
    total = c
    if words[0] == "dp4a":
        for i in range(4):
            total += number(atype[0] + "8", a >> (8 * i)) * number(btype[0] + "8", b >> (8 * i))
    else:
        first = 2 if "hi" in words else 0
        for i in range(2):
            total += number(atype[0] + "16", a >> (16 * i)) * number(btype[0] + "8", b >> (8 * (first + i)))
    return total & mask(32)


def functions(words, operands, state):
    """rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh, testp, copysign."""
    op, ty = words[0], words[-1]
    if op == "copysign":
        f = FORMATS[ty]
        a, b = state.read(operands[1], ty), state.read(operands[2], ty)
        return state.write(operands[0], (a & f.sign) | (b & ~f.sign), ty)
    if op == "testp":
        f, a = FORMATS[ty], state.read(operands[1], ty)
        finite = not f.is_nan(a) and not f.is_inf(a)
        holds = {"finite": finite, "infinite": f.is_inf(a), "number": not f.is_nan(a), "notanumber": f.is_nan(a),
                 "normal": finite and not f.is_subnormal(a), "subnormal": f.is_subnormal(a)}[words[1]]
        return state.write(operands[0], int(holds), "pred")

    def of(element, a):
        f = FORMATS[element]
        if "approx" not in words:
            return f_div(f, f.one, a, words) if op == "rcp" else f_sqrt(f, a, words)
        if f is F64 and "ftz" in words:
            return gross(op, a)
        return approximate(op, f, a, words)

    state.write(operands[0], each(ty, [state.read(operands[1], ty)], of), ty)


UNORDERED = {"equ": "eq", "neu": "ne", "ltu": "lt", "leu": "le", "gtu": "gt", "geu": "ge"}
UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}


def holds(word, ty, a, b, ftz):
    """A comparison (manual 9.3.1)."""
    if ty not in FORMATS:
        return compare(UNSIGNED.get(word, word), number(ty, a), number(ty, b))
    f = FORMATS[ty]
    a, b = f.flush(a, ftz), f.flush(b, ftz)
    unordered = f.is_nan(a) or f.is_nan(b)
    if word in ("num", "nan"):
        return unordered == (word == "nan")
    if unordered:
        return word in UNORDERED

    def order(raw):
        magnitude = raw & ~f.sign
        return -magnitude if f.negative(raw) else magnitude

    return compare(UNORDERED.get(word, word), order(a), order(b))


def joined(words, outcome, operands, state):
    operator = next((word for word in words[2:] if word in ("and", "or", "xor")), None)
    if operator is None:
        return outcome
    c = state.read(operands[-1], "pred")
    return {"and": outcome & c, "or": outcome | c, "xor": outcome ^ c}[operator]


def comparisons(words, operands, state):
    """set, setp, selp, slct."""
    op = words[0]
    if op == "selp":
        a, b = (state.read(text, words[-1]) for text in operands[1:3])
        return state.write(operands[0], a if state.read(operands[3], "pred") else b, words[-1])
    if op == "slct":
        dtype, ctype = words[-2:]
        a, b = (state.read(text, dtype) for text in operands[1:3])
        c = state.read(operands[3], ctype)
        if ctype == "f32":
            c = F32.flush(c, "ftz" in words)
            picks = not F32.is_nan(c) and (not F32.negative(c) or F32.is_zero(c))
        else:
            picks = number("s32", c) >= 0
        return state.write(operands[0], a if picks else b, dtype)
    ty, ftz = words[-1], "ftz" in words
    element, count = PACKED.get(ty, (ty, 1))
    bits = width(element)
    a, b = (state.read(text, ty) for text in operands[1:3])
    outcomes = [
        int(holds(words[1], element, a >> (n * bits) & mask(bits), b >> (n * bits) & mask(bits), ftz))
        for n in range(count)
    ]
    if op == "setp":
        p, _, q = operands[0].partition("|")
        second = outcomes[1] if count == 2 else outcomes[0] ^ 1
        results = [joined(words, outcome, operands, state) for outcome in (outcomes[0], second)]
        state.write(p, results[0], "pred")
        if q:
            state.write(q, results[1], "pred")
        return None
    dtype = words[-2]
    size = width(dtype) // count
    name = PACKED.get(dtype, (dtype, 1))[0]
    true = FORMATS[name].one if name in FORMATS else mask(size)
    result = 0
    for n, outcome in enumerate(outcomes):
        if joined(words, outcome, operands, state):
            result |= true << (n * size)
    return state.write(operands[0], result, dtype)


def moves(words, operands, state):
    """mov, with packing and unpacking (manual 9.7.9.4)."""
    ty = words[-1]
    d, a = operands
    if "v2" in words or "v4" in words:  # element by element, all read before any is written
        raws = [state.read(text, ty) for text in split(a[1:-1])]
        for text, raw in zip(split(d[1:-1]), raws):
            state.write(text, raw, ty)
        return None
    if a.startswith("{"):
        texts = split(a[1:-1])
        bits = width(ty) // len(texts)
        raw = sum(state.read(text, "b%d" % bits) << (n * bits) for n, text in enumerate(texts))
    else:
        raw = state.read(a, ty)
    if not d.startswith("{"):
        return state.write(d, raw, ty)
    texts = split(d[1:-1])
    bits = width(ty) // len(texts)
    for n, text in enumerate(texts):
        state.write(text, raw >> (n * bits) & mask(bits), "b%d" % bits)


FAMILIES = [
    (arithmetic, "add sub mul mad fma div rem abs neg min max"),
    (carries, "addc subc madc"),
    (bits_of, "and or xor not cnot lop3 shl shr shf popc clz bfind brev fns bfe bfi bmsk szext prmt dp4a dp2a sad "
              "mul24 mad24"),
    (functions, "rcp sqrt rsqrt sin cos lg2 ex2 tanh testp copysign"),
    (comparisons, "set setp selp slct"),
    (moves, "mov"),
    (conversions, "cvt"),
    (video, "vadd vsub vabsdiff vmin vmax vshl vshr vmad vset"),
    (lanes, "vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4"),
]
FAMILY = {op: family for family, ops in FAMILIES for op in ops.split()}


def execute(text, state):
    """Runs the statements of a text."""
    for statement in filter(None, (part.strip() for part in text.split(";"))):
        if statement.startswith("@"):
            guard, statement = statement.split(None, 1)
            negated = guard.startswith("@!")
            if state.values[guard.lstrip("@!")] == int(negated):
                continue
        mnemonic, _, operands = statement.partition(" ")
        words = mnemonic.split(".")
        operands = split(operands)
        family = FAMILY.get(words[0])
        if family is None:
            raise Unknown(words[0])
        if "cc" in words:
            family = carries
        family(words, operands, state)
