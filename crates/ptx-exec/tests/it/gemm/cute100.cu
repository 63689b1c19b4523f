// Products of matrices with CuTe in tensor memory, whose headers are those of the wheel nvidia-cutlass 4.2.0.0:
//
//   nvcc -ptx -arch=sm_100a -std=c++17 --expt-relaxed-constexpr -I cutlass_library/source/include cute100.cu -o cute100.ptx

#include <cute/tensor.hpp>
#include <cute/arch/cluster_sm90.hpp>
#include <cute/arch/tmem_allocator_sm100.hpp>
#include <cute/numeric/integral_constant.hpp>
#include <cutlass/arch/barrier.h>

using namespace cute;

namespace {

// A block has a tile of D. Its threads copy tiles of A and B to shared memory, one issues the products, and all read D from
// tensor memory.
template <class LayoutA, class LayoutB, class Load, class TensorA, class TensorB, class TensorD, class Mma>
__device__ void multiply(TensorA a, TensorB b, TensorD d, Mma mma) {
    using TypeA = typename TensorA::value_type;
    using TypeB = typename TensorB::value_type;
    constexpr int M = decltype(tile_size<0>(mma))::value, N = decltype(tile_size<1>(mma))::value;
    constexpr int K = 4 * decltype(tile_size<2>(mma))::value;
    auto tiler = make_shape(Int<M>{}, Int<N>{}, Int<K>{});
    auto coordinate = make_coord(blockIdx.x, blockIdx.y, _);
    Tensor tile_a = local_tile(a, tiler, coordinate, Step<_1, X, _1>{});
    Tensor tile_b = local_tile(b, tiler, coordinate, Step<X, _1, _1>{});
    Tensor tile_d = local_tile(d, tiler, coordinate, Step<_1, _1, X>{});

    auto shape_a = partition_shape_A(mma, make_shape(Int<M>{}, Int<K>{}));
    auto shape_b = partition_shape_B(mma, make_shape(Int<N>{}, Int<K>{}));
    auto layout_a = UMMA::tile_to_mma_shape(LayoutA{}, shape_a);
    auto layout_b = UMMA::tile_to_mma_shape(LayoutB{}, shape_b);
    __shared__ alignas(1024) TypeA memory_a[cosize_v<decltype(layout_a)>];
    __shared__ alignas(1024) TypeB memory_b[cosize_v<decltype(layout_b)>];
    __shared__ uint64_t barrier;
    __shared__ uint32_t columns;

    auto part = mma.get_slice(_0{});
    Tensor global_a = part.partition_A(tile_a);
    Tensor global_b = part.partition_B(tile_b);
    Tensor global_d = part.partition_C(tile_d);
    Tensor shared_a = make_tensor(make_smem_ptr(memory_a), layout_a);
    Tensor shared_b = make_tensor(make_smem_ptr(memory_b), layout_b);
    Tensor described_a = part.make_fragment_A(shared_a);
    Tensor described_b = part.make_fragment_B(shared_b);
    Tensor sum = part.make_fragment_C(global_d);

    uint32_t first_warp = threadIdx.x / 32 == 0;
    TMEM::Allocator1Sm allocator{};
    if (first_warp) {
        allocator.allocate(TMEM::Allocator1Sm::Sm100TmemCapacityColumns, &columns);
    }
    if (threadIdx.x == 0) {
        cutlass::arch::ClusterBarrier::init(&barrier, 1);
    }
    __syncthreads();
    sum.data() = columns;

    mma.accumulate_ = UMMA::ScaleOut::Zero;
    for (int k = 0, phase = 0; k < size<3>(global_a); ++k, phase ^= 1) {
        cooperative_copy<128>(threadIdx.x, global_a(_, _, _, k), shared_a);
        cooperative_copy<128>(threadIdx.x, global_b(_, _, _, k), shared_b);
        cutlass::arch::fence_view_async_shared();
        __syncthreads();
        if (first_warp) {
            for (int block = 0; block < size<2>(described_a); ++block) {
                gemm(mma, described_a(_, _, block), described_b(_, _, block), sum);
                mma.accumulate_ = UMMA::ScaleOut::One;
            }
            cutlass::arch::umma_arrive(&barrier);
        }
        cutlass::arch::ClusterBarrier::wait(&barrier, phase);
    }

    auto copy_d = make_tmem_copy(Load{}, sum);
    auto thread = copy_d.get_slice(threadIdx.x);
    Tensor held = thread.partition_D(global_d);
    Tensor registers = make_tensor<typename decltype(sum)::value_type>(shape(held));
    copy(copy_d, thread.partition_S(sum), registers);
    cutlass::arch::fence_view_async_tmem_load();
    copy(registers, held);

    __syncthreads();
    if (first_warp) {
        allocator.release_allocation_lock();
        allocator.free(columns, TMEM::Allocator1Sm::Sm100TmemCapacityColumns);
    }
}

// The same for a pair of blocks, of which the first issues the products: each has half of the rows of A and of those of B.
template <class LayoutA, class LayoutB, class Load, class TensorA, class TensorB, class TensorD, class Mma>
__device__ void multiply_pair(TensorA a, TensorB b, TensorD d, Mma mma) {
    using TypeA = typename TensorA::value_type;
    using TypeB = typename TensorB::value_type;
    constexpr int M = decltype(tile_size<0>(mma))::value, N = decltype(tile_size<1>(mma))::value;
    constexpr int K = 4 * decltype(tile_size<2>(mma))::value;
    auto tiler = make_shape(Int<M>{}, Int<N>{}, Int<K>{});
    auto coordinate = make_coord(blockIdx.x / 2, blockIdx.y, _);
    Tensor tile_a = local_tile(a, tiler, coordinate, Step<_1, X, _1>{});
    Tensor tile_b = local_tile(b, tiler, coordinate, Step<X, _1, _1>{});
    Tensor tile_d = local_tile(d, tiler, coordinate, Step<_1, _1, X>{});

    auto layout_a = UMMA::tile_to_mma_shape(LayoutA{}, partition_shape_A(mma, make_shape(Int<M>{}, Int<K>{})));
    auto layout_b = UMMA::tile_to_mma_shape(LayoutB{}, partition_shape_B(mma, make_shape(Int<N>{}, Int<K>{})));
    __shared__ alignas(1024) TypeA memory_a[cosize_v<decltype(layout_a)>];
    __shared__ alignas(1024) TypeB memory_b[cosize_v<decltype(layout_b)>];
    __shared__ uint64_t barrier;
    __shared__ uint32_t columns;

    uint32_t rank = block_rank_in_cluster();
    auto part = mma.get_slice(rank);
    Tensor global_a = part.partition_A(tile_a);
    Tensor global_b = part.partition_B(tile_b);
    Tensor global_d = part.partition_C(tile_d);
    Tensor shared_a = make_tensor(make_smem_ptr(memory_a), layout_a);
    Tensor shared_b = make_tensor(make_smem_ptr(memory_b), layout_b);
    Tensor described_a = part.make_fragment_A(shared_a);
    Tensor described_b = part.make_fragment_B(shared_b);
    Tensor sum = part.make_fragment_C(global_d);

    uint32_t first_warp = threadIdx.x / 32 == 0;
    TMEM::Allocator2Sm allocator{};
    if (first_warp) {
        allocator.allocate(256, &columns);
    }
    if (threadIdx.x == 0) {
        cutlass::arch::ClusterBarrier::init(&barrier, 1);
    }
    cutlass::arch::fence_barrier_init();
    __syncthreads();
    cluster_sync();
    sum.data() = columns;

    mma.accumulate_ = UMMA::ScaleOut::Zero;
    for (int k = 0, phase = 0; k < size<3>(global_a); ++k, phase ^= 1) {
        cooperative_copy<128>(threadIdx.x, global_a(_, _, _, k), shared_a);
        cooperative_copy<128>(threadIdx.x, global_b(_, _, _, k), shared_b);
        cutlass::arch::fence_view_async_shared();
        cluster_sync();
        if (first_warp && rank == 0) {
            for (int block = 0; block < size<2>(described_a); ++block) {
                gemm(mma, described_a(_, _, block), described_b(_, _, block), sum);
                mma.accumulate_ = UMMA::ScaleOut::One;
            }
            cutlass::arch::umma_arrive_multicast_2x1SM(&barrier, 3);
        }
        cutlass::arch::ClusterBarrier::wait(&barrier, phase);
    }

    auto copy_d = make_tmem_copy(Load{}, sum);
    auto thread = copy_d.get_slice(threadIdx.x);
    Tensor held = thread.partition_D(global_d);
    Tensor registers = make_tensor<typename decltype(sum)::value_type>(shape(held));
    copy(copy_d, thread.partition_S(sum), registers);
    cutlass::arch::fence_view_async_tmem_load();
    copy(registers, held);

    cluster_sync();
    if (first_warp) {
        allocator.release_allocation_lock();
        allocator.free(columns, 256);
    }
}

template <class T>
__device__ auto rows(T const* data, int lines, int k) {
    return make_tensor(make_gmem_ptr(data), make_shape(lines, k), make_stride(k, _1{}));
}

template <class T>
__device__ auto columns(T const* data, int lines, int k) {
    return make_tensor(make_gmem_ptr(data), make_shape(lines, k), make_stride(_1{}, lines));
}

template <class T>
__device__ auto result(T* data, int m, int n) {
    return make_tensor(make_gmem_ptr(data), make_shape(m, n), make_stride(n, _1{}));
}

}  // namespace

// A and B by rows, M = 128.
extern "C" __global__ void halves(half_t const* a, half_t const* b, float* d, int m, int n, int k) {
    using Op = SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 64, UMMA::Major::K, UMMA::Major::K>;
    using Atom = UMMA::Layout_K_SW128_Atom<half_t>;
    multiply<Atom, Atom, SM100_TMEM_LOAD_32dp32b1x>(rows(a, m, k), rows(b, n, k), result(d, m, n), make_tiled_mma(Op{}));
}

// The transposed matrices by rows, M = 64: half of the lanes of tensor memory.
extern "C" __global__ void turned(bfloat16_t const* a, bfloat16_t const* b, float* d, int m, int n, int k) {
    using Op = SM100_MMA_F16BF16_SS<bfloat16_t, bfloat16_t, float, 64, 128, UMMA::Major::MN, UMMA::Major::MN>;
    using LayoutA = UMMA::Layout_MN_SW128_Atom<bfloat16_t>;
    using LayoutB = UMMA::Layout_MN_SW64_Atom<bfloat16_t>;
    multiply<LayoutA, LayoutB, SM100_TMEM_LOAD_16dp256b4x>(columns(a, m, k), columns(b, n, k), result(d, m, n), make_tiled_mma(Op{}));
}

// Integers, A by rows and B by columns.
extern "C" __global__ void integers(int8_t const* a, int8_t const* b, int32_t* d, int m, int n, int k) {
    using Op = SM100_MMA_S8_SS<int8_t, int8_t, int32_t, 128, 96, UMMA::Major::K, UMMA::Major::K>;
    using LayoutA = UMMA::Layout_K_SW64_Atom<int8_t>;
    using LayoutB = UMMA::Layout_K_INTER_Atom<int8_t>;
    multiply<LayoutA, LayoutB, SM100_TMEM_LOAD_32dp32b32x>(rows(a, m, k), rows(b, n, k), result(d, m, n), make_tiled_mma(Op{}));
}

// `.tf32` by columns, which lie in pieces of 32 bytes.
extern "C" __global__ void singles(tfloat32_t const* a, tfloat32_t const* b, float* d, int m, int n, int k) {
    using Op = SM100_MMA_TF32_SS<tfloat32_t, tfloat32_t, float, 128, 64, UMMA::Major::MN, UMMA::Major::K>;
    using LayoutA = UMMA::Layout_MN_SW128_32B_Atom<tfloat32_t>;
    using LayoutB = UMMA::Layout_K_SW32_Atom<tfloat32_t>;
    multiply<LayoutA, LayoutB, SM100_TMEM_LOAD_32dp32b8x>(columns(a, m, k), rows(b, n, k), result(d, m, n), make_tiled_mma(Op{}));
}

// Pairs of blocks, of 256 rows and of 128 rows, where half of the lanes have the second half of the columns.
extern "C" __global__ void __cluster_dims__(2, 1, 1) pair(half_t const* a, half_t const* b, float* d, int m, int n, int k) {
    using Op = SM100_MMA_F16BF16_2x1SM_SS<half_t, half_t, float, 256, 64, UMMA::Major::K, UMMA::Major::K>;
    using Atom = UMMA::Layout_K_SW128_Atom<half_t>;
    multiply_pair<Atom, Atom, SM100_TMEM_LOAD_32dp32b16x>(rows(a, m, k), rows(b, n, k), result(d, m, n), make_tiled_mma(Op{}));
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) halved(half_t const* a, half_t const* b, float* d, int m, int n, int k) {
    using Op = SM100_MMA_F16BF16_2x1SM_SS<half_t, half_t, float, 128, 128, UMMA::Major::K, UMMA::Major::MN>;
    using LayoutA = UMMA::Layout_K_SW64_Atom<half_t>;
    using LayoutB = UMMA::Layout_MN_SW128_Atom<half_t>;
    multiply_pair<LayoutA, LayoutB, SM100_TMEM_LOAD_32dp32b16x>(rows(a, m, k), columns(b, n, k), result(d, m, n), make_tiled_mma(Op{}));
}
