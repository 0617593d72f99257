// The network at small batch sizes, where the work is reading and writing weights.
//
// Weights are stored output by output, as on the host: `stride` numbers per output, the bias in the
// column after the last input, zeros up to a multiple of sixteen. Each warp has its own outputs.

struct Layer {
    u32 outputs;
    u32 stride;
    u64 member; // numbers from one member's weights to the next
};

// Where a layer's sums go.
struct Sums {
    float *values;   // inputs of the next layer, or the logits
    float *slopes;   // null after the last layer and in prediction
    u64 member;      // numbers from one member to the next, in values
    u64 slope_member;
    u32 stride;      // numbers from one row to the next, in values
    u32 slope_stride;
    u32 activation;
};

__device__ inline void settle(Sums sums, Dropout dropout, u64 seed, Position at, u32 slot, u32 row,
                              u32 output, float sum) {
    float slope;
    float value = activate(sums.activation, sum, &slope);
    if (sums.slopes) {
        float by = factor(dropout, seed, at, row, output);
        value *= by;
        sums.slopes[slot * sums.slope_member + (u64)row * sums.slope_stride + output] = slope * by;
    }
    sums.values[slot * sums.member + (u64)row * sums.stride + output] = value;
}

// A thread's part of the products of outputs with rows: every `step`-th group of four inputs from
// `start` on.
template <int ROWS, int OUTPUTS>
__device__ inline void products(const float4 *w, const float4 *const *x, u32 width, u32 start,
                                u32 step, float (&sum)[OUTPUTS][ROWS]) {
#pragma unroll
    for (int o = 0; o < OUTPUTS; ++o)
#pragma unroll
        for (int r = 0; r < ROWS; ++r) sum[o][r] = 0.0f;
#pragma unroll 2
    for (u32 c = start; c < width; c += step) {
        float4 own[OUTPUTS];
#pragma unroll
        for (int o = 0; o < OUTPUTS; ++o) own[o] = w[(u64)o * width + c];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            float4 in = x[r][c];
#pragma unroll
            for (int o = 0; o < OUTPUTS; ++o) {
                sum[o][r] = fmaf(own[o].x, in.x, sum[o][r]);
                sum[o][r] = fmaf(own[o].y, in.y, sum[o][r]);
                sum[o][r] = fmaf(own[o].z, in.z, sum[o][r]);
                sum[o][r] = fmaf(own[o].w, in.w, sum[o][r]);
            }
        }
    }
}

__device__ inline float over_warp(float sum) {
#pragma unroll
    for (int way = 16; way; way >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, way);
    return sum;
}

template <int ROWS, int OUTPUTS>
__device__ inline void forward_few(const float *weights, Layer layer, Rows rows, Sums sums,
                                   Dropout dropout, const u64 *seeds, const u32 *slots,
                                   const Position *position, u32 ahead, u32 batch) {
    const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    const u32 slot = slots[blockIdx.y];
    const u32 first = (blockIdx.x * warps + warp) * OUTPUTS;
    if (first >= layer.outputs) return;
    Position at = *position;
    at.step += ahead;
    const float4 *x[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) x[r] = (const float4 *)row_of(rows, slot, at.step * batch, r);
    const u32 width = layer.stride / 4;
    // Outputs past the last are zeros, up to a multiple of four.
    const float4 *w = (const float4 *)(weights + slot * layer.member + (u64)first * layer.stride);
    float sum[OUTPUTS][ROWS];
    products(w, x, width, lane, 32, sum);
    float mine = 0.0f;
#pragma unroll
    for (int o = 0; o < OUTPUTS; ++o)
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            float all = over_warp(sum[o][r]);
            if (lane == o * ROWS + r) mine = all;
        }
    const u32 output = first + lane / ROWS, row = lane % ROWS;
    if (lane < OUTPUTS * ROWS && output < layer.outputs)
        settle(sums, dropout, seeds[slot], at, slot, row, output, mine);
}

#define FORWARD(NAME, ROWS, OUTPUTS)                                                               \
    extern "C" __global__ void __launch_bounds__(256) NAME(                                        \
        const float *weights, Layer layer, Rows rows, Sums sums, Dropout dropout,                  \
        const u64 *seeds, const u32 *slots, const Position *position, u32 ahead, u32 batch) {      \
        forward_few<ROWS, OUTPUTS>(weights, layer, rows, sums, dropout, seeds, slots, position,    \
                                   ahead, batch);                                                  \
    }
FORWARD(forward_4_1, 4, 1)
FORWARD(forward_4_4, 4, 4)
FORWARD(forward_8_1, 8, 1)
FORWARD(forward_8_4, 8, 4)

// The same for wide layers: the warps of a block share the inputs of four outputs.
extern "C" __global__ void __launch_bounds__(256) forward_4_wide(
    const float *weights, Layer layer, Rows rows, Sums sums, Dropout dropout, const u64 *seeds,
    const u32 *slots, const Position *position, u32 ahead, u32 batch) {
    const int ROWS = 4, OUTPUTS = 4, WARPS = 8;
    __shared__ float parts[WARPS][ROWS * OUTPUTS];
    const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const u32 slot = slots[blockIdx.y], first = blockIdx.x * OUTPUTS;
    Position at = *position;
    at.step += ahead;
    const float4 *x[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) x[r] = (const float4 *)row_of(rows, slot, at.step * batch, r);
    const u32 width = layer.stride / 4;
    const float4 *w = (const float4 *)(weights + slot * layer.member + (u64)first * layer.stride);
    float sum[OUTPUTS][ROWS];
    products(w, x, width, threadIdx.x, 256, sum);
#pragma unroll
    for (int o = 0; o < OUTPUTS; ++o)
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            float all = over_warp(sum[o][r]);
            if (lane == 0) parts[warp][o * ROWS + r] = all;
        }
    __syncthreads();
    const u32 output = first + threadIdx.x / ROWS, row = threadIdx.x % ROWS;
    if (threadIdx.x < OUTPUTS * ROWS && output < layer.outputs) {
        float all = parts[0][threadIdx.x];
        for (int k = 1; k < WARPS; ++k) all += parts[k][threadIdx.x];
        settle(sums, dropout, seeds[slot], at, slot, row, output, all);
    }
}

// The gradient of a layer's sums: the shares of the gradient of its outputs that the blocks of the
// layer above stored, added up and multiplied by the slopes. A block has 32 units; 32 threads share
// the sum of each.
extern "C" __global__ void __launch_bounds__(1024)
    descend(const float *shares, u64 share_member, u32 share_stride, u32 count, const float *slopes,
            float *gradient, u64 member, u32 units, const u32 *slots) {
    const u32 HELPERS = 32;
    __shared__ float parts[HELPERS][33];
    const u32 lane = threadIdx.x & 31, helper = threadIdx.x >> 5;
    const u32 slot = slots[blockIdx.z], row = blockIdx.y, rows = gridDim.y;
    const u32 unit = blockIdx.x * 32 + lane;
    float sum = 0.0f;
    if (unit < units) {
        const float *share = shares + slot * share_member + (u64)row * share_stride + unit;
#pragma unroll 4
        for (u32 k = helper; k < count; k += HELPERS) sum += share[(u64)k * rows * share_stride];
    }
    parts[helper][lane] = sum;
    __syncthreads();
    // Each warp adds up the parts of one unit.
    float all = over_warp(parts[lane][helper]);
    const u32 mine = blockIdx.x * 32 + helper;
    if (lane == 0 && mine < units) {
        u64 at = slot * member + (u64)row * units + mine;
        gradient[at] = all * slopes[at];
    }
}

// One pass over the weights of a layer: its part of the gradient of the layer below, its own
// gradient, and Adam. A thread has four inputs, a block the inputs of all its threads, and `chunk`
// outputs. Each block stores its own share of the gradient below. Lazy updates of sparse rows leave
// inputs alone that are not `present`.
template <int ROWS, bool BELOW, bool LAZY>
__device__ inline void update_few(float *weights, float *first, float *second, Layer layer,
                                  Rows rows, const float *gradient, u64 member, float *below,
                                  u64 below_member, u32 chunk, const float2 *rates, float decay,
                                  const u32 *slots, const Position *position, u32 ahead,
                                  u32 batch, const u32 *present, u64 present_member) {
    const int AT_ONCE = ROWS == 4 ? 4 : 2;
    extern __shared__ float g[]; // [output][row]
    const u32 slot = slots[blockIdx.z];
    const u32 from = blockIdx.y * chunk;
    const u32 many = min(chunk, layer.outputs - from);
    const u32 step = position->step + ahead;
    const u32 width = layer.stride / 4, column = blockIdx.x * blockDim.x + threadIdx.x;
    for (u32 i = threadIdx.x; i < many * ROWS; i += blockDim.x) {
        u32 row = i / many, output = i % many;
        g[output * ROWS + row] =
            gradient[slot * member + (u64)row * layer.outputs + from + output];
    }
    const Adam by = {decay, rates[step].x, rates[step].y};
    __syncthreads();
    if (column >= width) return;
    const u32 which = LAZY ? present_four(present, present_member, slot, column) : 15;
    if (which == 0) return;
    float4 x[ROWS], under[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        x[r] = ((const float4 *)row_of(rows, slot, step * batch, r))[column];
        under[r] = make_float4(0, 0, 0, 0);
    }
    const u64 base = (slot * layer.member + (u64)from * layer.stride) / 4 + column;
    float4 *w = (float4 *)weights + base, *m = (float4 *)first + base, *v = (float4 *)second + base;
    for (u32 o = 0; o < many; o += AT_ONCE) {
        float4 ws[AT_ONCE], ms[AT_ONCE], vs[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k)
            if (o + k < many) {
                u64 at = (u64)(o + k) * width;
                ws[k] = w[at];
                // Moments are not needed again in this step: the cache is left to the weights.
                ms[k] = __ldcs(m + at);
                vs[k] = __ldcs(v + at);
            }
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k)
            if (o + k < many) {
                u64 at = (u64)(o + k) * width;
                float4 own = make_float4(0, 0, 0, 0);
#pragma unroll
                for (int r = 0; r < ROWS; ++r) {
                    float slope = g[(o + k) * ROWS + r];
                    own = multiply_add(slope, x[r], own);
                    if (BELOW) under[r] = multiply_add(slope, ws[k], under[r]);
                }
                adam(by, own, which, ws[k], ms[k], vs[k]);
                w[at] = ws[k];
                __stcs(m + at, ms[k]);
                __stcs(v + at, vs[k]);
            }
    }
    if (!BELOW) return;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        float4 *to = (float4 *)(below + slot * below_member) +
                     ((u64)blockIdx.y * ROWS + r) * width + column;
        *to = under[r];
    }
}

#define UPDATE(NAME, ROWS, BELOW, LAZY)                                                            \
    extern "C" __global__ void __launch_bounds__(256, 2) NAME(                                     \
        float *weights, float *first, float *second, Layer layer, Rows rows,                       \
        const float *gradient, u64 member, float *below, u64 below_member, u32 chunk,              \
        const float2 *rates, float decay, const u32 *slots, const Position *position, u32 ahead,   \
        u32 batch, const u32 *present, u64 present_member) {                                       \
        update_few<ROWS, BELOW, LAZY>(weights, first, second, layer, rows, gradient, member,       \
                                      below, below_member, chunk, rates, decay, slots, position,   \
                                      ahead, batch, present, present_member);                      \
    }
UPDATE(update_4, 4, false, false)
UPDATE(update_4_below, 4, true, false)
UPDATE(update_4_lazy, 4, false, true)
UPDATE(update_8, 8, false, false)
UPDATE(update_8_below, 8, true, false)
UPDATE(update_8_lazy, 8, false, true)

// The next run of steps begins this many steps later.
extern "C" __global__ void advance(Position *position, u32 steps) { position->step += steps; }
