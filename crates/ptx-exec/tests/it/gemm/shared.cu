// Products of matrices by `wgmma`, with factors that threads store to shared memory themselves.
//
//   nvcc -ptx -arch=sm_90a shared.cu -o shared.ptx

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

namespace {

constexpr int kTile = 64;  // rows of A, rows of B (columns of D) and columns of both of a tile

__device__ uint32_t shared_address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ void fence_async() { asm volatile("fence.proxy.async;" ::: "memory"); }
__device__ void begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N>
__device__ void wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory"); }

// A matrix descriptor with a swizzle of 128 bytes: rows of 128 bytes, groups of eight of them after each other.
__device__ uint64_t descriptor(const void* p, uint32_t leading, uint32_t stride) {
    uint64_t start = (shared_address(p) & 0x3ffff) >> 4;
    return start | uint64_t(leading >> 4) << 16 | uint64_t(stride >> 4) << 32 | uint64_t(1) << 62;
}

// Where a piece of 16 bytes goes that is piece `piece` of row `row`.
__device__ int swizzled(int row, int piece) { return row * 128 + (piece ^ row % 8) * 16; }

#define D8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
              "+f"(d[i + 6]), "+f"(d[i + 7])
#define REGISTERS \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"

__device__ void multiply_halves(float (&d)[32], uint64_t a, uint64_t b, int adds) {
    asm volatile("{.reg .pred p; setp.ne.b32 p, %34, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " REGISTERS
                 ", %32, %33, p, 1, 1, 0, 0;}"
                 : D8(0), D8(8), D8(16), D8(24)
                 : "l"(a), "l"(b), "r"(adds));
}

// A is in registers, B has its columns in the rows of its memory.
__device__ void multiply_registers(float (&d)[32], const uint32_t (&a)[4], uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " REGISTERS
                 ", {%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
                 : D8(0), D8(8), D8(16), D8(24)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// The rows and columns of D that a thread has: two neighbours, then the same eight rows below, then eight columns further on.
__device__ void store(float* out, int stride, const float (&d)[32]) {
    int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    for (int i = 0; i < 32; i++) {
        int row = warp * 16 + lane / 4 + i / 2 % 2 * 8;
        int column = i / 4 * 8 + lane % 4 * 2 + i % 2;
        out[row * stride + column] = d[i];
    }
}

}  // namespace

// d = a * b^T; a is m x k, b is n x k, d is m x n, all by rows; a block has a tile of 64 x 64 of d, and 128 threads.
extern "C" __global__ void halves(const __half* a, const __half* b, float* d, int n, int k) {
    __shared__ __align__(1024) uint8_t shared_a[2][kTile * 128], shared_b[2][kTile * 128];
    a += blockIdx.y * kTile * k;
    b += blockIdx.x * kTile * k;
    float sums[32];
    for (int step = 0; step * kTile < k; step++) {
        int buffer = step % 2;
        for (int piece = threadIdx.x; piece < kTile * 8; piece += blockDim.x) {
            int row = piece / 8, column = step * kTile + piece % 8 * 8;
            int to = swizzled(row, piece % 8);
            *reinterpret_cast<uint4*>(shared_a[buffer] + to) = *reinterpret_cast<const uint4*>(a + row * k + column);
            *reinterpret_cast<uint4*>(shared_b[buffer] + to) = *reinterpret_cast<const uint4*>(b + row * k + column);
        }
        fence_async();
        __syncthreads();
        begin();
        for (int part = 0; part < 4; part++) {
            uint64_t of_a = descriptor(shared_a[buffer] + part * 32, 16, 1024);
            uint64_t of_b = descriptor(shared_b[buffer] + part * 32, 16, 1024);
            multiply_halves(sums, of_a, of_b, step + part);
        }
        commit();
        // The other buffer is free: the products before these are complete.
        wait<1>();
        __syncthreads();
    }
    wait<0>();
    store(d + blockIdx.y * kTile * n + blockIdx.x * kTile, n, sums);
}

// d = a * b; a is m x k, b is k x n, d is m x n, all by rows; a block has two warpgroups, each with a tile of 64 x 64 of d.
extern "C" __global__ void from_registers(const __nv_bfloat16* a, const __nv_bfloat16* b, float* d, int n, int k) {
    __shared__ __align__(1024) uint8_t shared_b[2][kTile * 128];
    int group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    a += (blockIdx.y * kTile + warp * 16) * k;
    float sums[32] = {};
    for (int step = 0; step * kTile < k; step++) {
        // Rows of b are along k: 64 of 128 bytes for each warpgroup.
        for (int piece = threadIdx.x % 128; piece < kTile * 8; piece += 128) {
            int row = piece / 8, column = (blockIdx.x * 2 + group) * kTile + piece % 8 * 8;
            *reinterpret_cast<uint4*>(shared_b[group] + swizzled(row, piece % 8)) =
                *reinterpret_cast<const uint4*>(b + (step * kTile + row) * n + column);
        }
        fence_async();
        asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
        uint32_t held[4][4];
        for (int part = 0; part < 4; part++) {
            for (int i = 0; i < 4; i++) {
                int row = lane / 4 + i % 2 * 8, column = step * kTile + part * 16 + i / 2 * 8 + lane % 4 * 2;
                held[part][i] = *reinterpret_cast<const uint32_t*>(a + row * k + column);
            }
        }
        begin();
        for (int part = 0; part < 4; part++) {
            multiply_registers(sums, held[part], descriptor(shared_b[group] + part * 2048, 8192, 1024));
        }
        commit();
        wait<0>();
        asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
    }
    store(d + blockIdx.y * kTile * n + (blockIdx.x * 2 + threadIdx.x / 128) * kTile, n, sums);
}
