// The lanes that hit the same bin elect one of them to add for all: match, ballot and atomics together.
extern "C" __global__ void grouped_atomics(const unsigned* in, unsigned* bins, unsigned* order, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned bin = in[i] & 15u;
  unsigned peers = __match_any_sync(__activemask(), bin);
  unsigned lane = threadIdx.x & 31u;
  unsigned leader = __ffs(peers) - 1;
  unsigned rank = __popc(peers & ((1u << lane) - 1));
  unsigned base = 0;
  if (lane == leader) base = atomicAdd(&bins[bin], __popc(peers));
  base = __shfl_sync(peers, base, leader);
  atomicMax(&order[bin], base + rank + 1);
}
