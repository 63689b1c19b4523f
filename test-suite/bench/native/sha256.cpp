#include "bench.h"

static const uint32_t ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
static const uint32_t INITIAL[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static inline Words rotated(Words words, int by)
{
    return words >> by | words << (32 - by);
}

void launch(const Arguments &arguments)
{
    const uint32_t count = arguments.integer(0), *seed = arguments.words(1);
    uint32_t *results = arguments.words(2);
    for (uint32_t first = 0; first < count; first += LANES) {
        const Words number = ((Words)lanes() + first) * 0x9e3779b9u;
        Words words[16];
        for (uint32_t j = 0; j < 16; j++)
            words[j] = seed[j] ^ (number + j);
        Words a = Words{} + INITIAL[0], b = Words{} + INITIAL[1], c = Words{} + INITIAL[2], d = Words{} + INITIAL[3];
        Words e = Words{} + INITIAL[4], f = Words{} + INITIAL[5], g = Words{} + INITIAL[6], h = Words{} + INITIAL[7];
#pragma unroll
        for (int round = 0; round < 64; round++) {
            Words &word = words[round % 16];
            if (round >= 16) {
                const Words early = words[(round + 1) % 16], late = words[(round + 14) % 16];
                word += (rotated(early, 7) ^ rotated(early, 18) ^ early >> 3) + words[(round + 9) % 16]
                    + (rotated(late, 17) ^ rotated(late, 19) ^ late >> 10);
            }
            const Words chosen = (e & f) ^ (~e & g), major = (a & b) ^ (a & c) ^ (b & c);
            const Words one = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + chosen + ROUND[round] + word;
            const Words two = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + major;
            h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
        }
        const Words result = (a + INITIAL[0]) ^ (b + INITIAL[1]) ^ (c + INITIAL[2]) ^ (d + INITIAL[3]) ^ (e + INITIAL[4])
            ^ (f + INITIAL[5]) ^ (g + INITIAL[6]) ^ (h + INITIAL[7]);
        memcpy(results + first, &result, (count - first < LANES ? count - first : LANES) * sizeof(uint32_t));
    }
}
