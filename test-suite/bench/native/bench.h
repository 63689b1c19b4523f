// What the native programs share: one is `KERNEL [--repeat N] ARGUMENT..` with the arguments of `ptxrun` (i32=, u32=, f32=, in=, out=,
// inout=), and prints the lines of `ptxrun --time=json`. One thread does the work.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <utility>
#include <string>
#include <vector>

// As many elements of 32 bits as the widest registers hold; the compiler splits operations on longer vectors.
#if defined(__AVX512F__)
constexpr int LANES = 16;
#elif defined(__AVX__)
constexpr int LANES = 8;
#else
constexpr int LANES = 4;
#endif
typedef float Floats __attribute__((vector_size(LANES * 4)));
typedef int32_t Ints __attribute__((vector_size(LANES * 4)));
typedef uint32_t Words __attribute__((vector_size(LANES * 4)));

template <class Vector, class Element> inline Vector load(const Element *from)
{
    Vector vector;
    memcpy(&vector, from, sizeof vector);
    return vector;
}

template <class Vector, class Element> inline void store(Element *to, Vector vector)
{
    memcpy(to, &vector, sizeof vector);
}

inline Floats all(float value)
{
    return value - Floats{};
}

// 0, 1, 2 ..
inline Ints lanes()
{
    Ints lanes;
    for (int lane = 0; lane < LANES; lane++)
        lanes[lane] = lane;
    return lanes;
}

inline Floats fma(Floats a, Floats b, Floats c)
{
    return __builtin_elementwise_fma(a, b, c);
}

// The arguments of a kernel, in order.
struct Arguments {
    struct One {
        uint32_t word = 0;
        uint32_t *words = nullptr;
        size_t bytes = 0;
        std::string to;
    };
    std::vector<One> list;

    uint32_t integer(int at) const { return list[at].word; }
    float number(int at) const
    {
        float value;
        memcpy(&value, &list[at].word, sizeof value);
        return value;
    }
    uint32_t *words(int at) const { return list[at].words; }
    int32_t *ints(int at) const { return reinterpret_cast<int32_t *>(list[at].words); }
    float *floats(int at) const { return reinterpret_cast<float *>(list[at].words); }
    // Elements of a buffer.
    size_t length(int at) const { return list[at].bytes / 4; }
};

// What each program defines: one launch.
void launch(const Arguments &arguments);
// What comes before the first launch, and after the last.
void prepare(const Arguments &arguments);
void finish(const Arguments &arguments);
