// Barriers, atomics and copies of the C++ library.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

extern "C" __global__ void barriers(const int *in, int *out, int rounds) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier meet;
    __shared__ int s[64];
    if (threadIdx.x == 0) init(&meet, blockDim.x);
    __syncthreads();
    int v = in[threadIdx.x];
    for (int i = 0; i < rounds; i++) {
        s[threadIdx.x] = v;
        meet.arrive_and_wait();
        v += s[(threadIdx.x + 1) % 64];
        auto token = meet.arrive();
        meet.wait(std::move(token));
    }
    out[threadIdx.x] = v;
}

extern "C" __global__ void copies(const int *in, int *out) {
    auto block = cooperative_groups::this_thread_block();
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier arrived;
    __shared__ __align__(16) int s[256];
    if (threadIdx.x == 0) init(&arrived, blockDim.x);
    block.sync();
    cuda::memcpy_async(block, s, in, cuda::aligned_size_t<16>(sizeof(s)), arrived);
    arrived.arrive_and_wait();
    out[threadIdx.x] = s[255 - threadIdx.x] + s[threadIdx.x + 128];
}

extern "C" __global__ void pipelined(const int *in, int *out, int rounds) {
    auto block = cooperative_groups::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ __align__(16) int s[2][64];
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int fetched = 0, i = 0; i < rounds; i++) {
        for (; fetched < rounds && fetched < i + 2; fetched++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[fetched % 2], in + fetched * 64, sizeof(int) * 64, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += s[i % 2][(threadIdx.x * 7) % 64] * (i + 1);
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void atomics(const unsigned *in, unsigned *most, unsigned long long *sum, int *order) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*most).fetch_max(in[i], cuda::memory_order_relaxed);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> total(*sum);
    unsigned long long old = total.load(cuda::memory_order_acquire);
    while (!total.compare_exchange_weak(old, old + in[i], cuda::memory_order_acq_rel)) {}
    cuda::atomic_ref<int, cuda::thread_scope_device> ticket(order[0]);
    order[1 + ticket.fetch_add(1, cuda::memory_order_seq_cst)] = 1;
}

extern "C" __global__ void values(const float *re, const float *im, float *out, unsigned *bits) {
    cuda::std::complex<float> z(re[threadIdx.x], im[threadIdx.x]), w(0.5f, -0.25f);
    cuda::std::array<float, 4> a = {(z * w).real(), (z * w).imag(), cuda::std::norm(z), (z / w).real()};
    cuda::std::span<float> rest(out + threadIdx.x * 4, 4);
    for (size_t i = 0; i < rest.size(); i++) rest[i] = a[i];
    unsigned v = cuda::std::bit_cast<unsigned>(re[threadIdx.x]);
    cuda::std::optional<int> top = v ? cuda::std::optional<int>(cuda::std::countl_zero(v)) : cuda::std::nullopt;
    bits[threadIdx.x] = cuda::std::popcount(v) * 1000 + top.value_or(99) + 100000 * (cuda::std::rotl(v, 5) & 3);
}
