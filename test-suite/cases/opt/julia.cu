// Points that escape after different numbers of steps.
extern "C" __global__ void julia(int *out, int width, int height, float cx, float cy, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float re = __fmul_rn((float)x, 0.125f) - 1.5f, im = __fmul_rn((float)y, 0.125f) - 1.5f;
    int steps = 0;
    while (steps < most && __fadd_rn(__fmul_rn(re, re), __fmul_rn(im, im)) <= 4.0f) {
        float next = __fadd_rn(__fsub_rn(__fmul_rn(re, re), __fmul_rn(im, im)), cx);
        im = __fadd_rn(__fmul_rn(__fmul_rn(2.0f, re), im), cy);
        re = next;
        steps++;
    }
    out[y * width + x] = steps;
}
