// What products on Hopper share: warpgroups, four warps each, that multiply together (wgmma), and the
// unit that copies boxes of a matrix to shared memory on its own (TMA). Only code for 9.0a has them.

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// A matrix as the copying unit sees it; made by the driver (CUtensorMap).
struct __align__(64) Boxes {
    u64 opaque[16];
};

__device__ inline void copy_box(u32 to, const Boxes &of, u32 column, u32 row, u32 member,
                                u32 barrier) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to), "l"(&of), "r"(column), "r"(row),
                 "r"(member), "r"(barrier)
                 : "memory");
}

// Of a matrix whose rows are taken `turns` apart: row `turn`, `turn` + `turns`, and so on.
__device__ inline void copy_turns(u32 to, const Boxes &of, u32 column, u32 turn, u32 row,
                                  u32 member, u32 barrier) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(to), "l"(&of), "r"(column),
                 "r"(turn), "r"(row), "r"(member), "r"(barrier)
                 : "memory");
}

// Stages of shared memory that one thread has filled and warps use up, in a ring. A stage is full when all
// its bytes are there, and free again when every warp has said that it is done with it.
template <int STAGES> struct Ring {
    u32 full, done; // barriers of the first stage
    u32 place, phase;

    // All threads of a block together.
    __device__ Ring(u64 *barriers, u32 warps) {
        full = (u32)__cvta_generic_to_shared(barriers), done = full + 8 * STAGES;
        place = phase = 0;
        if (threadIdx.x == 0) {
            for (int stage = 0; stage < STAGES; ++stage) {
                begin(full + 8 * stage, 1);
                begin(done + 8 * stage, warps);
            }
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        }
        __syncthreads();
    }
    __device__ void next() {
        if (++place == STAGES) place = 0, phase ^= 1;
    }
    // Waits until the stage may be filled; returns the barrier that counts so many bytes.
    __device__ u32 fill(u32 bytes) const {
        wait(done + 8 * place, phase ^ 1);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full + 8 * place),
                     "r"(bytes)
                     : "memory");
        return full + 8 * place;
    }
    __device__ void wait_for_stage() const { wait(full + 8 * place, phase); }
    // What was read of the stage has to be in use by now: the next copy may overtake a read that is
    // still on its way.
    __device__ void release() const {
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(done + 8 * place)
                         : "memory");
    }

  private:
    __device__ static void begin(u32 barrier, u32 count) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count)
                     : "memory");
    }
    __device__ static void wait(u32 barrier, u32 parity) {
        asm volatile("{\n.reg .pred there;\nagain_%=:\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 there, [%0], %1;\n"
                     "@there bra on_%=;\nbra again_%=;\non_%=:\n}" ::"r"(barrier),
                     "r"(parity)
                     : "memory");
    }
};

// How `wgmma` finds operand b: rows of 128 bytes, eight of them after each other, swizzled.
__device__ inline u64 operand(u32 shared) {
    return (u64)(shared & 0x3ffff) >> 4 | (u64)1 << 16 | (u64)64 << 32 | (u64)1 << 62;
}
// From a step of k, eight numbers, to the next.
const u32 OPERAND_STEP = 2;

__device__ inline void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void end_products() {
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#define TEN(TENS)                                                                                  \
    "%" TENS "0, %" TENS "1, %" TENS "2, %" TENS "3, %" TENS "4, %" TENS "5, %" TENS "6, %" TENS   \
    "7, %" TENS "8, %" TENS "9, "
#define SUMS_8(AT)                                                                                 \
    "+f"(sums[AT]), "+f"(sums[AT + 1]), "+f"(sums[AT + 2]), "+f"(sums[AT + 3]),                    \
        "+f"(sums[AT + 4]), "+f"(sums[AT + 5]), "+f"(sums[AT + 6]), "+f"(sums[AT + 7])
#define SUMS_32(AT) SUMS_8(AT), SUMS_8(AT + 8), SUMS_8(AT + 16), SUMS_8(AT + 24)
#define PRODUCT(N, SUMS, A, B, ADDS)                                                               \
    "{\n.reg .pred adds;\nsetp.ne.b32 adds, " ADDS ", 0;\n"                                        \
    "wgmma.mma_async.sync.aligned.m64n" N "k8.f32.tf32.tf32 {" SUMS "}, {" A "}, " B               \
    ", adds, 1, 1;\n}"

// sums (+)= a b: 64 rows of a, in the registers of a warpgroup, times as many columns as there are
// sums, eight of k. Without `adds` the sums begin with this product.
__device__ inline void multiply(float (&sums)[64], const u32 (&a)[4], u64 b, bool adds) {
    asm volatile(PRODUCT("128", TEN("") TEN("1") TEN("2") TEN("3") TEN("4") TEN("5")
                         "%60, %61, %62, %63", "%64, %65, %66, %67", "%68", "%69")
                 : SUMS_32(0), SUMS_32(32)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((int)adds));
}
__device__ inline void multiply(float (&sums)[128], const u32 (&a)[4], u64 b, bool adds) {
    asm volatile(PRODUCT("256", TEN("") TEN("1") TEN("2") TEN("3") TEN("4") TEN("5") TEN("6")
                         TEN("7") TEN("8") TEN("9") TEN("10") TEN("11")
                         "%120, %121, %122, %123, %124, %125, %126, %127",
                         "%128, %129, %130, %131", "%132", "%133")
                 : SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((int)adds));
}

#endif
