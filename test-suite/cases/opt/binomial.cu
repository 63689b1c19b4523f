// The price of an option by a binomial tree, a block for each option.
extern "C" __global__ void binomial(const float *strikes, float *prices, int steps, float spot, float up, float p, float discount) {
    __shared__ float values[129];
    int t = threadIdx.x;
    float strike = strikes[blockIdx.x];
    for (int i = t; i <= steps; i += blockDim.x) values[i] = fmaxf(spot * powf(up, (float)(2 * i - steps)) - strike, 0.0f);
    for (int left = steps; left > 0; left--) {
        __syncthreads();
        float here = t < left ? discount * (p * values[t + 1] + (1.0f - p) * values[t]) : 0.0f;
        __syncthreads();
        if (t < left) values[t] = here;
    }
    if (t == 0) prices[blockIdx.x] = values[0];
}
