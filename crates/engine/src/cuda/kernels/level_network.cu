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

// The features of a batch after dropout, to the inputs of every level; rows past `count` are zeros.
// Grid: numbers, levels, members.
extern "C" __global__ void __launch_bounds__(256)
    level_gather(Members members, const float *cells, u32 width, const u32 *order, u64 order_member,
                 u32 start, u32 count, Dropout dropout, Position at) {
    const u32 cell = blockIdx.x * blockDim.x + threadIdx.x, slot = members.slots[blockIdx.z];
    const u32 row = cell / width, input = cell % width;
    if (row >= members.rows) return;
    const LayerUse use = members.uses[blockIdx.y];
    float value = 0.0f;
    if (row < count) {
        u32 from = order ? order[slot * order_member + start + row] : start + row;
        value = cells[(u64)from * width + input] *
                factor(dropout, members.seeds[slot], at, row, input);
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
