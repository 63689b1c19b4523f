// y = a * x + y over n elements; the grid may be smaller than n.
extern "C" __global__ void saxpy(int n, float a, const float* __restrict__ x, float* y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        y[i] = a * x[i] + y[i];
    }
}
