// Clusters: blocks that access each other's shared memory, by an attribute of the kernel and of the launch.

#include <cooperative_groups.h>

#include "expect.h"

namespace cg = cooperative_groups;

__device__ void exchange(int *out) {
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ int own[32];
    own[threadIdx.x] = 100 * int(cluster.block_rank()) + int(threadIdx.x);
    cluster.sync();
    unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    out[blockIdx.x * blockDim.x + threadIdx.x] = cluster.map_shared_rank(own, next)[threadIdx.x];
    cluster.sync();
}

__global__ void __cluster_dims__(2, 1, 1) pairs(int *out) { exchange(out); }

__global__ void any_size(int *out) { exchange(out); }

static void check(const int *out, int blocks, int size) {
    static int host[32 * 32];
    OK(cudaMemcpy(host, out, blocks * 32 * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks * 32; i++) EXPECT(host[i] == 100 * ((i / 32 + 1) % size) + i % 32);
}

int main() {
    int *out;
    OK(cudaMalloc(&out, 32 * 32 * sizeof(int)));
    pairs<<<6, 32>>>(out);
    OK(cudaGetLastError());
    for (int block = 0; block < 6; block += 2) check(out + 32 * block, 2, 2);
    pairs<<<5, 32>>>(out);
    EXPECT(cudaGetLastError() != cudaSuccess);

    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 8;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    OK(cudaLaunchKernelEx(&config, any_size, out));
    check(out, 4, 4);
    check(out + 128, 4, 4);
    int clusters = 0, size = 0;
    OK(cudaOccupancyMaxActiveClusters(&clusters, any_size, &config));
    OK(cudaOccupancyMaxPotentialClusterSize(&size, any_size, &config));
    EXPECT(clusters > 0 && size == 8);
    config.gridDim = 16;
    attribute.val.clusterDim.x = 16;
    EXPECT_RESULT(cudaErrorInvalidClusterSize, cudaLaunchKernelEx(&config, any_size, out));
    OK(cudaFuncSetAttribute(any_size, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    OK(cudaLaunchKernelEx(&config, any_size, out));
    check(out, 16, 16);
    return passed();
}
