// A row for each block: its maximum, the sum of exponentials, and the quotients.
extern "C" __global__ void softmax(const float *in, float *out, int columns) {
    __shared__ float parts[64];
    const float *row = in + blockIdx.x * columns;
    float most = -3.0e38f;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) most = fmaxf(most, row[i]);
    parts[threadIdx.x] = most;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) parts[threadIdx.x] = fmaxf(parts[threadIdx.x], parts[threadIdx.x + half]);
        __syncthreads();
    }
    most = parts[0];
    __syncthreads();
    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(row[i] - most);
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
        __syncthreads();
    }
    float scale = 1.0f / parts[0];
    for (int i = threadIdx.x; i < columns; i += blockDim.x) out[blockIdx.x * columns + i] = expf(row[i] - most) * scale;
}
