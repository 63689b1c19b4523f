#include "bench.h"

void launch(const Arguments &arguments)
{
    const size_t count = arguments.integer(0);
    const uint32_t *from = arguments.words(1);
    // Several tables, so that equal bytes after each other do not wait for each other.
    constexpr int TABLES = 8;
    uint32_t tables[TABLES][256] = {};
    size_t at = 0;
    for (; at + TABLES <= count; at += TABLES)
        for (int table = 0; table < TABLES; table++)
            tables[table][from[at + table] % 256]++;
    for (; at < count; at++)
        tables[0][from[at] % 256]++;
    for (const auto &table : tables)
        for (int byte = 0; byte < 256; byte++)
            arguments.words(2)[byte] += table[byte];
}
