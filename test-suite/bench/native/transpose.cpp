#include "bench.h"

// Exchanges halves of pairs of vectors whose numbers differ by DISTANCE; after all distances rows are columns.
template <int DISTANCE, size_t... LANE> static void step(Floats (&rows)[LANES], std::index_sequence<LANE...>)
{
#pragma unroll
    for (int row = 0; row < LANES; row++) {
        if (row & DISTANCE)
            continue;
        const Floats a = rows[row], b = rows[row + DISTANCE];
        rows[row] = __builtin_shufflevector(a, b, (LANE & DISTANCE ? LANES + LANE - DISTANCE : LANE)...);
        rows[row + DISTANCE] = __builtin_shufflevector(a, b, (LANE & DISTANCE ? LANES + LANE : LANE + DISTANCE)...);
    }
    if constexpr (DISTANCE > 1)
        step<DISTANCE / 2>(rows, std::index_sequence<LANE...>());
}

void launch(const Arguments &arguments)
{
    const size_t n = arguments.integer(0);
    const float *from = arguments.floats(1);
    float *to = arguments.floats(2);
    // 64 rows of the result at a time, so that a line of it is written while it is in the cache.
    for (size_t left = 0; left < n; left += 64)
        for (size_t top = 0; top < n; top += LANES)
            for (size_t x = left; x < left + 64; x += LANES) {
                Floats rows[LANES];
#pragma unroll
                for (int row = 0; row < LANES; row++)
                    rows[row] = load<Floats>(from + (top + row) * n + x);
                step<LANES / 2>(rows, std::make_index_sequence<LANES>());
#pragma unroll
                for (int row = 0; row < LANES; row++)
                    store(to + (x + row) * n + top, rows[row]);
            }
}
