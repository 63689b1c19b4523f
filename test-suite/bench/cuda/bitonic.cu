// Sorts each 1024 numbers by Batcher's bitonic network in shared memory; a thread compares two of them in each of the 55 steps.
constexpr unsigned LENGTH = 1024, THREADS = LENGTH / 2;

extern "C" __global__ void bitonic(unsigned *__restrict__ numbers)
{
    __shared__ unsigned part[LENGTH];
    unsigned *own = numbers + blockIdx.x * LENGTH;
    const unsigned thread = threadIdx.x;
    part[thread] = own[thread];
    part[thread + THREADS] = own[thread + THREADS];
    for (unsigned run = 2; run <= LENGTH; run *= 2)
        for (unsigned distance = run / 2; distance != 0; distance /= 2) {
            __syncthreads();
            const unsigned low = 2 * thread - (thread & (distance - 1)), high = low + distance;
            const unsigned first = part[low], second = part[high];
            const bool descends = low & run;
            if ((first > second) != descends) {
                part[low] = second;
                part[high] = first;
            }
        }
    __syncthreads();
    own[thread] = part[thread];
    own[thread + THREADS] = part[thread + THREADS];
}
