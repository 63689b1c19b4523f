/*
 * libptx_host_rt runs PTX kernels that `ptx2ll --target=host` compiled ahead of time. docs/ahead-of-time.md has examples.
 *
 * The header that ptx2ll writes declares a function for each kernel: it takes a launch and the parameters of the kernel, runs all blocks, waits
 * for them, and gives a PtxHostStatus. It may be called from any thread, several at a time. Accesses of kernels are not checked.
 */

#ifndef PTX_HOST_RT_H
#define PTX_HOST_RT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// Result of a launch.
typedef enum PtxHostStatus {
  // All threads have exited.
  PTX_HOST_SUCCESS = 0,
  // The launch does not fit the kernel; nothing was run.
  PTX_HOST_INVALID_LAUNCH = 1,
  // A thread executed `trap` or `brkpt`.
  PTX_HOST_TRAP = 2,
  // An assertion of the kernel failed.
  PTX_HOST_ASSERTION = 3,
  // The threads of a block wait for each other for ever.
  PTX_HOST_DEADLOCK = 4,
  // The time of the launch is over.
  PTX_HOST_TIMEOUT = 5,
  // A barrier, a collective operation, a branch or a call was used in a way that has no meaning.
  PTX_HOST_MISUSE = 6,
  // There is no memory for stacks, or the kernel wrote more text than it may.
  PTX_HOST_LIMIT = 7,
  // An address that a function of the system was given is none.
  PTX_HOST_FAULT = 8,
  // The object file was made by another version than this library.
  PTX_HOST_VERSION = 9,
  // A defect of the library.
  PTX_HOST_DEFECT = 10,
} PtxHostStatus;

// How a kernel is launched. Fields that are zero have a meaning: `{ .grid = {8, 1, 1}, .block = {128, 1, 1} }` is enough.
typedef struct PtxHostLaunch {
  // Blocks of the grid: x, y, z; each at least 1.
  uint32_t grid[3];
  // Threads of a block; the header of the kernel names the shapes that there is code for.
  uint32_t block[3];
  // Bytes of dynamic shared memory of a block.
  uint32_t shared;
  // Host threads that blocks are spread over; 0 for as many as the host has.
  uint32_t threads;
  // Milliseconds that the launch may take; 0 for no limit.
  uint64_t timeout_ms;
} PtxHostLaunch;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Why the last launch of this thread did not succeed: what happened, where in the source of the kernel, in which thread. Empty
// when it did. The text is valid until the next launch of this thread.
const char *ptx_host_error(void);

// The name of a status, such as `PTX_HOST_TRAP`; `unknown` for another number.
const char *ptx_host_status_name(int status);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PTX_HOST_RT_H */
