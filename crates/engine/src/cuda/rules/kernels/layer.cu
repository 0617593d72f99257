// The constraint layer: scores in, coherent scores out, and who decided each.

const u32 MARGINS = 0, PROBABILITIES = 1; // what the scores are; the same codes as in number.rs

// The margin of a score; `wrong` if it has none.
template <class F> __device__ inline F margin_of(F score, u32 scale, u32 kind, bool &wrong) {
    if (scale == MARGINS) {
        wrong = isnan(score);
        return wrong || score == 0 ? Of<F>::below_zero(kind) : score;
    }
    wrong = !(score >= 0 && score <= 1);
    F margin = wrong ? 0 : Of<F>::around_half(score);
    return margin == 0 ? Of<F>::below_zero(SINGLE) : margin;
}

// The score of a class whose probability was decided by `who`, given those of its row.
template <class F>
__device__ inline F probability_of(F margin, u32 who, const void *given, u64 start, u32 kind) {
    if (who >= CONSTANT) return who & 1 ? (F)0 : (F)1;
    F p = Of<F>::load(given, start + (who >> 1), kind);
    if (!(who & 1)) return p;
    p = 1 - p;
    // Rounding may not move a complement across the threshold.
    if (margin > 0) return p > (F)0.5 ? max(p, Of<F>::above_half(kind)) : Of<F>::above_half(kind);
    return p > (F)0.5 ? (F)0.5 : p;
}

template <class F, int R> struct LayerOwn {
    const void *given;
    u64 start;
    u32 classes, scale, kind, rows;

    __device__ F operator()(u32 label, int r) const {
        bool wrong;
        u64 at = start + (r < rows ? (u64)r * classes : 0) + label;
        return margin_of(Of<F>::load(given, at, kind), scale, kind, wrong);
    }
};

// The margins of R rows, of which `left` exist and the others repeat the first; returns in which rows
// a score is wrong. Eight numbers are on their way to each thread at once.
template <u32 KIND, class F, int R, class W>
__device__ inline u32 bring(const Table<F, R, W> &table, const void *given, u64 start, u32 n,
                            u32 left, u32 scale) {
    const int STEP = 8 / R;
    u32 wrong_rows = 0;
#pragma unroll 1
    for (u32 first = threadIdx.x; first < n; first += STEP * blockDim.x) {
        Lanes<F, R> some[STEP];
#pragma unroll
        for (int s = 0; s < STEP; ++s) {
            u32 label = min(first + s * blockDim.x, n - 1);
#pragma unroll
            for (int r = 0; r < R; ++r)
                some[s].at[r] = Of<F>::load(given, start + (r < left ? r : 0) * (u64)n + label, KIND);
        }
#pragma unroll
        for (int s = 0; s < STEP; ++s) {
            u32 label = first + s * blockDim.x;
            if (label >= n) break;
            Reading<F, R> own;
#pragma unroll
            for (int r = 0; r < R; ++r) {
                bool wrong;
                own.value.at[r] = margin_of(some[s].at[r], scale, KIND, wrong);
                own.who.at[r] = label << 1;
                wrong_rows |= (u32)wrong << r;
            }
            table.set(label, own);
        }
    }
    return wrong_rows;
}

// R rows per block, in shared memory where that is certain, or in memory outside if that is not null.
// A row with NaN, or with what is no probability, becomes NaN, and sets `bad` unless that is null. Delegates
// are not written if `delegates` is null.
template <class F, int R, class W, bool INSIDE, bool LINES = false>
__device__ inline void layer_rows(Rules rules, const void *given, void *coherent, u32 *delegates,
                                  u32 rows, u32 scale, u32 kind, u32 *bad, char *outside,
                                  u64 room) {
    extern __shared__ __align__(16) char inside[];
    __shared__ u32 wrong_rows;
    char *memory = INSIDE || !outside ? inside : outside + blockIdx.x * room;
    const u32 n = rules.classes;
    Plain<F, R, W> view;
    view.table.values = (Lanes<F, R> *)memory;
    view.table.who = (Lanes<W, R> *)(view.table.values + n);
    // Aligned for every number; the room for cycles has bytes to spare.
    char *next = memory + ((u64)n * R * (sizeof(F) + 4) + 15) / 16 * 16;
    if (INSIDE || !outside) rules = brought(rules, inside + room);
#pragma unroll 1
    for (u32 row = blockIdx.x * R; row < rows; row += gridDim.x * R) {
        const u64 start = (u64)row * n;
        const u32 left = rows - row;
        if (threadIdx.x == 0) wrong_rows = 0;
        __syncthreads();
        u32 wrong_here;
        if (sizeof(F) == 8) wrong_here = bring<DOUBLE>(view.table, given, start, n, left, scale);
        else if (kind == SINGLE) wrong_here = bring<SINGLE>(view.table, given, start, n, left, scale);
        else if (kind == HALF) wrong_here = bring<HALF>(view.table, given, start, n, left, scale);
        else wrong_here = bring<BRAIN>(view.table, given, start, n, left, scale);
        if (wrong_here) atomicOr(&wrong_rows, wrong_here);
        __syncthreads();
        LayerOwn<F, R> own = {given, start, n, scale, kind, left};
        if constexpr (LINES) raise_lines<false>(rules, view.table, nullptr, 0);
        else raise(rules, view, own, next);
        const u32 wrong = wrong_rows;
        if (bad && wrong && threadIdx.x == 0) *bad = 1;
#pragma unroll 1
        for (u32 label = threadIdx.x; label < n; label += blockDim.x) {
            Reading<F, R> reading = view.table.of(label);
#pragma unroll
            for (int r = 0; r < R; ++r) {
                if (r >= left) break;
                u64 first = start + (u64)r * n;
                bool is_wrong = wrong >> r & 1;
                u32 who = is_wrong ? label << 1 : reading.who.at[r];
                F value = reading.value.at[r];
                if (is_wrong) value = Of<F>::nan();
                else if (scale == PROBABILITIES)
                    value = probability_of(value, who, given, first, kind);
                Of<F>::store(coherent, first + label, kind, value);
                if (delegates) __stcs(delegates + first + label, who);
            }
        }
        __syncthreads();
    }
}

// THREADS is the most threads of a block, BLOCKS how many of those a multiprocessor must have registers for.
#define LAYER(name, THREADS, BLOCKS, F, R, W, ...)                                                  \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)                                   \
        name(Rules rules, const void *given, void *coherent, u32 *delegates, u32 rows, u32 scale,   \
             u32 kind, u32 *bad, char *outside, u64 room) {                                         \
        layer_rows<F, R, W, __VA_ARGS__>(rules, given, coherent, delegates, rows, scale, kind, bad, \
                                         outside, room);                                            \
    }

LAYER(layer_single_1, 1024, 1, float, 1, u32, true)
LAYER(layer_single_2, 1024, 1, float, 2, u32, true)
LAYER(layer_single_4, 1024, 1, float, 4, u32, true)
LAYER(layer_narrow_1, 1024, 1, float, 1, u16, true)
LAYER(layer_narrow_2, 1024, 2, float, 2, u16, true)
LAYER(layer_lines_1, 1024, 1, float, 1, u16, true, true)
LAYER(layer_lines_2, 512, 3, float, 2, u16, true, true)
LAYER(layer_single_outside, 1024, 1, float, 1, u32, false)
LAYER(layer_double, 1024, 1, double, 1, u32, false)

// Margins from logits: how far a class is above its threshold.
extern "C" __global__ void margins_of(const float *logits, const float *shift, u32 classes,
                                      float *margins, u64 n) {
    u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n) margins[at] = logits[at] + shift[at % classes];
}
