/* Arrays, mipmapped arrays, textures, surfaces and tensor maps. */

#include "expect.h"

static const char *ptx =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    /* to[i] = the texel at i + 1 (the edge of texels i and i + 1, with a linear filter) */
    ".visible .entry fetch(.param .u64 texture, .param .u64 to)\n"
    "{\n"
    "    .reg .b32 %i; .reg .b64 %t, %to; .reg .f32 %x, %y, %a, %b, %c, %d;\n"
    "    ld.param.u64 %t, [texture]; ld.param.u64 %to, [to];\n"
    "    mov.u32 %i, %tid.x; mad.wide.u32 %to, %i, 4, %to;\n"
    "    cvt.rn.f32.u32 %x, %i; add.f32 %x, %x, 0f3F800000; mov.f32 %y, 0f3F000000;\n"
    "    tex.2d.v4.f32.f32 {%a, %b, %c, %d}, [%t, {%x, %y}];\n"
    "    st.global.f32 [%to], %a;\n"
    "    ret;\n"
    "}\n"
    /* the element at (i, 1) becomes 10 * i + 1 */
    ".visible .entry write(.param .u64 surface)\n"
    "{\n"
    "    .reg .b32 %i, %x, %y, %v; .reg .b64 %s;\n"
    "    ld.param.u64 %s, [surface]; mov.u32 %i, %tid.x; shl.b32 %x, %i, 2; mov.u32 %y, 1; mad.lo.u32 %v, %i, 10, 1;\n"
    "    sust.b.2d.b32.trap [%s, {%x, %y}], {%v};\n"
    "    ret;\n"
    "}\n"
    ".global .texref source;\n"
    ".global .surfref target;\n"
    ".visible .entry from_reference(.param .u64 to)\n"
    "{\n"
    "    .reg .b32 %i; .reg .b64 %to; .reg .f32 %x, %y, %a, %b, %c, %d;\n"
    "    ld.param.u64 %to, [to]; mov.u32 %i, %tid.x; mad.wide.u32 %to, %i, 4, %to;\n"
    "    cvt.rn.f32.u32 %x, %i; add.f32 %x, %x, 0f3F800000; mov.f32 %y, 0f3F000000;\n"
    "    tex.2d.v4.f32.f32 {%a, %b, %c, %d}, [source, {%x, %y}];\n"
    "    st.global.f32 [%to], %a;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry from_line(.param .u64 to)\n"
    "{\n"
    "    .reg .b32 %i; .reg .b64 %to; .reg .f32 %a, %b, %c, %d;\n"
    "    ld.param.u64 %to, [to]; mov.u32 %i, %tid.x; mad.wide.u32 %to, %i, 4, %to;\n"
    "    tex.1d.v4.f32.s32 {%a, %b, %c, %d}, [source, {%i}];\n"
    "    st.global.f32 [%to], %a;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry to_reference()\n"
    "{\n"
    "    .reg .b32 %i, %x, %y, %v;\n"
    "    mov.u32 %i, %tid.x; shl.b32 %x, %i, 2; mov.u32 %y, 1; mad.lo.u32 %v, %i, 10, 1;\n"
    "    sust.b.2d.b32.trap [target, {%x, %y}], {%v};\n"
    "    ret;\n"
    "}\n"
    /* copies a box of 8 x 4 words at (8, 4) of a tensor to `to` */
    ".visible .entry box(.param .align 64 .b8 map[128], .param .u64 to)\n"
    "{\n"
    "    .reg .b32 %i, %s, %b, %x, %y, %v, %a; .reg .b64 %m, %to; .reg .pred %p;\n"
    "    .shared .align 128 .b8 data[128]; .shared .align 8 .b64 bar;\n"
    "    mov.b64 %m, map; cvta.param.u64 %m, %m; ld.param.u64 %to, [to];\n"
    "    mov.u32 %i, %tid.x; mov.u32 %s, data; mov.u32 %b, bar; mov.u32 %x, 8; mov.u32 %y, 4;\n"
    "    setp.ne.u32 %p, %i, 0; @%p bra wait;\n"
    "    mbarrier.init.shared.b64 [%b], 1; fence.mbarrier_init.release.cluster;\n"
    "    mbarrier.arrive.expect_tx.shared.b64 _, [%b], 128;\n"
    "    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s], [%m, {%x, %y}], [%b];\n"
    "wait: bar.sync 0;\n"
    "again: mbarrier.try_wait.parity.shared.b64 %p, [%b], 0; @!%p bra again;\n"
    "    shl.b32 %a, %i, 2; add.u32 %a, %a, %s; ld.shared.u32 %v, [%a];\n"
    "    mad.wide.u32 %to, %i, 4, %to; st.global.u32 [%to], %v;\n"
    "    ret;\n"
    "}\n";

static CUmodule module;

static void run(const char *name, unsigned threads, void **arguments)
{
    CUfunction function;
    OK(cuModuleGetFunction(&function, module, name));
    OK(cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL));
    OK(cuCtxSynchronize());
}

static void fetches(CUDA_RESOURCE_DESC *resource)
{
    CUDA_TEXTURE_DESC description = {
        .addressMode = { CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP }, .filterMode = CU_TR_FILTER_MODE_LINEAR,
    };
    CUDA_TEXTURE_DESC got;
    CUDA_RESOURCE_DESC found;
    CUtexObject texture;
    CUdeviceptr to;
    float values[4];
    OK(cuTexObjectCreate(&texture, resource, &description, NULL));
    OK(cuTexObjectGetTextureDesc(&got, texture));
    EXPECT(got.filterMode == CU_TR_FILTER_MODE_LINEAR);
    OK(cuTexObjectGetResourceDesc(&found, texture));
    EXPECT(found.resType == resource->resType);
    OK(cuMemAlloc(&to, sizeof values));
    void *arguments[] = { &texture, &to };
    run("fetch", 4, arguments);
    OK(cuMemcpyDtoH(values, to, sizeof values));
    /* Texels are 10, 20, 40, 80 in the first row. */
    EXPECT(values[0] == 15 && values[1] == 30 && values[2] == 60 && values[3] == 80);
    OK(cuTexObjectDestroy(texture));
    GIVES(cuTexObjectDestroy(texture), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(to));
}

static void arrays(void)
{
    float texels[2][4] = { { 10, 20, 40, 80 }, { 1, 2, 3, 4 } }, back[2][4] = { { 0 } };
    CUarray array;
    CUDA_ARRAY_DESCRIPTOR description = { .Width = 4, .Height = 2, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1 }, got;
    OK(cuArrayCreate(&array, &description));
    OK(cuArrayGetDescriptor(&got, array));
    EXPECT(got.Width == 4 && got.Height == 2 && got.Format == CU_AD_FORMAT_FLOAT && got.NumChannels == 1);
    CUDA_MEMCPY2D copy = {
        .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = texels, .srcPitch = sizeof texels[0],
        .dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = array, .WidthInBytes = sizeof texels[0], .Height = 2,
    };
    OK(cuMemcpy2D(&copy));
    copy.dstY = 1;
    GIVES(cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemcpyAtoH(back, array, 4, 8));
    EXPECT(back[0][0] == 20 && back[0][1] == 40);
    CUDA_RESOURCE_DESC resource = { .resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array };
    fetches(&resource);
    OK(cuArrayDestroy(array));
    GIVES(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
    CUtexObject texture;
    CUDA_TEXTURE_DESC plain = { 0 };
    GIVES(cuTexObjectCreate(&texture, &resource, &plain, NULL), CUDA_ERROR_INVALID_HANDLE);
    description.NumChannels = 3;
    GIVES(cuArrayCreate(&array, &description), CUDA_ERROR_INVALID_VALUE);

    /* The same from linear memory with a pitch. */
    CUdeviceptr linear;
    size_t pitch;
    OK(cuMemAllocPitch(&linear, &pitch, sizeof texels[0], 2, 4));
    OK(cuMemcpyHtoD(linear, texels[0], sizeof texels[0]));
    CUDA_RESOURCE_DESC rows = { .resType = CU_RESOURCE_TYPE_PITCH2D };
    rows.res.pitch2D.devPtr = linear;
    rows.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
    rows.res.pitch2D.numChannels = 1;
    rows.res.pitch2D.width = 4;
    rows.res.pitch2D.height = 1;
    rows.res.pitch2D.pitchInBytes = pitch;
    fetches(&rows);
    OK(cuMemFree(linear));
}

static void surfaces(void)
{
    uint32_t words[2][4] = { { 0 } };
    CUmipmappedArray whole;
    CUarray level;
    CUsurfObject surface;
    CUDA_ARRAY3D_DESCRIPTOR description = {
        .Width = 8, .Height = 4, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1, .Flags = CUDA_ARRAY3D_SURFACE_LDST,
    };
    OK(cuMipmappedArrayCreate(&whole, &description, 3));
    GIVES(cuMipmappedArrayGetLevel(&level, whole, 3), CUDA_ERROR_INVALID_VALUE);
    OK(cuMipmappedArrayGetLevel(&level, whole, 1));
    OK(cuArray3DGetDescriptor(&description, level));
    EXPECT(description.Width == 4 && description.Height == 2);
    CUDA_RESOURCE_DESC resource = { .resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = level };
    OK(cuSurfObjectCreate(&surface, &resource));
    void *arguments[] = { &surface };
    run("write", 4, arguments);
    CUDA_MEMCPY3D copy = {
        .srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = level, .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = words,
        .WidthInBytes = 16, .Height = 2, .Depth = 1,
    };
    OK(cuMemcpy3D(&copy));
    for (uint32_t i = 0; i < 4; i++)
        EXPECT(words[0][i] == 0 && words[1][i] == 10 * i + 1);
    OK(cuSurfObjectDestroy(surface));
    GIVES(cuSurfObjectDestroy(surface), CUDA_ERROR_INVALID_VALUE);
    OK(cuMipmappedArrayDestroy(whole));
    GIVES(cuArray3DGetDescriptor(&description, level), CUDA_ERROR_INVALID_HANDLE);
}

/* Variables of the module that are bound to memory, which CUDA has deprecated. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void references(void)
{
    float texels[2][4] = { { 10, 20, 40, 80 }, { 1, 2, 3, 4 } }, values[4];
    uint32_t words[2][4] = { { 0 } };
    CUDA_ARRAY_DESCRIPTOR description = { .Width = 4, .Height = 2, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1 };
    CUtexref source, again, own;
    CUsurfref target;
    CUarray array, got;
    CUdeviceptr to, line, address;
    CUaddress_mode mode;
    CUarray_format format;
    size_t offset = 1;
    int channels;
    void *arguments[] = { &to };
    OK(cuMemAlloc(&to, sizeof values));
    OK(cuModuleGetTexRef(&source, module, "source"));
    OK(cuModuleGetTexRef(&again, module, "source"));
    EXPECT(source == again);
    GIVES(cuModuleGetTexRef(&again, module, "target"), CUDA_ERROR_NOT_FOUND);
    GIVES(cuModuleGetSurfRef(&target, module, "source"), CUDA_ERROR_NOT_FOUND);
    OK(cuTexRefGetAddressMode(&mode, source, 0));
    EXPECT(mode == CU_TR_ADDRESS_MODE_CLAMP);
    GIVES(cuTexRefGetAddressMode(&mode, source, 3), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuTexRefGetArray(&got, source), CUDA_ERROR_INVALID_VALUE);

    OK(cuArrayCreate(&array, &description));
    CUDA_MEMCPY2D copy = {
        .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = texels, .srcPitch = sizeof texels[0],
        .dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = array, .WidthInBytes = sizeof texels[0], .Height = 2,
    };
    OK(cuMemcpy2D(&copy));
    GIVES(cuTexRefSetArray(source, array, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexRefSetArray(source, array, CU_TRSA_OVERRIDE_FORMAT));
    OK(cuTexRefGetArray(&got, source));
    EXPECT(got == array);
    OK(cuTexRefGetFormat(&format, &channels, source));
    EXPECT(format == CU_AD_FORMAT_FLOAT && channels == 1);
    /* The centre of a texel is at a half: 1.0 is rounded to the texel after it. */
    run("from_reference", 4, arguments);
    OK(cuMemcpyDtoH(values, to, sizeof values));
    EXPECT(values[0] == 20 && values[1] == 40 && values[2] == 80 && values[3] == 80);
    /* What is set afterwards holds for later launches. */
    OK(cuTexRefSetFilterMode(source, CU_TR_FILTER_MODE_LINEAR));
    run("from_reference", 4, arguments);
    OK(cuMemcpyDtoH(values, to, sizeof values));
    EXPECT(values[0] == 15 && values[1] == 30 && values[2] == 60 && values[3] == 80);
    OK(cuTexRefSetAddressMode(source, 0, CU_TR_ADDRESS_MODE_BORDER));
    run("from_reference", 4, arguments);
    OK(cuMemcpyDtoH(values, to, sizeof values));
    EXPECT(values[2] == 60 && values[3] == 40);

    /* Linear memory, whose format is that of the reference. */
    OK(cuMemAlloc(&line, sizeof texels[0]));
    OK(cuMemcpyHtoD(line, texels[0], sizeof texels[0]));
    OK(cuTexRefSetFilterMode(source, CU_TR_FILTER_MODE_POINT));
    OK(cuTexRefSetFormat(source, CU_AD_FORMAT_FLOAT, 1));
    GIVES(cuTexRefSetFormat(source, CU_AD_FORMAT_FLOAT, 3), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexRefSetAddress(&offset, source, line, sizeof texels[0]));
    OK(cuTexRefGetAddress(&address, source));
    EXPECT(offset == 0 && address == line);
    run("from_line", 4, arguments);
    OK(cuMemcpyDtoH(values, to, sizeof values));
    EXPECT(!memcmp(values, texels[0], sizeof values));

    OK(cuModuleGetSurfRef(&target, module, "target"));
    GIVES(cuSurfRefGetArray(&got, target), CUDA_ERROR_INVALID_VALUE);
    OK(cuSurfRefSetArray(target, array, 0));
    OK(cuSurfRefGetArray(&got, target));
    EXPECT(got == array);
    run("to_reference", 4, NULL);
    CUDA_MEMCPY2D back = {
        .srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = array, .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = words,
        .dstPitch = sizeof words[0], .WidthInBytes = sizeof words[0], .Height = 2,
    };
    OK(cuMemcpy2D(&back));
    EXPECT(!memcmp(words[0], texels[0], sizeof words[0]));
    for (uint32_t i = 0; i < 4; i++)
        EXPECT(words[1][i] == 10 * i + 1);

    OK(cuTexRefCreate(&own));
    OK(cuTexRefSetFlags(own, CU_TRSF_NORMALIZED_COORDINATES));
    OK(cuTexRefSetAddress(NULL, own, line, sizeof texels[0]));
    OK(cuTexRefDestroy(own));
    GIVES(cuTexRefSetFlags(own, 0), CUDA_ERROR_INVALID_HANDLE);
    GIVES(cuTexRefDestroy(source), CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(array));
    OK(cuMemFree(line));
    OK(cuMemFree(to));
}
#pragma GCC diagnostic pop

/* The word at (x, y) of 32 x 16 is x + 100 y. */
static void tensors(void)
{
    static uint32_t words[16][32];
    uint32_t found[4][8];
    CUdeviceptr tensor, to;
    CUtensorMap map, moved;
    cuuint64_t sizes[] = { 32, 16 }, strides[] = { 128 };
    cuuint32_t box[] = { 8, 4 }, steps[] = { 1, 1 };
    for (uint32_t y = 0; y < 16; y++)
        for (uint32_t x = 0; x < 32; x++)
            words[y][x] = x + 100 * y;
    OK(cuMemAlloc(&tensor, sizeof words));
    OK(cuMemAlloc(&to, sizeof found));
    OK(cuMemcpyHtoD(tensor, words, sizeof words));
    OK(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, (void *)tensor, sizes, strides, box, steps,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    void *arguments[] = { &map, &to };
    run("box", 32, arguments);
    OK(cuMemcpyDtoH(found, to, sizeof found));
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 8; x++)
            EXPECT(found[y][x] == (x + 8) + 100 * (y + 4));
    /* One row further. */
    moved = map;
    OK(cuTensorMapReplaceAddress(&moved, (void *)(tensor + 128)));
    EXPECT(memcmp(&map, &moved, sizeof map));
    sizes[1] = 15;
    OK(cuTensorMapReplaceAddress(&moved, (void *)tensor));
    EXPECT(!memcmp(&map, &moved, sizeof map));
    strides[0] = 100;
    GIVES(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, (void *)tensor, sizes, strides, box, steps,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        CUDA_ERROR_INVALID_VALUE);
    GIVES(cuTensorMapEncodeTiled(&map, 99, 2, (void *)tensor, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(tensor));
    OK(cuMemFree(to));
}

int main(void)
{
    CUcontext context;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, ptx));
    arrays();
    surfaces();
    references();
    tensors();
    printf("passed\n");
    return 0;
}
