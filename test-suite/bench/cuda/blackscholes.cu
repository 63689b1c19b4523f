// Prices of European options by Black and Scholes; the normal distribution by formula 26.2.17 of Abramowitz and Stegun.
__device__ float normal(float d)
{
    const float t = 1.0f / fmaf(0.2316419f, fabsf(d), 1.0f);
    float sum = fmaf(1.330274429f, t, -1.821255978f);
    sum = fmaf(sum, t, 1.781477937f);
    sum = fmaf(sum, t, -0.356563782f);
    sum = fmaf(sum, t, 0.31938153f);
    const float tail = 0.39894228f * expf(-0.5f * d * d) * (sum * t);
    return d > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void blackscholes(
    unsigned count, float rate, float volatility, const float *__restrict__ prices, const float *__restrict__ strikes,
    const float *__restrict__ years, float *__restrict__ calls, float *__restrict__ puts)
{
    const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= count)
        return;
    const float price = prices[at], strike = strikes[at], time = years[at];
    const float deviation = volatility * sqrtf(time);
    const float drift = fmaf(0.5f * volatility, volatility, rate);
    const float d1 = fmaf(drift, time, logf(price / strike)) / deviation;
    const float n1 = normal(d1), n2 = normal(d1 - deviation);
    const float discounted = strike * expf(-rate * time);
    calls[at] = price * n1 - discounted * n2;
    puts[at] = discounted * (1.0f - n2) - price * (1.0f - n1);
}
