// The constraint loss and its gradient.

// ln(1 + e^x) and 1 / (1 + e^-x), which share their exponential.
__device__ inline float softplus_sigmoid(float x, float *sigmoid) {
    float e = expf(-fabsf(x)), inverse = 1.0f / (1.0f + e);
    *sigmoid = x > 0.0f ? inverse : e * inverse;
    return fmaxf(x, 0.0f) + log1pf(e);
}

// The rows of the data and their position in the run.
struct Batch {
    const u32 *order;
    u64 order_member;
    const u32 *truth;    // bits, `words` per row
    const u8 *broken;    // rows whose labels break a rule; null where there are none
    u32 words;
    u32 rows;            // in an epoch
    u32 size;            // rows per step
};

// What the loss is computed on.
const u32 THROUGH_LAYER = 1;

// Fixed point: sums are the same in any order.
const float FIXED = 1099511627776.0f; // 2^40

// Loss and gradient of a step. One block per row and member.
template <bool OUTSIDE>
__device__ inline void loss_rows(Rules rules, const float *weights, float terms, u32 how,
                                 const float *logits, float *gradient, u64 member, u32 stride,
                                 Batch batch, double *losses, u64 loss_member, u32 *bad, const u32 *slots,
                                 const Position *position, u32 ahead, char *outside, u64 room) {
    extern __shared__ char inside[];
    __shared__ double parts[32];
    const u32 row = blockIdx.x, slot = slots[blockIdx.y], n = rules.classes;
    const u32 step = position->step + ahead, at = step * batch.size + row;
    const float *given = logits + slot * member + (u64)row * stride;
    float *to = gradient + slot * member + (u64)row * stride;
    if (row >= batch.size || at >= batch.rows) {
        for (u32 label = threadIdx.x; label < n; label += blockDim.x) to[label] = 0.0f;
        return;
    }
    const u64 block = (u64)blockIdx.y * gridDim.x + blockIdx.x;
    char *memory = OUTSIDE ? outside + block * room : inside;
    long long *pull = (long long *)memory; // also the memory that cycles need
    float *values = (float *)(pull + n);
    u32 *who = (u32 *)(values + n);
    u32 *truth = who + n;
    if (!OUTSIDE) rules = brought(rules, inside + room);
    const u32 example = batch.order[slot * batch.order_member + at];
    for (u32 word = threadIdx.x; word < batch.words; word += blockDim.x)
        truth[word] = batch.truth[(u64)example * batch.words + word];
    const Plain plain = {values, who, given};
    const Learned learned = {values, who, given, truth};
    if (!(how & THROUGH_LAYER ? begin(rules, plain) : begin(rules, learned))) {
        if (threadIdx.x == 0) bad[slot] = 1;
        for (u32 label = threadIdx.x; label < n; label += blockDim.x) to[label] = 0.0f;
        return;
    }
    if (how & THROUGH_LAYER) {
        raise(rules, plain, (u32 *)pull);
    } else if (batch.broken && batch.broken[example]) {
        float *denied_values = (float *)(truth + batch.words);
        u32 *denied_who = (u32 *)(denied_values + n);
        Channel affirmed = {values, who, denied_values, denied_who, given, truth, rules.stratum, true};
        Channel denied = {denied_values, denied_who, values, who, given, truth, rules.stratum, false};
        for (u32 label = threadIdx.x; label < n; label += blockDim.x) {
            bool is_true = holds(truth, label);
            values[label] = is_true ? given[label] : -INFINITE;
            who[label] = is_true ? label << 1 : HOLDS ^ 1;
            denied_values[label] = is_true ? INFINITE : given[label];
            denied_who[label] = is_true ? HOLDS : label << 1;
        }
        for (u32 level = 0; level < rules.levels; ++level) {
            __syncthreads();
            raise_level(rules, affirmed, level, (u32 *)pull);
            __syncthreads();
            raise_level(rules, denied, level, (u32 *)pull);
        }
        __syncthreads();
        for (u32 label = threadIdx.x; label < n; label += blockDim.x) {
            if (holds(truth, label)) continue;
            bool is_literal = denied_who[label] < CONSTANT;
            values[label] = is_literal ? denied_values[label] : given[label];
            who[label] = is_literal ? denied_who[label] : label << 1;
        }
    } else {
        raise(rules, learned, (u32 *)pull);
    }
    __syncthreads();
    for (u32 label = threadIdx.x; label < n; label += blockDim.x) pull[label] = 0;
    __syncthreads();
    double loss = 0.0;
    for (u32 label = threadIdx.x; label < n; label += blockDim.x) {
        const float weight = weights[label]; // 0 if the class is not evaluated
        if (weight == 0.0f) continue;
        bool affirmed = holds(truth, label);
        float value = values[label], sigmoid;
        loss += weight * softplus_sigmoid(affirmed ? -value : value, &sigmoid);
        sigmoid *= weight;
        u32 by = who[label];
        if (by < CONSTANT) {
            // sigma(s) - 1 is -sigma(-s), and a negated delegate takes the opposite.
            bool back = affirmed != (bool)(by & 1);
            long long fixed = __float2ll_rn((back ? -sigmoid : sigmoid) * FIXED);
            atomicAdd((u64 *)&pull[by >> 1], (u64)fixed);
        }
    }
    for (int way = 16; way; way >>= 1) loss += __shfl_xor_sync(0xffffffffu, loss, way);
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = loss;
    __syncthreads();
    const u32 rows = min(batch.size, batch.rows - step * batch.size);
    const double scale = 1.0 / ((double)terms * rows);
    for (u32 label = threadIdx.x; label < n; label += blockDim.x)
        to[label] = (float)((double)pull[label] * (1.0 / FIXED)) * (float)scale;
    if (threadIdx.x == 0) {
        double sum = 0.0;
        for (u32 k = 0; k < blockDim.x / 32; ++k) sum += parts[k];
        losses[slot * loss_member + at] = sum;
    }
}

extern "C" __global__ void loss_inside(Rules rules, const float *weights, float terms, u32 how,
                                       const float *logits, float *gradient, u64 member,
                                       u32 stride, Batch batch, double *losses, u64 loss_member, u32 *bad,
                                       const u32 *slots, const Position *position, u32 ahead,
                                       char *outside, u64 room) {
    loss_rows<false>(rules, weights, terms, how, logits, gradient, member, stride, batch, losses,
                     loss_member, bad, slots, position, ahead, outside, room);
}

extern "C" __global__ void loss_outside(Rules rules, const float *weights, float terms, u32 how,
                                        const float *logits, float *gradient, u64 member,
                                        u32 stride, Batch batch, double *losses, u64 loss_member, u32 *bad,
                                        const u32 *slots, const Position *position, u32 ahead,
                                        char *outside, u64 room) {
    loss_rows<true>(rules, weights, terms, how, logits, gradient, member, stride, batch, losses,
                    loss_member, bad, slots, position, ahead, outside, room);
}
