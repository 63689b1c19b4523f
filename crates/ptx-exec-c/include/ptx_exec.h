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

// What a function returns. The text of an error is `ptx_last_error()`.
typedef enum PtxStatus {
  // It is done.
  PTX_SUCCESS = 0,
  // A null pointer, or text that is not UTF-8, or a number that has no meaning.
  PTX_INVALID_VALUE = 1,
  // The module is not valid PTX, or for a target that the device does not have.
  PTX_INVALID_MODULE = 2,
  // There is no such kernel or variable.
  PTX_NOT_FOUND = 3,
  // The kernel needs something that cannot be executed.
  PTX_UNSUPPORTED = 4,
  // The arguments do not fit the parameters.
  PTX_INVALID_ARGUMENTS = 5,
  // The launch does not fit the kernel or the device.
  PTX_INVALID_LAUNCH = 6,
  // An address or size: out of bounds, freed, read-only, known already.
  PTX_INVALID_MEMORY = 7,
  // A kernel was stopped, now or before: a wrong access, a trap, a deadlock, a limit.
  PTX_STOPPED = 8,
  // An event that was not recorded or not reached.
  PTX_NOT_READY = 9,
  // The host has no thread.
  PTX_HOST_ERROR = 10,
  // A defect of this library.
  PTX_INTERNAL_ERROR = 11,
} PtxStatus;

// What executes kernels. Compiled kernels leave what the interpreter does and are stopped by the same errors, unless their accesses are not checked (`PtxCheck`). They need the library built with `--features jit`, and LLVM's library.
typedef enum PtxEngine {
  // What the environment variable `PTX_EXEC_ENGINE` has when the device is made: `interp`, `jit` or `auto`; the interpreter where it is not set.
  PTX_ENGINE_DEFAULT = 0,
  // The interpreter, which checks every access.
  PTX_ENGINE_INTERPRETER = 1,
  // Code for this processor; launches that are not compiled are errors.
  PTX_ENGINE_COMPILED = 2,
  // Code for this processor where a launch can be compiled, the interpreter otherwise.
  PTX_ENGINE_AUTOMATIC = 3,
} PtxEngine;

// What a channel of a texel holds.
typedef enum PtxChannelFormat {
  // An integer of 8 bits without sign.
  PTX_UNSIGNED8 = 0,
  // An integer of 16 bits without sign.
  PTX_UNSIGNED16 = 1,
  // An integer of 32 bits without sign.
  PTX_UNSIGNED32 = 2,
  // An integer of 8 bits.
  PTX_SIGNED8 = 3,
  // An integer of 16 bits.
  PTX_SIGNED16 = 4,
  // An integer of 32 bits.
  PTX_SIGNED32 = 5,
  // Half precision.
  PTX_HALF = 6,
  // Single precision.
  PTX_FLOAT = 7,
  // A fraction of 255, from 0 to 1.
  PTX_UNORM8 = 8,
  // A fraction of 65535, from 0 to 1.
  PTX_UNORM16 = 9,
  // A fraction of 127, from -1 to 1.
  PTX_SNORM8 = 10,
  // A fraction of 32767, from -1 to 1.
  PTX_SNORM16 = 11,
} PtxChannelFormat;

// What happens to coordinates beyond the edge.
typedef enum PtxAddressMode {
  // The nearest texel at the edge.
  PTX_ADDRESS_CLAMP = 0,
  // The image repeats; coordinates that are not normalized are clamped.
  PTX_ADDRESS_WRAP = 1,
  // The image repeats mirrored; coordinates that are not normalized are clamped.
  PTX_ADDRESS_MIRROR = 2,
  // The colour of the border.
  PTX_ADDRESS_BORDER = 3,
  // As `clamp_ogl` of PTX: filters mix half of the border's colour in.
  PTX_ADDRESS_CLAMP_OGL = 4,
} PtxAddressMode;

// How texels, or levels, are mixed.
typedef enum PtxFilter {
  // The nearest one.
  PTX_FILTER_POINT = 0,
  // The neighbours, by their distance.
  PTX_FILTER_LINEAR = 1,
} PtxFilter;

// How a depth, on the left, is compared with that of a texel.
typedef enum PtxComparison {
  // Less or equal.
  PTX_LESS_OR_EQUAL = 0,
  // Fails.
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
  // Passes.
  PTX_ALWAYS = 7,
} PtxComparison;

// The type of the elements of a tensor.
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
  // `.f32` whose sums have no subnormals.
  PTX_ELEMENT_F32_FTZ = 8,
  // `.f64`
  PTX_ELEMENT_F64 = 9,
  // `.bf16`
  PTX_ELEMENT_BF16 = 10,
  // `.tf32`
  PTX_ELEMENT_TF32 = 11,
  // `.tf32` whose sums have no subnormals.
  PTX_ELEMENT_TF32_FTZ = 12,
  // 4 bits, packed.
  PTX_ELEMENT_B4X16 = 13,
  // 4 bits; in shared memory 8 unused bytes follow 16 elements.
  PTX_ELEMENT_B4X16_P64 = 14,
  // 6 bits; in shared memory 4 unused bytes follow 16 elements.
  PTX_ELEMENT_B6X16_P32 = 15,
} PtxElementType;

// How the channels of a tensor lie in memory.
typedef enum PtxInterleave {
  // All channels of a pixel together.
  PTX_INTERLEAVE_NONE = 0,
  // In slices of 16 bytes.
  PTX_INTERLEAVE_16B = 1,
  // In slices of 32 bytes.
  PTX_INTERLEAVE_32B = 2,
} PtxInterleave;

// Where parts of a box go in shared memory.
typedef enum PtxSwizzle {
  // One after the other.
  PTX_SWIZZLE_NONE = 0,
  // Chunks of 16 bytes within 32 bytes.
  PTX_SWIZZLE_32B = 1,
  // Chunks of 16 bytes within 64 bytes.
  PTX_SWIZZLE_64B = 2,
  // Chunks of 16 bytes within 128 bytes.
  PTX_SWIZZLE_128B = 3,
  // Chunks of 32 bytes within 128 bytes.
  PTX_SWIZZLE_128B_ATOM_32B = 4,
  // The same, with halves of 16 bytes exchanged in every other line of 128 bytes.
  PTX_SWIZZLE_128B_ATOM_32B_FLIP_8B = 5,
  // Chunks of 64 bytes within 128 bytes.
  PTX_SWIZZLE_128B_ATOM_64B = 6,
} PtxSwizzle;

// A device: memory, and what kernels do to it.
typedef struct PtxDevice PtxDevice;

// A point in the work of a stream.
typedef struct PtxEvent PtxEvent;

// An image on a device, which textures and surfaces show.
typedef struct PtxImage PtxImage;

// A kernel of a module.
typedef struct PtxKernel PtxKernel;

// A module on a device. Its variables keep their values from launch to launch.
typedef struct PtxModule PtxModule;

// Work that is done in order, beside other streams.
typedef struct PtxStream PtxStream;

// What launches on a device may have.
typedef struct PtxProperties {
  // The architecture, 90 for `sm_90`; 0 where modules for any are run.
  uint32_t architecture;
  // Threads of a warp.
  uint32_t warp_size;
  // Threads of a block.
  uint32_t threads_per_block;
  // Threads of a block along x, y and z.
  uint32_t block[3];
  // Blocks along x, y and z.
  uint32_t grid[3];
  // Blocks of a cooperative launch, if their registers and memory fit.
  uint32_t cooperative_blocks;
  // Bytes of shared memory of a block, static and dynamic.
  uint64_t shared_bytes;
  // Bytes of local memory and registers of a thread.
  uint64_t stack_bytes;
  // Bytes of the heap of `malloc`.
  uint64_t heap_bytes;
} PtxProperties;

// What a device is like. Zeros are the defaults.
typedef struct PtxDeviceOptions {
  // The architecture, 90 for `sm_90` and `sm_90a`: modules for later ones are refused. 0 for any.
  uint32_t architecture;
  // Host threads that the blocks of a launch are spread over; 0 for as many as the host has.
  uint32_t threads;
  // Milliseconds that a launch may take; 0 for no limit.
  uint64_t timeout;
  // Bytes of the heap of `malloc`; 0 for 8 MiB.
  uint64_t heap;
  // When asynchronous operations complete: 0 when they are issued, 1 as late as waits allow, 2 at points that `seed` decides.
  uint32_t completion;
  // What decides when asynchronous operations complete, if `completion` is 2.
  uint64_t seed;
  // Not 0 for errors of kernels to concern the launch alone. Otherwise the device refuses all work until `ptx_device_recover`.
  uint32_t go_on_after_stop;
  // Not 0 for kernels to access all memory of the process, checked against its mappings (Linux), besides what is registered.
  uint32_t unregistered;
  // Not 0 for addresses of 32 bits, which modules with `.address_size 32` need. Then no address is one of the process: what `ptx_malloc` gives is accessed with
  // `ptx_copy_in` and `ptx_copy_out`.
  uint32_t has_32_bit_addresses;
  // What executes kernels, a number of `PtxEngine`.
  uint32_t engine;
  // Bytes of stack of a thread, registers and local memory of all active calls; 0 for 512 KiB. Compiled kernels have what they need.
  uint64_t stack;
  // Bytes of shared memory that a block may have, static and dynamic; 0 for 1 MiB.
  uint64_t shared;
  // Instructions that all warps of a launch may execute together; 0 for no limit. Kernels are not compiled where there is one.
  uint64_t steps;
  // What compiled kernels check, a number of `PtxCheck`.
  uint32_t check;
} PtxDeviceOptions;

// Takes what kernels print: text, its bytes, and the pointer that was given with the function. Streams call it on threads of their own.
typedef void (*PtxPrint)(const char*, size_t, void*);

// A file of a module, whose contents need not end in a zero.
typedef struct PtxFile {
  // What errors call it.
  const char *name;
  // Its contents.
  const void *contents;
  // Bytes of the contents.
  size_t bytes;
} PtxFile;

// A parameter of a kernel.
typedef struct PtxParameter {
  // Its name, valid as long as the kernel's handle.
  const char *name;
  // Its bytes.
  uint32_t bytes;
  // Its place among the parameters.
  uint32_t offset;
} PtxParameter;

// How many threads a launch has, and how they are grouped.
typedef struct PtxShape {
  // Blocks of the grid along x, y and z.
  uint32_t grid[3];
  // Threads of a block.
  uint32_t block[3];
  // Blocks of a cluster; zeros for what the kernel requires, or one.
  uint32_t cluster[3];
  // Bytes of dynamic shared memory.
  uint32_t dynamic_shared;
  // Not 0 where blocks wait for each other: then too many of them are refused.
  uint32_t cooperative;
} PtxShape;

// An image: an array with texels of its own, or linear memory of the device. What is 0 is not there or has its default.
typedef struct PtxImageOptions {
  // What a channel holds: a `PtxChannelFormat`.
  uint32_t format;
  // Channels of a texel: 1, 2 or 4; 0 counts as 1.
  uint32_t channels;
  // Texels along x.
  uint32_t width;
  // Texels along y; 0 where there is no such axis.
  uint32_t height;
  // Texels along z; 0 where there is no such axis.
  uint32_t depth;
  // Not 0 for a cube: six square faces with `width` texels along an edge, and 0 for `height` and `depth`.
  uint32_t is_cube;
  // Layers of an array of images, or cubes; 0 for a single one.
  uint32_t layers;
  // Levels of a mipmap; 0 counts as 1.
  uint32_t levels;
  // Samples of a texel; 0 counts as 1.
  uint32_t samples;
  // The first texel of linear memory; null for an array.
  const void *address;
  // Bytes from one row of linear memory with two axes to the next; 0 with one axis.
  size_t pitch;
} PtxImageOptions;

// How coordinates become texels. All zeros: the nearest texel, clamped, of all levels.
typedef struct PtxSamplerOptions {
  // What happens beyond the edge along x, y and z: each a `PtxAddressMode`.
  uint32_t address[3];
  // The colour beyond the edge for `PTX_ADDRESS_BORDER`.
  float border[4];
  // How texels of a level are mixed: a `PtxFilter`.
  uint32_t filter;
  // How levels are mixed: a `PtxFilter`.
  uint32_t level_filter;
  // What is added to the level that is requested.
  float level_bias;
  // Not 0 for `finest_level` and `coarsest_level` to count.
  uint32_t has_level_clamp;
  // The finest level that is taken.
  float finest_level;
  // The coarsest level that is taken.
  float coarsest_level;
  // The largest ratio of an anisotropic footprint; 0 counts as 1.
  uint32_t max_anisotropy;
  // Not 0 where coordinates count texels even if the texture has normalized ones.
  uint32_t force_unnormalized;
  // Not 0 where filters reach over the edges of a cube's faces.
  uint32_t seamless;
  // How depths are compared: a `PtxComparison`.
  uint32_t comparison;
} PtxSamplerOptions;

// How an image is read. All zeros: the elements as they are, at coordinates that count texels or as the variable specifies.
typedef struct PtxTextureOptions {
  // Not 0 for integers of 8 and 16 bits to be read as fractions of the largest one.
  uint32_t read_fractions;
  // Not 0 where the first three channels are in sRGB.
  uint32_t srgb;
  // 0 for coordinates as the initial value of the variable specifies, else in texels; 1 for normalized ones; 2 for those in texels.
  uint32_t coordinates;
  // The sampler of the unified mode; null for what the initial value of the variable specifies, or the default.
  const struct PtxSamplerOptions *sampler;
} PtxTextureOptions;

// A tensor in memory of the device. Lists are in the order of the dimensions, the innermost first, and have as many items as there are; the others are not read.
// Constants that are 0 are the defaults.
typedef struct PtxTensor {
  // The type of its elements: a `PtxElementType`.
  uint32_t element;
  // Dimensions: 1 to 5.
  uint32_t rank;
  // Its first element.
  const void *address;
  // Elements along each dimension.
  uint64_t dims[5];
  // Bytes from an element to the next one along each dimension but the innermost.
  uint64_t strides[4];
  // Elements from one that is copied to the next; zeros for 1 along all dimensions.
  uint32_t element_strides[5];
  // How its channels lie in memory: a `PtxInterleave`.
  uint32_t interleave;
  // Where parts of a box go in shared memory: a `PtxSwizzle`.
  uint32_t swizzle;
  // Not 0 for loads to give NaN for elements outside of it instead of 0.
  uint32_t nan_outside;
} PtxTensor;

// A tensor map, as kernels have it as a parameter. The encoding is this library's own.
typedef struct PtxTensorMap {
  // Its bytes.
  uint8_t bytes[128];
} PtxTensorMap;

// A function that a stream calls.
typedef void (*PtxCallback)(void*);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The text of the error of the last function that this thread called, empty where it succeeded. It is valid until the thread calls the
// next function.
const char *ptx_last_error(void);

// What the last error found in a module or launch, or of a kernel that was stopped, as JSON: an object on a line for each finding, with `file`, `line`, `column`, `severity`,
// `code`, `message` and `help`; of a stopped kernel also `details` (`kernel`, `block`, `thread`, the line of the source by `.loc` and so on) and `related`, where
// other threads are. It is empty where there are no findings, and valid as long as `ptx_last_error`.
const char *ptx_last_error_json(void);

// The name of a status, such as `PTX_STOPPED`.
const char *ptx_status_name(int32_t status);

// What launches on a device may have.
enum PtxStatus ptx_device_properties(const struct PtxDevice *device,
                                     struct PtxProperties *properties);

// Makes a device. `options` may be null.
enum PtxStatus ptx_device_create(const struct PtxDeviceOptions *options, struct PtxDevice **device);

// Destroys the handle of a device. What still uses the device keeps it.
enum PtxStatus ptx_device_destroy(struct PtxDevice *device);

// Waits until all work of the device is done.
enum PtxStatus ptx_device_synchronize(const struct PtxDevice *device);

// Lets a device work again after a kernel was stopped. Memory is as the kernel left it.
enum PtxStatus ptx_device_recover(const struct PtxDevice *device);

// Gives what kernels print to a function, launch after launch. A null function drops it, as is the case at first.
enum PtxStatus ptx_device_print_to(const struct PtxDevice *device,
                                   PtxPrint print,
                                   void *user);

// Allocates memory, all zeros, at a multiple of 256. The process may access it, too, also while kernels run.
enum PtxStatus ptx_malloc(const struct PtxDevice *device,
                          size_t bytes,
                          void **pointer);

// Frees memory that `ptx_malloc` gave, once all work of the device is done.
enum PtxStatus ptx_free(const struct PtxDevice *device, void *pointer);

// Lets kernels access memory of the process, until `ptx_unregister`. It has to stay there and accessible until then.
enum PtxStatus ptx_register(const struct PtxDevice *device,
                            void *pointer,
                            size_t bytes,
                            bool is_writable);

// Ends what `ptx_register` began, once all work of the device is done.
enum PtxStatus ptx_unregister(const struct PtxDevice *device, void *pointer);

// Copies bytes of the process into memory of the device, checked against its bounds.
enum PtxStatus ptx_copy_in(const struct PtxDevice *device,
                           void *to,
                           const void *from,
                           size_t bytes);

// Copies bytes out of memory of the device, checked against its bounds.
enum PtxStatus ptx_copy_out(const struct PtxDevice *device,
                            void *to,
                            const void *from,
                            size_t bytes);

// Copies bytes within memory of the device, also between places that overlap.
enum PtxStatus ptx_copy(const struct PtxDevice *device, void *to, const void *from, size_t bytes);

// Writes a pattern of some bytes `count` times.
enum PtxStatus ptx_fill(const struct PtxDevice *device,
                        void *to,
                        const void *pattern,
                        size_t pattern_bytes,
                        size_t count);

// Makes a multimem address: one at which so many bytes from each of these addresses on are accessed together (`multimem.*`), as long as the memory there is not freed.
enum PtxStatus ptx_multicast(const struct PtxDevice *device,
                             const void *const *members,
                             size_t count,
                             size_t bytes,
                             void **pointer);

// Loads PTX. `name` is what errors call the file.
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

// Loads one or several files with lengths of their own and links them. A library with the feature `llvm` takes LLVM IR, too, text and bitcode,
// which it tells from PTX by the extension of the name (`.ptx`, `.ll`, `.bc`) or by the contents.
enum PtxStatus ptx_module_load_files(const struct PtxDevice *device,
                                     size_t count,
                                     const struct PtxFile *files,
                                     struct PtxModule **module);

// A file of a module as it is executed: the PTX that was given, or what became of LLVM IR. Errors name its lines. The contents do not end in a zero; they
// are valid as long as the module's handle.
enum PtxStatus ptx_module_file(const struct PtxModule *module,
                               size_t index,
                               struct PtxFile *file);

// Destroys the handle of a module; its variables are freed once its kernels are destroyed, too.
enum PtxStatus ptx_module_destroy(struct PtxModule *module);

// Gives all variables their initial values again.
enum PtxStatus ptx_module_reset(const struct PtxModule *module);

// The address and size of a `.global` or `.const` variable. `bytes` may be null.
enum PtxStatus ptx_module_variable(const struct PtxModule *module,
                                   const char *name,
                                   void **pointer,
                                   size_t *bytes);

// How many kernels a module has.
enum PtxStatus ptx_module_kernel_count(const struct PtxModule *module, size_t *count);

// The name of a kernel of a module, in the order of the text. It is valid as long as the module's handle.
enum PtxStatus ptx_module_kernel_name(const struct PtxModule *module,
                                      size_t index,
                                      const char **name);

// A kernel of a module by its name. The first call for a kernel decodes it.
enum PtxStatus ptx_kernel_get(const struct PtxModule *module,
                              const char *name,
                              struct PtxKernel **kernel);

// Destroys the handle of a kernel.
enum PtxStatus ptx_kernel_destroy(struct PtxKernel *kernel);

// How many parameters a kernel has.
enum PtxStatus ptx_kernel_parameter_count(const struct PtxKernel *kernel, size_t *count);

// A parameter of a kernel.
enum PtxStatus ptx_kernel_parameter(const struct PtxKernel *kernel,
                                    size_t index,
                                    struct PtxParameter *parameter);

// Launches a kernel. `arguments` are as many as it has parameters, and each points to the value, as for `cuLaunchKernel`. Without a stream (null) the
// kernel has ended when the function returns; with one, `ptx_stream_synchronize` waits for it.
enum PtxStatus ptx_launch(const struct PtxKernel *kernel,
                          const struct PtxShape *shape,
                          const void *const *arguments,
                          const struct PtxStream *stream);

// Makes an image. The texels of an array are copied: level after level, in each layer after layer, in each the rows without gaps; null and 0 for zeros.
enum PtxStatus ptx_image_create(const struct PtxDevice *device,
                                const struct PtxImageOptions *options,
                                const void *texels,
                                size_t bytes,
                                struct PtxImage **image);

// Destroys the handle of an image. Textures and surfaces of it keep it.
enum PtxStatus ptx_image_destroy(struct PtxImage *image);

// Copies all texels of an array, in the order of `ptx_image_create`. `bytes` has to be as many as they have.
enum PtxStatus ptx_image_copy_out(const struct PtxImage *image,
                                  void *to,
                                  size_t bytes);

// Changes all texels of an array.
enum PtxStatus ptx_image_copy_in(const struct PtxImage *image, const void *from, size_t bytes);

// Makes a texture of an image, as `cuTexObjectCreate`. `options` may be null. `handle` is what a kernel has as a parameter of 64 bits.
enum PtxStatus ptx_texture_create(const struct PtxDevice *device,
                                  const struct PtxImage *image,
                                  const struct PtxTextureOptions *options,
                                  uint64_t *handle);

// Makes a surface of a level of an array, as `cuSurfObjectCreate`.
enum PtxStatus ptx_surface_create(const struct PtxDevice *device,
                                  const struct PtxImage *image,
                                  uint32_t level,
                                  uint64_t *handle);

// Makes a sampler for modules with `.target texmode_independent`. `options` may be null.
enum PtxStatus ptx_sampler_create(const struct PtxDevice *device,
                                  const struct PtxSamplerOptions *options,
                                  uint64_t *handle);

// Destroys a texture, surface or sampler, once all work of the device is done. Kernels that use its handle later are stopped.
enum PtxStatus ptx_object_destroy(const struct PtxDevice *device,
                                  uint64_t handle);

// Binds a `.texref`, `.samplerref` or `.surfref` variable of a module to a texture, sampler or surface, for launches from now on; 0 ends that.
enum PtxStatus ptx_module_bind(const struct PtxModule *module,
                               const char *name,
                               uint64_t handle);

// Makes a map of boxes of a tensor, as `cuTensorMapEncodeTiled`. `sizes` are the elements of a box along each dimension.
enum PtxStatus ptx_tensor_map_tiled(const struct PtxTensor *tensor,
                                    const uint32_t *sizes,
                                    struct PtxTensorMap *map);

// Makes a map of pixels for a filter, as `cuTensorMapEncodeIm2col`. The corners have a coordinate for each dimension but the innermost and the outermost, in the order of the
// dimensions: W, H, D.
enum PtxStatus ptx_tensor_map_im2col(const struct PtxTensor *tensor,
                                     const int32_t *lower,
                                     const int32_t *upper,
                                     uint32_t channels,
                                     uint32_t pixels,
                                     struct PtxTensorMap *map);

// Makes a map of pixels of rows, as `cuTensorMapEncodeIm2colWide`; the corners are along W. `mode` is 0 for `.im2col::w`, and 1 for
// `.im2col::w::128`, which takes 128 pixels and does not read `pixels`.
enum PtxStatus ptx_tensor_map_im2col_wide(const struct PtxTensor *tensor,
                                          int32_t lower,
                                          int32_t upper,
                                          uint32_t channels,
                                          uint32_t pixels,
                                          uint32_t mode,
                                          struct PtxTensorMap *map);

// Makes a stream of a device.
enum PtxStatus ptx_stream_create(const struct PtxDevice *device, struct PtxStream **stream);

// Destroys the handle of a stream. Work that is queued is still done.
enum PtxStatus ptx_stream_destroy(struct PtxStream *stream);

// Waits until a stream has done all queued work; gives the first error of it.
enum PtxStatus ptx_stream_synchronize(const struct PtxStream *stream);

// Lets a stream copy bytes into memory of the device. They are read before the function returns.
enum PtxStatus ptx_stream_copy_in(const struct PtxStream *stream,
                                  void *to,
                                  const void *from,
                                  size_t bytes);

// Lets a stream copy bytes out of memory of the device. They are there, and `to` may be used again, once the stream has come to what was queued after.
enum PtxStatus ptx_stream_copy_out(const struct PtxStream *stream,
                                   void *to,
                                   const void *from,
                                   size_t bytes);

// Lets a stream write a pattern of some bytes `count` times. The pattern is read before the function returns.
enum PtxStatus ptx_stream_fill(const struct PtxStream *stream,
                               void *to,
                               const void *pattern,
                               size_t pattern_bytes,
                               size_t count);

// Lets a stream call a function, on its own thread, after all work queued before, also after errors. The function must not wait for the stream or
// the device.
enum PtxStatus ptx_stream_call(const struct PtxStream *stream,
                               PtxCallback function,
                               void *user);

// Whether a stream has done all queued work: PTX_SUCCESS, or PTX_NOT_READY.
enum PtxStatus ptx_stream_query(const struct PtxStream *stream);

// Lets a stream copy bytes within memory of the device.
enum PtxStatus ptx_stream_copy(const struct PtxStream *stream,
                               void *to,
                               const void *from,
                               size_t bytes);

// Makes an event.
enum PtxStatus ptx_event_create(struct PtxEvent **event);

// Destroys the handle of an event.
enum PtxStatus ptx_event_destroy(struct PtxEvent *event);

// Records an event: it is reached when the stream has done all work queued until now.
enum PtxStatus ptx_event_record(const struct PtxEvent *event, const struct PtxStream *stream);

// Makes work that is queued from now on wait for an event.
enum PtxStatus ptx_stream_wait(const struct PtxStream *stream, const struct PtxEvent *event);

// Waits until an event is reached.
enum PtxStatus ptx_event_synchronize(const struct PtxEvent *event);

// Whether an event is reached, or was never recorded: PTX_SUCCESS, or PTX_NOT_READY.
enum PtxStatus ptx_event_query(const struct PtxEvent *event);

// Milliseconds from one event to another.
enum PtxStatus ptx_event_elapsed(const struct PtxEvent *from,
                                 const struct PtxEvent *to,
                                 double *milliseconds);

// Runs the first kernel of a module and waits for it, with blocks of `lx` by `ly` by `lz` threads, a grid of `gx` by `gy` by `gz` blocks and `smem`
// bytes of dynamic shared memory. `args[i]` is the value of argument i itself, in the size of a pointer: an address, an integer, or the
// bits of a floating-point number; of smaller parameters the lower bytes count.
//
// Kernels access memory of the process at its address. What was registered with `ptx_register_memory` is accessed without further checks. Any other
// access, also past the end of registered memory, is checked against the mappings of the process before it is made (Linux; elsewhere it is an error), so that an address where
// there is no memory is an error; one that hits memory of something else is not found. Memory that kernels access must not be unmapped meanwhile.
//
// The modules used last are kept decoded. Each run begins with the initial values of variables. `ptx_last_error` shows whether it succeeded: its text is
// empty then. `ptx_try_run` is the same function with a status.
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

// Gives what kernels of `ptx_run` print to a function. A null function drops it, as is the case at first.
enum PtxStatus ptx_run_print_to(PtxPrint print,
                                void *user);

// Lets kernels of `ptx_run` access memory without a look at the process's mappings, until `ptx_unregister_memory`.
enum PtxStatus ptx_register_memory(void *pointer,
                                   size_t bytes);

// Ends what `ptx_register_memory` began, once no kernel of `ptx_run` runs any more.
enum PtxStatus ptx_unregister_memory(void *pointer);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PTX_EXEC_H */
