"""Device memory as NumPy arrays, over the driver's functions: what programs for Triton and CUDA Tile use instead of torch."""

import ctypes

import numpy as np

driver = ctypes.CDLL("libcuda.so.1")


def check(result):
    if result != 0:
        raise RuntimeError(f"the driver returned {result}")


def start():
    """Makes the primary context of the first device current."""
    context = ctypes.c_void_p()
    check(driver.cuInit(0))
    check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check(driver.cuCtxSetCurrent(context))


class Array:
    """An array in device memory, with what Triton and CUDA Tile require of one."""

    def __init__(self, values, dtype=None):
        values = np.ascontiguousarray(values)
        self.shape = values.shape
        self.host = values.dtype
        self.dtype = dtype or str(values.dtype)
        self.address = ctypes.c_uint64()
        self.bytes = values.nbytes
        check(driver.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(self.bytes)))
        check(driver.cuMemcpyHtoD_v2(self.address, values.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(self.bytes)))

    @property
    def __cuda_array_interface__(self):
        typestr = np.dtype(self.host).str
        return {"shape": self.shape, "typestr": typestr, "data": (self.data_ptr(), False), "version": 3}

    def data_ptr(self):
        return self.address.value

    def numpy(self):
        values = np.empty(self.shape, self.host)
        check(driver.cuCtxSynchronize())
        check(driver.cuMemcpyDtoH_v2(values.ctypes.data_as(ctypes.c_void_p), self.address, ctypes.c_size_t(self.bytes)))
        return values
