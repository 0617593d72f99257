// The network at large batch sizes, and in prediction: products in tiles of 64 x 64.
//
// A product is C[m][n] = sum over k of A(m, k) B(n, k), taken in the order of k. `A_ALONG` and
// `B_ALONG` say that neighbours in k are neighbours in memory; otherwise those in m or n are.

const u32 TILE = 64, DEEP = 16;

// The tile that begins at row `first_m` and column `first_n`.
template <bool A_ALONG, bool B_ALONG, class A, class B, class Store>
__device__ inline void product_tile(u32 first_m, u32 first_n, u32 m, u32 n, u32 k, A a, B b,
                                    Store store) {
    __shared__ float as[DEEP][TILE + 4], bs[DEEP][TILE + 4];
    const u32 x = threadIdx.x % 16, y = threadIdx.x / 16;
    float sums[4][4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[i][j] = 0.0f;
    for (u32 start = 0; start < k; start += DEEP) {
#pragma unroll
        for (u32 i = threadIdx.x; i < TILE * DEEP; i += 256) {
            u32 deep = A_ALONG ? i % DEEP : i / TILE, at = A_ALONG ? i / DEEP : i % TILE;
            bool is_in = first_m + at < m && start + deep < k;
            as[deep][at] = is_in ? a(first_m + at, start + deep) : 0.0f;
            deep = B_ALONG ? i % DEEP : i / TILE, at = B_ALONG ? i / DEEP : i % TILE;
            is_in = first_n + at < n && start + deep < k;
            bs[deep][at] = is_in ? b(first_n + at, start + deep) : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (u32 deep = 0; deep < DEEP; ++deep) {
            float4 left = *(const float4 *)&as[deep][y * 4];
            float4 right = *(const float4 *)&bs[deep][x * 4];
            float l[4] = {left.x, left.y, left.z, left.w};
            float r[4] = {right.x, right.y, right.z, right.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) sums[i][j] = fmaf(l[i], r[j], sums[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            u32 at_m = first_m + y * 4 + i, at_n = first_n + x * 4 + j;
            if (at_m < m && at_n < n) store(at_m, at_n, sums[i][j]);
        }
}

// The tile of this block.
template <bool A_ALONG, bool B_ALONG, class A, class B, class Store>
__device__ inline void product(u32 m, u32 n, u32 k, A a, B b, Store store) {
    product_tile<A_ALONG, B_ALONG>(blockIdx.x * TILE, blockIdx.y * TILE, m, n, k, a, b, store);
}

// Sums of a layer, activated. Grid: rows, outputs, members.
extern "C" __global__ void __launch_bounds__(256)
    forward_tiled(const float *weights, Layer layer, Rows rows, Sums sums, Dropout dropout,
                  const u64 *seeds, const u32 *slots, const Position *position, u32 ahead,
                  u32 batch, u32 count) {
    const u32 slot = slots[blockIdx.z];
    Position at = *position;
    at.step += ahead;
    const float *w = weights + slot * layer.member;
    product<true, true>(
        count, layer.outputs, layer.stride,
        [&](u32 row, u32 k) { return row_of(rows, slot, at.step * batch, row)[k]; },
        [&](u32 output, u32 k) { return w[(u64)output * layer.stride + k]; },
        [&](u32 row, u32 output, float sum) {
            settle(sums, dropout, seeds[slot], at, slot, row, output, sum);
        });
}

// The gradient of the sums of the layer below. Grid: rows, inputs, members.
extern "C" __global__ void __launch_bounds__(256)
    below_tiled(const float *weights, Layer layer, const float *gradient, u64 member,
                const float *slopes, float *below, u64 below_member, u32 inputs, const u32 *slots,
                u32 count) {
    const u32 slot = slots[blockIdx.z];
    const float *w = weights + slot * layer.member, *g = gradient + slot * member;
    product<true, false>(
        count, inputs, layer.outputs,
        [&](u32 row, u32 k) { return g[(u64)row * layer.outputs + k]; },
        [&](u32 input, u32 k) { return w[(u64)k * layer.stride + input]; },
        [&](u32 row, u32 input, float sum) {
            u64 to = slot * below_member + (u64)row * inputs + input;
            below[to] = sum * slopes[to];
        });
}

// A layer's own gradient, and Adam. Grid: outputs, inputs, members.
extern "C" __global__ void __launch_bounds__(256)
    update_tiled(float *weights, float *first, float *second, Layer layer, Rows rows,
                 const float *gradient, u64 member, const float2 *rates, float decay,
                 const u32 *slots, const Position *position, u32 ahead, u32 batch,
                 const u32 *present, u64 present_member) {
    const u32 slot = slots[blockIdx.z];
    const u32 step = position->step + ahead;
    if (present) {
        // Nothing to do where lazy updates leave a whole tile as it is.
        present += slot * present_member;
        const u32 word = blockIdx.y * (TILE / 32), words = (layer.stride + 31) / 32;
        if (!(present[word] | (word + 1 < words ? present[word + 1] : 0))) return;
    }
    const float *g = gradient + slot * member;
    const Adam by = {decay, rates[step].x, rates[step].y};
    product<false, false>(
        layer.outputs, layer.stride, batch,
        [&](u32 output, u32 row) { return g[(u64)row * layer.outputs + output]; },
        [&](u32 input, u32 row) { return row_of(rows, slot, step * batch, row)[input]; },
        [&](u32 output, u32 input, float own) {
            if (present && !(present[input / 32] >> input % 32 & 1)) return;
            u64 at = slot * layer.member + (u64)output * layer.stride + input;
            float w = weights[at], m = first[at], v = second[at];
            adam(by, own, w, m, v);
            weights[at] = w;
            first[at] = m;
            second[at] = v;
        });
}

// The mean of the members' logits: each number has its own thread.
extern "C" __global__ void average(const float *each, u64 member, u32 members, float *mean, u64 n) {
    u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    float sum = each[at];
    for (u32 k = 1; k < members; ++k) sum += each[k * member + at];
    mean[at] = members == 1 ? sum : sum / (float)members;
}
