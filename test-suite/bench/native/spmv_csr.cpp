#include "bench.h"
#if defined(__AVX512F__)
#include <immintrin.h>

static float row_sum(const int32_t *columns, const float *values, int count, const float *x)
{
    __m512 sums = _mm512_setzero_ps();
    for (int at = 0; at < count; at += 16) {
        const __mmask16 there = count - at < 16 ? (1u << (count - at)) - 1 : 0xffff;
        const __m512i from = _mm512_maskz_loadu_epi32(there, columns + at);
        const __m512 factors = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), there, from, x, 4);
        sums = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(there, values + at), factors, sums);
    }
    return _mm512_reduce_add_ps(sums);
}
#else
static float row_sum(const int32_t *columns, const float *values, int count, const float *x)
{
    float sum = 0;
    for (int at = 0; at < count; at++)
        sum = fmaf(values[at], x[columns[at]], sum);
    return sum;
}
#endif

void launch(const Arguments &arguments)
{
    const int rows = arguments.integer(0);
    const int32_t *starts = arguments.ints(1), *columns = arguments.ints(2);
    for (int row = 0; row < rows; row++) {
        const int start = starts[row];
        arguments.floats(5)[row] = row_sum(columns + start, arguments.floats(3) + start, starts[row + 1] - start, arguments.floats(4));
    }
}
