// Runs the CUDA kernels on the CPU, for test_kernels.py, which puts their sources between the two halves of this file.
//
// The threads of a block are fibers. Each runs until it waits for the others; who runs next is drawn, so that a missing
// barrier shows. Memory ends at a page that nobody may touch, and is filled with nonsense before.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <sys/mman.h>
#include <ucontext.h>
#include <vector>

using std::isnan;
using std::max;
using std::min;

#define __device__
#define __global__
#define __shared__ static
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct Index {
    unsigned x, y;
};

static Index threadIdx, blockIdx, blockDim, gridDim;
static char *dynamic_shared;

template <class To, class From> static To bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}
template <class T> static void __stcs(T *to, T value) { *to = value; }
static uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
static float __int_as_float(int value) { return bits<float>(value); }
static float __uint_as_float(unsigned value) { return bits<float>(value); }
static unsigned __float_as_uint(float value) { return bits<unsigned>(value); }
static double __longlong_as_double(long long value) { return bits<double>(value); }
static long long __double_as_longlong(double value) { return bits<long long>(value); }
static int __popc(unsigned value) { return __builtin_popcount(value); }
static void atomicOr(unsigned *to, unsigned value) { *to |= value; }
static unsigned atomicAdd(unsigned *to, unsigned value) {
    const unsigned before = *to;
    *to += value;
    return before;
}
static long long __float2ll_rn(float value) { return llrintf(value); }
static float __ll2float_rn(long long value) { return (float)value; }

// ---- fibers and barriers ----

static std::vector<ucontext_t> fibers;
static std::vector<char> finished;
static ucontext_t scheduler;
static unsigned running;

struct Barrier {
    unsigned arrived = 0, round = 0;

    void wait(unsigned all) {
        const unsigned mine = round;
        if (++arrived == all) {
            arrived = 0;
            ++round;
        }
        while (round == mine) swapcontext(&fibers[running], &scheduler);
    }
};

static Barrier block_barrier, warp_barriers[32];
static unsigned any_of_block, exchanged[32][32];
static double exchanged_numbers[32][32];

static unsigned lane() { return threadIdx.x % 32; }
static unsigned warp() { return threadIdx.x / 32; }
static void __syncthreads() { block_barrier.wait(blockDim.x); }
static void __syncwarp() { warp_barriers[warp()].wait(32); }
static int __syncthreads_or(int value) {
    if (value) any_of_block = 1;
    __syncthreads();
    const int result = any_of_block;
    __syncthreads();
    any_of_block = 0;
    __syncthreads();
    return result;
}
template <class T> static T value_of(T value, unsigned other) {
    T result;
    memcpy(&exchanged_numbers[warp()][lane()], &value, sizeof(T));
    __syncwarp();
    memcpy(&result, &exchanged_numbers[warp()][other], sizeof(T));
    __syncwarp();
    return result;
}
template <class T> static T __shfl_xor_sync(unsigned, T value, int way) { return value_of(value, lane() ^ way); }
template <class T> static T __shfl_down_sync(unsigned, T value, unsigned way) {
    return value_of(value, lane() + way < 32 ? lane() + way : lane());
}
static unsigned __match_any_sync(unsigned, unsigned value) {
    exchanged[warp()][lane()] = value;
    __syncwarp();
    unsigned same = 0;
    for (unsigned other = 0; other < 32; ++other) same |= (exchanged[warp()][other] == value) << other;
    __syncwarp();
    return same;
}
static bool __any_sync(unsigned, bool value) { return __match_any_sync(0, value) != 0xffffffffu || value; }

// ---- the sources of the kernels ----

KERNELS

// ---- memory and launches ----

// A copy, or room, that ends at a page which nobody may touch.
struct Guarded {
    static const size_t PAGE = 4096;
    char *start, *address;
    size_t pages;

    Guarded(size_t size, size_t alignment, const void *from = nullptr) {
        pages = (size + alignment + PAGE) / PAGE * PAGE;
        start = (char *)mmap(nullptr, pages + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(start + pages, PAGE, PROT_NONE);
        memset(start, 0xab, pages);
        address = start + pages - (size + alignment - 1) / alignment * alignment;
        if (from) memcpy(address, from, size);
    }
    ~Guarded() { munmap(start, pages + PAGE); }
    Guarded(const Guarded &) = delete;
};

static std::function<void()> kernel;

static void run_fiber() {
    kernel();
    finished[running] = 1;
    swapcontext(&fibers[running], &scheduler);
}

static void launch(unsigned blocks, unsigned members, unsigned threads, size_t shared, std::function<void()> what) {
    static unsigned drawn = 1;
    static std::vector<std::vector<char>> stacks;
    kernel = what;
    stacks.resize(std::max<size_t>(stacks.size(), threads), std::vector<char>(1 << 16));
    std::vector<unsigned> order(threads);
    for (unsigned thread = 0; thread < threads; ++thread) order[thread] = thread;
    blockDim = {threads, 1};
    gridDim = {blocks, members};
    for (unsigned block = 0; block < blocks * members; ++block) {
        Guarded memory(shared, 16);
        dynamic_shared = memory.address;
        blockIdx = {block % blocks, block / blocks};
        block_barrier = {};
        for (Barrier &barrier : warp_barriers) barrier = {};
        fibers.assign(threads, {});
        finished.assign(threads, 0);
        for (unsigned thread = 0; thread < threads; ++thread) {
            getcontext(&fibers[thread]);
            fibers[thread].uc_stack = {stacks[thread].data(), 0, stacks[thread].size()};
            fibers[thread].uc_link = &scheduler;
            makecontext(&fibers[thread], run_fiber, 0);
        }
        for (unsigned left = threads; left > 0;) {
            for (unsigned at = threads; at > 1; --at) {
                drawn = drawn * 1664525u + 1013904223u;
                std::swap(order[at - 1], order[(drawn >> 8) % at]);
            }
            for (unsigned thread : order) {
                if (finished[thread]) continue;
                running = thread;
                threadIdx = {thread, 0};
                swapcontext(&scheduler, &fibers[thread]);
                left -= finished[thread];
            }
        }
    }
}

// The words of rules start with how many they have of what: words.rs.
struct Outline {
    unsigned classes, levels, heads, literals, bodies, cycles, line_levels, lines;

    size_t room() const { return (16 * (levels + heads) + 4 * (literals + bodies) + 15) / 16 * 16; }
    size_t all() const { return sizeof(Outline) + room() + 16 * lines + 4 * (line_levels + classes); }
    // What cycles need in addition, for so many bytes per class.
    size_t next(size_t bytes) const { return cycles ? bytes * classes : 0; }
};

static const Outline &outline_of(const void *words) { return *(const Outline *)words; }

static Rules rules_of(const char *words, bool copied) {
    const Outline &outline = outline_of(words);
    Rules rules;
    rules.classes = outline.classes;
    rules.levels = outline.levels;
    rules.level = (const uint4 *)(words + sizeof(Outline));
    rules.heads = rules.level + outline.levels;
    rules.literals = (const unsigned *)(rules.heads + outline.heads);
    rules.bodies = outline.bodies ? rules.literals + outline.literals : nullptr;
    rules.head_count = outline.heads;
    rules.literal_count = outline.literals;
    rules.room = copied ? outline.room() : 0;
    rules.line_levels = outline.line_levels;
    rules.line_count = outline.lines;
    rules.lines = (const uint4 *)((const char *)rules.level + outline.room());
    rules.line_ends = (const unsigned *)(rules.lines + outline.lines);
    rules.stratum = rules.line_ends + outline.line_levels;
    return rules;
}

static size_t size_of(unsigned kind) { return kind < 2 ? 2 : kind == 2 ? 4 : 8; }

// How the rows of a block are computed.
enum Form : unsigned { WIDE, NARROW, LINES };

extern "C" void emulate_layer(unsigned lanes, Form form, const void *words, const void *given, void *coherent, unsigned *delegates,
                              unsigned rows, unsigned scale, unsigned kind, unsigned blocks, unsigned threads, bool copied, bool outside) {
    const Outline &outline = outline_of(words);
    const size_t wide = kind == 3 ? 8 : 4, cells = (size_t)outline.classes * lanes;
    const size_t cycles = outline.cycles ? wide * cells + 16 : 0;
    const size_t room = ((wide + (form == WIDE ? 4 : 2)) * cells + cycles + 15) / 16 * 16;
    const size_t size = size_of(kind), count = (size_t)rows * outline.classes;
    Guarded held(outline.all(), 16, words), from(count * size, size, given);
    Guarded to(count * size, size), who(count * 4, 4), apart(outside ? room * blocks : 16, 16);
    const Rules rules = rules_of(held.address, copied && !outside);
    auto *function = kind == 3       ? layer_double
                     : outside       ? layer_single_outside
                     : form == LINES ? (lanes == 1 ? layer_lines_1 : layer_lines_2)
                     : form == NARROW ? (lanes == 1 ? layer_narrow_1 : layer_narrow_2)
                     : lanes == 1    ? layer_single_1
                     : lanes == 2    ? layer_single_2
                                     : layer_single_4;
    launch(blocks, 1, threads, (outside ? 0 : room) + rules.room, [&] {
        function(rules, from.address, to.address, (unsigned *)who.address, rows, scale, kind, nullptr,
                 outside ? apart.address : nullptr, room);
    });
    memcpy(coherent, to.address, count * size);
    memcpy(delegates, who.address, count * 4);
}

extern "C" void emulate_scatter(const unsigned *delegates, const void *gradient, void *result, unsigned rows,
                                unsigned classes, unsigned kind, unsigned blocks) {
    const size_t count = (size_t)rows * classes, size = size_of(kind), wide = kind == 3 ? 8 : 4;
    Guarded who(count * 4, 4, delegates), from(count * size, size, gradient), to(count * size, size);
    const unsigned *held = (const unsigned *)who.address;
    launch(blocks, 1, 32, classes * wide, [&] {
        if (kind == 3) scatter_double(held, from.address, to.address, 1.0, rows, classes, kind, nullptr);
        else scatter_single(held, from.address, to.address, 1.0, rows, classes, kind, nullptr);
    });
    memcpy(result, to.address, count * size);
}

// Bytes of the loss and the selection per block, for `side` rows: `Space` in labels.cu.
static size_t room_of(const Outline &outline, size_t wide, unsigned lanes, unsigned side) {
    const size_t own = (outline.classes * (side * (wide + 4) + 1) + 15) / 16 * 16;
    return (own + outline.next(wide * lanes) + 15) / 16 * 16;
}

// With `losses`, `selected` gets the slopes of the loss.
extern "C" void emulate_select(unsigned lanes, Form form, const void *words, const void *logits, const u8 *labels, void *selected,
                               unsigned *delegates, double *losses, unsigned *broken, const u8 *evaluated, unsigned rows,
                               unsigned kind, unsigned blocks, unsigned threads, bool copied) {
    const Outline &outline = outline_of(words);
    const size_t wide = kind == 3 ? 8 : 4, count = (size_t)rows * outline.classes;
    const size_t room = room_of(outline, wide, lanes, max(lanes, 2u));
    const size_t size = size_of(kind), written = losses ? wide : size;
    Guarded held(outline.all(), 16, words), from(count * size, size, logits);
    Guarded truth(count, 1, labels), to(count * written, written), who(count * 4, 4);
    const Rules rules = rules_of(held.address, copied);
    const Selection into = {to.address, (unsigned *)who.address, losses, broken, evaluated};
    auto *function = kind == 3       ? select_double
                     : form == LINES ? (lanes == 1 ? select_lines_1 : select_lines_2)
                     : lanes == 1    ? select_single
                                     : select_single_2;
    launch(blocks, 1, threads, room + rules.room, [&] {
        function(rules, from.address, (const u8 *)truth.address, into, rows, kind, nullptr, room);
    });
    memcpy(selected, to.address, count * written);
    memcpy(delegates, who.address, count * 4);
}

// One step of training: `task` and `batch` have addresses of the caller's memory, so only the gradient is guarded.
extern "C" void emulate_loss(unsigned lanes, Form form, const void *words, LossTask task, Batch batch, unsigned ahead,
                             unsigned members, unsigned threads, bool copied, bool outside) {
    const Outline &outline = outline_of(words);
    const unsigned side = lanes == 1 && batch.broken ? 2 : lanes, blocks = (task.height + lanes - 1) / lanes;
    const size_t room = room_of(outline, 4, lanes, side);
    Guarded held(outline.all(), 16, words), apart(outside ? room * blocks * members : 16, 16);
    const Rules rules = rules_of(held.address, copied && !outside);
    auto *function = outside         ? loss_outside
                     : form == LINES ? (lanes == 1   ? loss_lines_1
                                        : lanes == 2 ? loss_lines_2
                                                     : loss_lines_4)
                     : lanes == 1    ? loss_inside_1
                                     : loss_inside_2;
    launch(blocks, members, threads, outside ? 0 : room + rules.room,
           [&] { function(rules, task, batch, ahead, outside ? apart.address : nullptr, room); });
}
