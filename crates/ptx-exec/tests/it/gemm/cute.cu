// Products of matrices with CuTe, whose headers are those of the wheel nvidia-cutlass 4.2.0.0:
//
//   nvcc -ptx -arch=sm_90a -std=c++17 --expt-relaxed-constexpr -I cutlass_library/source/include cute.cu -o cute.ptx

#include <cute/tensor.hpp>
#include <cute/arch/copy_sm80.hpp>
#include <cute/arch/mma_sm90_gmma.hpp>
#include <cute/atom/mma_traits_sm90_gmma.hpp>
#include <cutlass/arch/barrier.h>

using namespace cute;

namespace {

constexpr int kStages = 3;

// A block has a tile of `Tile` of D; three buffers are filled by `cp.async` ahead of the products.
template <class Tile, class Atom, class LayoutA, class LayoutB, class TensorA, class TensorB, class TensorD>
__device__ void multiply(TensorA a, TensorB b, TensorD d) {
    using ElementA = typename TensorA::value_type;
    using ElementB = typename TensorB::value_type;
    constexpr int M = size<0>(Tile{}), N = size<1>(Tile{}), K = size<2>(Tile{});
    auto layout_a = tile_to_shape(LayoutA{}, make_shape(Int<M>{}, Int<K>{}, Int<kStages>{}));
    auto layout_b = tile_to_shape(LayoutB{}, make_shape(Int<N>{}, Int<K>{}, Int<kStages>{}));
    __shared__ alignas(1024) uint8_t memory_a[sizeof(ElementA) * cosize_v<decltype(layout_a)>];
    __shared__ alignas(1024) uint8_t memory_b[sizeof(ElementB) * cosize_v<decltype(layout_b)>];
    Tensor shared_a = make_tensor(make_smem_ptr(reinterpret_cast<ElementA*>(memory_a)), layout_a);
    Tensor shared_b = make_tensor(make_smem_ptr(reinterpret_cast<ElementB*>(memory_b)), layout_b);

    auto block = make_coord(blockIdx.x, blockIdx.y, _);
    Tensor tile_a = local_tile(a, Tile{}, block, Step<_1, X, _1>{});
    Tensor tile_b = local_tile(b, Tile{}, block, Step<X, _1, _1>{});
    Tensor tile_d = local_tile(d, Tile{}, block, Step<_1, _1, X>{});

    // Threads copy 16 bytes at a time, along the dimension that is contiguous in memory.
    constexpr int each = 16 / sizeof(ElementA);
    auto copier = [](auto const& tensor) {
        using Element = typename std::remove_reference_t<decltype(tensor)>::value_type;
        using Op = Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, Element>;
        if constexpr (is_constant<1, decltype(stride<1>(tensor.layout()))>::value) {
            return make_tiled_copy(Op{}, Layout<Shape<Int<128 / 8>, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, Int<each>>>{});
        } else {
            return make_tiled_copy(Op{}, Layout<Shape<_8, Int<128 / 8>>>{}, Layout<Shape<Int<each>, _1>>{});
        }
    };
    auto copy_a = copier(a).get_slice(threadIdx.x % 128);
    auto copy_b = copier(b).get_slice(threadIdx.x % 128);
    Tensor from_a = copy_a.partition_S(tile_a);
    Tensor to_a = copy_a.partition_D(shared_a);
    Tensor from_b = copy_b.partition_S(tile_b);
    Tensor to_b = copy_b.partition_D(shared_b);

    auto mma = make_tiled_mma(Atom{});
    auto slice = mma.get_slice(threadIdx.x);
    Tensor held_a = slice.make_fragment_A(slice.partition_A(shared_a));
    Tensor held_b = slice.make_fragment_B(slice.partition_B(shared_b));
    Tensor out = slice.partition_C(tile_d);
    Tensor sums = slice.make_fragment_C(out);
    clear(sums);

    int steps = size<2>(tile_a);
    auto load = [&](int step) {
        if (step < steps) {
            copy(copier(a), from_a(_, _, _, step), to_a(_, _, _, step % kStages));
            copy(copier(b), from_b(_, _, _, step), to_b(_, _, _, step % kStages));
        }
        cp_async_fence();
    };
    for (int step = 0; step < kStages - 1; step++) load(step);
    for (int step = 0; step < steps; step++) {
        cp_async_wait<kStages - 2>();
        cutlass::arch::fence_view_async_shared();
        __syncthreads();
        warpgroup_fence_operand(sums);
        warpgroup_arrive();
        gemm(mma, held_a(_, _, _, step % kStages), held_b(_, _, _, step % kStages), sums);
        warpgroup_commit_batch();
        warpgroup_wait<0>();
        warpgroup_fence_operand(sums);
        __syncthreads();
        load(step + kStages - 1);
    }
    copy(sums, out);
}

template <class Pointer>
__device__ auto by_rows(Pointer p, int rows, int columns) {
    return make_tensor(make_gmem_ptr(p), make_shape(rows, columns), make_stride(columns, _1{}));
}

template <class Pointer>
__device__ auto by_columns(Pointer p, int rows, int columns) {
    return make_tensor(make_gmem_ptr(p), make_shape(rows, columns), make_stride(_1{}, rows));
}

}  // namespace

// d = a * b^T, with a of m x k and b of n x k by rows, d of m x n by rows.
extern "C" __global__ void halves(const half_t* a, const half_t* b, float* d, int m, int n, int k) {
    multiply<Shape<_64, _96, _64>, SM90_64x96x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>,
             GMMA::Layout_K_SW128_Atom<half_t>, GMMA::Layout_K_SW64_Atom<half_t>>(by_rows(a, m, k), by_rows(b, n, k),
                                                                                by_rows(d, m, n));
}

// The same with a and b by columns.
extern "C" __global__ void columns(const bfloat16_t* a, const bfloat16_t* b, float* d, int m, int n, int k) {
    multiply<Shape<_128, _64, _32>, SM90_64x64x16_F32BF16BF16_SS<GMMA::Major::MN, GMMA::Major::MN>,
             GMMA::Layout_MN_SW128_Atom<bfloat16_t>, GMMA::Layout_MN_SW32_Atom<bfloat16_t>>(
        by_columns(a, m, k), by_columns(b, n, k), by_rows(d, m, n));
}

// The same by rows, of 8-bit values.
extern "C" __global__ void bytes(const int8_t* a, const int8_t* b, int32_t* d, int m, int n, int k) {
    multiply<Shape<_64, _64, _128>, SM90_64x64x32_S32S8S8_SS_TN, GMMA::Layout_K_SW32_Atom<int8_t>,
             GMMA::Layout_K_INTER_Atom<int8_t>>(by_rows(a, m, k), by_rows(b, n, k), by_rows(d, m, n));
}


// The same of 8-bit floating-point values of two formats.
extern "C" __global__ void narrow(const float_e4m3_t* a, const float_e5m2_t* b, float* d, int m, int n, int k) {
    multiply<Shape<_64, _64, _128>, SM90_64x64x32_F32E4M3E5M2_SS_TN<>, GMMA::Layout_K_SW128_Atom<uint8_t>,
             GMMA::Layout_K_SW64_Atom<uint8_t>>(by_rows(a, m, k), by_rows(b, n, k), by_rows(d, m, n));
}
