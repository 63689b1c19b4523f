/*
 * libptx_exec executes PTX on the host CPU. docs/runtime.md has examples in C and Python.
 *
 * What holds for every function:
 * - Handles come from this library and are used until they are destroyed, once. Functions take them from any thread, several at a time.
 * - Other pointers point to what their type and name specify, which stays unchanged until the function returns. Texts are UTF-8 and end in a
 *   zero. A null pointer is an error unless the function allows it.
 * - Results are stored only by a function that returns PTX_SUCCESS. The text of an error is ptx_last_error().
 * - Addresses of the device are addresses of the process. Memory that kernels may access is not unmapped while they run.
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

// A device: memory, and what kernels do to it.
typedef struct PtxDevice PtxDevice;

// A point in the work of a stream.
typedef struct PtxEvent PtxEvent;

// A kernel of a module.
typedef struct PtxKernel PtxKernel;

// A module on a device. Its variables keep their values from launch to launch.
typedef struct PtxModule PtxModule;

// Work that is done in order, beside other streams.
typedef struct PtxStream PtxStream;

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
  // When asynchronous operations complete: 0 when they are issued, 1 as late as waits allow.
  uint32_t completion;
  // Not 0 for errors of kernels to concern the launch alone. Otherwise the device refuses all work until `ptx_device_recover`.
  uint32_t go_on_after_stop;
  // Not 0 for kernels to access all memory of the process, checked against its mappings (Linux), besides what is registered.
  uint32_t unregistered;
} PtxDeviceOptions;

// Takes what kernels print: text, its bytes, and the pointer that was given with the function. Streams call it on threads of their own.
typedef void (*PtxPrint)(const char*, size_t, void*);

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

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The text of the error of the last function that this thread called, empty where it succeeded. It is valid until the thread calls the
// next function.
const char *ptx_last_error(void);

// The name of a status, such as `PTX_STOPPED`.
const char *ptx_status_name(int32_t status);

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
             void *const *args,
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
                           void *const *args,
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
