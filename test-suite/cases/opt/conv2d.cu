// A convolution of an image, with borders repeated.
extern "C" __global__ void conv2d(const float *in, const float *weights, float *out, int width, int height, int size) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0.0f;
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++) {
            int from_x = min(max(x + i - size / 2, 0), width - 1), from_y = min(max(y + j - size / 2, 0), height - 1);
            sum += in[from_y * width + from_x] * weights[j * size + i];
        }
    out[y * width + x] = sum;
}
