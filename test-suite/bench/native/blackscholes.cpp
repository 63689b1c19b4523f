#include "bench.h"

// Functions without branches, so that the loop below is vectorized; the coefficients are those of Chebyshev interpolation.
static inline float exponential(float x)
{
    x = x < -87.0f ? -87.0f : x > 88.0f ? 88.0f : x;
    // Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits.
    const float shifted = fmaf(x, 1.44269504f, 12582912.0f), whole = shifted - 12582912.0f;
    float rest = fmaf(whole, -0.693359375f, x);
    rest = fmaf(whole, 2.12194440e-4f, rest);
    float sum = 1.98909908e-04f;
    sum = fmaf(sum, rest, 1.39336500e-03f);
    sum = fmaf(sum, rest, 8.33331093e-03f);
    sum = fmaf(sum, rest, 4.16664649e-02f);
    sum = fmaf(sum, rest, 1.66666667e-01f);
    sum = fmaf(sum, rest, 5.00000001e-01f);
    sum = fmaf(sum * rest, rest, rest) + 1.0f;
    return __builtin_bit_cast(float, __builtin_bit_cast(int32_t, sum) + (__builtin_bit_cast(int32_t, shifted) << 23));
}

static inline float logarithm(float x)
{
    // x = 2^e * m with m between sqrt(1/2) and sqrt(2).
    const int32_t bits = __builtin_bit_cast(int32_t, x), e = (bits - 0x3f3504f3) >> 23;
    const float f = __builtin_bit_cast(float, bits - (e << 23)) - 1.0f;
    float sum = -7.67364150e-02f;
    sum = fmaf(sum, f, 1.27226728e-01f);
    sum = fmaf(sum, f, -1.31275557e-01f);
    sum = fmaf(sum, f, 1.42048560e-01f);
    sum = fmaf(sum, f, -1.66266456e-01f);
    sum = fmaf(sum, f, 2.00012345e-01f);
    sum = fmaf(sum, f, -2.50007812e-01f);
    sum = fmaf(sum, f, 3.33333300e-01f);
    sum = fmaf(sum, f, -4.99999976e-01f);
    return fmaf(static_cast<float>(e), 0.693147182f, fmaf(sum * f, f, f));
}

static inline float normal(float d)
{
    const float t = 1.0f / fmaf(0.2316419f, fabsf(d), 1.0f);
    float sum = fmaf(1.330274429f, t, -1.821255978f);
    sum = fmaf(sum, t, 1.781477937f);
    sum = fmaf(sum, t, -0.356563782f);
    sum = fmaf(sum, t, 0.31938153f);
    const float tail = 0.39894228f * exponential(-0.5f * d * d) * (sum * t);
    return d > 0.0f ? 1.0f - tail : tail;
}

void launch(const Arguments &arguments)
{
    const size_t count = arguments.integer(0);
    const float rate = arguments.number(1), volatility = arguments.number(2);
    const float *__restrict prices = arguments.floats(3), *__restrict strikes = arguments.floats(4), *__restrict years = arguments.floats(5);
    float *__restrict calls = arguments.floats(6), *__restrict puts = arguments.floats(7);
    const float drift = fmaf(0.5f * volatility, volatility, rate);
    for (size_t at = 0; at < count; at++) {
        const float price = prices[at], strike = strikes[at], time = years[at];
        const float deviation = volatility * sqrtf(time);
        const float d1 = fmaf(drift, time, logarithm(price / strike)) / deviation;
        const float n1 = normal(d1), n2 = normal(d1 - deviation);
        const float discounted = strike * exponential(-rate * time);
        calls[at] = price * n1 - discounted * n2;
        puts[at] = discounted * (1.0f - n2) - price * (1.0f - n1);
    }
}
