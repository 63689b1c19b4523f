// All steps of a Fourier transform of 64 complex numbers in each block, whose order is bit-reversed.
extern "C" __global__ void fft_steps(const float2 *in, const float2 *roots, float2 *out, int bits) {
    extern __shared__ float2 x[];
    int n = 1 << bits, t = threadIdx.x;
    for (int i = t; i < n; i += blockDim.x) x[__brev(i) >> (32 - bits)] = in[blockIdx.x * n + i];
    for (int s = 0; s < bits; s++) {
        __syncthreads();
        int half = 1 << s;
        for (int k = t; k < n / 2; k += blockDim.x) {
            int j = k & (half - 1), low = 2 * k - j, high = low + half;
            float2 w = roots[j << (bits - 1 - s)], a = x[low], b = x[high];
            float2 turned = make_float2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
            x[low] = make_float2(a.x + turned.x, a.y + turned.y);
            x[high] = make_float2(a.x - turned.x, a.y - turned.y);
        }
    }
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) out[blockIdx.x * n + i] = x[i];
}
