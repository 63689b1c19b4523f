// Each row divided by its root mean square; sums by shuffles.
extern "C" __global__ void rmsnorm(const float *in, const float *weights, float *out, int columns, float epsilon) {
    __shared__ float parts[32];
    const float *row = in + blockIdx.x * columns;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += row[i] * row[i];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int w = 0; w < blockDim.x / 32; w++) sum += parts[w];
    float scale = rsqrtf(sum / columns + epsilon);
    for (int i = threadIdx.x; i < columns; i += blockDim.x) out[blockIdx.x * columns + i] = row[i] * scale * weights[i];
}
