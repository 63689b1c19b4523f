// Cooperative groups: tiles, blocks, the whole grid, and launches that are too large for it.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "expect.h"

namespace cg = cooperative_groups;

// Sums in two steps: each block its part, then one block the parts.
__global__ void sum(const int *items, int count, int *parts, int *out) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    __shared__ int warps[32];
    int own = 0;
    for (auto i = grid.thread_rank(); i < count; i += grid.size()) own += items[i];
    own = cg::reduce(tile, own, cg::plus<int>());
    if (tile.thread_rank() == 0) warps[tile.meta_group_rank()] = own;
    block.sync();
    if (block.thread_rank() == 0) {
        int all = 0;
        for (unsigned i = 0; i < tile.meta_group_size(); i++) all += warps[i];
        parts[blockIdx.x] = all;
    }
    grid.sync();
    if (grid.thread_rank() == 0) {
        *out = 0;
        for (unsigned i = 0; i < gridDim.x; i++) *out += parts[i];
    }
}

__global__ void rotate(int *items) {
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    int own = items[threadIdx.x];
    items[threadIdx.x] = tile.shfl(own, (tile.thread_rank() + 1) % 8);
}

int main() {
    int supported = 0, multiprocessors = 0, blocks = 0;
    OK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    OK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(supported == 1);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum, 256, 0));
    EXPECT(blocks > 0);

    int count = 5000, *items, *parts, *out, host[5000], found = 0, expected = 0;
    for (int i = 0; i < count; i++) expected += host[i] = i % 91 - 17;
    OK(cudaMalloc(&items, sizeof(host)));
    OK(cudaMalloc(&parts, multiprocessors * sizeof(int)));
    OK(cudaMalloc(&out, sizeof(int)));
    OK(cudaMemcpy(items, host, sizeof(host), cudaMemcpyHostToDevice));
    void *arguments[] = {&items, &count, &parts, &out};
    OK(cudaLaunchCooperativeKernel((void *)sum, multiprocessors, 256, arguments, 0, 0));
    OK(cudaMemcpy(&found, out, sizeof(found), cudaMemcpyDeviceToHost));
    EXPECT(found == expected);

    // The same by an attribute of the launch.
    OK(cudaMemset(out, 0, sizeof(int)));
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = multiprocessors / 2;
    config.blockDim = 128;
    config.attrs = &attribute;
    config.numAttrs = 1;
    OK(cudaLaunchKernelEx(&config, sum, (const int *)items, count, parts, out));
    OK(cudaMemcpy(&found, out, sizeof(found), cudaMemcpyDeviceToHost));
    EXPECT(found == expected);
    EXPECT_RESULT(cudaErrorCooperativeLaunchTooLarge,
                  cudaLaunchCooperativeKernel((void *)sum, multiprocessors * blocks + 1, 256, arguments, 0, 0));

    rotate<<<1, 64>>>(items);
    OK(cudaMemcpy(host, items, 64 * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) EXPECT(host[i] == i / 8 * 8 + (i + 1) % 8 - 17);
    return passed();
}
