// The loss of each row, which one thread of its warp writes.
extern "C" __global__ void cross_entropy(const float *logits, const int *labels, float *loss, int rows, int columns) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float *x = logits + row * columns;
    float most = -3.0e38f, sum = 0.0f;
    for (int i = lane; i < columns; i += 32) most = fmaxf(most, x[i]);
    for (int o = 16; o > 0; o /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, o));
    for (int i = lane; i < columns; i += 32) sum += __expf(x[i] - most);
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    if (lane == 0) loss[row] = logf(sum) + most - x[labels[row]];
}
