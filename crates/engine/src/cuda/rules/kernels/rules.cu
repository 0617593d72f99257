// Rules level by level, for R rows side by side in one block: what is read of a rule serves all of
// them. Values are in shared memory or, if there are too many classes, in global memory of the block.
//
// The layer selects; it computes no number. So its values and delegates are those of the CPU, bit
// for bit.

// A program as its words lie in memory: words.rs.
struct Rules {
    u32 classes;
    u32 levels;
    const uint4 *level;  // start; where heads are in cycles; end
    const uint4 *heads;  // class, first rule, one past the last; those with the most rules come first
    const u32 *bodies;   // null where every body is one literal, and a rule's number its index
    const u32 *literals;
    const u32 *stratum;
    u32 head_count;
    u32 literal_count;
    u32 room;            // bytes of levels, heads, literals, bodies; 0 if blocks do not copy them
    u32 line_levels;
    u32 line_count;
    const u32 *line_ends; // one past the last line, level by level
    const uint4 *lines;   // heads again, with their literals; null if there are none: lines.cu
};

const u32 WITHIN = 1u << 31;      // in a literal: in the head's own component
const u32 CONSTANT = 1u << 31;    // from here on delegates are constants
const u32 HOLDS = 0xfffffffeu;    // what always holds without being a fact
const u32 OPEN = 0x7fffffffu;     // no delegate yet
const u32 EVERY = 0xffffffffu;    // all rows, a bit for each; all threads of a warp

template <class F, int R> struct Reading {
    Lanes<F, R> value;
    Lanes<u32, R> who;
};

template <class F, int R> __device__ inline void flip(Reading<F, R> &reading) {
#pragma unroll
    for (int r = 0; r < R; ++r) {
        reading.value.at[r] = -reading.value.at[r];
        reading.who.at[r] ^= 1u;
    }
}

template <class F, int R> __device__ inline Reading<F, R> constant(bool holds, u32 who) {
    Reading<F, R> reading;
#pragma unroll
    for (int r = 0; r < R; ++r) {
        reading.value.at[r] = holds ? Of<F>::infinite() : -Of<F>::infinite();
        reading.who.at[r] = who;
    }
    return reading;
}

// Takes what is larger (or smaller) than what is there, row by row.
template <bool LARGER, class F, int R>
__device__ inline void take(Reading<F, R> &best, const Reading<F, R> &next) {
#pragma unroll
    for (int r = 0; r < R; ++r) {
        bool better = LARGER ? next.value.at[r] > best.value.at[r]
                             : next.value.at[r] < best.value.at[r];
        best.value.at[r] = better ? next.value.at[r] : best.value.at[r];
        best.who.at[r] = better ? next.who.at[r] : best.who.at[r];
    }
}

// A delegate in 16 bits, where there are at most 2^14 classes: the highest bit is that of constants.
__device__ inline u32 widened(u32 who) { return who; }
__device__ inline u32 widened(u16 who) { return (who & 0x7fffu) | (who & 0x8000u) << 16; }
__device__ inline void narrow(u32 who, u32 &to) { to = who; }
__device__ inline void narrow(u32 who, u16 &to) { to = (u16)((who & 0x7fffu) | who >> 31 << 15); }

// Values and delegates of every class, in R rows.
template <class F, int R, class W = u32> struct Table {
    Lanes<F, R> *values;
    Lanes<W, R> *who;

    __device__ Reading<F, R> of(u32 label) const {
        Reading<F, R> reading;
        reading.value = values[label];
        Lanes<W, R> names = who[label];
#pragma unroll
        for (int r = 0; r < R; ++r) reading.who.at[r] = widened(names.at[r]);
        return reading;
    }
    __device__ void set(u32 label, const Reading<F, R> &reading) const {
        Lanes<W, R> names;
#pragma unroll
        for (int r = 0; r < R; ++r) narrow(reading.who.at[r], names.at[r]);
        values[label] = reading.value;
        who[label] = names;
    }
};

// The view of the layer: literals as they are. There are no cycles where delegates have 16 bits.
template <class F, int N, class W> struct Plain {
    typedef F Number;
    static const int R = N;
    // Rules from which on threads share a class: few where a level is waited for, more where other rows
    // fill the waiting.
    static const u32 MANY = sizeof(W) == 4 ? 3 : 24;
    static const bool CYCLES = sizeof(W) == 4;
    Table<F, N, W> table;

    __device__ Reading<F, N> literal(u32, u32 code) const {
        Reading<F, N> reading = table.of(code >> 1);
        if (code & 1) flip(reading);
        return reading;
    }
    __device__ u32 waits(u32, u32) const { return EVERY; }
};

// The smallest literal of a body, the first of them if there are several.
template <class View>
__device__ inline Reading<typename View::Number, View::R> least(const Rules &rules, const View &view,
                                                                u32 head, u32 rule) {
    if (!rules.bodies) return view.literal(head, rules.literals[rule] & ~WITHIN);
    u32 at = rules.bodies[rule], end = rules.bodies[rule + 1];
    if (at == end) return constant<typename View::Number, View::R>(true, CONSTANT | head << 1);
    Reading<typename View::Number, View::R> best =
        view.literal(head, rules.literals[at] & ~WITHIN);
#pragma unroll 1
    for (++at; at < end; ++at)
        take<false>(best, view.literal(head, rules.literals[at] & ~WITHIN));
    return best;
}

// In which rows the decisive literals of a rule within the component have their delegates.
template <class View>
__device__ inline u32 supported(const Rules &rules, const View &view, u32 head, u32 rule,
                                const Lanes<typename View::Number, View::R> &value) {
    u32 at = rules.bodies ? rules.bodies[rule] : rule;
    u32 end = rules.bodies ? rules.bodies[rule + 1] : rule + 1;
    u32 rows = EVERY;
#pragma unroll 1
    for (; at < end; ++at) {
        u32 code = rules.literals[at] & ~WITHIN;
        const u32 waiting = rules.literals[at] & WITHIN ? view.waits(head, code) : 0;
        if (!waiting) continue;
        Reading<typename View::Number, View::R> reading = view.literal(head, code);
        Lanes<u32, View::R> who = view.table.who[code >> 1];
        for (int r = 0; r < View::R; ++r)
            if ((waiting >> r & 1) && reading.value.at[r] == value.at[r] && who.at[r] == OPEN)
                rows &= ~(1u << r);
    }
    return rows;
}

// Classes that derive each other: values until nothing changes, then delegates, those with the
// shortest derivations first. `next` has room for a value or a delegate per class and row, `own` is
// what a class has without rules.
template <class View, class Own>
__device__ __noinline__ void iterate(Rules rules, View view, Own own, u32 start, u32 end,
                                     char *next) {
    typedef typename View::Number F;
    const int R = View::R;
    const u32 me = threadIdx.x, all = blockDim.x;
    Lanes<F, R> *values = (Lanes<F, R> *)next;
    Lanes<u32, R> *names = (Lanes<u32, R> *)next;
    // Each round settles at least one class, so there are no more rounds than classes.
#pragma unroll 1
    for (u32 round = start; round <= end; ++round) {
        bool moved = false;
#pragma unroll 1
        for (u32 k = start + me; k < end; k += all) {
            uint4 of = rules.heads[k];
            Reading<F, R> best = view.table.of(of.x);
#pragma unroll 1
            for (u32 rule = of.y; rule < of.z; ++rule)
                take<true>(best, least(rules, view, of.x, rule));
            values[of.x] = best.value;
        }
        __syncthreads();
#pragma unroll 1
        for (u32 k = start + me; k < end; k += all) {
            u32 head = rules.heads[k].x;
            for (int r = 0; r < R; ++r)
                moved |= values[head].at[r] != view.table.values[head].at[r];
            view.table.values[head] = values[head];
        }
        if (!__syncthreads_or(moved)) break;
    }
#pragma unroll 1
    for (u32 k = start + me; k < end; k += all) {
        u32 head = rules.heads[k].x;
#pragma unroll 1
        for (int r = 0; r < R; ++r)
            if (own(head, r) != view.table.values[head].at[r]) view.table.who[head].at[r] = OPEN;
    }
    __syncthreads();
#pragma unroll 1
    for (u32 round = start; round <= end; ++round) {
        bool open = false;
#pragma unroll 1
        for (u32 k = start + me; k < end; k += all) {
            uint4 of = rules.heads[k];
            Reading<F, R> now = view.table.of(of.x);
            for (int r = 0; r < R; ++r) {
                open |= now.who.at[r] == OPEN;
                names[of.x].at[r] = OPEN;
            }
#pragma unroll 1
            for (u32 rule = of.y; rule < of.z; ++rule) {
                Reading<F, R> reading = least(rules, view, of.x, rule);
                u32 rows = supported(rules, view, of.x, rule, now.value);
                for (int r = 0; r < R; ++r)
                    if (now.who.at[r] == OPEN && names[of.x].at[r] == OPEN && (rows >> r & 1) &&
                        reading.value.at[r] == now.value.at[r])
                        names[of.x].at[r] = reading.who.at[r];
            }
        }
        if (!__syncthreads_or(open)) break;
#pragma unroll 1
        for (u32 k = start + me; k < end; k += all) {
            u32 head = rules.heads[k].x;
            for (int r = 0; r < R; ++r)
                if (names[head].at[r] != OPEN) view.table.who[head].at[r] = names[head].at[r];
        }
        __syncthreads();
    }
}

// Threads that share the rules of a class with many.
const u32 GROUP = 8;
const u32 ALONE = 0xffffffffu; // no class has so many rules

// A class with many rules: the threads of a group take one each, the first of the largest wins.
// All threads of a warp arrive here together; those without a class have no rules.
template <class View>
__device__ inline void raise_heavy(const Rules &rules, const View &view, uint4 of) {
    typedef typename View::Number F;
    const int R = View::R;
    const u32 none = 0xffffffffu, lane = threadIdx.x % GROUP; // `none`: no rule yet
    Reading<F, R> best = constant<F, R>(false, 0);
    u32 place[R];
    for (int r = 0; r < R; ++r) place[r] = none;
#pragma unroll 1
    for (u32 rule = of.y + lane; rule < of.z; rule += GROUP) {
        Reading<F, R> reading = least(rules, view, of.x, rule);
#pragma unroll
        for (int r = 0; r < R; ++r) {
            if (place[r] != none && !(reading.value.at[r] > best.value.at[r])) continue;
            best.value.at[r] = reading.value.at[r];
            best.who.at[r] = reading.who.at[r];
            place[r] = rule;
        }
    }
#pragma unroll 1
    for (int way = GROUP / 2; way; way >>= 1) {
#pragma unroll
        for (int r = 0; r < R; ++r) {
            F value = __shfl_xor_sync(EVERY, best.value.at[r], way);
            u32 who = __shfl_xor_sync(EVERY, best.who.at[r], way);
            u32 at = __shfl_xor_sync(EVERY, place[r], way);
            F mine = best.value.at[r];
            bool better = place[r] == none || value > mine || (value == mine && at < place[r]);
            if (at != none && better) {
                best.value.at[r] = value;
                best.who.at[r] = who;
                place[r] = at;
            }
        }
    }
    if (lane == 0 && of.y < of.z) {
        Reading<F, R> now = view.table.of(of.x);
        take<true>(now, best);
        view.table.set(of.x, now);
    }
}

// One level of a program.
template <class View, class Own>
__device__ inline void raise_level(const Rules &rules, const View &view, const Own &own, u32 level,
                                   char *next) {
    typedef typename View::Number F;
    const uint4 of_level = rules.level[level];
    const u32 start = of_level.x, cyclic = of_level.y, end = of_level.z;
    if (View::MANY != ALONE) {
        // The classes with the most rules come first: after a warp without one there is none.
#pragma unroll 1
        for (u32 k = start + threadIdx.x / GROUP;; k += blockDim.x / GROUP) {
            uint4 of = k < cyclic ? rules.heads[k] : make_uint4(0, 0, 0, 0);
            const bool shared = of.z - of.y >= View::MANY;
            if (!__any_sync(EVERY, shared)) break;
            raise_heavy(rules, view, shared ? of : make_uint4(0, 0, 0, 0));
        }
    }
#pragma unroll 1
    for (u32 k = start + threadIdx.x; k < cyclic; k += blockDim.x) {
        uint4 of = rules.heads[k];
        if (of.z - of.y >= View::MANY) continue;
        Reading<F, View::R> best = view.table.of(of.x);
#pragma unroll 1
        for (u32 rule = of.y; rule < of.z; ++rule)
            take<true>(best, least(rules, view, of.x, rule));
        view.table.set(of.x, best);
    }
    if constexpr (View::CYCLES)
        if (cyclic < end) iterate(rules, view, own, cyclic, end, next);
}

// All levels of a program.
template <class View, class Own>
__device__ inline void raise(const Rules &rules, const View &view, const Own &own, char *next) {
#pragma unroll 1
    for (u32 level = 0; level < rules.levels; ++level) {
        raise_level(rules, view, own, level, next);
        __syncthreads();
    }
}

// Copies the rules to shared memory: there are many short levels, and each would wait for global
// memory several times. They are next to each other: levels, heads, literals, bodies.
__device__ inline Rules brought(Rules rules, char *to) {
    if (rules.room == 0) return rules;
    uint4 *copy = (uint4 *)to;
#pragma unroll 4
    for (u32 k = threadIdx.x; k < rules.room / 16; k += blockDim.x) copy[k] = rules.level[k];
    rules.level = copy;
    rules.heads = copy + rules.levels;
    rules.literals = (u32 *)(rules.heads + rules.head_count);
    if (rules.bodies) rules.bodies = rules.literals + rules.literal_count;
    return rules;
}
