// How the tiles of a product are divided among the blocks of a member, its workers.
//
// Whole tiles are done by one worker each, every `workers`-th tile by the same. The tiles that would
// be left over are divided along k among sharers, of which each has as much to do as the others. The
// parts of such a tile go to memory, and whoever comes last adds them up, in the order of k. Where
// sums are divided follows from the sizes of the product alone: the same bits every time. Where many
// members keep a GPU busy, one worker takes all parts of a tile in turn, and adds them up in that order.

#if __CUDA_ARCH__ >= 800

struct Division {
    u32 tiles_m, tiles_n;
    u32 steps;      // stages along k
    u32 workers;
    u32 sharers;    // the first of them, among whom the divided tiles are divided
    u32 whole;      // tiles that one worker does; the others are divided
    u32 band;       // of an update: columns of tiles whose tiles follow each other
    u32 in_turn;    // whether one worker takes all parts of a tile
    float *shares;  // two tiles for each worker and running member
    u32 *arrived;   // parts of each divided tile that are there; 0 before and after a launch
};

// Some stages of a tile.
struct Portion {
    u32 tile, begin, end;
    bool is_whole;
};

// The portions of a worker, in order.
struct Portions {
    u32 next_divided, end_divided, first_tile, next_whole;

    // The first stage, of all divided tiles one after another, that belongs to a worker.
    __device__ static u32 start(const Division &by, u32 worker) {
        const u64 all = (u64)(by.tiles_m * by.tiles_n - by.whole) * by.steps;
        return (u32)(all * min(worker, by.sharers) / max(by.sharers, 1u));
    }
    // The worker that has this stage.
    __device__ static u32 owner(const Division &by, u32 stage) {
        const u64 all = (u64)(by.tiles_m * by.tiles_n - by.whole) * by.steps;
        return (u32)((((u64)stage + 1) * by.sharers - 1) / all);
    }
    __device__ Portions(const Division &by, u32 worker) {
        next_divided = start(by, worker), end_divided = start(by, worker + 1);
        if (by.in_turn) next_divided = end_divided;
        first_tile = next_divided / by.steps;
        next_whole = worker;
    }
    // Where the part that begins at a stage of a portion ends.
    __device__ static u32 end_of_part(const Division &by, const Portion &portion, u32 stage) {
        if (!by.in_turn || portion.tile < by.whole) return portion.end;
        const u32 first = (portion.tile - by.whole) * by.steps;
        return min(portion.end, start(by, owner(by, first + stage) + 1) - first);
    }
    __device__ bool take(const Division &by, Portion &portion) {
        if (next_divided < end_divided) {
            const u32 tile = next_divided / by.steps;
            portion.begin = next_divided - tile * by.steps;
            portion.end = min(by.steps, portion.begin + (end_divided - next_divided));
            next_divided += portion.end - portion.begin;
            portion.tile = by.whole + tile;
            portion.is_whole = portion.begin == 0 && portion.end == by.steps;
            return true;
        }
        if (next_whole >= (by.in_turn ? by.tiles_m * by.tiles_n : by.whole)) return false;
        portion = {next_whole, 0, by.steps, true};
        next_whole += by.workers;
        return true;
    }
};

// Adds up the parts of a tile. Returns whether this worker came last: then it has the sums of all.
// `index` is that of the member among those that run. The first THREADS threads of the block call it.
template <int THREADS, int COUNT>
__device__ inline bool add_up(const Division &by, const Portion &portion, u32 first_tile, u32 index,
                              float (&sums)[COUNT]) {
    __shared__ bool is_last;
    auto all_are_here = [] { asm volatile("bar.sync 1, %0;" ::"n"(THREADS) : "memory"); };
    const u32 tile = portion.tile - by.whole, worker = blockIdx.x;
    const u64 size = (u64)THREADS * COUNT / 4;
    float4 *all = (float4 *)by.shares + index * by.sharers * 2 * size + threadIdx.x;
    float4 *mine = all + (worker * 2 + tile - first_tile) * size;
#pragma unroll
    for (int i = 0; i < COUNT; i += 4) {
        const float4 part = make_float4(sums[i], sums[i + 1], sums[i + 2], sums[i + 3]);
        __stcg(mine + i / 4 * THREADS, part);
    }
    __threadfence();
    all_are_here();
    const u32 from = Portions::owner(by, tile * by.steps);
    const u32 to = Portions::owner(by, (tile + 1) * by.steps - 1);
    if (threadIdx.x == 0) {
        u32 *arrived = by.arrived + index * by.sharers + tile;
        is_last = atomicAdd(arrived, 1) == to - from;
        if (is_last) *arrived = 0;
    }
    all_are_here();
    if (!is_last) return false;
    __threadfence();
#pragma unroll
    for (int i = 0; i < COUNT; ++i) sums[i] = 0.0f;
    for (u32 other = from; other <= to; ++other) {
        const u32 place = tile - Portions::start(by, other) / by.steps;
        const float4 *share = all + (other * 2 + place) * size;
#pragma unroll
        for (int i = 0; i < COUNT; i += 4) {
            const float4 part = __ldcg(share + i / 4 * THREADS);
            sums[i] += part.x, sums[i + 1] += part.y;
            sums[i + 2] += part.z, sums[i + 3] += part.w;
        }
    }
    return true;
}

#endif
