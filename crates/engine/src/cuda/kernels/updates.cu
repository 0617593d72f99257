// The update of a layer's weights on tensor cores: its own gradient, and Adam. The gradient never
// reaches memory.

#if __CUDA_ARCH__ >= 800

// The weights of a layer, and what a step does to them.
struct Update {
    Matrix inputs;   // rows of inputs
    Matrix gradient; // of the layer's sums
    float *weights, *first, *second;
    u64 member;
    u32 outputs, stride, rows;
    float decay;
    const float2 *rates;
    const u32 *present; // columns that are updated: bits; null if all are
    u64 present_member;
    Division by;
};

// Which of the four inputs from `input` on are updated: bits.
__device__ inline u32 present_inputs(const Update &p, u32 slot, u32 input) {
    if (input >= p.stride) return 0;
    if (!p.present) return 15;
    return p.present[slot * p.present_member + input / 32] >> input % 32 & 15;
}

// Adam on four weights that are next to each other.
__device__ inline void update_four(Adam by, u32 present, float4 gradient, float4 &w, float4 &m,
                                   float4 &v) {
    if (present & 1) adam(by, gradient.x, w.x, m.x, v.x);
    if (present & 2) adam(by, gradient.y, w.y, m.y, v.y);
    if (present & 4) adam(by, gradient.z, w.z, m.z, v.z);
    if (present & 8) adam(by, gradient.w, w.w, m.w, v.w);
}

// Where a group of four weights of a tile is in shared memory, from its output and input there.
template <class T> __device__ inline u32 place_in_tile(u32 output, u32 input) {
    return output * T::M + ((input / 4 ^ (output >> 3 & 3) * 2) << 2);
}

// Adam on a tile, from the sums of its gradient. IS_HERE: weights and moments of the tile are in shared
// memory at `tile`. The sums come forward from iteration to iteration, as in products.cu.
template <class T, bool IS_HERE>
__device__ inline void update_tile(const Update &p, Adam by, typename T::Sums &sums, u32 slot,
                                   const float *tile, u32 first_input, u32 first_output) {
    constexpr int MI = T::MI, NI = T::NI, SIZE = T::M * T::N;
    const u32 lane = threadIdx.x % 32, g = lane / 4, c = lane % 4;
    const u64 base = slot * p.member;
#pragma unroll 1
    for (int pair = 0; pair < NI / 2; ++pair) {
#pragma unroll 1
        for (int h = 0; h < MI / 2; ++h) {
            // Within the tile.
            const u32 input = T::warp_m() + 32 * h + 4 * g;
            const u32 column = T::warp_n() + 32 * (pair / 2) + 8 * c + 2 * (pair % 2);
            const u32 present = present_inputs(p, slot, first_input + input);
            float4 w[4], m[4], v[4];
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const u32 output = column + 4 * (k % 2) + k / 2;
                if constexpr (IS_HERE) {
                    const float *from = tile + place_in_tile<T>(output, input);
                    w[k] = *(const float4 *)from;
                    m[k] = *(const float4 *)(from + SIZE);
                    v[k] = *(const float4 *)(from + 2 * SIZE);
                } else if (present && first_output + output < p.outputs) {
                    const u64 at =
                        base + (u64)(first_output + output) * p.stride + first_input + input;
                    w[k] = *(const float4 *)(p.weights + at);
                    m[k] = *(const float4 *)(p.first + at);
                    v[k] = *(const float4 *)(p.second + at);
                }
            }
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const u32 output = column + 4 * (k % 2) + k / 2;
                const int n = k / 2, e = k % 2;
                if (!present || first_output + output >= p.outputs) continue;
                const u64 at = base + (u64)(first_output + output) * p.stride + first_input + input;
                const float4 gradient = make_float4(sums[0][n][e], sums[0][n][2 + e],
                                                    sums[1][n][e], sums[1][n][2 + e]);
                update_four(by, present, gradient, w[k], m[k], v[k]);
                *(float4 *)(p.weights + at) = w[k];
                *(float4 *)(p.first + at) = m[k];
                *(float4 *)(p.second + at) = v[k];
            }
            if constexpr (MI > 2) {
                // The next pair of rows of fragments.
#pragma unroll
                for (int n = 0; n < NI; ++n)
#pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        const float one = sums[0][n][j], two = sums[1][n][j];
#pragma unroll
                        for (int i = 0; i < MI - 2; ++i) sums[i][n][j] = sums[i + 2][n][j];
                        sums[MI - 2][n][j] = one, sums[MI - 1][n][j] = two;
                    }
            }
        }
#pragma unroll
        for (int i = 0; i < MI; ++i)
#pragma unroll
            for (int n = 0; n < NI - 2; ++n)
#pragma unroll
                for (int j = 0; j < 4; ++j) sums[i][n][j] = sums[i][n + 2][j];
    }
}

// Inputs are rows of the product, outputs its columns. Tiles that are near in memory follow each other:
// bands of `band` columns of tiles.
template <class T>
__device__ inline void place_of_tile(const Division &by, u32 tile, u32 &input, u32 &output) {
    const u32 band = tile / (by.tiles_m * by.band), within = tile - band * by.tiles_m * by.band;
    const u32 high = min(by.band, by.tiles_n - band * by.band);
    input = within / high * T::M;
    output = (band * by.band + within % high) * T::N;
}

template <class T> struct UpdateLoads {
    AcrossK<T::M, T::THREADS, true> inputs;
    AcrossK<T::N, T::THREADS, true> gradient;

    __device__ void aim(const Update &p, u32 input, u32 output) {
        inputs.aim(input, p.stride);
        gradient.aim(output, p.outputs);
    }
    __device__ void fetch(const Update &p, u32 slot, u32 to, u32 stage) const {
        const u32 k = stage * DEPTH;
        inputs.load(to, p.inputs.cells + slot * p.inputs.member, k, p.rows, p.inputs.stride);
        gradient.load(to + T::M * 128, p.gradient.cells + slot * p.gradient.member, k, p.rows,
                      p.gradient.stride);
    }
};

__device__ inline Adam adam_of(const Update &p, const Step &step) {
    const float2 rates = p.rates[step.position->step + step.ahead];
    return {p.decay, rates.x, rates.y};
}

// Many rows: portions of tiles, as in products.cu.
template <class T> __device__ inline void update_of_worker(const Update &p, const Step &step) {
    extern __shared__ __align__(1024) float ring[];
    constexpr int STAGES = T::STAGES;
    const u32 slot = step.slots[blockIdx.y], shared = (u32)__cvta_generic_to_shared(ring);
    const Adam by = adam_of(p, step);
    Portions portions(p.by, blockIdx.x);
    const u32 first_tile = portions.first_tile;
    Portion portion;
    while (portions.take(p.by, portion)) {
        u32 first_input, first_output;
        place_of_tile<T>(p.by, portion.tile, first_input, first_output);
        UpdateLoads<T> loads;
        loads.aim(p, first_input, first_output);
        typename T::Sums all;
        clear(all);
        __syncthreads(); // the stages of the portion before have been read
#pragma unroll 1
        for (u32 ahead = 0; ahead < STAGES - 1; ++ahead) {
            if (portion.begin + ahead < portion.end)
                loads.fetch(p, slot, shared + ahead * (T::STAGE * 4), portion.begin + ahead);
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
                const u32 ahead = stage + STAGES - 1, free = place == 0 ? STAGES - 1 : place - 1;
                if (ahead < portion.end) loads.fetch(p, slot, shared + free * (T::STAGE * 4), ahead);
                end_of_copies();
                const float *as = ring + place * T::STAGE, *bs = as + T::M * DEPTH;
                if constexpr (T::EXACT) {
                    typename T::Sums part;
                    clear(part);
                    multiply_update_stage<T>(as, bs, part);
                    add(sums, part);
                } else {
                    multiply_update_stage<T>(as, bs, sums);
                }
                place = place == STAGES - 1 ? 0 : place + 1;
            }
            add(all, sums);
        }
        wait_for_copies<0>();
        if (!portion.is_whole &&
            !add_up<T::THREADS>(p.by, portion, first_tile, blockIdx.y, flat<T>(all)))
            continue;
        update_tile<T, false>(p, by, all, slot, nullptr, first_input, first_output);
    }
}

// Few rows: one tile per block. The operands are on their way first, then the weights and moments,
// which arrive while the product is computed.
template <class T> __device__ inline void update_at_once(const Update &p, const Step &step) {
    extern __shared__ __align__(1024) float ring[];
    const u32 slot = step.slots[blockIdx.y], shared = (u32)__cvta_generic_to_shared(ring);
    const Adam by = adam_of(p, step);
    u32 first_input, first_output;
    place_of_tile<T>(p.by, blockIdx.x, first_input, first_output);
    UpdateLoads<T> loads;
    loads.aim(p, first_input, first_output);
#pragma unroll 1
    for (u32 stage = 0; stage < p.by.steps; ++stage)
        loads.fetch(p, slot, shared + stage * (T::STAGE * 4), stage);
    end_of_copies();
    constexpr int CHUNKS = T::M / 4, AT_ONCE = T::THREADS / CHUNKS;
    const u32 input = threadIdx.x % CHUNKS * 4;
    const bool is_in = present_inputs(p, slot, first_input + input) != 0;
#pragma unroll
    for (int which = 0; which < 3; ++which) {
        const float *all = which == 0 ? p.weights : which == 1 ? p.first : p.second;
        const float *from = all + slot * p.member + first_input + input;
        const u32 to = shared + (T::STAGES * T::STAGE + which * T::M * T::N) * 4;
#pragma unroll
        for (int i = 0; i < T::N / AT_ONCE; ++i) {
            const u32 output = threadIdx.x / CHUNKS + i * AT_ONCE;
            const bool exists = is_in && first_output + output < p.outputs;
            copy_16(to + place_in_tile<T>(output, input) * 4,
                    exists ? from + (u64)(first_output + output) * p.stride : all, exists);
        }
    }
    end_of_copies();
    wait_for_copies<1>();
    __syncthreads();
    typename T::Sums sums;
    clear(sums);
#pragma unroll 1
    for (u32 stage = 0; stage < p.by.steps; ++stage) {
        const float *as = ring + stage * T::STAGE;
        multiply_update_stage<T>(as, as + T::M * DEPTH, sums);
    }
    wait_for_copies<0>();
    __syncthreads();
    const float *tile = ring + T::STAGES * T::STAGE;
    update_tile<T, true>(p, by, sums, slot, tile, first_input, first_output);
}

#define UPDATES(HOW, NAME, M, N, STAGES, BLOCKS)                                                   \
    extern "C" __global__ void __launch_bounds__(128, BLOCKS)                                      \
        NAME##_tf32(const __grid_constant__ Update p, const __grid_constant__ Step step) {         \
        HOW<Tile<M, N, 32, 32, STAGES, false>>(p, step);                                           \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(128, BLOCKS)                                      \
        NAME##_fp32(const __grid_constant__ Update p, const __grid_constant__ Step step) {         \
        HOW<Tile<M, N, 32, 32, STAGES, true>>(p, step);                                            \
    }
// The number at the end of a name is that of the most rows.
UPDATES(update_of_worker, update_64x64, 64, 64, 4, 2)
UPDATES(update_at_once, update_64x64_32, 64, 64, 1, 3)
UPDATES(update_at_once, update_64x64_96, 64, 64, 3, 2)
UPDATES(update_at_once, update_64x64_128, 64, 64, 4, 2)
UPDATES(update_at_once, update_128x32_32, 128, 32, 1, 3)

#endif
