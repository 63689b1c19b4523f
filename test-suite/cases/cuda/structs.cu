// Structures by value: a kernel parameter, an argument and a result of a function that is not inlined.
struct Box { float lo[3], hi[3]; int id; };
struct Hit { float t; int id; bool inside; };
static __device__ __noinline__ Hit intersect(Box b, float ox, float oy, float oz, float dx, float dy, float dz) {
  float o[3] = {ox, oy, oz}, d[3] = {dx, dy, dz};
  float t0 = 0.0f, t1 = 1e30f;
  for (int i = 0; i < 3; ++i) {
    float a = (b.lo[i] - o[i]) / d[i], c = (b.hi[i] - o[i]) / d[i];
    t0 = fmaxf(t0, fminf(a, c));
    t1 = fminf(t1, fmaxf(a, c));
  }
  Hit h;
  h.t = t0; h.id = t0 <= t1 ? b.id : -1; h.inside = t0 == 0.0f && t0 <= t1;
  return h;
}
extern "C" __global__ void structs(Box b, const float* rays, float* t, int* id) {
  int i = threadIdx.x;
  Hit h = intersect(b, rays[6 * i], rays[6 * i + 1], rays[6 * i + 2], rays[6 * i + 3], rays[6 * i + 4], rays[6 * i + 5]);
  t[i] = h.t;
  id[i] = h.inside ? h.id + 100 : h.id;
}
