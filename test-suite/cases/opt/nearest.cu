// For each point the nearest of others, by its square distance.
extern "C" __global__ void nearest(const float *points, const float *others, int *out, int n, int m) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    float x = points[3 * at], y = points[3 * at + 1], z = points[3 * at + 2], best = 3.0e38f;
    int found = -1;
    for (int j = 0; j < m; j++) {
        float dx = x - others[3 * j], dy = y - others[3 * j + 1], dz = z - others[3 * j + 2];
        float distance = dx * dx + dy * dy + dz * dz;
        if (distance < best) { best = distance; found = j; }
    }
    out[at] = found;
}
