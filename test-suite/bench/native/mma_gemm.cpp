#include "gemm.h"

void launch(const Arguments &arguments)
{
    const size_t n = arguments.integer(0);
    const auto *a = reinterpret_cast<const _Float16 *>(arguments.words(1));
    const auto *transposed = reinterpret_cast<const _Float16 *>(arguments.words(2));
    const auto left = [=](size_t row, size_t k) { return static_cast<float>(a[row * n + k]); };
    const auto right = [=](float *to, size_t k, size_t depth, size_t column) {
        for (size_t step = 0; step < depth; step++)
            for (size_t at = 0; at < COLUMNS; at++)
                to[step * COLUMNS + at] = static_cast<float>(transposed[(column + at) * n + k + step]);
    };
    multiply(n, left, right, arguments.floats(3));
}
