// The LSTM cell of HMCN-R, forwards and backwards.

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
