// Explicit steps of the heat equation; each thread takes cells of a grid in turns, and finds their places by division.
extern "C" __global__ void heat2d(const float *in, float *out, int width, int height, float k) {
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < width * height; cell += gridDim.x * blockDim.x) {
        int x = cell % width, y = cell / width;
        float here = in[cell];
        float west = in[y * width + max(x - 1, 0)], east = in[y * width + min(x + 1, width - 1)];
        float north = in[max(y - 1, 0) * width + x], south = in[min(y + 1, height - 1) * width + x];
        out[cell] = here + k * (west + east + north + south - 4.0f * here);
    }
}
