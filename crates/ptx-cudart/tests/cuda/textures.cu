// Textures and surfaces: of arrays, rows and linear memory, with filters, normalized values, levels and layers.

#include <cmath>
#include <cstring>

#include "expect.h"

__global__ void fetch(cudaTextureObject_t texture, float *out, float x, float y, float step) {
    out[threadIdx.x] = tex2D<float>(texture, x + step * float(threadIdx.x), y);
}

__global__ void fetch_linear(cudaTextureObject_t texture, int4 *out) {
    out[threadIdx.x] = tex1Dfetch<int4>(texture, threadIdx.x);
}

__global__ void fetch_level(cudaTextureObject_t texture, float *out, int levels) {
    for (int level = 0; level < levels; level++) out[level] = tex2DLod<float>(texture, 0.5f, 0.5f, float(level));
}

__global__ void fetch_layer(cudaTextureObject_t texture, unsigned char *out, int layer) {
    out[threadIdx.x] = tex2DLayered<unsigned char>(texture, float(threadIdx.x), 0.0f, layer);
}

__global__ void invert(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width) {
    int x = threadIdx.x, y = blockIdx.x;
    uchar4 texel = surf2Dread<uchar4>(from, x * int(sizeof(texel)), y);
    texel.x = 255 - texel.x;
    surf2Dwrite(texel, to, (width - 1 - x) * int(sizeof(texel)), y);
}

static cudaResourceDesc of_array(cudaArray_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static void filtered() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    OK(cudaMallocArray(&array, &format, 4, 2));
    float texels[2][4] = {{0, 1, 2, 3}, {10, 11, 12, 13}};
    OK(cudaMemcpy2DToArray(array, 0, 0, texels, 16, 16, 2, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = of_array(array);
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture;
    OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    float *out, host[4];
    OK(cudaMalloc(&out, sizeof(host)));
    fetch<<<1, 4>>>(texture, out, 0.5f, 0.5f, 1.0f);
    OK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++) EXPECT(host[i] == float(i));
    fetch<<<1, 3>>>(texture, out, 1.0f, 1.0f, 1.0f);
    OK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 3; i++) EXPECT(host[i] == 5.5f + float(i));

    cudaTextureDesc read;
    cudaResourceDesc of;
    OK(cudaGetTextureObjectTextureDesc(&read, texture));
    OK(cudaGetTextureObjectResourceDesc(&of, texture));
    EXPECT(read.filterMode == cudaFilterModeLinear && read.readMode == cudaReadModeElementType);
    EXPECT(of.resType == cudaResourceTypeArray && of.res.array.array == array);
    OK(cudaDestroyTextureObject(texture));

    // Coordinates from 0 to 1, around the border.
    description.normalizedCoords = 1;
    description.filterMode = cudaFilterModePoint;
    description.addressMode[0] = cudaAddressModeWrap;
    OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    fetch<<<1, 4>>>(texture, out, 0.625f, 0.25f, 0.25f);
    OK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++) EXPECT(host[i] == float((i + 2) % 4));
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFree(out));
    OK(cudaFreeArray(array));
}

static void linear_and_rows() {
    int4 items[8], back[8], *memory, *out;
    for (int i = 0; i < 8; i++) items[i] = make_int4(i, -i, 2 * i, 7);
    OK(cudaMalloc(&memory, sizeof(items)));
    OK(cudaMalloc(&out, sizeof(items)));
    OK(cudaMemcpy(memory, items, sizeof(items), cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<int4>();
    resource.res.linear.sizeInBytes = sizeof(items);
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    fetch_linear<<<1, 8>>>(texture, out);
    OK(cudaMemcpy(back, out, sizeof(items), cudaMemcpyDeviceToHost));
    EXPECT(!std::memcmp(items, back, sizeof(items)));
    OK(cudaDestroyTextureObject(texture));

    // Bytes in rows, as numbers from 0 to 1.
    unsigned char *bytes, line[4] = {0, 51, 102, 255};
    size_t pitch;
    OK(cudaMallocPitch(&bytes, &pitch, 4, 2));
    OK(cudaMemset2D(bytes, pitch, 0, 4, 2));
    OK(cudaMemcpy(bytes + pitch, line, 4, cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = bytes;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
    resource.res.pitch2D.width = 4;
    resource.res.pitch2D.height = 2;
    resource.res.pitch2D.pitchInBytes = pitch;
    description.readMode = cudaReadModeNormalizedFloat;
    OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    float *values, host[4];
    OK(cudaMalloc(&values, sizeof(host)));
    fetch<<<1, 4>>>(texture, values, 0.5f, 1.5f, 1.0f);
    OK(cudaMemcpy(host, values, sizeof(host), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++) EXPECT(std::fabs(host[i] - float(line[i]) / 255.0f) < 1e-6f);
    cudaTextureDesc read;
    OK(cudaGetTextureObjectTextureDesc(&read, texture));
    EXPECT(read.readMode == cudaReadModeNormalizedFloat);
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFree(values));
    OK(cudaFree(bytes));
    OK(cudaFree(memory));
    OK(cudaFree(out));
}

static void levels_and_layers() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t whole;
    OK(cudaMallocMipmappedArray(&whole, &format, make_cudaExtent(4, 4, 0), 3));
    for (int level = 0; level < 3; level++) {
        cudaArray_t array;
        OK(cudaGetMipmappedArrayLevel(&array, whole, level));
        int side = 4 >> level;
        float texels[16];
        for (int i = 0; i < side * side; i++) texels[i] = float(100 * level);
        OK(cudaMemcpy2DToArray(array, 0, 0, texels, side * 4, side * 4, side, cudaMemcpyHostToDevice));
    }
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = whole;
    cudaTextureDesc description = {};
    description.normalizedCoords = 1;
    description.maxMipmapLevelClamp = 2;
    cudaTextureObject_t texture;
    OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    float *values, host[3];
    OK(cudaMalloc(&values, sizeof(host)));
    fetch_level<<<1, 1>>>(texture, values, 3);
    OK(cudaMemcpy(host, values, sizeof(host), cudaMemcpyDeviceToHost));
    for (int level = 0; level < 3; level++) EXPECT(host[level] == float(100 * level));
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFreeMipmappedArray(whole));

    format = cudaCreateChannelDesc<unsigned char>();
    cudaArray_t layers;
    OK(cudaMalloc3DArray(&layers, &format, make_cudaExtent(4, 1, 3), cudaArrayLayered));
    unsigned char texels[3][4];
    for (int i = 0; i < 12; i++) texels[i / 4][i % 4] = (unsigned char)(20 * i);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels, 4, 4, 1);
    copy.dstArray = layers;
    copy.extent = make_cudaExtent(4, 1, 3);
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    resource = of_array(layers);
    description = {};
    OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    unsigned char *bytes, back[4];
    OK(cudaMalloc(&bytes, 4));
    for (int layer = 0; layer < 3; layer++) {
        fetch_layer<<<1, 4>>>(texture, bytes, layer);
        OK(cudaMemcpy(back, bytes, 4, cudaMemcpyDeviceToHost));
        EXPECT(!std::memcmp(back, texels[layer], 4));
    }
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFreeArray(layers));
    OK(cudaFree(bytes));
    OK(cudaFree(values));
}

static void surfaces() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    cudaArray_t from, to;
    OK(cudaMallocArray(&from, &format, 16, 8, cudaArraySurfaceLoadStore));
    OK(cudaMallocArray(&to, &format, 16, 8, cudaArraySurfaceLoadStore));
    uchar4 texels[8][16], out[8][16];
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 16; x++) texels[y][x] = make_uchar4((unsigned char)x, (unsigned char)y, 3, 4);
    OK(cudaMemcpy2DToArray(from, 0, 0, texels, 64, 64, 8, cudaMemcpyHostToDevice));
    cudaSurfaceObject_t source, target;
    cudaResourceDesc resource = of_array(from);
    OK(cudaCreateSurfaceObject(&source, &resource));
    resource = of_array(to);
    OK(cudaCreateSurfaceObject(&target, &resource));
    invert<<<8, 16>>>(source, target, 16);
    OK(cudaMemcpy2DFromArray(out, 64, to, 0, 0, 64, 8, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 16; x++) EXPECT(out[y][x].x == 255 - (15 - x) && out[y][x].y == y && out[y][x].w == 4);
    OK(cudaDestroySurfaceObject(source));
    OK(cudaDestroySurfaceObject(target));
    OK(cudaFreeArray(from));
    OK(cudaFreeArray(to));
}

int main() {
    filtered();
    linear_and_rows();
    levels_and_layers();
    surfaces();
    return passed();
}
