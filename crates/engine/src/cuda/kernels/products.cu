// The forward pass and the gradient of the layer below on tensor cores.
//
// Forward: out[row][output] = activation(sum over k of x[row][k] w[output][k]), and dropout.
// Below: out[row][input] = slope(x[row][input]) (sum over k of g[row][k] w[k][input]).
//
// A hidden unit's slope is read off its output, so nothing but outputs is stored: a dropped unit is
// -0, one that is 0 by itself +0.

#if __CUDA_ARCH__ >= 700

// The output of a unit.
__device__ inline float unit_of(u32 activation, float sum, bool is_kept, float scale) {
    if (activation == 2) return sum;
    if (!is_kept) return -0.0f;
    // NaN stays NaN, so that a network that has diverged is noticed.
    if (activation == 0) return !(sum <= 0.0f) ? sum * scale : 0.0f;
    return tanhf(sum) * scale + 0.0f;
}

// The slope of a unit, times what dropout multiplied it by.
__device__ inline float slope_of(u32 activation, float output, float scale) {
    if (activation == 0) return output > 0.0f ? scale : 0.0f;
    if (__float_as_uint(output) == 0x80000000u) return 0.0f;
    return scale - output * (output / scale);
}

// Which of the units 4 `four` to 4 `four` + 3 are kept: bits.
__device__ inline u32 kept_units(Dropout dropout, u64 seed, Position at, u32 row, u32 four) {
    if (dropout.below == 0) return 15;
    const uint2 key = make_uint2((u32)seed, (u32)(seed >> 32));
    const u32 purpose = dropout.purpose | at.epoch << 12;
    const uint4 bits = philox(key, make_uint4(four, row, at.step, purpose));
    return (u32)((u64)bits.x >= dropout.below) | (u32)((u64)bits.y >= dropout.below) << 1 |
           (u32)((u64)bits.z >= dropout.below) << 2 | (u32)((u64)bits.w >= dropout.below) << 3;
}

#endif

#if __CUDA_ARCH__ >= 800

// One product of a layer, and where its result goes.
struct Product {
    Matrix a;       // inputs, or the gradient of the layer's sums
    Matrix weights;
    Matrix to;
    float *rests;   // of the result, laid out like it; null if nobody asks: see hopper.cu
    Matrix turned;  // forward: the result transposed, in the order that updates need; null likewise
    float *turned_rests;
    Matrix units;   // below: the outputs of the layer below, whose slopes count
    u32 rows, columns, k;
    u32 activation; // of this layer, or of the layer below
    Dropout dropout;
    Division by;
};

// What is the same for all products of a step.
struct Step {
    const u64 *seeds;
    const u32 *slots;
    const Position *position;
    u32 ahead;
};

// From `columns` on: what a row ends with.
__device__ inline void end_row(float4 &four, u32 column, u32 columns, float next) {
    if (column + 4 <= columns) return;
    if (column + 1 >= columns) four.y = column + 1 == columns ? next : 0.0f;
    if (column + 2 >= columns) four.z = column + 2 == columns ? next : 0.0f;
    if (column + 3 >= columns) four.w = column + 3 == columns ? next : 0.0f;
}

// Where a unit is among the rows of a transposed matrix: so that in an update on Hopper a thread has four
// inputs in a row.
__device__ inline u32 turned_place(u32 unit) {
    return (unit & ~15u) | (unit >> 1 & 1) << 3 | (unit >> 2 & 3) << 1 | (unit & 1);
}

__device__ inline float4 rests_of(float4 four) {
    return make_float4(rest_of(four.x), rest_of(four.y), rest_of(four.z), rest_of(four.w));
}

// Stores four units of a row transposed, and what is left of them.
__device__ inline void store_turned(const Product &p, float4 four, u32 slot, u32 row, u32 unit) {
    const u64 stride = p.turned.stride;
    const u64 at = slot * p.turned.member + turned_place(unit) * stride + row;
    const float all[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (u32 i = 0; i < 4; ++i) {
        if (unit + i >= p.columns) break;
        const u64 place = at + (i / 2 * 8 + i % 2) * stride;
        p.turned.cells[place] = all[i];
        if (p.turned_rests) p.turned_rests[place] = rest_of(all[i]);
    }
}

// Stores the sums of a tile as outputs of units. The sums come forward from iteration to iteration
// instead of the code going to them: straight code would take longer to fetch than to run.
template <class T>
__device__ inline void store_units(const Product &p, typename T::Sums &sums, u32 slot, u64 seed,
                                   Position at, u32 first_row, u32 first_column) {
    constexpr int MI = T::MI, NI = T::NI;
    const u32 lane = threadIdx.x % 32, g = lane / 4, c = lane % 4;
    float *to = p.to.cells + slot * p.to.member;
    const float scale = p.dropout.scale, next = p.activation == 2 ? 0.0f : 1.0f;
#pragma unroll 1
    for (int n = 0; n < NI / 2; ++n) {
        const u32 unit = first_column + T::warp_n() + 16 * n + 4 * c;
        if (unit < p.columns) {
            u32 kept = ~0u;
            if (p.activation != 2 && p.dropout.below) {
                kept = 0;
#pragma unroll 1
                for (int k = 0; k < 2 * MI; ++k) {
                    const u32 row = first_row + T::warp_m() + 8 * k + g;
                    kept |= kept_units(p.dropout, seed, at, row, unit / 4) << (4 * k);
                }
            }
#pragma unroll
            for (int k = 0; k < 2 * MI; ++k) {
                const u32 row = first_row + T::warp_m() + 8 * k + g;
                const int i = k / 2, j = 2 * (k % 2);
                float4 four;
                four.x = unit_of(p.activation, sums[i][0][j], kept >> (4 * k) & 1, scale);
                four.y = unit_of(p.activation, sums[i][0][j + 1], kept >> (4 * k + 1) & 1, scale);
                four.z = unit_of(p.activation, sums[i][1][j], kept >> (4 * k + 2) & 1, scale);
                four.w = unit_of(p.activation, sums[i][1][j + 1], kept >> (4 * k + 3) & 1, scale);
                end_row(four, unit, p.columns, next);
                if (row >= p.rows) continue;
                const u64 place = (u64)row * p.to.stride + unit;
                *(float4 *)(to + place) = four;
                if (p.rests) *(float4 *)(p.rests + slot * p.to.member + place) = rests_of(four);
                if (p.turned.cells) store_turned(p, four, slot, row, unit);
            }
        }
#pragma unroll
        for (int i = 0; i < MI; ++i)
#pragma unroll
            for (int k = 0; k < NI - 2; ++k)
#pragma unroll
                for (int j = 0; j < 4; ++j) sums[i][k][j] = sums[i][k + 2][j];
    }
}

// Stores the sums of a tile as the gradient of the sums of the layer below.
template <class T>
__device__ inline void store_gradient(const Product &p, typename T::Sums &sums, u32 slot,
                                      u32 first_row, u32 first_column) {
    constexpr int MI = T::MI, NI = T::NI;
    const u32 lane = threadIdx.x % 32, g = lane / 4, c = lane % 4;
    float *to = p.to.cells + slot * p.to.member;
    const float *units = p.units.cells + slot * p.units.member;
    const float scale = p.dropout.scale;
#pragma unroll 1
    for (int h = 0; h < NI / 4; ++h) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
            const u32 unit = first_column + T::warp_n() + 32 * h + 16 * e + 4 * c;
            if (unit >= p.columns) continue;
#pragma unroll
            for (int k = 0; k < 2 * MI; ++k) {
                const u32 row = first_row + T::warp_m() + 8 * k + g;
                if (row >= p.rows) continue;
                const int i = k / 2, j = 2 * (k % 2) + e;
                const float4 is = *(const float4 *)(units + (u64)row * p.units.stride + unit);
                float4 four;
                four.x = sums[i][0][j] * slope_of(p.activation, is.x, scale);
                four.y = sums[i][1][j] * slope_of(p.activation, is.y, scale);
                four.z = sums[i][2][j] * slope_of(p.activation, is.z, scale);
                four.w = sums[i][3][j] * slope_of(p.activation, is.w, scale);
                end_row(four, unit, p.columns, 0.0f);
                const u64 place = (u64)row * p.to.stride + unit;
                *(float4 *)(to + place) = four;
                if (p.rests) *(float4 *)(p.rests + slot * p.to.member + place) = rests_of(four);
            }
        }
#pragma unroll
        for (int i = 0; i < MI; ++i)
#pragma unroll
            for (int k = 0; k < NI - 4; ++k)
#pragma unroll
                for (int j = 0; j < 4; ++j) sums[i][k][j] = sums[i][k + 4][j];
    }
}

// The portions of one worker. FORWARD: weights lie along k; otherwise across it.
template <class T, bool FORWARD>
__device__ inline void product_of_worker(const Product &p, const Step &step) {
    extern __shared__ __align__(1024) float ring[];
    constexpr int STAGES = T::STAGES;
    const u32 slot = step.slots[blockIdx.y], shared = (u32)__cvta_generic_to_shared(ring);
    Position at = *step.position;
    at.step += step.ahead;
    const float *a = p.a.cells + slot * p.a.member;
    const float *weights = p.weights.cells + slot * p.weights.member;
    Portions portions(p.by, blockIdx.x);
    const u32 first_tile = portions.first_tile;
    Portion portion;
    while (portions.take(p.by, portion)) {
        const u32 first_row = portion.tile % p.by.tiles_m * T::M;
        const u32 first_column = portion.tile / p.by.tiles_m * T::N;
        AlongK<T::M, T::THREADS> load_a;
        AlongK<T::N, T::THREADS> load_along;
        AcrossK<T::N, T::THREADS, false> load_across;
        load_a.aim(first_row, p.rows, p.a.stride);
        if constexpr (FORWARD) load_along.aim(first_column, p.columns, p.weights.stride);
        else load_across.aim(first_column, p.columns);
        auto fetch = [&](u32 place, u32 stage) {
            const u32 to = shared + place * (T::STAGE * 4), k = stage * DEPTH;
            load_a.load(to, a, k, p.k);
            if constexpr (FORWARD) load_along.load(to + T::M * 128, weights, k, p.k);
            else load_across.load(to + T::M * 128, weights, k, p.k, p.weights.stride);
        };
        typename T::Sums all;
        clear(all);
        __syncthreads(); // the stages of the portion before have been read
#pragma unroll 1
        for (u32 ahead = 0; ahead < STAGES - 1; ++ahead) {
            if (portion.begin + ahead < portion.end) fetch(ahead, portion.begin + ahead);
            end_of_copies();
        }
        u32 place = 0, stage = portion.begin;
#pragma unroll 1
        while (stage < portion.end) {
            const u32 end = Portions::end_of_part(p.by, portion, stage);
            typename T::Sums sums;
            clear(sums);
#pragma unroll 1
            for (; stage < end; ++stage) {
                wait_for_copies<STAGES - 2>();
                __syncthreads();
                const u32 ahead = stage + STAGES - 1;
                if (ahead < portion.end) fetch(place == 0 ? STAGES - 1 : place - 1, ahead);
                end_of_copies();
                const float *as = ring + place * T::STAGE, *bs = as + T::M * DEPTH;
                if constexpr (T::EXACT) {
                    // Tensor cores cut off what does not fit when they add: long sums are added here.
                    typename T::Sums part;
                    clear(part);
                    multiply_stage<T, FORWARD>(as, bs, part);
                    add(sums, part);
                } else {
                    multiply_stage<T, FORWARD>(as, bs, sums);
                }
                place = place == STAGES - 1 ? 0 : place + 1;
            }
            add(all, sums);
        }
        wait_for_copies<0>();
        if (!portion.is_whole &&
            !add_up<T::THREADS>(p.by, portion, first_tile, blockIdx.y, flat<T>(all)))
            continue;
        if constexpr (FORWARD)
            store_units<T>(p, all, slot, step.seeds[slot], at, first_row, first_column);
        else
            store_gradient<T>(p, all, slot, first_row, first_column);
    }
}

// Blocks of a multiprocessor at once: the last number. The others: rows and columns of a tile, those
// of a warp's part, stages.
#define PRODUCTS(FORWARD, NAME, M, N, WARP_M, WARP_N, STAGES, BLOCKS)                              \
    extern "C" __global__ void __launch_bounds__(128, BLOCKS)                                      \
        NAME##_tf32(const __grid_constant__ Product p, const __grid_constant__ Step step) {        \
        product_of_worker<Tile<M, N, WARP_M, WARP_N, STAGES, false>, FORWARD>(p, step);            \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(128, BLOCKS)                                      \
        NAME##_fp32(const __grid_constant__ Product p, const __grid_constant__ Step step) {        \
        product_of_worker<Tile<M, N, WARP_M, WARP_N, STAGES, true>, FORWARD>(p, step);             \
    }
PRODUCTS(true, forward_32x64, 32, 64, 32, 16, 6, 3)
PRODUCTS(true, forward_64x64, 64, 64, 32, 32, 5, 2)
PRODUCTS(false, below_32x64, 32, 64, 16, 32, 6, 3)
PRODUCTS(false, below_64x64, 64, 64, 32, 32, 5, 2)

#endif
