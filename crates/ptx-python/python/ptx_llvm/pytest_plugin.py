"""A plugin for pytest: with ``--ptx-cuda`` tests that use CUDA run without a GPU, as with ``ptx-cuda run``.

    pytest --ptx-cuda --ptx-cuda-arch=90a

It needs the program ``ptx-cuda`` with its libraries, which this package does not have: on ``PATH``, or named by ``--ptx-cuda-tool``.
"""

from __future__ import annotations

import pytest

from . import _pytest_ptx_cuda as plugin

# The same plugin as a file of its own (`-p pytest_ptx_cuda`), which needs no option.
ALONE = "pytest_ptx_cuda"


def pytest_addoption(parser, pluginmanager):
    if not pluginmanager.has_plugin(ALONE):
        plugin.pytest_addoption(parser)
        group = parser.getgroup("ptx-cuda", "CUDA without a GPU")
        group.addoption("--ptx-cuda", action="store_true", help="run tests that use CUDA on the host's processor")


def is_wanted(config, options):
    return not config.pluginmanager.has_plugin(ALONE) and options.ptx_cuda


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config):
    if is_wanted(early_config, early_config.known_args_namespace):
        return (yield from plugin.pytest_load_initial_conftests(early_config))
    return (yield)


def pytest_report_header(config):
    return plugin.pytest_report_header(config) if is_wanted(config, config.option) else None
