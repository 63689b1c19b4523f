"""Kernels of the project for Numba, which `../make.py` compiles: what Numba's users write, one kernel for each habit of its code."""
import math

from numba import boolean, complex64, cuda, float32, float64, int32, int64, uint8, uint32

KERNELS = {}


def kernel(*signature):
    """Enters a function under its name with the types of its parameters."""
    def enter(function):
        KERNELS[function.__name__] = (function, signature)
        return function
    return enter


@kernel(float32, float32[:], float32[:])
def scaled_sum(factor, x, y):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        y[i] += factor * x[i]


@kernel(float32[:, ::1], float32[:, ::1])
def blurred(image, out):
    row, column = cuda.grid(2)
    if 0 < row < image.shape[0] - 1 and 0 < column < image.shape[1] - 1:
        total = float32(0)
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                total += image[row + dy, column + dx]
        out[row, column] = total / float32(9)


@kernel(float32[:, :], float32[:, :], float32[:, :])
def product(a, b, c):
    left = cuda.shared.array((16, 16), float32)
    right = cuda.shared.array((16, 16), float32)
    row, column = cuda.grid(2)
    y, x = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for tile in range((a.shape[1] + 15) // 16):
        left[y, x] = 0
        right[y, x] = 0
        if row < a.shape[0] and tile * 16 + x < a.shape[1]:
            left[y, x] = a[row, tile * 16 + x]
        if column < b.shape[1] and tile * 16 + y < b.shape[0]:
            right[y, x] = b[tile * 16 + y, column]
        cuda.syncthreads()
        for k in range(16):
            total += left[y, k] * right[k, x]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


@kernel(int32[:], int32[:])
def block_sums(values, sums):
    parts = cuda.shared.array(32, int32)
    own = values[cuda.grid(1)]
    for distance in (16, 8, 4, 2, 1):
        own += cuda.shfl_down_sync(0xFFFFFFFF, own, distance)
    if cuda.laneid == 0:
        parts[cuda.threadIdx.x // 32] = own
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        total = int32(0)
        for warp in range(cuda.blockDim.x // 32):
            total += parts[warp]
        sums[cuda.blockIdx.x] = total


@kernel(uint8[:], uint32[:])
def histogram(text, counts):
    own = cuda.shared.array(256, uint32)
    for at in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        own[at] = 0
    cuda.syncthreads()
    for at in range(cuda.grid(1), text.size, cuda.gridsize(1)):
        cuda.atomic.add(own, text[at], 1)
    cuda.syncthreads()
    for at in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        cuda.atomic.add(counts, at, own[at])


@kernel(complex64, complex64, int32[:, :], int32)
def escapes(low, high, counts, limit):
    x, y = cuda.grid(2)
    if x >= counts.shape[1] or y >= counts.shape[0]:
        return
    step_x = (high.real - low.real) / counts.shape[1]
    step_y = (high.imag - low.imag) / counts.shape[0]
    c = complex(low.real + x * step_x, low.imag + y * step_y)
    z = c
    count = 0
    while count < limit and z.real * z.real + z.imag * z.imag < 4.0:
        z = z * z + c
        count += 1
    counts[y, x] = count


@kernel(float64[:], float64[:])
def functions(x, y):
    at = cuda.grid(1)
    if at < x.size:
        value = x[at]
        y[at] = math.exp(-value * value) * math.sin(value) + math.log1p(math.fabs(value)) + math.pow(math.fabs(value), 0.3)


@kernel(float32[:], int64)
def sorted_rows(keys, length):
    row = cuda.local.array(32, float32)
    first = cuda.grid(1) * length
    for at in range(length):
        row[at] = keys[first + at]
    for end in range(1, length):
        value = row[end]
        at = end
        while at > 0 and row[at - 1] > value:
            row[at] = row[at - 1]
            at -= 1
        row[at] = value
    for at in range(length):
        keys[first + at] = row[at]


@kernel(int32[:], uint32[:], boolean[:])
def compacted(values, out, wanted):
    at = cuda.grid(1)
    if at < values.size:
        if wanted[at] and values[at] % 3 != 0:
            place = cuda.atomic.add(out, 0, 1)
            out[1 + place] = max(-100, min(values[at] // 7, 100))


@kernel(uint32[:], uint32[:])
def bits(a, b):
    at = cuda.grid(1)
    if at < a.size:
        value = a[at]
        ballot = cuda.ballot_sync(0xFFFFFFFF, value & 1)
        b[at] = cuda.popc(value) + 100 * cuda.clz(value) + cuda.brev(ballot) + cuda.ffs(value)
