#pragma OPENCL FP_CONTRACT OFF

constant uint ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
constant uint INITIAL[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

uint rotated(uint word, uint by)
{
    return rotate(word, 32 - by);
}

kernel void sha256(uint count, global const uint *restrict seed, global uint *restrict results)
{
    const uint own = get_global_id(0);
    if (own >= count)
        return;
    uint words[16], state[8];
#pragma unroll
    for (uint j = 0; j < 16; j++)
        words[j] = seed[j] ^ (own * 0x9e3779b9u + j);
#pragma unroll
    for (int j = 0; j < 8; j++)
        state[j] = INITIAL[j];
#pragma unroll
    for (int round = 0; round < 64; round++) {
        uint word = words[round % 16];
        if (round >= 16) {
            const uint early = words[(round + 1) % 16], late = words[(round + 14) % 16];
            word += (rotated(early, 7) ^ rotated(early, 18) ^ early >> 3) + words[(round + 9) % 16]
                + (rotated(late, 17) ^ rotated(late, 19) ^ late >> 10);
            words[round % 16] = word;
        }
        const uint a = state[0], b = state[1], c = state[2], e = state[4], f = state[5], g = state[6];
        const uint chosen = (e & f) ^ (~e & g), major = (a & b) ^ (a & c) ^ (b & c);
        const uint first = state[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + chosen + ROUND[round] + word;
        const uint second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + major;
#pragma unroll
        for (int j = 7; j > 0; j--)
            state[j] = state[j - 1];
        state[4] += first;
        state[0] = first + second;
    }
    uint result = 0;
#pragma unroll
    for (int j = 0; j < 8; j++)
        result ^= state[j] + INITIAL[j];
    results[own] = result;
}
