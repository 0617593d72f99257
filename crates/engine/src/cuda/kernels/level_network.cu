// Networks with outputs for each level of a hierarchy (HMCN-F and HMCN-R): all products of a kind
// that do not wait for each other are one launch, for all members.
//
// A member has one piece of memory for everything that a batch needs; places in it are numbers of
// floats from its start. Signals are stored row by row. Inputs of a layer are as wide as its
// weights: after the last input comes a one, whose weight is the bias, then zeros.

const u64 NOWHERE = ~0ull;

// A layer at one place of the network: its inputs, its sums or their gradients, and what becomes of
// both.
struct LayerUse {
    u64 weights; // in the weights of a member
    u64 inputs;
    u64 sums;
    // Forwards: values after relu and dropout, a copy of them, and the slopes; nowhere: only sums.
    u64 values;
    u64 copy;
    u64 slopes;
    // Backwards: the gradient of the first inputs, what is added to it, what then multiplies it.
    u64 below;
    u64 added;
    u64 factors;
    u32 outputs;
    u32 stride; // of weights and inputs
    u32 sum_stride;
    u32 value_stride;
    u32 copy_stride;
    u32 purpose; // of the random numbers of dropout
    u32 units;   // inputs whose gradient is wanted; also the width of `below`
    u32 column;  // where the features begin in the inputs
    u32 rows;
    u32 unused;
};

// A tile of the product of a use.
struct UseTile {
    u32 use;
    u32 m;
    u32 n;
};

// The members, and what they have to do.
struct Members {
    const LayerUse *uses;
    const UseTile *tiles;
    const u32 *slots;
    const u64 *seeds;
    float *weights;
    u64 weight_member;
    float *memory;
    u64 memory_member;
    u32 rows;  // of a batch
    u32 units; // of a state
};

__device__ inline float logistic(float x) {
    float sigmoid;
    softplus_sigmoid(x, &sigmoid);
    return sigmoid;
}

__device__ inline float tanh_of(float x) { return 2.0f * logistic(2.0f * x) - 1.0f; }

// The features of a batch, to the inputs of every level; rows past `count` are zeros.
// Grid: numbers, levels, members.
extern "C" __global__ void __launch_bounds__(256)
    level_gather(Members members, const float *cells, u32 width, const u32 *order, u64 order_member,
                 u32 start, u32 count) {
    const u32 at = blockIdx.x * blockDim.x + threadIdx.x, slot = members.slots[blockIdx.z];
    const u32 row = at / width, input = at % width;
    if (row >= members.rows) return;
    const LayerUse use = members.uses[blockIdx.y];
    float value = 0.0f;
    if (row < count) {
        u32 from = order ? order[slot * order_member + start + row] : start + row;
        value = cells[(u64)from * width + input];
    }
    members.memory[slot * members.memory_member + use.inputs + (u64)row * use.stride + use.column +
                   input] = value;
}

// Sums of layers, or the units after relu and dropout. Grid: tiles, members.
extern "C" __global__ void __launch_bounds__(256)
    level_forward(Members members, u32 first, Dropout dropout, Position at) {
    const UseTile tile = members.tiles[first + blockIdx.x];
    const LayerUse use = members.uses[tile.use];
    const u32 slot = members.slots[blockIdx.y];
    const u64 seed = members.seeds[slot];
    const float *w = members.weights + slot * members.weight_member + use.weights;
    float *memory = members.memory + slot * members.memory_member;
    const float *x = memory + use.inputs;
    dropout.purpose = use.purpose;
    product_tile<true, true>(
        tile.m * TILE, tile.n * TILE, use.rows, use.outputs, use.stride,
        [&](u32 row, u32 k) { return x[(u64)row * use.stride + k]; },
        [&](u32 output, u32 k) { return w[(u64)output * use.stride + k]; },
        [&](u32 row, u32 output, float sum) {
            if (use.values == NOWHERE) {
                memory[use.sums + (u64)row * use.sum_stride + output] = sum;
                return;
            }
            float slope = factor(dropout, seed, at, row, output);
            // NaN stays NaN, so that a network that has diverged is noticed.
            if (sum <= 0.0f) slope = 0.0f;
            float value = sum * slope;
            memory[use.values + (u64)row * use.value_stride + output] = value;
            memory[use.slopes + (u64)row * use.outputs + output] = slope;
            if (use.copy != NOWHERE)
                memory[use.copy + (u64)row * use.copy_stride + output] = value;
        });
}

// Gradients of the inputs of layers. Grid: tiles, members.
extern "C" __global__ void __launch_bounds__(256) level_below(Members members, u32 first) {
    const UseTile tile = members.tiles[first + blockIdx.x];
    const LayerUse use = members.uses[tile.use];
    const u32 slot = members.slots[blockIdx.y];
    const float *w = members.weights + slot * members.weight_member + use.weights;
    float *memory = members.memory + slot * members.memory_member;
    const float *g = memory + use.sums;
    product_tile<true, false>(
        tile.m * TILE, tile.n * TILE, use.rows, use.units, use.outputs,
        [&](u32 row, u32 k) { return g[(u64)row * use.sum_stride + k]; },
        [&](u32 input, u32 k) { return w[(u64)k * use.stride + input]; },
        [&](u32 row, u32 input, float sum) {
            const u64 cell = (u64)row * use.units + input;
            if (use.added != NOWHERE) sum += memory[use.added + cell];
            if (use.factors != NOWHERE) sum *= memory[use.factors + cell];
            memory[use.below + cell] = sum;
        });
}

// The gradients of layers, and Adam. Grid: tiles, members.
extern "C" __global__ void __launch_bounds__(256)
    level_update(Members members, u32 first, float *first_moments, float *second_moments, Adam by) {
    const UseTile tile = members.tiles[first + blockIdx.x];
    const LayerUse use = members.uses[tile.use];
    const u32 slot = members.slots[blockIdx.y];
    const u64 start = slot * members.weight_member + use.weights;
    const float *memory = members.memory + slot * members.memory_member;
    const float *g = memory + use.sums, *x = memory + use.inputs;
    product_tile<false, false>(
        tile.m * TILE, tile.n * TILE, use.outputs, use.stride, use.rows,
        [&](u32 output, u32 row) { return g[(u64)row * use.sum_stride + output]; },
        [&](u32 input, u32 row) { return x[(u64)row * use.stride + input]; },
        [&](u32 output, u32 input, float own) {
            const u64 at = start + (u64)output * use.stride + input;
            float w = members.weights[at], m = first_moments[at], v = second_moments[at];
            adam(by, own, w, m, v);
            members.weights[at] = w;
            first_moments[at] = m;
            second_moments[at] = v;
        });
}

// The cell of a level: gates are forget, input, output and candidate, unit after unit.
struct Cell {
    u64 gates;  // sums, then values, later the gradients of the sums
    u64 memory;
    u64 before; // the memory of the level before; nowhere: zeros
    u64 states; // after dropout
    u64 slopes;
    u64 next;   // the state without dropout, for the cell of the next level; nowhere after the last
    u64 seen;   // the gradient of the state from the layers above
    u64 below;  // the gradient of the state from the next level; nowhere after the last
    u64 pull;   // the gradient of the memory
    u32 state_stride;
    u32 next_stride;
    u32 purpose;
    u32 unused;
};

// One step of the cell. Grid: numbers, members.
extern "C" __global__ void __launch_bounds__(256)
    level_cell(Members members, Cell cell, Dropout dropout, Position at) {
    const u32 index = blockIdx.x * blockDim.x + threadIdx.x, slot = members.slots[blockIdx.y];
    const u32 units = members.units, row = index / units, unit = index % units;
    if (row >= members.rows) return;
    float *all = members.memory + slot * members.memory_member;
    float *gates = all + cell.gates + (u64)row * 4 * units + unit;
    const float forget = logistic(gates[0]), input = logistic(gates[units]);
    const float output = logistic(gates[2 * units]), candidate = tanh_of(gates[3 * units]);
    gates[0] = forget;
    gates[units] = input;
    gates[2 * units] = output;
    gates[3 * units] = candidate;
    const float kept = cell.before == NOWHERE ? 0.0f : forget * all[cell.before + index];
    const float memory = kept + input * candidate;
    all[cell.memory + index] = memory;
    const float state = output * tanh_of(memory);
    dropout.purpose = cell.purpose;
    const float slope = factor(dropout, members.seeds[slot], at, row, unit);
    all[cell.slopes + index] = slope;
    all[cell.states + (u64)row * cell.state_stride + unit] = state * slope;
    if (cell.next != NOWHERE) all[cell.next + (u64)row * cell.next_stride + unit] = state;
}

// The step backwards. Grid: numbers, members.
extern "C" __global__ void __launch_bounds__(256) level_cell_back(Members members, Cell cell) {
    const u32 index = blockIdx.x * blockDim.x + threadIdx.x, slot = members.slots[blockIdx.y];
    const u32 units = members.units, row = index / units, unit = index % units;
    if (row >= members.rows) return;
    float *all = members.memory + slot * members.memory_member;
    float *gates = all + cell.gates + (u64)row * 4 * units + unit;
    const float f = gates[0], i = gates[units], o = gates[2 * units], g = gates[3 * units];
    const bool is_last = cell.below == NOWHERE;
    const float value = tanh_of(all[cell.memory + index]);
    const float gradient = all[cell.seen + index] + (is_last ? 0.0f : all[cell.below + index]);
    const float pull = is_last ? 0.0f : all[cell.pull + index];
    const float inner = pull + gradient * o * (1.0f - value * value);
    const float old = cell.before == NOWHERE ? 0.0f : all[cell.before + index];
    gates[0] = inner * old * f * (1.0f - f);
    gates[units] = inner * g * i * (1.0f - i);
    gates[2 * units] = gradient * value * o * (1.0f - o);
    gates[3 * units] = inner * i * (1.0f - g * g);
    all[cell.pull + index] = inner * f;
}

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
