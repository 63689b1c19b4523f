// Rows of numbers to bytes, with the largest magnitude of each row as 127.
extern "C" __global__ void quantize(const float *in, signed char *out, float *scales, int rows, int columns) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float most = 0.0f;
    for (int i = lane; i < columns; i += 32) most = fmaxf(most, fabsf(in[row * columns + i]));
    for (int o = 16; o > 0; o /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, o));
    float scale = most / 127.0f;
    if (lane == 0) scales[row] = scale;
    for (int i = lane; i < columns; i += 32) out[row * columns + i] = (signed char)__float2int_rn(in[row * columns + i] / scale);
}
