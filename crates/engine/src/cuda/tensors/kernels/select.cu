// The logits that the constraint loss uses, CM+ or CM- of every class, and the terms of the loss.

// Logits signed by the labels, where labels break no rule: a literal takes part in a rule iff its
// truth is that of the head.
template <class F> struct Learned {
    typedef F Number;
    static const int R = 1;
    static const bool CYCLES = true;
    static const u32 MANY = 3;
    Table<F, 1> table;
    const u8 *truth;

    __device__ Reading<F, 1> literal(u32 head, u32 code) const {
        if (!waits(head, code)) {
            bool holds = !truth[head];
            return constant<F, 1>(holds, HOLDS ^ (u32)!holds);
        }
        Reading<F, 1> reading = table.of(code >> 1);
        if (code & 1) flip(reading);
        return reading;
    }
    __device__ bool waits(u32 head, u32 code) const {
        return ((bool)truth[code >> 1] != (bool)(code & 1)) == (bool)truth[head];
    }
};

// One of the two channels, for labels that break a rule: loss/broken.rs.
template <class F> struct Channel {
    typedef F Number;
    static const int R = 1;
    static const bool CYCLES = true;
    static const u32 MANY = ALONE; // few rows are broken
    Table<F, 1> table;
    Table<F, 1> other;
    const u8 *truth;
    const u32 *stratum;
    bool affirmed;

    __device__ Reading<F, 1> literal(u32 head, u32 code) const {
        u32 label = code >> 1;
        bool negated = code & 1;
        bool same = !negated && stratum[label] == stratum[head];
        if (!same && ((bool)truth[label] != negated) != affirmed)
            return constant<F, 1>(!affirmed, HOLDS ^ (u32)affirmed);
        if (!negated) return table.of(label);
        // Negation swaps the channels.
        Reading<F, 1> reading = other.of(label);
        flip(reading);
        return reading;
    }
    __device__ bool waits(u32, u32) const { return true; }
};

// What the labels grant is a constant, and larger than any logit: an infinite logit is the largest
// number until it is selected.
template <class F> struct LogitOwn {
    const void *given;
    u64 start;
    u32 kind;

    __device__ F operator()(u32 label, int) const {
        F logit = Of<F>::load(given, start + label, kind);
        logit = logit > Of<F>::largest() ? Of<F>::largest() : logit;
        return logit < -Of<F>::largest() ? -Of<F>::largest() : logit;
    }
    // The value that `who` decided, infinite again where it was.
    __device__ F selected(F value, u32 who) const {
        if (who >= CONSTANT || !(fabs(value) >= Of<F>::largest())) return value;
        F logit = Of<F>::load(given, start + (who >> 1), kind);
        return who & 1 ? -logit : logit;
    }
};

template <class F> struct ChannelOwn {
    LogitOwn<F> logit;
    const u8 *truth;
    bool affirmed;

    __device__ F operator()(u32 label, int r) const {
        if ((bool)truth[label] == affirmed) return logit(label, r);
        return affirmed ? -Of<F>::infinite() : Of<F>::infinite();
    }
};

__device__ inline float softplus(float x, float *sigmoid) {
    float e = expf(-fabsf(x)), inverse = 1.0f / (1.0f + e);
    *sigmoid = x > 0.0f ? inverse : e * inverse;
    return fmaxf(x, 0.0f) + log1pf(e);
}

__device__ inline double softplus(double x, double *sigmoid) {
    double e = exp(-fabs(x)), inverse = 1.0 / (1.0 + e);
    *sigmoid = x > 0.0 ? inverse : e * inverse;
    return fmax(x, 0.0) + log1p(e);
}

// Whether the labels break a rule: a true body, and a head that is not.
__device__ inline bool breaks(const Rules &rules, const u8 *truth) {
    bool broken = false;
#pragma unroll 1
    for (u32 k = threadIdx.x; k < rules.head_count; k += blockDim.x) {
        uint4 of = rules.heads[k];
        if (truth[of.x]) continue;
#pragma unroll 1
        for (u32 rule = of.y; rule < of.z && !broken; ++rule) {
            u32 at = rules.bodies ? rules.bodies[rule] : rule;
            u32 end = rules.bodies ? rules.bodies[rule + 1] : rule + 1;
            bool body = true;
#pragma unroll 1
            for (; at < end && body; ++at) {
                u32 code = rules.literals[at] & ~WITHIN;
                body = (bool)truth[code >> 1] != (bool)(code & 1);
            }
            broken = body;
        }
    }
    return __syncthreads_or(broken);
}

// Where the results of `select` go. For the loss `selected` holds the slopes of its terms, in the
// type of computation; `losses` is null otherwise.
struct Selection {
    void *selected;
    u32 *delegates;
    double *losses;   // of every row
    u32 *broken;      // whether the labels of a row break a rule
    const u8 *evaluated; // which classes have a term; null for all
};

// One row per block, in memory of its own outside if `outside` is not null. A row with NaN becomes NaN.
template <class F>
__device__ inline void select_rows(Rules rules, const void *given, const u8 *labels, Selection to,
                                   u32 rows, u32 kind, char *outside, u64 room) {
    extern __shared__ __align__(16) char inside[];
    __shared__ double parts[32];
    char *memory = outside ? outside + blockIdx.x * room : inside;
    const u32 n = rules.classes;
    // The wide ones first, so that everything is aligned.
    Lanes<F, 1> *values = (Lanes<F, 1> *)memory, *others = values + n, *next = others + n;
    Lanes<u32, 1> *who = (Lanes<u32, 1> *)(next + n), *other_who = who + n;
    u8 *truth = (u8 *)(other_who + n);
    const Table<F, 1> table = {values, who}, other = {others, other_who};
    if (!outside) rules = brought(rules, inside + room);
#pragma unroll 1
    for (u32 row = blockIdx.x; row < rows; row += gridDim.x) {
        const u64 start = (u64)row * n;
        const LogitOwn<F> own = {given, start, kind};
        bool wrong = false;
#pragma unroll 1
        for (u32 label = threadIdx.x; label < n; label += blockDim.x) {
            F logit = own(label, 0);
            wrong |= isnan(logit);
            values[label].at[0] = logit;
            who[label].at[0] = label << 1;
            truth[label] = labels[start + label];
        }
        const bool bad = __syncthreads_or(wrong);
        const bool broken = breaks(rules, truth);
        if (broken && !bad) {
#pragma unroll 1
            for (u32 label = threadIdx.x; label < n; label += blockDim.x) {
                bool holds = truth[label];
                others[label].at[0] = holds ? Of<F>::infinite() : values[label].at[0];
                other_who[label].at[0] = holds ? HOLDS : label << 1;
                if (!holds) {
                    values[label].at[0] = -Of<F>::infinite();
                    who[label].at[0] = HOLDS ^ 1;
                }
            }
#pragma unroll 1
            for (u32 level = 0; level < rules.levels; ++level) {
#pragma unroll 1
                for (int denied = 0; denied < 2; ++denied) {
                    __syncthreads();
                    Channel<F> channel = {denied ? other : table, denied ? table : other, truth,
                                          rules.stratum, !denied};
                    ChannelOwn<F> channel_own = {own, truth, !denied};
                    raise_level(rules, channel, channel_own, level, (char *)next);
                }
            }
            __syncthreads();
#pragma unroll 1
            for (u32 label = threadIdx.x; label < n; label += blockDim.x) {
                if (truth[label]) continue;
                bool is_literal = other_who[label].at[0] < CONSTANT;
                values[label].at[0] = is_literal ? others[label].at[0] : own(label, 0);
                who[label].at[0] = is_literal ? other_who[label].at[0] : label << 1;
            }
        } else if (!bad) {
            Learned<F> learned = {table, truth};
            raise(rules, learned, own, (char *)next);
        }
        __syncthreads();
        double loss = 0.0;
#pragma unroll 1
        for (u32 label = threadIdx.x; label < n; label += blockDim.x) {
            u32 by = who[label].at[0];
            F value = bad ? Of<F>::nan() : own.selected(values[label].at[0], by);
            to.delegates[start + label] = by;
            if (!to.losses) {
                Of<F>::store(to.selected, start + label, kind, value);
                continue;
            }
            F slope = 0;
            if (!to.evaluated || to.evaluated[label]) {
                loss += (double)softplus(truth[label] ? -value : value, &slope);
                if (truth[label]) slope = -slope;
                if (bad) slope = Of<F>::nan();
            }
            ((F *)to.selected)[start + label] = slope;
        }
        if (to.losses) {
            for (int way = 16; way; way >>= 1) loss += __shfl_xor_sync(0xffffffffu, loss, way);
            if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = loss;
            __syncthreads();
            if (threadIdx.x == 0) {
                double sum = 0.0;
#pragma unroll 1
                for (u32 k = 0; k < blockDim.x / 32; ++k) sum += parts[k];
                to.losses[row] = sum;
                to.broken[row] = broken;
            }
        }
        __syncthreads();
    }
}

#define SELECT(name, F)                                                                             \
    extern "C" __global__ void __launch_bounds__(1024)                                              \
        name(Rules rules, const void *given, const u8 *labels, Selection to, u32 rows, u32 kind,    \
             char *outside, u64 room) {                                                             \
        select_rows<F>(rules, given, labels, to, rows, kind, outside, room);                        \
    }

SELECT(select_single, float)
SELECT(select_double, double)
