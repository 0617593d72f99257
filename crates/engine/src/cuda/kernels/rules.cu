// What the layer and the loss share: one block per example, its values in shared memory,
// or, if there are too many classes, in its own part of global memory.
//
// The layer selects; it computes no number. So its values and delegates are those of the CPU, bit
// for bit.

// A program, level by level: gpu_schedule.rs.
struct Rules {
    u32 classes;
    u32 levels;
    const uint4 *level;  // start; where heads have few rules; where they are in cycles; end
    const uint4 *heads;  // class, first rule, one past the last
    const u32 *bodies;   // null where every body is one literal, and a rule's number its index
    const u32 *literals;
    const u32 *stratum;
    u32 head_count;
    u32 body_count;
    u32 literal_count;
    u32 room;            // bytes of all of it, except the strata; 0 if blocks do not copy it
};

const u32 WITHIN = 1u << 31;      // in a literal: in the head's own component
const u32 CONSTANT = 1u << 31;    // from here on delegates are constants
const u32 HOLDS = 0xfffffffeu;    // what always holds without being a fact
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

// Unchanged margins: the layer.
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

// Logits signed by the labels: the loss, where labels break no rule. A literal takes part in a
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

// Classes that derive each other: values until nothing changes, then delegates, those with the
// shortest derivations first. `next` has room for a value or a delegate per class.
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
// All threads of a warp arrive here together; those without a class have no rules.
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

// The own value of every class; returns whether none is NaN.
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
    // With NaN, a cycle would never converge.
    return !__syncthreads_or(wrong);
}

template <class View>
__device__ inline void raise(Rules rules, const View &view, u32 *next) {
    for (u32 level = 0; level < rules.levels; ++level) {
        raise_level(rules, view, level, next);
        __syncthreads();
    }
}

// Copies the rules to shared memory: there are many short levels, and each would wait for global
// memory several times.
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
