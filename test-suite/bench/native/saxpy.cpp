#include "bench.h"

void launch(const Arguments &arguments)
{
    const size_t count = arguments.integer(0);
    const float scale = arguments.number(1);
    const float *__restrict x = arguments.floats(2);
    float *__restrict y = arguments.floats(3);
    for (size_t at = 0; at < count; at++)
        y[at] = fmaf(scale, x[at], y[at]);
}
