// Templates, classes with virtual functions, lambdas, and variables of the device and in constant memory.

#include <cstdint>
#include <vector>

#include "expect.h"

__constant__ int factors[8];
__constant__ double third = 1.0 / 3.0;
__device__ int counter = 40;
__device__ float table[4][3];
static __device__ long long hidden = -7;

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};

struct Square : Shape {
    float side;
    __device__ explicit Square(float side) : side(side) {}
    __device__ float area() const override { return side * side; }
};

struct Disc : Shape {
    float radius;
    __device__ explicit Disc(float radius) : radius(radius) {}
    __device__ float area() const override { return 3.0f * radius * radius; }
};

__global__ void areas(float *out) {
    int lane = threadIdx.x;
    Shape *shape;
    if (lane % 2)
        shape = new Disc(float(lane));
    else
        shape = new Square(float(lane));
    out[lane] = shape->area();
    delete shape;
}

template <typename T, int N> struct Vector {
    T items[N];
    __host__ __device__ T sum() const {
        T all = T();
        for (int i = 0; i < N; i++) all += items[i];
        return all;
    }
};

template <typename T, int N> __global__ void sums(const Vector<T, N> vector, T *out) {
    out[threadIdx.x] = vector.sum() * T(factors[threadIdx.x % 8]);
}

template <typename F> __global__ void apply(int *out, F function) {
    out[threadIdx.x] = function(threadIdx.x);
}

__global__ void variables(double *out) {
    atomicAdd(&counter, 1);
    if (threadIdx.x == 0) out[0] = third, out[1] = double(hidden), out[2] = table[2][1];
}

template <typename T, int N> void check_sums() {
    Vector<T, N> vector;
    for (int i = 0; i < N; i++) vector.items[i] = T(i + 1);
    T *out, host[8];
    OK(cudaMalloc(&out, sizeof(host)));
    sums<<<1, 8>>>(vector, out);
    OK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) EXPECT(host[i] == vector.sum() * T(10 * i));
    OK(cudaFree(out));
}

int main() {
    int host_factors[8];
    for (int i = 0; i < 8; i++) host_factors[i] = 10 * i;
    OK(cudaMemcpyToSymbol(factors, host_factors, 16));
    OK(cudaMemcpyToSymbol(factors, host_factors + 4, 16, 16));
    check_sums<int, 4>();
    check_sums<double, 7>();
    check_sums<uint64_t, 1>();

    float *area, host_area[32];
    OK(cudaMalloc(&area, sizeof(host_area)));
    areas<<<1, 32>>>(area);
    OK(cudaMemcpy(host_area, area, sizeof(host_area), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) EXPECT(host_area[i] == (i % 2 ? 3.0f : 1.0f) * float(i * i));

    int *out, host[16], bias = 1000;
    OK(cudaMalloc(&out, sizeof(host)));
    apply<<<1, 16>>>(out, [bias] __device__(int lane) { return lane * lane + bias; });
    OK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++) EXPECT(host[i] == i * i + 1000);

    float rows[4][3] = {};
    rows[2][1] = 2.5f;
    OK(cudaMemcpyToSymbol(table, rows, sizeof(rows)));
    double *values, host_values[3];
    OK(cudaMalloc(&values, sizeof(host_values)));
    variables<<<4, 32>>>(values);
    OK(cudaMemcpy(host_values, values, sizeof(host_values), cudaMemcpyDeviceToHost));
    EXPECT(host_values[0] == 1.0 / 3.0 && host_values[1] == -7.0 && host_values[2] == 2.5);
    int count = 0;
    OK(cudaMemcpyFromSymbol(&count, counter, sizeof(count)));
    EXPECT(count == 40 + 4 * 32);

    void *address;
    size_t bytes;
    OK(cudaGetSymbolAddress(&address, table));
    OK(cudaGetSymbolSize(&bytes, table));
    EXPECT(bytes == sizeof(rows));
    float item;
    OK(cudaMemcpy(&item, (char *)address + 7 * sizeof(float), sizeof(item), cudaMemcpyDeviceToHost));
    EXPECT(item == 2.5f);
    EXPECT_RESULT(cudaErrorInvalidValue, cudaMemcpyFromSymbol(&count, counter, 8));
    EXPECT_RESULT(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbol(counter, &count, 4, 0, cudaMemcpyDeviceToHost));
    static int no_symbol;
    EXPECT_RESULT(cudaErrorInvalidSymbol, cudaMemcpyFromSymbol(&count, no_symbol, 4));

    // A reset device begins with new variables, and no other one does.
    OK(cudaSetDevice(1));
    OK(cudaMalloc(&values, sizeof(host_values)));
    variables<<<1, 1>>>(values);
    OK(cudaDeviceReset());
    OK(cudaMemcpyFromSymbol(&count, counter, sizeof(count)));
    EXPECT(count == 40);
    OK(cudaSetDevice(0));
    OK(cudaMemcpyFromSymbol(&count, counter, sizeof(count)));
    EXPECT(count == 40 + 4 * 32);
    OK(cudaDeviceReset());
    OK(cudaMemcpyFromSymbol(&count, counter, sizeof(count)));
    EXPECT(count == 40);
    return passed();
}
