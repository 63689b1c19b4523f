#include "bench.h"

// The network of the kernel, on vectors: far elements are in different ones, near ones in the same.
constexpr int LENGTH = 1024, VECTORS = LENGTH / LANES;

static inline Words smaller(Words a, Words b) { return __builtin_elementwise_min(a, b); }
static inline Words larger(Words a, Words b) { return __builtin_elementwise_max(a, b); }

// Compares elements of a vector that are DISTANCE apart. `descends` is all ones in lanes of runs that descend.
template <int DISTANCE, size_t... LANE> static Words within(Words own, Words descends, std::index_sequence<LANE...>)
{
    const Words other = __builtin_shufflevector(own, own, (LANE ^ DISTANCE)...);
    constexpr Words upper = {(LANE & DISTANCE ? ~0u : 0u)...};
    own = (upper ^ descends) ? larger(own, other) : smaller(own, other);
    if constexpr (DISTANCE > 1)
        return within<DISTANCE / 2>(own, descends, std::index_sequence<LANE...>());
    return own;
}

// The runs of RUN elements, from where elements of one vector are compared.
template <int RUN> static void merge(Words *vectors)
{
    for (int distance = RUN / 2 / LANES; distance > 0; distance /= 2)
        for (int pair = 0; pair < VECTORS / 2; pair++) {
            const int low = 2 * pair - (pair & (distance - 1)), high = low + distance;
            const Words a = smaller(vectors[low], vectors[high]), b = larger(vectors[low], vectors[high]);
            const bool descends = low * LANES & RUN;
            vectors[low] = descends ? b : a;
            vectors[high] = descends ? a : b;
        }
    constexpr int NEAR = RUN / 2 < LANES / 2 ? RUN / 2 : LANES / 2;
    for (int vector = 0; vector < VECTORS; vector++) {
        const Words at = (Words)(lanes() + vector * LANES);
        vectors[vector] = within<NEAR>(vectors[vector], (Words)((at & RUN) != 0), std::make_index_sequence<LANES>());
    }
    if constexpr (RUN < LENGTH)
        merge<2 * RUN>(vectors);
}

void launch(const Arguments &arguments)
{
    for (size_t first = 0; first < arguments.length(0); first += LENGTH) {
        Words vectors[VECTORS];
        uint32_t *part = arguments.words(0) + first;
        memcpy(vectors, part, sizeof vectors);
        merge<2>(vectors);
        memcpy(part, vectors, sizeof vectors);
    }
}
