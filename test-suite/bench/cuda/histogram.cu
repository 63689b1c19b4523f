// How often each lowest byte occurs: counted in shared memory by atomics, then added to the counts of all. Blocks of 256 threads.
extern "C" __global__ void histogram(unsigned count, const unsigned *__restrict__ from, unsigned *__restrict__ counts)
{
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    const unsigned step = blockDim.x * gridDim.x;
    for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += step)
        atomicAdd(own + from[at] % 256, 1);
    __syncthreads();
    atomicAdd(counts + threadIdx.x, own[threadIdx.x]);
}
