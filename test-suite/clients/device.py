"""Device memory as NumPy arrays, over the driver's functions: what programs for Triton use instead of torch."""

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
    """An array in device memory: what Triton asks of a tensor."""

    def __init__(self, values, dtype=None):
        values = np.ascontiguousarray(values)
        self.shape = values.shape
        self.host = values.dtype
        self.dtype = dtype or str(values.dtype)
        self.address = ctypes.c_uint64()
        self.bytes = values.nbytes
        check(driver.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(self.bytes)))
        check(driver.cuMemcpyHtoD_v2(self.address, values.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(self.bytes)))

    def data_ptr(self):
        return self.address.value

    def numpy(self):
        values = np.empty(self.shape, self.host)
        check(driver.cuCtxSynchronize())
        check(driver.cuMemcpyDtoH_v2(values.ctypes.data_as(ctypes.c_void_p), self.address, ctypes.c_size_t(self.bytes)))
        return values
