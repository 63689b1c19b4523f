// CUTLASS's cooperative and ping-pong kernels with TMA and `wgmma`. The headers are those of the wheel nvidia-cutlass 4.2.0.0, I is cutlass_library/source in it:
//
//   nvcc -ptx -arch=sm_90a -std=c++20 --expt-relaxed-constexpr -I $I/include -I $I/tools/util/include universal90.cu -o universal90.ptx
//   nvcc -gencode arch=compute_90a,code=compute_90a -std=c++20 --expt-relaxed-constexpr -I $I/include -I $I/tools/util/include
//       -DCUTLASS_ENABLE_DIRECT_CUDA_DRIVER_CALL universal90.cu -o launches && ./launches > universal90.json

#include "universal.hpp"

using Sm90 = cutlass::arch::Sm90;
using Dense = cutlass::arch::OpClassTensorOp;
using Half = cutlass::half_t;
using Bfloat = cutlass::bfloat16_t;
using E4m3 = cutlass::float_e4m3_t;
using E5m2 = cutlass::float_e5m2_t;

using PingPong = Universal<Sm90, Dense, Half, Row, 8, Half, Column, 8, float, Shape<_64, _64, _64>, Shape<_2, _1, _1>,
                           cutlass::gemm::KernelTmaWarpSpecializedPingpong, cutlass::epilogue::TmaWarpSpecialized>::Kernel;
using Cooperative = Universal<Sm90, Dense, Bfloat, Column, 8, Bfloat, Row, 8, Bfloat, Shape<_128, _64, _64>, Shape<_1, _2, _1>,
                              cutlass::gemm::KernelTmaWarpSpecializedCooperative, cutlass::epilogue::TmaWarpSpecializedCooperative>::Kernel;
using Narrow = Universal<Sm90, Dense, E4m3, Row, 16, E5m2, Column, 16, float, Shape<_64, _128, _128>, Shape<_1, _1, _1>,
                         cutlass::gemm::KernelTmaWarpSpecializedFP8FastAccum, cutlass::epilogue::TmaWarpSpecialized>::Kernel;

ENTRY(pingpong, PingPong)
ENTRY(cooperative, Cooperative)
ENTRY(narrow, Narrow)

#ifndef __CUDA_ARCH__
int main() {
    launch<PingPong>("pingpong", arguments<PingPong>(192, 192, 160, 1.f, 2.f, 4), {2, 1, 1});
    launch<Cooperative>("cooperative", arguments<Cooperative>(256, 128, 128, 1.f, 1.f, 2), {1, 2, 1});
    launch<Narrow>("narrow", arguments<Narrow>(128, 128, 256, 2.f, 0.f, 2), {1, 1, 1});
}
#endif
