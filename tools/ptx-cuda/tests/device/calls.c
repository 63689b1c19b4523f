/* A program for `ptx-cuda loader`: what LLVM's libc for GPUs does when it calls the host, written anew from the protocol.
   Compiled with
     clang-22 --target=nvptx64-nvidia-cuda -march=sm_80 -Xclang -target-feature -Xclang +ptx80 -O2 -ffreestanding -nogpulib -S calls.c -o calls.ptx */

#include <gpuintrin.h>
#include <stdint.h>

struct header {
    uint64_t mask;
    uint32_t opcode;
};

struct client {
    uint64_t ports;
    volatile uint32_t *inbox;
    volatile uint32_t *outbox;
    struct header *headers;
    volatile uint64_t (*packets)[32][8];
    uint32_t locks[128];
};

struct client client __asm__("__llvm_rpc_client");

struct port {
    uint64_t mask;
    uint32_t index;
    int out, received, owned;
};

enum { EXIT = 1, STDOUT, STDERR, STREAM, LINE, READ, GETS, OPEN, CLOSE, MALLOC, FREE, PRINTF = 21, REMOVE = 27, SYSTEM = 29 };

static int is_first(uint64_t mask) { return __gpu_is_first_in_lane(mask); }

static struct port call(uint32_t number)
{
    uint64_t mask = __gpu_lane_mask();
    uint32_t index = 0;
    if (is_first(mask)) {
        for (;; index = (index + 1) % client.ports) {
            uint32_t bit = 1u << (index % 32), *lock = &client.locks[index / 32];
            if (__atomic_fetch_or(lock, bit, __ATOMIC_ACQUIRE) & bit)
                continue;
            if (client.inbox[index] == client.outbox[index])
                break;
            __atomic_fetch_and(lock, ~bit, __ATOMIC_RELEASE);
        }
        client.headers[index].mask = mask;
        client.headers[index].opcode = ('c' << 24) | number;
    }
    index = __gpu_read_first_lane_u32(mask, index);
    struct port port = {mask, index, (int)client.outbox[index], 0, 1};
    __gpu_sync_lane(mask);
    return port;
}

static void hand_over(struct port *port)
{
    port->out = !port->out;
    __gpu_sync_lane(port->mask);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    if (is_first(port->mask))
        client.outbox[port->index] = (uint32_t)port->out;
    port->owned = 0;
}

static volatile uint64_t *own(struct port *port)
{
    if (!port->owned) {
        while ((int)client.inbox[port->index] != port->out)
            ;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        __gpu_sync_lane(port->mask);
    }
    return client.packets[port->index][__gpu_lane_id()];
}

static void send(struct port *port, uint64_t a, uint64_t b, uint64_t c)
{
    volatile uint64_t *packet = own(port);
    packet[0] = a;
    packet[1] = b;
    packet[2] = c;
    hand_over(port);
    port->received = 0;
}

static volatile uint64_t *receive(struct port *port)
{
    if (port->received)
        hand_over(port);
    volatile uint64_t *packet = own(port);
    port->owned = port->received = 1;
    return packet;
}

static void end(struct port *port)
{
    __gpu_sync_lane(port->mask);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    if (is_first(port->mask))
        __atomic_fetch_and(&client.locks[port->index / 32], ~(1u << (port->index % 32)), __ATOMIC_RELEASE);
    __gpu_sync_lane(port->mask);
}

static void send_bytes(struct port *port, const char *bytes, uint64_t size)
{
    uint64_t at = 0, first = 8;
    do {
        volatile uint64_t *packet = own(port);
        if (first)
            packet[0] = size;
        for (uint64_t byte = first; byte < 64 && at < size; ++byte)
            ((volatile char *)packet)[byte] = bytes[at++];
        hand_over(port);
        port->received = 0;
        first = 0;
    } while (__gpu_ballot(port->mask, at < size));
}

static uint64_t receive_bytes(struct port *port, char *bytes)
{
    uint64_t at = 0, first = 8, size = 0;
    do {
        volatile uint64_t *packet = receive(port);
        if (first)
            size = packet[0];
        for (uint64_t byte = first; byte < 64 && at < size; ++byte)
            bytes[at++] = ((volatile char *)packet)[byte];
        first = 0;
    } while (__gpu_ballot(port->mask, at < size));
    return size;
}

static uint64_t length(const char *text)
{
    uint64_t length = 0;
    while (text[length])
        ++length;
    return length;
}

static uint64_t write_to(uint32_t number, uint64_t handle, const char *text)
{
    struct port port = call(number);
    if (number == STREAM)
        send(&port, handle, 0, 0);
    send_bytes(&port, text, length(text));
    uint64_t written = receive(&port)[0];
    end(&port);
    return written;
}

static uint64_t ask(uint32_t number, uint64_t a, uint64_t b, uint64_t c)
{
    struct port port = call(number);
    send(&port, a, b, c);
    uint64_t answer = number == FREE ? 0 : receive(&port)[0];
    end(&port);
    return answer;
}

static int print(const char *format, const void *arguments, uint64_t bytes)
{
    struct port port = call(PRINTF);
    send_bytes(&port, format, length(format) + 1);
    uint64_t wanted = receive(&port)[0];
    send_bytes(&port, arguments, wanted < bytes ? wanted : bytes);
    int result;
    for (;;) {
        volatile uint64_t *packet = receive(&port);
        result = (int)packet[0];
        const char *text = (const char *)packet[1];
        if (!__gpu_ballot(port.mask, text != 0))
            break;
        send_bytes(&port, text, text ? length(text) + 1 : 0);
    }
    end(&port);
    return result;
}

static _Noreturn void leave(int status)
{
    struct port port = call(EXIT);
    send(&port, 0, 0, 0);
    receive(&port);
    send(&port, (uint64_t)status, 0, 0);
    end(&port);
    for (;;)
        ;
}

static void first(void) { write_to(LINE, 0, "constructed"); }
static void last(void) { write_to(LINE, 0, "destroyed"); }

/* What LLVM makes of constructors and destructors for GPUs. */
void (*const __init_array_object_first_100)(void) = first;
void (*const __fini_array_object_last_100)(void) = last;
void (*const *__init_array_start)(void);
void (*const *__init_array_end)(void);
void (*const *__fini_array_start)(void);
void (*const *__fini_array_end)(void);

static const char *const *environment;

static int equal(const char *a, const char *b)
{
    while (*a && *a == *b)
        ++a, ++b;
    return *a == *b;
}

static int files(const char *path)
{
    struct port port = call(OPEN);
    send_bytes(&port, path, length(path) + 1);
    send(&port, 'w', 0, 0);
    uint64_t handle = receive(&port)[0];
    end(&port);
    if (!handle)
        return 30;
    const char *text = "a line that is longer than the packet of a thread, which has 64 bytes, and\nanother";
    if (write_to(STREAM, handle, text) != length(text) || ask(CLOSE, handle, 0, 0) != 0)
        return 31;
    port = call(OPEN);
    send_bytes(&port, path, length(path) + 1);
    send(&port, 'r', 0, 0);
    handle = receive(&port)[0];
    end(&port);
    char line[128];
    port = call(GETS);
    send(&port, sizeof line, handle, 0);
    uint64_t size = receive_bytes(&port, line);
    end(&port);
    write_to(STDOUT, 0, line);
    port = call(READ);
    send(&port, 100, handle, 0);
    uint64_t rest = receive_bytes(&port, line);
    uint64_t count = receive(&port)[0];
    end(&port);
    line[rest] = 0;
    write_to(LINE, 0, line);
    port = call(REMOVE);
    send_bytes(&port, path, length(path) + 1);
    uint64_t removed = receive(&port)[0];
    end(&port);
    return size == 76 && rest == 7 && count == 7 && removed == 0 ? 0 : 32;
}

static int run(int argc, const char *const *argv)
{
    uint32_t thread = __gpu_thread_id_x() + __gpu_num_threads_x() * __gpu_block_id_x();
    if (argc < 2)
        return 2;
    if (equal(argv[1], "print")) {
        struct {
            uint32_t thread;
            const char *text;
            double number;
        } arguments = {thread, argc > 2 ? argv[2] : "none", 0.5 + thread};
        int bytes = print("thread %u: %s, %.2f%%\n", &arguments, sizeof arguments);
        return bytes > 0 ? 0 : 10;
    }
    if (equal(argv[1], "memory")) {
        uint32_t *memory = (uint32_t *)ask(MALLOC, 64, 0, 0);
        if (!memory)
            return 20;
        for (int at = 0; at < 16; ++at)
            memory[at] = thread;
        int same = memory[15] == thread;
        ask(FREE, (uint64_t)memory, 0, 0);
        return same && !ask(MALLOC, (uint64_t)1 << 60, 0, 0) ? 0 : 21;
    }
    if (equal(argv[1], "files"))
        return files(argv[2]);
    if (equal(argv[1], "exit"))
        leave(7);
    if (equal(argv[1], "trap"))
        __builtin_trap();
    if (equal(argv[1], "unknown"))
        ask(999, 0, 0, 0);
    if (equal(argv[1], "abort")) {
        struct port port = call(13);
        send(&port, 0, 0, 0);
        receive(&port);
        send(&port, 0, 0, 0);
        for (;;)
            ;
    }
    if (equal(argv[1], "environment")) {
        for (const char *const *variable = environment; *variable; ++variable)
            if (equal(*variable, "LOADER_TEST=a value"))
                return 0;
        return 40;
    }
    write_to(STDERR, 0, "what?\n");
    return (int)length(argv[1]);
}

#define KERNEL __attribute__((device_kernel)) void

KERNEL _begin(int argc, const char *const *argv, const char *const *envp)
{
    environment = envp;
    for (void (*const *at)(void) = __init_array_start; at != __init_array_end; ++at)
        (*at)();
}

KERNEL _start(int argc, const char *const *argv, const char *const *envp, int *result)
{
    __atomic_fetch_or(result, run(argc, argv), __ATOMIC_RELAXED);
}

KERNEL _end(int status)
{
    for (void (*const *at)(void) = __fini_array_start; at != __fini_array_end; ++at)
        (*at)();
    leave(status);
}
