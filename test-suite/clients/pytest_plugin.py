"""The plugin of ptx-cuda for pytest, in processes of its own: `python pytest_plugin.py NAME..`; prints a line for each."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TESTS = '''
import ctypes
import os
import subprocess
import sys

import pytest


def capability():
    driver = ctypes.CDLL("libcuda.so.1")
    assert driver.cuInit(0) == 0
    major, minor = ctypes.c_int(), ctypes.c_int()
    assert driver.cuDeviceGetAttribute(ctypes.byref(major), 75, 0) == 0
    assert driver.cuDeviceGetAttribute(ctypes.byref(minor), 76, 0) == 0
    return major.value * 10 + minor.value


@pytest.mark.parametrize("number", range(4))
def test_driver(number, record_property):
    print(f"seen by {os.environ.get('PYTEST_XDIST_WORKER', 'no worker')}")
    assert capability() == WANTED


def test_children():
    code = "import ctypes; print(ctypes.CDLL('libcuda.so.1').cuInit(0))"
    assert subprocess.check_output([sys.executable, "-c", code]) == b"0\\n"
'''

PLUGIN = pathlib.Path(__file__).resolve().parents[2] / "tools/ptx-cuda/python"

TOOL = pathlib.Path(shutil.which("ptxas")).resolve()


def plain_environment():
    """That of a process that `ptx-cuda run` did not start."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PTX_", "LD_", "TRITON_", "NUMBA_"))}
    return {**kept, "PYTHONPATH": str(PLUGIN), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": ""}


def pytest(wanted, *options, ini="", status=0, text=TESTS):
    """Runs the tests with the plugin; gives what pytest prints."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "test_driver.py").write_text(text.replace("WANTED", str(wanted)))
        (path / "pytest.ini").write_text("[pytest]\n" + ini)
        command = [sys.executable, "-m", "pytest", "-p", "pytest_ptx_cuda", f"--ptx-cuda-lib-dir={TOOL.parent}", *options]
        if not any(option.startswith("--ptx-cuda-tool") for option in options):
            command.append(f"--ptx-cuda-tool={TOOL}")
        done = subprocess.run(command, cwd=folder, env=plain_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
        assert done.returncode == status, f"status {done.returncode}\n{done.stdout}"
        return done.stdout


def plain():
    out = pytest(90)
    assert "5 passed" in out, out


def options():
    out = pytest(80, "--ptx-cuda-arch=80", "-v")
    assert "5 passed" in out and "--arch=80" in out, out
    out = pytest(75, ini="addopts = --ptx-cuda-arch=75\n")
    assert "5 passed" in out, out


def workers():
    out = pytest(100, "--ptx-cuda-arch=100a", "-n", "2", "-rP")
    assert "5 passed" in out and "seen by gw0" in out and "seen by gw1" in out, out


def failures():
    """Output is captured and shown, and the status is that of pytest."""
    out = pytest(0, "-k", "test_driver and 0", status=1)
    assert "1 failed" in out and out.count("seen by no worker") == 1, out
    out = pytest(90, text=TESTS + "\n\ndef test_stops():\n    import os\n    os._exit(7)\n", status=7)


def wrong_use():
    out = pytest(90, "--ptx-cuda-arch=81", status=4)
    assert "invalid value '81'" in out, out
    out = pytest(90, "--ptx-cuda-tool=/no/such/tool", status=4)
    assert "ptx-cuda does not start" in out, out


def main():
    tests = {test.__name__: test for test in (plain, options, workers, failures, wrong_use)}
    for name in sys.argv[1:] or tests:
        tests[name]()
        print(f"passed {name}", flush=True)


main()
