// A product of square matrices, blocked for caches, with 8 rows by two vectors of the result in registers. Both factors are packed in the
// order in which they are read. Each element is summed in order, as the kernels do. n is a multiple of the columns below and, above DEPTH, of DEPTH.
#pragma once

#include "bench.h"

constexpr int ROWS = 8, COLUMNS = 2 * LANES, DEPTH = 256, BAND = 128;

// Adds the product of `depth` columns of ROWS rows and as many rows of COLUMNS columns to what is in `c`, or to zero.
inline void tile(int depth, const float *__restrict a, const float *__restrict b, float *__restrict c, size_t pitch, bool first)
{
    Floats sums[ROWS][2];
    for (int row = 0; row < ROWS; row++)
        for (int half = 0; half < 2; half++)
            sums[row][half] = first ? Floats{} : load<Floats>(c + row * pitch + half * LANES);
    for (int k = 0; k < depth; k++, a += ROWS, b += COLUMNS) {
        const Floats left = load<Floats>(b), right = load<Floats>(b + LANES);
#pragma unroll
        for (int row = 0; row < ROWS; row++) {
            const Floats factor = all(a[row]);
            sums[row][0] = fma(factor, left, sums[row][0]);
            sums[row][1] = fma(factor, right, sums[row][1]);
        }
    }
    for (int row = 0; row < ROWS; row++)
        for (int half = 0; half < 2; half++)
            store(c + row * pitch + half * LANES, sums[row][half]);
}

// `a(row, k)` and `b(k, column)` are the elements of the factors.
template <class A, class B> void multiply(size_t n, A a, B b, float *c)
{
    const size_t deep = n < DEPTH ? n : DEPTH;
    const auto memory = [](size_t floats) {
        return std::unique_ptr<float, decltype(&free)>(static_cast<float *>(aligned_alloc(64, floats * sizeof(float))), &free);
    };
    const auto right = memory(n * deep), left = memory(BAND * deep);
    for (size_t k = 0; k < n; k += deep) {
        float *to = right.get();
        for (size_t column = 0; column < n; column += COLUMNS)
            b(to + column * deep, k, deep, column);
        for (size_t band = 0; band < n; band += BAND) {
            const size_t rows = n - band < BAND ? n - band : BAND;
            for (size_t row = 0; row < rows; row += ROWS)
                for (size_t step = 0; step < deep; step++)
                    for (size_t at = 0; at < ROWS; at++)
                        left.get()[row * deep + step * ROWS + at] = a(band + row + at, k + step);
            for (size_t column = 0; column < n; column += COLUMNS)
                for (size_t row = 0; row < rows; row += ROWS)
                    tile(deep, left.get() + row * deep, to + column * deep, c + (band + row) * n + column, n, k == 0);
        }
    }
}
