// The rows of a batch, once per step: plain rows in order for the first layer, with the column of
// ones. Places past the end of an epoch get rows of zeros.

// How many groups of four numbers each thread copies.
const u32 COPIES = 8;

// Dense rows. `threads` of a block, a power of two, share a row. Grid: rows, parts of wide rows,
// members.
extern "C" __global__ void __launch_bounds__(256)
    gather_dense(Rows data, float *rows, u64 member, u32 batch, u32 threads, const u32 *slots,
                 const Position *position, u32 ahead) {
    const u32 slot = slots[blockIdx.z], step = position->step + ahead;
    const u32 row = blockIdx.x * (blockDim.x / threads) + threadIdx.x / threads;
    if (row >= batch) return;
    const float4 *from = (const float4 *)row_of(data, slot, step * batch, row);
    float4 *to = (float4 *)(rows + slot * member + (u64)row * data.stride);
    const u32 first = blockIdx.y * threads * COPIES + threadIdx.x % threads;
#pragma unroll
    for (u32 copy = 0; copy < COPIES; ++copy) {
        u32 at = first + copy * threads;
        if (at < data.stride / 4) to[at] = from[at];
    }
}

// Rows that list their cells (CSR): the last one, past those of the data, lists none.
struct SparseRows {
    const u64 *starts; // of each row among all cells; one more for the end
    const u32 *columns;
    const float *values;
    u32 rows; // without the last one
    u32 width;
};

// The rows of a batch, and what they list.
struct Gathered {
    float *rows;  // [slot][row][stride]
    u32 *held;    // [slot][row]: which row of the data is there
    u32 *present; // [slot][column / 32], a bit per column; null where nobody asks
    u64 member;
    u64 present_member;
    u32 stride;
    u32 batch;
    u32 markers; // blocks that write `present`
    u32 words;   // of `present` that each of them has room for
};

// Rows of a batch that a warp reads at once, so that it does not wait for each in turn.
const u32 LISTS = 8;
const u32 NO_COLUMN = 0xffffffffu;

// Which columns the rows of a batch list, from word `first` of the mask on; the biases' column
// always counts. All of them if more than one cell in sixteen is listed: such a batch is computed
// like dense rows, as in sparse_batch.rs.
__device__ inline void mark(SparseRows data, const u32 *order, u32 batch, u32 *present, u32 first,
                            u32 words) {
    extern __shared__ u32 marks[];
    __shared__ u64 listed;
    __shared__ u32 rows;
    const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    for (u32 word = threadIdx.x; word < words; word += blockDim.x) marks[word] = 0;
    if (threadIdx.x == 0) listed = 0, rows = 0;
    __syncthreads();
    u64 own_listed = 0;
    u32 own_rows = 0;
    for (u32 row = threadIdx.x; row < batch; row += blockDim.x) {
        u32 at = order[row];
        own_listed += data.starts[at + 1] - data.starts[at];
        own_rows += at < data.rows;
    }
    if (own_rows) {
        atomicAdd(&listed, own_listed);
        atomicAdd(&rows, own_rows);
    }
    __syncthreads();
    const bool is_sparse = listed <= (u64)rows * data.width / 16;
    auto set = [&](u32 column) {
        u32 word = column / 32 - first; // far too large for columns before the first
        if (word < words) atomicOr(&marks[word], 1u << column % 32);
    };
    if (is_sparse && threadIdx.x == 0) set(data.width);
    for (u32 row = warp * LISTS; is_sparse && row < batch; row += warps * LISTS) {
        u64 start[LISTS];
        u32 count[LISTS], longest = 0;
#pragma unroll
        for (u32 k = 0; k < LISTS; ++k) {
            u32 at = row + k < batch ? order[row + k] : data.rows;
            start[k] = data.starts[at];
            count[k] = (u32)(data.starts[at + 1] - start[k]);
            longest = max(longest, count[k]);
        }
        for (u32 cell = lane; cell < longest; cell += 32) {
            u32 column[LISTS];
#pragma unroll
            for (u32 k = 0; k < LISTS; ++k)
                column[k] = cell < count[k] ? data.columns[start[k] + cell] : NO_COLUMN;
#pragma unroll
            for (u32 k = 0; k < LISTS; ++k)
                if (column[k] != NO_COLUMN) set(column[k]);
        }
    }
    __syncthreads();
    for (u32 word = threadIdx.x; word < words; word += blockDim.x)
        present[first + word] = is_sparse ? marks[word] : ~0u;
}

// Sparse rows, a warp for each: it erases the cells of the row that was there before, and writes
// those of its own. So a step moves what rows list, however wide they are. The first blocks write
// the mask instead. Grid: markers and rows, members.
extern "C" __global__ void __launch_bounds__(1024)
    gather_sparse(SparseRows data, const u32 *order, u64 order_member, Gathered to,
                  const u32 *slots, const Position *position, u32 ahead) {
    const u32 slot = slots[blockIdx.y], step = position->step + ahead;
    const u32 *places = order + slot * order_member + step * to.batch;
    if (blockIdx.x < to.markers) {
        u32 first = blockIdx.x * to.words, words = (to.stride + 31) / 32 - first;
        mark(data, places, to.batch, to.present + slot * to.present_member, first,
             min(words, to.words));
        return;
    }
    const u32 lane = threadIdx.x & 31, warps = blockDim.x >> 5;
    const u32 row = (blockIdx.x - to.markers) * warps + (threadIdx.x >> 5);
    if (row >= to.batch) return;
    u32 *held = to.held + (u64)slot * to.batch + row;
    float *cells = to.rows + slot * to.member + (u64)row * to.stride;
    const u32 before = *held, now = places[row];
    u64 end = data.starts[before + 1];
    for (u64 at = data.starts[before] + lane; at < end; at += 32) cells[data.columns[at]] = 0.0f;
    // Both rows may list a column.
    __syncwarp();
    end = data.starts[now + 1];
    for (u64 at = data.starts[now] + lane; at < end; at += 32)
        cells[data.columns[at]] = data.values[at];
    if (lane == 0) {
        cells[data.width] = now < data.rows ? 1.0f : 0.0f;
        *held = now;
    }
}
