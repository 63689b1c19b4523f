#include <cuda_fp16.h>
// Dot products of rows of halves: packed products, summed in single precision over a warp.
extern "C" __global__ void half_dot(const __half2* a, const __half2* b, float* out) {
  int row = blockIdx.x, lane = threadIdx.x;
  __half2 s = __float2half2_rn(0.0f);
  for (int i = lane; i < 64; i += 32) s = __hfma2(a[row * 64 + i], b[i], s);
  float v = __low2float(s) + __high2float(s);
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  if (lane == 0) out[row] = v;
}
