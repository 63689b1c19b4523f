"""Launches."""

import _thread
import array
import contextlib
import ctypes
import io
import signal
import struct
import subprocess
import sys
import textwrap
import threading
import time
import unittest

import ptx_llvm
from texts import FOREVER, HEAD, SCALE, STORE

try:
    import numpy as np
except ImportError:
    np = None

needs_numpy = unittest.skipIf(np is None, "NumPy is not installed")


class Arrays(unittest.TestCase):
    def setUp(self):
        self.device = ptx_llvm.Device()
        self.scale = self.device.load(SCALE, "scale.ptx")["scale"]

    def test_an_array_is_copied_in_and_out(self):
        data = array.array("f", [1.5, 2.0, -4.0])
        report = self.scale[1, 32](data, 2.0, 3)
        self.assertEqual(list(data), [3.0, 4.0, -8.0])
        self.assertGreater(report.warp_instructions, 10)

    @needs_numpy
    def test_numpy_arrays(self):
        data = np.arange(1000, dtype=np.float32)
        self.scale[(8, 1), (128,)](data, np.float32(0.5), np.int64(data.size))
        np.testing.assert_array_equal(data, np.arange(1000, dtype=np.float32) * np.float32(0.5))
        square = np.ones((3, 4), dtype=np.float32)
        self.scale.launch(1, 32, [square, 3, 12])
        np.testing.assert_array_equal(square, np.full((3, 4), 3, dtype=np.float32))

    @needs_numpy
    def test_an_array_without_elements(self):
        self.scale[1, 32](np.zeros(0, dtype=np.float32), 2.0, 0)

    @needs_numpy
    def test_read_only_arrays_are_inputs(self):
        data = np.ones(4, dtype=np.float32)
        data.flags.writeable = False
        self.scale[1, 32](data, 2.0, 4)
        np.testing.assert_array_equal(data, np.ones(4, dtype=np.float32))
        self.scale[1, 32](bytes(16), 2.0, 4)

    @needs_numpy
    def test_arrays_whose_bytes_are_apart_are_refused(self):
        data = np.ones((4, 4), dtype=np.float32)
        with self.assertRaisesRegex(ValueError, "argument 0 .data. is not contiguous.*ascontiguousarray"):
            self.scale[1, 32](data[:, 1], 2.0, 4)

    @needs_numpy
    def test_tensors_with_dlpack(self):
        data = np.array([1, 2], dtype=np.float32)

        class Tensor:
            __index__ = None

            def __dlpack__(self, **options):
                return data.__dlpack__(**options)

            def __dlpack_device__(self):
                return data.__dlpack_device__()

        self.scale[1, 32](Tensor(), 2.0, 2)
        np.testing.assert_array_equal(data, np.array([2, 4], dtype=np.float32))
        self.assertEqual(list(self.device.to_device(Tensor()).copy_to_host()), [2, 4])

    def test_the_same_array_is_the_same_memory(self):
        copy = self.device.load(
            HEAD
            + """.visible .entry copy(.param .u64 to, .param .u64 from)
            { .reg .b64 %a, %b; .reg .b32 %r; ld.param.u64 %a, [to]; ld.param.u64 %b, [from];
              st.global.u32 [%a], 7; ld.global.u32 %r, [%b]; st.global.u32 [%a+4], %r; ret; }"""
        )["copy"]
        data = array.array("I", [1, 2])
        copy[1, 1](data, data)
        self.assertEqual(list(data), [7, 7])
        view = memoryview(array.array("I", [1, 2, 3, 4]))
        with self.assertRaisesRegex(ValueError, "overlap"):
            copy[1, 1](view[:3], view[1:])

    def test_memory_stays_on_the_device(self):
        data = self.device.to_device(array.array("f", [1.0, 2.0]))
        self.assertEqual((data.nbytes, data.shape, data.format, len(data)), (8, (2,), "f", 2))
        self.scale[1, 32](data, 2.0, 2)
        self.scale[1, 32](data.address, 2.0, 2)
        self.assertEqual(list(data.copy_to_host()), [4.0, 8.0])
        out = array.array("f", [0.0, 0.0])
        self.assertIs(data.copy_to_host(out), out)
        self.assertEqual(list(out), [4.0, 8.0])
        data.copy_from_host(array.array("f", [5.0, 6.0]))
        self.assertEqual(list(data.copy_to_host()), [5.0, 6.0])
        with self.assertRaisesRegex(ValueError, "4 bytes, the memory of the device 8"):
            data.copy_from_host(array.array("f", [5.0]))
        with self.assertRaisesRegex(ValueError, "read-only"):
            data.copy_to_host(bytes(8))

    def test_memory_is_freed(self):
        before = self.device.used_bytes
        data = self.device.zeros(1000, "d")
        self.assertGreaterEqual(self.device.used_bytes, before + 8000)
        self.assertEqual(list(data.copy_to_host()), [0.0] * 1000)
        del data
        self.scale[1, 32](array.array("f", [1.0]), 2.0, 1)
        self.assertEqual(self.device.used_bytes, before)

    @needs_numpy
    def test_arrays_of_types_of_numpy(self):
        data = self.device.empty((2, 3), np.float32)
        self.scale[1, 32](data, 1.0, 6)
        host = data.copy_to_host()
        self.assertEqual((host.dtype, host.shape), (np.float32, (2, 3)))
        self.assertEqual(self.device.zeros((0, 3), "int16").copy_to_host().shape, (0, 3))
        complex_numbers = np.array([1 + 2j, 3j], dtype=np.complex64)
        self.scale[1, 32](complex_numbers, 2.0, 3)
        np.testing.assert_array_equal(complex_numbers, np.array([2 + 4j, 3j], dtype=np.complex64))
        for array_of in [complex_numbers, np.array([(1, 2.0)], dtype="i4,f8"), np.float16([1, 2])]:
            copied = self.device.to_device(array_of).copy_to_host()
            self.assertEqual(copied.dtype, array_of.dtype)
            np.testing.assert_array_equal(copied, array_of)
        with self.assertRaises(ValueError):
            self.device.zeros(3, "!")

    def test_too_much_memory(self):
        with self.assertRaises(ptx_llvm.DeviceError) as caught:
            ptx_llvm.Device(memory=1 << 20).zeros(1 << 21)
        self.assertEqual((caught.exception.kind, caught.exception.cuda_result), ("out_of_memory", 2))


class Values(unittest.TestCase):
    def setUp(self):
        self.store = ptx_llvm.Device().load(STORE)["store"]

    def stored(self, *values):
        out = bytearray(24)
        self.store[1, 1](out, *values)
        return struct.unpack("<BxhIdQ", out)

    def test_numbers_have_the_size_that_is_declared(self):
        self.assertEqual(self.stored(200, -3, 1 << 31, 1.5, -1), (200, -3, 1 << 31, 1.5, (1 << 64) - 1))
        self.assertEqual(self.stored(-56, 0, -1, 2, None), (200, 0, (1 << 32) - 1, 2.0, 0))

    def test_bits_are_those_of_a_float(self):
        expected = struct.unpack("<I", struct.pack("<f", 0.1))[0], struct.unpack("<Q", struct.pack("<d", 0.1))[0]
        found = self.stored(0, 0, 0.1, 0.1, 0.1)
        self.assertEqual((found[2], found[4]), expected)

    @needs_numpy
    def test_numbers_of_numpy_keep_their_type_where_it_fits(self):
        found = self.stored(np.uint8(7), np.int16(-2), np.float32(0.1), np.float32(0.5), np.float64(0.1))
        bits = struct.unpack("<I", struct.pack("<f", 0.1))[0], struct.unpack("<Q", struct.pack("<d", 0.1))[0]
        self.assertEqual(found, (7, -2, bits[0], 0.5, bits[1]))
        self.assertEqual(self.stored(np.int64(7), np.int64(-2), np.int8(-1), np.int32(3), np.int8(-1))[2:4], (0xFFFFFFFF, 3.0))

    def test_numbers_that_do_not_fit(self):
        for values, error, text in [
            ((256, 0, 0, 0, 0), OverflowError, r"argument 1 \(c\) does not fit .b8"),
            ((0, -32769, 0, 0, 0), OverflowError, r"argument 2 \(h\)"),
            ((0, 0, 1 << 32, 0, 0), OverflowError, r"argument 3 \(w\)"),
            ((0, 0, 0, 0, 1 << 200), OverflowError, r"argument 5 \(x\)"),
            ((0, 1.5, 0, 0, 0), TypeError, r"argument 2 \(h\) has the type .s16, which a float"),
            ((0, 0, "x", 0, 0), TypeError, "is a str: neither a number nor an array"),
            ((0, 0, 0, 0), TypeError, "takes 6 arguments, not 5"),
            ((0, 0, 0, [1.0], 0), TypeError, "is a list"),
            ((0, 0, bytearray(5), 0, 0), TypeError, r"argument 3 \(w\) has the type .b32, which cannot hold the address"),
        ]:
            with self.subTest(values=values), self.assertRaisesRegex(error, text):
                self.stored(*values)

    def test_structures_are_passed_as_bytes(self):
        sum_of = ptx_llvm.Device().load(
            HEAD
            + """.visible .entry sum(.param .u64 to, .param .align 4 .b8 pair[8])
            { .reg .b64 %to; .reg .b32 %a, %b; ld.param.u64 %to, [to]; ld.param.u32 %a, [pair]; ld.param.u32 %b, [pair+4];
              add.u32 %a, %a, %b; st.global.u32 [%to], %a; ret; }"""
        )["sum"]

        class Pair(ctypes.Structure):
            _fields_ = [("a", ctypes.c_uint32), ("b", ctypes.c_uint32)]

        out = (ctypes.c_uint32 * 1)()
        for pair in [struct.pack("<II", 40, 2), Pair(40, 2), array.array("I", [40, 2])]:
            out[0] = 0
            sum_of[1, 1](out, pair)
            self.assertEqual(out[0], 42)
        with self.assertRaisesRegex(TypeError, "passed by value and has 8 bytes, not 4"):
            sum_of[1, 1](out, bytes(4))
        self.assertEqual(sum_of.params, [("to", "u64"), ("pair", "b8, 8 bytes")])


class Errors(unittest.TestCase):
    def test_an_access_out_of_bounds(self):
        scale = ptx_llvm.Device().load(SCALE, "scale.ptx")["scale"]
        data = array.array("f", [1.0, 2.0])
        with self.assertRaises(ptx_llvm.LaunchError) as caught:
            scale[1, 32](data, 2.0, 3)
        error = caught.exception
        self.assertEqual((error.kind, error.cuda_result), ("illegal_address", 700))
        self.assertIn("offset 8 of allocation", str(error))
        self.assertIn("thread (2, 0, 0)", str(error))
        (diagnostic,) = error.diagnostics
        self.assertEqual((diagnostic.file, diagnostic.line), ("scale.ptx", 20))
        self.assertEqual(list(data), [1.0, 2.0])
        # The device goes on.
        scale[1, 32](data, 2.0, 2)
        self.assertEqual(list(data), [2.0, 4.0])

    def test_texts_that_are_refused(self):
        device = ptx_llvm.Device("80")
        self.assertEqual(device.arch, "sm_80")
        with self.assertRaises(ptx_llvm.PtxError) as caught:
            device.load(".versoin 8.0", "bad.ptx")
        self.assertEqual([d.file for d in caught.exception.diagnostics if d.severity == "error"][:1], ["bad.ptx"])
        with self.assertRaises(ptx_llvm.DeviceError) as caught:
            device.load(SCALE.replace("sm_80", "sm_90"))
        self.assertEqual(caught.exception.kind, "target")

    def test_launches_that_are_refused(self):
        module = ptx_llvm.Device().load(SCALE)
        self.assertEqual(module.kernels, ["scale"])
        with self.assertRaises(KeyError):
            module["scales"]
        scale = module["scale"]
        with self.assertRaises(ptx_llvm.LaunchError) as caught:
            scale[1, 2000](0, 2.0, 0)
        self.assertEqual(caught.exception.kind, "invalid_launch")
        for key in [1, (1,), (1, 2, 3, 4)]:
            with self.assertRaises(TypeError):
                scale[key]
        with self.assertRaises(TypeError):
            scale[(1, 1, 1, 1), 1]
        for options in [{"engine": "gpu"}, {"check": "all"}, {"threads": 0}, {"timeout": -1.0}, {"arch": "sm_1"}]:
            with self.assertRaises(ValueError):
                ptx_llvm.Device(**options)

    def test_a_launch_that_takes_too_long(self):
        for engine in ["interp", "jit", "auto"]:
            with self.subTest(engine=engine):
                device = ptx_llvm.Device(engine=engine, timeout=0.2)
                forever = device.load(FOREVER)["forever"]
                for launch in [forever[1, 1], lambda: forever.launch(1, 1, timeout=0.1)]:
                    with self.assertRaises(ptx_llvm.LaunchError) as caught:
                        launch()
                    self.assertEqual(caught.exception.kind, "timeout")

    def test_interrupts_end_a_launch(self):
        for engine in ["interp", "jit", "auto"]:
            with self.subTest(engine=engine):
                forever = ptx_llvm.Device(engine=engine).load(FOREVER)["forever"]
                timer = threading.Timer(0.3, _thread.interrupt_main)
                timer.start()
                begin = time.monotonic()
                with self.assertRaises(KeyboardInterrupt):
                    forever[4, 32](timeout=60)
                self.assertLess(time.monotonic() - begin, 30)
                timer.join()

    def test_a_signal_ends_a_process(self):
        program = f"import ptx_llvm\nk = ptx_llvm.Device().load({FOREVER!r})['forever']\nprint('go', flush=True)\nk[1, 1](timeout=60)"
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "go\n")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=50)
        self.assertIn("KeyboardInterrupt", errors)

    def test_other_threads_go_on_during_a_launch(self):
        forever = ptx_llvm.Device().load(FOREVER)["forever"]
        counts = []

        def count():
            end = time.monotonic() + 0.3
            while time.monotonic() < end:
                counts.append(len(counts))
                time.sleep(0.01)

        thread = threading.Thread(target=count)
        thread.start()
        with self.assertRaises(ptx_llvm.LaunchError):
            forever[1, 1](timeout=0.4)
        self.assertGreater(len(counts), 3)
        thread.join()


class Modules(unittest.TestCase):
    def test_llvm_ir_is_executed(self):
        module = ptx_llvm.Device().load(
            textwrap.dedent(
                """
                target triple = "nvptx64-nvidia-cuda"
                define ptx_kernel void @triple(ptr addrspace(1) %p) {
                  %x = load i32, ptr addrspace(1) %p
                  %y = mul i32 %x, 3
                  store i32 %y, ptr addrspace(1) %p
                  ret void
                }
                """
            ),
            "triple.ll",
        )
        data = array.array("i", [14])
        module["triple"][1, 1](data)
        self.assertEqual(data[0], 42)
        self.assertIn(".visible .entry triple", module.ptx)

    def test_variables_keep_their_values(self):
        module = ptx_llvm.Device().load(
            ptx_llvm.parse(
                HEAD
                + """.visible .global .u32 count = 5;
                .visible .entry next() { .reg .b32 %r; ld.global.u32 %r, [count]; add.u32 %r, %r, 1; st.global.u32 [count], %r; ret; }"""
            )
        )
        self.assertEqual(module.variables, ["count"])
        for _ in range(2):
            module["next"][1, 1]()
        count = module.variable("count")
        value = lambda: int.from_bytes(bytes(count.copy_to_host()), "little")
        self.assertEqual((count.nbytes, value()), (4, 7))
        count.copy_from_host(bytes([9, 0, 0, 0]))
        module["next"][1, 1]()
        self.assertEqual(value(), 10)
        module.reset()
        self.assertEqual(value(), 5)
        with self.assertRaises(KeyError):
            module.variable("counts")

    def test_the_engines_agree(self):
        for options in [{"engine": "interp"}, {"engine": "jit"}, {"engine": "jit", "check": "memory"}, {"threads": 1}]:
            with self.subTest(options=options):
                device = ptx_llvm.Device(**options)
                scale = device.load(SCALE)["scale"]
                self.assertEqual(scale.prepare(4, 64), device.engine != "interp")
                data = array.array("f", range(256))
                report = scale[4, 64](data, 3.0, 256)
                self.assertEqual(list(data), [3.0 * x for x in range(256)])
                self.assertEqual(report.compiled_blocks, 4 if device.engine == "jit" else report.compiled_blocks)

    def test_shared_memory_clusters_and_cooperative_launches(self):
        reverse = ptx_llvm.Device().load(
            HEAD.replace("8.0", "8.1").replace("sm_80", "sm_90")
            + """.extern .shared .align 4 .b8 buffer[];
            .visible .entry info(.param .u64 to)
            { .reg .b64 %to; .reg .b32 %r;
              ld.param.u64 %to, [to]; mov.u32 %r, %dynamic_smem_size; st.global.u32 [%to], %r;
              mov.u32 %r, %cluster_nctaid.x; st.global.u32 [%to+4], %r; ret; }"""
        )["info"]
        out = array.array("I", [0, 0])
        reverse.launch(2, 1, [out], shared=64, cluster=2)
        self.assertEqual(list(out), [64, 2])
        reverse.launch((2, 1, 1), 1, [out], cooperative=True)
        self.assertEqual(list(out), [0, 1])
        reverse[1, 1, 128](out)
        self.assertEqual(out[0], 128)

    def test_what_kernels_print(self):
        text = (
            HEAD
            + """.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
            .global .align 1 .b8 hello[7] = {104, 101, 108, 108, 111, 10, 0};
            .visible .entry say() { .reg .b64 %f; .reg .b32 %r;
              mov.u64 %f, hello; cvta.global.u64 %f, %f;
              { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %f; st.param.b64 [a], 0;
                call.uni (r), vprintf, (f, a); } ret; }"""
        )
        stdout = io.StringIO()
        with contextlib.redirect_stdout(stdout):
            ptx_llvm.Device().load(text)["say"][1, 2]()
        self.assertEqual(stdout.getvalue(), "hello\nhello\n")
        device = ptx_llvm.Device(print_output=False)
        device.load(text)["say"][1, 1]()
        self.assertEqual((device.take_output(), device.take_output()), ("hello\n", ""))


class Textures(unittest.TestCase):
    def test_a_texture_is_filtered(self):
        device = ptx_llvm.Device()
        fetch = device.load(
            HEAD
            + """.visible .entry fetch(.param .u64 texture, .param .u64 to, .param .f32 x)
            { .reg .b64 %t, %to; .reg .f32 %x, %y, %z, %w;
              ld.param.u64 %t, [texture]; ld.param.u64 %to, [to]; ld.param.f32 %x, [x];
              tex.1d.v4.f32.f32 {%x, %y, %z, %w}, [%t, {%x}]; st.global.f32 [%to], %x; ret; }"""
        )["fetch"]
        texture = device.texture(array.array("f", [10.0, 20.0]), filter="linear")
        out = array.array("f", [0.0])
        # Between the centres of texels 0 and 1 is 1.0.
        for x, expected in [(1.0, 15.0), (1.25, 17.5), (0.5, 10.0), (5.0, 20.0)]:
            fetch[1, 1](texture, out, x)
            self.assertEqual(out[0], expected)
        with self.assertRaises(ValueError):
            device.texture(array.array("f", [1.0]), filter="cubic")
        with self.assertRaises(TypeError):
            device.texture(array.array("d", [1.0]))

    def test_a_surface_is_written(self):
        device = ptx_llvm.Device()
        write = device.load(
            HEAD
            + """.visible .entry write(.param .u64 surface)
            { .reg .b64 %s; ld.param.u64 %s, [surface]; sust.b.2d.b32.trap [%s, {4, 1}], 7; ret; }"""
        )["write"]
        image = memoryview(array.array("I", [1, 2, 3, 4, 5, 6])).cast("B").cast("I", (2, 3))
        surface = device.surface(image)
        write[1, 1](surface)
        # Coordinates are x in bytes and y.
        self.assertEqual(list(memoryview(surface.to_bytes()).cast("I")), [1, 2, 3, 4, 7, 6])


if __name__ == "__main__":
    unittest.main()
