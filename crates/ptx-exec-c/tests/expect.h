/* Checks of the programs: the first that fails ends the program with its line. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(what) \
    do { \
        if (!(what)) { \
            printf("line %d: %s; %s\n", __LINE__, #what, ptx_last_error()); \
            exit(1); \
        } \
    } while (0)
#define OK(call) EXPECT((call) == PTX_SUCCESS)
#define KIND(kind) EXPECT(ptx_last_error_kind() == (kind))
#define FAILS(call, status, part) \
    do { \
        EXPECT((call) == (status)); \
        EXPECT(strstr(ptx_last_error(), part) != NULL); \
    } while (0)
