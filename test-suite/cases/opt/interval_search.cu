// The place of keys among sorted borders, by halving.
extern "C" __global__ void interval_search(const unsigned *borders, const unsigned *keys, int *out, int n, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        int low = 0, high = n;
        while (low < high) {
            int middle = (low + high) / 2;
            if (borders[middle] <= keys[i]) low = middle + 1; else high = middle;
        }
        out[i] = low;
    }
}
