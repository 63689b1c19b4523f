#include "bench.h"

// The sum of all lanes: both halves of DISTANCE lanes are added, again and again.
template <int DISTANCE = LANES / 2, size_t... LANE> static float sum(Floats vector, std::index_sequence<LANE...> all)
{
    vector += __builtin_shufflevector(vector, vector, (LANE ^ DISTANCE)...);
    if constexpr (DISTANCE > 1)
        return sum<DISTANCE / 2>(vector, all);
    return vector[0];
}

void launch(const Arguments &arguments)
{
    const size_t count = arguments.integer(0);
    float *sums = arguments.floats(2);
    for (size_t first = 0; first < count; first += 512) {
        const float *from = arguments.floats(1) + first;
        Floats parts[4] = {};
        for (int at = 0; at < 512; at += 4 * LANES)
            for (int part = 0; part < 4; part++)
                parts[part] += load<Floats>(from + at + part * LANES);
        const Floats both = (parts[0] + parts[1]) + (parts[2] + parts[3]);
        sums[first / 512] = sum(both, std::make_index_sequence<LANES>());
    }
}
