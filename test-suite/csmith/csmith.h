/* What csmith's programs include, in place of csmith's own header: the same for the host, where the sum of the program is printed,
   and for a GPU, where a kernel stores it. The arithmetic that is safe for all operands is csmith's own (safe_math.h). */
#include <float.h>
#include <limits.h>
#include <stdint.h>

#ifdef __NVPTX__
#define printf(...) ((void)0)
static void *memset(void *to, int value, unsigned long size) {
    for (unsigned long at = 0; at < size; at++) ((char *)to)[at] = (char)value;
    return to;
}
static void *memcpy(void *to, const void *from, unsigned long size) {
    for (unsigned long at = 0; at < size; at++) ((char *)to)[at] = ((const char *)from)[at];
    return to;
}
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

static uint32_t crc32_context = 0xFFFFFFFFu;

static void crc32_gentab(void) {}

/* FNV-1a: a table for a CRC would be most of what a kernel executes. */
static void hash_byte(uint8_t byte) { crc32_context = (crc32_context ^ byte) * 16777619u; }

static void transparent_crc(uint64_t value, const char *name, int flag) {
    (void)name;
    (void)flag;
    for (int at = 0; at < 8; at++) hash_byte((uint8_t)(value >> 8 * at));
}

static void transparent_crc_bytes(char *bytes, int count, const char *name, int flag) {
    (void)name;
    (void)flag;
    for (int at = 0; at < count; at++) hash_byte((uint8_t)bytes[at]);
}

static void platform_main_begin(void) {}

#ifdef __NVPTX__
static uint32_t sum_of_program;
static void platform_main_end(uint32_t sum, int flag) {
    (void)flag;
    sum_of_program = sum;
}
static int csmith_main(void);

__attribute__((device_kernel)) void kernel(uint32_t *result) {
    csmith_main();
    *result = sum_of_program;
}
#else
static void platform_main_end(uint32_t sum, int flag) {
    (void)flag;
    printf("%08x\n", sum);
}
#endif
