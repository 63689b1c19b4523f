// Texture and surface objects; tests/textures.rs launches these kernels.
#include <cuda_runtime.h>

// Bilinear samples at (x / 8, y / 8), through normalized or plain coordinates.
extern "C" __global__ void filtered(cudaTextureObject_t t, float *out, int width, float scale) {
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = blockIdx.y;
    out[y * width + x] = tex2D<float>(t, x * 0.125f * scale, y * 0.125f * scale);
}

extern "C" __global__ void fetched(cudaTextureObject_t linear, cudaTextureObject_t bytes, float *out) {
    int i = threadIdx.x;
    float4 v = tex1Dfetch<float4>(bytes, i);
    out[i] = tex1Dfetch<float>(linear, i) + v.x * 2 + v.w;
}

extern "C" __global__ void volumes(cudaTextureObject_t volume, cudaTextureObject_t layers, int *out) {
    int i = threadIdx.x, x = i % 4, y = i / 4 % 4, z = i / 16;
    out[i] = tex3D<int>(volume, x + 0.5f, y + 0.5f, z + 0.5f) * 10 + tex2DLayered<int>(layers, y + 0.5f, x + 0.5f, z);
}

// Each texel becomes the sum of itself and its right neighbour; zeros beyond the edge.
extern "C" __global__ void surfaces(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    int x = threadIdx.x, y = blockIdx.x;
    unsigned a, b;
    surf2Dread(&a, from, x * 4, y, cudaBoundaryModeTrap);
    surf2Dread(&b, from, x * 4 + 4, y, cudaBoundaryModeZero);
    surf2Dwrite(a + b, to, x * 4, y, cudaBoundaryModeClamp);
}

extern "C" __global__ void gathered(cudaTextureObject_t t, float4 *out) {
    out[threadIdx.x] = tex2Dgather<float4>(t, threadIdx.x % 3 + 1.0f, threadIdx.x / 3 + 1.0f, 0);
}

extern "C" __global__ void levels(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, threadIdx.x * 0.25f); }
