// The loss of networks with outputs for each level, its gradients, and the mixed outputs.

// The outputs of all classes, and what the loss knows of them.
struct Outputs {
    u64 global;       // [row][class]: logits, later their gradients
    u64 local;        // [row][place]
    u64 mixed;        // [row][class]: probabilities
    const u32 *place; // of each class among the local outputs; all ones: it has none
    const u32 *terms; // evaluated classes in the level of each class; 0: it is not evaluated
    const u32 *truth; // bits, `words` per row of the data
    // For each class its rules in order: the other class twice, plus one if that is the child.
    const u32 *rule_starts;
    const u32 *rules;
    u32 classes;
    u32 places;
    u32 words;
    u32 evaluated;  // classes
    u32 rule_count; // 0: there is no penalty
    float share;    // of local outputs
    float penalty;
    u32 unused;
};

// Loss and gradients of a step. Grid: rows, members.
extern "C" __global__ void __launch_bounds__(256)
    level_loss(Members members, Outputs outputs, const u32 *order, u64 order_member, u32 start,
               u32 count, double *losses) {
    __shared__ double parts[8];
    const u32 row = blockIdx.x, slot = members.slots[blockIdx.y], n = outputs.classes;
    float *all = members.memory + slot * members.memory_member;
    float *global = all + outputs.global + (u64)row * n;
    float *local = all + outputs.local + (u64)row * outputs.places;
    float *mixed = all + outputs.mixed + (u64)row * n;
    if (row >= count) {
        for (u32 at = threadIdx.x; at < n; at += blockDim.x) global[at] = 0.0f;
        for (u32 at = threadIdx.x; at < outputs.places; at += blockDim.x) local[at] = 0.0f;
        return;
    }
    const u64 at = slot * order_member + start + row;
    const u32 *truth = outputs.truth + (u64)order[at] * outputs.words;
    if (outputs.rule_count) {
        for (u32 label = threadIdx.x; label < n; label += blockDim.x) {
            const u32 place = outputs.place[label];
            const float share = place == ~0u ? 0.0f : outputs.share;
            float value = (1.0f - share) * logistic(global[label]);
            if (place != ~0u) value += share * logistic(local[place]);
            mixed[label] = value;
        }
    }
    __syncthreads();
    const float scale = outputs.penalty / ((float)outputs.rule_count * (float)count);
    double loss = 0.0;
    for (u32 label = threadIdx.x; label < n; label += blockDim.x) {
        const u32 place = outputs.place[label], terms = outputs.terms[label];
        if (terms == 0) {
            global[label] = 0.0f;
            if (place != ~0u) local[place] = 0.0f;
            continue;
        }
        float pull = 0.0f;
        if (outputs.rule_count) {
            const u32 end = outputs.rule_starts[label + 1];
            for (u32 rule = outputs.rule_starts[label]; rule < end; ++rule) {
                const u32 other = outputs.rules[rule] >> 1;
                const bool is_parent = outputs.rules[rule] & 1;
                const float own = mixed[label], its = mixed[other];
                const float over = is_parent ? its - own : own - its;
                if (!(over > 0.0f)) continue;
                pull += is_parent ? -2.0f * scale * over : 2.0f * scale * over;
                // Each rule counts once: where it is met at the child.
                if (!is_parent) loss += (double)(scale * over * over);
            }
        }
        const float label_is = (truth[label >> 5] >> (label & 31)) & 1 ? 1.0f : 0.0f;
        const float share = place == ~0u ? 0.0f : outputs.share;
        for (u32 head = 0; head < (place == ~0u ? 1 : 2); ++head) {
            float *logit = head ? local + place : global + label;
            const float by = 1.0f / ((float)(head ? terms : outputs.evaluated) * (float)count);
            float probability;
            const float softplus = softplus_sigmoid(*logit, &probability);
            loss += (double)(softplus - label_is * *logit) * (double)by;
            const float part = pull * (head ? share : 1.0f - share);
            *logit = by * (probability - label_is) + part * probability * (1.0f - probability);
        }
    }
    for (int way = 16; way; way >>= 1) loss += __shfl_xor_sync(0xffffffffu, loss, way);
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = loss;
    __syncthreads();
    if (threadIdx.x == 0) {
        double sum = 0.0;
        for (u32 k = 0; k < blockDim.x / 32; ++k) sum += parts[k];
        losses[at] = sum;
    }
}

// The logits of mixed probabilities, as in mixture.rs. Grid: numbers, members.
extern "C" __global__ void __launch_bounds__(256)
    level_mix(Members members, Outputs outputs, double share, u32 count, float *to) {
    const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    const u32 slot = members.slots[blockIdx.y], n = outputs.classes;
    if (at >= (u64)count * n) return;
    const u32 row = at / n, label = at % n, place = outputs.place[label];
    const float *all = members.memory + slot * members.memory_member;
    float logit = all[outputs.global + at];
    if (place != ~0u) {
        const double first = all[outputs.local + (u64)row * outputs.places + place], second = logit;
        const double yes = share / (1.0 + exp(-first)) + (1.0 - share) / (1.0 + exp(-second));
        const double no = share / (1.0 + exp(first)) + (1.0 - share) / (1.0 + exp(second));
        logit = (float)log(yes / no);
    }
    to[(u64)blockIdx.y * members.rows * n + at] = logit;
}
