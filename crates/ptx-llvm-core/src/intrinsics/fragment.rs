//! Matrices of a warp in other types than half precision (manual 9.7.14.4); [`super`] explains the notation.

/// The rows, in no particular order.
pub(super) const ROWS: &[(&str, &str, &str)] = &[
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.load.a.{row|col}.{s8|u8}.{p0|p1|p3}",
        "{A:i32*2|i32*4|i32*1}({D})",
        "wmma.load.a.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:{A:2|4|1}>, [%0]",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.load.a.{row|col}.stride.{s8|u8}.{p0|p1|p3}",
        "{A:i32*2|i32*4|i32*1}({D},i32)",
        "wmma.load.a.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:{A:2|4|1}>, [%0], %1",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.load.b.{row|col}.{s8|u8}.{p0|p1|p3}",
        "{A:i32*2|i32*1|i32*4}({D})",
        "wmma.load.b.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:{A:2|1|4}>, [%0]",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.load.b.{row|col}.stride.{s8|u8}.{p0|p1|p3}",
        "{A:i32*2|i32*1|i32*4}({D},i32)",
        "wmma.load.b.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:{A:2|1|4}>, [%0], %1",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.load.a.{row|col}.{bf16}.{p0|p1|p3}",
        "{A:i32*4|i32*8|i32*2}({D})",
        "wmma.load.a.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:{A:4|8|2}>, [%0]",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.load.a.{row|col}.stride.{bf16}.{p0|p1|p3}",
        "{A:i32*4|i32*8|i32*2}({D},i32)",
        "wmma.load.a.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:{A:4|8|2}>, [%0], %1",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.load.b.{row|col}.{bf16}.{p0|p1|p3}",
        "{A:i32*4|i32*2|i32*8}({D})",
        "wmma.load.b.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:{A:4|2|8}>, [%0]",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.load.b.{row|col}.stride.{bf16}.{p0|p1|p3}",
        "{A:i32*4|i32*2|i32*8}({D},i32)",
        "wmma.load.b.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:{A:4|2|8}>, [%0], %1",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.load.c.{row|col}.{s32}.{p0|p1|p3}",
        "i32*8({D})",
        "wmma.load.c.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:8>, [%0]",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.store.d.{row|col}.{s32}.{p0|p1|p3}",
        "void({D},i32*8)",
        "wmma.store.d.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} [%0], <%1:8>",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.load.c.{row|col}.stride.{s32}.{p0|p1|p3}",
        "i32*8({D},i32)",
        "wmma.load.c.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:8>, [%0], %1",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.store.d.{row|col}.stride.{s32}.{p0|p1|p3}",
        "void({D},i32*8,i32)",
        "wmma.store.d.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} [%0], <%1:8>, %9",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k8}.load.a.{row|col}.{tf32}.{p0|p1|p3}",
        "{A:i32*4}({D})",
        "wmma.load.a.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:{A:4}>, [%0]",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k8}.load.a.{row|col}.stride.{tf32}.{p0|p1|p3}",
        "{A:i32*4}({D},i32)",
        "wmma.load.a.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:{A:4}>, [%0], %1",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k8}.load.b.{row|col}.{tf32}.{p0|p1|p3}",
        "{A:i32*4}({D})",
        "wmma.load.b.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:{A:4}>, [%0]",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k8}.load.b.{row|col}.stride.{tf32}.{p0|p1|p3}",
        "{A:i32*4}({D},i32)",
        "wmma.load.b.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:{A:4}>, [%0], %1",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k8}.load.c.{row|col}.{f32}.{p0|p1|p3}",
        "f32*8({D})",
        "wmma.load.c.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:8>, [%0]",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k8}.store.d.{row|col}.{f32}.{p0|p1|p3}",
        "void({D},f32*8)",
        "wmma.store.d.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} [%0], <%1:8>",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k8}.load.c.{row|col}.stride.{f32}.{p0|p1|p3}",
        "f32*8({D},i32)",
        "wmma.load.c.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:8>, [%0], %1",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k8}.store.d.{row|col}.stride.{f32}.{p0|p1|p3}",
        "void({D},f32*8,i32)",
        "wmma.store.d.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} [%0], <%1:8>, %9",
    ),
    (
        "llvm.nvvm.wmma.{m8n8k4}.load.a.{row|col}.{f64}.{p0|p1|p3}",
        "{A:f64*1}({D})",
        "wmma.load.a.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:{A:1}>, [%0]",
    ),
    (
        "llvm.nvvm.wmma.{m8n8k4}.load.a.{row|col}.stride.{f64}.{p0|p1|p3}",
        "{A:f64*1}({D},i32)",
        "wmma.load.a.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:{A:1}>, [%0], %1",
    ),
    (
        "llvm.nvvm.wmma.{m8n8k4}.load.b.{row|col}.{f64}.{p0|p1|p3}",
        "{A:f64*1}({D})",
        "wmma.load.b.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:{A:1}>, [%0]",
    ),
    (
        "llvm.nvvm.wmma.{m8n8k4}.load.b.{row|col}.stride.{f64}.{p0|p1|p3}",
        "{A:f64*1}({D},i32)",
        "wmma.load.b.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:{A:1}>, [%0], %1",
    ),
    (
        "llvm.nvvm.wmma.{m8n8k4}.load.c.{row|col}.{f64}.{p0|p1|p3}",
        "f64*2({D})",
        "wmma.load.c.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:2>, [%0]",
    ),
    (
        "llvm.nvvm.wmma.{m8n8k4}.store.d.{row|col}.{f64}.{p0|p1|p3}",
        "void({D},f64*2)",
        "wmma.store.d.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} [%0], <%1:2>",
    ),
    (
        "llvm.nvvm.wmma.{m8n8k4}.load.c.{row|col}.stride.{f64}.{p0|p1|p3}",
        "f64*2({D},i32)",
        "wmma.load.c.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:2>, [%0], %1",
    ),
    (
        "llvm.nvvm.wmma.{m8n8k4}.store.d.{row|col}.stride.{f64}.{p0|p1|p3}",
        "void({D},f64*2,i32)",
        "wmma.store.d.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} [%0], <%1:2>, %3",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.mma.{row|col}.{row|col}.{s8|u8}{|.satfinite}",
        "i32*8(i32*{A:4|5|5},i32*8)",
        "wmma.mma.sync.aligned.{B}.{C}.{A}.s32.{D}.{D}.s32{E} <d:8>, <%0:{A:2|4|1}>, <%{A:2|4|1}:{A:2|1|4}>, <%{A:4|5|5}:8>",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.mma.{row|col}.{row|col}.bf16",
        "f32*8(i32*{A:8|10|10},f32*8)",
        "wmma.mma.sync.aligned.{B}.{C}.{A}.f32.bf16.bf16.f32 <d:8>, <%0:{A:4|8|2}>, <%{A:4|8|2}:{A:4|2|8}>, <%{A:8|10|10}:8>",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k8}.mma.{row|col}.{row|col}.tf32",
        "f32*8(i32*8,f32*8)",
        "wmma.mma.sync.aligned.{B}.{C}.{A}.f32.tf32.tf32.f32 <d:8>, <%0:4>, <%4:4>, <%8:8>",
    ),
    (
        "llvm.nvvm.wmma.{m8n8k4}.mma.{row|col}.{row|col}{|.rn|.rz|.rm|.rp}.f64",
        "f64*2(f64*4)",
        "wmma.mma.sync.aligned.{B}.{C}.{A}{D}.f64.f64.f64.f64 <d:2>, <%0:1>, <%1:1>, <%2:2>",
    ),
];
