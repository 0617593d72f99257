// Gradients go to the delegates: one warp per row, 32 classes at a time, in the order of the classes.
// So a sum has the bits that the CPU gives it, and they are the same in every run.

// The bits of a number as a tensor holds it, and the number.
__device__ inline u32 bits_of(const float *, const void *from, u64 at, bool wide) {
    return wide ? ((const u32 *)from)[at] : ((const u16 *)from)[at];
}
__device__ inline u64 bits_of(const double *, const void *from, u64 at, bool) {
    return ((const u64 *)from)[at];
}
__device__ inline float number(u32 bits, u32 kind) {
    if (kind == HALF) return half_to_float((u16)bits);
    return __uint_as_float(kind == SINGLE ? bits : bits << 16);
}
__device__ inline double number(u64 bits, u32) { return __longlong_as_double((long long)bits); }

// The sums of one row.
template <class Bits, class F>
__device__ inline void scatter_row(const u32 *delegates, const void *gradient, u64 start, u32 classes,
                                   u32 kind, F *sums) {
    const u32 lane = threadIdx.x % 32, all = 0xffffffffu;
    const int AHEAD = 8; // numbers that are on their way to a thread at once
    const bool wide = kind == SINGLE;
#pragma unroll 1
    for (u32 first = 0; first < classes; first += 32 * AHEAD) {
        u32 who[AHEAD];
        Bits bits[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) {
            u32 label = first + 32 * k + lane;
            who[k] = label < classes ? delegates[start + label] : CONSTANT;
        }
        if (sizeof(F) == 8 || wide) {
#pragma unroll
            for (int k = 0; k < AHEAD; ++k) {
                u32 label = min(first + 32 * k + lane, classes - 1);
                bits[k] = bits_of(sums, gradient, start + label, true);
            }
        } else {
#pragma unroll
            for (int k = 0; k < AHEAD; ++k) {
                u32 label = min(first + 32 * k + lane, classes - 1);
                bits[k] = bits_of(sums, gradient, start + label, false);
            }
        }
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) {
            F value = number(bits[k], kind);
            bool goes = who[k] < CONSTANT;
            if (who[k] & 1) value = -value;
            u32 to = goes ? who[k] >> 1 : CONSTANT | lane;
            u32 before = __popc(__match_any_sync(all, to) & ((1u << lane) - 1));
#pragma unroll 1
            for (u32 turn = 0; __any_sync(all, goes && before >= turn); ++turn) {
                if (goes && before == turn) sums[to] += value;
                __syncwarp();
            }
        }
    }
}

// In memory outside if that is not null.
template <class F, class Bits>
__device__ inline void scatter_rows(const u32 *delegates, const void *gradient, void *result,
                                    double scale, u32 rows, u32 classes, u32 kind, F *outside) {
    extern __shared__ __align__(16) char inside[];
    const u32 lane = threadIdx.x % 32, warps = blockDim.x / 32;
    const u32 warp = blockIdx.x * warps + threadIdx.x / 32;
    F *sums = outside ? outside + (u64)warp * classes : (F *)inside + threadIdx.x / 32 * classes;
#pragma unroll 1
    for (u32 row = warp; row < rows; row += gridDim.x * warps) {
        const u64 start = (u64)row * classes;
#pragma unroll 1
        for (u32 label = lane; label < classes; label += 32) sums[label] = 0;
        __syncwarp();
        scatter_row<Bits>(delegates, gradient, start, classes, kind, sums);
#pragma unroll 1
        for (u32 label = lane; label < classes; label += 32)
            Of<F>::store(result, start + label, kind, (F)(sums[label] * (F)scale));
        __syncwarp();
    }
}

#define SCATTER(name, F, Bits)                                                                      \
    extern "C" __global__ void name(const u32 *delegates, const void *gradient, void *result,       \
                                    double scale, u32 rows, u32 classes, u32 kind, F *outside) {    \
        scatter_rows<F, Bits>(delegates, gradient, result, scale, rows, classes, kind, outside);    \
    }

SCATTER(scatter_single, float, u32)
SCATTER(scatter_double, double, u64)
