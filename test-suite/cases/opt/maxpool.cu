// The largest element of each window of an image.
extern "C" __global__ void maxpool(const float *in, float *out, int width, int height, int window, int stride) {
    int columns = (width - window) / stride + 1, rows = (height - window) / stride + 1;
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows) return;
    float most = -3.0e38f;
    for (int j = 0; j < window; j++)
        for (int i = 0; i < window; i++) most = fmaxf(most, in[(y * stride + j) * width + x * stride + i]);
    out[y * columns + x] = most;
}
