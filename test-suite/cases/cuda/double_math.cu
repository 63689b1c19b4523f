// Double-precision library functions, which nvcc expands into polynomials and table look-ups.
extern "C" __global__ void double_math(const double* in, double* out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  double x = in[t];
  out[t] = exp(x);
  out[n + t] = log(fabs(x) + 0.5);
  out[2 * n + t] = sin(x);
  out[3 * n + t] = x / (1.0 + x * x);
  out[4 * n + t] = sqrt(fabs(x));
  out[5 * n + t] = floor(x) + atan(x);
}
