// CUTLASS's kernels with TMA and `tcgen05`, of one block and of a pair. The headers are those of the wheel nvidia-cutlass 4.2.0.0, I is cutlass_library/source in it:
//
//   nvcc -ptx -arch=sm_100a -std=c++20 --expt-relaxed-constexpr -I $I/include -I $I/tools/util/include universal100.cu -o universal100.ptx
//   nvcc -gencode arch=compute_100a,code=compute_100a -std=c++20 --expt-relaxed-constexpr -I $I/include -I $I/tools/util/include
//       -DCUTLASS_ENABLE_DIRECT_CUDA_DRIVER_CALL universal100.cu -o launches && ./launches > universal100.json

#include "universal.hpp"

using Sm100 = cutlass::arch::Sm100;
using Dense = cutlass::arch::OpClassTensorOp;
using Half = cutlass::half_t;
using Bfloat = cutlass::bfloat16_t;

using One = Universal<Sm100, Dense, Half, Row, 8, Half, Column, 8, float, Shape<_128, _64, _64>, Shape<_1, _1, _1>,
                      cutlass::gemm::KernelTmaWarpSpecialized1SmSm100, cutlass::epilogue::TmaWarpSpecialized1Sm>::Kernel;
using Pair = Universal<Sm100, Dense, Bfloat, Row, 8, Bfloat, Column, 8, Bfloat, Shape<_256, _64, _64>, Shape<_2, _1, _1>,
                       cutlass::gemm::KernelTmaWarpSpecialized2SmSm100, cutlass::epilogue::TmaWarpSpecialized2Sm>::Kernel;

ENTRY(one, One)
ENTRY(pair, Pair)

#ifndef __CUDA_ARCH__
int main() {
    launch<One>("one", arguments<One>(256, 128, 160, 1.f, 2.f, 2), {1, 1, 1});
    launch<Pair>("pair", arguments<Pair>(512, 64, 128, 1.f, 1.f, 2), {2, 1, 1});
}
#endif
