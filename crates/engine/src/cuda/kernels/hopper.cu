// Large products on Hopper: the forward pass, the gradient of the layer below, and the update, as in
// products.cu and updates.cu.
//
//     forward   sums[output][row]   = w[output][k] x[row][k]        k: inputs
//     below     sums[input][row]    = w[k][input] g[row][k]         k: outputs
//     update    sums[output][input] = g[k][output] x[k][input]      k: rows
//
// Operand a, weights or the gradient, goes through registers: there it is rounded, or split in two, and
// transposed where it does not lie along k. Operand b has to lie along k in shared memory. So for the
// update units are stored a second time, transposed. For `fp32` there is, beside what is operand b, a
// matrix of what is left of it after its first 19 bits, which are all that the tensor cores see; for
// `tf32` it is rounded by the unit that copies it.

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

enum class Way { FORWARD, BELOW, UPDATE };

// A tile: 64 rows of each of FRAGMENTS of each of GROUPS warpgroups, N columns. One more warpgroup
// has one thread that fills the ring. Where only one group multiplies, a multiprocessor has two blocks.
template <Way WAY_, int GROUPS_, int FRAGMENTS_, int N_, int STAGES_, bool EXACT_> struct Group {
    static constexpr Way WAY = WAY_;
    static constexpr bool EXACT = EXACT_;
    static constexpr int GROUPS = GROUPS_, FRAGMENTS = FRAGMENTS_, N = N_, STAGES = STAGES_;
    static constexpr int M = 64 * GROUPS * FRAGMENTS;
    static constexpr int WORKING = 128 * GROUPS, THREADS = WORKING + 128, BLOCKS = 3 - GROUPS;
    static constexpr int A_BYTES = M * DEPTH * 4, B_BYTES = N * DEPTH * 4;
    static constexpr int STAGE = A_BYTES + B_BYTES * (EXACT ? 2 : 1);
    // Rows of a tile that a thread has. In `below` and `update` they follow each other.
    static constexpr int OWN = 2 * FRAGMENTS;
    // An update gets weights and moments in slices: one of the rows of each thread, 64 inputs.
    static constexpr int SLICE = 64, SLICE_ROWS = M / OWN;
    static constexpr int HALF_SLICE = SLICE_ROWS * 32; // numbers: the boxes have 32 columns
    static constexpr int SLICE_BYTES = 3 * 2 * HALF_SLICE * 4;
    static_assert(WAY != Way::UPDATE || SLICE_BYTES <= STAGE, "a slice fits into a stage");

    typedef float Sums[FRAGMENTS][N / 2];
};

// What is copied to a stage.
struct Operands {
    Boxes a;
    Boxes b;
    Boxes rest; // of b
};

// Where a thread's rows of a tile are. They are chosen so that reading the tile of operand a meets every
// bank once, where it lies across k.
template <class T> struct OwnRows {
    u32 warp, g, c;
    u32 chunk;  // of 16 bytes, in a box of 32 rows
    u32 first;  // of the tile: forward: the others are 8, 16, 24 further; otherwise next to it
    u32 box;

    __device__ OwnRows() {
        const u32 lane = threadIdx.x % 32;
        warp = threadIdx.x / 32, g = lane / 4, c = lane % 4;
        if (T::WAY == Way::FORWARD) {
            chunk = box = 0, first = warp * (16 * T::FRAGMENTS) + g;
        } else if (T::FRAGMENTS == 2) {
            chunk = g / 2 + 4 * (g % 2), box = warp;
            first = box * 32 + 4 * chunk;
        } else {
            chunk = 2 * (warp % 2) + g / 4 + 4 * (g / 2 % 2), box = warp / 2;
            first = box * 32 + 4 * chunk + 2 * (g % 2);
        }
    }
};

// Numbers of operand a of a stage: of the step `eight` of k, the half `half` of it, and COUNT of the thread's
// rows from `row` on. Across k they follow each other in memory.
template <class T, int COUNT>
__device__ inline void operand_a(const float *as, const OwnRows<T> &own, int eight, int half,
                                 int row, float (&numbers)[COUNT]) {
    if constexpr (T::WAY == Way::FORWARD) {
        const u32 chunk = (2 * eight + half) ^ own.g;
#pragma unroll
        for (int i = 0; i < COUNT; ++i)
            numbers[i] = as[(own.first + 8 * (row + i)) * DEPTH + (chunk << 2) + own.c];
    } else {
        const u32 k = 8 * eight + 4 * half + own.c, chunk = own.chunk ^ (4 * half + own.c);
        const u32 within = T::FRAGMENTS == 2 ? row : 2 * (own.g % 2) + row;
        const float *from = as + own.box * 1024 + k * 32 + (chunk << 2) + within;
        if constexpr (COUNT == 4) {
            const float4 four = *(const float4 *)from;
            numbers[0] = four.x, numbers[1] = four.y, numbers[2] = four.z, numbers[3] = four.w;
        } else {
            const float2 two = *(const float2 *)from;
            numbers[0] = two.x, numbers[1] = two.y;
        }
    }
}

// The products of a stage.
template <class T>
__device__ inline void multiply_group(const float *as, u64 b, const OwnRows<T> &own,
                                      typename T::Sums &sums) {
    if constexpr (!T::EXACT) {
        u32 a[DEPTH / 8][T::FRAGMENTS][4];
#pragma unroll
        for (int eight = 0; eight < DEPTH / 8; ++eight)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                float numbers[T::OWN];
                operand_a<T>(as, own, eight, half, 0, numbers);
#pragma unroll
                for (int row = 0; row < T::OWN; ++row)
                    a[eight][row / 2][row % 2 + 2 * half] = rounded(numbers[row]);
            }
        begin_products();
#pragma unroll
        for (int eight = 0; eight < DEPTH / 8; ++eight)
#pragma unroll
            for (int f = 0; f < T::FRAGMENTS; ++f)
                multiply(sums[f], a[eight][f], b + OPERAND_STEP * eight, true);
        end_products();
    } else {
        const u64 rest = b + (T::B_BYTES >> 4);
#pragma unroll
        for (int f = 0; f < T::FRAGMENTS; ++f) {
            // Tensor cores cut off what does not fit when they add: long sums are added here.
            float part[T::N / 2];
#pragma unroll
            for (int side = 0; side < 2; ++side) {
                Parts<true, 4> a[2];
#pragma unroll
                for (int eight = 0; eight < 2; ++eight)
#pragma unroll
                    for (int half = 0; half < 2; ++half) {
                        float numbers[2];
                        operand_a<T>(as, own, 2 * side + eight, half, 2 * f, numbers);
                        a[eight].take(2 * half, numbers[0]);
                        a[eight].take(1 + 2 * half, numbers[1]);
                    }
                const u64 at = OPERAND_STEP * 2 * side;
                begin_products();
                // The small parts first.
#pragma unroll
                for (int eight = 0; eight < 2; ++eight)
                    multiply(part, a[eight].low, b + at + OPERAND_STEP * eight, side + eight > 0);
#pragma unroll
                for (int eight = 0; eight < 2; ++eight)
                    multiply(part, a[eight].high, rest + at + OPERAND_STEP * eight, true);
#pragma unroll
                for (int eight = 0; eight < 2; ++eight)
                    multiply(part, a[eight].high, b + at + OPERAND_STEP * eight, true);
                end_products();
            }
#pragma unroll
            for (int i = 0; i < T::N / 2; ++i) sums[f][i] += part[i];
        }
    }
}

// Where a tile begins: rows and columns. Forward and below, tiles of the same rows follow each other;
// updates go through bands of `band` rows of tiles.
template <class T>
__device__ inline void place_of_group(const Division &by, u32 tile, u32 &m, u32 &n) {
    if constexpr (T::WAY == Way::UPDATE) {
        const u32 band = tile / (by.tiles_n * by.band), within = tile - band * by.tiles_n * by.band;
        const u32 high = min(by.band, by.tiles_m - band * by.band);
        m = (band * by.band + within % high) * T::M;
        n = within / high * T::N;
    } else {
        m = tile / by.tiles_n * T::M;
        n = tile % by.tiles_n * T::N;
    }
}

// Fills the stages of a portion.
template <class T>
__device__ inline void fill_stages(Ring<T::STAGES> &ring, u32 memory, const Operands &from,
                                   const Portion &portion, u32 m, u32 n, u32 slot) {
    for (u32 stage = portion.begin; stage < portion.end; ++stage, ring.next()) {
        const u32 barrier = ring.fill(T::STAGE), to = memory + ring.place * T::STAGE;
        const u32 k = stage * DEPTH;
        if constexpr (T::WAY == Way::FORWARD) {
            copy_box(to, from.a, k, m, slot, barrier);
        } else {
#pragma unroll
            for (int box = 0; box < T::M / 32; ++box)
                copy_box(to + box * 4096, from.a, m + box * 32, k, slot, barrier);
        }
        copy_box(to + T::A_BYTES, from.b, k, n, slot, barrier);
        if constexpr (T::EXACT)
            copy_box(to + T::A_BYTES + T::B_BYTES, from.rest, k, n, slot, barrier);
    }
}

// The sums of a portion.
template <class T>
__device__ inline void sums_of_portion(Ring<T::STAGES> &ring, u32 memory, const float *numbers,
                                       const Portion &portion, const OwnRows<T> &own,
                                       typename T::Sums &sums) {
#pragma unroll
    for (int f = 0; f < T::FRAGMENTS; ++f)
#pragma unroll
        for (int i = 0; i < T::N / 2; ++i) sums[f][i] = 0.0f;
    for (u32 stage = portion.begin; stage < portion.end; ++stage, ring.next()) {
        ring.wait_for_stage();
        multiply_group<T>(numbers + ring.place * (T::STAGE / 4),
                          operand(memory + ring.place * T::STAGE + T::A_BYTES), own, sums);
        ring.release();
    }
}

// The next columns come forward in the sums of a thread: straight code for all of them would take longer
// to fetch than to run.
template <class T> __device__ inline void bring_forward(typename T::Sums &sums) {
#pragma unroll
    for (int f = 0; f < T::FRAGMENTS; ++f)
#pragma unroll
        for (int i = 0; i < T::N / 2 - 8; ++i) sums[f][i] = sums[f][i + 8];
}

// Where the shared memory that is asked for at a launch begins: at a multiple of 1024.
__device__ inline float *ring_memory(float *given) {
    const u32 at = (u32)__cvta_generic_to_shared(given);
    return given + (((at + 1023) & ~1023u) - at) / 4;
}

// Registers move from the warpgroup that fills stages to those that multiply.
template <class T> __device__ inline void take_registers() {
    if constexpr (T::GROUPS == 2) asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    else asm volatile("setmaxnreg.inc.sync.aligned.u32 216;");
}
__device__ inline void leave_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
}

// A product of a layer on Hopper.
struct GroupProduct {
    Operands operands;
    Product product;
};

// Which of a thread's sums dropout keeps, in the columns from `row` on: for each of its rows and both
// eights of columns, two bits. The four units of a block of random numbers are with four threads, so
// each draws a quarter of the blocks, and hands out the bits.
template <class T>
__device__ inline void kept_of(const Product &p, u64 seed, Position at, u32 first_unit,
                               u32 row, const OwnRows<T> &own, u32 (&kept)[T::OWN][2]) {
#pragma unroll
    for (int q = 0; q < T::OWN; ++q) kept[q][0] = kept[q][1] = 3;
    if (p.activation == 2 || p.dropout.below == 0) return;
    const u32 lane = threadIdx.x % 32, part = own.g % 4;
    const u32 four = (first_unit + 8 * (T::FRAGMENTS == 2 ? part : part % 2) + own.g / 4 * 4) / 4;
    u32 drawn = 0;
#pragma unroll 1
    for (u32 k = 0; k < 2 * T::FRAGMENTS; ++k) {
        const u32 eight = T::FRAGMENTS == 2 ? k / 2 : part / 2;
        const u32 bits = kept_units(p.dropout, seed, at, row + 8 * eight + k % 2, four);
        drawn |= bits << (4 * k);
    }
#pragma unroll
    for (int q = 0; q < T::OWN; ++q)
#pragma unroll
        for (int eight = 0; eight < 2; ++eight) {
            const u32 from = T::FRAGMENTS == 2 ? q : q + 2 * eight;
            u32 given = __shfl_sync(~0u, drawn, (lane & 16) | from << 2 | own.c) >> part;
            if (T::FRAGMENTS == 2) given >>= 8 * eight;
            kept[q][eight] = (given & 1) | (given >> 3 & 2);
        }
}

// Stores the sums of a tile as outputs of units.
template <class T>
__device__ inline void store_group_units(const Product &p, typename T::Sums &sums, u32 slot,
                                         u64 seed, Position at, const OwnRows<T> &own, u32 m,
                                         u32 n) {
    float *to = p.to.cells + slot * p.to.member;
    float *rests = p.rests ? p.rests + slot * p.to.member : nullptr;
    float *turned = p.turned.cells ? p.turned.cells + slot * p.turned.member : nullptr;
    float *turned_rests = p.turned_rests ? p.turned_rests + slot * p.turned.member : nullptr;
    const float scale = p.dropout.scale;
    const u32 first_unit = m + own.warp * (16 * T::FRAGMENTS);
#pragma unroll 1
    for (int sixteen = 0; sixteen < T::N / 16; ++sixteen) {
        const u32 first_row = n + 16 * sixteen + 2 * own.c;
        u32 kept[T::OWN][2];
        kept_of<T>(p, seed, at, first_unit, first_row, own, kept);
#pragma unroll
        for (int q = 0; q < T::OWN; ++q) {
            const u32 unit = first_unit + 8 * q + own.g;
            if (unit >= p.columns) continue;
            const u64 across = (u64)turned_place(unit) * p.turned.stride;
#pragma unroll
            for (int eight = 0; eight < 2; ++eight) {
                const float *sum = &sums[q / 2][4 * eight + 2 * (q % 2)];
                const u32 row = first_row + 8 * eight;
                if (row >= p.rows) continue;
                const float one = unit_of(p.activation, sum[0], kept[q][eight] & 1, scale);
                float two = unit_of(p.activation, sum[1], kept[q][eight] & 2, scale);
                const u64 place = (u64)row * p.to.stride + unit;
                to[place] = one;
                if (rests) rests[place] = rest_of(one);
                if (row + 1 < p.rows) {
                    to[place + p.to.stride] = two;
                    if (rests) rests[place + p.to.stride] = rest_of(two);
                } else {
                    two = 0.0f;
                }
                if (turned) *(float2 *)(turned + across + row) = make_float2(one, two);
                if (turned_rests)
                    *(float2 *)(turned_rests + across + row) =
                        make_float2(rest_of(one), rest_of(two));
            }
        }
        bring_forward<T>(sums);
    }
}

// Stores the sums of a tile as the gradient of the sums of the layer below.
template <class T>
__device__ inline void store_group_gradient(const Product &p, typename T::Sums &sums, u32 slot,
                                            const OwnRows<T> &own, u32 m, u32 n) {
    float *to = p.to.cells + slot * p.to.member;
    float *rests = p.rests ? p.rests + slot * p.to.member : nullptr;
    const float *units = p.units.cells + slot * p.units.member, scale = p.dropout.scale;
    const u32 unit = m + own.first;
#pragma unroll 1
    for (int sixteen = 0; sixteen < T::N / 16; ++sixteen) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const u32 row = n + 16 * sixteen + 8 * (k / 2) + 2 * own.c + k % 2;
            if (row >= p.rows || unit >= p.columns) continue;
            const u64 place = (u64)row * p.to.stride + unit;
            const float *is = units + (u64)row * p.units.stride + unit;
            const int at = 4 * (k / 2) + k % 2;
            if constexpr (T::FRAGMENTS == 2) {
                const float4 four = *(const float4 *)is;
                float4 by;
                by.x = sums[0][at] * slope_of(p.activation, four.x, scale);
                by.y = sums[0][at + 2] * slope_of(p.activation, four.y, scale);
                by.z = sums[1][at] * slope_of(p.activation, four.z, scale);
                by.w = sums[1][at + 2] * slope_of(p.activation, four.w, scale);
                end_row(by, unit, p.columns, 0.0f);
                *(float4 *)(to + place) = by;
                if (rests) *(float4 *)(rests + place) = rests_of(by);
            } else {
                const float2 two = *(const float2 *)is;
                float2 by;
                by.x = sums[0][at] * slope_of(p.activation, two.x, scale);
                by.y = sums[0][at + 2] * slope_of(p.activation, two.y, scale);
                if (unit + 1 >= p.columns) by.y = 0.0f;
                *(float2 *)(to + place) = by;
                if (rests)
                    *(float2 *)(rests + place) = make_float2(rest_of(by.x), rest_of(by.y));
            }
        }
        bring_forward<T>(sums);
    }
}

template <class T> __device__ inline void group_product(const GroupProduct &p, const Step &step) {
    extern __shared__ __align__(1024) float given[];
    __shared__ __align__(8) u64 barriers[2 * T::STAGES];
    float *numbers = ring_memory(given);
    const u32 memory = (u32)__cvta_generic_to_shared(numbers), slot = step.slots[blockIdx.y];
    Ring<T::STAGES> ring(barriers, 4 * T::GROUPS);
    const Product &product = p.product;
    const Division &by = product.by;
    Portions portions(by, blockIdx.x);
    const u32 first_tile = portions.first_tile;
    Portion portion;
    u32 m, n;
    if (threadIdx.x >= T::WORKING) {
        leave_registers();
        if (threadIdx.x > T::WORKING) return;
        while (portions.take(by, portion)) {
            place_of_group<T>(by, portion.tile, m, n);
            fill_stages<T>(ring, memory, p.operands, portion, m, n, slot);
        }
        return;
    }
    take_registers<T>();
    const OwnRows<T> own;
    Position at = *step.position;
    at.step += step.ahead;
    typename T::Sums sums;
    while (portions.take(by, portion)) {
        place_of_group<T>(by, portion.tile, m, n);
        sums_of_portion<T>(ring, memory, numbers, portion, own, sums);
        constexpr int COUNT = T::FRAGMENTS * T::N / 2;
        if (!portion.is_whole && !add_up<T::WORKING>(by, portion, first_tile, blockIdx.y,
                                                     *(float (*)[COUNT])&sums))
            continue;
        if constexpr (T::WAY == Way::FORWARD)
            store_group_units<T>(product, sums, slot, step.seeds[slot], at, own, m, n);
        else
            store_group_gradient<T>(product, sums, slot, own, m, n);
    }
}

// The update of a layer's weights. Those and the moments come through the ring, too, so they are on
// their way while the product is computed.
struct GroupUpdate {
    Operands operands;
    Boxes weights_in, first_in, second_in;
    Update update;
};

// Fills stages with slices of a tile: all inputs of the first row of each thread, then of the second.
template <class T>
__device__ inline void fill_slices(Ring<T::STAGES> &ring, u32 memory, const GroupUpdate &p, u32 m,
                                   u32 n, u32 slot) {
    for (int row = 0; row < T::OWN; ++row)
        for (int column = 0; column < T::N; column += T::SLICE, ring.next()) {
            const u32 barrier = ring.fill(T::SLICE_BYTES), to = memory + ring.place * T::STAGE;
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const u32 at = to + half * (T::HALF_SLICE * 4), input = n + column + half * 32;
                const u32 first = m / T::OWN;
                copy_turns(at, p.weights_in, input, row, first, slot, barrier);
                copy_turns(at + 2 * T::HALF_SLICE * 4, p.first_in, input, row, first, slot, barrier);
                copy_turns(at + 4 * T::HALF_SLICE * 4, p.second_in, input, row, first, slot, barrier);
            }
        }
}

// Adam on a tile, slice by slice.
template <class T>
__device__ inline void update_slices(Ring<T::STAGES> &ring, const float *numbers,
                                     const Update &p, Adam by, typename T::Sums &sums, u32 slot,
                                     const OwnRows<T> &own, u32 m, u32 n) {
    // The sums in the order of the slices.
    constexpr int COUNT = T::FRAGMENTS * T::N / 2, OF_SLICE = T::SLICE / 4;
    constexpr int ACROSS = T::N / T::SLICE;
    float ordered[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        const int slice = i / OF_SLICE, four = i % OF_SLICE / 4, number = i % 4;
        const int row = slice / ACROSS, column = slice % ACROSS * T::SLICE;
        const int eight = column / 8 + 2 * four + number / 2;
        ordered[i] = sums[row / 2][4 * eight + 2 * (row % 2) + number % 2];
    }
    const u64 base = slot * p.member;
    const u32 row_of_slice = own.first / T::OWN;
#pragma unroll 1
    for (int slice = 0; slice < COUNT / OF_SLICE; ++slice, ring.next()) {
        const u32 output = m + own.first + slice / ACROSS;
        const u32 first_input = n + slice % ACROSS * T::SLICE + 4 * own.c;
        ring.wait_for_stage();
        const float *here = numbers + ring.place * (T::STAGE / 4) + row_of_slice * 32;
#pragma unroll
        for (int four = 0; four < T::SLICE / 16; ++four) {
            const u32 chunk = (4 * (four & 1) + own.c) ^ (row_of_slice & 7);
            const float *from = here + four / 2 * T::HALF_SLICE + (chunk << 2);
            float4 w = *(const float4 *)from;
            float4 first = *(const float4 *)(from + 2 * T::HALF_SLICE);
            float4 second = *(const float4 *)(from + 4 * T::HALF_SLICE);
            adam(by, make_float4(ordered[4 * four], ordered[4 * four + 1], ordered[4 * four + 2],
                                 ordered[4 * four + 3]),
                 w, first, second);
            const u32 input = first_input + 16 * four;
            if (output < p.outputs && input < p.stride) {
                const u64 to = base + (u64)output * p.stride + input;
                *(float4 *)(p.weights + to) = w;
                *(float4 *)(p.first + to) = first;
                *(float4 *)(p.second + to) = second;
            }
        }
        ring.release();
#pragma unroll
        for (int i = 0; i < COUNT - OF_SLICE; ++i) ordered[i] = ordered[i + OF_SLICE];
    }
}

template <class T> __device__ inline void group_update(const GroupUpdate &p, const Step &step) {
    extern __shared__ __align__(1024) float given[];
    __shared__ __align__(8) u64 barriers[2 * T::STAGES];
    float *numbers = ring_memory(given);
    const u32 memory = (u32)__cvta_generic_to_shared(numbers), slot = step.slots[blockIdx.y];
    Ring<T::STAGES> ring(barriers, 4 * T::GROUPS);
    const Update &update = p.update;
    const Division &by = update.by;
    Portions portions(by, blockIdx.x);
    Portion portion;
    u32 m, n;
    if (threadIdx.x >= T::WORKING) {
        leave_registers();
        if (threadIdx.x > T::WORKING) return;
        while (portions.take(by, portion)) {
            place_of_group<T>(by, portion.tile, m, n);
            fill_stages<T>(ring, memory, p.operands, portion, m, n, slot);
            fill_slices<T>(ring, memory, p, m, n, slot);
        }
        return;
    }
    take_registers<T>();
    const OwnRows<T> own;
    const Adam adam = adam_of(update, step);
    typename T::Sums sums;
    while (portions.take(by, portion)) {
        place_of_group<T>(by, portion.tile, m, n);
        sums_of_portion<T>(ring, memory, numbers, portion, own, sums);
        update_slices<T>(ring, numbers, update, adam, sums, slot, own, m, n);
    }
}

// Groups, fragments, columns, stages.
#define GROUP_KERNEL(NAME, HOW, WHAT, WAY, GROUPS, FRAGMENTS, N, STAGES, EXACT)                    \
    extern "C" __global__ void __launch_bounds__(128 * GROUPS + 128, 3 - GROUPS)                   \
        NAME(const __grid_constant__ WHAT p, const __grid_constant__ Step step) {                  \
        HOW<Group<Way::WAY, GROUPS, FRAGMENTS, N, STAGES, EXACT>>(p, step);                        \
    }
#define FORWARD_GROUPS(NAME, ...)                                                                  \
    GROUP_KERNEL(NAME, group_product, GroupProduct, FORWARD, __VA_ARGS__)
#define BELOW_GROUPS(NAME, ...) GROUP_KERNEL(NAME, group_product, GroupProduct, BELOW, __VA_ARGS__)
#define UPDATE_GROUPS(NAME, ...) GROUP_KERNEL(NAME, group_update, GroupUpdate, UPDATE, __VA_ARGS__)

FORWARD_GROUPS(group_forward_128x256_tf32, 2, 1, 256, 4, false)
FORWARD_GROUPS(group_forward_256x128_tf32, 2, 2, 128, 4, false)
FORWARD_GROUPS(group_forward_128x128_tf32, 1, 2, 128, 3, false)
FORWARD_GROUPS(group_forward_256x128_fp32, 2, 2, 128, 3, true)
FORWARD_GROUPS(group_forward_128x128_fp32, 2, 1, 128, 4, true)
BELOW_GROUPS(group_below_256x128_tf32, 2, 2, 128, 4, false)
BELOW_GROUPS(group_below_128x128_tf32, 1, 2, 128, 3, false)
BELOW_GROUPS(group_below_256x128_fp32, 2, 2, 128, 3, true)
BELOW_GROUPS(group_below_128x128_fp32, 2, 1, 128, 4, true)
UPDATE_GROUPS(group_update_128x256_tf32, 2, 1, 256, 4, false)
UPDATE_GROUPS(group_update_128x128_tf32, 1, 2, 128, 3, false)
UPDATE_GROUPS(group_update_128x128_fp32, 2, 1, 128, 4, true)

#endif
