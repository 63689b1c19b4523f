#include "bench.h"
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

// 1 / sqrt, to the last bits of single precision: an estimate and a step of Newton's method where there is one of 14 bits.
static Floats reciprocal_root(Floats square)
{
#if defined(__AVX512F__)
    const Floats near = (Floats)_mm512_rsqrt14_ps((__m512)square);
    return near * fma(-0.5f * square * near, near, all(1.5f));
#else
    return 1.0f / __builtin_elementwise_sqrt(square);
#endif
}

void launch(const Arguments &arguments)
{
    constexpr int VECTORS = 4, BODIES = VECTORS * LANES;
    const size_t count = arguments.integer(0);
    const float *bodies = arguments.floats(1);
    float *accelerations = arguments.floats(2);
    for (size_t first = 0; first < count; first += BODIES) {
        Floats own[VECTORS][3], sums[VECTORS][3] = {};
        for (int at = 0; at < BODIES; at++)
            for (int axis = 0; axis < 3; axis++)
                own[at / LANES][axis][at % LANES] = bodies[4 * (first + at) + axis];
        for (size_t other = 0; other < count; other++) {
            const float *body = bodies + 4 * other;
            const Floats x = all(body[0]), y = all(body[1]), z = all(body[2]), mass = all(body[3]);
#pragma unroll
            for (int vector = 0; vector < VECTORS; vector++) {
                const Floats dx = x - own[vector][0], dy = y - own[vector][1], dz = z - own[vector][2];
                const Floats near = reciprocal_root(fma(dx, dx, fma(dy, dy, fma(dz, dz, all(1e-3f)))));
                const Floats pull = mass * near * (near * near);
                sums[vector][0] = fma(dx, pull, sums[vector][0]);
                sums[vector][1] = fma(dy, pull, sums[vector][1]);
                sums[vector][2] = fma(dz, pull, sums[vector][2]);
            }
        }
        for (int at = 0; at < BODIES; at++)
            for (int axis = 0; axis < 4; axis++)
                accelerations[4 * (first + at) + axis] = axis < 3 ? sums[at / LANES][axis][at % LANES] : 0;
    }
}
