"""What the Triton kernels of this folder share: cases, their directives and expected values."""
import hashlib
import math
import os
import sys

import numpy as np

np.seterr(all="ignore")
HERE = os.path.dirname(os.path.abspath(__file__))
if "--compile" in sys.argv:
    os.environ["TRITON_DISABLE_LINE_INFO"] = "1"
    os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
    import triton
    import triton.language as tl
    from triton.language.extra import libdevice
    jit = triton.jit
else:
    # Without the package only the expected values are made; the bodies are not looked at.
    class Anything:
        def __getattr__(self, name):
            return self

        def __call__(self, *args, **kwargs):
            return self

    tl = libdevice = triton = Anything()
    jit = lambda function: function

TYPES = {"f32": ("fp32", np.float32), "f16": ("fp16", np.float16), "f64": ("fp64", np.float64), "i32": ("i32", np.int32),
         "u32": ("u32", np.uint32), "i64": ("i64", np.int64), "i8": ("i8", np.int8), "u8": ("u8", np.uint8), "i16": ("i16", np.int16),
         "bf16": ("bf16", None), "e4m3": ("fp8e4nv", None), "e5m2": ("fp8e5", None)}
PTX_TYPES = {"i32": "s32", "i64": "s64", "i8": "s8", "i16": "s16", "e4m3": "b8", "e5m2": "b8"}
ALL = (80, 90, 100, 120)
CASES = {}


class Case:
    def __init__(self, name, function, constexprs, options):
        self.name, self.function, self.constexprs, self.options = name, function, constexprs, options
        self.lines, self.files, self.signature = [], {}, []

    def scalar(self, ty, value):
        self.signature.append(TYPES[ty][0])
        self.lines.append(f"ARG: {PTX_TYPES.get(ty, ty)} = {value}")

    def buffer(self, kind, name, ty, data=None, count=None):
        """An input, or a buffer that is written; its elements are bits where NumPy lacks the type."""
        self.signature.append("*" + TYPES[ty][0])
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

    def want(self, name, ty, data, **judgement):
        data = np.ascontiguousarray(data).ravel()
        judged = "".join(f" {key}={value}" for key, value in judgement.items())
        self.files[f"{self.name}.{name}.bin"] = data.tobytes()
        self.lines.append(f"WANT: {name} = file({self.name}.{name}.bin){judged}")


def case(kernel, grid=1, targets=(80,), num_warps=4, num_stages=None, num_ctas=1, constexprs=None, roundtrip=True):
    """One launch of a kernel; the function that is decorated adds arguments and expectations."""
    def decorate(function):
        options = {"num_warps": num_warps, "num_ctas": num_ctas}
        if num_stages is not None:
            options["num_stages"] = num_stages
        grids = grid if isinstance(grid, tuple) else (grid,)
        name = function.__name__
        assert name not in CASES, name
        this = Case(name, kernel, constexprs or {}, options)
        this.grid, this.targets, this.roundtrip = grids, targets, roundtrip
        function(this)
        CASES[name] = this
        return function
    return decorate


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
