// The constraint layer and the constraint loss: a block per example, its values in shared memory,
// or, where there are too many classes, in memory of its own.
//
// The layer picks; it computes no number. So its values and delegates are the host's, bit for bit.

// A program, level by level: schedule.rs.
struct Rules {
    u32 classes;
    u32 levels;
    const uint4 *level;  // start; where heads have few rules; where they are in cycles; end
    const uint4 *heads;  // class, first rule, one past the last
    const u32 *bodies;   // null where every body is one literal, and a rule's number its place
    const u32 *literals;
    const u32 *stratum;
    u32 head_count;
    u32 body_count;
    u32 literal_count;
    u32 room;            // bytes of all of it, but for the strata; 0 if blocks do not copy it
};

const u32 WITHIN = 1u << 31;      // in a literal: of the head's own component
const u32 CONSTANT = 1u << 31;    // from here on delegates are constants
const u32 HOLDS = 0xfffffffeu;    // what always holds and is no fact
const u32 OPEN = 0x7fffffffu;     // no delegate yet

struct Reading {
    float value;
    u32 who;
};

__device__ inline Reading flip(Reading reading, bool negated) {
    return {negated ? -reading.value : reading.value, reading.who ^ (u32)negated};
}

__device__ inline Reading constant(bool holds) {
    return {holds ? INFINITE : -INFINITE, HOLDS ^ (u32)!holds};
}

// Margins as they are: the layer.
struct Plain {
    float *values;
    u32 *who;
    const float *given;

    __device__ float own(u32 label) const {
        float margin = given[label];
        return margin == 0.0f ? -1.17549435e-38f : margin;
    }
    __device__ Reading literal(u32, u32 code) const {
        u32 label = code >> 1;
        return flip({values[label], who[label]}, code & 1);
    }
    __device__ bool waits(u32, u32) const { return true; }
};

__device__ inline bool holds(const u32 *truth, u32 label) {
    return truth[label >> 5] >> (label & 31) & 1;
}

// Logits seen from the labels: the loss, where labels break no rule. A literal has a part in a
// rule iff its truth is that of the head.
struct Learned {
    float *values;
    u32 *who;
    const float *given;
    const u32 *truth;

    __device__ float own(u32 label) const { return given[label]; }
    __device__ Reading literal(u32 head, u32 code) const {
        if (!waits(head, code)) return constant(!holds(truth, head));
        u32 label = code >> 1;
        return flip({values[label], who[label]}, code & 1);
    }
    __device__ bool waits(u32 head, u32 code) const {
        return (holds(truth, code >> 1) != (bool)(code & 1)) == holds(truth, head);
    }
};

// One of the two channels of the loss, for labels that break a rule: loss/broken.rs.
struct Channel {
    float *values; // this channel's
    u32 *who;
    const float *other_values;
    const u32 *other_who;
    const float *given;
    const u32 *truth;
    const u32 *stratum;
    bool affirmed;

    __device__ float own(u32 label) const {
        if (holds(truth, label) == affirmed) return given[label];
        return affirmed ? -INFINITE : INFINITE;
    }
    __device__ Reading literal(u32 head, u32 code) const {
        u32 label = code >> 1;
        bool negated = code & 1;
        bool same = !negated && stratum[label] == stratum[head];
        if (!same && (holds(truth, label) != negated) != affirmed) return constant(!affirmed);
        // Negation swaps the channels.
        if (negated) return flip({other_values[label], other_who[label]}, true);
        return {values[label], who[label]};
    }
    __device__ bool waits(u32, u32) const { return true; }
};

// The smallest literal of a body, the first of them if there are several.
template <class View>
__device__ inline Reading least(Rules rules, const View &view, u32 head, u32 rule) {
    if (!rules.bodies) return view.literal(head, rules.literals[rule] & ~WITHIN);
    u32 at = rules.bodies[rule], end = rules.bodies[rule + 1];
    if (at == end) return {INFINITE, CONSTANT | head << 1};
    Reading best = view.literal(head, rules.literals[at] & ~WITHIN);
    for (++at; at < end; ++at) {
        Reading next = view.literal(head, rules.literals[at] & ~WITHIN);
        if (next.value < best.value) best = next;
    }
    return best;
}

// Whether the decisive literals of a rule within the component have their delegates.
template <class View>
__device__ inline bool is_supported(Rules rules, const View &view, u32 head, u32 rule, float value) {
    u32 at = rules.bodies ? rules.bodies[rule] : rule;
    u32 end = rules.bodies ? rules.bodies[rule + 1] : rule + 1;
    for (; at < end; ++at) {
        u32 code = rules.literals[at] & ~WITHIN;
        if (rules.literals[at] & WITHIN && view.waits(head, code) &&
            view.literal(head, code).value == value && view.who[code >> 1] == OPEN)
            return false;
    }
    return true;
}

// Classes that derive each other: values until nothing moves, then delegates, those with the
// fewest rules behind them first. `next` has room for a value or a delegate of each class.
template <class View>
__device__ void iterate(Rules rules, const View &view, u32 start, u32 end, u32 *next) {
    const u32 me = threadIdx.x, all = blockDim.x;
    // Each round settles at least one class, so there are no more rounds than classes.
    for (u32 round = start; round <= end; ++round) {
        bool moved = false;
        for (u32 k = start + me; k < end; k += all) {
            uint4 of = rules.heads[k];
            u32 head = of.x;
            float best = view.values[head];
            for (u32 rule = of.y; rule < of.z; ++rule) {
                float value = least(rules, view, head, rule).value;
                if (value > best) best = value;
            }
            next[head] = __float_as_uint(best);
        }
        __syncthreads();
        for (u32 k = start + me; k < end; k += all) {
            u32 head = rules.heads[k].x;
            float best = __uint_as_float(next[head]);
            moved |= best != view.values[head];
            view.values[head] = best;
        }
        if (!__syncthreads_or(moved)) break;
    }
    for (u32 k = start + me; k < end; k += all) {
        u32 head = rules.heads[k].x;
        if (view.own(head) != view.values[head]) view.who[head] = OPEN;
    }
    __syncthreads();
    for (u32 round = start; round <= end; ++round) {
        bool open = false;
        for (u32 k = start + me; k < end; k += all) {
            uint4 of = rules.heads[k];
            u32 head = of.x;
            next[head] = OPEN;
            if (view.who[head] != OPEN) continue;
            open = true;
            float value = view.values[head];
            for (u32 rule = of.y; rule < of.z; ++rule) {
                Reading reading = least(rules, view, head, rule);
                if (reading.value == value && is_supported(rules, view, head, rule, value)) {
                    next[head] = reading.who;
                    break;
                }
            }
        }
        if (!__syncthreads_or(open)) break;
        for (u32 k = start + me; k < end; k += all) {
            u32 head = rules.heads[k].x;
            if (next[head] != OPEN) view.who[head] = next[head];
        }
        __syncthreads();
    }
}

// Threads that share the rules of a class with many.
const u32 GROUP = 8;

// A class with many rules: the threads of a group take one each, the first of the largest wins.
// All threads of a warp come here together; those without a class have no rules.
template <class View>
__device__ inline void raise_heavy(Rules rules, const View &view, uint4 of) {
    const u32 none = 0xffffffffu, lane = threadIdx.x % GROUP;
    Reading best = {-INFINITE, 0};
    u32 place = none;
    for (u32 rule = of.y + lane; rule < of.z; rule += GROUP) {
        Reading reading = least(rules, view, of.x, rule);
        if (place == none || reading.value > best.value) {
            best = reading;
            place = rule;
        }
    }
    for (int way = GROUP / 2; way; way >>= 1) {
        float value = __shfl_xor_sync(none, best.value, way);
        u32 who = __shfl_xor_sync(none, best.who, way), at = __shfl_xor_sync(none, place, way);
        bool better = place == none || value > best.value || (value == best.value && at < place);
        if (at != none && better) {
            best = {value, who};
            place = at;
        }
    }
    if (lane == 0 && place != none && best.value > view.values[of.x]) {
        view.values[of.x] = best.value;
        view.who[of.x] = best.who;
    }
}

// One level of a program.
template <class View>
__device__ inline void raise_level(Rules rules, const View &view, u32 level, u32 *next) {
    const uint4 of_level = rules.level[level];
    const u32 start = of_level.x, light = of_level.y, cyclic = of_level.z, end = of_level.w;
    const u32 groups = blockDim.x / GROUP, in_warp = threadIdx.x % 32 / GROUP;
    for (u32 k = start + threadIdx.x / GROUP; k - in_warp < light; k += groups)
        raise_heavy(rules, view, k < light ? rules.heads[k] : make_uint4(0, 0, 0, 0));
    for (u32 k = light + threadIdx.x; k < cyclic; k += blockDim.x) {
        uint4 of = rules.heads[k];
        u32 head = of.x;
        Reading best = {view.values[head], view.who[head]};
#pragma unroll 4
        for (u32 rule = of.y; rule < of.z; ++rule) {
            Reading reading = least(rules, view, head, rule);
            if (reading.value > best.value) best = reading;
        }
        view.values[head] = best.value;
        view.who[head] = best.who;
    }
    if (cyclic < end) iterate(rules, view, cyclic, end, next);
}

// Every class as it is by itself; whether each is a number.
template <class View>
__device__ inline bool begin(Rules rules, const View &view) {
    bool wrong = false;
#pragma unroll 4
    for (u32 label = threadIdx.x; label < rules.classes; label += blockDim.x) {
        float own = view.own(label);
        wrong |= isnan(own);
        view.values[label] = own;
        view.who[label] = label << 1;
    }
    // What is no number would never come to rest in a cycle.
    return !__syncthreads_or(wrong);
}

template <class View>
__device__ inline void raise(Rules rules, const View &view, u32 *next) {
    for (u32 level = 0; level < rules.levels; ++level) {
        raise_level(rules, view, level, next);
        __syncthreads();
    }
}

// Brings the rules to a block's own memory: levels are many and short, and each would wait for the
// card's memory several times.
__device__ inline Rules brought(Rules rules, char *to) {
    if (rules.room == 0) return rules;
    uint4 *level = (uint4 *)to, *heads = level + rules.levels;
    u32 *literals = (u32 *)(heads + rules.head_count), *bodies = literals + rules.literal_count;
    for (u32 k = threadIdx.x; k < rules.levels; k += blockDim.x) level[k] = rules.level[k];
    for (u32 k = threadIdx.x; k < rules.head_count; k += blockDim.x) heads[k] = rules.heads[k];
    for (u32 k = threadIdx.x; k < rules.literal_count; k += blockDim.x)
        literals[k] = rules.literals[k];
    if (rules.bodies) {
        for (u32 k = threadIdx.x; k < rules.body_count; k += blockDim.x)
            bodies[k] = rules.bodies[k];
        rules.bodies = bodies;
    }
    rules.level = level;
    rules.heads = heads;
    rules.literals = literals;
    return rules;
}

// Coherent margins, and who decided where `delegates` is not null. A block per row.
template <bool OUTSIDE>
__device__ inline void layer_rows(Rules rules, const float *margins, float *coherent,
                                  u32 *delegates, u32 rows, char *outside, u64 room, u32 *bad) {
    extern __shared__ char inside[];
    char *memory = OUTSIDE ? outside + blockIdx.x * room : inside;
    float *values = (float *)memory;
    u32 *who = (u32 *)(values + rules.classes), *next = who + rules.classes;
    if (!OUTSIDE) rules = brought(rules, inside + room);
    for (u32 row = blockIdx.x; row < rows; row += gridDim.x) {
        const u64 start = (u64)row * rules.classes;
        Plain view = {values, who, margins + start};
        if (!begin(rules, view)) {
            if (threadIdx.x == 0) *bad = 1;
        } else {
            raise(rules, view, next);
            for (u32 label = threadIdx.x; label < rules.classes; label += blockDim.x) {
                coherent[start + label] = values[label];
                if (delegates) delegates[start + label] = who[label];
            }
        }
        __syncthreads();
    }
}

extern "C" __global__ void layer_inside(Rules rules, const float *margins, float *coherent,
                                        u32 *delegates, u32 rows, char *outside, u64 room,
                                        u32 *bad) {
    layer_rows<false>(rules, margins, coherent, delegates, rows, outside, room, bad);
}

extern "C" __global__ void layer_outside(Rules rules, const float *margins, float *coherent,
                                         u32 *delegates, u32 rows, char *outside, u64 room,
                                         u32 *bad) {
    layer_rows<true>(rules, margins, coherent, delegates, rows, outside, room, bad);
}

// Margins from logits: what a class is above its threshold.
extern "C" __global__ void margins_of(const float *logits, const float *shift, u32 classes,
                                      float *margins, u64 n) {
    u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n) margins[at] = logits[at] + shift[at % classes];
}

// ln(1 + e^x) and 1 / (1 + e^-x), which share their exponential.
__device__ inline float softplus_sigmoid(float x, float *sigmoid) {
    float e = expf(-fabsf(x)), inverse = 1.0f / (1.0f + e);
    *sigmoid = x > 0.0f ? inverse : e * inverse;
    return fmaxf(x, 0.0f) + log1pf(e);
}

// The rows of the data and their place in the run.
struct Batch {
    const u32 *order;
    u64 order_member;
    const u32 *truth;    // bits, `words` a row
    const u8 *broken;    // rows whose labels break a rule; null where there are none
    u32 words;
    u32 rows;            // in an epoch
    u32 size;            // rows of a step
};

// What the loss looks at.
const u32 THROUGH_LAYER = 1;

// Fixed point: sums come out the same in any order.
const float FIXED = 1099511627776.0f; // 2^40

// Loss and gradient of a step. A block per row and member.
template <bool OUTSIDE>
__device__ inline void loss_rows(Rules rules, const u8 *evaluated, float terms, u32 how,
                                 const float *logits, float *gradient, u64 member, Batch batch,
                                 double *losses, u64 loss_member, u32 *bad, const u32 *slots,
                                 const Position *position, u32 ahead, char *outside, u64 room) {
    extern __shared__ char inside[];
    __shared__ double parts[32];
    const u32 row = blockIdx.x, slot = slots[blockIdx.y], n = rules.classes;
    const u32 step = position->step + ahead, at = step * batch.size + row;
    const float *given = logits + slot * member + (u64)row * n;
    float *to = gradient + slot * member + (u64)row * n;
    if (row >= batch.size || at >= batch.rows) {
        for (u32 label = threadIdx.x; label < n; label += blockDim.x) to[label] = 0.0f;
        return;
    }
    const u64 block = (u64)blockIdx.y * gridDim.x + blockIdx.x;
    char *memory = OUTSIDE ? outside + block * room : inside;
    long long *pull = (long long *)memory; // also the room that cycles need
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
        if (!evaluated[label]) continue;
        bool affirmed = holds(truth, label);
        float value = values[label], sigmoid;
        loss += softplus_sigmoid(affirmed ? -value : value, &sigmoid);
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

extern "C" __global__ void loss_inside(Rules rules, const u8 *evaluated, float terms, u32 how,
                                       const float *logits, float *gradient, u64 member,
                                       Batch batch, double *losses, u64 loss_member, u32 *bad,
                                       const u32 *slots, const Position *position, u32 ahead,
                                       char *outside, u64 room) {
    loss_rows<false>(rules, evaluated, terms, how, logits, gradient, member, batch, losses,
                     loss_member, bad, slots, position, ahead, outside, room);
}

extern "C" __global__ void loss_outside(Rules rules, const u8 *evaluated, float terms, u32 how,
                                        const float *logits, float *gradient, u64 member,
                                        Batch batch, double *losses, u64 loss_member, u32 *bad,
                                        const u32 *slots, const Position *position, u32 ahead,
                                        char *outside, u64 room) {
    loss_rows<true>(rules, evaluated, terms, how, logits, gradient, member, batch, losses,
                    loss_member, bad, slots, position, ahead, outside, room);
}
