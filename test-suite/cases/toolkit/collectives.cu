// Cooperative groups, and what lanes of a warp do together.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void tiles(const int *in, int *sums, int *scans, int *most) {
    auto block = cg::this_thread_block();
    int i = block.group_index().x * block.size() + block.thread_rank();
    auto tile = cg::tiled_partition<8>(block);
    int v = in[i];
    sums[i] = cg::reduce(tile, v, cg::plus<int>());
    scans[i] = cg::inclusive_scan(tile, v, cg::plus<int>());
    auto warp = cg::tiled_partition<32>(block);
    most[i] = cg::reduce(warp, v, cg::greater<int>());
}

// Lanes that take the same branch form a group; one of them counts for all.
extern "C" __global__ void coalesced(const int *in, int *count, int *order, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0) {
        auto active = cg::coalesced_threads();
        int base = 0;
        if (active.thread_rank() == 0) base = atomicAdd(count, active.size());
        order[active.shfl(base, 0) + active.thread_rank()] = in[i];
    }
}

extern "C" __global__ void labeled(const int *in, int *out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int v = in[threadIdx.x];
    auto same = cg::labeled_partition(warp, v % 5);
    out[threadIdx.x] = cg::reduce(same, v, cg::plus<int>()) * 100 + same.size();
}

extern "C" __global__ void votes(const int *in, unsigned *out) {
    int v = in[threadIdx.x];
    unsigned ballot = __ballot_sync(~0u, v > 0);
    unsigned match = __match_any_sync(~0u, v & 7);
    int all;
    unsigned same = __match_all_sync(~0u, v >> 31, &all);
    out[threadIdx.x] = ballot ^ (match << 1) ^ (all ? same : 7) ^ (__any_sync(~0u, v == 3) ? 16 : 0) ^ __activemask();
}

extern "C" __global__ void reduced(const int *in, int *out) {
    int v = in[threadIdx.x], o = threadIdx.x / 32 * 6;
    int add = __reduce_add_sync(~0u, v), min = __reduce_min_sync(~0u, v), max = __reduce_max_sync(~0u, v);
    unsigned all = __reduce_and_sync(~0u, unsigned(v)), any = __reduce_or_sync(~0u, unsigned(v)), odd = __reduce_xor_sync(~0u, unsigned(v));
    if (threadIdx.x % 32 == 0) { out[o] = add; out[o + 1] = min; out[o + 2] = max; out[o + 3] = all; out[o + 4] = any; out[o + 5] = odd; }
}
