"""Reading and checking PTX."""

import pickle
import unittest

import ptx_llvm
from texts import HEAD, SCALE


class Parsing(unittest.TestCase):
    def setUp(self):
        self.module = ptx_llvm.parse(SCALE, "scale.ptx")

    def test_the_head_of_a_module(self):
        module = self.module
        self.assertEqual((module.version, module.target, module.address_size), ("8.0", "sm_80", 64))
        self.assertEqual(module.name, "scale.ptx")
        self.assertEqual(module.target_options, [])
        self.assertEqual(ptx_llvm.parse(SCALE.replace("sm_80", "sm_80, debug")).target_options, ["debug"])

    def test_text_is_str_or_bytes(self):
        self.assertEqual(str(ptx_llvm.parse(SCALE.encode())), str(self.module))
        with self.assertRaisesRegex(TypeError, "str or bytes, not int"):
            ptx_llvm.parse(3)

    def test_printed_text_is_read_again(self):
        self.assertEqual(str(ptx_llvm.parse(str(self.module))), str(self.module))

    def test_a_kernel_and_its_parameters(self):
        (kernel,) = self.module.kernels
        self.assertEqual(kernel.name, "scale")
        self.assertTrue(kernel.is_kernel)
        self.assertFalse(kernel.is_declaration)
        self.assertEqual((kernel.linkage, kernel.line), ("visible", 4))
        found = [(p.name, p.type, p.size, p.alignment, p.dims, p.pointer) for p in kernel.params]
        expected = [
            ("data", "u64", 8, 8, [], "global"),
            ("factor", "f32", 4, 4, [], None),
            ("n", "u32", 4, 4, [], None),
        ]
        self.assertEqual(found, expected)
        self.assertEqual(kernel.results, [])

    def test_instructions_have_parts_and_places(self):
        instructions = self.module["scale"].instructions
        self.assertEqual(len(instructions), 14)
        lines = SCALE.splitlines()
        for instruction in instructions:
            line = lines[instruction.line - 1]
            self.assertEqual(line[instruction.column - 1 :].rstrip(";"), str(instruction))
        branch = instructions[6]
        self.assertEqual((branch.opcode, branch.mnemonic, branch.modifiers), ("bra", "bra", []))
        self.assertEqual((branch.predicate, branch.operands, branch.label), ("%p", ["end"], None))
        load = instructions[10]
        self.assertEqual((load.opcode, load.mnemonic), ("ld", "ld.global.f32"))
        self.assertEqual((load.modifiers, load.operands), (["global", "f32"], ["%f1", "[%rd0]"]))
        self.assertEqual((instructions[13].label, instructions[13].labels), ("end", ["end"]))

    def test_registers(self):
        found = [(r.name, r.type, r.count) for r in self.module["scale"].registers]
        self.assertEqual(found, [("%p", "pred", 1), ("%r<5>", "b32", 5), ("%rd<2>", "b64", 2), ("%f<3>", "f32", 3)])

    def test_functions_and_variables(self):
        module = ptx_llvm.parse(
            HEAD
            + """.global .align 16 .v4 .f32 colours[3][2];
            .visible .const .u8 table[] = {1, 2, 3};
            .extern .func (.param .b32 r) outside(.param .b64 x);
            .func (.reg .u32 r) twice(.reg .u32 x) { add.u32 r, x, x; ret; }
            """
        )
        found = [(v.name, v.space, v.type, v.size, v.alignment, v.dims, v.linkage) for v in module.variables]
        expected = [
            ("colours", "global", "v4.f32", 96, 16, [3, 2], "internal"),
            ("table", "const", "u8", 3, 1, [None], "visible"),
        ]
        self.assertEqual(found, expected)
        outside, twice = module.functions
        self.assertTrue(outside.is_declaration)
        self.assertEqual([(p.name, p.type, p.space) for p in outside.results], [("r", "b32", "param")])
        self.assertEqual([(p.name, p.type, p.space, p.size) for p in twice.params], [("x", "u32", "reg", 4)])
        self.assertEqual([str(i) for i in twice.instructions], ["add.u32 r, x, x", "ret"])
        self.assertEqual(module.kernels, [])

    def test_names_that_are_not_there(self):
        self.assertIn("scale", self.module)
        self.assertNotIn("scales", self.module)
        with self.assertRaises(KeyError):
            self.module["scales"]


class Diagnosing(unittest.TestCase):
    def test_all_errors_of_a_text_are_raised(self):
        text = HEAD + ".visible .entry k()\n{\n    .reg .f32 %f;\n    add.f23 %f, %f, %f;\n    mov.f32 %g, %f;\n    ret;\n}\n"
        with self.assertRaises(ptx_llvm.PtxError) as caught:
            ptx_llvm.parse(text, "k.ptx")
        error = caught.exception
        self.assertEqual([d.line for d in error.diagnostics if d.severity == "error"], [7, 8])
        first, second = error.diagnostics
        self.assertEqual((first.file, first.column), ("k.ptx", 8))
        self.assertIn("f23", first.message)
        self.assertIn("%g", second.message)
        self.assertIn("--> k.ptx:7:8", str(first))
        self.assertIn("add.f23 %f, %f, %f", str(first))
        self.assertNotIn("\x1b", str(error))
        self.assertIn(str(first), str(error))
        self.assertNotIn("2 errors", str(first))

    def test_verification_raises_errors_and_returns_warnings(self):
        # redux.sync needs sm_80 (manual 9.7.13.10).
        text = HEAD.replace("sm_80", "sm_70") + (
            ".visible .entry k() {\n .reg .b32 %r<2>;\n redux.sync.add.s32 %r0, %r1, -1;\n ret;\n}\n"
        )
        module = ptx_llvm.parse(text)
        with self.assertRaises(ptx_llvm.PtxError) as caught:
            module.verify()
        self.assertEqual([d.line for d in caught.exception.diagnostics], [6])
        self.assertIn("sm_80", str(caught.exception))
        self.assertEqual(ptx_llvm.parse(SCALE).verify(), [])

    def test_errors_and_diagnostics_can_be_pickled(self):
        with self.assertRaises(ptx_llvm.PtxError) as caught:
            ptx_llvm.parse(".versoin 8.0")
        copy = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual(copy.diagnostics, caught.exception.diagnostics)
        self.assertEqual(str(copy), str(caught.exception))


if __name__ == "__main__":
    unittest.main()
