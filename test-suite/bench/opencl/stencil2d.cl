#pragma OPENCL FP_CONTRACT OFF

kernel void stencil2d(int width, int height, global const float *restrict from, global float *restrict to)
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (column >= width || row >= height)
        return;
    const int at = row * width + column;
    const bool inside = column > 0 && column < width - 1 && row > 0 && row < height - 1;
    if (!inside) {
        to[at] = from[at];
        return;
    }
    const float around = (from[at - 1] + from[at + 1]) + (from[at - width] + from[at + width]);
    to[at] = fma(0.125f, around, 0.5f * from[at]);
}
