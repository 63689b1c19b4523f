"""What the scripts of several folders share: a case's arguments and expected values, its files, and numbers that NumPy lacks."""
import hashlib
import os
import sys

import numpy as np

np.seterr(all="ignore")
END = "// END\n"
# The types of NumPy, and PTX's names for them where they differ.
PTX_TYPES = {"i32": "s32", "i64": "s64", "i8": "s8", "i16": "s16", "e4m3": "b8", "e5m2": "b8"}


class Case:
    """One launch of a kernel: its directives, and the files that they name."""

    def __init__(self, name):
        self.name, self.lines, self.files = name, [], {}
        # The type of each argument, `*` in front where it is a buffer.
        self.types = []

    def scalar(self, ty, value):
        self.types.append(ty)
        self.lines.append(f"ARG: {PTX_TYPES.get(ty, ty)} = {value}")

    def buffer(self, kind, name, ty, data=None, count=None):
        """An input, or a buffer that is written; its elements are bits where NumPy lacks the type."""
        self.types.append("*" + ty)
        words = PTX_TYPES.get(ty, ty)
        if data is None:
            self.lines.append(f"ARG: {kind} {name} {words}[{count}]")
        else:
            self.lines.append(f"ARG: {kind} {name} {self.values(name + '.in', ty, data)}")

    def values(self, name, ty, data):
        words = PTX_TYPES.get(ty, ty)
        data = np.ascontiguousarray(data).ravel()
        self.files[f"{self.name}.{name}.bin"] = data.tobytes()
        return f"{words}[{data.size}] = file({self.name}.{name}.bin)"

    def want(self, name, ty, data, file=None, **judgement):
        data = np.ascontiguousarray(data).ravel()
        judged = "".join(f" {key}={value}" for key, value in judgement.items())
        file = f"{self.name}.{file or name}.bin"
        self.files[file] = data.tobytes()
        self.lines.append(f"WANT: {name} = file({file}){judged}")

    def arguments(self):
        return [f"// {line}" for line in self.lines if line.startswith("ARG")]

    def wants(self):
        return [f"// {line}" for line in self.lines if line.startswith("WANT")]


def settle(folder, made, write):
    """Writes the files of a folder, or ends with the names of those that differ."""
    wrong = []
    for name, content in made.items():
        path = os.path.join(folder, name)
        if write:
            with open(path, "wb") as f:
                f.write(content)
        elif not os.path.exists(path) or open(path, "rb").read() != content:
            wrong.append(name)
    if wrong:
        sys.exit("not what the script makes: " + " ".join(wrong))


def rng(name):
    return np.random.default_rng(int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "little"))


def bf16(x):
    """The bits of the nearest bfloat16, ties to even."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def small_float(exponent_bits, mantissa_bits, bias, is_e4m3):
    """The values of all codes of an 8-bit float."""
    codes = np.arange(256)
    sign = np.where(codes >> 7, -1.0, 1.0)
    exponent = codes >> mantissa_bits & ((1 << exponent_bits) - 1)
    mantissa = codes & ((1 << mantissa_bits) - 1)
    value = np.where(exponent == 0, mantissa * 2.0 ** (1 - bias - mantissa_bits),
                     (1 + mantissa / 2.0 ** mantissa_bits) * 2.0 ** (exponent - bias))
    if is_e4m3:
        value = np.where(codes & 0x7F == 0x7F, np.nan, value)
    else:
        value = np.where(exponent == 31, np.where(mantissa == 0, np.inf, np.nan), value)
    return sign * value


E4M3, E5M2 = small_float(4, 3, 7, True), small_float(5, 2, 15, False)


def codes_of(table, x):
    """The codes of values that an 8-bit float has."""
    lookup = {float(v): code for code, v in reversed(list(enumerate(table))) if np.isfinite(v)}
    return np.vectorize(lambda v: lookup[float(v)], otypes=[np.uint8])(x)


def nearest(codes, x):
    """The codes of the nearest values, ties to the even code, saturated."""
    finite = np.isfinite(codes)
    order = np.where(finite)[0]
    result = []
    for v in x:
        distance = abs(codes[order] - v)
        near = order[distance == distance.min()]
        even = [n for n in near if n % 2 == 0 and np.signbit(codes[n]) == np.signbit(v)] or list(near)
        result.append(even[0])
    return np.array(result, np.uint8)
