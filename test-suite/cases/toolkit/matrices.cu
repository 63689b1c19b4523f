// Matrix products: through wmma, and with ldmatrix, cp.async and mma written by hand.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

// out = a * b: a is 32 x 48, b 48 x 32 by columns; each warp has one 16 x 16 tile.
extern "C" __global__ void wmma_halves(const half *a, const half *b, float *out) {
    int warp = threadIdx.x / 32, row = warp / 2 * 16, col = warp % 2 * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.0f);
    for (int k = 0; k < 48; k += 16) {
        wmma::load_matrix_sync(x, a + row * 48 + k, 48);
        wmma::load_matrix_sync(y, b + col * 48 + k, 48);
        wmma::mma_sync(acc, x, y, acc);
    }
    for (int i = 0; i < acc.num_elements; i++) acc.x[i] = acc.x[i] < 0 ? 0 : acc.x[i];
    wmma::store_matrix_sync(out + row * 32 + col, acc, 32, wmma::mem_row_major);
}

extern "C" __global__ void wmma_bytes(const signed char *a, const signed char *b, int *out) {
    wmma::fragment<wmma::matrix_a, 8, 32, 16, signed char, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 8, 32, 16, signed char, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 8, 32, 16, int> acc;
    wmma::fill_fragment(acc, 5);
    wmma::load_matrix_sync(x, a, 16);
    wmma::load_matrix_sync(y, b, 32);
    wmma::mma_sync(acc, x, y, acc);
    wmma::store_matrix_sync(out, acc, 8, wmma::mem_col_major);
}

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// 64 x 64 x 64, four warps of 32 x 32 each, two stages of 16 columns in shared memory.
extern "C" __global__ void staged(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *out) {
    __shared__ __align__(16) __nv_bfloat16 x[2][64][16 + 8], y[2][16][64 + 8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp / 2 * 32, col = warp % 2 * 32;
    float acc[2][4][4] = {};
    auto copy = [&](int stage, int k) {
        int r = threadIdx.x / 2, c = threadIdx.x % 2 * 8;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared_address(&x[stage][r][c])), "l"(a + r * 64 + k + c));
        r = threadIdx.x / 8, c = threadIdx.x % 8 * 8;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared_address(&y[stage][r][c])), "l"(b + (k + r) * 64 + c));
        asm volatile("cp.async.commit_group;");
    };
    copy(0, 0);
    for (int k = 0; k < 64; k += 16) {
        int stage = k / 16 % 2;
        if (k + 16 < 64) {
            copy(stage ^ 1, k + 16);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads();
        unsigned fa[2][4], fb[4][2];
        for (int i = 0; i < 2; i++)
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3])
                         : "r"(shared_address(&x[stage][row + i * 16 + lane % 16][lane / 16 * 8])));
        for (int j = 0; j < 4; j++)
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                         : "=r"(fb[j][0]), "=r"(fb[j][1]) : "r"(shared_address(&y[stage][lane % 16][col + j * 8])));
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 4; j++)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                             : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                             : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            for (int e = 0; e < 4; e++) out[(row + i * 16 + lane / 4 + e / 2 * 8) * 64 + col + j * 8 + lane % 4 * 2 + e % 2] = acc[i][j][e];
}
