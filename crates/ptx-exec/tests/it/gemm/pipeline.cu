// Products of matrices with CuTe and the pipelines of CUTLASS, whose headers are those of the wheel nvidia-cutlass 4.2.0.0:
//
//   nvcc -ptx -arch=sm_90a -std=c++17 --expt-relaxed-constexpr -I cutlass_library/source/include pipeline.cu -o pipeline.ptx

#include <cute/tensor.hpp>
#include <cute/arch/copy_sm90_tma.hpp>
#include <cute/arch/mma_sm90_gmma.hpp>
#include <cute/atom/mma_traits_sm90_gmma.hpp>
#include <cutlass/arch/reg_reconfig.h>
#include <cutlass/pipeline/sm90_pipeline.hpp>

using namespace cute;

namespace {

constexpr int kStages = 4;
using Tile = Shape<_128, _96, _64>;
using Pipeline = cutlass::PipelineTmaAsync<kStages>;
using LayoutA = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_128, _64, Int<kStages>>{}));
using LayoutB = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_96, _64, Int<kStages>>{}));

struct Shared {
    alignas(1024) half_t a[cosize_v<LayoutA>];
    alignas(1024) half_t b[cosize_v<LayoutB>];
    typename Pipeline::SharedStorage pipeline;
};

}  // namespace

// d = a * b^T; a is m x k, b is n x k, d is m x n, by rows. Boxes of a are 128 x 64, of b 96 x 64, with a swizzle of 128 bytes.
// The matrices themselves are arguments too, so that the launch has their memory. The first warpgroup copies, two others multiply a tile of 128 x 96 together.
extern "C" __global__ void __launch_bounds__(384) halves(const __grid_constant__ CUtensorMap map_a,
                                                         const __grid_constant__ CUtensorMap map_b, const void*,
                                                         const void*, float* d, int m, int n, int k) {
    extern __shared__ __align__(1024) uint8_t memory[];
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    int group = threadIdx.x / 128;
    Tensor shared_a = make_tensor(make_smem_ptr(shared.a), LayoutA{});
    Tensor shared_b = make_tensor(make_smem_ptr(shared.b), LayoutB{});

    typename Pipeline::Params params;
    params.transaction_bytes = (128 + 96) * 64 * sizeof(half_t);
    params.role = group == 0 ? Pipeline::ThreadCategory::Producer : Pipeline::ThreadCategory::Consumer;
    params.is_leader = threadIdx.x == 0;
    params.num_consumers = 256;
    Pipeline pipeline(shared.pipeline, params, Shape<_1, _1, _1>{});
    __syncthreads();

    int steps = k / 64;
    if (group == 0) {
        cutlass::arch::warpgroup_reg_dealloc<40>();
        if (threadIdx.x == 0) {
            auto state = cutlass::make_producer_start_state<Pipeline>();
            for (int step = 0; step < steps; step++, ++state) {
                pipeline.producer_acquire(state);
                auto* barrier = pipeline.producer_get_barrier(state);
                auto hint = static_cast<uint64_t>(TMA::CacheHintSm90::EVICT_NORMAL);
                SM90_TMA_LOAD_2D::copy(&map_a, barrier, hint, &shared_a(0, 0, state.index()), step * 64,
                                       int(blockIdx.x) * 128);
                SM90_TMA_LOAD_2D::copy(&map_b, barrier, hint, &shared_b(0, 0, state.index()), step * 64,
                                       int(blockIdx.y) * 96);
            }
            pipeline.producer_tail(state);
        }
    } else {
        cutlass::arch::warpgroup_reg_alloc<232>();
        auto mma = make_tiled_mma(SM90_64x96x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{}, Layout<Shape<_2, _1, _1>>{});
        auto slice = mma.get_slice(threadIdx.x - 128);
        Tensor held_a = slice.make_fragment_A(slice.partition_A(shared_a));
        Tensor held_b = slice.make_fragment_B(slice.partition_B(shared_b));
        Tensor whole = make_tensor(make_gmem_ptr(d), make_shape(m, n), make_stride(n, _1{}));
        Tensor out = slice.partition_C(local_tile(whole, Shape<_128, _96>{}, make_coord(blockIdx.x, blockIdx.y)));
        Tensor sums = slice.make_fragment_C(out);
        clear(sums);
        cutlass::PipelineState<kStages> state, release;
        for (int step = 0; step < steps; step++, ++state) {
            pipeline.consumer_wait(state, pipeline.consumer_try_wait(state));
            warpgroup_fence_operand(sums);
            warpgroup_arrive();
            gemm(mma, held_a(_, _, _, state.index()), held_b(_, _, _, state.index()), sums);
            warpgroup_commit_batch();
            warpgroup_wait<1>();
            warpgroup_fence_operand(sums);
            if (step > 0) pipeline.consumer_release(release), ++release;
        }
        warpgroup_wait<0>();
        pipeline.consumer_release(release);
        copy(sums, out);
    }
}
