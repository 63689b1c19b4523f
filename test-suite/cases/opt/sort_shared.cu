// A bitonic sort of a power of two of elements, with their number as an argument.
extern "C" __global__ void sort_shared(int *data, int n) {
    extern __shared__ int shared[];
    int *block = data + blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) shared[i] = block[i];
    for (int size = 2; size <= n; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
                int low = 2 * i - (i & (stride - 1)), high = low + stride;
                bool up = (low & size) == 0;
                int a = shared[low], b = shared[high];
                if ((a > b) == up) { shared[low] = b; shared[high] = a; }
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) block[i] = shared[i];
}
