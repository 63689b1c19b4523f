// Every thread sorts eight values in an array of its own, by insertion, and writes them back.
extern "C" __global__ void local_sort(const int* in, int* out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int v[8];
  for (int i = 0; i < 8; ++i) v[i] = in[8 * t + i];
  for (int i = 1; i < 8; ++i) {
    int x = v[i], j = i - 1;
    while (j >= 0 && v[j] > x) { v[j + 1] = v[j]; --j; }
    v[j + 1] = x;
  }
  for (int i = 0; i < 8; ++i) out[8 * t + i] = v[i];
}
