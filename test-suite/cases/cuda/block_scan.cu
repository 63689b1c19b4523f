// An inclusive scan of one block by warp shuffles; the warps' sums lie in dynamic shared memory.
extern "C" __global__ void block_scan(const unsigned* in, unsigned* out, int n) {
  extern __shared__ unsigned sums[];
  int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  int i = blockIdx.x * blockDim.x + t;
  unsigned v = i < n ? in[i] : 0;
  for (int d = 1; d < 32; d <<= 1) {
    unsigned u = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += u;
  }
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0) {
    unsigned s = lane < (int)(blockDim.x >> 5) ? sums[lane] : 0;
    for (int d = 1; d < 32; d <<= 1) {
      unsigned u = __shfl_up_sync(0xffffffffu, s, d);
      if (lane >= d) s += u;
    }
    sums[lane] = s;
  }
  __syncthreads();
  if (warp > 0) v += sums[warp - 1];
  if (i < n) out[i] = v;
}
