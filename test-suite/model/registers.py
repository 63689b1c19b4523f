"""Types, constants and registers of PTX (manual 4.5, 5.2, 9.4)."""

import re
import struct

from formats import FORMATS

INT = re.compile(r"[us](8|16|32|64)$|b(8|16|32|64|128)$")
PACKED = {"f16x2": ("f16", 2), "bf16x2": ("bf16", 2), "f32x2": ("f32", 2), "u16x2": ("u16", 2),
          "s16x2": ("s16", 2), "u8x4": ("u8", 4), "s8x4": ("s8", 4)}
WIDTHS = {"pred": 1, "tf32": 32, **{f.name: f.bits for f in FORMATS.values()}}


class Unknown(Exception):
    """The model does not know an instruction."""


class Loose:
    """A result of which not every bit is defined: `accepts(raw)` tells whether a result is one of those allowed."""

    def __init__(self, accepts, text):
        self.accepts, self.text = accepts, text


def width(ty):
    if ty in WIDTHS:
        return WIDTHS[ty]
    if ty in PACKED:
        element, count = PACKED[ty]
        return width(element) * count
    match = re.match(r"(?:[a-z]+)(\d+)$", ty)
    if match:
        return int(match.group(1))
    raise Unknown(ty)


def mask(bits):
    return (1 << bits) - 1


def number(ty, raw):
    """The integer that the bits mean; untyped ones are unsigned."""
    bits = width(ty)
    raw &= mask(bits)
    return raw - (1 << bits) if ty[0] == "s" and raw >> (bits - 1) else raw


def limits(ty):
    bits = width(ty)
    return (-(1 << (bits - 1)), mask(bits - 1)) if ty[0] == "s" else (0, mask(bits))


def clamp(ty, value):
    low, high = limits(ty)
    return max(low, min(high, value))


def is_type(word):
    return word in WIDTHS or word in PACKED or bool(INT.match(word))



class State:
    """The registers of a block: values and declared types; `carry` is the condition code (manual 9.7.2)."""

    def __init__(self, values, types):
        self.values, self.types, self.carry, self.loose = values, types, 0, {}

    def read(self, text, ty):
        """The bits of an operand as a value of a type."""
        text = text.strip()
        if text.startswith("!"):
            return self.values[text[1:]] ^ 1
        if text.startswith("%"):
            return self.values[text] & mask(width(ty))
        if re.match(r"0[fF][0-9a-fA-F]{8}$", text):
            raw = int(text[2:], 16)
            return raw if ty in ("f32", "b32") else wide_constant(struct.unpack(">f", struct.pack(">I", raw))[0], ty)
        if re.match(r"0[dD][0-9a-fA-F]{16}$", text):
            raw = int(text[2:], 16)
            return raw if ty in ("f64", "b64") else wide_constant(struct.unpack(">d", struct.pack(">Q", raw))[0], ty)
        if re.match(r"-?\d+\.\d*$", text):
            return wide_constant(float(text), ty)
        if re.match(r"-?(0x[0-9a-fA-F]+|\d+)U?$", text):
            value = int(text.rstrip("U"), 0)
            return int(value != 0) if ty == "pred" else value & mask(width(ty))
        raise Unknown(text)

    def write(self, text, raw, ty):
        """Writes a value of a type; a wider register is filled by its sign or with zeros (manual 9.4.1)."""
        text = text.strip()
        if text == "_":
            return
        self.loose.pop(text, None)
        if isinstance(raw, Loose):
            self.loose[text], raw = raw, 0
        declared = width(self.types[text])
        if ty[0] == "s" and declared > width(ty):
            raw = number(ty, raw)
        self.values[text] = raw & mask(declared)


def wide_constant(value, ty):
    if ty == "f64":
        return struct.unpack(">Q", struct.pack(">d", value))[0]
    if ty == "f32":
        return struct.unpack(">I", struct.pack(">f", value))[0]
    raise Unknown("constant of " + ty)


def split(text):
    """Operands at their commas, outside of braces."""
    parts, depth, current = [], 0, ""
    for char in text:
        if char == "," and depth == 0:
            parts.append(current.strip())
            current = ""
            continue
        depth += {"{": 1, "}": -1}.get(char, 0)
        current += char
    return parts + [current.strip()] if current.strip() else parts


def each(ty, raws, function):
    """Applies a function to the elements of packed values."""
    if ty not in PACKED:
        return function(ty, *raws)
    element, count = PACKED[ty]
    bits = width(element)
    return together(
        [function(element, *(raw >> (n * bits) & mask(bits) for raw in raws)) for n in range(count)], bits
    )


def together(wanted, bits):
    """Elements, the lowest first, as one value."""
    if not any(isinstance(one, Loose) for one in wanted):
        return sum(one << (n * bits) for n, one in enumerate(wanted))

    def accepts(got):
        parts = [got >> (n * bits) & mask(bits) for n in range(len(wanted))]
        return all(one.accepts(part) if isinstance(one, Loose) else one == part for one, part in zip(wanted, parts))

    return Loose(accepts, ", ".join(one.text if isinstance(one, Loose) else "%#x" % one for one in wanted))
