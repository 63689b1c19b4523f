// Products of matrices whose tiles tensor copies bring: a thread loads ahead, a warpgroup multiplies, the result goes back as boxes.
//
//   nvcc -ptx -arch=sm_90a boxes.cu -o boxes.ptx

#include <cuda.h>
#include <cuda_fp16.h>
#include <stdint.h>

namespace {

constexpr int kTile = 64;            // rows of A, rows of B (columns of D) and columns of both of a tile
constexpr int kStages = 3;           // tiles in flight
constexpr int kBytes = kTile * 128;  // of a tile of halves
constexpr int kConsumers = 128;

__device__ uint32_t shared_address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ void init(uint64_t* barrier, int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}

__device__ void arrive(uint64_t* barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

__device__ void expect(uint64_t* barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

__device__ void wait(uint64_t* barrier, int parity) {
    asm volatile(
        "{.reg .pred p; WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra WAIT;}" ::"r"(
            shared_address(barrier)),
        "r"(parity)
        : "memory");
}

__device__ void load(void* to, const CUtensorMap* map, int column, int row, uint64_t* barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            shared_address(to)),
        "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier))
        : "memory");
}

__device__ void store(const CUtensorMap* map, int column, int row, const void* from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(column),
                 "r"(row), "r"(shared_address(from))
                 : "memory");
}

__device__ void add(const CUtensorMap* map, int column, int row, const void* from) {
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
                 "r"(column), "r"(row), "r"(shared_address(from))
                 : "memory");
}

// A matrix descriptor with a swizzle of 128 bytes: rows of 128 bytes, groups of eight of them after each other.
__device__ uint64_t descriptor(const void* p) {
    uint64_t start = (shared_address(p) & 0x3ffff) >> 4;
    return start | uint64_t(1) << 16 | uint64_t(64) << 32 | uint64_t(1) << 62;
}

#define D8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
              "+f"(d[i + 6]), "+f"(d[i + 7])

__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0;"
        : D8(0), D8(8), D8(16), D8(24)
        : "l"(a), "l"(b));
}

}  // namespace

// d = a * b^T, or with several blocks along z, which share k, d += a * b^T. Boxes of the maps: 64 columns of 64 rows of a and of b
// and 32 columns of 64 rows of d, all with a swizzle of 128 bytes. 128 threads multiply, the one after them loads.
extern "C" __global__ void tiles(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                                 const __grid_constant__ CUtensorMap d, int k) {
    __shared__ __align__(1024) uint8_t tiles_a[kStages][kBytes], tiles_b[kStages][kBytes], result[2][kBytes];
    __shared__ uint64_t full[kStages], empty[kStages];
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < kStages; stage++) {
            init(&full[stage], 1);
            init(&empty[stage], kConsumers);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
    int steps = (k + kTile - 1) / kTile;
    if (threadIdx.x >= kConsumers) {
        if (threadIdx.x > kConsumers) return;
        asm volatile("prefetch.tensormap [%0];" ::"l"(&a) : "memory");
        asm volatile("prefetch.tensormap [%0];" ::"l"(&b) : "memory");
        int loads = 0;
        for (int step = blockIdx.z; step < steps; step += gridDim.z, loads++) {
            int stage = loads % kStages;
            // The first round finds all stages empty.
            wait(&empty[stage], (loads / kStages + 1) % 2);
            expect(&full[stage], 2 * kBytes);
            load(tiles_a[stage], &a, step * kTile, row, &full[stage]);
            load(tiles_b[stage], &b, step * kTile, column, &full[stage]);
        }
        return;
    }
    float sums[32] = {};
    int used = 0;
    for (int step = blockIdx.z; step < steps; step += gridDim.z, used++) {
        int stage = used % kStages;
        wait(&full[stage], used / kStages % 2);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int part = 0; part < 4; part++) {
            multiply(sums, descriptor(tiles_a[stage] + part * 32), descriptor(tiles_b[stage] + part * 32));
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        arrive(&empty[stage]);
    }
    // The rows and columns of D that a thread has: two neighbours, the same eight rows below, then eight columns further on.
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = 0; i < 32; i++) {
        int at = warp * 16 + lane / 4 + i / 2 % 2 * 8, to = i / 4 * 8 + lane % 4 * 2 + i % 2;
        int piece = to % 32 / 4 ^ at % 8;
        *reinterpret_cast<float*>(result[to / 32] + at * 128 + piece * 16 + to % 4 * 4) = sums[i];
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (threadIdx.x == 0) {
        for (int half = 0; half < 2; half++) {
            if (gridDim.z == 1) {
                store(&d, column + half * 32, row, result[half]);
            } else {
                add(&d, column + half * 32, row, result[half]);
            }
        }
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
