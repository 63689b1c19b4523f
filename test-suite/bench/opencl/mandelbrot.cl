#pragma OPENCL FP_CONTRACT OFF

kernel void mandelbrot(int width, int height, int most, float left, float top, float width_of_pixel, global int *restrict steps)
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (column >= width || row >= height)
        return;
    const float re = fma((float)column, width_of_pixel, left), im = fma((float)row, width_of_pixel, top);
    float x = 0.0f, y = 0.0f;
    int taken = 0;
    for (; taken < most; taken++) {
        const float x2 = x * x, y2 = y * y;
        if (x2 + y2 > 4.0f)
            break;
        y = fma(x + x, y, im);
        x = (x2 - y2) + re;
    }
    steps[row * width + column] = taken;
}
