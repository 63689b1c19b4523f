// Rounds of a hash of words in the manner of MD5: rotations by a table, and a function that changes every 16 rounds.
__constant__ unsigned turns[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
extern "C" __global__ void rounds(const unsigned *in, unsigned *out, int n) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    unsigned a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
    for (unsigned i = 0; i < 64; i++) {
        unsigned f, k;
        if (i < 16) { f = (b & c) | (~b & d); k = i; }
        else if (i < 32) { f = (d & b) | (~d & c); k = 5 * i + 1; }
        else if (i < 48) { f = b ^ c ^ d; k = 3 * i + 5; }
        else { f = c ^ (b | ~d); k = 7 * i; }
        unsigned sum = a + f + in[(at + k) % n] + i * 0x9e3779b9u, turn = turns[i / 16 * 4 + i % 4];
        a = d; d = c; c = b;
        b += sum << turn | sum >> (32 - turn);
    }
    out[4 * at] = a; out[4 * at + 1] = b; out[4 * at + 2] = c; out[4 * at + 3] = d;
}
