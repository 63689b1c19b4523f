/* Textures, surfaces, samplers, tensor maps and multimem addresses. What is expected follows from the formulas beside it. */

#include <pthread.h>

#include "expect.h"
#include "ptx_exec.h"

static const char *textures =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".global .texref line;\n"
    /* to[i] = line[i] */
    ".visible .entry read(.param .u64 to)\n"
    "{\n"
    "    .reg .b64 %t; .reg .b32 %i, %a, %b, %c, %d;\n"
    "    ld.param.u64 %t, [to]; mov.u32 %i, %tid.x; mad.wide.u32 %t, %i, 4, %t;\n"
    "    tex.1d.v4.u32.s32 {%a, %b, %c, %d}, [line, {%i}];\n"
    "    st.global.u32 [%t], %a;\n"
    "    ret;\n"
    "}\n"
    /* Adds i to number i. */
    ".visible .entry count(.param .u64 surface)\n"
    "{\n"
    "    .reg .b64 %s; .reg .b32 %i;\n"
    "    ld.param.u64 %s, [surface]; mov.u32 %i, %tid.x;\n"
    "    sured.p.add.1d.b32.trap [%s, {%i}], %i;\n"
    "    ret;\n"
    "}\n"
    /* to[i] = the texel at (x[i], y[i]) */
    ".visible .entry look(.param .u64 texture, .param .u64 at, .param .u64 to)\n"
    "{\n"
    "    .reg .b64 %t, %at, %to; .reg .b32 %i; .reg .f32 %x, %y, %a, %b, %c, %d;\n"
    "    ld.param.u64 %t, [texture]; ld.param.u64 %at, [at]; ld.param.u64 %to, [to];\n"
    "    mov.u32 %i, %tid.x; mad.wide.u32 %at, %i, 8, %at; mad.wide.u32 %to, %i, 4, %to;\n"
    "    ld.global.v2.f32 {%x, %y}, [%at];\n"
    "    tex.2d.v4.f32.f32 {%a, %b, %c, %d}, [%t, {%x, %y}];\n"
    "    st.global.f32 [%to], %a;\n"
    "    ret;\n"
    "}\n";

static const char *independent =
    ".version 8.0\n.target sm_80, texmode_independent\n.address_size 64\n"
    ".visible .entry look(.param .u64 texture, .param .u64 sampler, .param .u64 to)\n"
    "{\n"
    "    .reg .b64 %t, %s, %to; .reg .f32 %x, %a, %b, %c, %d;\n"
    "    ld.param.u64 %t, [texture]; ld.param.u64 %s, [sampler]; ld.param.u64 %to, [to];\n"
    "    mov.f32 %x, 0f3F800000;\n"
    "    tex.1d.v4.f32.f32 {%a, %b, %c, %d}, [%t, %s, {%x}];\n"
    "    st.global.f32 [%to], %a;\n"
    "    ret;\n"
    "}\n";

static const char *tensors =
    ".version 8.6\n.target sm_100\n.address_size 64\n"
    /* Moves a box of 16 by 4 bytes from (x, y) of one tensor to (y, x) of another. */
    ".visible .entry move(.param .align 64 .b8 from[128], .param .align 64 .b8 to[128], .param .u32 x, .param .u32 y)\n"
    "{\n"
    "    .reg .pred %p; .reg .b32 %s, %x, %y; .reg .b64 %f, %t, %state;\n"
    "    .shared .align 128 .b8 s[128]; .shared .b64 bar;\n"
    "    mov.b64 %f, from; cvta.param.u64 %f, %f; mov.b64 %t, to; cvta.param.u64 %t, %t;\n"
    "    ld.param.u32 %x, [x]; ld.param.u32 %y, [y]; mov.b32 %s, s;\n"
    "    mbarrier.init.shared.b64 [bar], 1;\n"
    "    mbarrier.arrive.expect_tx.shared.b64 %state, [bar], 64;\n"
    "    cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%s], [%f, {%x, %y}], [bar];\n"
    "wait:\n"
    "    mbarrier.test_wait.shared.b64 %p, [bar], %state;\n"
    "    @!%p bra wait;\n"
    "    cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%t, {%y, %x}], [%s];\n"
    "    cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
    "    ret;\n"
    "}\n"
    /* The pixels that one tap of a filter along W multiplies, 16 channels of 1 byte each. */
    ".visible .entry tap(.param .align 64 .b8 from[128], .param .u64 to, .param .u16 tap)\n"
    "{\n"
    "    .reg .pred %p; .reg .b16 %o; .reg .b32 %s, %w; .reg .b64 %f, %t, %state;\n"
    "    .shared .align 128 .b8 s[128]; .shared .b64 bar;\n"
    "    mov.b64 %f, from; cvta.param.u64 %f, %f;\n"
    "    ld.param.u64 %t, [to]; ld.param.u16 %o, [tap]; mov.b32 %s, s; mov.b32 %w, -1;\n"
    "    mbarrier.init.shared.b64 [bar], 1;\n"
    "    mbarrier.arrive.expect_tx.shared.b64 %state, [bar], 128;\n"
    "    cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%s], [%f, {0, %w, 0}], [bar], {%o};\n"
    "wait:\n"
    "    mbarrier.test_wait.shared.b64 %p, [bar], %state;\n"
    "    @!%p bra wait;\n"
    "    cp.async.bulk.global.shared::cta.bulk_group [%t], [%s], 128;\n"
    "    cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
    "    ret;\n"
    "}\n"
    /* to[i] = the sum of number i of all members, which then get it. */
    ".visible .entry reduce(.param .u64 members, .param .u64 to)\n"
    "{\n"
    "    .reg .b32 %i, %v; .reg .b64 %m, %t;\n"
    "    ld.param.u64 %m, [members]; ld.param.u64 %t, [to]; mov.u32 %i, %tid.x;\n"
    "    mad.wide.u32 %m, %i, 4, %m; mad.wide.u32 %t, %i, 4, %t;\n"
    "    multimem.ld_reduce.relaxed.sys.global.add.u32 %v, [%m];\n"
    "    st.global.u32 [%t], %v;\n"
    "    multimem.st.relaxed.sys.global.u32 [%m], %v;\n"
    "    ret;\n"
    "}\n";

static PtxDevice *device;

static PtxKernel *kernel(PtxModule *module, const char *name)
{
    PtxKernel *found;
    OK(ptx_kernel_get(module, name, &found));
    return found;
}

static PtxStatus launch(const PtxKernel *of, unsigned threads, const void **arguments)
{
    PtxShape shape = { .grid = { 1, 1, 1 }, .block = { threads, 1, 1 } };
    return ptx_launch(of, &shape, arguments, NULL);
}

static void *memory(size_t bytes)
{
    void *pointer;
    OK(ptx_malloc(device, bytes, &pointer));
    return pointer;
}

static void check_arrays(PtxModule *module)
{
    unsigned texels[4] = { 10, 20, 30, 40 }, found[4], *to = memory(16);
    PtxImageOptions options = { .format = PTX_UNSIGNED32, .width = 4 };
    PtxImage *image, *none;
    uint64_t texture, surface;
    OK(ptx_image_create(device, &options, texels, sizeof texels, &image));
    OK(ptx_texture_create(device, image, NULL, &texture));
    OK(ptx_surface_create(device, image, 0, &surface));
    PtxKernel *read = kernel(module, "read"), *count = kernel(module, "count");
    const void *of_read[] = { &to }, *of_count[] = { &surface };
    FAILS(launch(read, 4, of_read), PTX_INVALID_LAUNCH, "nothing for the .texref `line`");
    OK(ptx_module_bind(module, "line", texture));
    OK(launch(count, 4, of_count));
    OK(launch(count, 4, of_count));
    OK(launch(read, 4, of_read));
    OK(ptx_image_copy_out(image, found, sizeof found));
    for (unsigned i = 0; i < 4; i++)
        EXPECT(to[i] == texels[i] + 2 * i && found[i] == to[i]);
    OK(ptx_image_copy_in(image, texels, sizeof texels));
    /* The handle of the image is not needed any more. */
    FAILS(ptx_image_copy_out(image, found, 12), PTX_INVALID_VALUE, "16 bytes of texels; room for 12");
    FAILS(ptx_image_copy_in(image, texels, 12), PTX_INVALID_VALUE, "16 bytes");
    OK(ptx_image_destroy(image));
    OK(launch(read, 4, of_read));
    EXPECT(memcmp(to, texels, 16) == 0);
    OK(ptx_module_bind(module, "line", 0));
    FAILS(launch(read, 4, of_read), PTX_INVALID_LAUNCH, "`line`");

    /* Without texels an array has zeros. */
    OK(ptx_image_create(device, &options, NULL, 0, &image));
    OK(ptx_image_copy_out(image, found, sizeof found));
    EXPECT(found[0] == 0 && found[3] == 0);
    OK(ptx_image_destroy(image));
    FAILS(ptx_module_bind(module, "lines", texture), PTX_INVALID_VALUE, "`lines`");
    FAILS(ptx_module_bind(module, "line", surface), PTX_INVALID_VALUE, "is a .texref");
    FAILS(ptx_module_bind(module, "line", 5), PTX_INVALID_VALUE, "0x5 is not the handle");
    OK(ptx_object_destroy(device, surface));
    FAILS(ptx_object_destroy(device, surface), PTX_INVALID_VALUE, "was destroyed");
    FAILS(launch(count, 1, of_count), PTX_STOPPED, "is not the handle of a .surfref");
    OK(ptx_device_recover(device));
    FAILS(ptx_surface_create(device, NULL, 0, &surface), PTX_INVALID_VALUE, "`image` is a null pointer");
    options.channels = 3;
    FAILS(ptx_image_create(device, &options, NULL, 0, &none), PTX_INVALID_VALUE, "3 channels");
    options.channels = 1;
    options.format = 12;
    FAILS(ptx_image_create(device, &options, NULL, 0, &none), PTX_INVALID_VALUE, "`format` is 12");
    options.format = 0;
    options.depth = 2;
    FAILS(ptx_image_create(device, &options, NULL, 0, &none), PTX_INVALID_VALUE, "`height`");
    options.is_cube = 1;
    FAILS(ptx_image_create(device, &options, NULL, 0, &none), PTX_INVALID_VALUE, "a cube has `width` alone");
    options = (PtxImageOptions){ .width = 131072, .height = 131072, .depth = 131072, .format = PTX_FLOAT, .channels = 4 };
    FAILS(ptx_image_create(device, &options, NULL, 0, &none), PTX_INVALID_VALUE, "larger than the memory");
    OK(ptx_kernel_destroy(read));
    OK(ptx_kernel_destroy(count));
    OK(ptx_free(device, to));
}

/* Two rows of three numbers, 32 bytes apart, through two samplers. */
static void check_samplers(PtxModule *module)
{
    float *from = memory(64), *at = memory(32), *to = memory(16);
    float first[3] = { 1, 2, 3 }, second[3] = { 5, 6, 7 };
    memcpy(from, first, sizeof first);
    memcpy(from + 8, second, sizeof second);
    PtxImageOptions options = { .format = PTX_FLOAT, .width = 3, .height = 2, .address = from, .pitch = 32 };
    PtxImage *image, *none;
    OK(ptx_image_create(device, &options, NULL, 0, &image));
    FAILS(ptx_image_create(device, &options, first, 12, &none), PTX_INVALID_VALUE, "linear memory");
    FAILS(ptx_image_copy_out(image, first, 12), PTX_INVALID_VALUE, "linear memory");
    options.height = 3;
    FAILS(ptx_image_create(device, &options, NULL, 0, &none), PTX_INVALID_MEMORY, "76 bytes");
    PtxSamplerOptions border = { .address = { PTX_ADDRESS_BORDER, PTX_ADDRESS_BORDER }, .border = { 9 } };
    PtxSamplerOptions linear = { .filter = PTX_FILTER_LINEAR };
    PtxSamplerOptions wrong = { .address = { 0, 0, 7 } };
    PtxTextureOptions how = { .sampler = &border };
    uint64_t textures[3];
    OK(ptx_texture_create(device, image, &how, &textures[0]));
    how.sampler = &linear;
    OK(ptx_texture_create(device, image, &how, &textures[1]));
    linear.address[0] = PTX_ADDRESS_WRAP;
    how.coordinates = 1;
    OK(ptx_texture_create(device, image, &how, &textures[2]));
    how.sampler = &wrong;
    FAILS(ptx_texture_create(device, image, &how, &textures[0]), PTX_INVALID_VALUE, "`address` is 7");
    how = (PtxTextureOptions){ .coordinates = 3 };
    FAILS(ptx_texture_create(device, image, &how, &textures[0]), PTX_INVALID_VALUE, "`coordinates` is 3");
    how = (PtxTextureOptions){ .srgb = 1 };
    FAILS(ptx_texture_create(device, image, &how, &textures[0]), PTX_INVALID_VALUE, "sRGB");
    OK(ptx_image_destroy(image));
    PtxKernel *look = kernel(module, "look");
    /* The centre of (2, 1), a place between four centres, one beyond the right edge, one above the upper edge; then in fractions of the image: the
       centre of (0, 0), a quarter left of the centre of (0, 1), which is a quarter of (2, 1) with wrapping, and (1, 1) one image to the right. */
    float places[2][8] = { { 2.5, 1.5, 1, 1, 3.5, 0.5, 0.5, -0.5 },
                           { 1 / 6.f, 0.25, 0.25f / 3, 0.75, 1.5, 0.75, 0.5, 0.5 } };
    float wanted[3][4] = { { 7, 6, 9, 9 }, { 7, 3.5, 3, 1 }, { 1, 5.5, 6, 4 } };
    for (int n = 0; n < 3; n++) {
        const void *arguments[] = { &textures[n], &at, &to };
        memcpy(at, places[n / 2], 32);
        OK(launch(look, 4, arguments));
        for (int i = 0; i < 4; i++)
            EXPECT(to[i] - wanted[n][i] < 0.01 && wanted[n][i] - to[i] < 0.01);
        OK(ptx_object_destroy(device, textures[n]));
    }
    OK(ptx_kernel_destroy(look));

    float line[2] = { 2, 4 };
    uint64_t texture, sampler;
    options = (PtxImageOptions){ .format = PTX_FLOAT, .width = 2 };
    OK(ptx_image_create(device, &options, line, sizeof line, &image));
    OK(ptx_texture_create(device, image, NULL, &texture));
    PtxModule *other;
    OK(ptx_module_load(device, "independent.ptx", independent, &other));
    look = kernel(other, "look");
    const void *arguments[] = { &texture, &sampler, &to };
    OK(ptx_sampler_create(device, NULL, &sampler));
    OK(launch(look, 1, arguments));
    EXPECT(to[0] == 4); /* 1.0 is in texel 1 */
    OK(ptx_object_destroy(device, sampler));
    OK(ptx_sampler_create(device, &(PtxSamplerOptions){ .filter = PTX_FILTER_LINEAR }, &sampler));
    OK(launch(look, 1, arguments));
    EXPECT(to[0] == 3); /* and halfway between both centres */
    OK(ptx_object_destroy(device, texture));
    OK(ptx_image_destroy(image));
    OK(ptx_kernel_destroy(look));
    OK(ptx_module_destroy(other));
    OK(ptx_free(device, from));
    OK(ptx_free(device, at));
    OK(ptx_free(device, to));
}

/* Makes textures, uses and destroys them while other threads do the same. */
static void *hammer(void *argument)
{
    unsigned thread = (unsigned)(size_t)argument;
    PtxModule *module;
    OK(ptx_module_load(device, "textures.ptx", textures, &module));
    PtxKernel *read = kernel(module, "read");
    unsigned *to = memory(16);
    const void *arguments[] = { &to };
    for (unsigned n = 0; n < 25; n++) {
        unsigned texels[4] = { n, thread, n * thread, 1 };
        PtxImageOptions options = { .format = PTX_UNSIGNED32, .width = 4 };
        PtxImage *image;
        uint64_t texture;
        OK(ptx_image_create(device, &options, texels, sizeof texels, &image));
        OK(ptx_texture_create(device, image, NULL, &texture));
        OK(ptx_module_bind(module, "line", texture));
        OK(launch(read, 4, arguments));
        EXPECT(memcmp(to, texels, 16) == 0);
        OK(ptx_object_destroy(device, texture));
        OK(ptx_image_destroy(image));
    }
    OK(ptx_kernel_destroy(read));
    OK(ptx_module_destroy(module));
    OK(ptx_free(device, to));
    return NULL;
}

static void check_tensors(PtxModule *module)
{
    /* 32 rows of 32 bytes, 48 bytes apart, and 32 rows of 24 bytes, 32 bytes apart. */
    unsigned char *from = memory(48 * 32), *to = memory(32 * 32);
    for (int y = 0; y < 32; y++)
        for (int x = 0; x < 32; x++)
            from[48 * y + x] = 7 * y + x;
    PtxTensor source = { .element = PTX_ELEMENT_U8, .rank = 2, .address = from, .dims = { 32, 32 }, .strides = { 48 } };
    PtxTensor target = { .element = PTX_ELEMENT_U8, .rank = 2, .address = to, .dims = { 24, 32 }, .strides = { 32 } };
    uint32_t sizes[2] = { 16, 4 };
    PtxTensorMap maps[2];
    OK(ptx_tensor_map_tiled(&source, sizes, &maps[0]));
    OK(ptx_tensor_map_tiled(&target, sizes, &maps[1]));
    unsigned x = 0, y = 16;
    const void *arguments[] = { &maps[0], &maps[1], &x, &y };
    PtxKernel *move = kernel(module, "move");
    OK(launch(move, 1, arguments));
    /* The box goes to column y of row x; what is beyond the 24 columns is left out. */
    for (unsigned row = 0; row < 32; row++)
        for (unsigned column = 0; column < 32; column++) {
            int is_in = row >= x && row < x + 4 && column >= y && column < 24;
            EXPECT(to[32 * row + column] == (is_in ? (unsigned char)(7 * (y + row - x) + x + column - y) : 0));
        }
    OK(ptx_kernel_destroy(move));
    PtxTensor wrong = source;
    wrong.strides[0] = 40;
    FAILS(ptx_tensor_map_tiled(&wrong, sizes, &maps[0]), PTX_INVALID_VALUE, "stride 40 of dimension 1");
    wrong = source;
    wrong.rank = 6;
    FAILS(ptx_tensor_map_tiled(&wrong, sizes, &maps[0]), PTX_INVALID_VALUE, "`rank` is 6");
    wrong = source;
    wrong.swizzle = 7;
    FAILS(ptx_tensor_map_tiled(&wrong, sizes, &maps[0]), PTX_INVALID_VALUE, "`swizzle` is 7");
    wrong.swizzle = PTX_SWIZZLE_32B;
    sizes[0] = 64;
    FAILS(ptx_tensor_map_tiled(&wrong, sizes, &maps[0]), PTX_INVALID_VALUE, "32");
    FAILS(ptx_tensor_map_tiled(&source, NULL, &maps[0]), PTX_INVALID_VALUE, "`sizes`");

    /* Two rows of four pixels with 16 channels: number 10 * row + pixel + 1. A filter with three taps and one pixel of padding at both ends: tap t of the
       filter at pixel p multiplies pixel p + t - 1, which is 0 outside. */
    PtxTensor rows = { .element = PTX_ELEMENT_U8, .rank = 3, .address = from, .dims = { 16, 4, 2 }, .strides = { 16, 64 } };
    for (int n = 0; n < 8; n++)
        memset(from + 16 * n, 10 * (n / 4) + n % 4 + 1, 16);
    int32_t lower = -1, upper = -1;
    OK(ptx_tensor_map_im2col(&rows, &lower, &upper, 16, 8, &maps[0]));
    PtxKernel *tap = kernel(module, "tap");
    for (unsigned short t = 0; t < 3; t++) {
        const void *of_tap[] = { &maps[0], &to, &t };
        OK(launch(tap, 1, of_tap));
        for (int n = 0; n < 8; n++) {
            int pixel = n % 4 + t - 1;
            int wanted = pixel < 0 || pixel > 3 ? 0 : 10 * (n / 4) + pixel + 1;
            EXPECT(to[16 * n] == wanted && to[16 * n + 15] == wanted);
        }
    }
    OK(ptx_kernel_destroy(tap));
    FAILS(ptx_tensor_map_im2col(&rows, &lower, &upper, 16, 2000, &maps[0]), PTX_INVALID_VALUE, "2000");
    FAILS(ptx_tensor_map_im2col(&source, &lower, &upper, 16, 8, &maps[0]), PTX_INVALID_VALUE, "dimensions");
    PtxTensor wide = rows;
    wide.swizzle = PTX_SWIZZLE_128B;
    wide.dims[0] = 128;
    wide.strides[0] = 128;
    wide.strides[1] = 512;
    OK(ptx_tensor_map_im2col_wide(&wide, -1, 0, 128, 8, 0, &maps[0]));
    OK(ptx_tensor_map_im2col_wide(&wide, -1, 0, 128, 0, 1, &maps[1]));
    EXPECT(memcmp(&maps[0], &maps[1], 128) != 0);
    FAILS(ptx_tensor_map_im2col_wide(&wide, -1, 0, 128, 8, 2, &maps[0]), PTX_INVALID_VALUE, "`mode` is 2");
    FAILS(ptx_tensor_map_im2col_wide(&rows, -1, 0, 16, 0, 0, &maps[0]), PTX_INVALID_VALUE, "");
    OK(ptx_free(device, from));
    OK(ptx_free(device, to));
}

static void check_multimem(PtxModule *module)
{
    const void *members[3];
    unsigned *first[3], *to = memory(16), *all;
    for (unsigned n = 0; n < 3; n++) {
        members[n] = first[n] = memory(16);
        for (unsigned i = 0; i < 4; i++)
            first[n][i] = 100 * n + i;
    }
    OK(ptx_multicast(device, members, 3, 16, (void **)&all));
    PtxKernel *reduce = kernel(module, "reduce");
    const void *arguments[] = { &all, &to };
    OK(launch(reduce, 4, arguments));
    for (unsigned i = 0; i < 4; i++)
        EXPECT(to[i] == 300 + 3 * i && first[0][i] == to[i] && first[2][i] == to[i]);
    FAILS(launch(reduce, 5, arguments), PTX_STOPPED, "out of bounds");
    OK(ptx_device_recover(device));
    FAILS(ptx_multicast(device, members, 3, 32, (void **)&all), PTX_INVALID_MEMORY, "bytes");
    FAILS(ptx_multicast(device, NULL, 0, 16, (void **)&all), PTX_INVALID_VALUE, "one place at least");
    OK(ptx_kernel_destroy(reduce));
}

int main(void)
{
    PtxDeviceOptions options = { .completion = 2, .seed = 7 };
    PtxModule *module;
    OK(ptx_device_create(&options, &device));
    OK(ptx_module_load(device, "textures.ptx", textures, &module));
    check_arrays(module);
    check_samplers(module);
    OK(ptx_module_destroy(module));
    pthread_t threads[4];
    for (size_t n = 0; n < 4; n++)
        EXPECT(pthread_create(&threads[n], NULL, hammer, (void *)n) == 0);
    for (size_t n = 0; n < 4; n++)
        EXPECT(pthread_join(threads[n], NULL) == 0);
    OK(ptx_module_load(device, "tensors.ptx", tensors, &module));
    check_tensors(module);
    check_multimem(module);
    OK(ptx_module_destroy(module));
    OK(ptx_device_destroy(device));
    printf("ok\n");
    return 0;
}
