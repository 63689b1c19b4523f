// CUTLASS's a kernel with TMA and `mma` of narrow values. The headers are those of the wheel nvidia-cutlass 4.2.0.0, I is cutlass_library/source in it:
//
//   nvcc -ptx -arch=sm_120a -std=c++20 --expt-relaxed-constexpr -I $I/include -I $I/tools/util/include universal120.cu -o universal120.ptx
//   nvcc -gencode arch=compute_120a,code=compute_120a -std=c++20 --expt-relaxed-constexpr -I $I/include -I $I/tools/util/include
//       -DCUTLASS_ENABLE_DIRECT_CUDA_DRIVER_CALL universal120.cu -o launches && ./launches > universal120.json

#include "universal.hpp"

using Sm120 = cutlass::arch::Sm120;
using Dense = cutlass::arch::OpClassTensorOp;
using E4m3 = cutlass::float_e4m3_t;
using E5m2 = cutlass::float_e5m2_t;

using Narrow = Universal<Sm120, Dense, E4m3, Row, 16, E5m2, Column, 16, float, Shape<_64, _64, _128>, Shape<_1, _1, _1>,
                         cutlass::gemm::KernelTmaWarpSpecializedPingpong, cutlass::epilogue::TmaWarpSpecialized>::Kernel;

ENTRY(narrow, Narrow)

#ifndef __CUDA_ARCH__
int main() { launch<Narrow>("narrow", arguments<Narrow>(128, 192, 256, 1.f, 2.f, 2), {1, 1, 1}); }
#endif
