#pragma OPENCL FP_CONTRACT OFF

float normal(float d)
{
    const float t = 1.0f / fma(0.2316419f, fabs(d), 1.0f);
    float sum = fma(1.330274429f, t, -1.821255978f);
    sum = fma(sum, t, 1.781477937f);
    sum = fma(sum, t, -0.356563782f);
    sum = fma(sum, t, 0.31938153f);
    const float tail = 0.39894228f * exp(-0.5f * d * d) * (sum * t);
    return d > 0.0f ? 1.0f - tail : tail;
}

kernel void blackscholes(
    uint count, float rate, float volatility, global const float *restrict prices, global const float *restrict strikes,
    global const float *restrict years, global float *restrict calls, global float *restrict puts)
{
    const uint at = get_global_id(0);
    if (at >= count)
        return;
    const float price = prices[at], strike = strikes[at], time = years[at];
    const float deviation = volatility * sqrt(time);
    const float drift = fma(0.5f * volatility, volatility, rate);
    const float d1 = fma(drift, time, log(price / strike)) / deviation;
    const float n1 = normal(d1), n2 = normal(d1 - deviation);
    const float discounted = strike * exp(-rate * time);
    calls[at] = price * n1 - discounted * n2;
    puts[at] = discounted * (1.0f - n2) - price * (1.0f - n1);
}
