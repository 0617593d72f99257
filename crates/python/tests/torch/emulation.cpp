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
    unsigned x;
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
template <class T> static T __shfl_xor_sync(unsigned, T value, int way) {
    T result;
    memcpy(&exchanged_numbers[warp()][lane()], &value, sizeof(T));
    __syncwarp();
    memcpy(&result, &exchanged_numbers[warp()][lane() ^ way], sizeof(T));
    __syncwarp();
    return result;
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

static void launch(unsigned blocks, unsigned threads, size_t shared, std::function<void()> what) {
    static unsigned drawn = 1;
    static std::vector<std::vector<char>> stacks;
    kernel = what;
    stacks.resize(std::max<size_t>(stacks.size(), threads), std::vector<char>(1 << 16));
    std::vector<unsigned> order(threads);
    for (unsigned thread = 0; thread < threads; ++thread) order[thread] = thread;
    blockDim = {threads};
    gridDim = {blocks};
    for (unsigned block = 0; block < blocks; ++block) {
        Guarded memory(shared, 16);
        dynamic_shared = memory.address;
        blockIdx = {block};
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
                threadIdx = {thread};
                swapcontext(&scheduler, &fibers[thread]);
                left -= finished[thread];
            }
        }
    }
}

// How many of what the words of rules hold: as `Outline` in rules.rs.
struct Counts {
    unsigned classes, levels, heads, literals, bodies, cycles, briefs;

    size_t room() const { return (16 * (levels + heads) + 4 * (literals + bodies) + 15) / 16 * 16; }
    size_t briefs_at() const { return room() + (4 * classes + 15) / 16 * 16; }
    size_t all() const { return briefs ? briefs_at() + 16 * briefs : room() + 4 * classes; }
};

static Rules rules_of(const char *words, const Counts &counts, bool copied) {
    Rules rules;
    rules.classes = counts.classes;
    rules.levels = counts.levels;
    rules.level = (const uint4 *)words;
    rules.heads = rules.level + counts.levels;
    rules.literals = (const unsigned *)(rules.heads + counts.heads);
    rules.bodies = counts.bodies ? rules.literals + counts.literals : nullptr;
    rules.stratum = (const unsigned *)(words + counts.room());
    rules.head_count = counts.heads;
    rules.literal_count = counts.literals;
    rules.room = copied ? counts.room() : 0;
    rules.briefs = counts.briefs ? (const uint4 *)(words + counts.briefs_at()) : nullptr;
    return rules;
}

static size_t size_of(unsigned kind) { return kind < 2 ? 2 : kind == 2 ? 4 : 8; }

// `lanes` is 1, 2 or 4, or 0 for the kernel whose memory is outside; `narrow` has 1 or 2, `brief` 2.
extern "C" void emulate_layer(unsigned lanes, bool narrow, bool brief, const void *words, Counts counts, const void *given, void *coherent,
                              unsigned *delegates, unsigned rows, unsigned scale, unsigned kind, unsigned blocks,
                              unsigned threads, bool copied, bool outside) {
    const size_t wide = kind == 3 ? 8 : 4, side = lanes ? lanes : 1, cells = counts.classes * side;
    const size_t cycles = counts.cycles ? wide * cells + 16 : 0;
    const size_t room = ((wide + (narrow ? 2 : 4)) * cells + cycles + 15) / 16 * 16;
    const size_t size = size_of(kind), count = (size_t)rows * counts.classes;
    Guarded held(counts.all(), 16, words), from(count * size, size, given);
    Guarded to(count * size, size), who(count * 4, 4), apart(outside ? room * blocks : 16, 16);
    const Rules rules = rules_of(held.address, counts, copied && !outside);
    auto *function = kind == 3    ? layer_double
                     : brief      ? layer_brief_2
                     : narrow     ? (lanes == 1 ? layer_narrow_1 : layer_narrow_2)
                     : lanes == 1 ? layer_single_1
                     : lanes == 2 ? layer_single_2
                     : lanes == 4 ? layer_single_4
                                  : layer_single_outside;
    launch(blocks, threads, (outside ? 0 : room) + rules.room, [&] {
        function(rules, from.address, to.address, (unsigned *)who.address, rows, scale, kind,
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
    launch(blocks, 32, classes * wide, [&] {
        if (kind == 3) scatter_double(held, from.address, to.address, 1.0, rows, classes, kind, nullptr);
        else scatter_single(held, from.address, to.address, 1.0, rows, classes, kind, nullptr);
    });
    memcpy(result, to.address, count * size);
}

// With `losses`, `selected` gets the slopes of the loss.
extern "C" void emulate_select(const void *words, Counts counts, const void *logits, const u8 *labels, void *selected,
                               unsigned *delegates, double *losses, unsigned *broken, const u8 *evaluated,
                               unsigned rows, unsigned kind, unsigned blocks, unsigned threads, bool copied) {
    const size_t wide = kind == 3 ? 8 : 4, count = (size_t)rows * counts.classes;
    const size_t room = ((size_t)counts.classes * (3 * wide + 9) + 15) / 16 * 16;
    const size_t size = size_of(kind), written = losses ? wide : size;
    Guarded held(counts.all(), 16, words), from(count * size, size, logits);
    Guarded truth(count, 1, labels), to(count * written, written), who(count * 4, 4);
    const Rules rules = rules_of(held.address, counts, copied);
    const Selection into = {to.address, (unsigned *)who.address, losses, broken, evaluated};
    launch(blocks, threads, room + rules.room, [&] {
        const u8 *known = (const u8 *)truth.address;
        if (kind == 3) select_double(rules, from.address, known, into, rows, kind, nullptr, room);
        else select_single(rules, from.address, known, into, rows, kind, nullptr, room);
    });
    memcpy(selected, to.address, count * written);
    memcpy(delegates, who.address, count * 4);
}
