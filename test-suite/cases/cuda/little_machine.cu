// A little stack machine: each thread interprets the same program on its own number.
__constant__ unsigned char program[] = {0, 1, 3, 4, 0, 2, 5, 0, 6, 7, 3, 8, 9};
extern "C" __global__ void little_machine(const long long* in, long long* out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  long long stack[8];
  int top = 0;
  for (int pc = 0;; ++pc) {
    switch (program[pc]) {
      case 0: stack[top++] = in[t]; break;
      case 1: stack[top++] = 7; break;
      case 2: stack[top++] = -3; break;
      case 3: --top; stack[top - 1] += stack[top]; break;
      case 4: stack[top - 1] *= stack[top - 1]; break;
      case 5: --top; stack[top - 1] = stack[top - 1] / stack[top]; break;
      case 6: --top; stack[top - 1] ^= stack[top]; break;
      case 7: if (stack[top - 1] < 0) stack[top - 1] = -stack[top - 1]; break;
      case 8: stack[top - 1] %= 1000; break;
      default: out[t] = stack[top - 1]; return;
    }
  }
}
