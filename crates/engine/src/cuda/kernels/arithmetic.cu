// What all kernels share: random numbers, activation functions, the position in a run.

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define INFINITE __int_as_float(0x7f800000)

// The first step of a run of steps. Kernels add how many steps they are ahead of it.
struct Position {
    u32 epoch;
    u32 step;
};

// Philox 4x32 with ten rounds, as in random.rs.
__device__ inline uint4 philox(uint2 key, uint4 block) {
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        u32 high0 = __umulhi(0xD2511F53u, block.x), low0 = 0xD2511F53u * block.x;
        u32 high1 = __umulhi(0xCD9E8D57u, block.z), low1 = 0xCD9E8D57u * block.z;
        block = make_uint4(high1 ^ block.y ^ key.x, low1, high0 ^ block.w ^ key.y, low0);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return block;
}

// Which hidden units a step drops, as in dropout.rs.
struct Dropout {
    u64 below;   // rate * 2^32; 0 drops nothing
    float scale; // 1 / (1 - rate)
    u32 purpose; // of the random numbers: dropout after this layer
};

__device__ inline float factor(Dropout dropout, u64 seed, Position at, u32 row, u32 unit) {
    if (dropout.below == 0) return 1.0f;
    uint2 key = make_uint2((u32)seed, (u32)(seed >> 32));
    uint4 four = philox(key, make_uint4(unit >> 2, row, at.step, dropout.purpose | at.epoch << 12));
    u32 bits = (unit & 2) ? ((unit & 1) ? four.w : four.z) : ((unit & 1) ? four.y : four.x);
    return (u64)bits >= dropout.below ? dropout.scale : 0.0f;
}

// Value and slope of an activation; 0 is relu, 1 is tanh, 2 is none.
__device__ inline float activate(u32 activation, float sum, float *slope) {
    if (activation == 0) {
        // NaN stays NaN, so that a network that has diverged is noticed.
        bool passes = !(sum <= 0.0f);
        *slope = passes ? 1.0f : 0.0f;
        return passes ? sum : 0.0f;
    }
    if (activation == 1) {
        float value = tanhf(sum);
        *slope = 1.0f - value * value;
        return value;
    }
    *slope = 1.0f;
    return sum;
}

// Adam as in adam.rs: what is the same for all weights of a step.
struct Adam {
    float decay;
    float rate;
    float root;
};

__device__ inline void adam(Adam by, float gradient, float &w, float &m, float &v) {
    float g = fmaf(by.decay, w, gradient);
    m = fmaf(0.1f, g - m, m);
    v = fmaf(0.001f * g, g, 0.999f * v);
    if (fabsf(m) < 1e-30f) m = 0.0f;
    if (v < 1e-30f) v = 0.0f;
    // Root and quotient within two units in the last place: exact ones would dominate the pass.
    float root;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(v));
    float below = fmaf(root, by.root, 1e-8f);
    w = fmaf(-by.rate, __fdividef(m, below), w);
}

__device__ inline void adam(Adam by, float4 gradient, float4 &w, float4 &m, float4 &v) {
    adam(by, gradient.x, w.x, m.x, v.x);
    adam(by, gradient.y, w.y, m.y, v.y);
    adam(by, gradient.z, w.z, m.z, v.z);
    adam(by, gradient.w, w.w, m.w, v.w);
}

// Which of the four inputs from `4 * column` on a batch lists, a bit for each; all of them where
// there is no mask. Lazy updates leave the weights of the others as they are.
__device__ inline u32 present_four(const u32 *present, u64 member, u32 slot, u32 column) {
    return present ? present[slot * member + column / 8] >> column % 8 * 4 & 15 : 15;
}

__device__ inline void adam(Adam by, float4 gradient, u32 present, float4 &w, float4 &m,
                            float4 &v) {
    if (present & 1) adam(by, gradient.x, w.x, m.x, v.x);
    if (present & 2) adam(by, gradient.y, w.y, m.y, v.y);
    if (present & 4) adam(by, gradient.z, w.z, m.z, v.z);
    if (present & 8) adam(by, gradient.w, w.w, m.w, v.w);
}

__device__ inline float4 multiply_add(float a, float4 b, float4 c) {
    return make_float4(fmaf(a, b.x, c.x), fmaf(a, b.y, c.y), fmaf(a, b.z, c.z), fmaf(a, b.w, c.w));
}

// The rows of inputs to a layer. Those of the first layer are gathered from the data, whose last
// row is all zeros, for positions past the end of an epoch; those of other layers are in order.
struct Rows {
    const float *cells;
    const u32 *order; // null where rows are in order
    u64 member;       // numbers (or entries of the order) from one member to the next
    u32 stride;
};

__device__ inline const float *row_of(Rows rows, u32 slot, u32 start, u32 row) {
    if (rows.order) {
        u32 at = rows.order[slot * rows.member + start + row];
        return rows.cells + (u64)at * rows.stride;
    }
    return rows.cells + slot * rows.member + (u64)row * rows.stride;
}
