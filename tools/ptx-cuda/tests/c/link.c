// Links files with nvJitLink, with the options that are given first, and writes the image: `link IMAGE -arch=sm_80 .. FILE..`. Prints each result that is not
// success, and the logs.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct nvJitLink *handle_t;

int __nvJitLinkCreate_13_0(handle_t *handle, uint32_t count, const char *const *options);
int __nvJitLinkDestroy_12_3(handle_t *handle);
int __nvJitLinkAddFile_13_5(handle_t handle, int type, const char *name);
int __nvJitLinkAddData_12_0(handle_t handle, int type, const void *data, size_t size, const char *name);
int __nvJitLinkComplete_12_9(handle_t handle);
int __nvJitLinkGetLinkedCubinSize_13_1(handle_t handle, size_t *size);
int __nvJitLinkGetLinkedCubin_13_1(handle_t handle, void *to);
int __nvJitLinkGetLinkedPtxSize_13_1(handle_t handle, size_t *size);
int __nvJitLinkGetLinkedPtx_13_1(handle_t handle, char *to);
int nvJitLinkGetErrorLogSize(handle_t handle, size_t *size);
int nvJitLinkGetErrorLog(handle_t handle, char *to);
int nvJitLinkGetInfoLogSize(handle_t handle, size_t *size);
int nvJitLinkGetInfoLog(handle_t handle, char *to);
int nvJitLinkVersion(unsigned *major, unsigned *minor);

static int failed(const char *what, int result) {
    if (result != 0) printf("%s: %d\n", what, result);
    return result != 0;
}

#define FAILED(call) failed(#call, call)

static int write_image(handle_t handle, const char *path, int ptx) {
    size_t size = 0;
    if (ptx ? FAILED(__nvJitLinkGetLinkedPtxSize_13_1(handle, &size)) : FAILED(__nvJitLinkGetLinkedCubinSize_13_1(handle, &size))) return 1;
    char *image = malloc(size);
    if (ptx ? FAILED(__nvJitLinkGetLinkedPtx_13_1(handle, image)) : FAILED(__nvJitLinkGetLinkedCubin_13_1(handle, image))) return 1;
    FILE *file = fopen(path, "wb");
    // The text ends with a zero.
    int done = fwrite(image, 1, size - ptx, file) == size - ptx && image[size - 1] * ptx == 0;
    fclose(file);
    free(image);
    return !done;
}

static void print_log(handle_t handle, int errors) {
    size_t size = 0;
    if (errors ? FAILED(nvJitLinkGetErrorLogSize(handle, &size)) : FAILED(nvJitLinkGetInfoLogSize(handle, &size))) return;
    char *log = malloc(size);
    if (!(errors ? FAILED(nvJitLinkGetErrorLog(handle, log)) : FAILED(nvJitLinkGetInfoLog(handle, log))) && strlen(log) + 1 == size)
        printf("%s", log);
    free(log);
}

int main(int count, char **arguments) {
    int at = 2, ptx = 0, status = 0;
    handle_t handle = NULL;
    while (at < count && arguments[at][0] == '-') ptx |= strcmp(arguments[at++], "-ptx") == 0;
    if (FAILED(__nvJitLinkCreate_13_0(&handle, at - 2, (const char *const *)arguments + 2))) return 1;
    for (; at < count; at++) status |= FAILED(__nvJitLinkAddFile_13_5(handle, 10, arguments[at]));
    status = status || FAILED(__nvJitLinkComplete_12_9(handle)) || write_image(handle, arguments[1], ptx);
    print_log(handle, 1);
    print_log(handle, 0);
    // A handle is gone afterwards, and so are wrong ones.
    handle_t old = handle;
    if (FAILED(__nvJitLinkDestroy_12_3(&handle)) || handle != NULL) return 2;
    if (__nvJitLinkComplete_12_9(old) != 3 || __nvJitLinkDestroy_12_3(&old) != 3 || __nvJitLinkDestroy_12_3(NULL) != 10) return 2;
    if (__nvJitLinkAddData_12_0(NULL, 2, "", 0, NULL) != 3 || __nvJitLinkCreate_13_0(NULL, 0, NULL) != 10) return 2;
    unsigned major = 0, minor = 0;
    if (FAILED(nvJitLinkVersion(&major, &minor)) || nvJitLinkVersion(NULL, &minor) != 10) return 2;
    printf("version %u.%u\n", major, minor);
    return status;
}
