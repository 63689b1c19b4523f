// A column of a decomposition: all rows below the diagonal, a thread for each.
extern "C" __global__ void lu_step(float *a, int n, int k) {
    int row = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    float factor = a[row * n + k] / a[k * n + k];
    a[row * n + k] = factor;
    for (int j = k + 1; j < n; j++) a[row * n + j] -= factor * a[k * n + j];
}
