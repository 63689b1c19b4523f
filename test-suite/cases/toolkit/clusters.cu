// Clusters of blocks, which reach each other's shared memory (sm_90 and later).
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// The sum over a cluster: each block reduces its part, the first one adds what the others have.
extern "C" __global__ void __cluster_dims__(4, 1, 1) reduction(const int *in, int *out) {
    auto cluster = cg::this_cluster();
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x < cluster.num_blocks()) {
        int other = *cluster.map_shared_rank(&sum, threadIdx.x);
        atomicAdd(&out[blockIdx.x / 4], other * (int)(threadIdx.x + 1));
    }
    cluster.sync();
}

// A histogram whose bins are spread over the blocks of a cluster.
extern "C" __global__ void histogram(const int *in, int *out, int per_block) {
    auto cluster = cg::this_cluster();
    extern __shared__ int bins[];
    for (int i = threadIdx.x; i < per_block; i += blockDim.x) bins[i] = 0;
    cluster.sync();
    int bin = in[blockIdx.x * blockDim.x + threadIdx.x];
    int *there = cluster.map_shared_rank(bins, bin / per_block);
    atomicAdd(there + bin % per_block, 1);
    cluster.sync();
    for (int i = threadIdx.x; i < per_block; i += blockDim.x) atomicAdd(&out[cluster.block_rank() * per_block + i], bins[i]);
}

// Values go around a ring of blocks.
extern "C" __global__ void __cluster_dims__(2, 2, 1) ring(int *out, int rounds) {
    auto cluster = cg::this_cluster();
    __shared__ int box[2][32];
    unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
    int v = (int)(rank * 100 + threadIdx.x);
    for (int i = 0; i < rounds; i++) {
        cluster.map_shared_rank(&box[i % 2][0], next)[threadIdx.x] = v;
        cluster.sync();
        v = box[i % 2][31 - threadIdx.x] + 1;
    }
    cluster.sync();
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 32 + threadIdx.x] = v;
}
