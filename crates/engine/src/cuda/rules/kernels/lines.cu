// Rules level by level where every body is one literal, nothing is in a cycle and literals have 16 bits:
// a hierarchy, most of all. A line is a head with up to six of its literals, and a thread takes a line:
//
//     class | number of literals, lines of the head that follow << 3, whether it is the first << 8 | literals
//
// so that a level waits for nothing but the level before it. The lines of a head are side by side in one
// warp, in the order of its rules; one with more literals than a warp has room for goes on in a level of
// its own. What is left of the last line of a head repeats its last literal.

// The largest value so far and the literal that it is of, row by row.
template <class F, int R> struct Largest {
    Lanes<F, R> value;
    u32 code[R];
};

const u32 NONE = 0xffffu; // no literal has this code

// A literal that is not considered in the rows `without`.
template <class F, int R, class W>
__device__ inline void consider(Largest<F, R> &best, const Table<F, R, W> &table, u32 code, u32 without) {
    const Lanes<F, R> value = table.values[code >> 1];
#pragma unroll
    for (int r = 0; r < R; ++r) {
        const F next = code & 1 ? -value.at[r] : value.at[r];
        const bool better = next > best.value.at[r] && !(without >> r & 1);
        best.value.at[r] = better ? next : best.value.at[r];
        best.code[r] = better ? code : best.code[r];
    }
}

// The best of a line and of the `after` lines that follow it. A later line wins only if it is larger: the
// rule that was written first decides. Codes travel two at a time.
template <class F, int R> __device__ inline void gather(Largest<F, R> &best, u32 after) {
#pragma unroll 1
    for (u32 way = 1; __any_sync(EVERY, after >= way); way *= 2) {
        Lanes<F, R> value;
        u32 code[R];
#pragma unroll
        for (int r = 0; r < R; ++r) value.at[r] = __shfl_down_sync(EVERY, best.value.at[r], way);
#pragma unroll
        for (int r = 0; r < R; r += 2) {
            const u32 second = r + 1 < R ? r + 1 : r;
            const u32 both = __shfl_down_sync(EVERY, best.code[r] | best.code[second] << 16, way);
            code[r] = both & 0xffffu;
            if (r + 1 < R) code[second] = both >> 16;
        }
        if (after < way) continue;
#pragma unroll
        for (int r = 0; r < R; ++r) {
            const bool better = value.at[r] > best.value.at[r];
            best.value.at[r] = better ? value.at[r] : best.value.at[r];
            best.code[r] = better ? code[r] : best.code[r];
        }
    }
}

// A line of each thread of a warp. SIGNED: `truth` has the labels of every class, a bit for each row, and a
// literal that does not hold is left out where the head does, in the rows `asked`; where no label breaks a
// rule, no literal holds where the head does not. Returns the rows in which one does.
template <bool SIGNED, class F, int R, class W>
__device__ inline u32 raise_line(const Table<F, R, W> &table, const u8 *truth, u32 asked, uint4 line) {
    const u32 label = line.x & 0xffffu, count = line.x >> 16 & 7, after = line.x >> 19 & 31;
    const bool leads = line.x >> 24 & 1;
    Largest<F, R> best;
#pragma unroll
    for (int r = 0; r < R; ++r) {
        best.value.at[r] = -Of<F>::infinite();
        best.code[r] = NONE;
    }
    Lanes<F, R> own;
    u32 broken = 0;
    if (count) {
        own = table.values[label];
        const u32 head = SIGNED ? truth[label] : 0;
        const auto literal = [&](u32 code) {
            u32 without = 0;
            if (SIGNED) {
                const u32 holds = truth[code >> 1] ^ (0u - (code & 1));
                broken |= holds & ~head;
                without = head & asked & ~holds;
            }
            consider(best, table, code, without);
        };
        literal(line.y & 0xffffu);
        literal(line.y >> 16);
        if (count > 2) {
            literal(line.z & 0xffffu);
            literal(line.z >> 16);
        }
        if (count > 4) {
            literal(line.w & 0xffffu);
            literal(line.w >> 16);
        }
    }
    gather(best, after);
    if (leads) {
        bool raised = false;
#pragma unroll
        for (int r = 0; r < R; ++r) {
            if (!(best.value.at[r] > own.at[r])) continue;
            raised = true;
            own.at[r] = best.value.at[r];
            const u32 code = best.code[r];
            table.who[label].at[r] = table.who[code >> 1].at[r] ^ (W)(code & 1);
        }
        if (raised) table.values[label] = own;
    }
    return broken;
}

// All levels of a program. The line of the next level is on its way while this one is computed. Levels that
// one warp can do follow each other without the others. Returns the rows in which this thread saw labels
// that break a rule.
template <bool SIGNED, class F, int R, class W>
__device__ inline u32 raise_lines(const Rules &rules, const Table<F, R, W> &table, const u8 *truth,
                                  u32 asked) {
    const uint4 none = make_uint4(0, 0, 0, 0);
    const u32 all = blockDim.x, warp = threadIdx.x / 32 * 32;
    u32 broken = 0, start = 0, end = rules.line_ends[0];
    uint4 line = threadIdx.x < end ? rules.lines[threadIdx.x] : none;
#pragma unroll 1
    for (u32 level = 1; level <= rules.line_levels; ++level) {
        const bool is_last = level == rules.line_levels;
        const u32 next_end = is_last ? end : rules.line_ends[level], at = end + threadIdx.x;
        const uint4 next = at < rules.line_count ? rules.lines[at] : none;
#pragma unroll 1
        for (u32 first = start + warp; first < end; first += all) {
            const u32 k = first + threadIdx.x % 32 + all;
            const uint4 later = k < end ? rules.lines[k] : none;
            broken |= raise_line<SIGNED>(table, truth, asked, line);
            line = later;
        }
        if (!is_last && end - start <= 32 && next_end - end <= 32) __syncwarp();
        else __syncthreads();
        line = at < next_end ? next : none;
        start = end;
        end = next_end;
    }
    return broken;
}
