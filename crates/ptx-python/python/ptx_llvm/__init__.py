"""PTX in Python: reading, checking, translating to LLVM IR and back, optimizing, and executing it on the host's processor.

    import ptx_llvm

    module = ptx_llvm.parse(text)           # PtxError has the diagnostics
    ir = module.to_llvm()                   # LLVM IR
    ptx = ptx_llvm.optimize(text, level=2)  # PTX again

    device = ptx_llvm.Device()              # no GPU is needed
    kernel = device.load(text)["scale"]
    kernel[blocks, threads](array, 2.0, len(array))
"""

from __future__ import annotations

from ._errors import DeviceError, Diagnostic, Error, LaunchError, PtxError, PtxWarning
from ._native import (
    ConfiguredKernel,
    Device,
    DeviceArray,
    Function,
    Instruction,
    Kernel,
    LoadedModule,
    Module,
    Parameter,
    Register,
    Report,
    Texture,
    Variable,
    __version__,
    llvm_to_ptx,
    optimize,
    parse,
    ptx_to_llvm,
    version,
)

__all__ = [
    "ConfiguredKernel",
    "Device",
    "DeviceArray",
    "DeviceError",
    "Diagnostic",
    "Error",
    "Function",
    "Instruction",
    "Kernel",
    "LaunchError",
    "LoadedModule",
    "Module",
    "Parameter",
    "PtxError",
    "PtxWarning",
    "Register",
    "Report",
    "Texture",
    "Variable",
    "llvm_to_ptx",
    "optimize",
    "parse",
    "ptx_to_llvm",
    "version",
]
