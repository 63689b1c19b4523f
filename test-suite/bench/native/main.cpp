// The part of a native program that reads arguments, takes times and writes results.
#include "bench.h"

static void fail(const std::string &why)
{
    fprintf(stderr, "%s\n", why.c_str());
    exit(1);
}

// Aligned to pages; 2 MiB from where pages may be as large, as the buffers of other engines are.
static uint32_t *allocate(size_t bytes)
{
    void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!memory)
        fail("no memory");
    memset(memory, 0, bytes);
    return static_cast<uint32_t *>(memory);
}

static Arguments::One argument(const std::string &text)
{
    Arguments::One one;
    const size_t middle = text.find('=');
    if (middle == std::string::npos)
        fail("an argument is KIND=VALUE, not " + text);
    const std::string kind = text.substr(0, middle), value = text.substr(middle + 1);
    const size_t colon = value.rfind(':');
    if (kind == "i32" || kind == "u32") {
        one.word = static_cast<uint32_t>(std::stoll(value));
    } else if (kind == "f32") {
        const float number = std::stof(value);
        memcpy(&one.word, &number, sizeof number);
    } else if (kind == "out" && colon != std::string::npos) {
        one.bytes = std::stoull(value.substr(0, colon));
        one.words = allocate(one.bytes);
        one.to = value.substr(colon + 1);
    } else if (kind == "in" || (kind == "inout" && colon != std::string::npos)) {
        FILE *file = fopen(value.substr(0, kind == "in" ? value.size() : colon).c_str(), "rb");
        if (!file || fseek(file, 0, SEEK_END))
            fail("cannot read " + value);
        one.bytes = ftell(file);
        one.words = allocate(one.bytes);
        rewind(file);
        if (fread(one.words, 1, one.bytes, file) != one.bytes)
            fail("cannot read " + value);
        fclose(file);
        if (kind == "inout")
            one.to = value.substr(colon + 1);
    } else {
        fail("not an argument: " + text);
    }
    return one;
}

// What another way of launching needs before and after; native code needs neither.
__attribute__((weak)) void prepare(const Arguments &) {}
__attribute__((weak)) void finish(const Arguments &) {}

static int64_t nanoseconds(clockid_t clock)
{
    timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int main(int count, char **given)
{
    Arguments arguments;
    long repeat = 1;
    for (int at = 1; at < count; at++) {
        if (!strcmp(given[at], "--repeat") && at + 1 < count)
            repeat = atol(given[++at]);
        else
            arguments.list.push_back(argument(given[at]));
    }
    const int64_t begin = nanoseconds(CLOCK_MONOTONIC);
    prepare(arguments);
    const int64_t compile = nanoseconds(CLOCK_MONOTONIC) - begin;
    for (long number = 0; number < repeat; number++) {
        const int64_t cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID), wall = nanoseconds(CLOCK_MONOTONIC);
        launch(arguments);
        const int64_t passed = nanoseconds(CLOCK_MONOTONIC) - wall, used = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        printf("{\"launch\":%ld,\"compile_ns\":%lld,\"wall_ns\":%lld,\"cpu_ns\":%lld}\n", number, (long long)(number ? 0 : compile), (long long)passed, (long long)used);
    }
    finish(arguments);
    for (const Arguments::One &one : arguments.list) {
        if (one.to.empty())
            continue;
        FILE *file = fopen(one.to.c_str(), "wb");
        if (!file || fwrite(one.words, 1, one.bytes, file) != one.bytes || fclose(file))
            fail("cannot write " + one.to);
    }
}
