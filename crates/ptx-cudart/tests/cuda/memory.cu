// Copies and fills of all shapes, arrays, pools, registered memory, and copies between devices.

#include <cstring>
#include <vector>

#include "expect.h"

__global__ void rows(int *items, size_t pitch, int width, int height, int depth) {
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    if (x < width && y < height && z < depth) ((int *)((char *)items + pitch * (z * height + y)))[x] += 1000 * z + 10 * y + x;
}

__global__ void twice(int *items) { items[threadIdx.x] *= 2; }

static void pitched() {
    const int width = 5, height = 4, depth = 3;
    int *items;
    size_t pitch;
    OK(cudaMallocPitch(&items, &pitch, width * sizeof(int), height));
    EXPECT(pitch >= width * sizeof(int));
    OK(cudaMemset2D(items, pitch, 0, width * sizeof(int), height));
    rows<<<height, 32>>>(items, pitch, width, height, 1);
    int host[height][width];
    OK(cudaMemcpy2D(host, sizeof(host[0]), items, pitch, sizeof(host[0]), height, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) EXPECT(host[y][x] == 10 * y + x);
    OK(cudaFree(items));

    cudaExtent extent = make_cudaExtent(width * sizeof(int), height, depth);
    cudaPitchedPtr box;
    OK(cudaMalloc3D(&box, extent));
    EXPECT(box.xsize == extent.width && box.ysize == height);
    OK(cudaMemset3D(box, 1, extent));
    rows<<<dim3(height, depth), 32>>>((int *)box.ptr, box.pitch, width, height, depth);
    int out[depth][height][width];
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = box;
    copy.dstPtr = make_cudaPitchedPtr(out, sizeof(out[0][0]), width, height);
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&copy));
    for (int z = 0; z < depth; z++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) EXPECT(out[z][y][x] == 0x01010101 + 1000 * z + 10 * y + x);
    OK(cudaFree(box.ptr));
}

static void arrays() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<short2>();
    cudaArray_t array, other;
    OK(cudaMallocArray(&array, &format, 8, 4));
    OK(cudaMallocArray(&other, &format, 8, 4));
    short2 in[4][8], out[4][8] = {};
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 8; x++) in[y][x] = make_short2(short(x), short(-y));
    OK(cudaMemcpy2DToArray(array, 0, 0, in, sizeof(in[0]), sizeof(in[0]), 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DArrayToArray(other, 4, 1, array, 0, 0, 16, 3));
    OK(cudaMemcpy2DFromArray(out, sizeof(out[0]), other, 4, 1, 16, 3, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 4; x++) EXPECT(out[y][x].x == x && out[y][x].y == -y);
    // A run of bytes goes on in the next row.
    OK(cudaMemcpyToArray(other, 0, 0, in, sizeof(in), cudaMemcpyHostToDevice));
    OK(cudaMemcpyFromArray(out, other, 20, 1, 60, cudaMemcpyDeviceToHost));
    EXPECT(!std::memcmp(out, (char *)in + 32 + 20, 60));

    cudaExtent extent;
    unsigned flags;
    cudaChannelFormatDesc found;
    OK(cudaArrayGetInfo(&found, &extent, &flags, array));
    EXPECT(extent.width == 8 && extent.height == 4 && extent.depth == 0 && flags == 0);
    EXPECT(found.x == 16 && found.y == 16 && found.z == 0 && found.f == cudaChannelFormatKindSigned);

    // Boxes of elements in arrays.
    cudaArray_t cube;
    OK(cudaMalloc3DArray(&cube, &format, make_cudaExtent(8, 4, 2)));
    for (int z = 0; z < 2; z++) {
        cudaMemcpy3DParms copy = {};
        copy.srcPtr = make_cudaPitchedPtr(in, sizeof(in[0]), 8, 4);
        copy.dstArray = cube;
        copy.dstPos = make_cudaPos(0, 0, z);
        copy.extent = make_cudaExtent(8, 4, 1);
        copy.kind = cudaMemcpyHostToDevice;
        OK(cudaMemcpy3D(&copy));
    }
    cudaMemcpy3DParms copy = {};
    copy.srcArray = cube;
    copy.srcPos = make_cudaPos(2, 1, 1);
    copy.dstPtr = make_cudaPitchedPtr(out, sizeof(out[0]), 8, 4);
    copy.extent = make_cudaExtent(3, 2, 1);
    copy.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&copy));
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 3; x++) EXPECT(out[y][x].x == x + 2 && out[y][x].y == -(y + 1));
    OK(cudaFreeArray(cube));
    OK(cudaFreeArray(array));
    OK(cudaFreeArray(other));
}

static void pools() {
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    int *items, host[32];
    OK(cudaMallocAsync(&items, sizeof(host), stream));
    for (int i = 0; i < 32; i++) host[i] = i;
    OK(cudaMemcpyAsync(items, host, sizeof(host), cudaMemcpyHostToDevice, stream));
    twice<<<1, 32, 0, stream>>>(items);
    OK(cudaMemcpyAsync(host, items, sizeof(host), cudaMemcpyDeviceToHost, stream));
    OK(cudaFreeAsync(items, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 32; i++) EXPECT(host[i] == 2 * i);

    cudaMemPool_t pool, own;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long threshold = 1 << 20, read = 0;
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &read));
    EXPECT(read == threshold);
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = 0;
    OK(cudaMemPoolCreate(&own, &properties));
    OK(cudaMallocFromPoolAsync(&items, 4096, own, stream));
    OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &read));
    EXPECT(read >= 4096);
    OK(cudaFreeAsync(items, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemPoolTrimTo(own, 0));
    OK(cudaMemPoolDestroy(own));
    OK(cudaStreamDestroy(stream));
}

static void host_and_peers() {
    std::vector<int> host(32);
    for (int i = 0; i < 32; i++) host[i] = i;
    OK(cudaHostRegister(host.data(), 128, cudaHostRegisterMapped));
    int *mapped;
    OK(cudaHostGetDevicePointer(&mapped, host.data(), 0));
    twice<<<1, 32>>>(mapped);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) EXPECT(host[i] == 2 * i);
    OK(cudaHostUnregister(host.data()));
    EXPECT_RESULT(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(host.data()));

    int *here, *there, can = -1;
    OK(cudaMalloc(&here, 128));
    OK(cudaSetDevice(1));
    OK(cudaMalloc(&there, 128));
    OK(cudaSetDevice(0));
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    EXPECT(can == 0);
    EXPECT_RESULT(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(1, 0));
    OK(cudaMemcpy(here, host.data(), 128, cudaMemcpyHostToDevice));
    OK(cudaMemcpyPeer(there, 1, here, 0, 128));
    std::vector<int> back(32);
    OK(cudaMemcpy(back.data(), there, 128, cudaMemcpyDefault));
    EXPECT(back == host);
    OK(cudaFree(here));
    OK(cudaFree(there));
    int *none = (int *)1;
    OK(cudaMalloc(&none, 0));
    EXPECT(none == nullptr);
}

// A batch of two boxes between memory with gaps and without; a wrong one is named by its index in CUDA 12.
static void batches() {
    enum { WIDTH = 4, HEIGHT = 2, ROW = 6 };
    unsigned char gaps[HEIGHT][ROW] = {{1, 2, 3, 4, 0, 0}, {5, 6, 7, 8, 0, 0}}, dense[HEIGHT][WIDTH] = {};
    unsigned char *device;
    cudaStream_t stream;
    OK(cudaMalloc(&device, WIDTH * HEIGHT));
    OK(cudaStreamCreate(&stream));
    cudaMemcpy3DBatchOp in = {};
    in.src.type = in.dst.type = cudaMemcpyOperandTypePointer;
    in.src.op.ptr.ptr = gaps;
    in.src.op.ptr.rowLength = ROW;
    in.dst.op.ptr.ptr = device;
    in.extent = make_cudaExtent(WIDTH, HEIGHT, 1);
    in.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
    cudaMemcpy3DBatchOp out = in;
    out.src.op.ptr.ptr = device;
    out.src.op.ptr.rowLength = 0;
    out.dst.op.ptr.ptr = dense;
    out.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    cudaMemcpy3DBatchOp wrong[2] = {in, out};
    wrong[1].extent.depth = 0;
#if CUDART_VERSION < 13000
    size_t failed = 7;
    OK(cudaMemcpy3DBatchAsync(1, &in, &failed, 0, stream));
    EXPECT_RESULT(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, wrong, &failed, 0, stream));
    EXPECT(failed == 1);
    OK(cudaMemcpy3DBatchAsync(1, &out, &failed, 0, stream));
#else
    OK(cudaMemcpy3DBatchAsync(1, &in, 0, stream));
    EXPECT_RESULT(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, wrong, 0, stream));
    OK(cudaMemcpy3DWithAttributesAsync(&out, 0, stream));
    char *managed;
    OK(cudaMallocManaged(&managed, 64));
    void *ranges[2] = {managed, managed + 32};
    size_t sizes[2] = {16, 16}, first[1] = {0};
    cudaMemLocation location = {cudaMemLocationTypeDevice, 0};
    OK(cudaMemPrefetchBatchAsync(ranges, sizes, 2, &location, first, 1, 0, stream));
    OK(cudaMemDiscardBatchAsync(ranges, sizes, 2, 0, stream));
    OK(cudaMemDiscardAndPrefetchBatchAsync(ranges, sizes, 2, &location, first, 1, 0, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaFree(managed));
#endif
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < WIDTH * HEIGHT; i++) EXPECT(dense[i / WIDTH][i % WIDTH] == i + 1);
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(device));
}

int main() {
    batches();
    pitched();
    arrays();
    pools();
    host_and_peers();
    return passed();
}
