//! Matrices of a warp: `mma` in other types than those of the general table, sparse and scaled (manual 9.7.14.5), and `wmma` of
//! sub-byte integers (manual 9.7.14.4). [`super`] explains the notation.

/// The rows, in no particular order.
pub(super) const ROWS: &[(&str, &str, &str)] = &[
    // Dense products.
    (
        "llvm.nvvm.mma.m8n8k4.{row|col}.{row|col}.f16.f16",
        "f16x2*4(f16x2*8)",
        "mma.sync.aligned.m8n8k4.{A}.{B}.f16.f16.f16.f16 <d:4>, <%0:2>, <%2:2>, <%4:4>",
    ),
    (
        "llvm.nvvm.mma.m8n8k4.{row|col}.{row|col}.f32.f16",
        "f32*8(f16x2*8)",
        "mma.sync.aligned.m8n8k4.{A}.{B}.f32.f16.f16.f16 <d:8>, <%0:2>, <%2:2>, <%4:4>",
    ),
    (
        "llvm.nvvm.mma.m8n8k4.{row|col}.{row|col}.f32.f32",
        "f32*8(f16x2*4,f32*8)",
        "mma.sync.aligned.m8n8k4.{A}.{B}.f32.f16.f16.f32 <d:8>, <%0:2>, <%2:2>, <%4:8>",
    ),
    (
        "llvm.nvvm.mma.{m16n8k4|m16n8k8|m16n8k16}.row.col.f64",
        "f64*4(f64*{A:7|10|16})",
        "mma.sync.aligned.{A}.row.col.f64.f64.f64.f64 <d:4>, <%0:{A:2|4|8}>, <%{A:2|4|8}:{A:1|2|4}>, <%{A:3|6|12}:4>",
    ),
    (
        "llvm.nvvm.mma.{and|xor}.popc.m8n8k128.row.col.b1",
        "i32*2(i32*4)",
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.{A}.popc <d:2>, <%0:1>, <%1:1>, <%2:2>",
    ),
    (
        "llvm.nvvm.mma.{and|xor}.popc.{m16n8k128|m16n8k256}.row.col.b1",
        "i32*4(i32*{B:7|10})",
        "mma.sync.aligned.{B}.row.col.s32.b1.b1.s32.{A}.popc <d:4>, <%0:{B:2|4}>, <%{B:2|4}:{B:1|2}>, <%{B:3|6}:4>",
    ),
    (
        "llvm.nvvm.mma.{m8n8k16}.row.col{|.satfinite}.{s8|u8}",
        "i32*2(i32*4)",
        "mma.sync.aligned.{A}.row.col{B}.s32.{C}.{C}.s32 <d:2>, <%0:1>, <%1:1>, <%2:2>",
    ),
    (
        "llvm.nvvm.mma.{m8n8k16}.row.col{|.satfinite}.{s8.u8|u8.s8}",
        "i32*2(i32*4)",
        "mma.sync.aligned.{A}.row.col{B}.s32.{C}.s32 <d:2>, <%0:1>, <%1:1>, <%2:2>",
    ),
    (
        "llvm.nvvm.mma.{m8n8k32}.row.col{|.satfinite}.{s4|u4}",
        "i32*2(i32*4)",
        "mma.sync.aligned.{A}.row.col{B}.s32.{C}.{C}.s32 <d:2>, <%0:1>, <%1:1>, <%2:2>",
    ),
    (
        "llvm.nvvm.mma.{m8n8k32}.row.col{|.satfinite}.{s4.u4|u4.s4}",
        "i32*2(i32*4)",
        "mma.sync.aligned.{A}.row.col{B}.s32.{C}.s32 <d:2>, <%0:1>, <%1:1>, <%2:2>",
    ),
    (
        "llvm.nvvm.mma.{m16n8k32|m16n8k64}.row.col{|.satfinite}.{s4|u4}",
        "i32*4(i32*{A:7|10})",
        "mma.sync.aligned.{A}.row.col{B}.s32.{C}.{C}.s32 <d:4>, <%0:{A:2|4}>, <%{A:2|4}:{A:1|2}>, <%{A:3|6}:4>",
    ),
    (
        "llvm.nvvm.mma.{m16n8k32|m16n8k64}.row.col{|.satfinite}.{s4.u4|u4.s4}",
        "i32*4(i32*{A:7|10})",
        "mma.sync.aligned.{A}.row.col{B}.s32.{C}.s32 <d:4>, <%0:{A:2|4}>, <%{A:2|4}:{A:1|2}>, <%{A:3|6}:4>",
    ),
    (
        "llvm.nvvm.mma.{m16n8k16|m16n8k32}.row.col.f16.{e4m3|e5m2}.{e4m3|e5m2}.f16",
        "f16x2*2(i32*{A:3|6},f16x2*2)",
        "mma.sync.aligned.{A}.row.col.f16.{B}.{C}.f16 <d:2>, <%0:{A:2|4}>, <%{A:2|4}:{A:1|2}>, <%{A:3|6}:2>",
    ),
    (
        "llvm.nvvm.mma.{m16n8k16|m16n8k32}.row.col.f32.{e4m3|e5m2}.{e4m3|e5m2}.f32",
        "f32*4(i32*{A:3|6},f32*4)",
        "mma.sync.aligned.{A}.row.col.f32.{B}.{C}.f32 <d:4>, <%0:{A:2|4}>, <%{A:2|4}:{A:1|2}>, <%{A:3|6}:4>",
    ),
    (
        "llvm.nvvm.mma.m16n8k32.row.col.kind.f8f6f4.f16.{e4m3|e5m2|e3m2|e2m3|e2m1}.{e4m3|e5m2|e3m2|e2m3|e2m1}.f16",
        "f16x2*2(i32*6,f16x2*2)",
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.{A}.{B}.f16 <d:2>, <%0:4>, <%4:2>, <%6:2>",
    ),
    (
        "llvm.nvvm.mma.m16n8k32.row.col.kind.f8f6f4.f32.{e4m3|e5m2|e3m2|e2m3|e2m1}.{e4m3|e5m2|e3m2|e2m3|e2m1}.f32",
        "f32*4(i32*6,f32*4)",
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.{A}.{B}.f32 <d:4>, <%0:4>, <%4:2>, <%6:4>",
    ),
    // Scaled products: the scales with the choice of bytes and threads.
    (
        "llvm.nvvm.mma.block.scale.m16n8k32.row.col.mxf8f6f4{|.scale.1x}.f32.{e4m3|e5m2|e3m2|e2m3|e2m1}.{e4m3|e5m2|e3m2|e2m3|e2m1}.f32.ue8m0",
        "f32*4(i32*6,f32*4,i32,i16*2,i32,i16*2)",
        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale{A:|.scale_vec::1X}.f32.{B}.{C}.f32.ue8m0 <d:4>, <%0:4>, <%4:2>, <%6:4>, %10, <%11:2>, %13, <%14:2>",
    ),
    (
        "llvm.nvvm.mma.block.scale.m16n8k64.row.col.{mxf4|mxf4.scale.2x|mxf4nvf4.scale.2x}.f32.e2m1.e2m1.f32.ue8m0",
        "f32*4(i32*6,f32*4,i32,i16*2,i32,i16*2)",
        "mma.sync.aligned.m16n8k64.row.col.kind::{A:mxf4.block_scale|mxf4.block_scale.scale_vec::2X|mxf4nvf4.block_scale.scale_vec::2X}.f32.e2m1.e2m1.f32.ue8m0 <d:4>, <%0:4>, <%4:2>, <%6:4>, %10, <%11:2>, %13, <%14:2>",
    ),
    (
        "llvm.nvvm.mma.block.scale.m16n8k64.row.col.mxf4nvf4.scale.4x.f32.e2m1.e2m1.f32.ue4m3",
        "f32*4(i32*6,f32*4,i32,i16*2,i32,i16*2)",
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 <d:4>, <%0:4>, <%4:2>, <%6:4>, %10, <%11:2>, %13, <%14:2>",
    ),
    // Sparse products: metadata and a selector.
    (
        "llvm.nvvm.mma.sp{|.ordered.metadata}.{m16n8k16|m16n8k32}.row.col.bf16",
        "f32*4(i32*{B:4|8},f32*4,i32*2)",
        "mma.sp{A:|::ordered_metadata}.sync.aligned.{B}.row.col.f32.bf16.bf16.f32 <d:4>, <%0:{B:2|4}>, <%{B:2|4}:{B:2|4}>, <%{B:4|8}:4>, %{B:8|12}, #{B:9<4|13<2}",
    ),
    (
        "llvm.nvvm.mma.sp{|.ordered.metadata}.{m16n8k8|m16n8k16}.row.col.tf32",
        "f32*4(i32*{B:4|8},f32*4,i32*2)",
        "mma.sp{A:|::ordered_metadata}.sync.aligned.{B}.row.col.f32.tf32.tf32.f32 <d:4>, <%0:{B:2|4}>, <%{B:2|4}:{B:2|4}>, <%{B:4|8}:4>, %{B:8|12}, #{B:9<4|13<2}",
    ),
    (
        "llvm.nvvm.mma.sp{|.ordered.metadata}.{m16n8k16|m16n8k32}.row.col.f16.f16",
        "f16x2*2(f16x2*{B:6|10},i32*2)",
        "mma.sp{A:|::ordered_metadata}.sync.aligned.{B}.row.col.f16.f16.f16.f16 <d:2>, <%0:{B:2|4}>, <%{B:2|4}:{B:2|4}>, <%{B:4|8}:2>, %{B:6|10}, #{B:7<4|11<2}",
    ),
    (
        "llvm.nvvm.mma.sp{|.ordered.metadata}.{m16n8k16|m16n8k32}.row.col.f32.f32",
        "f32*4(f16x2*{B:4|8},f32*4,i32*2)",
        "mma.sp{A:|::ordered_metadata}.sync.aligned.{B}.row.col.f32.f16.f16.f32 <d:4>, <%0:{B:2|4}>, <%{B:2|4}:{B:2|4}>, <%{B:4|8}:4>, %{B:8|12}, #{B:9<4|13<2}",
    ),
    (
        "llvm.nvvm.mma.sp{|.ordered.metadata}.{m16n8k32|m16n8k64}.row.col{|.satfinite}.{s8|u8}",
        "i32*4(i32*{B:10|14})",
        "mma.sp{A:|::ordered_metadata}.sync.aligned.{B}.row.col{C}.s32.{D}.{D}.s32 <d:4>, <%0:{B:2|4}>, <%{B:2|4}:{B:2|4}>, <%{B:4|8}:4>, %{B:8|12}, #{B:9<2|13<1}",
    ),
    (
        "llvm.nvvm.mma.sp{|.ordered.metadata}.{m16n8k32|m16n8k64}.row.col{|.satfinite}.{s8.u8|u8.s8}",
        "i32*4(i32*{B:10|14})",
        "mma.sp{A:|::ordered_metadata}.sync.aligned.{B}.row.col{C}.s32.{D}.s32 <d:4>, <%0:{B:2|4}>, <%{B:2|4}:{B:2|4}>, <%{B:4|8}:4>, %{B:8|12}, #{B:9<2|13<1}",
    ),
    (
        "llvm.nvvm.mma.sp{|.ordered.metadata}.{m16n8k64|m16n8k128}.row.col{|.satfinite}.{s4|u4}",
        "i32*4(i32*{B:10|14})",
        "mma.sp{A:|::ordered_metadata}.sync.aligned.{B}.row.col{C}.s32.{D}.{D}.s32 <d:4>, <%0:{B:2|4}>, <%{B:2|4}:{B:2|4}>, <%{B:4|8}:4>, %{B:8|12}, #{B:9<2|13<1}",
    ),
    (
        "llvm.nvvm.mma.sp{|.ordered.metadata}.{m16n8k64|m16n8k128}.row.col{|.satfinite}.{s4.u4|u4.s4}",
        "i32*4(i32*{B:10|14})",
        "mma.sp{A:|::ordered_metadata}.sync.aligned.{B}.row.col{C}.s32.{D}.s32 <d:4>, <%0:{B:2|4}>, <%{B:2|4}:{B:2|4}>, <%{B:4|8}:4>, %{B:8|12}, #{B:9<2|13<1}",
    ),
    (
        "llvm.nvvm.mma.sp{|.ordered.metadata}.m16n8k64.row.col.f32.{e4m3|e5m2}.{e4m3|e5m2}.f32",
        "f32*4(i32*8,f32*4,i32*2)",
        "mma.sp{A:|::ordered_metadata}.sync.aligned.m16n8k64.row.col.f32.{B}.{C}.f32 <d:4>, <%0:4>, <%4:4>, <%8:4>, %12, #13<1",
    ),
    (
        "llvm.nvvm.mma.sp.ordered.metadata.m16n8k64.row.col.kind.f8f6f4.f16.{e4m3|e5m2|e3m2|e2m3|e2m1}.{e4m3|e5m2|e3m2|e2m3|e2m1}.f16",
        "f16x2*2(i32*8,f16x2*2,i32*2)",
        "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f16.{A}.{B}.f16 <d:2>, <%0:4>, <%4:4>, <%8:2>, %10, #11<1",
    ),
    (
        "llvm.nvvm.mma.sp.ordered.metadata.m16n8k64.row.col.kind.f8f6f4.f32.{e4m3|e5m2|e3m2|e2m3|e2m1}.{e4m3|e5m2|e3m2|e2m3|e2m1}.f32",
        "f32*4(i32*8,f32*4,i32*2)",
        "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.{A}.{B}.f32 <d:4>, <%0:4>, <%4:4>, <%8:4>, %12, #13<1",
    ),
    (
        "llvm.nvvm.mma.sp.ordered.metadata.block.scale.m16n8k64.row.col.mxf8f6f4{|.scale.1x}.f32.{e4m3|e5m2|e3m2|e2m3|e2m1}.{e4m3|e5m2|e3m2|e2m3|e2m1}.f32.ue8m0",
        "f32*4(i32*8,f32*4,i32*3,i16*2,i32,i16*2)",
        "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale{A:|.scale_vec::1X}.f32.{B}.{C}.f32.ue8m0 <d:4>, <%0:4>, <%4:4>, <%8:4>, %12, #13<1, %14, <%15:2>, %17, <%18:2>",
    ),
    (
        "llvm.nvvm.mma.sp.ordered.metadata.block.scale.m16n8k128.row.col.{mxf4|mxf4.scale.2x|mxf4nvf4.scale.2x}.f32.e2m1.e2m1.f32.ue8m0",
        "f32*4(i32*8,f32*4,i32*3,i16*2,i32,i16*2)",
        "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::{A:mxf4.block_scale|mxf4.block_scale.scale_vec::2X|mxf4nvf4.block_scale.scale_vec::2X}.f32.e2m1.e2m1.f32.ue8m0 <d:4>, <%0:4>, <%4:4>, <%8:4>, %12, #13<1, %14, <%15:2>, %17, <%18:2>",
    ),
    (
        "llvm.nvvm.mma.sp.ordered.metadata.block.scale.m16n8k128.row.col.mxf4nvf4.scale.4x.f32.e2m1.e2m1.f32.ue4m3",
        "f32*4(i32*8,f32*4,i32*3,i16*2,i32,i16*2)",
        "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 <d:4>, <%0:4>, <%4:4>, <%8:4>, %12, #13<1, %14, <%15:2>, %17, <%18:2>",
    ),
    // Fragments of sub-byte integers and single bits.
    (
        "llvm.nvvm.wmma.m8n8k32.load.{a.row|b.col}.{s4|u4}.{p0|p1|p3}",
        "i32({C})",
        "wmma.load.{A:a|b}.sync.aligned.{A:row|col}.m8n8k32{C:|.global|.shared}.{B} <d:1>, [%0]",
    ),
    (
        "llvm.nvvm.wmma.m8n8k32.load.{a.row|b.col}.stride.{s4|u4}.{p0|p1|p3}",
        "i32({C},i32)",
        "wmma.load.{A:a|b}.sync.aligned.{A:row|col}.m8n8k32{C:|.global|.shared}.{B} <d:1>, [%0], %1",
    ),
    (
        "llvm.nvvm.wmma.m8n8k128.load.{a.row|b.col}.b1.{p0|p1|p3}",
        "i32({B})",
        "wmma.load.{A:a|b}.sync.aligned.{A:row|col}.m8n8k128{B:|.global|.shared}.b1 <d:1>, [%0]",
    ),
    (
        "llvm.nvvm.wmma.m8n8k128.load.{a.row|b.col}.stride.b1.{p0|p1|p3}",
        "i32({B},i32)",
        "wmma.load.{A:a|b}.sync.aligned.{A:row|col}.m8n8k128{B:|.global|.shared}.b1 <d:1>, [%0], %1",
    ),
    (
        "llvm.nvvm.wmma.{m8n8k32|m8n8k128}.load.c.{row|col}.s32.{p0|p1|p3}",
        "i32*2({C})",
        "wmma.load.c.sync.aligned.{B}.{A}{C:|.global|.shared}.s32 <d:2>, [%0]",
    ),
    (
        "llvm.nvvm.wmma.{m8n8k32|m8n8k128}.load.c.{row|col}.stride.s32.{p0|p1|p3}",
        "i32*2({C},i32)",
        "wmma.load.c.sync.aligned.{B}.{A}{C:|.global|.shared}.s32 <d:2>, [%0], %1",
    ),
    (
        "llvm.nvvm.wmma.{m8n8k32|m8n8k128}.store.d.{row|col}.s32.{p0|p1|p3}",
        "void({C},i32*2)",
        "wmma.store.d.sync.aligned.{B}.{A}{C:|.global|.shared}.s32 [%0], <%1:2>",
    ),
    (
        "llvm.nvvm.wmma.{m8n8k32|m8n8k128}.store.d.{row|col}.stride.s32.{p0|p1|p3}",
        "void({C},i32*3)",
        "wmma.store.d.sync.aligned.{B}.{A}{C:|.global|.shared}.s32 [%0], <%1:2>, %3",
    ),
    (
        "llvm.nvvm.wmma.m8n8k32.mma.row.col.{s4|u4}{|.satfinite}",
        "i32*2(i32*4)",
        "wmma.mma.sync.aligned.row.col.m8n8k32.s32.{A}.{A}.s32{B} <d:2>, <%0:1>, <%1:1>, <%2:2>",
    ),
    (
        "llvm.nvvm.wmma.m8n8k128.mma.{and|xor}.popc.row.col.b1",
        "i32*2(i32*4)",
        "wmma.mma.{A}.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 <d:2>, <%0:1>, <%1:1>, <%2:2>",
    ),
    // Matrices of eight, six and four bits in shared memory (manual 9.7.14.5.15, 9.7.14.5.16).
    (
        "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x{1|2}.trans.{b8|b8x16.b4x16_p64|b8x16.b6x16_p32}.{p0|p3}",
        "i32*{A:2|4}({C})",
        "ldmatrix.sync.aligned.m16n16.x{A}.trans{C:|.shared}.{B} <d:{A:2|4}>, [%0]",
    ),
    (
        "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x{1|2|4}.{b8x16.b4x16_p64|b8x16.b6x16_p32}.{p0|p3}",
        "i32*{A}({C})",
        "ldmatrix.sync.aligned.m8n16.x{A}{C:|.shared}.{B} <d:{A}>, [%0]",
    ),
    (
        "llvm.nvvm.stmatrix.sync.aligned.m16n8.x{1|2|4}.trans.b8.{p0|p3}",
        "void({B},i32*{A})",
        "stmatrix.sync.aligned.m16n8.x{A}.trans{B:|.shared}.b8 [%0], <%1:{A}>",
    ),
];
