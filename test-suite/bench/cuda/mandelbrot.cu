// How many steps each point takes to leave the circle of radius 2: lanes leave the loop one by one.
extern "C" __global__ void mandelbrot(
    int width, int height, int most, float left, float top, float step, int *__restrict__ steps)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height)
        return;
    const float real = fmaf((float)column, step, left), imaginary = fmaf((float)row, step, top);
    float x = 0.0f, y = 0.0f;
    int taken = 0;
    for (; taken < most; taken++) {
        const float x2 = x * x, y2 = y * y;
        if (x2 + y2 > 4.0f)
            break;
        y = fmaf(x + x, y, imaginary);
        x = (x2 - y2) + real;
    }
    steps[row * width + column] = taken;
}
