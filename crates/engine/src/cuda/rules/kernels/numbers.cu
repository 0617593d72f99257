// Numbers as tensors hold them, and as the kernels compute with them.
//
// 16-bit floats are widened to `float`, which is exact, and narrowed again, which is exact for
// whatever was selected and rounds to nearest even for what was added.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

// What the numbers of a tensor are; the same codes as in number.rs.
const u32 HALF = 0, BRAIN = 1, SINGLE = 2, DOUBLE = 3;

__device__ inline float half_to_float(u16 bits) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

__device__ inline u16 float_to_half(float value) {
    u16 bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

__device__ inline u16 float_to_brain(float value) {
    u32 bits = __float_as_uint(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return (u16)(bits >> 16 | 0x40u); // NaN stays NaN
    return (u16)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

// The constants of the type that the kernels compute with: `float` or `double`.
template <class F> struct Of;

template <> struct Of<float> {
    __device__ static float infinite() { return __int_as_float(0x7f800000); }
    __device__ static float largest() { return __int_as_float(0x7f7fffff); }
    __device__ static float nan() { return __int_as_float(0x7fc00000); }
    __device__ static float load(const void *from, u64 at, u32 kind) {
        if (kind == SINGLE) return ((const float *)from)[at];
        u16 bits = ((const u16 *)from)[at];
        return kind == HALF ? half_to_float(bits) : __uint_as_float((u32)bits << 16);
    }
    __device__ static void store(void *to, u64 at, u32 kind, float value) {
        if (kind == SINGLE) ((float *)to)[at] = value;
        else ((u16 *)to)[at] = kind == HALF ? float_to_half(value) : float_to_brain(value);
    }
    // What margin 0 becomes: the largest negative normal number of the tensor's own type.
    __device__ static float below_zero(u32 kind) {
        return kind == HALF ? -6.103515625e-5f : -1.17549435e-38f;
    }
    // The smallest number above 1/2 in the tensor's own type.
    __device__ static float above_half(u32 kind) {
        if (kind == HALF) return 0.50048828125f;
        return __uint_as_float(kind == BRAIN ? 0x3f010000u : 0x3f000001u);
    }
    // Orders probabilities and their complements exactly; scores/scale.rs has the same for tables.
    __device__ static float around_half(float p) {
        bool above = p > 0.5f;
        float smaller = above ? 1.0f - p : fabsf(p);
        float size = smaller == 0.0f
            ? infinite()
            : __uint_as_float(0x3f000000u - __float_as_uint(smaller) + 0x00800000u);
        return above ? size : -size;
    }
};

template <> struct Of<double> {
    __device__ static double infinite() { return __longlong_as_double(0x7ff0000000000000ll); }
    __device__ static double largest() { return __longlong_as_double(0x7fefffffffffffffll); }
    __device__ static double nan() { return __longlong_as_double(0x7ff8000000000000ll); }
    __device__ static double load(const void *from, u64 at, u32) {
        return ((const double *)from)[at];
    }
    __device__ static void store(void *to, u64 at, u32, double value) {
        ((double *)to)[at] = value;
    }
    __device__ static double below_zero(u32) { return -2.2250738585072014e-308; }
    __device__ static double above_half(u32) {
        return __longlong_as_double(0x3fe0000000000001ll);
    }
    __device__ static double around_half(double p) {
        bool above = p > 0.5;
        double smaller = above ? 1.0 - p : fabs(p);
        double size = smaller == 0.0
            ? infinite()
            : __longlong_as_double(0x3fe0000000000000ll - __double_as_longlong(smaller) +
                                   0x0010000000000000ll);
        return above ? size : -size;
    }
};

// The numbers of a class in R rows side by side.
template <class N, int R>
struct alignas(sizeof(N) * R > 16 ? 16 : sizeof(N) * R) Lanes {
    N at[R];
};
