/* Checks of the programs: the first that fails ends the program with its line. */

#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(what) \
    do { \
        if (!(what)) { \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #what); \
            exit(1); \
        } \
    } while (0)
#define GIVES(call, wanted) \
    do { \
        CUresult given_ = (call); \
        if (given_ != (wanted)) { \
            const char *name_ = "?"; \
            cuGetErrorName(given_, &name_); \
            printf("%s:%d: %s is %s, not %s\n", __FILE__, __LINE__, #call, name_, #wanted); \
            exit(1); \
        } \
    } while (0)
#define OK(call) GIVES(call, CUDA_SUCCESS)

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

/* data[i] = data[i] * factor + i, for i below n */
#define SCALE \
    HEAD \
    ".visible .entry scale(.param .u64 data, .param .u32 factor, .param .u32 n)\n" \
    "{\n" \
    "    .reg .pred %p; .reg .b32 %i, %t, %n, %v, %f; .reg .b64 %a;\n" \
    "    mov.u32 %i, %ctaid.x; mov.u32 %t, %ntid.x; mov.u32 %v, %tid.x; mad.lo.u32 %i, %i, %t, %v;\n" \
    "    ld.param.u32 %n, [n]; setp.ge.u32 %p, %i, %n; @%p bra end;\n" \
    "    ld.param.u64 %a, [data]; mad.wide.u32 %a, %i, 4, %a;\n" \
    "    ld.param.u32 %f, [factor]; ld.global.u32 %v, [%a]; mad.lo.u32 %v, %v, %f, %i; st.global.u32 [%a], %v;\n" \
    "end: ret;\n" \
    "}\n"
