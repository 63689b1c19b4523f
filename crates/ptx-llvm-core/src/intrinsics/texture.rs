//! Textures and surfaces (manual 9.7.10, 9.7.11); [`super`] explains the notation.
//!
//! A `unified` intrinsic takes one handle, the others that of a texture and of a sampler.

/// The rows, in no particular order.
pub(super) const ROWS: &[(&str, &str, &str)] = &[
    (
        "llvm.nvvm.tex.unified.{1d|2d|3d}.v4{f32|s32|u32}.{s32|f32}",
        "{B:f32|i32|i32}*4(i64,{C:i32|f32}*{A:1|2|3})",
        "tex.{A}.v4.{B}.{C} <d:4>, T[%0<%1:{A:1|2|3}>]",
    ),
    (
        "llvm.nvvm.tex.unified.{1d|2d|3d}.level.v4{f32|s32|u32}.f32",
        "{B:f32|i32|i32}*4(i64,f32*{A:1|2|3},f32)",
        "tex.level.{A}.v4.{B}.f32 <d:4>, T[%0<%1:{A:1|2|3}>], %{A:2|3|4}",
    ),
    (
        "llvm.nvvm.tex.unified.{1d|2d|3d}.grad.v4{f32|s32|u32}.f32",
        "{B:f32|i32|i32}*4(i64,f32*{A:3|6|9})",
        "tex.grad.{A}.v4.{B}.f32 <d:4>, T[%0<%1:{A:1|2|3}>], <%{A:2:1|3:2|4:3+}>, <%{A:3:1|5:2|7:3+}>",
    ),
    (
        "llvm.nvvm.tex.unified.{1d|2d}.array.v4{f32|s32|u32}.{s32|f32}",
        "{B:f32|i32|i32}*4(i64,i32,{C:i32|f32}*{A:1|2})",
        "tex.a{A}.v4.{B}.{C} <d:4>, T[%0<%1:{A:2|3}>]",
    ),
    (
        "llvm.nvvm.tex.unified.{1d|2d}.array.level.v4{f32|s32|u32}.f32",
        "{B:f32|i32|i32}*4(i64,i32,f32*{A:1|2},f32)",
        "tex.level.a{A}.v4.{B}.f32 <d:4>, T[%0<%1:{A:2|3}>], %{A:3|4}",
    ),
    (
        "llvm.nvvm.tex.unified.{1d|2d}.array.grad.v4{f32|s32|u32}.f32",
        "{B:f32|i32|i32}*4(i64,i32,f32*{A:3|6})",
        "tex.grad.a{A}.v4.{B}.f32 <d:4>, T[%0<%1:{A:2|3}>], <%{A:3:1|4:2}>, <%{A:4:1|6:2}>",
    ),
    (
        "llvm.nvvm.tex.unified.cube.v4{f32|s32|u32}.f32",
        "{A:f32|i32|i32}*4(i64,f32*3)",
        "tex.cube.v4.{A}.f32 <d:4>, T[%0<%1:3>]",
    ),
    (
        "llvm.nvvm.tex.unified.cube.level.v4{f32|s32|u32}.f32",
        "{A:f32|i32|i32}*4(i64,f32*4)",
        "tex.level.cube.v4.{A}.f32 <d:4>, T[%0<%1:3>], %4",
    ),
    (
        "llvm.nvvm.tex.unified.cube.grad.v4{f32|s32|u32}.f32",
        "{A:f32|i32|i32}*4(i64,f32*9)",
        "tex.grad.cube.v4.{A}.f32 <d:4>, T[%0<%1:3>], <%4:3+>, <%7:3+>",
    ),
    (
        "llvm.nvvm.tex.unified.cube.array.v4{f32|s32|u32}.f32",
        "{A:f32|i32|i32}*4(i64,i32,f32*3)",
        "tex.acube.v4.{A}.f32 <d:4>, T[%0<%1:4>]",
    ),
    (
        "llvm.nvvm.tex.unified.cube.array.level.v4{f32|s32|u32}.f32",
        "{A:f32|i32|i32}*4(i64,i32,f32*4)",
        "tex.level.acube.v4.{A}.f32 <d:4>, T[%0<%1:4>], %5",
    ),
    (
        "llvm.nvvm.tex.unified.cube.array.grad.v4{f32|s32|u32}.f32",
        "{A:f32|i32|i32}*4(i64,i32,f32*9)",
        "tex.grad.acube.v4.{A}.f32 <d:4>, T[%0<%1:4>], <%5:3+>, <%8:3+>",
    ),
    (
        "llvm.nvvm.tex.{1d|2d|3d}.v4{f32|s32|u32}.{s32|f32}",
        "{B:f32|i32|i32}*4(i64*2,{C:i32|f32}*{A:1|2|3})",
        "tex.{A}.v4.{B}.{C} <d:4>, T[%0,%1<%2:{A:1|2|3}>]",
    ),
    (
        "llvm.nvvm.tex.{1d|2d|3d}.level.v4{f32|s32|u32}.f32",
        "{B:f32|i32|i32}*4(i64*2,f32*{A:1|2|3},f32)",
        "tex.level.{A}.v4.{B}.f32 <d:4>, T[%0,%1<%2:{A:1|2|3}>], %{A:3|4|5}",
    ),
    (
        "llvm.nvvm.tex.{1d|2d|3d}.grad.v4{f32|s32|u32}.f32",
        "{B:f32|i32|i32}*4(i64*2,f32*{A:3|6|9})",
        "tex.grad.{A}.v4.{B}.f32 <d:4>, T[%0,%1<%2:{A:1|2|3}>], <%{A:3:1|4:2|5:3+}>, <%{A:4:1|6:2|8:3+}>",
    ),
    (
        "llvm.nvvm.tex.{1d|2d}.array.v4{f32|s32|u32}.{s32|f32}",
        "{B:f32|i32|i32}*4(i64*2,i32,{C:i32|f32}*{A:1|2})",
        "tex.a{A}.v4.{B}.{C} <d:4>, T[%0,%1<%2:{A:2|3}>]",
    ),
    (
        "llvm.nvvm.tex.{1d|2d}.array.level.v4{f32|s32|u32}.f32",
        "{B:f32|i32|i32}*4(i64*2,i32,f32*{A:1|2},f32)",
        "tex.level.a{A}.v4.{B}.f32 <d:4>, T[%0,%1<%2:{A:2|3}>], %{A:4|5}",
    ),
    (
        "llvm.nvvm.tex.{1d|2d}.array.grad.v4{f32|s32|u32}.f32",
        "{B:f32|i32|i32}*4(i64*2,i32,f32*{A:3|6})",
        "tex.grad.a{A}.v4.{B}.f32 <d:4>, T[%0,%1<%2:{A:2|3}>], <%{A:4:1|5:2}>, <%{A:5:1|7:2}>",
    ),
    (
        "llvm.nvvm.tex.cube.v4{f32|s32|u32}.f32",
        "{A:f32|i32|i32}*4(i64*2,f32*3)",
        "tex.cube.v4.{A}.f32 <d:4>, T[%0,%1<%2:3>]",
    ),
    (
        "llvm.nvvm.tex.cube.level.v4{f32|s32|u32}.f32",
        "{A:f32|i32|i32}*4(i64*2,f32*4)",
        "tex.level.cube.v4.{A}.f32 <d:4>, T[%0,%1<%2:3>], %5",
    ),
    (
        "llvm.nvvm.tex.cube.array.v4{f32|s32|u32}.f32",
        "{A:f32|i32|i32}*4(i64*2,i32,f32*3)",
        "tex.acube.v4.{A}.f32 <d:4>, T[%0,%1<%2:4>]",
    ),
    (
        "llvm.nvvm.tex.cube.array.level.v4{f32|s32|u32}.f32",
        "{A:f32|i32|i32}*4(i64*2,i32,f32*4)",
        "tex.level.acube.v4.{A}.f32 <d:4>, T[%0,%1<%2:4>], %6",
    ),
    (
        "llvm.nvvm.tld4.unified.{r|g|b|a}.2d.v4{f32|s32|u32}.f32",
        "{B:f32|i32|i32}*4(i64,f32*2)",
        "tld4.{A}.2d.v4.{B}.f32 <d:4>, T[%0<%1:2>]",
    ),
    (
        "llvm.nvvm.tld4.{r|g|b|a}.2d.v4{f32|s32|u32}.f32",
        "{B:f32|i32|i32}*4(i64*2,f32*2)",
        "tld4.{A}.2d.v4.{B}.f32 <d:4>, T[%0,%1<%2:2>]",
    ),
    (
        "llvm.nvvm.txq.{width|height|depth|channel.data.type|channel.order|array.size|num.samples|num.mipmap.levels}",
        "i32(i64)",
        "txq.{A:width|height|depth|channel_data_type|channel_order|array_size|num_samples|num_mipmap_levels}.b32 d, T[%0]",
    ),
    (
        "llvm.nvvm.suq.{width|height|depth|channel.data.type|channel.order|array.size}",
        "i32(i64)",
        "suq.{A:width|height|depth|channel_data_type|channel_order|array_size}.b32 d, T[%0]",
    ),
    ("llvm.nvvm.istypep.{texture|sampler|surface}", "i1(i64)", "istypep.{A:texref|samplerref|surfref} d, %0"),
    (
        "llvm.nvvm.suld.{1d|2d|3d}.i{8|16|32|64}.{clamp|trap|zero}",
        "{B:i16|i16|i32|i64}(i64,i32*{A:1|2|3})",
        "suld.b.{A}.b{B}.{C} <d:1>, T[%0<%1:{A:1|2|3}>]",
    ),
    (
        "llvm.nvvm.suld.{1d|2d|3d}.v2i{8|16|32|64}.{clamp|trap|zero}",
        "{B:i16|i16|i32|i64}*2(i64,i32*{A:1|2|3})",
        "suld.b.{A}.v2.b{B}.{C} <d:2>, T[%0<%1:{A:1|2|3}>]",
    ),
    (
        "llvm.nvvm.suld.{1d|2d|3d}.v4i{8|16|32}.{clamp|trap|zero}",
        "{B:i16|i16|i32}*4(i64,i32*{A:1|2|3})",
        "suld.b.{A}.v4.b{B}.{C} <d:4>, T[%0<%1:{A:1|2|3}>]",
    ),
    (
        "llvm.nvvm.suld.{1d|2d}.array.i{8|16|32|64}.{clamp|trap|zero}",
        "{B:i16|i16|i32|i64}(i64,i32*{A:2|3})",
        "suld.b.a{A}.b{B}.{C} <d:1>, T[%0<%1:{A:2|3}>]",
    ),
    (
        "llvm.nvvm.suld.{1d|2d}.array.v2i{8|16|32|64}.{clamp|trap|zero}",
        "{B:i16|i16|i32|i64}*2(i64,i32*{A:2|3})",
        "suld.b.a{A}.v2.b{B}.{C} <d:2>, T[%0<%1:{A:2|3}>]",
    ),
    (
        "llvm.nvvm.suld.{1d|2d}.array.v4i{8|16|32}.{clamp|trap|zero}",
        "{B:i16|i16|i32}*4(i64,i32*{A:2|3})",
        "suld.b.a{A}.v4.b{B}.{C} <d:4>, T[%0<%1:{A:2|3}>]",
    ),
    (
        "llvm.nvvm.sust.b.{1d|2d|3d}.i{8|16|32|64}.{clamp|trap|zero}",
        "void(i64,i32*{A:1|2|3},{B:i16|i16|i32|i64})",
        "sust.b.{A}.b{B}.{C} T[%0<%1:{A:1|2|3}>], <%{A:2|3|4}:1>",
    ),
    (
        "llvm.nvvm.sust.b.{1d|2d|3d}.v2i{8|16|32|64}.{clamp|trap|zero}",
        "void(i64,i32*{A:1|2|3},{B:i16|i16|i32|i64}*2)",
        "sust.b.{A}.v2.b{B}.{C} T[%0<%1:{A:1|2|3}>], <%{A:2|3|4}:2>",
    ),
    (
        "llvm.nvvm.sust.b.{1d|2d|3d}.v4i{8|16|32}.{clamp|trap|zero}",
        "void(i64,i32*{A:1|2|3},{B:i16|i16|i32}*4)",
        "sust.b.{A}.v4.b{B}.{C} T[%0<%1:{A:1|2|3}>], <%{A:2|3|4}:4>",
    ),
    (
        "llvm.nvvm.sust.b.{1d|2d}.array.i{8|16|32|64}.{clamp|trap|zero}",
        "void(i64,i32*{A:2|3},{B:i16|i16|i32|i64})",
        "sust.b.a{A}.b{B}.{C} T[%0<%1:{A:2|3}>], <%{A:3|4}:1>",
    ),
    (
        "llvm.nvvm.sust.b.{1d|2d}.array.v2i{8|16|32|64}.{clamp|trap|zero}",
        "void(i64,i32*{A:2|3},{B:i16|i16|i32|i64}*2)",
        "sust.b.a{A}.v2.b{B}.{C} T[%0<%1:{A:2|3}>], <%{A:3|4}:2>",
    ),
    (
        "llvm.nvvm.sust.b.{1d|2d}.array.v4i{8|16|32}.{clamp|trap|zero}",
        "void(i64,i32*{A:2|3},{B:i16|i16|i32}*4)",
        "sust.b.a{A}.v4.b{B}.{C} T[%0<%1:{A:2|3}>], <%{A:3|4}:4>",
    ),
    (
        "llvm.nvvm.sust.p.{1d|2d|3d}.i32.trap",
        "void(i64,i32*{A:1|2|3},i32)",
        "sust.p.{A}.b32.trap T[%0<%1:{A:1|2|3}>], <%{A:2|3|4}:1>",
    ),
    (
        "llvm.nvvm.sust.p.{1d|2d|3d}.v2i32.trap",
        "void(i64,i32*{A:1|2|3},i32*2)",
        "sust.p.{A}.v2.b32.trap T[%0<%1:{A:1|2|3}>], <%{A:2|3|4}:2>",
    ),
    (
        "llvm.nvvm.sust.p.{1d|2d|3d}.v4i32.trap",
        "void(i64,i32*{A:1|2|3},i32*4)",
        "sust.p.{A}.v4.b32.trap T[%0<%1:{A:1|2|3}>], <%{A:2|3|4}:4>",
    ),
    (
        "llvm.nvvm.sust.p.{1d|2d}.array.i32.trap",
        "void(i64,i32*{A:2|3},i32)",
        "sust.p.a{A}.b32.trap T[%0<%1:{A:2|3}>], <%{A:3|4}:1>",
    ),
    (
        "llvm.nvvm.sust.p.{1d|2d}.array.v2i32.trap",
        "void(i64,i32*{A:2|3},i32*2)",
        "sust.p.a{A}.v2.b32.trap T[%0<%1:{A:2|3}>], <%{A:3|4}:2>",
    ),
    (
        "llvm.nvvm.sust.p.{1d|2d}.array.v4i32.trap",
        "void(i64,i32*{A:2|3},i32*4)",
        "sust.p.a{A}.v4.b32.trap T[%0<%1:{A:2|3}>], <%{A:3|4}:4>",
    ),
];
