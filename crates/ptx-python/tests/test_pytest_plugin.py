"""The plugin for pytest, with a stand-in for the program `ptx-cuda`; test-suite/clients/pytest_plugin.py tests it with the program."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import pytest
except ImportError:
    pytest = None

TOOL = f"""#!{sys.executable}
import json, sys
assert sys.argv[1:3] == ["env", "--format=json"], sys.argv
print(json.dumps({{"CUDA_STAND_IN": " ".join(sys.argv[3:]) or "no options"}}))
"""

TESTS = """
import os

def test_environment():
    print("found:", os.environ.get("CUDA_STAND_IN"))
"""

# Files of our own, so that the plugin is found as it is by the entry point of the installed package.
PLUGIN = ["-p", "ptx_llvm.pytest_plugin"]


@unittest.skipIf(pytest is None, "pytest is not installed")
class Plugin(unittest.TestCase):
    def run_pytest(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            tool = path / "ptx-cuda"
            tool.write_text(TOOL)
            tool.chmod(0o755)
            (path / "test_it.py").write_text(TESTS)
            (path / "pytest.ini").write_text("[pytest]\n")
            environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
            environment.pop("PTX_CUDA_PYTEST", None)
            command = [sys.executable, "-m", "pytest", *PLUGIN, "-rP", *options]
            return subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True)

    def test_without_the_option_nothing_happens(self):
        done = self.run_pytest()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("found: None", done.stdout)
        self.assertNotIn("ptx-cuda:", done.stdout)

    def test_the_environment_is_that_of_the_tool(self):
        done = self.run_pytest("--ptx-cuda", "--ptx-cuda-arch=80")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("found: --arch=80", done.stdout)
        self.assertIn("ptx-cuda: --arch=80", done.stdout)

    def test_a_tool_that_is_not_there(self):
        done = self.run_pytest("--ptx-cuda", "--ptx-cuda-tool=/no/such/tool")
        self.assertEqual(done.returncode, 4)
        self.assertIn("ptx-cuda does not start", done.stderr)


if __name__ == "__main__":
    unittest.main()
