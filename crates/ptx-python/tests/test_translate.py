"""Translation and optimization."""

import threading
import unittest
import warnings

import ptx_llvm
from texts import HEAD, SCALE

IR = """target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr addrspace(1) %to, i32 %x) {
  %a = add i32 %x, 3
  %b = add i32 %a, 4
  store i32 %b, ptr addrspace(1) %to
  ret void
}
"""


class Translating(unittest.TestCase):
    def test_ptx_to_llvm(self):
        ir = ptx_llvm.ptx_to_llvm(SCALE)
        self.assertIn("define ptx_kernel void @scale(", ir)
        self.assertIn("fmul", ir)
        self.assertEqual(ptx_llvm.parse(SCALE, "<ptx>").to_llvm(), ir)
        self.assertEqual(ptx_llvm.ptx_to_llvm(ptx_llvm.parse(SCALE, "<ptx>")), ir)

    def test_llvm_to_ptx(self):
        ptx = ptx_llvm.llvm_to_ptx(IR, "sm_90", version="8.1")
        module = ptx_llvm.parse(ptx)
        self.assertEqual((module.version, module.target), ("8.1", "sm_90"))
        self.assertEqual([i.mnemonic for i in module["k"].instructions].count("add.s32"), 2)
        self.assertEqual(ptx_llvm.llvm_to_ptx(IR.encode(), "90", version="8.1"), ptx)

    def test_optimization_keeps_the_language(self):
        ir = ptx_llvm.optimize(IR)
        self.assertIn("add i32 %x, 7", ir)
        added = HEAD + (
            ".visible .entry k(.param .u64 to)\n{\n .reg .b32 %r; .reg .b64 %rd;\n ld.param.u64 %rd, [to];\n"
            " mov.u32 %r, %tid.x;\n add.s32 %r, %r, 3;\n add.s32 %r, %r, 4;\n st.global.u32 [%rd], %r;\n ret;\n}\n"
        )
        for optimized in [ptx_llvm.parse(ptx_llvm.optimize(added)), ptx_llvm.parse(added).optimize()]:
            instructions = [str(i) for i in optimized["k"].instructions]
            self.assertEqual(len([i for i in instructions if i.startswith("add") and i.endswith(", 7")]), 1, instructions)

    def test_passes_are_those_of_opt(self):
        self.assertIn("add i32 %x, 7", ptx_llvm.optimize(IR, 0, "function(instcombine)"))
        with self.assertRaises(ptx_llvm.PtxError) as caught:
            ptx_llvm.optimize(IR, 0, "function(nonsense)")
        self.assertEqual([d.code for d in caught.exception.diagnostics], ["O0001"])

    def test_errors_have_places(self):
        with self.assertRaises(ptx_llvm.PtxError) as caught:
            ptx_llvm.llvm_to_ptx("define void @f() {\n  frob\n}\n", name="f.ll")
        (error,) = caught.exception.diagnostics
        self.assertEqual((error.file, error.line, error.column), ("f.ll", 2, 3))
        with self.assertRaisesRegex(ptx_llvm.PtxError, "the input is PTX, not LLVM IR"):
            ptx_llvm.llvm_to_ptx(SCALE)

    def test_values_that_are_not_known(self):
        for call in [
            lambda: ptx_llvm.optimize(IR, 4),
            lambda: ptx_llvm.llvm_to_ptx(IR, "sm_81"),
            lambda: ptx_llvm.llvm_to_ptx(IR, "gfx90a"),
            lambda: ptx_llvm.llvm_to_ptx(IR, version="8"),
        ]:
            with self.assertRaises(ValueError):
                call()

    def test_warnings_are_warnings_of_python(self):
        text = IR.replace("%x) {", "%x) optnone noinline {")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ptx_llvm.optimize(text)
        self.assertEqual([w.category for w in caught], [ptx_llvm.PtxWarning])
        self.assertIn("O0002", str(caught[0].message))

    def test_threads_translate_at_the_same_time(self):
        expected = ptx_llvm.optimize(SCALE)
        found = []
        threads = [threading.Thread(target=lambda: found.append(ptx_llvm.optimize(SCALE))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 4)

    def test_versions(self):
        versions = ptx_llvm.version()
        self.assertEqual(versions["ptx_llvm"], ptx_llvm.__version__)
        self.assertRegex(versions["llvm"], r"^22\.\d+\.\d+")


if __name__ == "__main__":
    unittest.main()
