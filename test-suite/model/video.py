"""Video instructions (manual 9.7.18)."""

from registers import clamp, mask, number


def part(text):
    """A register of a video instruction, its sign turned around or not, and the selector."""
    negated = text.startswith("-%")
    name, dot, selector = text.lstrip("-").partition(".")
    return name, selector if dot else None, negated


def selected(raw, selector, ty):
    if selector is None:
        return number(ty[0] + "32", raw)
    size = 8 if selector[0] == "b" else 16
    return number(ty[0] + str(size), raw >> (int(selector[1]) * size))


def compare(word, a, b):
    return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[word]


def primary(words, op, a, b):
    """The operation of the second stage (manual 9.7.18)."""
    if op in ("vshl", "vshr"):
        b = min(b, 32) if "clamp" in words else b & 31
        if op == "vshr":
            return a >> b
        wide = (a << b) & mask(34)  # a signed 34-bit result
        return wide - (1 << 34) if wide >> 33 else wide
    if op.startswith("vset"):
        return int(compare(next(word for word in words if word in ("eq", "ne", "lt", "le", "gt", "ge")), a, b))
    if op.startswith("vavrg"):
        return (a + b + 1) >> 1 if a + b >= 0 else (a + b) >> 1
    kind = op.rstrip("24")
    return {"vadd": a + b, "vsub": a - b, "vabsdiff": abs(a - b), "vmin": min(a, b), "vmax": max(a, b)}[kind]


def video(words, operands, state):
    op, types = words[0], [word for word in words if word in ("u32", "s32")]
    if op == "vmad":
        return vmad(words, types, operands, state)
    dtype = "u32" if op == "vset" else types.pop(0)
    atype, btype = types
    (d, dsel, _), a, b = part(operands[0]), part(operands[1]), part(operands[2])
    ta = selected(state.read(a[0], "u32"), a[1], atype)
    tb = selected(state.read(b[0], "u32"), b[1], btype)
    tmp = primary(words, op, ta, tb)
    if "sat" in words:
        size = 32 if dsel is None else 8 if dsel[0] == "b" else 16
        tmp = clamp(dtype[0] + str(size), tmp)
    if len(operands) > 3:
        c = state.read(operands[3], "u32")
        second = words[-1] if words[-1] in ("add", "min", "max") else None
        if second:
            signed = number(dtype, c)
            tmp = {"add": tmp + signed, "min": min(tmp, signed), "max": max(tmp, signed)}[second]
        elif dsel is not None:
            size = 8 if dsel[0] == "b" else 16
            shift = int(dsel[1]) * size
            tmp = (tmp & mask(size)) << shift | c & ~(mask(size) << shift)
    state.write(d, tmp & mask(32), "u32")


def vmad(words, types, operands, state):
    _, atype, btype = types
    (d, _, _), a, b, c = (part(text) for text in operands)
    ta = selected(state.read(a[0], "u32"), a[1], atype)
    tb = selected(state.read(b[0], "u32"), b[1], btype)
    tc = state.read(c[0], "u32")
    product = a[2] != b[2]
    signed = atype[0] == "s" or btype[0] == "s" or product or c[2]
    tmp, lsb = ta * tb, 0
    if "po" in words:
        lsb = 1
    elif product:
        tmp, lsb = ~tmp, 1
    elif c[2]:
        tc, lsb = ~tc & mask(32), 1
    tmp += number("s32" if signed else "u32", tc) + lsb
    result = tmp >> (7 if "shr7" in words else 15 if "shr15" in words else 0)
    if "sat" in words:
        result = clamp("s32" if signed else "u32", result)
    state.write(d, result & mask(32), "u32")


def lanes(words, operands, state):
    op, types = words[0], [word for word in words if word in ("u32", "s32")]
    size, count = (16, 2) if op[-1] == "2" else (8, 4)
    dtype = "u32" if op.startswith("vset") else types.pop(0)
    (d, dmask, _), a, b = part(operands[0]), part(operands[1]), part(operands[2])
    c = state.read(operands[3], "u32")
    both = state.read(b[0], "u32") << 32 | state.read(a[0], "u32")

    def pick(selector, default, ty):
        digits = [int(digit) for digit in (selector[1:] if selector else default)]
        return [number(ty[0] + str(size), both >> (digit * size)) for digit in reversed(digits)]

    va = pick(a[1], "10" if count == 2 else "3210", types[0])
    vb = pick(b[1], "32" if count == 2 else "7654", types[1])
    named_lanes = range(count) if dmask is None else [int(digit) for digit in dmask[1:]]
    result = c
    for n in range(count):
        t = primary(words, op, va[n], vb[n])
        if "sat" in words:
            t = clamp(dtype[0] + str(size), t)
        if n not in named_lanes:
            continue
        if "add" in words:
            result += t
        else:
            result = result & ~(mask(size) << (n * size)) | (t & mask(size)) << (n * size)
    state.write(d, result & mask(32), "u32")
