"""A plugin for pytest: tests that use CUDA run without a GPU, as with `ptx-cuda run`.

    pytest -p pytest_ptx_cuda --ptx-cuda-arch=90a

The module is one file, which has to be on Python's path. It asks `ptx-cuda` for the environment; the dynamic linker reads that when a process
starts, so Python is started again with it, before any test is imported. The workers of pytest-xdist inherit it.
"""

import json
import os
import shutil
import subprocess
import sys

import pytest

# What `ptx-cuda env` takes, with the help of pytest.
OPTIONS = {
    "arch": "the architecture of the devices: 75, 80, 86, 89, 90a, 100a, 103a or 120a",
    "devices": "the number of devices",
    "memory": "memory of each device: bytes, or a number with K, M, G or T",
    "bounds": "where allocations end: exact, or gpu for a multiple of 512 bytes",
    "engine": "what executes kernels: auto, interp or jit",
    "check": "checks in compiled kernels: none or memory",
    "log": "log each call that fails to this file, or to stderr",
    "profile": "append launches, time and instructions of each kernel to this file as a line of JSON for each process",
    "lib-dir": "the folder with the libraries",
}

# Set in the process that was started again, to the arguments that it was started for.
MARKER = "PTX_CUDA_PYTEST"


def pytest_addoption(parser):
    group = parser.getgroup("ptx-cuda", "CUDA without a GPU")
    for name, text in OPTIONS.items():
        group.addoption(f"--ptx-cuda-{name}", metavar=name.upper().replace("-", "_"), help=text)
    group.addoption("--ptx-cuda-tool", metavar="FILE", help="the program ptx-cuda, if it is not on PATH")


def arguments(options):
    """The arguments of `ptx-cuda env`."""
    values = {name: getattr(options, "ptx_cuda_" + name.replace("-", "_")) for name in OPTIONS}
    return [f"--{name}={value}" for name, value in values.items() if value is not None]


def environment(options):
    """The variables that ptx-cuda sets, with their values."""
    tool = options.ptx_cuda_tool or shutil.which("ptx-cuda")
    if tool is None:
        raise pytest.UsageError("ptx-cuda is not on PATH; --ptx-cuda-tool names it")
    command = [tool, "env", "--format=json", *arguments(options)]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    except OSError as error:
        raise pytest.UsageError(f"ptx-cuda does not start: {error}") from None
    if done.returncode != 0:
        raise pytest.UsageError(done.stderr.strip())
    sys.stderr.write(done.stderr)
    return json.loads(done.stdout)


# Before pytest redirects the output, which a process that is started again would not know of.
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config):
    options = early_config.known_args_namespace
    wanted = json.dumps(arguments(options))
    # A worker has the environment of the process that started it, and not all of its options.
    if "PYTEST_XDIST_WORKER" not in os.environ and os.environ.get(MARKER) != wanted:
        variables = {**os.environ, **environment(options), MARKER: wanted}
        sys.stdout.flush()
        sys.stderr.flush()
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], variables)
    return (yield)


def pytest_report_header(config):
    return "ptx-cuda: " + (" ".join(arguments(config.option)) or "CUDA on the host CPU")
