/* What a program of csmith's needs that is a struct `Program` with its variables and functions as members, so that each thread of a
   kernel has its own: on the host, the sums of all threads are printed; a kernel stores them. */
#include "target.h"

/* A number that looks random, for a variable of a thread. */
static inline uint32_t mixed(uint32_t thread, uint32_t variable) {
    uint32_t x = thread * 0x9E3779B9u + variable * 0x85EBCA6Bu;
    x ^= x >> 15;
    x *= 0x2C1B3C6Du;
    return x ^ x >> 12;
}

/* The members that add up: FNV-1a, as a table for a CRC would be most of what a kernel executes. */
#define MEMBERS_OF_PROGRAM                                                                                                     \
    uint32_t crc32_context = 0xFFFFFFFFu;                                                                                      \
    void crc32_gentab(void) {}                                                                                                 \
    void hash_byte(uint8_t byte) { crc32_context = (crc32_context ^ byte) * 16777619u; }                                       \
    void transparent_crc(uint64_t value, const char *, int) {                                                                  \
        for (int at = 0; at < 8; at++) hash_byte((uint8_t)(value >> 8 * at));                                                  \
    }                                                                                                                          \
    void transparent_crc_bytes(char *bytes, int count, const char *, int) {                                                    \
        for (int at = 0; at < count; at++) hash_byte((uint8_t)bytes[at]);                                                      \
    }                                                                                                                          \
    void platform_main_begin(void) {}

#ifdef __NVPTX__
#define MAIN_OF_PROGRAM(threads)                                                                                               \
    extern "C" __attribute__((device_kernel)) void kernel(uint32_t *sums) {                                                    \
        uint32_t thread = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();       \
        Program program;                                                                                                       \
        sums[thread] = program.sum(thread);                                                                                    \
    }
#else
#define MAIN_OF_PROGRAM(threads)                                                                                               \
    int main() {                                                                                                               \
        for (uint32_t thread = 0; thread < threads; thread++) {                                                                \
            Program program;                                                                                                   \
            printf("%08x\n", program.sum(thread));                                                                             \
        }                                                                                                                      \
    }
#endif
