"""Programs with cuda.core, compared with what they compute: `python cuda_core_programs.py NAME..`; prints a line for each."""

import sys

import numpy as np
from cuda.core import Device, LaunchConfig, Linker, LinkerOptions, ObjectCode, Program, ProgramOptions, launch

PTX = """.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) square(.param .b32 x);
.visible .entry fill(.param .u64 to, .param .u32 n)
{
    .reg .pred %p; .reg .b32 %i, %n, %v; .reg .b64 %a;
    ld.param.u32 %n, [n];
    mov.u32 %i, %tid.x;
    setp.ge.u32 %p, %i, %n;
    @%p ret;
    { .param .b32 x; .param .b32 r; st.param.b32 [x], %i; call (r), square, (x); ld.param.b32 %v, [r]; }
    ld.param.u64 %a, [to];
    mad.wide.u32 %a, %i, 4, %a;
    st.global.u32 [%a], %v;
    ret;
}
"""

CALLEE = """.version 8.0
.target sm_80
.address_size 64
.visible .func (.param .b32 r) square(.param .b32 x)
{
    .reg .b32 %x;
    ld.param.b32 %x, [x];
    mul.lo.u32 %x, %x, %x;
    st.param.b32 [r], %x;
    ret;
}
"""

CPP = """template <typename T> __global__ void scale(T *data, T factor, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}"""


def run(device, kernel, values, *arguments):
    """Launches a kernel on an array in memory that both sides access, and returns the array."""
    from cuda.core import LegacyPinnedMemoryResource

    stream = device.create_stream()
    buffer = LegacyPinnedMemoryResource().allocate(values.nbytes, stream=stream)
    array = np.from_dlpack(buffer).view(values.dtype)
    array[:] = values
    count = np.uint32(len(values))
    config = LaunchConfig(grid=(len(values) + 63) // 64, block=64)
    launch(stream, config, kernel, buffer, *arguments, count)
    stream.sync()
    result = array.copy()
    buffer.close(stream)
    return result


def linked(device):
    parts = [ObjectCode.from_ptx(text.encode()) for text in (PTX, CALLEE)]
    arch = f"sm_{device.arch}"
    image = Linker(*parts, options=LinkerOptions(arch=arch)).link("cubin")
    found = run(device, image.get_kernel("fill"), np.zeros(50, np.uint32))
    np.testing.assert_array_equal(found, np.arange(50, dtype=np.uint32) ** 2)


def refused(device):
    try:
        Linker(ObjectCode.from_ptx(PTX.encode()), options=LinkerOptions(arch=f"sm_{device.arch}")).link("cubin")
    except Exception as error:
        notes = " ".join([str(error), *getattr(error, "__notes__", [])])
        assert "square" in notes, notes
    else:
        raise AssertionError("a function that is not defined was linked")


def template(device):
    options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}")
    program = Program(CPP, code_type="c++", options=options)
    module = program.compile("ptx", name_expressions=("scale<float>",))
    values = np.arange(100, dtype=np.float32)
    found = run(device, module.get_kernel("scale<float>"), values, np.float32(0.5))
    np.testing.assert_array_equal(found, values * np.float32(0.5))


def main():
    tests = {test.__name__: test for test in (linked, refused, template)}
    device = Device()
    device.set_current()
    for name in sys.argv[1:] or tests:
        tests[name](device)
        print(f"passed {name}", flush=True)


main()
