// CUTLASS's kernels of a sparse matrix with TMA and `wgmma`: one that compresses it, and the product. The headers are those of the wheel nvidia-cutlass 4.2.0.0, I is cutlass_library/source in it:
//
//   nvcc -ptx -arch=sm_90a -std=c++20 --expt-relaxed-constexpr -I $I/include -I $I/tools/util/include sparse90.cu -o sparse90.ptx
//   nvcc -gencode arch=compute_90a,code=compute_90a -std=c++20 --expt-relaxed-constexpr -I $I/include -I $I/tools/util/include
//       -DCUTLASS_ENABLE_DIRECT_CUDA_DRIVER_CALL sparse90.cu -o launches && ./launches > sparse90.json

#include "universal.hpp"

#include <cutlass/transform/device/transform_universal_adapter.hpp>
#include <cutlass/transform/kernel/sparse_gemm_compressor.hpp>

using Half = cutlass::half_t;

using Sparse = Universal<cutlass::arch::Sm90, cutlass::arch::OpClassSparseTensorOp, Half, Row, 8, Half, Column, 8, float,
                         Shape<_128, _64, _128>, Shape<_1, _2, _1>, cutlass::gemm::collective::KernelScheduleAuto,
                         cutlass::epilogue::collective::EpilogueScheduleAuto>::Kernel;
using Config = typename Sparse::CollectiveMainloop::SparseConfig;
using Compress = cutlass::transform::kernel::StructuredSparseCompressor<Shape<int, int, int, int>, Half, Row, Config, cutlass::arch::Sm90>;

ENTRY(sparse, Sparse)
ENTRY(compress, Compress)

#ifndef __CUDA_ARCH__
int main() {
    int m = 256, n = 128, k = 256;
    // A, nothing, nothing, what is kept of A, metadata.
    alignas(128) static char space[sizeof(typename Compress::Params)];
    typename Compress::Arguments compress{
        {m, n, k, 1}, {buffer(0), cutlass::make_cute_packed_stride(typename Compress::StrideA{}, {m, k, 1}), buffer(3), buffer(4)}, {}};
    auto* params = new (space) typename Compress::Params(Compress::to_underlying_arguments(compress, nullptr));
    describe("compress", Compress::get_grid_shape(*params), Compress::get_block_shape(), {1, 1, 1}, Compress::SharedStorageSize, params,
             sizeof *params);
    // What is kept of A, B, C, D, metadata.
    auto all = arguments<Sparse>(m, n, k, 1.f, 1.f, 4);
    using Mainloop = typename Sparse::CollectiveMainloop;
    all.mainloop.ptr_A = reinterpret_cast<decltype(all.mainloop.ptr_A)>(buffer(0));
    all.mainloop.layout_a = Config::fill_layoutA(all.problem_shape);
    all.mainloop.ptr_B = reinterpret_cast<decltype(all.mainloop.ptr_B)>(buffer(1));
    all.mainloop.dB = cutlass::make_cute_packed_stride(typename Sparse::StrideB{}, {n, k, 1});
    all.mainloop.ptr_E = reinterpret_cast<decltype(all.mainloop.ptr_E)>(buffer(4));
    all.mainloop.layout_e = Config::fill_layoutE(all.problem_shape);
    launch<Sparse>("sparse", all, {1, 2, 1});
}
#endif
