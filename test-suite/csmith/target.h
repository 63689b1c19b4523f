/* What csmith's programs need of a platform, for the host and for a GPU. The arithmetic that is safe for all operands is csmith's own
   (safe_math.h). */
#include <float.h>
#include <limits.h>
#include <stdint.h>

#ifdef __NVPTX__
#define printf(...) ((void)0)
#ifdef __cplusplus
extern "C" {
#endif
static void *memset(void *to, int value, unsigned long size) {
    for (unsigned long at = 0; at < size; at++) ((char *)to)[at] = (char)value;
    return to;
}
static void *memcpy(void *to, const void *from, unsigned long size) {
    for (unsigned long at = 0; at < size; at++) ((char *)to)[at] = ((const char *)from)[at];
    return to;
}
#ifdef __cplusplus
}
#endif
#define fabs __builtin_fabs
#define fabsf __builtin_fabsf
#else
#include <math.h>
#include <stdio.h>
#include <string.h>
#endif

#define STATIC static
#define UNDEFINED(__val) (__val)
#define LOG_INDEX
#define LOG_EXEC
#define FUNC_NAME(x) (safe_##x)
#include "safe_math.h"
