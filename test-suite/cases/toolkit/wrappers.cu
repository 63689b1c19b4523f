// The wrappers of single PTX instructions in `<cuda/ptx>`.
#include <cuda/ptx>
#include <cooperative_groups.h>
#include <cuda/std/cstdint>
namespace ptx = cuda::ptx;

// A bulk copy into shared memory, waited for at an mbarrier, doubled, and copied back as a bulk group.
extern "C" __global__ void bulk(const int *in, int *out) {
    __shared__ alignas(128) int s[256];
    __shared__ alignas(8) uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, in, sizeof(s), &bar);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof(s));
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    s[threadIdx.x] = s[threadIdx.x] * 2 + ptx::get_sreg_tid_x();
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, s, sizeof(s));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

// A reduction of shared memory into global memory, element by element.
extern "C" __global__ void reduction(int *out, unsigned *most) {
    __shared__ alignas(16) int s[64];
    __shared__ alignas(16) unsigned u[64];
    s[threadIdx.x] = threadIdx.x * (blockIdx.x + 1);
    u[threadIdx.x] = (threadIdx.x * 37 + blockIdx.x * 11) % 64;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out, s, sizeof(s));
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_max, most, u, sizeof(u));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

// Blocks of a cluster store into each other's memory; a barrier there counts the bytes.
extern "C" __global__ void __cluster_dims__(2, 1, 1) stores(int *out) {
    __shared__ alignas(16) int s[64];
    __shared__ alignas(8) uint64_t bar;
    unsigned rank = ptx::get_sreg_cluster_ctarank();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof(s));
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    auto cluster = cooperative_groups::this_cluster();
    int *there = cluster.map_shared_rank(s, rank ^ 1);
    uint64_t *bar_there = cluster.map_shared_rank(&bar, rank ^ 1);
    ptx::st_async(&there[threadIdx.x], (int)(rank * 1000 + threadIdx.x), bar_there);
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}
