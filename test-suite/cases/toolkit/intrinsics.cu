// Intrinsics of CUDA for integers, narrow numbers and packed values.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

extern "C" __global__ void integers(const unsigned *a, const unsigned *b, unsigned *out, int n) {
    int i = threadIdx.x;
    unsigned x = a[i], y = b[i];
    unsigned r[12] = {__brev(x), (unsigned)__clz(x), __byte_perm(x, y, 0x5140), __funnelshift_l(x, y, y & 31), __umulhi(x, y),
                      __vadd4(x, y), __vmaxs2(x, y), __vavgu4(x, y), (unsigned)__dp4a((int)x, (int)y, 7),
                      __usad(x, y, 3), (unsigned)__viaddmax_s32((int)x, (int)y, -5), (unsigned)__vimin3_s32((int)x, (int)y, 100)};
    for (int k = 0; k < 12; k++) out[k * n + i] = r[k];
}

extern "C" __global__ void halves(const float *a, const float *b, float *out, int n) {
    int i = threadIdx.x;
    half2 x = __floats2half2_rn(a[i], b[i]), y = __floats2half2_rn(b[i], 0.5f);
    half2 r = __hfma2(x, y, x);
    out[i] = __low2float(r); out[n + i] = __high2float(r);
    __nv_bfloat162 p = __floats2bfloat162_rn(a[i], b[i]), q = __hmul2(p, p);
    out[2 * n + i] = __low2float(q); out[3 * n + i] = __high2float(__hmax2(p, q));
    __nv_fp8_e4m3 e(a[i]); __nv_fp8_e5m2 f(b[i]);
    out[4 * n + i] = float(e); out[5 * n + i] = float(f);
    out[6 * n + i] = __half2float(hsqrt(__float2half(a[i] * a[i]))); out[7 * n + i] = __half2float(__hadd_sat(__float2half(a[i]), __float2half(b[i])));
}

extern "C" __global__ void directed(const float *a, const float *b, float *out, int n) {
    int i = threadIdx.x;
    float x = a[i], y = b[i];
    float r[8] = {__fadd_ru(x, y), __fmul_rd(x, y), __fdiv_rz(x, y), __fsqrt_ru(x * x), __fmaf_rz(x, y, 1.0f), (float)__float2int_rd(x),
                  __int_as_float(__float_as_int(x) ^ 1), __ull2float_rz((unsigned long long)(i + 1) * 0x123456789ull)};
    for (int k = 0; k < 8; k++) out[k * n + i] = r[k];
}
