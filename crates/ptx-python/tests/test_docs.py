"""The examples of docs/python.md, one after the other: what a block prints is the block of text after it."""

import contextlib
import io
import os
import pathlib
import re
import tempfile
import unittest

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "python.md"
# Addresses are those of the process.
ADDRESS = re.compile(r"0x[0-9a-f]+(?= in )")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

try:
    import numpy
except ImportError:
    numpy = None


class Page(unittest.TestCase):
    maxDiff = None

    @unittest.skipIf(numpy is None, "NumPy is not installed")
    def test_examples(self):
        blocks = [(m.group(1), m.group(2), m.start()) for m in BLOCK.finditer(PAGE.read_text())]
        names, count, here = {"__name__": "example"}, 0, os.getcwd()
        text = PAGE.read_text()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for index, (language, code, start) in enumerate(blocks):
                    if language != "python":
                        continue
                    line = text.count("\n", 0, start) + 2
                    out = io.StringIO()
                    with contextlib.redirect_stdout(out):
                        exec(compile("\n" * (line - 1) + code, str(PAGE), "exec"), names)
                    following = blocks[index + 1] if index + 1 < len(blocks) else ("", "", 0)
                    end = start + len("```python\n") + len(code) + len("```")
                    expects = following[0] == "text" and not text[end : following[2]].strip()
                    self.assertEqual(ADDRESS.sub("0x...", out.getvalue()), following[1] if expects else "", f"line {line}")
                    count += 1
            finally:
                os.chdir(here)
        self.assertGreater(count, 5)


if __name__ == "__main__":
    unittest.main()
