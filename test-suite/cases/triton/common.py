"""What the Triton kernels of this folder share: cases, their directives and expected values."""
import math
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from case import *  # noqa: E402, F401, F403

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

TYPES = {"f32": "fp32", "f16": "fp16", "f64": "fp64", "e4m3": "fp8e4nv", "e5m2": "fp8e5"}
ALL = (80, 90, 100, 120)
CASES = {}


def case(kernel, grid=1, targets=(80,), num_warps=4, num_stages=None, num_ctas=1, constexprs=None, roundtrip=True):
    """One launch of a kernel; the function that is decorated adds arguments and expectations."""
    def decorate(function):
        options = {"num_warps": num_warps, "num_ctas": num_ctas}
        if num_stages is not None:
            options["num_stages"] = num_stages
        grids = grid if isinstance(grid, tuple) else (grid,)
        name = function.__name__
        assert name not in CASES, name
        this = Case(name)
        this.function, this.constexprs, this.options = kernel, constexprs or {}, options
        this.grid, this.targets, this.roundtrip = grids, targets, roundtrip
        function(this)
        CASES[name] = this
        return function
    return decorate
