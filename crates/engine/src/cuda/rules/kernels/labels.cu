// What the loss makes of logits and labels: CM+ or CM- of every class.
//
// `truth` has one byte for each class, whose bit r says whether row r has the class. Where the labels of a
// row break no rule, one pass over the rules suffices: a literal has a part in a rule iff its truth is that of
// the head. Rows that break a rule are done again one by one, with both channels.

// Logits signed by the labels. In rows that are not `asked`, every literal has its part.
template <class F, int N> struct Learned {
    typedef F Number;
    static const int R = N;
    static const bool CYCLES = true;
    static const u32 MANY = 3;
    Table<F, N> table;
    const u8 *truth;
    u32 asked;

    __device__ Reading<F, N> literal(u32 head, u32 code) const {
        Reading<F, N> reading = table.of(code >> 1);
        if (code & 1) flip(reading);
        const u32 waiting = waits(head, code);
#pragma unroll
        for (int r = 0; r < N; ++r) {
            if (waiting >> r & 1) continue;
            const bool holds = !(truth[head] >> r & 1);
            reading.value.at[r] = holds ? Of<F>::infinite() : -Of<F>::infinite();
            reading.who.at[r] = HOLDS ^ (u32)!holds;
        }
        return reading;
    }
    __device__ u32 waits(u32 head, u32 code) const {
        const u32 holds = truth[code >> 1] ^ (0u - (code & 1));
        return ~(holds ^ truth[head]) | ~asked;
    }
};

// One of the two channels of one row, for labels that break a rule: loss/broken.rs.
template <class F, bool MAY_CYCLE> struct Channel {
    typedef F Number;
    static const int R = 1;
    static const bool CYCLES = MAY_CYCLE;
    static const u32 MANY = ALONE; // few rows are broken
    Table<F, 1> table;
    Table<F, 1> other;
    const u8 *truth;
    const u32 *stratum;
    u32 row;
    bool affirmed;

    __device__ Reading<F, 1> literal(u32 head, u32 code) const {
        const u32 label = code >> 1;
        const bool negated = code & 1, has = truth[label] >> row & 1;
        const bool same = !negated && stratum[label] == stratum[head];
        if (!same && (has != negated) != affirmed)
            return constant<F, 1>(!affirmed, HOLDS ^ (u32)affirmed);
        if (!negated) return table.of(label);
        // Negation swaps the channels.
        Reading<F, 1> reading = other.of(label);
        flip(reading);
        return reading;
    }
    __device__ u32 waits(u32, u32) const { return EVERY; }
};

template <class Own> struct ChannelOwn {
    Own logit;
    const u8 *truth;
    u32 row;
    bool affirmed;

    __device__ auto operator()(u32 label, int r) const {
        typedef decltype(logit(label, r)) F;
        if ((bool)(truth[label] >> row & 1) == affirmed) return logit(label, r);
        return affirmed ? -Of<F>::infinite() : Of<F>::infinite();
    }
};

// The rows whose labels break a rule: a true body, and a head that is not. Needs a barrier before.
__device__ inline u32 breaks(const Rules &rules, const u8 *truth) {
    u32 broken = 0;
#pragma unroll 1
    for (u32 k = threadIdx.x; k < rules.head_count; k += blockDim.x) {
        const uint4 of = rules.heads[k];
        const u32 lacks = ~(u32)truth[of.x];
#pragma unroll 1
        for (u32 rule = of.y; rule < of.z; ++rule) {
            u32 at = rules.bodies ? rules.bodies[rule] : rule;
            const u32 end = rules.bodies ? rules.bodies[rule + 1] : rule + 1;
            u32 holds = lacks;
#pragma unroll 1
            for (; at < end && holds; ++at) {
                const u32 code = rules.literals[at] & ~WITHIN;
                holds &= truth[code >> 1] ^ (0u - (code & 1));
            }
            broken |= holds;
        }
    }
    return broken;
}

// What row `row` of a block selects where its labels break a rule, with both channels; `table` has the result.
template <bool MAY_CYCLE, class F, class Own>
__device__ __noinline__ void select_broken(Rules rules, Table<F, 1> table, Table<F, 1> other,
                                           const u8 *truth, u32 row, Own own, char *next) {
    const u32 n = rules.classes;
#pragma unroll 1
    for (u32 label = threadIdx.x; label < n; label += blockDim.x) {
        const bool has = truth[label] >> row & 1;
        const F logit = own(label, 0);
        table.values[label].at[0] = has ? logit : -Of<F>::infinite();
        table.who[label].at[0] = has ? label << 1 : HOLDS ^ 1;
        other.values[label].at[0] = has ? Of<F>::infinite() : logit;
        other.who[label].at[0] = has ? HOLDS : label << 1;
    }
#pragma unroll 1
    for (u32 level = 0; level < rules.levels; ++level) {
#pragma unroll 1
        for (int denied = 0; denied < 2; ++denied) {
            __syncthreads();
            const Channel<F, MAY_CYCLE> channel = {denied ? other : table, denied ? table : other,
                                                   truth, rules.stratum, row, !denied};
            const ChannelOwn<Own> channel_own = {own, truth, row, !denied};
            raise_level(rules, channel, channel_own, level, next);
        }
    }
    __syncthreads();
#pragma unroll 1
    for (u32 label = threadIdx.x; label < n; label += blockDim.x) {
        if (truth[label] >> row & 1) continue;
        const bool is_literal = other.who[label].at[0] < CONSTANT;
        table.values[label].at[0] = is_literal ? other.values[label].at[0] : own(label, 0);
        table.who[label].at[0] = is_literal ? other.who[label].at[0] : label << 1;
    }
    __syncthreads();
}

// The memory of a block with R rows, of which one at a time needs two tables if it is broken.
template <class F, int R> struct Space {
    char *memory;
    u32 classes;
    u32 side; // rows that there is room for: at least 2 where a row may be broken

    __device__ Table<F, R> table() const {
        return {(Lanes<F, R> *)memory, (Lanes<u32, R> *)names()};
    }
    __device__ Table<F, 1> channel(int which) const {
        return {(Lanes<F, 1> *)memory + which * classes, (Lanes<u32, 1> *)names() + which * classes};
    }
    __device__ char *names() const { return memory + (u64)classes * side * sizeof(F); }
    __device__ u8 *truth() const { return (u8 *)(names() + (u64)classes * side * 4); }
    // For cycles, aligned for every number.
    __device__ char *next() const {
        return memory + ((u64)classes * (side * (sizeof(F) + 4) + 1) + 15) / 16 * 16;
    }
};

// A loss is the sum of 32 columns, and column c has the classes c * 32 + lane, 1024 classes apart. A warp does
// whole columns, and columns are added in order: so a loss depends neither on the threads of a block nor on
// the rows that share it.
const u32 COLUMNS = 32;

// Calls `act` with each class of a column that this thread has, so many of them at once.
template <int AT_ONCE, class Act>
__device__ inline void in_column(u32 column, u32 classes, const Act &act) {
#pragma unroll AT_ONCE
    for (u32 label = column * 32 + threadIdx.x % 32; label < classes; label += 32 * COLUMNS) act(label);
}

// Calls `act` with each class that this thread has.
template <int AT_ONCE, class Act> __device__ inline void in_columns(u32 classes, const Act &act) {
#pragma unroll 1
    for (u32 column = threadIdx.x / 32; column * 32 < classes && column < COLUMNS; column += blockDim.x / 32)
        in_column<AT_ONCE>(column, classes, act);
}

// The sum of a column over the threads of a warp.
__device__ inline double over_warp(double sum) {
#pragma unroll
    for (int way = 16; way; way >>= 1) sum += __shfl_xor_sync(EVERY, sum, way);
    return sum;
}

// The sum of the columns.
__device__ inline double over_columns(const double (&parts)[COLUMNS]) {
    double sum = 0.0;
#pragma unroll
    for (u32 column = 0; column < COLUMNS; ++column) sum += parts[column];
    return sum;
}
