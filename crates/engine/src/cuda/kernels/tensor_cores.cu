// What products on tensor cores share: numbers rounded to TF32, the multiplication of fragments by
// mma.sync, tiles of operands in shared memory. Compute capability 8.0 and later.
//
// TF32 keeps the first 19 bits of a number. The product of two rounded numbers is what `tf32` means.
// For `fp32` a number is the sum of two rounded ones, hi + lo, and a product is lo hi + hi lo + hi hi:
// what is left out is below the last bit of a float.

#if __CUDA_ARCH__ >= 800

// The k of a stage: what is in shared memory of each row at a time.
const int DEPTH = 32;

// What operands are: plain numbers, or their two parts.
template <bool EXACT, int COUNT> struct Parts {
    u32 high[COUNT];
    u32 low[EXACT ? COUNT : 1];

    __device__ void take(int at, float x) {
        high[at] = rounded(x);
        if constexpr (EXACT) {
            high[at] &= 0xffffe000u;
            low[at] = rounded(x - __uint_as_float(high[at]));
        }
    }
};

// sums += a b, a fragment of 16 x 8 times one of 8 x 8.
__device__ inline void mma(float (&sums)[4], const u32 *a, const u32 *b) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// All fragments of a warp: MI of operand a with NI of operand b.
template <bool EXACT, int MI, int NI>
__device__ inline void multiply(float (&sums)[MI][NI][4], const float (&a)[MI][4],
                                const float (&b)[NI][2]) {
    Parts<EXACT, 4> left[MI];
    Parts<EXACT, 2> right[NI];
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) left[i].take(j, a[i][j]);
#pragma unroll
    for (int n = 0; n < NI; ++n)
#pragma unroll
        for (int j = 0; j < 2; ++j) right[n].take(j, b[n][j]);
    if constexpr (EXACT) {
        // The small parts first.
#pragma unroll
        for (int i = 0; i < MI; ++i)
#pragma unroll
            for (int n = 0; n < NI; ++n) mma(sums[i][n], left[i].low, right[n].high);
#pragma unroll
        for (int i = 0; i < MI; ++i)
#pragma unroll
            for (int n = 0; n < NI; ++n) mma(sums[i][n], left[i].high, right[n].low);
    }
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
        for (int n = 0; n < NI; ++n) mma(sums[i][n], left[i].high, right[n].high);
}

template <int MI, int NI> __device__ inline void clear(float (&sums)[MI][NI][4]) {
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
        for (int n = 0; n < NI; ++n)
#pragma unroll
            for (int j = 0; j < 4; ++j) sums[i][n][j] = 0.0f;
}

// all += some
template <int MI, int NI>
__device__ inline void add(float (&all)[MI][NI][4], const float (&some)[MI][NI][4]) {
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
        for (int n = 0; n < NI; ++n)
#pragma unroll
            for (int j = 0; j < 4; ++j) all[i][n][j] += some[i][n][j];
}

// Copies 16 bytes to shared memory without waiting for them; zeros if there is nothing to copy.
__device__ inline void copy_16(u32 to, const float *from, bool exists) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                 "r"(exists ? 16 : 0));
}
__device__ inline void end_of_copies() { asm volatile("cp.async.commit_group;"); }
template <int LEFT> __device__ inline void wait_for_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT));
}

// A matrix of every member, row by row.
struct Matrix {
    float *cells;
    u64 member; // numbers from one member to the next
    u32 stride;
};

// A tile of ROWS x 32 whose rows lie along k. A row has eight chunks of 16 bytes, whose halves are
// swapped in odd rows, so that reading a column of chunks meets every bank once.
template <int ROWS, int THREADS> struct AlongK {
    static constexpr int COUNT = ROWS * 8 / THREADS;
    u64 start[COUNT];
    u32 missing; // bits

    __device__ void aim(u32 first, u32 limit, u32 stride) {
        missing = 0;
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            u32 row = first + threadIdx.x / 8 + i * (THREADS / 8);
            if (row >= limit) missing |= 1u << i;
            start[i] = row < limit ? (u64)row * stride + threadIdx.x % 8 * 4 : 0;
        }
    }
    __device__ void load(u32 to, const float *from, u32 k, u32 end) const {
        const u32 chunk = threadIdx.x % 8, row = threadIdx.x / 8;
        const bool is_in = k + chunk * 4 < end;
        to += row * 128 + ((chunk ^ (row & 1) << 2) << 4);
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            bool exists = is_in && !(missing >> i & 1);
            copy_16(to + i * (THREADS / 8) * 128, exists ? from + start[i] + k : from, exists);
        }
    }
};

// A tile of 32 x COLUMNS whose rows lie along m or n. Chunks of 16 bytes are swapped so that the
// fragments of an update (or of the gradient below) are read without conflicts.
template <int COLUMNS, int THREADS, bool UPDATES> struct AcrossK {
    static constexpr int CHUNKS = COLUMNS / 4, AT_ONCE = THREADS / CHUNKS;
    u32 column;
    bool is_in;

    __device__ void aim(u32 first, u32 limit) {
        column = first + threadIdx.x % CHUNKS * 4;
        is_in = column < limit;
    }
    __device__ void load(u32 to, const float *from, u32 k, u32 end, u32 stride) const {
        const u32 chunk = threadIdx.x % CHUNKS;
#pragma unroll
        for (int i = 0; i < DEPTH / AT_ONCE; ++i) {
            const u32 row = threadIdx.x / CHUNKS + i * AT_ONCE;
            const u32 swap = UPDATES ? (row & 3) * 2 : row >> 2 & 3;
            const bool exists = is_in && k + row < end;
            copy_16(to + row * (COLUMNS * 4) + ((chunk ^ swap) << 4),
                    exists ? from + (u64)(k + row) * stride + column : from, exists);
        }
    }
};

// Sizes of a tile: of the product, of the part of each warp, of the ring of stages.
template <int M_, int N_, int WARP_M_, int WARP_N_, int STAGES_, bool EXACT_> struct Tile {
    static constexpr int M = M_, N = N_, WARP_M = WARP_M_, WARP_N = WARP_N_, STAGES = STAGES_;
    static constexpr bool EXACT = EXACT_;
    static constexpr int THREADS = M / WARP_M * (N / WARP_N) * 32;
    static constexpr int MI = WARP_M / 16, NI = WARP_N / 8;
    static constexpr int STAGE = (M + N) * DEPTH; // numbers

    typedef float Sums[MI][NI][4];

    // Where the part of this warp begins.
    __device__ static u32 warp_m() { return threadIdx.x / 32 % (M / WARP_M) * WARP_M; }
    __device__ static u32 warp_n() { return threadIdx.x / 32 / (M / WARP_M) * WARP_N; }
};

// The sums of a tile, one after another.
template <class T> __device__ inline float (&flat(typename T::Sums &sums))[T::MI * T::NI * 4] {
    return *(float (*)[T::MI * T::NI * 4])&sums;
}

// The products of a stage where operand a lies along k: the forward pass and the gradient below.
//
// A thread reads four numbers in a row along k and uses them as if they were four steps of k apart,
// in both operands alike. Columns of operand b are permuted so that a thread ends up with four
// neighbouring columns of the product.
template <class T, bool B_ALONG>
__device__ inline void multiply_stage(const float *as, const float *bs, typename T::Sums &sums) {
    constexpr int MI = T::MI, NI = T::NI;
    const u32 lane = threadIdx.x % 32, g = lane / 4, c = lane % 4;
    const u32 first_m = T::warp_m(), first_n = T::warp_n();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const u32 along = (half * 4 + c ^ (g & 1) << 2) << 2;
        float a[MI][2][4], b[NI][4];
#pragma unroll
        for (int i = 0; i < MI; ++i)
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                const u32 row = first_m + 16 * i + 8 * j + g;
                *(float4 *)a[i][j] = *(const float4 *)(as + row * DEPTH + along);
            }
        if constexpr (B_ALONG) {
#pragma unroll
            for (int n = 0; n < NI; ++n) {
                const u32 row = first_n + 16 * (n / 2) + 4 * (g / 2) + 2 * (n % 2) + g % 2;
                *(float4 *)b[n] = *(const float4 *)(bs + row * DEPTH + along);
            }
        } else {
#pragma unroll
            for (int s = 0; s < 4; ++s)
#pragma unroll
                for (int h = 0; h < NI / 4; ++h) {
                    const u32 row = half * 16 + 4 * c + s;
                    const u32 chunk = first_n / 4 + 8 * h + g / 2 + 4 * (g % 2);
                    const float4 four = *(const float4 *)(bs + row * T::N + ((chunk ^ c) << 2));
                    b[4 * h][s] = four.x, b[4 * h + 1][s] = four.y;
                    b[4 * h + 2][s] = four.z, b[4 * h + 3][s] = four.w;
                }
        }
#pragma unroll
        for (int s = 0; s < 2; ++s) {
            float left[MI][4], right[NI][2];
#pragma unroll
            for (int i = 0; i < MI; ++i) {
                left[i][0] = a[i][0][2 * s], left[i][1] = a[i][1][2 * s];
                left[i][2] = a[i][0][2 * s + 1], left[i][3] = a[i][1][2 * s + 1];
            }
#pragma unroll
            for (int n = 0; n < NI; ++n)
                right[n][0] = b[n][2 * s], right[n][1] = b[n][2 * s + 1];
            multiply<T::EXACT>(sums, left, right);
        }
    }
}

// The products of a stage of an update: both operands lie across k. Inputs are rows of the product,
// outputs its columns; a thread ends up with four neighbouring inputs.
template <class T>
__device__ inline void multiply_update_stage(const float *as, const float *bs,
                                             typename T::Sums &sums) {
    constexpr int MI = T::MI, NI = T::NI;
    const u32 lane = threadIdx.x % 32, g = lane / 4, c = lane % 4;
    const u32 first_m = T::warp_m(), first_n = T::warp_n();
#pragma unroll
    for (int eight = 0; eight < DEPTH / 8; ++eight) {
        float left[MI][4], right[NI][2];
#pragma unroll
        for (int e = 0; e < 2; ++e) {
            const u32 row = eight * 8 + 4 * e + c;
#pragma unroll
            for (int h = 0; h < MI / 2; ++h) {
                const u32 chunk = first_m / 4 + 8 * h + g;
                const float4 four = *(const float4 *)(as + row * T::M + ((chunk ^ 2 * c) << 2));
                left[2 * h][2 * e] = four.x, left[2 * h][2 * e + 1] = four.y;
                left[2 * h + 1][2 * e] = four.z, left[2 * h + 1][2 * e + 1] = four.w;
            }
#pragma unroll
            for (int h = 0; h < NI / 4; ++h) {
                const u32 chunk = first_n / 4 + 8 * h + g;
                const float4 four = *(const float4 *)(bs + row * T::N + ((chunk ^ 2 * c) << 2));
                right[4 * h][e] = four.x, right[4 * h + 1][e] = four.y;
                right[4 * h + 2][e] = four.z, right[4 * h + 3][e] = four.w;
            }
        }
        multiply<T::EXACT>(sums, left, right);
    }
}

#endif
