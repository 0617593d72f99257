// The logits that the constraint loss uses, CM+ or CM- of every class, and the terms of the loss, for tensors:
// R rows per block.

// What the labels grant is a constant, and larger than any logit: an infinite logit is the largest
// number until it is selected.
template <class F> struct LogitOwn {
    const void *given;
    u64 start;
    u32 classes;
    u32 rows; // those that exist; others are the first
    u32 kind;

    __device__ F load(u32 label, int r) const {
        return Of<F>::load(given, start + (r < rows ? (u64)r * classes : 0) + label, kind);
    }
    __device__ F of(F logit) const {
        if (isnan(logit)) return 0; // with NaN, a cycle would never converge
        logit = logit > Of<F>::largest() ? Of<F>::largest() : logit;
        return logit < -Of<F>::largest() ? -Of<F>::largest() : logit;
    }
    __device__ F operator()(u32 label, int r) const { return of(load(label, r)); }
    // The value that `who` decided, infinite again where it was.
    __device__ F selected(F value, u32 who, int r) const {
        if (who >= CONSTANT || !(fabs(value) >= Of<F>::largest())) return value;
        F logit = load(who >> 1, r);
        return who & 1 ? -logit : logit;
    }
};

// Where the results of `select` go. For the loss `selected` holds the slopes of its terms, in the
// type of computation; `losses` is null otherwise.
struct Selection {
    void *selected;
    u32 *delegates;
    double *losses;   // of every row
    u32 *broken;      // whether the labels of a row break a rule
    const u8 *evaluated; // which classes have a term; null for all
};

// Writes the rows `some` of a table, a bit for each; rows in `wrong` become NaN. `shift` is where the table's
// first row has its bits.
template <class F, int R>
__device__ inline void write_selected(const Selection &to, const Table<F, R> &table, const u8 *truth,
                                      const LogitOwn<F> &own, u32 shift, u32 some, u32 wrong, u32 broken,
                                      u32 row) {
    __shared__ double parts[R][COLUMNS];
    const u32 n = own.classes;
#pragma unroll 1
    for (u32 column = threadIdx.x / 32; column < COLUMNS; column += blockDim.x / 32) {
        double loss[R];
#pragma unroll
        for (int r = 0; r < R; ++r) loss[r] = 0.0;
        in_column<1>(column, n, [&](u32 label) {
            const Reading<F, R> reading = table.of(label);
            const u32 labels = truth[label] >> shift;
#pragma unroll
            for (int r = 0; r < R; ++r) {
                if (!(some >> r & 1)) continue;
                const u64 at = own.start + (u64)r * n + label;
                const bool bad = wrong >> r & 1, has = labels >> r & 1;
                const u32 by = bad ? label << 1 : reading.who.at[r];
                const F value = bad ? Of<F>::nan() : own.selected(reading.value.at[r], by, r);
                to.delegates[at] = by;
                if (!to.losses) {
                    Of<F>::store(to.selected, at, own.kind, value);
                    continue;
                }
                F slope = 0;
                if (!to.evaluated || to.evaluated[label]) {
                    loss[r] += (double)softplus_sigmoid(has ? -value : value, &slope);
                    if (has) slope = -slope;
                    if (bad) slope = Of<F>::nan();
                }
                ((F *)to.selected)[at] = slope;
            }
        });
        if (!to.losses) continue;
#pragma unroll
        for (int r = 0; r < R; ++r) {
            const double sum = over_warp(loss[r]);
            if (threadIdx.x % 32 == 0) parts[r][column] = sum;
        }
    }
    __syncthreads();
    const u32 mine = blockDim.x - 1 - threadIdx.x;
    if (to.losses && mine < R && some >> mine & 1) {
        to.losses[row + mine] = over_columns(parts[mine]);
        to.broken[row + mine] = broken >> mine & 1;
    }
    __syncthreads();
}

// In memory of its own outside if `outside` is not null. A row with NaN becomes NaN.
template <class F, int R, bool LINES>
__device__ inline void select_rows(Rules rules, const void *given, const u8 *labels, const Selection &to,
                                   u32 rows, u32 kind, char *outside, u64 room) {
    extern __shared__ __align__(16) char inside[];
    __shared__ u32 wrong_rows, broken_rows;
    const u32 n = rules.classes;
    const Space<F, R> space = {outside ? outside + blockIdx.x * room : inside, n, R == 1 ? 2u : R};
    const Table<F, R> table = space.table();
    u8 *truth = space.truth();
    if (!LINES && !outside) rules = brought(rules, inside + room);
#pragma unroll 1
    for (u32 row = blockIdx.x * R; row < rows; row += gridDim.x * R) {
        const u32 left = min(rows - row, (u32)R), some = (1u << left) - 1;
        const LogitOwn<F> own = {given, (u64)row * n, n, left, kind};
        if (threadIdx.x == 0) wrong_rows = broken_rows = 0;
        __syncthreads();
        u32 wrong_here = 0;
        in_columns<4 / R>(n, [&](u32 label) {
            Reading<F, R> reading;
            u32 has = 0;
#pragma unroll
            for (int r = 0; r < R; ++r) {
                const F logit = own.load(label, r);
                wrong_here |= (u32)isnan(logit) << r;
                reading.value.at[r] = own.of(logit);
                reading.who.at[r] = label << 1;
                has |= (u32)(labels[own.start + (r < left ? (u64)r * n : 0) + label] != 0) << r;
            }
            table.set(label, reading);
            truth[label] = (u8)has;
        });
        if (wrong_here) atomicOr(&wrong_rows, wrong_here);
        __syncthreads();
        u32 broken_here;
        if constexpr (LINES) {
            broken_here = raise_lines<true>(rules, table, truth, EVERY);
        } else {
            broken_here = breaks(rules, truth);
            const Learned<F, R> learned = {table, truth, EVERY};
            raise(rules, learned, own, space.next());
        }
        broken_here &= some;
        if (broken_here) atomicOr(&broken_rows, broken_here);
        __syncthreads();
        const u32 wrong = wrong_rows, broken = broken_rows, again = broken & ~wrong;
        if (some & ~again)
            write_selected<F, R>(to, table, truth, own, 0, some & ~again, wrong, broken, row);
#pragma unroll 1
        for (u32 r = 0; r < R; ++r) {
            if (!(again >> r & 1)) continue;
            const LogitOwn<F> alone = {given, (u64)(row + r) * n, n, 1, kind};
            select_broken<!LINES>(rules, space.channel(0), space.channel(1), truth, r, alone,
                                  space.next());
            write_selected<F, 1>(to, space.channel(0), truth, alone, r, 1, 0, 1, row + r);
        }
        __syncthreads();
    }
}

// THREADS is the most threads of a block, BLOCKS how many of those a multiprocessor must have registers for.
#define SELECT(name, THREADS, BLOCKS, F, R, LINES)                                                  \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)                                   \
        name(Rules rules, const void *given, const u8 *labels, Selection to, u32 rows, u32 kind,    \
             char *outside, u64 room) {                                                             \
        select_rows<F, R, LINES>(rules, given, labels, to, rows, kind, outside, room);              \
    }

SELECT(select_lines_1, 1024, 1, float, 1, true)
SELECT(select_lines_2, 512, 2, float, 2, true)
SELECT(select_single, 1024, 1, float, 1, false)
SELECT(select_single_2, 512, 2, float, 2, false)
SELECT(select_double, 1024, 1, double, 1, false)
