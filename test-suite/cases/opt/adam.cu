// Steps of the Adam optimizer, with the same gradient.
extern "C" __global__ void adam(float *p, float *m, float *v, const float *g, int n, int steps, float rate, float b1, float b2, float epsilon) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    float power1 = 1.0f, power2 = 1.0f;
    for (int t = 0; t < steps; t++) {
        power1 *= b1;
        power2 *= b2;
        m[at] = b1 * m[at] + (1.0f - b1) * g[at];
        v[at] = b2 * v[at] + (1.0f - b2) * g[at] * g[at];
        p[at] -= rate * (m[at] / (1.0f - power1)) / (sqrtf(v[at] / (1.0f - power2)) + epsilon);
    }
}
