// Rules level by level where every body is one literal, nothing is in a cycle and delegates have 16
// bits: a hierarchy, most of all. A brief is a head with its first literals, so that a level waits for
// nothing but the level before it.
//
//     class | number of rules << 16, first rule, literals 0 and 1, literals 2 and 3

// What a thread knows of a level before it begins.
struct Ahead {
    uint4 level;
    uint4 brief;
};

__device__ inline Ahead ahead(const Rules &rules, u32 level) {
    const uint4 none = make_uint4(0, 0, 0, 0);
    if (level >= rules.levels) return {none, none};
    const uint4 of_level = rules.level[level];
    const u32 k = of_level.y + threadIdx.x;
    return {of_level, k < of_level.z ? rules.briefs[k] : none};
}

// The largest value so far and the literal that it is of, row by row.
template <int R> struct Largest {
    Lanes<float, R> value;
    Lanes<u32, R> literal;

    __device__ void consider(const Table<float, R, u16> &table, u32 code) {
        Lanes<float, R> next = table.values[code >> 1];
#pragma unroll
        for (int r = 0; r < R; ++r) {
            float value_here = code & 1 ? -next.at[r] : next.at[r];
            bool better = value_here > value.at[r];
            value.at[r] = better ? value_here : value.at[r];
            literal.at[r] = better ? code : literal.at[r];
        }
    }
};

template <int R>
__device__ inline void raise_brief(const Rules &rules, const Table<float, R, u16> &table,
                                   uint4 brief) {
    const u32 label = brief.x & 0xffffu, count = brief.x >> 16, own = OPEN;
    Largest<R> largest;
    largest.value = table.values[label];
#pragma unroll
    for (int r = 0; r < R; ++r) largest.literal.at[r] = own;
    largest.consider(table, brief.z & 0xffffu);
    if (count > 1) largest.consider(table, brief.z >> 16);
    if (count > 2) largest.consider(table, brief.w & 0xffffu);
    if (count > 3) largest.consider(table, brief.w >> 16);
    // Four more are on their way at once; the last may be among them twice.
    const u32 last = brief.y + count - 1;
#pragma unroll 1
    for (u32 rule = brief.y + 4; rule <= last; rule += 4) {
        u32 codes[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) codes[i] = rules.literals[min(rule + i, last)];
#pragma unroll
        for (int i = 0; i < 4; ++i) largest.consider(table, codes[i]);
    }
    bool raised = false;
#pragma unroll
    for (int r = 0; r < R; ++r) {
        const u32 code = largest.literal.at[r];
        if (code == own) continue;
        raised = true;
        table.who[label].at[r] = table.who[code >> 1].at[r] ^ (u16)(code & 1);
    }
    if (raised) table.values[label] = largest.value;
}

// All levels of a program. What is read of the next level is on its way while this one is computed.
template <int R>
__device__ inline void raise_briefs(const Rules &rules, const Table<float, R, u16> &table) {
    Plain<float, R, u16> view;
    view.table = table;
    const u32 warp = threadIdx.x / 32, group = threadIdx.x % 32 / GROUP;
    Ahead now = ahead(rules, 0);
#pragma unroll 1
    for (u32 level = 0; level < rules.levels; ++level) {
        const Ahead then = ahead(rules, level + 1);
        const u32 light = now.level.y, end = now.level.z;
#pragma unroll 1
        for (u32 k = now.level.x + warp * (32 / GROUP); k < light; k += blockDim.x / GROUP)
            raise_heavy(rules, view, k + group < light ? rules.heads[k + group] : make_uint4(0, 0, 0, 0));
        uint4 brief = now.brief;
#pragma unroll 1
        for (u32 k = light + threadIdx.x; k < end; k += blockDim.x) {
            raise_brief(rules, table, brief);
            if (k + blockDim.x < end) brief = rules.briefs[k + blockDim.x];
        }
        now = then;
        __syncthreads();
    }
}
