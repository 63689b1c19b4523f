// CUTLASS's kernels with `cp.async` and `mma`, dense and sparse. The headers are those of the wheel nvidia-cutlass 4.2.0.0, I is cutlass_library/source in it:
//
//   nvcc -ptx -arch=sm_80 -std=c++20 --expt-relaxed-constexpr -I $I/include -I $I/tools/util/include universal80.cu -o universal80.ptx
//   nvcc -gencode arch=compute_80,code=compute_80 -std=c++20 --expt-relaxed-constexpr -I $I/include -I $I/tools/util/include
//       -DCUTLASS_ENABLE_DIRECT_CUDA_DRIVER_CALL universal80.cu -o launches && ./launches > universal80.json

#include "universal.hpp"

#include <cutlass/epilogue/thread/linear_combination.h>
#include <cutlass/gemm/device/gemm_sparse_universal.h>
#include <cutlass/gemm/device/gemm_universal.h>

using Half = cutlass::half_t;
using Sm80 = cutlass::arch::Sm80;
using Tensor80 = cutlass::arch::OpClassTensorOp;
using Combination = cutlass::epilogue::thread::LinearCombination<float, 4, float, float>;
using Order = cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<>;
template <int M, int N, int K>
using Size = cutlass::gemm::GemmShape<M, N, K>;

using Dense = cutlass::gemm::device::GemmUniversal<Half, Row, Half, Column, float, Row, float, Tensor80, Sm80, Size<64, 64, 32>,
                                                   Size<32, 32, 32>, Size<16, 8, 16>, Combination, Order, 3>::GemmKernel;
using Sparse = cutlass::gemm::device::GemmSparseUniversal<Half, Row, Half, Column, float, Row, float, Tensor80, Sm80, Size<64, 64, 64>,
                                                          Size<32, 32, 64>, Size<16, 8, 32>, Combination, Order, 3>::GemmKernel;

// A kernel as `cutlass::Kernel2`.
#define ENTRY80(name, Gemm)                                                                            \
    extern "C" __global__ void __launch_bounds__(Gemm::kThreadCount)                                   \
        name(void const*, void const*, void const*, void*, void*, typename Gemm::Params params) {      \
        extern __shared__ int storage[];                                                               \
        Gemm::invoke(params, *reinterpret_cast<typename Gemm::SharedStorage*>(storage));              \
    }

ENTRY80(dense, Dense)
ENTRY80(sparse, Sparse)

#ifndef __CUDA_ARCH__
template <class Kernel>
void launch80(char const* name, typename Kernel::Arguments const& arguments, void* workspace) {
    alignas(128) static char space[sizeof(typename Kernel::Params)];
    memset(space, 0, sizeof space);
    auto* params = new (space) typename Kernel::Params(arguments, 4, 1);
    fprintf(stderr, "%s: workspace of %zu bytes\n", name, params->get_workspace_size());
    params->init_workspace(workspace, nullptr);
    describe(name, params->get_grid_dims(), {Kernel::kThreadCount, 1, 1}, {1, 1, 1}, sizeof(typename Kernel::SharedStorage), params,
             sizeof *params);
}

int main() {
    using cutlass::gemm::GemmUniversalMode;
    // K in two parts, of which the second waits for the first.
    launch80<Dense>("dense", {GemmUniversalMode::kGemm, {128, 192, 160}, 2, {1.f, 2.f}, buffer(0), buffer(1), buffer(2), buffer(3), 0, 0, 0, 0,
                              160, 160, 192, 192}, buffer(4));
    launch80<Sparse>("sparse", {GemmUniversalMode::kGemm, {128, 128, 128}, 1, {1.f, 1.f}, buffer(0), buffer(1), buffer(2), buffer(3), buffer(4), 0,
                                0, 0, 0, 0, 64, 128, 128, 128, 256}, nullptr);
}
#endif
