// What the kernels of CUTLASS here share: their description for `CollectiveBuilder`, an entry with a short name, and a program on the host that
// prints how each is launched. Only templates of CUTLASS are named; it is that of the wheel nvidia-cutlass 4.2.0.0.
#pragma once

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <cuda.h>
#include <cute/tensor.hpp>
#include <cutlass/cutlass.h>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/gemm/kernel/gemm_universal.hpp>
#include <cutlass/util/packed_stride.hpp>

using namespace cute;

using Row = cutlass::layout::RowMajor;
using Column = cutlass::layout::ColumnMajor;

// A kernel as `GemmUniversalAdapter` launches it: `cutlass::device_kernel`, with the buffers as parameters of their own before the
// parameters of CUTLASS, which hold their addresses.
#define ENTRY(name, Kernel)                                                                                            \
    extern "C" __global__ void __launch_bounds__(Kernel::MaxThreadsPerBlock, Kernel::MinBlocksPerMultiprocessor)      \
        name(void const*, void const*, void const*, void*, void*, __grid_constant__ typename Kernel::Params const params) { \
        extern __shared__ char memory[];                                                                               \
        Kernel{}(params, memory);                                                                                      \
    }

template <class Architecture, class Class, class A, class LayoutA, int AlignA, class B, class LayoutB, int AlignB, class D, class Tile,
          class Cluster, class Schedule, class EpilogueSchedule, class Scheduler = void>
struct Universal {
    static constexpr int AlignD = 128 / cutlass::sizeof_bits<D>::value;
    using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
        Architecture, Class, Tile, Cluster, cutlass::epilogue::collective::EpilogueTileAuto, float, float, D, Row, AlignD, D, Row, AlignD,
        EpilogueSchedule>::CollectiveOp;
    using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
        Architecture, Class, A, LayoutA, AlignA, B, LayoutB, AlignB, float, Tile, Cluster,
        cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(sizeof(typename Epilogue::SharedStorage))>,
        Schedule>::CollectiveOp;
    using Kernel = cutlass::gemm::kernel::GemmUniversal<Shape<int, int, int, int>, Mainloop, Epilogue, Scheduler>;
};

#ifndef __CUDA_ARCH__
// The buffers, as addresses that are nowhere else in the parameters.
inline char* buffer(int index) { return reinterpret_cast<char*>(0x6b0000000000 + (uint64_t(index) << 36)); }

struct Map {
    CUtensorMapDataType type;
    std::vector<uint64_t> dims, strides;
    std::vector<uint32_t> box, steps;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapFloatOOBfill fill;
    uint64_t address;
};
inline std::vector<Map>& maps() {
    static std::vector<Map> all;
    return all;
}
constexpr uint64_t Mark = 0xfeedc0de5eed0000;

// Takes the place of the driver's function: notes the arguments and marks the map with their number.
extern "C" CUresult CUDAAPI cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                                   cuuint64_t const* dims, cuuint64_t const* strides, cuuint32_t const* box,
                                                   cuuint32_t const* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                                   CUtensorMapL2promotion, CUtensorMapFloatOOBfill fill) {
    memset(map, 0, sizeof *map);
    uint64_t mark = Mark + maps().size();
    for (int i = 0; i < 16; ++i) memcpy(reinterpret_cast<char*>(map) + 8 * i, &mark, 8);
    maps().push_back({type, {dims, dims + rank}, {strides, strides + rank - 1}, {box, box + rank}, {steps, steps + rank}, interleave,
                      swizzle, fill, uint64_t(address)});
    return CUDA_SUCCESS;
}

template <class T>
std::string list(T const& values, char const* between) {
    std::string text;
    for (auto value : values) text += (text.empty() ? "" : between) + std::to_string(value);
    return text;
}

inline int buffer_of(uint64_t address) {
    for (int index = 0; index < 8; ++index) {
        uint64_t base = reinterpret_cast<uint64_t>(buffer(index));
        if (address >= base && address - base < (uint64_t(1) << 36)) return index;
    }
    return -1;
}

// Prints a launch: what `run` of the adapter passes to the driver.
inline void describe(char const* name, dim3 grid, dim3 block, dim3 cluster, size_t shared, void const* params, size_t size) {
    static char const* const types[] = {"u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32.ftz", "tf32", "tf32.ftz",
                                        "b4x16", "b4x16_p64", "b6x16_p32"};
    static char const* const swizzles[] = {"none", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"};
    std::vector<unsigned char> bytes(size);
    memcpy(bytes.data(), params, size);
    std::string places;
    for (size_t at = 0; at + 8 <= size; at += 8) {
        uint64_t word;
        memcpy(&word, &bytes[at], 8);
        char text[512];
        if (at % 64 == 0 && word - Mark < maps().size() && at + 128 <= size) {
            Map const& map = maps()[word - Mark];
            int index = buffer_of(map.address);
            snprintf(text, sizeof text, "        \"%zu:tensormap=%d,type=%s,dims=%s,strides=%s,box=%s,steps=%s,swizzle=%s,offset=%llu\"", at,
                     index, types[map.type], list(map.dims, "x").c_str(), list(map.strides, "x").c_str(), list(map.box, "x").c_str(),
                     list(map.steps, "x").c_str(), swizzles[map.swizzle],
                     (unsigned long long)(map.address - reinterpret_cast<uint64_t>(buffer(index))));
            memset(&bytes[at], 0, 128);
            at += 120;
        } else if (buffer_of(word) >= 0) {
            int index = buffer_of(word);
            snprintf(text, sizeof text, "        \"%zu:address=%d,offset=%llu\"", at, index,
                     (unsigned long long)(word - reinterpret_cast<uint64_t>(buffer(index))));
            memset(&bytes[at], 0, 8);
        } else {
            continue;
        }
        places += (places.empty() ? "" : ",\n") + std::string(text);
    }
    static bool first = true;
    printf(first ? "[\n" : ",\n");
    if (first) atexit([] { printf("\n]\n"); });
    first = false;
    printf("    {\"entry\": \"%s\", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"cluster\": [%u, %u, %u], \"shared\": %zu,\n", name,
           grid.x, grid.y, grid.z, block.x, block.y, block.z, cluster.x, cluster.y, cluster.z, shared);
    printf("     \"places\": [\n%s],\n     \"params\": \"", places.c_str());
    for (unsigned char byte : bytes) printf("%02x", byte);
    printf("\"}");
}

template <class Kernel>
void launch(char const* name, typename Kernel::Arguments arguments, dim3 cluster) {
    if (cutlass::gemm::device::GemmUniversalAdapter<Kernel>::can_implement(arguments) != cutlass::Status::kSuccess) {
        fprintf(stderr, "%s: not possible\n", name);
    }
    // Padding is zero.
    alignas(128) static char space[sizeof(typename Kernel::Params)];
    memset(space, 0, sizeof space);
    auto* params = new (space) typename Kernel::Params(Kernel::to_underlying_arguments(arguments, buffer(4)));
    fprintf(stderr, "%s: workspace of %zu bytes\n", name, size_t(Kernel::get_workspace_size(arguments)));
    describe(name, Kernel::get_grid_shape(*params), Kernel::get_block_shape(), cluster, Kernel::SharedStorageSize, params, sizeof *params);
}

// The arguments of a kernel whose matrices are packed.
template <class Kernel>
typename Kernel::Arguments arguments(int m, int n, int k, float alpha, float beta, int processors) {
    typename Kernel::Arguments all{};
    all.mode = cutlass::gemm::GemmUniversalMode::kGemm;
    all.problem_shape = {m, n, k, 1};
    using Mainloop = typename Kernel::CollectiveMainloop;
    using A = typename Mainloop::ElementA;
    using B = typename Mainloop::ElementB;
    if constexpr (!requires { typename Mainloop::LayoutE; }) {
        all.mainloop.ptr_A = reinterpret_cast<A const*>(buffer(0));
        all.mainloop.dA = cutlass::make_cute_packed_stride(typename Kernel::StrideA{}, {m, k, 1});
        all.mainloop.ptr_B = reinterpret_cast<B const*>(buffer(1));
        all.mainloop.dB = cutlass::make_cute_packed_stride(typename Kernel::StrideB{}, {n, k, 1});
    }
    all.epilogue.thread.alpha = alpha;
    all.epilogue.thread.beta = beta;
    all.epilogue.ptr_C = reinterpret_cast<typename Kernel::ElementC const*>(buffer(2));
    all.epilogue.dC = cutlass::make_cute_packed_stride(typename Kernel::StrideC{}, {m, n, 1});
    all.epilogue.ptr_D = reinterpret_cast<typename Kernel::ElementD*>(buffer(3));
    all.epilogue.dD = cutlass::make_cute_packed_stride(typename Kernel::StrideD{}, {m, n, 1});
    all.hw_info.sm_count = processors;
    return all;
}
#endif
