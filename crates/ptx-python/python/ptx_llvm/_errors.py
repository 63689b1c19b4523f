"""Diagnostics, errors and warnings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional, Sequence


@dataclass(frozen=True)
class Diagnostic:
    """An error, a warning or a note about a text. ``str()`` gives it as the command-line tools print it."""

    code: str
    """The stable code, such as ``V0101``; ``ptxrun --explain CODE`` describes it."""
    severity: str
    """``error``, ``warning`` or ``note``."""
    message: str
    """A sentence in lower case without a full stop."""
    file: str
    """The name of the text."""
    line: Optional[int] = None
    """The line, from 1; ``None`` for a diagnostic about the text as a whole."""
    column: Optional[int] = None
    """The column in bytes, from 1."""
    help: Optional[str] = None
    """How to correct the text, if there is a suggestion."""
    notes: tuple = ()
    """Related locations, each as ``file:line:column: text``."""
    text: str = field(default="", repr=False)
    """All of it as text."""

    def __str__(self) -> str:
        return self.text


class Error(Exception):
    """The base of all errors of this package."""


class PtxError(Error):
    """A text is rejected: PTX or LLVM IR that is invalid, or that cannot be translated."""

    def __init__(self, message: str = "", diagnostics: Sequence[Diagnostic] = ()):
        super().__init__(message)
        self.diagnostics = list(diagnostics)
        """All diagnostics about the text, warnings included."""


class DeviceError(Error):
    """A device refuses a call."""

    def __init__(
        self, message: str = "", kind: str = "internal", cuda_result: int = 999, diagnostics: Sequence[Diagnostic] = ()
    ):
        super().__init__(message)
        self.kind = kind
        """The kind of error, such as ``out_of_memory``."""
        self.cuda_result = cuda_result
        """The number that the CUDA driver returns for such an error (``CUresult``)."""
        self.diagnostics = list(diagnostics)
        """The diagnostics about the module or the launch, if there are any."""


class LaunchError(DeviceError):
    """A launch is refused, or a thread of it was stopped. ``str()`` is the report; ``kind`` tells errors apart: ``illegal_address``,
    ``misaligned``, ``trap``, ``assertion``, ``deadlock``, ``timeout``, ``invalid_launch`` and others."""


class PtxWarning(UserWarning):
    """A warning about a text that is accepted."""
