// Distances on a sphere between pairs of places, the longest of each thread's.
extern "C" __global__ void haversine(const float4 *pairs, float *out, int n) {
    float most = 0.0f;
    int threads = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += threads) {
        float4 p = pairs[i];
        float dy = sinf(0.5f * (p.z - p.x)), dx = sinf(0.5f * (p.w - p.y));
        float a = dy * dy + cosf(p.x) * cosf(p.z) * dx * dx;
        most = fmaxf(most, 2.0f * asinf(fminf(sqrtf(a), 1.0f)));
    }
    out[first] = most;
}
