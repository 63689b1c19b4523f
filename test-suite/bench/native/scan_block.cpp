#include "bench.h"

// Lanes moved up by DISTANCE, zeros below.
template <int DISTANCE, size_t... LANE> static Ints moved(Ints vector, std::index_sequence<LANE...>)
{
    return __builtin_shufflevector(Ints{}, vector, (int(LANE) < DISTANCE ? 0 : LANES + int(LANE) - DISTANCE)...);
}

template <int DISTANCE> static Ints summed(Ints vector)
{
    vector += moved<DISTANCE>(vector, std::make_index_sequence<LANES>());
    if constexpr (2 * DISTANCE < LANES)
        return summed<2 * DISTANCE>(vector);
    return vector;
}

void launch(const Arguments &arguments)
{
    const size_t count = arguments.length(0);
    for (size_t first = 0; first < count; first += 512) {
        const int32_t *from = arguments.ints(0) + first;
        int32_t *to = arguments.ints(1) + first;
        Ints before = {};
        for (int at = 0; at < 512; at += LANES) {
            const Ints sums = summed<1>(load<Ints>(from + at)) + before;
            store(to + at, sums);
            before = Ints{} + sums[LANES - 1];
        }
    }
}
