// What the test programs check: each ends with `passed`, or at the first thing that is not as expected.
#pragma once

#include <cstdio>
#include <cstdlib>

#define EXPECT(condition)                                                                \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);          \
            std::exit(1);                                                                \
        }                                                                                \
    } while (0)

// Expects a result of the runtime; a result that is checked is not the last error any more.
#define EXPECT_RESULT(expected, call)                                                                              \
    do {                                                                                                           \
        cudaError_t result_ = (call);                                                                              \
        if (result_ != (expected)) {                                                                               \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(result_));                  \
            std::exit(1);                                                                                          \
        }                                                                                                          \
        cudaGetLastError();                                                                                        \
    } while (0)

#define OK(call) EXPECT_RESULT(cudaSuccess, call)

static inline int passed() {
    std::puts("passed");
    return 0;
}
