/* What csmith's programs include, in place of csmith's own header: the same for the host, where the sum of the program is printed,
   and for a GPU, where a kernel stores it. */
#include "target.h"

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
