// C = A * B by tensor cores: A and the transposed B are matrices of f16, rows after each other, C is of f32. A block of four warps makes
// 64 x 32 of C, each warp 16 rows of it as four tiles of m16n8k16; n is a multiple of 64.
struct Tile {
    float d[4];

    __device__ void add(const unsigned (&a)[4], unsigned b0, unsigned b1)
    {
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    }
};

// `a` and `transposed` are read as words of two elements.
extern "C" __global__ void mma_gemm(
    int n, const unsigned *__restrict__ a, const unsigned *__restrict__ transposed, float *__restrict__ c)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int group = lane / 4, in_group = lane % 4, pitch = n / 2;
    const int row = blockIdx.y * 64 + warp * 16 + group, column = blockIdx.x * 32;
    const unsigned *upper = a + row * pitch + in_group, *lower = upper + 8 * pitch;
    const unsigned *factor = transposed + (column + group) * pitch + in_group;
    Tile tiles[4] = {};
    for (int k = 0; k < pitch; k += 8) {
        const unsigned left[4] = {upper[k], lower[k], upper[k + 4], lower[k + 4]};
#pragma unroll
        for (int tile = 0; tile < 4; tile++)
            tiles[tile].add(left, factor[tile * 8 * pitch + k], factor[tile * 8 * pitch + k + 4]);
    }
#pragma unroll
    for (int tile = 0; tile < 4; tile++) {
        float *to = c + row * n + column + tile * 8 + in_group * 2;
        to[0] = tiles[tile].d[0];
        to[1] = tiles[tile].d[1];
        to[8 * n] = tiles[tile].d[2];
        to[8 * n + 1] = tiles[tile].d[3];
    }
}
