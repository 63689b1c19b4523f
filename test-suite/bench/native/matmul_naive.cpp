#include "gemm.h"

void launch(const Arguments &arguments)
{
    const size_t n = arguments.integer(0);
    const float *a = arguments.floats(1), *b = arguments.floats(2);
    const auto left = [=](size_t row, size_t k) { return a[row * n + k]; };
    const auto right = [=](float *to, size_t k, size_t depth, size_t column) {
        for (size_t step = 0; step < depth; step++)
            memcpy(to + step * COLUMNS, b + (k + step) * n + column, COLUMNS * sizeof(float));
    };
    multiply(n, left, right, arguments.floats(3));
}
