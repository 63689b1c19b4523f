// CUB's algorithms for a block.
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

constexpr int THREADS = 128, ITEMS = 4, COUNT = THREADS * ITEMS;

extern "C" __global__ void reduce(const int *in, int *out) {
    using Load = cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Reduce = cub::BlockReduce<int, THREADS, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
    using Raking = cub::BlockReduce<int, THREADS, cub::BLOCK_REDUCE_RAKING>;
    __shared__ union { typename Load::TempStorage load; typename Reduce::TempStorage reduce; typename Raking::TempStorage raking; } t;
    int v[ITEMS];
    Load(t.load).Load(in + blockIdx.x * COUNT, v);
    __syncthreads();
    int sum = Reduce(t.reduce).Sum(v);
    __syncthreads();
    int max = Raking(t.raking).Reduce(v, [](int a, int b) { return a > b ? a : b; });
    if (threadIdx.x == 0) { out[2 * blockIdx.x] = sum; out[2 * blockIdx.x + 1] = max; }
}

extern "C" __global__ void scan(const int *in, int *out, int *totals) {
    using Load = cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
    using Scan = cub::BlockScan<int, THREADS>;
    using Store = cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_TRANSPOSE>;
    __shared__ union { typename Load::TempStorage load; typename Scan::TempStorage scan; typename Store::TempStorage store; } t;
    int v[ITEMS], total;
    Load(t.load).Load(in + blockIdx.x * COUNT, v);
    __syncthreads();
    Scan(t.scan).ExclusiveSum(v, v, total);
    __syncthreads();
    Store(t.store).Store(out + blockIdx.x * COUNT, v);
    if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

extern "C" __global__ void sort(const unsigned *keys, unsigned *out, unsigned *places) {
    using Load = cub::BlockLoad<unsigned, THREADS, ITEMS, cub::BLOCK_LOAD_VECTORIZE>;
    using Sort = cub::BlockRadixSort<unsigned, THREADS, ITEMS, unsigned>;
    __shared__ union { typename Load::TempStorage load; typename Sort::TempStorage sort; } t;
    unsigned v[ITEMS], place[ITEMS];
    Load(t.load).Load(keys, v);
    for (int i = 0; i < ITEMS; i++) place[i] = threadIdx.x * ITEMS + i;
    __syncthreads();
    Sort(t.sort).Sort(v, place);
    for (int i = 0; i < ITEMS; i++) { out[threadIdx.x * ITEMS + i] = v[i]; places[threadIdx.x * ITEMS + i] = place[i]; }
}

extern "C" __global__ void merge_sort(const float *in, float *out) {
    using Sort = cub::BlockMergeSort<float, THREADS, ITEMS>;
    __shared__ typename Sort::TempStorage t;
    float v[ITEMS];
    for (int i = 0; i < ITEMS; i++) v[i] = in[threadIdx.x * ITEMS + i];
    Sort(t).Sort(v, [](float a, float b) { return a > b; });
    for (int i = 0; i < ITEMS; i++) out[threadIdx.x * ITEMS + i] = v[i];
}

extern "C" __global__ void histogram(const unsigned char *in, unsigned *by_atomics, unsigned *by_sorting) {
    using Atomic = cub::BlockHistogram<unsigned char, THREADS, ITEMS, 64, cub::BLOCK_HISTO_ATOMIC>;
    using Sorted = cub::BlockHistogram<unsigned char, THREADS, ITEMS, 64, cub::BLOCK_HISTO_SORT>;
    __shared__ union { typename Atomic::TempStorage atomic; typename Sorted::TempStorage sorted; } t;
    __shared__ unsigned bins[64];
    unsigned char v[ITEMS];
    for (int i = 0; i < ITEMS; i++) v[i] = in[threadIdx.x * ITEMS + i];
    Atomic(t.atomic).Histogram(v, bins);
    __syncthreads();
    if (threadIdx.x < 64) by_atomics[threadIdx.x] = bins[threadIdx.x];
    __syncthreads();
    Sorted(t.sorted).Histogram(v, bins);
    __syncthreads();
    if (threadIdx.x < 64) by_sorting[threadIdx.x] = bins[threadIdx.x];
}

struct Segment { int head; double sum; };

// Sums of runs, as a scan over pairs.
extern "C" __global__ void segments(const int *heads, const double *values, double *out) {
    using Scan = cub::BlockScan<Segment, THREADS, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ typename Scan::TempStorage t;
    Segment v = {heads[threadIdx.x], values[threadIdx.x]};
    Scan(t).InclusiveScan(v, v, [](Segment a, Segment b) { return Segment{a.head | b.head, b.head ? b.sum : a.sum + b.sum}; });
    out[threadIdx.x] = v.sum;
}

extern "C" __global__ void warps(const int *in, int *sums, int *scans) {
    using Reduce = cub::WarpReduce<int, 16>;
    using Scan = cub::WarpScan<int>;
    __shared__ typename Reduce::TempStorage r[8];
    __shared__ typename Scan::TempStorage s[4];
    int v = in[threadIdx.x];
    int sum = Reduce(r[threadIdx.x / 16]).Sum(v), scan;
    Scan(s[threadIdx.x / 32]).InclusiveSum(v, scan);
    if (threadIdx.x % 16 == 0) sums[threadIdx.x / 16] = sum;
    scans[threadIdx.x] = scan;
}
