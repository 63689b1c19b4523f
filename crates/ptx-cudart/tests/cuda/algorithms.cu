// Algorithms of Thrust and CUB: sort, reduce, scan, select, histogram.

#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "expect.h"

static unsigned state = 1;

static int next_number() {
    state = state * 1664525u + 1013904223u;
    return int(state >> 12) - (1 << 19);
}

struct Square {
    __host__ __device__ long long operator()(int value) const { return (long long)value * value; }
};

struct IsEven {
    __host__ __device__ bool operator()(int value) const { return value % 2 == 0; }
};

int main() {
    const int count = 3000;
    std::vector<int> host(count);
    for (int &item : host) item = next_number();
    thrust::device_vector<int> items(host.begin(), host.end());
    EXPECT(thrust::reduce(items.begin(), items.end(), 0LL) == std::accumulate(host.begin(), host.end(), 0LL));
    thrust::device_vector<long long> squares(count);
    thrust::transform(items.begin(), items.end(), squares.begin(), Square());
    EXPECT(squares[17] == (long long)host[17] * host[17]);
    thrust::device_vector<int> sums(count);
    thrust::inclusive_scan(items.begin(), items.end(), sums.begin());
    std::vector<int> expected(count), found(count);
    std::partial_sum(host.begin(), host.end(), expected.begin());
    thrust::copy(sums.begin(), sums.end(), found.begin());
    EXPECT(found == expected);
    thrust::sort(items.begin(), items.end());
    std::sort(host.begin(), host.end());
    thrust::copy(items.begin(), items.end(), found.begin());
    EXPECT(found == host);

    // CUB by its own interface, in a stream.
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    const int *in = thrust::raw_pointer_cast(items.data());
    int *out = thrust::raw_pointer_cast(sums.data()), *selected;
    OK(cudaMalloc(&selected, sizeof(int)));
    void *space = nullptr;
    size_t bytes = 0;
    OK(cub::DeviceSelect::If(space, bytes, in, out, selected, count, IsEven(), stream));
    OK(cudaMalloc(&space, bytes));
    OK(cub::DeviceSelect::If(space, bytes, in, out, selected, count, IsEven(), stream));
    int number = 0;
    OK(cudaMemcpyAsync(&number, selected, sizeof(int), cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    EXPECT(number == std::count_if(host.begin(), host.end(), IsEven()));
    OK(cudaFree(space));
    return passed();
}
