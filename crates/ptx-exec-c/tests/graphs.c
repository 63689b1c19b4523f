/* Calls the functions of graphs, boxes and the order of streams. What is expected follows from the kernel, which multiplies and adds. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ptx_exec.h"

static const char *step_text =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry step(.param .u64 p, .param .u32 factor, .param .u32 summand)\n"
    "{\n"
    "    .reg .b64 %a; .reg .b32 %v, %f, %s;\n"
    "    ld.param.u64 %a, [p]; ld.param.u32 %f, [factor]; ld.param.u32 %s, [summand];\n"
    "    ld.global.u32 %v, [%a]; mad.lo.u32 %v, %v, %f, %s; st.global.u32 [%a], %v;\n"
    "    ret;\n"
    "}\n";

static const PtxShape one = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };

static void count(void *user)
{
    ++*(int *)user;
}

static void check_graphs(PtxDevice *device, PtxStream *stream, PtxKernel *step)
{
    uint32_t *value, *other, factor = 2, summand = 0;
    int calls = 0;
    OK(ptx_malloc(device, 4, (void **)&value));
    OK(ptx_malloc(device, 16, (void **)&other));
    const void *arguments[] = { &value, &factor, &summand };
    PtxGraph *graph, *inner, *copy, *none;
    PtxExecutableGraph *executable;
    PtxEvent *event;
    size_t nodes;
    OK(ptx_event_create(&event));
    OK(ptx_graph_create(&graph));
    OK(ptx_graph_create(&inner));
    uint32_t first, second, copied, filled, called, recorded, waited, empty, child, unused;
    OK(ptx_graph_add_kernel(graph, step, &one, arguments, NULL, 0, &first));
    factor = 1, summand = 1;
    OK(ptx_graph_add_kernel(graph, step, &one, arguments, &first, 1, &second));
    OK(ptx_graph_add_kernel(inner, step, &one, arguments, NULL, 0, &child));
    PtxBox rows = { .to = other, .from = value, .width = 4, .height = 1, .depth = 1 };
    OK(ptx_graph_add_copy(graph, &rows, &second, 1, &copied));
    rows.to = other + 1;
    OK(ptx_graph_add_fill(graph, &rows, "ab", 2, NULL, 0, &filled));
    OK(ptx_graph_add_call(graph, count, &calls, NULL, 0, &called));
    OK(ptx_graph_add_record(graph, event, NULL, 0, &recorded));
    OK(ptx_graph_add_wait(graph, event, &recorded, 1, &waited));
    uint32_t all[] = { copied, filled, called, waited };
    OK(ptx_graph_add_empty(graph, all, 4, &empty));
    OK(ptx_graph_add_graph(graph, inner, &empty, 1, &child));
    FAILS(ptx_graph_add_empty(graph, &(uint32_t){ 99 }, 1, &unused), PTX_INVALID_GRAPH, "no such node");
    KIND(PTX_ERROR_INVALID_GRAPH);
    OK(ptx_graph_clone(graph, &copy));
    OK(ptx_graph_add_dependency(copy, first, child));
    FAILS(ptx_graph_instantiate(copy, &executable), PTX_INVALID_GRAPH, "cycle");
    OK(ptx_graph_remove_dependency(copy, first, child));
    OK(ptx_graph_remove(copy, child));
    OK(ptx_graph_node_count(copy, &nodes));
    EXPECT(nodes == 8);

    OK(ptx_graph_instantiate(graph, &executable));
    *value = 5;
    OK(ptx_stream_launch_graph(stream, executable));
    OK(ptx_stream_synchronize(stream));
    EXPECT(*value == 12 && other[0] == 11 && memcmp(other + 1, "abab", 4) == 0 && calls == 1);
    OK(ptx_event_query(event));
    factor = 3, summand = 0;
    OK(ptx_executable_graph_set_kernel(executable, first, step, &one, arguments));
    OK(ptx_executable_graph_set_enabled(executable, called, false));
    OK(ptx_stream_launch_graph(stream, executable));
    OK(ptx_stream_synchronize(stream));
    EXPECT(*value == 38 && other[0] == 37 && calls == 1);
    OK(ptx_executable_graph_update(executable, graph));
    FAILS(ptx_executable_graph_update(executable, copy), PTX_INVALID_GRAPH, "differ");
    OK(ptx_stream_launch_graph(stream, executable));
    OK(ptx_stream_synchronize(stream));
    EXPECT(*value == 78);
    OK(ptx_executable_graph_destroy(executable));

    bool is_captured;
    OK(ptx_stream_begin_capture(stream));
    OK(ptx_stream_is_captured(stream, &is_captured));
    OK(ptx_launch(step, &one, arguments, stream));
    FAILS(ptx_stream_synchronize(stream), PTX_INVALID_GRAPH, "captured");
    KIND(PTX_ERROR_CAPTURE);
    EXPECT(is_captured && *value == 78);
    FAILS(ptx_stream_end_capture(stream, &none), PTX_INVALID_GRAPH, "captured");
    OK(ptx_stream_begin_capture(stream));
    OK(ptx_launch(step, &one, arguments, stream));
    OK(ptx_graph_destroy(copy));
    OK(ptx_stream_end_capture(stream, &copy));
    OK(ptx_graph_instantiate(copy, &executable));
    OK(ptx_stream_launch_graph(stream, executable));
    OK(ptx_executable_graph_destroy(executable));
    OK(ptx_stream_synchronize(stream));
    EXPECT(*value == 234);
    OK(ptx_graph_destroy(copy));
    OK(ptx_graph_destroy(inner));
    OK(ptx_graph_destroy(graph));
    OK(ptx_event_destroy(event));
}

static void check_boxes(PtxDevice *device, PtxStream *stream)
{
    unsigned char *a, *b, host[24], back[24] = { 0 };
    OK(ptx_malloc(device, 64, (void **)&a));
    OK(ptx_malloc(device, 64, (void **)&b));
    for (int i = 0; i < 24; i++)
        host[i] = (unsigned char)i;
    /* Two planes of two rows of three bytes. */
    PtxBox in = { a + 1, 8, 32, host, 5, 12, 3, 2, 2 }, over = { b, 4, 16, a + 1, 8, 32, 3, 2, 2 }, out = { back, 5, 12, b, 4, 16, 3, 2, 2 };
    OK(ptx_copy_box_in(device, &in));
    OK(ptx_copy_box(device, &over));
    OK(ptx_copy_box_out(device, &out));
    for (int i = 0; i < 24; i++)
        EXPECT(back[i] == (i % 12 % 5 < 3 && i % 12 < 10 ? i : 0));
    EXPECT(a[1 + 32 + 8 + 2] == 12 + 5 + 2 && b[16 + 4 + 2] == 12 + 5 + 2);
    OK(ptx_fill_box(device, &in, "xyz", 3));
    OK(ptx_stream_copy_box(stream, &over));
    OK(ptx_stream_copy_box_out(stream, &out));
    OK(ptx_stream_synchronize(stream));
    EXPECT(memcmp(back, "xyz", 3) == 0 && memcmp(back + 17, "xyz", 3) == 0);
    OK(ptx_stream_copy_box_in(stream, &in));
    OK(ptx_stream_fill_box(stream, &over, "p", 1));
    OK(ptx_stream_synchronize(stream));
    EXPECT(a[1 + 8 + 1] == 6 && memcmp(b + 4, "ppp", 3) == 0);
    in.to_pitch = 2;
    FAILS(ptx_copy_box_in(device, &in), PTX_INVALID_MEMORY, "rows overlap");
    over.depth = 9;
    FAILS(ptx_copy_box(device, &over), PTX_INVALID_MEMORY, "out of bounds");
}

static void check_streams(PtxDevice *device, PtxKernel *step)
{
    PtxStreamOptions options = { .role = PTX_STREAM_DEFAULT };
    PtxStream *legacy, *blocking;
    uint64_t id, other;
    OK(ptx_stream_create_with(device, &options, &legacy));
    options = (PtxStreamOptions){ .role = PTX_STREAM_BLOCKING, .priority = -2 };
    OK(ptx_stream_create_with(device, &options, &blocking));
    options.role = 3;
    FAILS(ptx_stream_create_with(device, &options, &blocking), PTX_INVALID_VALUE, "expected 0, 1 or 2");
    OK(ptx_stream_id(legacy, &id));
    OK(ptx_stream_id(blocking, &other));
    EXPECT(id != other);
    /* The blocking stream waits for the default stream, which waits for a number. */
    uint32_t *value, factor = 1, summand = 1;
    uint64_t *flag;
    OK(ptx_malloc(device, 8, (void **)&flag));
    OK(ptx_stream_malloc(legacy, 4, (void **)&value));
    const void *arguments[] = { &value, &factor, &summand };
    OK(ptx_stream_wait_value(legacy, flag, 7, 8, PTX_CONDITION_EQUAL));
    OK(ptx_launch(step, &one, arguments, blocking));
    FAILS(ptx_stream_query(blocking), PTX_NOT_READY, "work to do");
    EXPECT(*value == 0);
    PtxStream *free_stream;
    OK(ptx_stream_create(device, &free_stream));
    FAILS(ptx_stream_write_value(free_stream, flag, 7, 2), PTX_INVALID_VALUE, "expected 4 or 8");
    OK(ptx_stream_write_value(free_stream, flag, 7, 8));
    OK(ptx_stream_synchronize(blocking));
    EXPECT(*value == 1);
    OK(ptx_stream_free(blocking, value));
    OK(ptx_stream_synchronize(blocking));
    FAILS(ptx_stream_free(blocking, value), PTX_INVALID_MEMORY, "freed");
    OK(ptx_stream_destroy(free_stream));
    OK(ptx_stream_destroy(blocking));
    OK(ptx_stream_destroy(legacy));
}

int main(void)
{
    PtxDevice *device;
    PtxModule *module;
    PtxKernel *step;
    PtxStream *stream;
    OK(ptx_device_create(NULL, &device));
    OK(ptx_device_print_to_stdout(device));
    OK(ptx_module_load(device, "step.ptx", step_text, &module));
    OK(ptx_kernel_get(module, "step", &step));
    OK(ptx_stream_create(device, &stream));
    check_graphs(device, stream, step);
    check_boxes(device, stream);
    check_streams(device, step);
    OK(ptx_stream_destroy(stream));
    OK(ptx_kernel_destroy(step));
    OK(ptx_module_destroy(module));
    OK(ptx_device_destroy(device));
    puts("ok");
    return 0;
}
