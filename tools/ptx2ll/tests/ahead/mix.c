/* Calls the kernels of mix.ptx; what it expects follows from the formulas in the comments there. */
#include <stdio.h>
#include <string.h>

#include "mix.h"

#define EXPECT(condition) \
    do { \
        if (!(condition)) { \
            printf("line %d: %s; %s\n", __LINE__, #condition, ptx_host_error()); \
            return 1; \
        } \
    } while (0)

enum { N = 1000, BLOCKS = 200 };

static float x[N], y[N + 24];
static uint32_t in[128 * BLOCKS], sum[BLOCKS];

static int test_saxpy(void) {
    for (int i = 0; i < N + 24; i++) {
        y[i] = 1;
        if (i < N) x[i] = (float)i;
    }
    PtxHostLaunch launch = {.grid = {4, 1, 1}, .block = {256, 1, 1}};
    EXPECT(saxpy(&launch, N, 2.0f, x, (uintptr_t)y) == PTX_HOST_SUCCESS);
    launch = (PtxHostLaunch){.grid = {32, 1, 1}, .block = {32, 1, 1}, .threads = 1};
    EXPECT(saxpy(&launch, N, 2.0f, x, (uintptr_t)y) == PTX_HOST_SUCCESS);
    EXPECT(strcmp(ptx_host_error(), "") == 0);
    for (int i = 0; i < N + 24; i++) EXPECT(y[i] == (i < N ? 4.0f * (float)i + 1 : 1.0f));
    return 0;
}

static int test_sums(void) {
    for (uint32_t i = 0; i < 128 * BLOCKS; i++) in[i] = i * 7 + 3;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        memset(sum, 0, sizeof sum);
        PtxHostLaunch launch = {.grid = {BLOCKS, 1, 1}, .block = {128, 1, 1}, .shared = 512, .threads = threads};
        EXPECT(sums(&launch, (uintptr_t)in, (uintptr_t)sum) == PTX_HOST_SUCCESS);
        /* The sum of 7 i + 3 for i from 128 b to 128 b + 127. */
        for (uint32_t b = 0; b < BLOCKS; b++) EXPECT(sum[b] == 7 * (128 * 128 * b + 127 * 64) + 3 * 128);
    }
    return 0;
}

static int test_values(void) {
    struct { uint32_t a, b, c; } three = {1, 20, 300};
    union { uint32_t words[4]; double numbers[3]; } out;
    PtxHostLaunch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    EXPECT(values(&launch, &three, -5, 65535, 3.0, (uintptr_t)&out) == PTX_HOST_SUCCESS);
    EXPECT(out.words[0] == 321 && out.words[1] == (uint32_t)-5 && out.words[2] == 65535 && out.numbers[2] == 1.5);
    return 0;
}

static int test_relay(void) {
    uint32_t turn = 0;
    PtxHostLaunch launch = {.grid = {50, 1, 1}, .block = {32, 1, 1}, .threads = 2};
    EXPECT(relay(&launch, (uintptr_t)&turn) == PTX_HOST_SUCCESS);
    EXPECT(turn == 50);
    return 0;
}

static int test_count(void) {
    uint32_t number;
    PtxHostLaunch launch = {.grid = {1, 1, 1}, .block = {256, 1, 1}};
    printf("before\n");
    EXPECT(count(&launch, 0) == PTX_HOST_SUCCESS);
    printf("after\n");
    memcpy(&number, counter, sizeof number);
    EXPECT(number == 5 + 256);
    number = 10;
    memcpy(counter, &number, sizeof number);
    EXPECT(count(&launch, 266) == PTX_HOST_TRAP);
    printf("%s\n", ptx_host_error());
    return 0;
}

static int test_failures(void) {
    uint32_t out;
    PtxHostLaunch launch = {.grid = {1, 1, 1}, .block = {48, 1, 1}};
    EXPECT(count(&launch, 0) == PTX_HOST_INVALID_LAUNCH);
    printf("%s\n", ptx_host_error());
    launch.block[0] = 32;
    launch.grid[1] = 0;
    EXPECT(count(&launch, 0) == PTX_HOST_INVALID_LAUNCH);
    EXPECT(count(NULL, 0) == PTX_HOST_INVALID_LAUNCH);
    launch = (PtxHostLaunch){.grid = {1, 1, 1}, .block = {256, 1, 1}};
    EXPECT(stuck(&launch) == PTX_HOST_DEADLOCK);
    launch.timeout_ms = 50;
    EXPECT(forever(&launch, (uintptr_t)&out) == PTX_HOST_TIMEOUT);
    EXPECT(strcmp(ptx_host_status_name(PTX_HOST_TIMEOUT), "PTX_HOST_TIMEOUT") == 0);
    EXPECT(strcmp(ptx_host_status_name(99), "unknown") == 0);
    return 0;
}

int main(void) {
    if (test_saxpy() || test_sums() || test_values() || test_relay() || test_count() || test_failures()) return 1;
    printf("all right\n");
    return 0;
}
