// 64-bit division, 128-bit products, bit counts.
extern "C" __global__ void wide_integers(const unsigned long long* a, const unsigned long long* b, unsigned long long* out) {
  int t = threadIdx.x;
  unsigned long long x = a[t], y = b[t];
  out[8 * t] = x / y;
  out[8 * t + 1] = x % y;
  out[8 * t + 2] = (unsigned long long)((long long)x / (long long)y);
  out[8 * t + 3] = (unsigned long long)((long long)x % (long long)y);
  out[8 * t + 4] = __umul64hi(x, y);
  out[8 * t + 5] = __popcll(x) * 100 + __clzll(y);
  out[8 * t + 6] = __brevll(x);
  unsigned __int128 p = (unsigned __int128)x * x + y;
  out[8 * t + 7] = (unsigned long long)(p >> 60);
}
