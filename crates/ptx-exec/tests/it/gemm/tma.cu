// Products of matrices by `wgmma`, with factors that one thread of a warpgroup of its own copies by tensor maps.
//
//   nvcc -ptx -arch=sm_90a tma.cu -o tma.ptx

#include <cuda.h>
#include <cuda_fp16.h>
#include <stdint.h>

namespace {

constexpr int kRows = 128, kColumns = 64, kDepth = 64, kStages = 3;
constexpr int kBytesA = kRows * kDepth * 2, kBytesB = kColumns * kDepth * 2;

struct Shared {
    uint8_t a[kStages][kBytesA];
    uint8_t b[kStages][kBytesB];
    float d[kRows][kColumns];
    uint64_t full[kStages], empty[kStages];
};

__device__ uint32_t shared_address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ void init(uint64_t* barrier, int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}

__device__ void expect(uint64_t* barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

__device__ void arrive(uint64_t* barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

__device__ void wait(uint64_t* barrier, int parity) {
    asm volatile(
        "{.reg .pred p;\n"
        "AGAIN:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
        "@!p bra AGAIN;}" ::"r"(shared_address(barrier)),
        "r"(parity)
        : "memory");
}

__device__ void load(void* to, const CUtensorMap* map, int x, int y, uint64_t* barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            shared_address(to)),
        "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier))
        : "memory");
}

__device__ uint64_t descriptor(const void* p) {
    return uint64_t(shared_address(p) >> 4 & 0x3fff) | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
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

// d = a * b^T; a is m x k, b is n x k, d is m x n, by rows. Boxes of a are 128 x 64, of b 64 x 64, both with a swizzle of 128
// bytes, of d 64 x 64. The matrices themselves are arguments too, so that the launch has their memory. A block has a warpgroup that copies, and two that multiply, each 64 rows of 128.
extern "C" __global__ void __launch_bounds__(384) halves(const __grid_constant__ CUtensorMap a,
                                                         const __grid_constant__ CUtensorMap b,
                                                         const __grid_constant__ CUtensorMap d, const void*,
                                                         const void*, void*, int k) {
    extern __shared__ __align__(1024) uint8_t memory[];
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    int group = threadIdx.x / 128, thread = threadIdx.x % 128;
    int first_row = blockIdx.y * kRows, first_column = blockIdx.x * kColumns;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < kStages; stage++) {
            init(&shared.full[stage], 1);
            // One thread of each warpgroup that multiplies.
            init(&shared.empty[stage], 2);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncthreads();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (thread == 0) {
            for (int step = 0; step * kDepth < k; step++) {
                int stage = step % kStages, round = step / kStages;
                // At first all are empty.
                wait(&shared.empty[stage], round % 2 ^ 1);
                expect(&shared.full[stage], kBytesA + kBytesB);
                load(shared.a[stage], &a, step * kDepth, first_row, &shared.full[stage]);
                load(shared.b[stage], &b, step * kDepth, first_column, &shared.full[stage]);
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        int part = group - 1;
        float sums[32] = {};
        for (int step = 0; step * kDepth < k; step++) {
            int stage = step % kStages, round = step / kStages;
            wait(&shared.full[stage], round % 2);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            for (int at = 0; at < kDepth * 2; at += 32) {
                multiply(sums, descriptor(shared.a[stage] + part * 64 * 128 + at), descriptor(shared.b[stage] + at));
            }
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            // The products before these are complete, so their memory is free.
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
            if (step > 0 && thread == 0) arrive(&shared.empty[(step - 1) % kStages]);
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        for (int i = 0; i < 32; i++) {
            int row = part * 64 + thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
            shared.d[row][i / 4 * 8 + thread % 4 * 2 + i % 2] = sums[i];
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("bar.sync %0, 128;" ::"r"(group) : "memory");
        if (thread == 0) {
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&d),
                         "r"(first_column), "r"(first_row + part * 64), "r"(shared_address(shared.d[part * 64]))
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        }
    }
}
