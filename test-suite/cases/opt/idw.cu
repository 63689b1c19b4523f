// Interpolation with weights that fall with a power of the distance.
extern "C" __global__ void idw(const float *x, const float *y, const float *value, const float *at, float *out, int n, int count, float power) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float sum = 0.0f, all = 0.0f;
    for (int j = 0; j < n; j++) {
        float dx = at[2 * i] - x[j], dy = at[2 * i + 1] - y[j];
        float weight = __powf(dx * dx + dy * dy + 0.01f, -power);
        sum += weight * value[j];
        all += weight;
    }
    out[i] = sum / all;
}
