/*
 * libptx_exec executes PTX on the host CPU. docs/runtime.md has examples in C and Python.
 *
 * What holds for every function:
 * - Handles come from this library and are used until they are destroyed, once. Functions take them from any thread, several at a time.
 * - Other pointers point to what their type and name specify, which stays unchanged until the function returns. Texts are UTF-8 and end in a
 *   zero. A null pointer is an error unless the function allows it.
 * - Results are stored only by a function that returns PTX_SUCCESS. The text of an error is ptx_last_error().
 * - Addresses of the device are addresses of the process, unless it has 32-bit addresses. Memory that kernels may access is not unmapped while they run.
 */

#ifndef PTX_EXEC_H
#define PTX_EXEC_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// The kind of an error, which is finer than its status. `ptx_last_error_kind` returns it.
typedef enum PtxErrorKind {
  // No error.
  PTX_ERROR_NONE = 0,
  // An argument of a call is invalid: an address, a size, a handle, or arguments that do not match the parameters.
  PTX_ERROR_INVALID_VALUE = 1,
  // The device or the host has not enough memory.
  PTX_ERROR_OUT_OF_MEMORY = 2,
  // The module is not valid PTX.
  PTX_ERROR_INVALID_MODULE = 3,
  // The module is machine code, or intermediate code without PTX: cubin, fatbin, LTO-IR.
  PTX_ERROR_NO_BINARY = 4,
  // The module is for a later architecture than that of the device.
  PTX_ERROR_TARGET = 5,
  // A function or variable is declared, used, and defined nowhere.
  PTX_ERROR_UNDEFINED_SYMBOL = 6,
  // There is no kernel or variable of this name.
  PTX_ERROR_NOT_FOUND = 7,
  // The kernel requires something that cannot be executed.
  PTX_ERROR_UNSUPPORTED = 8,
  // The shape of the launch does not fit the kernel or the device.
  PTX_ERROR_INVALID_LAUNCH = 9,
  // The launch requires more shared memory than it may have.
  PTX_ERROR_SHARED_MEMORY = 10,
  // A cooperative launch has more blocks than can be co-resident.
  PTX_ERROR_COOPERATIVE_TOO_LARGE = 11,
  // The memory to be registered is registered or allocated already.
  PTX_ERROR_ALREADY_REGISTERED = 12,
  // The memory is not registered.
  PTX_ERROR_NOT_REGISTERED = 13,
  // An event was not recorded, or has not been reached.
  PTX_ERROR_NOT_READY = 14,
  // The host cannot create a thread.
  PTX_ERROR_HOST = 15,
  // A thread accessed memory that it may not access: out of bounds, freed, read-only, or of another block.
  PTX_ERROR_ILLEGAL_ADDRESS = 16,
  // A thread accessed an address that is not a multiple of the size of the access.
  PTX_ERROR_MISALIGNED = 17,
  // An instruction was given an address in a state space on which it does not operate.
  PTX_ERROR_INVALID_ADDRESS_SPACE = 18,
  // A thread branched to an index that is not in the list of targets, or called an address that is not a suitable function.
  PTX_ERROR_INVALID_PC = 19,
  // A thread executed `trap`, or `brkpt` without a debugger.
  PTX_ERROR_TRAP = 20,
  // An assertion failed.
  PTX_ERROR_ASSERTION = 21,
  // Undefined use of a barrier, collective or descriptor.
  PTX_ERROR_MISUSE = 22,
  // A call requires more stack than a thread may have.
  PTX_ERROR_STACK_OVERFLOW = 23,
  // No thread of a block can go on.
  PTX_ERROR_DEADLOCK = 24,
  // The launch took longer than its time limit.
  PTX_ERROR_TIMEOUT = 25,
  // The launch executed more instructions than its limit.
  PTX_ERROR_STEP_LIMIT = 26,
  // The launch printed more than its limit.
  PTX_ERROR_OUTPUT_LIMIT = 27,
  // The operation is not allowed while a stream is captured.
  PTX_ERROR_CAPTURE = 28,
  // The graph has a cycle, or a change does not fit it.
  PTX_ERROR_INVALID_GRAPH = 29,
  // A defect of this project.
  PTX_ERROR_INTERNAL = 30,
} PtxErrorKind;

// The result of a function. The text of an error is `ptx_last_error()`.
typedef enum PtxStatus {
  // Success.
  PTX_SUCCESS = 0,
  // A null pointer, text that is not UTF-8, or a number without meaning.
  PTX_INVALID_VALUE = 1,
  // The module is not valid PTX, or is for a target that the device does not support.
  PTX_INVALID_MODULE = 2,
  // There is no such kernel or variable.
  PTX_NOT_FOUND = 3,
  // The kernel requires something that cannot be executed.
  PTX_UNSUPPORTED = 4,
  // The arguments do not match the parameters.
  PTX_INVALID_ARGUMENTS = 5,
  // The launch does not fit the kernel or the device.
  PTX_INVALID_LAUNCH = 6,
  // An invalid address or size: out of bounds, freed, read-only, already known.
  PTX_INVALID_MEMORY = 7,
  // A kernel was stopped, now or earlier: a faulty access, a trap, a deadlock, a limit. Also if its time limit passed while it was compiled, after which the device goes on.
  PTX_STOPPED = 8,
  // An event that was not recorded or has not been reached.
  PTX_NOT_READY = 9,
  // The host cannot create a thread.
  PTX_HOST_ERROR = 10,
  // A defect of this library.
  PTX_INTERNAL_ERROR = 11,
  // The device or the host has not enough memory.
  PTX_OUT_OF_MEMORY = 12,
  // A graph or capture for which the operation is not allowed.
  PTX_INVALID_GRAPH = 13,
} PtxStatus;

// The execution engine of kernels. Compiled kernels have the same results as the interpreter and are stopped by the
// same errors, unless their accesses are not checked (`PtxCheck`). They require the library to be built with
// `--features jit`, and LLVM's library.
typedef enum PtxEngine {
  // The value of the environment variable `PTX_EXEC_ENGINE` when the device is created: `interp`, `jit` or `auto`;
  // `PtxEngineAutomatic` if it is not set.
  PTX_ENGINE_DEFAULT = 0,
  // The interpreter, which checks every access.
  PTX_ENGINE_INTERPRETER = 1,
  // Native code; launches that cannot be compiled are errors.
  PTX_ENGINE_COMPILED = 2,
  // Native code if a launch can be compiled, otherwise the interpreter, to which a library without compiled kernels leaves all
  // launches. The interpreter begins, so that short launches do not wait for the compiler: see `interpreted_first` of
  // `PtxDeviceOptions`.
  PTX_ENGINE_AUTOMATIC = 3,
} PtxEngine;

// In the terms of CUDA, the memory that an allocation is in. Kernels and the process access all of it.
typedef enum PtxMemoryKind {
  // Memory of the device.
  PTX_MEMORY_DEVICE = 0,
  // Page-locked memory of the process.
  PTX_MEMORY_HOST = 1,
  // Managed memory.
  PTX_MEMORY_MANAGED = 2,
} PtxMemoryKind;

// A limit of launches that can be changed.
typedef enum PtxLimit {
  // Bytes of stack of a thread.
  PTX_LIMIT_STACK = 0,
  // Bytes of the heap of `malloc`, until a kernel uses it.
  PTX_LIMIT_HEAP = 1,
  // Bytes that a launch may print.
  PTX_LIMIT_OUTPUT = 2,
  // Milliseconds that a launch may take; 0 for no limit.
  PTX_LIMIT_TIME = 3,
} PtxLimit;

// How a stream is ordered with default streams of its device, as those of CUDA.
typedef enum PtxStreamRole {
  // Not at all.
  PTX_STREAM_INDEPENDENT = 0,
  // Its work waits for earlier work of default streams.
  PTX_STREAM_BLOCKING = 1,
  // It is a default stream: its work waits for earlier work of all blocking streams, and they for its.
  PTX_STREAM_DEFAULT = 2,
} PtxStreamRole;

// What a stream waits for, of a number in memory and a value.
typedef enum PtxCondition {
  // Their difference, as a signed number, is not negative.
  PTX_CONDITION_GREATER_OR_EQUAL = 0,
  // They are equal.
  PTX_CONDITION_EQUAL = 1,
  // They have a bit in common.
  PTX_CONDITION_AND = 2,
  // Together they do not have all bits.
  PTX_CONDITION_NOR = 3,
} PtxCondition;

// The kind of a region of memory.
typedef enum PtxRegionKind {
  // Memory of `ptx_malloc`.
  PTX_REGION_ALLOCATION = 0,
  // Memory of `ptx_register`.
  PTX_REGION_REGISTERED = 1,
  // A variable of a module, or the constant memory of one.
  PTX_REGION_VARIABLE = 2,
  // The heap of `malloc` in kernels.
  PTX_REGION_HEAP = 3,
} PtxRegionKind;

// The format of a channel of a texel.
typedef enum PtxChannelFormat {
  // 8-bit unsigned integer.
  PTX_UNSIGNED8 = 0,
  // 16-bit unsigned integer.
  PTX_UNSIGNED16 = 1,
  // 32-bit unsigned integer.
  PTX_UNSIGNED32 = 2,
  // 8-bit signed integer.
  PTX_SIGNED8 = 3,
  // 16-bit signed integer.
  PTX_SIGNED16 = 4,
  // 32-bit signed integer.
  PTX_SIGNED32 = 5,
  // Half precision.
  PTX_HALF = 6,
  // Single precision.
  PTX_FLOAT = 7,
  // 8-bit unsigned normalized: a fraction of 255, from 0 to 1.
  PTX_UNORM8 = 8,
  // 16-bit unsigned normalized: a fraction of 65535, from 0 to 1.
  PTX_UNORM16 = 9,
  // 8-bit signed normalized: a fraction of 127, from -1 to 1.
  PTX_SNORM8 = 10,
  // 16-bit signed normalized: a fraction of 32767, from -1 to 1.
  PTX_SNORM16 = 11,
} PtxChannelFormat;

// Handling of out-of-bounds coordinates.
typedef enum PtxAddressMode {
  // The nearest edge texel.
  PTX_ADDRESS_CLAMP = 0,
  // The image repeats; unnormalized coordinates are clamped.
  PTX_ADDRESS_WRAP = 1,
  // The image repeats mirrored; unnormalized coordinates are clamped.
  PTX_ADDRESS_MIRROR = 2,
  // The border colour.
  PTX_ADDRESS_BORDER = 3,
  // Like `clamp_ogl` of PTX: filters blend in half of the border colour.
  PTX_ADDRESS_CLAMP_OGL = 4,
} PtxAddressMode;

// The filter within a level, or between levels.
typedef enum PtxFilter {
  // The nearest texel or level.
  PTX_FILTER_POINT = 0,
  // Linear interpolation.
  PTX_FILTER_LINEAR = 1,
} PtxFilter;

// Comparison of a reference depth, the left operand, with that of a texel.
typedef enum PtxComparison {
  // Less or equal.
  PTX_LESS_OR_EQUAL = 0,
  // Always fails.
  PTX_NEVER = 1,
  // Less.
  PTX_LESS = 2,
  // Equal.
  PTX_EQUAL = 3,
  // Greater.
  PTX_GREATER = 4,
  // Different.
  PTX_NOT_EQUAL = 5,
  // Greater or equal.
  PTX_GREATER_OR_EQUAL = 6,
  // Always passes.
  PTX_ALWAYS = 7,
} PtxComparison;

// The element type of a tensor.
typedef enum PtxElementType {
  // `.u8`
  PTX_ELEMENT_U8 = 0,
  // `.u16`
  PTX_ELEMENT_U16 = 1,
  // `.u32`
  PTX_ELEMENT_U32 = 2,
  // `.s32`
  PTX_ELEMENT_S32 = 3,
  // `.u64`
  PTX_ELEMENT_U64 = 4,
  // `.s64`
  PTX_ELEMENT_S64 = 5,
  // `.f16`
  PTX_ELEMENT_F16 = 6,
  // `.f32`
  PTX_ELEMENT_F32 = 7,
  // `.f32`; reductions flush subnormals.
  PTX_ELEMENT_F32_FTZ = 8,
  // `.f64`
  PTX_ELEMENT_F64 = 9,
  // `.bf16`
  PTX_ELEMENT_BF16 = 10,
  // `.tf32`
  PTX_ELEMENT_TF32 = 11,
  // `.tf32`; reductions flush subnormals.
  PTX_ELEMENT_TF32_FTZ = 12,
  // 4 bits, packed.
  PTX_ELEMENT_B4X16 = 13,
  // 4 bits; in shared memory 16 elements are followed by 8 unused bytes.
  PTX_ELEMENT_B4X16_P64 = 14,
  // 6 bits; in shared memory 16 elements are followed by 4 unused bytes.
  PTX_ELEMENT_B6X16_P32 = 15,
} PtxElementType;

// Layout of the channels of a tensor in memory.
typedef enum PtxInterleave {
  // All channels of a pixel are contiguous.
  PTX_INTERLEAVE_NONE = 0,
  // In slices of 16 bytes.
  PTX_INTERLEAVE_16B = 1,
  // In slices of 32 bytes.
  PTX_INTERLEAVE_32B = 2,
} PtxInterleave;

// Permutation of a box in shared memory.
typedef enum PtxSwizzle {
  // None.
  PTX_SWIZZLE_NONE = 0,
  // Chunks of 16 bytes within 32 bytes.
  PTX_SWIZZLE_32B = 1,
  // Chunks of 16 bytes within 64 bytes.
  PTX_SWIZZLE_64B = 2,
  // Chunks of 16 bytes within 128 bytes.
  PTX_SWIZZLE_128B = 3,
  // Chunks of 32 bytes within 128 bytes.
  PTX_SWIZZLE_128B_ATOM_32B = 4,
  // Like the previous one, with the halves of each 16 bytes swapped in every other line of 128 bytes.
  PTX_SWIZZLE_128B_ATOM_32B_FLIP_8B = 5,
  // Chunks of 64 bytes within 128 bytes.
  PTX_SWIZZLE_128B_ATOM_64B = 6,
} PtxSwizzle;

// A device: memory, and the execution of kernels on it.
typedef struct PtxDevice PtxDevice;

// A point in the work of a stream.
typedef struct PtxEvent PtxEvent;

// A graph that is ready to be launched.
typedef struct PtxExecutableGraph PtxExecutableGraph;

// Operations with dependencies on each other, each a node with a number.
typedef struct PtxGraph PtxGraph;

// An image on a device, from which textures and surfaces are created.
typedef struct PtxImage PtxImage;

// A kernel of a module.
typedef struct PtxKernel PtxKernel;

// A module on a device. Its variables keep their values across launches.
typedef struct PtxModule PtxModule;

// A queue of work done in order, concurrently with other streams.
typedef struct PtxStream PtxStream;

// Limits of launches on a device.
typedef struct PtxProperties {
  // The architecture, 90 for `sm_90`; 0 if modules for any are run.
  uint32_t architecture;
  // Threads per warp.
  uint32_t warp_size;
  // Maximum threads of a block.
  uint32_t threads_per_block;
  // Maximum threads of a block along x, y and z.
  uint32_t block[3];
  // Maximum blocks along x, y and z.
  uint32_t grid[3];
  // Maximum blocks of a cooperative launch, if their registers and memory fit.
  uint32_t cooperative_blocks;
  // Maximum bytes of shared memory of a block, static and dynamic.
  uint64_t shared_bytes;
  // Maximum bytes of local memory and registers of a thread.
  uint64_t stack_bytes;
  // Bytes of the heap of `malloc`.
  uint64_t heap_bytes;
  // Bytes of memory; 0 if the size of the machine's memory is unknown.
  uint64_t memory_bytes;
} PtxProperties;

// Options of a device. Zeros select the defaults.
typedef struct PtxDeviceOptions {
  // The architecture, 90 for `sm_90` and `sm_90a`: modules for later ones are refused. 0 for any.
  uint32_t architecture;
  // Host threads that the blocks of a launch are spread over; 0 for as many as the host has.
  uint32_t threads;
  // Time limit of a launch in milliseconds; 0 for no limit.
  uint64_t timeout;
  // Bytes of the heap of `malloc`; 0 for 8 MiB.
  uint64_t heap;
  // When asynchronous operations complete: 0 when they are issued, 1 as late as waits allow, 2 at random points determined by `seed`.
  uint32_t completion;
  // The random seed if `completion` is 2.
  uint64_t seed;
  // Nonzero if errors of kernels only affect the launch. Otherwise the device refuses all work until `ptx_device_recover`.
  uint32_t go_on_after_stop;
  // Nonzero if kernels may access all memory of the process, checked against its mappings (Linux), in addition to registered memory.
  uint32_t unregistered;
  // Nonzero for 32-bit addresses, which modules with `.address_size 32` require. Then device addresses are not
  // addresses of the process: memory of `ptx_malloc` is accessed with `ptx_copy_in` and `ptx_copy_out`.
  uint32_t has_32_bit_addresses;
  // The execution engine, a `PtxEngine`.
  uint32_t engine;
  // Bytes of stack of a thread: registers and local memory of all active calls; 0 for 512 KiB. Compiled kernels have what they need.
  uint64_t stack;
  // Maximum bytes of shared memory of a block, static and dynamic; 0 for 1 MiB.
  uint64_t shared;
  // Maximum instructions of all warps of a launch together; 0 for no limit. With a limit kernels are not compiled.
  uint64_t steps;
  // The checks of compiled kernels, a `PtxCheck`.
  uint32_t check;
  // With `PtxEngineAutomatic`, the instructions of warps that the interpreter executes of a kernel, in all of its launches
  // together, before the kernel is compiled, while the interpreter goes on; 1 to compile kernels before their first
  // launch. 0 for the value of the environment variable `PTX_EXEC_INTERPRETED_FIRST`, and if it is not set for 1,048,576, or 16,384
  // in kernels with matrix products.
  uint64_t interpreted_first;
  // A directory in which compiled kernels are cached for later processes. If it cannot be used, or if someone else may
  // write to it, nothing is cached; nothing is cached either if it is empty. Null for the value of the environment variable
  // `PTX_EXEC_CACHE`, which may be empty, too; if it is not set, `ptx-llvm` in `$XDG_CACHE_HOME` or `~/.cache`.
  const char *cache_folder;
  // Maximum total size of the files in that directory, of which the least recently used are removed; 0 for the value of the environment
  // variable `PTX_EXEC_CACHE_SIZE`, a number of bytes, and if it is not set for 256 MiB.
  uint64_t cache_bytes;
  // Bytes of the device's memory: of `ptx_malloc`, variables and the heap; 0 for as many as the machine has.
  uint64_t memory;
  // Nonzero if allocations end at a multiple of 512 bytes, as those of the CUDA driver: programs that access memory a few bytes beyond the
  // end of an allocation work.
  uint32_t lenient_bounds;
  // Nonzero if launches with more than 48 KiB of shared memory require `ptx_kernel_set_dynamic_shared`, which allows as much as the architecture
  // has, as with CUDA. Otherwise only `shared` is the limit.
  uint32_t opt_in_shared;
} PtxDeviceOptions;

// Receives the output of kernels: the text, its length in bytes, and the pointer that was given with the function.
// Streams call it on their own threads.
typedef void (*PtxPrint)(const char*, size_t, void*);

// A region of memory.
typedef struct PtxRegion {
  // Its first byte.
  void *start;
  // Its size in bytes, as requested.
  uint64_t bytes;
  // Its kind, a `PtxRegionKind`.
  uint32_t kind;
  // The memory that it is in, a `PtxMemoryKind`; registered memory is that of the process.
  uint32_t memory;
} PtxRegion;

// A file of a module, whose contents need not be zero-terminated.
typedef struct PtxFile {
  // Its name in errors.
  const char *name;
  // Its contents.
  const void *contents;
  // Size of the contents in bytes.
  size_t bytes;
} PtxFile;

// A parameter of a kernel.
typedef struct PtxParameter {
  // Its name, valid as long as the kernel's handle.
  const char *name;
  // Its size in bytes.
  uint32_t bytes;
  // Its offset in the parameter space.
  uint32_t offset;
} PtxParameter;

// The shape of a launch: grid, block and cluster extents, and dynamic shared memory.
typedef struct PtxShape {
  // Blocks of the grid along x, y and z.
  uint32_t grid[3];
  // Threads of a block.
  uint32_t block[3];
  // Blocks of a cluster; zeros for the shape required by the kernel, or one block.
  uint32_t cluster[3];
  // Bytes of dynamic shared memory.
  uint32_t dynamic_shared;
  // Nonzero if blocks wait for each other: then a launch with more blocks than can be co-resident is refused.
  uint32_t cooperative;
} PtxShape;

// What a kernel requires of a device.
typedef struct PtxKernelAttributes {
  // An estimate of the 32-bit registers of a thread: those that are live at once, and a few more.
  uint32_t registers;
  // Maximum threads of a block (`.maxntid`, `.reqntid`).
  uint32_t max_threads;
  // Bytes of static shared memory of a block.
  uint64_t static_shared_bytes;
  // Maximum bytes of dynamic shared memory of a launch.
  uint64_t dynamic_shared_bytes;
  // Bytes of local memory of a thread.
  uint64_t local_bytes;
  // Bytes of constant memory of the module.
  uint64_t constant_bytes;
  // Bytes of its parameters.
  uint64_t parameter_bytes;
  // The extents that blocks must have (`.reqntid`); zeros if any.
  uint32_t required_block[3];
  // The shape that clusters must have (`.reqnctapercluster`); zeros if any.
  uint32_t required_cluster[3];
  // Nonzero if a launch must give a cluster shape (`.explicitcluster`).
  uint32_t needs_cluster;
  // Maximum blocks of a cluster (`.maxclusterrank`); 0 if the kernel does not limit it.
  uint32_t max_cluster_blocks;
  // The blocks that should fit on a multiprocessor (`.minnctapersm`); 0 if not given.
  uint32_t min_blocks;
  // The PTX version of the module, 86 for 8.6.
  uint32_t ptx_version;
  // The target of the module, 90 for `sm_90a`; 0 if there is none.
  uint32_t target;
} PtxKernelAttributes;

// Limits of a multiprocessor.
typedef struct PtxMultiprocessor {
  // Maximum resident blocks.
  uint32_t blocks;
  // Maximum resident threads.
  uint32_t threads;
  // 32-bit registers.
  uint32_t registers;
  // Maximum registers of a block.
  uint32_t block_registers;
  // Bytes of shared memory.
  uint32_t shared_bytes;
  // Maximum bytes of shared memory of a block that opts in.
  uint32_t block_shared_bytes;
  // Bytes of shared memory that each block takes in addition.
  uint32_t reserved_shared_bytes;
  // Maximum blocks of a cluster that all devices execute; 1 if there are no clusters.
  uint32_t cluster_blocks;
} PtxMultiprocessor;

// An image: an array with separate memory, or linear memory of the device. Fields that are 0 are absent or have their default.
typedef struct PtxImageOptions {
  // The channel format: a `PtxChannelFormat`.
  uint32_t format;
  // Channels per texel: 1, 2 or 4; 0 means 1.
  uint32_t channels;
  // Texels along x.
  uint32_t width;
  // Texels along y; 0 if there is no such axis.
  uint32_t height;
  // Texels along z; 0 if there is no such axis.
  uint32_t depth;
  // Nonzero for a cube: six square faces with `width` texels along an edge, and 0 for `height` and `depth`.
  uint32_t is_cube;
  // Layers of an array of images, or cubes; 0 for a single one.
  uint32_t layers;
  // Mipmap levels; 0 means 1.
  uint32_t levels;
  // Samples per texel; 0 means 1.
  uint32_t samples;
  // The first texel of linear memory; null for an array.
  const void *address;
  // Bytes between rows of linear memory with two axes; 0 with one axis.
  size_t pitch;
} PtxImageOptions;

// The mapping of coordinates to texels. All zeros: the nearest texel, clamped, all levels.
typedef struct PtxSamplerOptions {
  // Address modes along x, y and z: each a `PtxAddressMode`.
  uint32_t address[3];
  // The border colour for `PTX_ADDRESS_BORDER`.
  float border[4];
  // The filter within a level: a `PtxFilter`.
  uint32_t filter;
  // The filter between levels: a `PtxFilter`.
  uint32_t level_filter;
  // Bias added to the requested level.
  float level_bias;
  // Nonzero if `finest_level` and `coarsest_level` are used.
  uint32_t has_level_clamp;
  // The finest level that may be selected.
  float finest_level;
  // The coarsest level that may be selected.
  float coarsest_level;
  // Maximum anisotropy; 0 means 1.
  uint32_t max_anisotropy;
  // Nonzero if coordinates are in texels even if the texture has normalized ones.
  uint32_t force_unnormalized;
  // Nonzero if filters extend across the edges of a cube's faces.
  uint32_t seamless;
  // The depth comparison: a `PtxComparison`.
  uint32_t comparison;
} PtxSamplerOptions;

// The read mode of an image. All zeros: unconverted elements, at coordinates in texels or as the variable specifies.
typedef struct PtxTextureOptions {
  // Nonzero if 8- and 16-bit integers are read as normalized numbers.
  uint32_t read_fractions;
  // Nonzero if the first three channels are sRGB.
  uint32_t srgb;
  // 0 for coordinates as the variable's initializer specifies, by default in texels; 1 for normalized ones; 2 for those in texels.
  uint32_t coordinates;
  // The sampler of the unified mode; null for the one in the variable's initializer, or the default.
  const struct PtxSamplerOptions *sampler;
} PtxTextureOptions;

// A tensor in memory of the device. Lists are in dimension order, innermost first, and have one element per dimension;
// further elements are not read. Constants that are 0 select the defaults.
typedef struct PtxTensor {
  // The element type: a `PtxElementType`.
  uint32_t element;
  // Rank: 1 to 5.
  uint32_t rank;
  // The address of its first element.
  const void *address;
  // Elements along each dimension.
  uint64_t dims[5];
  // Strides in bytes of all dimensions except the innermost.
  uint64_t strides[4];
  // Strides in elements between copied elements; zeros for 1 along all dimensions.
  uint32_t element_strides[5];
  // Layout of its channels: a `PtxInterleave`.
  uint32_t interleave;
  // Permutation of a box in shared memory: a `PtxSwizzle`.
  uint32_t swizzle;
  // Nonzero if loads return NaN instead of 0 for elements outside the tensor.
  uint32_t nan_outside;
} PtxTensor;

// A tensor map, as passed to kernels as a parameter. The encoding is specific to this library.
typedef struct PtxTensorMap {
  // Its bytes.
  uint8_t bytes[128];
} PtxTensorMap;

// Options of a stream. Zeros select the defaults.
typedef struct PtxStreamOptions {
  // How it is ordered with default streams, a `PtxStreamRole`.
  uint32_t role;
  // A number that has no effect.
  int32_t priority;
} PtxStreamOptions;

// A function called by a stream.
typedef void (*PtxCallback)(void*);

// Rows of planes, and where they are copied from and to: as of `cuMemcpy2D` and `cuMemcpy3D`. Rows must not overlap.
typedef struct PtxBox {
  // The destination: the first byte of the first row.
  void *to;
  // Bytes from a row of the destination to the next.
  uint64_t to_pitch;
  // Bytes from a plane of the destination to the next.
  uint64_t to_slice;
  // The source; unused by fills.
  const void *from;
  // Bytes from a row of the source to the next.
  uint64_t from_pitch;
  // Bytes from a plane of the source to the next.
  uint64_t from_slice;
  // Bytes of a row.
  uint64_t width;
  // Rows of a plane.
  uint64_t height;
  // Planes.
  uint64_t depth;
} PtxBox;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The error text of the last function that this thread called, empty if it succeeded. It is valid until the thread calls the next function.
const char *ptx_last_error(void);

// The diagnostics of the last error about a module, a launch or a stopped kernel, as JSON: one object per line for
// each diagnostic, with `file`, `line`, `column`, `severity`, `code`, `message` and `help`; for a stopped kernel also
// `details` (`kernel`, `block`, `thread`, the source line by `.loc` and so on) and `related`, the positions of other
// threads. It is empty if there are no diagnostics, and valid as long as `ptx_last_error`.
const char *ptx_last_error_json(void);

// The name of a status, such as `PTX_STOPPED`.
const char *ptx_status_name(int32_t status);

// The kind of the error of the last function that this thread called; `PTX_ERROR_NONE` if it succeeded.
enum PtxErrorKind ptx_last_error_kind(void);

// The name of a kind, such as `PTX_ERROR_MISALIGNED`.
const char *ptx_error_kind_name(int32_t kind);

// The number that the CUDA driver returns for an error of a kind (`CUresult`): 716 for `PTX_ERROR_MISALIGNED`. 0 for `PTX_ERROR_NONE`, and
// 999, an unknown error, for a number that is no kind.
uint32_t ptx_error_kind_cuda_result(int32_t kind);

// The limits of launches on a device.
enum PtxStatus ptx_device_properties(const struct PtxDevice *device,
                                     struct PtxProperties *properties);

// Creates a device. `options` may be null.
enum PtxStatus ptx_device_create(const struct PtxDeviceOptions *options, struct PtxDevice **device);

// Destroys the handle of a device. The device itself lives until everything that uses it is destroyed.
enum PtxStatus ptx_device_destroy(struct PtxDevice *device);

// Waits until all work of the device is complete.
enum PtxStatus ptx_device_synchronize(const struct PtxDevice *device);

// Makes a device usable again after a kernel was stopped. Memory is as the kernel left it.
enum PtxStatus ptx_device_recover(const struct PtxDevice *device);

// Passes the output of kernels to a function, launch by launch. A null function discards it, which is the default.
enum PtxStatus ptx_device_print_to(const struct PtxDevice *device,
                                   PtxPrint print,
                                   void *user);

// Sets a limit, a `PtxLimit`, of subsequent launches.
enum PtxStatus ptx_device_set_limit(const struct PtxDevice *device, uint32_t limit, uint64_t value);

// Writes the output of kernels to the standard output of the process, launch by launch, and at once: what C functions have put in a buffer comes later.
enum PtxStatus ptx_device_print_to_stdout(const struct PtxDevice *device);

// Bytes of the device's memory that are in use by allocations, variables of modules and the heap.
enum PtxStatus ptx_device_used_bytes(const struct PtxDevice *device, uint64_t *bytes);

// Allocates zeroed memory at a multiple of 256. The process may access it too, also while kernels run. The machine provides it page by page
// when it is accessed. PTX_OUT_OF_MEMORY if there is not enough.
enum PtxStatus ptx_malloc(const struct PtxDevice *device,
                          size_t bytes,
                          void **pointer);

// Frees memory of `ptx_malloc`, once all work of the device is complete.
enum PtxStatus ptx_free(const struct PtxDevice *device, void *pointer);

// Makes memory of the process accessible to kernels, until `ptx_unregister`. It must stay mapped and accessible until then.
enum PtxStatus ptx_register(const struct PtxDevice *device,
                            void *pointer,
                            size_t bytes,
                            bool is_writable);

// Undoes `ptx_register`, once all work of the device is complete.
enum PtxStatus ptx_unregister(const struct PtxDevice *device, void *pointer);

// Copies bytes of the process to memory of the device, with bounds checks.
enum PtxStatus ptx_copy_in(const struct PtxDevice *device,
                           void *to,
                           const void *from,
                           size_t bytes);

// Copies bytes from memory of the device to the process, with bounds checks.
enum PtxStatus ptx_copy_out(const struct PtxDevice *device,
                            void *to,
                            const void *from,
                            size_t bytes);

// Copies bytes within memory of the device; source and destination may overlap.
enum PtxStatus ptx_copy(const struct PtxDevice *device, void *to, const void *from, size_t bytes);

// Writes `count` consecutive copies of a pattern.
enum PtxStatus ptx_fill_pattern(const struct PtxDevice *device,
                                void *to,
                                const void *pattern,
                                size_t pattern_bytes,
                                size_t count);

// Creates a multimem address, through which `bytes` bytes at each of these addresses are accessed together
// (`multimem.*`), until the memory there is freed.
enum PtxStatus ptx_multicast(const struct PtxDevice *device,
                             const void *const *members,
                             size_t count,
                             size_t bytes,
                             void **pointer);

// The region of memory that contains an address; PTX_NOT_FOUND if there is none.
enum PtxStatus ptx_pointer_region(const struct PtxDevice *device,
                                  const void *pointer,
                                  struct PtxRegion *region);

// `ptx_malloc` for any kind of memory, a `PtxMemoryKind`. Only that of the device counts as used.
enum PtxStatus ptx_malloc_in(const struct PtxDevice *device,
                             uint32_t memory,
                             size_t bytes,
                             void **pointer);

// Loads PTX. `name` is the file name in errors.
enum PtxStatus ptx_module_load(const struct PtxDevice *device,
                               const char *name,
                               const char *ptx,
                               struct PtxModule **module);

// Loads several files of PTX and links them.
enum PtxStatus ptx_module_link(const struct PtxDevice *device,
                               size_t count,
                               const char *const *names,
                               const char *const *ptx,
                               struct PtxModule **module);

// Loads one or several files with explicit lengths and links them. With the feature `llvm` the library also accepts
// LLVM IR, text and bitcode, which is distinguished from PTX by the extension of the name (`.ptx`, `.ll`, `.bc`) or by
// the contents.
enum PtxStatus ptx_module_load_files(const struct PtxDevice *device,
                                     size_t count,
                                     const struct PtxFile *files,
                                     struct PtxModule **module);

// A file of a module as it is executed: the given PTX, or PTX translated from LLVM IR, to which line numbers in errors
// refer. The contents are not zero-terminated; they are valid as long as the module's handle.
enum PtxStatus ptx_module_file(const struct PtxModule *module,
                               size_t index,
                               struct PtxFile *file);

// Destroys the handle of a module; its variables are freed once its kernels are destroyed too.
enum PtxStatus ptx_module_destroy(struct PtxModule *module);

// Resets all variables to their initial values.
enum PtxStatus ptx_module_reset(const struct PtxModule *module);

// The address and size of a `.global` or `.const` variable. `bytes` may be null.
enum PtxStatus ptx_module_variable(const struct PtxModule *module,
                                   const char *name,
                                   void **pointer,
                                   size_t *bytes);

// The number of kernels of a module.
enum PtxStatus ptx_module_kernel_count(const struct PtxModule *module, size_t *count);

// The name of a kernel of a module, in text order. It is valid as long as the module's handle.
enum PtxStatus ptx_module_kernel_name(const struct PtxModule *module,
                                      size_t index,
                                      const char **name);

// Looks up a kernel of a module by name. The first call for a kernel decodes it.
enum PtxStatus ptx_kernel_get(const struct PtxModule *module,
                              const char *name,
                              struct PtxKernel **kernel);

// Destroys the handle of a kernel.
enum PtxStatus ptx_kernel_destroy(struct PtxKernel *kernel);

// The number of parameters of a kernel.
enum PtxStatus ptx_kernel_parameter_count(const struct PtxKernel *kernel, size_t *count);

// A parameter of a kernel.
enum PtxStatus ptx_kernel_parameter(const struct PtxKernel *kernel,
                                    size_t index,
                                    struct PtxParameter *parameter);

// Launches a kernel. `arguments` has one element for each parameter, which points to the value, as for
// `cuLaunchKernel`. Without a stream (null) the kernel has ended when the function returns; with one,
// `ptx_stream_synchronize` waits for it.
enum PtxStatus ptx_launch(const struct PtxKernel *kernel,
                          const struct PtxShape *shape,
                          const void *const *arguments,
                          const struct PtxStream *stream);

// `ptx_launch` with the values of all parameters in one buffer, at the offsets of `ptx_kernel_parameter`, as `CU_LAUNCH_PARAM_BUFFER_POINTER` of
// `cuLaunchKernel`. Bytes that are missing at the end are zeros, and more bytes than the parameters have are an error.
enum PtxStatus ptx_launch_buffer(const struct PtxKernel *kernel,
                                 const struct PtxShape *shape,
                                 const void *buffer,
                                 size_t bytes,
                                 const struct PtxStream *stream);

// The attributes of a kernel.
enum PtxStatus ptx_kernel_attributes(const struct PtxKernel *kernel,
                                     struct PtxKernelAttributes *attributes);

// Sets the maximum bytes of dynamic shared memory of subsequent launches of a kernel, for all handles of it. Devices with `opt_in_shared` require
// it for launches with more than 48 KiB of shared memory.
enum PtxStatus ptx_kernel_set_dynamic_shared(const struct PtxKernel *kernel,
                                             uint32_t bytes);

// How many blocks of a kernel can be resident on a multiprocessor of the device's architecture, or else of the module's target, with this number of
// threads and bytes of dynamic shared memory; 0 if not even one.
enum PtxStatus ptx_kernel_occupancy(const struct PtxKernel *kernel,
                                    uint32_t threads,
                                    uint32_t dynamic_shared,
                                    uint32_t *blocks);

// The largest block size with which the most threads of a kernel are resident on a multiprocessor, of at most `most_threads` threads if that is not
// 0, and how many blocks of that size are resident. `blocks` may be null.
enum PtxStatus ptx_kernel_best_block(const struct PtxKernel *kernel,
                                     uint32_t dynamic_shared,
                                     uint32_t most_threads,
                                     uint32_t *threads,
                                     uint32_t *blocks);

// The limits of a multiprocessor of an architecture, 90 for `sm_90`.
enum PtxStatus ptx_architecture_limits(uint32_t architecture, struct PtxMultiprocessor *limits);

// Creates an image. The texels of an array are copied: level by level, layer by layer, rows without gaps; null and 0 for zeros.
enum PtxStatus ptx_image_create(const struct PtxDevice *device,
                                const struct PtxImageOptions *options,
                                const void *texels,
                                size_t bytes,
                                struct PtxImage **image);

// Destroys the handle of an image. The image lives as long as textures and surfaces of it.
enum PtxStatus ptx_image_destroy(struct PtxImage *image);

// Copies all texels of an array out, in the order of `ptx_image_create`. `bytes` must be their total size.
enum PtxStatus ptx_image_copy_out(const struct PtxImage *image,
                                  void *to,
                                  size_t bytes);

// Overwrites all texels of an array.
enum PtxStatus ptx_image_copy_in(const struct PtxImage *image, const void *from, size_t bytes);

// Creates a texture of an image, like `cuTexObjectCreate`. `options` may be null. `handle` is passed to a kernel as a 64-bit parameter.
enum PtxStatus ptx_texture_create(const struct PtxDevice *device,
                                  const struct PtxImage *image,
                                  const struct PtxTextureOptions *options,
                                  uint64_t *handle);

// Creates a surface of a level of an array, like `cuSurfObjectCreate`.
enum PtxStatus ptx_surface_create(const struct PtxDevice *device,
                                  const struct PtxImage *image,
                                  uint32_t level,
                                  uint64_t *handle);

// Creates a sampler for modules with `.target texmode_independent`. `options` may be null.
enum PtxStatus ptx_sampler_create(const struct PtxDevice *device,
                                  const struct PtxSamplerOptions *options,
                                  uint64_t *handle);

// Destroys a texture, surface or sampler, once all work of the device is complete. Kernels that use its handle later are stopped.
enum PtxStatus ptx_object_destroy(const struct PtxDevice *device,
                                  uint64_t handle);

// Binds a `.texref`, `.samplerref` or `.surfref` variable of a module to a texture, sampler or surface, for subsequent
// launches; 0 removes the binding.
enum PtxStatus ptx_module_bind(const struct PtxModule *module,
                               const char *name,
                               uint64_t handle);

// Creates a map of boxes of a tensor, like `cuTensorMapEncodeTiled`. `sizes` are the sizes of a box along each dimension.
enum PtxStatus ptx_tensor_map_tiled(const struct PtxTensor *tensor,
                                    const uint32_t *sizes,
                                    struct PtxTensorMap *map);

// Creates a map of pixels for a filter, like `cuTensorMapEncodeIm2col`. The corners have a coordinate for each
// dimension except the innermost and the outermost, in dimension order: W, H, D.
enum PtxStatus ptx_tensor_map_im2col(const struct PtxTensor *tensor,
                                     const int32_t *lower,
                                     const int32_t *upper,
                                     uint32_t channels,
                                     uint32_t pixels,
                                     struct PtxTensorMap *map);

// Creates a map of pixels of rows, like `cuTensorMapEncodeIm2colWide`; the corners are along W. `mode` is 0 for
// `.im2col::w`, and 1 for `.im2col::w::128`, which always has 128 pixels and ignores `pixels`.
enum PtxStatus ptx_tensor_map_im2col_wide(const struct PtxTensor *tensor,
                                          int32_t lower,
                                          int32_t upper,
                                          uint32_t channels,
                                          uint32_t pixels,
                                          uint32_t mode,
                                          struct PtxTensorMap *map);

// Creates a stream of a device.
enum PtxStatus ptx_stream_create(const struct PtxDevice *device, struct PtxStream **stream);

// Creates a stream of a device with options.
enum PtxStatus ptx_stream_create_with(const struct PtxDevice *device,
                                      const struct PtxStreamOptions *options,
                                      struct PtxStream **stream);

// A number that no other stream of the process has.
enum PtxStatus ptx_stream_id(const struct PtxStream *stream, uint64_t *id);

// Allocates memory for work that is queued afterwards.
enum PtxStatus ptx_stream_malloc(const struct PtxStream *stream, size_t bytes, void **pointer);

// Queues the release of memory of `ptx_malloc` or `ptx_stream_malloc`. Work of other streams on it is not waited for.
enum PtxStatus ptx_stream_free(const struct PtxStream *stream,
                               void *pointer);

// Queues a write of a number of 4 or 8 bytes.
enum PtxStatus ptx_stream_write_value(const struct PtxStream *stream,
                                      void *pointer,
                                      uint64_t value,
                                      uint32_t bytes);

// Makes subsequently queued work wait until a number of 4 or 8 bytes in memory fulfils a condition, a `PtxCondition`.
enum PtxStatus ptx_stream_wait_value(const struct PtxStream *stream,
                                     const void *pointer,
                                     uint64_t value,
                                     uint32_t bytes,
                                     uint32_t condition);

// Destroys the handle of a stream. Queued work is still completed.
enum PtxStatus ptx_stream_destroy(struct PtxStream *stream);

// Waits until a stream has completed all queued work; returns its first error.
enum PtxStatus ptx_stream_synchronize(const struct PtxStream *stream);

// Queues a copy of bytes to memory of the device. They are read before the function returns.
enum PtxStatus ptx_stream_copy_in(const struct PtxStream *stream,
                                  void *to,
                                  const void *from,
                                  size_t bytes);

// Queues a copy of bytes from memory of the device. They are available, and `to` may be reused, once the stream has reached work queued later.
enum PtxStatus ptx_stream_copy_out(const struct PtxStream *stream,
                                   void *to,
                                   const void *from,
                                   size_t bytes);

// Queues a write of `count` copies of a pattern. The pattern is read before the function returns.
enum PtxStatus ptx_stream_fill_pattern(const struct PtxStream *stream,
                                       void *to,
                                       const void *pattern,
                                       size_t pattern_bytes,
                                       size_t count);

// Queues a call of a function on the stream's thread, which is made even after errors. The function must not wait for the stream or the device.
enum PtxStatus ptx_stream_call(const struct PtxStream *stream,
                               PtxCallback function,
                               void *user);

// Whether a stream has completed all queued work: PTX_SUCCESS, or PTX_NOT_READY.
enum PtxStatus ptx_stream_query(const struct PtxStream *stream);

// Queues a copy within memory of the device.
enum PtxStatus ptx_stream_copy(const struct PtxStream *stream,
                               void *to,
                               const void *from,
                               size_t bytes);

// Creates an event.
enum PtxStatus ptx_event_create(struct PtxEvent **event);

// Destroys the handle of an event.
enum PtxStatus ptx_event_destroy(struct PtxEvent *event);

// Records an event: it is reached when the stream has completed all work queued so far.
enum PtxStatus ptx_event_record(const struct PtxEvent *event, const struct PtxStream *stream);

// Makes subsequently queued work wait for an event.
enum PtxStatus ptx_stream_wait(const struct PtxStream *stream, const struct PtxEvent *event);

// Waits until an event is reached.
enum PtxStatus ptx_event_synchronize(const struct PtxEvent *event);

// Whether an event has been reached, or was never recorded: PTX_SUCCESS, or PTX_NOT_READY.
enum PtxStatus ptx_event_query(const struct PtxEvent *event);

// Milliseconds from one event to another.
enum PtxStatus ptx_event_elapsed(const struct PtxEvent *from,
                                 const struct PtxEvent *to,
                                 double *milliseconds);

// Copies the rows of a box within memory of the device. The boxes must not overlap.
enum PtxStatus ptx_copy_box(const struct PtxDevice *device, const struct PtxBox *rows);

// Copies the rows of a box from the process to memory of the device.
enum PtxStatus ptx_copy_box_in(const struct PtxDevice *device, const struct PtxBox *rows);

// Copies the rows of a box from memory of the device to the process. Bytes between the rows stay as they are, and nothing else changes them meanwhile.
enum PtxStatus ptx_copy_box_out(const struct PtxDevice *device,
                                const struct PtxBox *rows);

// Fills the rows of a box in memory of the device with copies of a pattern, the last of which in a row may be a part of it.
enum PtxStatus ptx_fill_box(const struct PtxDevice *device,
                            const struct PtxBox *rows,
                            const void *pattern,
                            size_t pattern_bytes);

// Queues `ptx_copy_box`.
enum PtxStatus ptx_stream_copy_box(const struct PtxStream *stream, const struct PtxBox *rows);

// Queues `ptx_copy_box_in`. The bytes are read before the function returns.
enum PtxStatus ptx_stream_copy_box_in(const struct PtxStream *stream, const struct PtxBox *rows);

// Queues `ptx_copy_box_out`. The bytes are available, and the memory may be reused, once the stream has reached work queued later.
enum PtxStatus ptx_stream_copy_box_out(const struct PtxStream *stream,
                                       const struct PtxBox *rows);

// Queues `ptx_fill_box`. The pattern is read before the function returns.
enum PtxStatus ptx_stream_fill_box(const struct PtxStream *stream,
                                   const struct PtxBox *rows,
                                   const void *pattern,
                                   size_t pattern_bytes);

// Creates a graph without nodes.
enum PtxStatus ptx_graph_create(struct PtxGraph **graph);

// Copies a graph; its nodes have the same numbers.
enum PtxStatus ptx_graph_clone(const struct PtxGraph *original, struct PtxGraph **graph);

// Destroys a graph. Graphs that were instantiated from it stay as they are.
enum PtxStatus ptx_graph_destroy(struct PtxGraph *graph);

// Adds a launch of a kernel, with the values that the arguments have now, after `count` nodes that it depends on.
enum PtxStatus ptx_graph_add_kernel(const struct PtxGraph *graph,
                                    const struct PtxKernel *kernel,
                                    const struct PtxShape *shape,
                                    const void *const *arguments,
                                    const uint32_t *dependencies,
                                    size_t count,
                                    uint32_t *node);

// Adds a copy of the rows of a box within memory of the device.
enum PtxStatus ptx_graph_add_copy(const struct PtxGraph *graph,
                                  const struct PtxBox *rows,
                                  const uint32_t *dependencies,
                                  size_t count,
                                  uint32_t *node);

// Adds a fill of the rows of a box with copies of a pattern, which is read before the function returns.
enum PtxStatus ptx_graph_add_fill(const struct PtxGraph *graph,
                                  const struct PtxBox *rows,
                                  const void *pattern,
                                  size_t pattern_bytes,
                                  const uint32_t *dependencies,
                                  size_t count,
                                  uint32_t *node);

// Adds a call of a function of the process, which is made by the thread of the stream, also after errors. It must not wait for the stream or the device.
enum PtxStatus ptx_graph_add_call(const struct PtxGraph *graph,
                                  PtxCallback function,
                                  void *user,
                                  const uint32_t *dependencies,
                                  size_t count,
                                  uint32_t *node);

// Adds a recording of an event.
enum PtxStatus ptx_graph_add_record(const struct PtxGraph *graph,
                                    const struct PtxEvent *event,
                                    const uint32_t *dependencies,
                                    size_t count,
                                    uint32_t *node);

// Adds a wait for the last recording of an event.
enum PtxStatus ptx_graph_add_wait(const struct PtxGraph *graph,
                                  const struct PtxEvent *event,
                                  const uint32_t *dependencies,
                                  size_t count,
                                  uint32_t *node);

// Adds a node that does nothing.
enum PtxStatus ptx_graph_add_empty(const struct PtxGraph *graph,
                                   const uint32_t *dependencies,
                                   size_t count,
                                   uint32_t *node);

// Adds the operations of another graph, as they are now, as one node.
enum PtxStatus ptx_graph_add_graph(const struct PtxGraph *graph,
                                   const struct PtxGraph *inner,
                                   const uint32_t *dependencies,
                                   size_t count,
                                   uint32_t *node);

// Makes a node depend on another one.
enum PtxStatus ptx_graph_add_dependency(const struct PtxGraph *graph,
                                        uint32_t node,
                                        uint32_t dependency);

// Removes a dependency.
enum PtxStatus ptx_graph_remove_dependency(const struct PtxGraph *graph,
                                           uint32_t node,
                                           uint32_t dependency);

// Removes a node and its dependencies. The others keep their numbers.
enum PtxStatus ptx_graph_remove(const struct PtxGraph *graph, uint32_t node);

// The number of nodes of a graph.
enum PtxStatus ptx_graph_node_count(const struct PtxGraph *graph, size_t *count);

// Prepares a graph for launches. Later changes of the graph do not matter. PTX_INVALID_GRAPH if it has a cycle.
enum PtxStatus ptx_graph_instantiate(const struct PtxGraph *graph,
                                     struct PtxExecutableGraph **executable);

// Destroys a graph that was instantiated. Launches that are queued are still done.
enum PtxStatus ptx_executable_graph_destroy(struct PtxExecutableGraph *executable);

// Queues a launch of a graph, as it is now.
enum PtxStatus ptx_stream_launch_graph(const struct PtxStream *stream,
                                       const struct PtxExecutableGraph *executable);

// Replaces the launch of a kernel for subsequent launches of a graph.
enum PtxStatus ptx_executable_graph_set_kernel(const struct PtxExecutableGraph *executable,
                                               uint32_t node,
                                               const struct PtxKernel *kernel,
                                               const struct PtxShape *shape,
                                               const void *const *arguments);

// Sets whether launches perform a node.
enum PtxStatus ptx_executable_graph_set_enabled(const struct PtxExecutableGraph *executable,
                                                uint32_t node,
                                                bool is_enabled);

// Takes over the operations of a graph with the same nodes and dependencies. PTX_INVALID_GRAPH if they differ; nothing is changed then.
enum PtxStatus ptx_executable_graph_update(const struct PtxExecutableGraph *executable,
                                           const struct PtxGraph *graph);

// Begins a capture: work that is queued on the stream is not done, but becomes nodes of a graph, until `ptx_stream_end_capture`. Streams that wait for
// events that were recorded in the capture take part in it.
enum PtxStatus ptx_stream_begin_capture(const struct PtxStream *stream);

// Ends the capture that a stream began, and gives its graph. PTX_INVALID_GRAPH if it cannot become one; then it has ended, too.
enum PtxStatus ptx_stream_end_capture(const struct PtxStream *stream,
                                      struct PtxGraph **graph);

// Whether a stream takes part in a capture.
enum PtxStatus ptx_stream_is_captured(const struct PtxStream *stream, bool *is_captured);

// Runs the first kernel of a module and waits for it, with blocks of `lx` by `ly` by `lz` threads, a grid of `gx` by
// `gy` by `gz` blocks and `smem` bytes of dynamic shared memory. `args[i]` is the value of argument i itself, in the
// size of a pointer: an address, an integer, or the bits of a floating-point number; for smaller parameters the lower
// bytes are used.
//
// Kernels access memory of the process at its address. Memory registered with `ptx_register_memory` is accessed
// without further checks. Any other access, also past the end of registered memory, is checked against the mappings of
// the process before it is made (Linux; elsewhere it is an error), so that an access to unmapped memory is an error;
// one that hits unrelated mapped memory is not detected. Memory that kernels access must not be unmapped meanwhile.
//
// The most recently used modules are cached in decoded form. Each run starts with the initial values of variables.
// `ptx_last_error` shows whether it succeeded: its text is then empty. It is also written to standard error, unless the environment variable
// `PTX_EXEC_REPORT` is `none`. `ptx_try_run` is the same function with a status, and writes nothing.
void ptx_run(const char *ptx,
             int nargs,
             void **args,
             int lx,
             int ly,
             int lz,
             int gx,
             int gy,
             int gz,
             int smem);

// `ptx_run` with a status.
enum PtxStatus ptx_try_run(const char *ptx,
                           int nargs,
                           void **args,
                           int lx,
                           int ly,
                           int lz,
                           int gx,
                           int gy,
                           int gz,
                           int smem);

// Passes the output of kernels of `ptx_run` to a function. A null function discards it, which is the default.
enum PtxStatus ptx_run_print_to(PtxPrint print,
                                void *user);

// Makes memory accessible to kernels of `ptx_run` without checks against the process's mappings, until `ptx_unregister_memory`.
enum PtxStatus ptx_register_memory(void *pointer,
                                   size_t bytes);

// Undoes `ptx_register_memory`, once no kernel of `ptx_run` is running any more.
enum PtxStatus ptx_unregister_memory(void *pointer);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PTX_EXEC_H */
