// A step of a five-point stencil: half of the point and an eighth of each neighbour; the border is copied.
extern "C" __global__ void stencil2d(int width, int height, const float *__restrict__ from, float *__restrict__ to)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height)
        return;
    const int at = row * width + column;
    const bool inside = column > 0 && column < width - 1 && row > 0 && row < height - 1;
    if (!inside) {
        to[at] = from[at];
        return;
    }
    const float around = (from[at - 1] + from[at + 1]) + (from[at - width] + from[at + width]);
    to[at] = fmaf(0.125f, around, 0.5f * from[at]);
}
