// The constraint loss of a training step, and its gradient: R rows of a member per block.

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

// What a loss is computed of, and where its results go.
struct LossTask {
    const float *weights; // of the term of each class, 0 if it has none; all weights are at most 1
    const float *lacking; // where a row lacks the class; null if that makes no difference
    const float *rows;    // of the rows of the data; null if all are 1
    const u32 *unknown;   // labels that are not known, which have no term: bits as in `truth`; null if all are
    const double *scales; // from the sums of each step of an epoch to means
    u64 scale_member;
    const float *logits;
    float *gradient;
    float *rests;         // of the gradient, laid out like it; null if nobody asks: see hopper.cu
    u64 member;           // numbers from one member to the next, of logits and of the gradient
    double *losses;
    u64 loss_member;
    u32 *bad;             // members whose logits are NaN
    const u32 *slots;
    const u32 *step;      // the first of the run of steps that this launch belongs to
    u32 stride;           // numbers from one row to the next
    u32 height;           // rows of logits that there is memory for
    u32 how;
};

// What the loss is computed on.
const u32 THROUGH_LAYER = 1;

// Fixed point: sums are the same in any order.
const float FIXED = 1099511627776.0f; // 2^40

// What the classes of R rows have without rules.
template <int R> struct TrainedOwn {
    const float *logits[R]; // those of the first row where a row does not exist
    bool through;

    // With NaN, a cycle would never converge; a layer has no margin 0.
    __device__ float of(float logit) const {
        if (isnan(logit)) return 0.0f;
        return through && logit == 0.0f ? Of<float>::below_zero(SINGLE) : logit;
    }
    __device__ float operator()(u32 label, int r) const { return of(logits[r][label]); }
};

// The logits and the labels of R rows; returns the rows with NaN. Four numbers of each row are on their way to
// a thread at once.
template <int R>
__device__ inline u32 bring_logits(const Table<float, R> &table, u8 *truth, const TrainedOwn<R> &own,
                                   const u32 *const (&labels_of)[R], u32 n) {
    const int STEP = R == 4 ? 2 : 4;
    const u32 apart = 32 * COLUMNS;
    u32 wrong = 0;
#pragma unroll 1
    for (u32 column = threadIdx.x / 32; column < COLUMNS && column * 32 < n; column += blockDim.x / 32) {
#pragma unroll 1
        for (u32 start = column * 32; start < n; start += STEP * apart) {
            const u32 here = start + threadIdx.x % 32;
            Lanes<float, R> logits[STEP];
            u32 labels[STEP];
#pragma unroll
            for (int s = 0; s < STEP; ++s) {
                const u32 label = min(here + s * apart, n - 1);
                labels[s] = 0;
#pragma unroll
                for (int r = 0; r < R; ++r) {
                    logits[s].at[r] = own.logits[r][label];
                    labels[s] |= (labels_of[r][label / 32] >> label % 32 & 1) << r;
                }
            }
#pragma unroll
            for (int s = 0; s < STEP; ++s) {
                const u32 label = here + s * apart;
                if (label >= n) break;
                Reading<float, R> reading;
#pragma unroll
                for (int r = 0; r < R; ++r) {
                    wrong |= (u32)isnan(logits[s].at[r]) << r;
                    reading.value.at[r] = own.of(logits[s].at[r]);
                    reading.who.at[r] = label << 1;
                }
                table.set(label, reading);
                truth[label] = (u8)labels[s];
            }
        }
    }
    return wrong;
}

// What the weight of a term depends on beside its class: the rows of a block in the data, and their weights.
struct RowWeights {
    u32 example[4];
    float weight[4];
};

// The weight of a term where that is not the same for all rows.
__device__ inline float weight_of(const LossTask &task, u32 words, const RowWeights &rows, u32 row,
                                  u32 label, bool affirmed) {
    if (task.unknown &&
        task.unknown[(u64)rows.example[row] * words + label / 32] >> label % 32 & 1)
        return 0.0f;
    return rows.weight[row] * (affirmed || !task.lacking ? task.weights : task.lacking)[label];
}

// The terms of R rows and the part that each has in the gradient. A class that decides for itself keeps its
// part as a sum in fixed point, low and high half where its value and its name were; of others the part and
// the name stay, and the upper half of their byte of `truth` says so. What decides for another decides for
// itself, so every part has a sum to go to.
template <int R>
__device__ inline void take_terms(const LossTask &task, u32 words, const RowWeights &rows,
                                  const Table<float, R> &table, u8 *truth, u32 shift, u32 n,
                                  double (*parts)[COLUMNS]) {
    const bool differ = task.lacking || task.rows || task.unknown;
#pragma unroll 1
    for (u32 column = threadIdx.x / 32; column < COLUMNS; column += blockDim.x / 32) {
        double loss[R];
#pragma unroll
        for (int r = 0; r < R; ++r) loss[r] = 0.0;
        in_column<R == 1 ? 2 : 1>(column, n, [&](u32 label) {
            float weight = task.weights[label];
            const u32 labels = truth[label] & 15;
            Reading<float, R> reading = table.of(label);
            u32 others = 0;
#pragma unroll
            for (int r = 0; r < R; ++r) {
                const bool affirmed = labels >> (r + shift) & 1;
                const u32 by = reading.who.at[r];
                const float value = reading.value.at[r];
                float sigmoid, part = 0.0f;
                if (differ) weight = weight_of(task, words, rows, r + shift, label, affirmed);
                if (weight != 0.0f) {
                    loss[r] += weight * softplus_sigmoid(affirmed ? -value : value, &sigmoid);
                    sigmoid *= weight;
                    // sigma(s) - 1 is -sigma(-s), and a negated delegate takes the opposite.
                    const bool back = affirmed != (bool)(by & 1);
                    part = back ? -sigmoid : sigmoid;
                }
                if (by == label << 1) {
                    const u64 fixed = (u64)__float2ll_rn(part * FIXED);
                    reading.value.at[r] = __uint_as_float((u32)fixed);
                    reading.who.at[r] = (u32)(fixed >> 32);
                } else {
                    others |= 16u << r;
                    reading.value.at[r] = part;
                }
            }
            table.set(label, reading);
            truth[label] = (u8)(labels | others);
        });
#pragma unroll
        for (int r = 0; r < R; ++r) {
            const double sum = over_warp(loss[r]);
            if (threadIdx.x % 32 == 0) parts[r][column] = sum;
        }
    }
}

// Adds to a sum in two halves, whose carry is counted once whatever the order.
__device__ inline void add_fixed(u32 *low, u32 *high, u64 fixed) {
    const u32 before = atomicAdd(low, (u32)fixed);
    const u32 rest = (u32)(fixed >> 32) + (before + (u32)fixed < before);
    if (rest) atomicAdd(high, rest);
}

// The parts of classes that are decided by others go to those.
template <int R>
__device__ inline void give_parts(const Table<float, R> &table, const u8 *truth, u32 n, u32 some) {
    in_columns<2>(n, [&](u32 label) {
        const u32 others = truth[label] >> 4 & some;
        if (!others) return;
        const Reading<float, R> reading = table.of(label);
#pragma unroll
        for (int r = 0; r < R; ++r) {
            const u32 by = reading.who.at[r];
            if (!(others >> r & 1) || by >= CONSTANT || reading.value.at[r] == 0.0f) continue;
            const u64 fixed = (u64)__float2ll_rn(reading.value.at[r] * FIXED);
            add_fixed((u32 *)&table.values[by >> 1].at[r], &table.who[by >> 1].at[r], fixed);
        }
    });
}

// Terms, sums and the gradient of the rows `some`, a bit for each of the table's.
template <int R>
__device__ inline void finish(const LossTask &task, u32 words, const RowWeights &rows,
                              const Table<float, R> &table, u8 *truth, u32 shift, u32 n, u32 some,
                              u32 slot, u32 first, u32 at, float scale) {
    __shared__ double parts[R][COLUMNS];
    take_terms(task, words, rows, table, truth, shift, n, parts);
    __syncthreads();
    give_parts(table, truth, n, some);
    __syncthreads();
    // The last threads of a block have the fewest classes.
    const u32 row = blockDim.x - 1 - threadIdx.x;
    if (row < R && some >> row & 1)
        task.losses[slot * task.loss_member + at + row] = over_columns(parts[row]);
    const u64 start = slot * task.member + (u64)first * task.stride;
    in_columns<2>(n, [&](u32 label) {
        const Reading<float, R> reading = table.of(label);
        const u32 others = truth[label] >> 4;
#pragma unroll
        for (int r = 0; r < R; ++r) {
            if (!(some >> r & 1)) continue;
            const u64 sum = (u64)reading.who.at[r] << 32 | __float_as_uint(reading.value.at[r]);
            float part = __ll2float_rn((long long)sum) * scale;
            if (others >> r & 1) part = 0.0f;
            const u64 to = start + (u64)r * task.stride + label;
            task.gradient[to] = part;
            if (task.rests) task.rests[to] = rest_of(part);
        }
    });
}

// R rows per block, in shared memory or, if there are very many classes, in memory outside.
template <int R, bool LINES, bool OUTSIDE>
__device__ inline void loss_rows(Rules rules, const LossTask &task, const Batch &batch, u32 ahead,
                                 char *outside, u64 room) {
    extern __shared__ __align__(16) char inside[];
    __shared__ u32 wrong_rows;
    __shared__ RowWeights rows;
    const u32 n = rules.classes, slot = task.slots[blockIdx.y], first = blockIdx.x * R;
    const u32 step = *task.step + ahead, at = step * batch.size + first;
    char *memory = OUTSIDE ? outside + ((u64)blockIdx.y * gridDim.x + blockIdx.x) * room : inside;
    const Space<float, R> space = {memory, n, R == 1 && batch.broken ? 2u : R};
    const Table<float, R> table = space.table();
    u8 *truth = space.truth();
    if (!LINES && !OUTSIDE) rules = brought(rules, inside + room);

    TrainedOwn<R> own;
    own.through = task.how & THROUGH_LAYER;
    const u32 *labels_of[R];
    u32 present = 0, stored = 0, broken = 0; // rows, a bit for each
#pragma unroll
    for (int r = 0; r < R; ++r) {
        const u32 row = first + r;
        const bool is_stored = row < task.height, is_present = row < batch.size && at + r < batch.rows;
        const u32 example = is_present ? batch.order[slot * batch.order_member + at + r] : 0;
        stored |= (u32)is_stored << r;
        present |= (u32)is_present << r;
        own.logits[r] = task.logits + slot * task.member + (u64)(is_stored ? row : first) * task.stride;
        labels_of[r] = batch.truth + (u64)example * batch.words;
        if (is_present && !own.through && batch.broken && batch.broken[example]) broken |= 1u << r;
        if (threadIdx.x == 0) {
            rows.example[r] = example;
            rows.weight[r] = task.rows ? task.rows[example] : 1.0f;
        }
    }
    if (threadIdx.x == 0) wrong_rows = 0;
    __syncthreads();
    if (present) {
        const u32 wrong = bring_logits(table, truth, own, labels_of, n) & present;
        if (wrong) atomicOr(&wrong_rows, wrong);
    }
    __syncthreads();
    const u32 wrong = wrong_rows, good = present & ~wrong;
    if (wrong && threadIdx.x == 0) task.bad[slot] = 1;
    // Rows without a gradient.
    const u32 empty = stored & ~good;
#pragma unroll 1
    for (int r = 0; r < R; ++r) {
        if (!(empty >> r & 1)) continue;
        const u64 to = slot * task.member + (u64)(first + r) * task.stride;
#pragma unroll 1
        for (u32 label = threadIdx.x; label < n; label += blockDim.x) {
            task.gradient[to + label] = 0.0f;
            if (task.rests) task.rests[to + label] = 0.0f;
        }
    }
    if (!good) return;
    const float scale = (float)task.scales[slot * task.scale_member + step] * (1.0f / FIXED);
    const u32 asked = own.through ? 0 : EVERY, whole = good & ~broken;
    if (whole) {
        if constexpr (LINES) {
            raise_lines<true>(rules, table, truth, asked);
        } else {
            const Learned<float, R> learned = {table, truth, asked};
            raise(rules, learned, own, space.next());
        }
        finish<R>(task, batch.words, rows, table, truth, 0, n, whole, slot, first, at, scale);
    }
#pragma unroll 1
    for (u32 r = 0; r < R; ++r) {
        if (!((good & broken) >> r & 1)) continue;
        __syncthreads();
        const float *logits = task.logits + slot * task.member + (u64)(first + r) * task.stride;
        const TrainedOwn<1> alone = {{logits}, false};
        select_broken<!LINES>(rules, space.channel(0), space.channel(1), truth, r, alone,
                              space.next());
        finish<1>(task, batch.words, rows, space.channel(0), truth, r, n, 1, slot, first + r, at + r,
                  scale);
    }
}

// THREADS is the most threads of a block, BLOCKS how many of those a multiprocessor must have registers for.
#define LOSS(name, THREADS, BLOCKS, R, LINES, OUTSIDE)                                              \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)                                   \
        name(Rules rules, LossTask task, Batch batch, u32 ahead, char *outside, u64 room) {         \
        loss_rows<R, LINES, OUTSIDE>(rules, task, batch, ahead, outside, room);                     \
    }

LOSS(loss_lines_1, 1024, 1, 1, true, false)
LOSS(loss_lines_2, 512, 3, 2, true, false)
LOSS(loss_lines_4, 512, 2, 4, true, false)
LOSS(loss_inside_1, 1024, 1, 1, false, false)
LOSS(loss_inside_2, 512, 2, 2, false, false)
LOSS(loss_outside, 1024, 1, 1, false, true)
