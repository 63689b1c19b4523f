// What a kernel asks of the system, and threads that wait for each other.
#include <cassert>
#include <cstdio>

extern "C" __global__ void prints(const int *in) {
    if (threadIdx.x == 0) printf("block %d: %d %5.2f %s %llx %c%%\n", blockIdx.x, in[blockIdx.x], in[blockIdx.x] / 4.0, "text", 0x1234567890ull, 'x');
}

struct Node { int value; Node *next; };

// A list on the heap, turned around and given back.
extern "C" __global__ void lists(int *out, int n) {
    Node *list = nullptr;
    for (int i = 0; i < n; i++) {
        Node *node = new Node{i * (int)threadIdx.x, list};
        if (!node) return;
        list = node;
    }
    int sum = 0, place = 1;
    while (list) {
        Node *next = list->next;
        sum += place++ * list->value;
        delete list;
        list = next;
    }
    char *bytes = (char *)malloc(100);
    memset(bytes, threadIdx.x, 100);
    for (int i = 0; i < 100; i++) sum += bytes[i];
    free(bytes);
    out[threadIdx.x] = sum;
}

extern "C" __global__ void asserts(const int *in) { assert(in[threadIdx.x] >= 0); }

// Lanes of one warp take a lock in turn: who has it runs on while the others spin.
extern "C" __global__ void spin(int *lock, int *count) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *(volatile int *)count = *(volatile int *)count * 3 + 1;
    __threadfence();
    atomicExch(lock, 0);
}

// One warp produces, another one consumes; named barriers tell them that the buffer is full or empty.
extern "C" __global__ void pipeline(const int *in, int *out, int rounds) {
    __shared__ int buffer[2][32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int i = 0; i < rounds; i++) {
            int full = 1 + i % 2, empty = 3 + i % 2;
            if (i >= 2) asm volatile("barrier.sync %0, 64;" :: "r"(empty) : "memory");
            buffer[i % 2][lane] = in[i * 32 + lane] * 2;
            __threadfence_block();
            asm volatile("barrier.arrive %0, 64;" :: "r"(full) : "memory");
        }
    } else {
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            int full = 1 + i % 2, empty = 3 + i % 2;
            asm volatile("barrier.sync %0, 64;" :: "r"(full) : "memory");
            sum += buffer[i % 2][31 - lane];
            if (i + 2 < rounds) asm volatile("barrier.arrive %0, 64;" :: "r"(empty) : "memory");
        }
        out[lane] = sum;
    }
}

struct Shape { __device__ virtual int area() const = 0; __device__ virtual ~Shape() {} };
struct Square : Shape { int a; __device__ Square(int a) : a(a) {} __device__ int area() const override { return a * a; } };
struct Box : Shape { int a, b; __device__ Box(int a, int b) : a(a), b(b) {} __device__ int area() const override { return a * b; } };

extern "C" __global__ void virtuals(const int *in, int *out) {
    int v = in[threadIdx.x];
    Shape *shape = v % 2 ? (Shape *)new Square(v) : new Box(v, v + 1);
    out[threadIdx.x] = shape->area();
    delete shape;
}

__device__ __noinline__ int ackermann(int m, int n) { return m == 0 ? n + 1 : ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1)); }

extern "C" __global__ void recursion(int *out) { out[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x / 3); }
