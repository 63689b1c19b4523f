#include "bench.h"

void launch(const Arguments &arguments)
{
    // Several vectors at a time, because each step waits for the one before. The width is a multiple of their length.
    constexpr int VECTORS = 4;
    const int width = arguments.integer(0), height = arguments.integer(1), most = arguments.integer(2);
    const float left = arguments.number(3), top = arguments.number(4), step = arguments.number(5);
    for (int row = 0; row < height; row++) {
        const Floats imaginary = all(fmaf(static_cast<float>(row), step, top));
        for (int column = 0; column < width; column += VECTORS * LANES) {
            Floats real[VECTORS], x[VECTORS] = {}, y[VECTORS] = {};
            Ints taken[VECTORS] = {}, inside[VECTORS];
            for (int vector = 0; vector < VECTORS; vector++) {
                const Ints columns = lanes() + (column + vector * LANES);
                real[vector] = fma(__builtin_convertvector(columns, Floats), all(step), all(left));
                inside[vector] = ~Ints{};
            }
            for (int number = 0; number < most; number++) {
                Ints any = {};
#pragma unroll
                for (int vector = 0; vector < VECTORS; vector++) {
                    const Floats x2 = x[vector] * x[vector], y2 = y[vector] * y[vector];
                    inside[vector] &= x2 + y2 <= 4.0f;
                    taken[vector] -= inside[vector];
                    y[vector] = fma(x[vector] + x[vector], y[vector], imaginary);
                    x[vector] = (x2 - y2) + real[vector];
                    any |= inside[vector];
                }
                if (!__builtin_reduce_or(any))
                    break;
            }
            for (int vector = 0; vector < VECTORS; vector++)
                store(arguments.ints(6) + static_cast<size_t>(row) * width + column + vector * LANES, taken[vector]);
        }
    }
}
