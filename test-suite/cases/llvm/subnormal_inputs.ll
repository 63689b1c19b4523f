; Modes of subnormal numbers, for outputs and for inputs (LangRef, denormal-fp-math): flushing outputs is allowed, and counting subnormal
; inputs as zeros is required. Inputs are chosen so that no output is subnormal unless the mode keeps those. What is wanted is computed in
; Python from the bits.
; RUN: raise -O0
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=ieee_of_ieee block=6
; ARG: in x b32 = 0x80400000 0x400000 0x7fffff 0x80000000 0x807fffff 0x800000
; ARG: in y b32 = 0x80400000 0x3f800000 0x800001 0x1 0x40000000 0x807ffffe
; ARG: out r b32[66]
; WANT: r = 0x80800000 0x0 0x0 0x0 0xb8000000 0x80000000 0xbf800000 0x94000000 0x94000000 0x1fb504f3 0x8040 0x3f800000 0x0 0x1 0x0 0x38000000 0x3f800000 0x0 0x14000000 0x14000000 0x1fb504f3 0x40 0x1000000 0x0 0x1 0xc0000000 0x380fffff 0x3f800000 0x0 0x147ffffe 0x147ffffe 0x1fffffff 0x80 0x1 0x1 0x1 0x0 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0x0 0x8000 0x40000000 0x0 0x1 0xc0000000 0xb80fffff 0x80000000 0xbf800000 0x947ffffe 0x947ffffe 0x1fffffff 0x8080 0x2 0x0 0x0 0x0 0x38100000 0x3f800000 0x0 0x14800000 0x14800000 0x20000000 0x80
; LAUNCH: entry=ieee_of_preserve_sign block=6
; ARG: in x b32 = 0x80400000 0x400000 0x7fffff 0x80000000 0x807fffff 0x800000
; ARG: in y b32 = 0x80400000 0x3f800000 0x800001 0x1 0x40000000 0x807ffffe
; ARG: out r b32[66]
; WANT: r = 0x80000000 0x1 0x0 0x0 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0x0 0x8000 0x3f800000 0x1 0x1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x800001 0x1 0x1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x1 0x0 0x0 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0x0 0x8000 0x40000000 0x1 0x1 0x0 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0x0 0x8000 0x800000 0x0 0x0 0x0 0x38100000 0x3f800000 0x0 0x14800000 0x14800000 0x20000000 0x80
; LAUNCH: entry=ieee_of_positive_zero block=6
; ARG: in x b32 = 0x80400000 0x400000 0x7fffff 0x80000000 0x807fffff 0x800000
; ARG: in y b32 = 0x80400000 0x3f800000 0x800001 0x1 0x40000000 0x807ffffe
; ARG: out r b32[66]
; WANT: r = 0x0 0x1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x3f800000 0x1 0x1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x800001 0x1 0x1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x1 0x0 0x0 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0x0 0x8000 0x40000000 0x1 0x1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x800000 0x0 0x0 0x0 0x38100000 0x3f800000 0x0 0x14800000 0x14800000 0x20000000 0x80
; LAUNCH: entry=preserve_sign_of_ieee block=4
; ARG: in x b32 = 0x80400000 0x400000 0x7fffff 0x807fffff
; ARG: in y b32 = 0x80400000 0x3f800000 0x800001 0x40000000
; ARG: out r b32[44]
; WANT: r = 0x80800000 0x0 0x0 0x0 0xb8000000 0x80000000 0xbf800000 0x94000000 0x94000000 0x1fb504f3 0x8040 0x3f800000 0x0 0x1 0x0 0x38000000 0x3f800000 0x0 0x14000000 0x14000000 0x1fb504f3 0x40 0x1000000 0x0 0x1 0xc0000000 0x380fffff 0x3f800000 0x0 0x147ffffe 0x147ffffe 0x1fffffff 0x80 0x40000000 0x0 0x1 0xc0000000 0xb80fffff 0x80000000 0xbf800000 0x947ffffe 0x947ffffe 0x1fffffff 0x8080
; LAUNCH: entry=preserve_sign_of_preserve_sign block=6
; ARG: in x b32 = 0x80400000 0x400000 0x7fffff 0x80000000 0x807fffff 0x800000
; ARG: in y b32 = 0x80400000 0x3f800000 0x800001 0x1 0x40000000 0x807ffffe
; ARG: out r b32[66]
; WANT: r = 0x80000000 0x1 0x0 0x0 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0x0 0x8000 0x3f800000 0x1 0x1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x800001 0x1 0x1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x1 0x0 0x0 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0x0 0x8000 0x40000000 0x1 0x1 0x0 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0x0 0x8000 0x800000 0x0 0x0 0x0 0x38100000 0x3f800000 0x0 0x14800000 0x14800000 0x20000000 0x80
; LAUNCH: entry=preserve_sign_of_positive_zero block=6
; ARG: in x b32 = 0x80400000 0x400000 0x7fffff 0x80000000 0x807fffff 0x800000
; ARG: in y b32 = 0x80400000 0x3f800000 0x800001 0x1 0x40000000 0x807ffffe
; ARG: out r b32[66]
; WANT: r = 0x0 0x1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x3f800000 0x1 0x1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x800001 0x1 0x1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x1 0x0 0x0 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0x0 0x8000 0x40000000 0x1 0x1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x800000 0x0 0x0 0x0 0x38100000 0x3f800000 0x0 0x14800000 0x14800000 0x20000000 0x80
; LAUNCH: entry=positive_zero_of_ieee block=4
; ARG: in x b32 = 0x80400000 0x400000 0x7fffff 0x807fffff
; ARG: in y b32 = 0x80400000 0x3f800000 0x800001 0x40000000
; ARG: out r b32[44]
; WANT: r = 0x80800000 0x0 0x0 0x0 0xb8000000 0x80000000 0xbf800000 0x94000000 0x94000000 0x1fb504f3 0x8040 0x3f800000 0x0 0x1 0x0 0x38000000 0x3f800000 0x0 0x14000000 0x14000000 0x1fb504f3 0x40 0x1000000 0x0 0x1 0xc0000000 0x380fffff 0x3f800000 0x0 0x147ffffe 0x147ffffe 0x1fffffff 0x80 0x40000000 0x0 0x1 0xc0000000 0xb80fffff 0x80000000 0xbf800000 0x947ffffe 0x947ffffe 0x1fffffff 0x8080
; LAUNCH: entry=positive_zero_of_preserve_sign block=6
; ARG: in x b32 = 0x80400000 0x400000 0x7fffff 0x80000000 0x807fffff 0x800000
; ARG: in y b32 = 0x80400000 0x3f800000 0x800001 0x1 0x40000000 0x807ffffe
; ARG: out r b32[66]
; WANT: r = 0x80000000 0x1 0x0 0x0 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0x0 0x8000 0x3f800000 0x1 0x1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x800001 0x1 0x1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x1 0x0 0x0 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0x0 0x8000 0x40000000 0x1 0x1 0x0 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0x0 0x8000 0x800000 0x0 0x0 0x0 0x38100000 0x3f800000 0x0 0x14800000 0x14800000 0x20000000 0x80
; LAUNCH: entry=positive_zero_of_positive_zero block=6
; ARG: in x b32 = 0x80400000 0x400000 0x7fffff 0x80000000 0x807fffff 0x800000
; ARG: in y b32 = 0x80400000 0x3f800000 0x800001 0x1 0x40000000 0x807ffffe
; ARG: out r b32[66]
; WANT: r = 0x0 0x1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x3f800000 0x1 0x1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x800001 0x1 0x1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x1 0x0 0x0 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0x0 0x8000 0x40000000 0x1 0x1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x800000 0x0 0x0 0x0 0x38100000 0x3f800000 0x0 0x14800000 0x14800000 0x20000000 0x80
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @ieee_of_ieee(ptr %xs, ptr %ys, ptr %rs) #0 {
  call void @body_ieee_of_ieee(ptr %xs, ptr %ys, ptr %rs)
  ret void
}

define internal void @body_ieee_of_ieee(ptr %xs, ptr %ys, ptr %rs) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr float, ptr %xs, i32 %t
  %py = getelementptr float, ptr %ys, i32 %t
  %pr = getelementptr [11 x i32], ptr %rs, i32 %t
  %x = load float, ptr %px
  %y = load float, ptr %py
  %sum = fadd float %x, %y
  store float %sum, ptr %pr
  %zero = fcmp oeq float %x, 0.0
  %z = zext i1 %zero to i32
  %pz = getelementptr i8, ptr %pr, i32 4
  store i32 %z, ptr %pz
  %less = fcmp olt float %x, %y
  %l = zext i1 %less to i32
  %pl = getelementptr i8, ptr %pr, i32 8
  store i32 %l, ptr %pl
  %wide = fpext float %x to double
  %pw = getelementptr i8, ptr %pr, i32 12
  store double %wide, ptr %pw, align 4
  %ceil = call float @llvm.ceil.f32(float %x)
  %pc = getelementptr i8, ptr %pr, i32 20
  store float %ceil, ptr %pc
  %floor = call float @llvm.floor.f32(float %x)
  %pf = getelementptr i8, ptr %pr, i32 24
  store float %floor, ptr %pf
  %scaled = call float @llvm.ldexp.f32.i32(float %x, i32 40)
  %ps = getelementptr i8, ptr %pr, i32 28
  store float %scaled, ptr %ps
  %product = fmul float %x, 1099511627776.0
  %pp = getelementptr i8, ptr %pr, i32 32
  store float %product, ptr %pp
  %abs = call float @llvm.fabs.f32(float %x)
  %root = call float @llvm.sqrt.f32(float %abs)
  %pq = getelementptr i8, ptr %pr, i32 36
  store float %root, ptr %pq
  %narrow = fptrunc float %x to bfloat
  %bits = bitcast bfloat %narrow to i16
  %b = zext i16 %bits to i32
  %pb = getelementptr i8, ptr %pr, i32 40
  store i32 %b, ptr %pb
  ret void
}

define ptx_kernel void @ieee_of_preserve_sign(ptr %xs, ptr %ys, ptr %rs) #1 {
  call void @body_ieee_of_preserve_sign(ptr %xs, ptr %ys, ptr %rs)
  ret void
}

define internal void @body_ieee_of_preserve_sign(ptr %xs, ptr %ys, ptr %rs) #1 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr float, ptr %xs, i32 %t
  %py = getelementptr float, ptr %ys, i32 %t
  %pr = getelementptr [11 x i32], ptr %rs, i32 %t
  %x = load float, ptr %px
  %y = load float, ptr %py
  %sum = fadd float %x, %y
  store float %sum, ptr %pr
  %zero = fcmp oeq float %x, 0.0
  %z = zext i1 %zero to i32
  %pz = getelementptr i8, ptr %pr, i32 4
  store i32 %z, ptr %pz
  %less = fcmp olt float %x, %y
  %l = zext i1 %less to i32
  %pl = getelementptr i8, ptr %pr, i32 8
  store i32 %l, ptr %pl
  %wide = fpext float %x to double
  %pw = getelementptr i8, ptr %pr, i32 12
  store double %wide, ptr %pw, align 4
  %ceil = call float @llvm.ceil.f32(float %x)
  %pc = getelementptr i8, ptr %pr, i32 20
  store float %ceil, ptr %pc
  %floor = call float @llvm.floor.f32(float %x)
  %pf = getelementptr i8, ptr %pr, i32 24
  store float %floor, ptr %pf
  %scaled = call float @llvm.ldexp.f32.i32(float %x, i32 40)
  %ps = getelementptr i8, ptr %pr, i32 28
  store float %scaled, ptr %ps
  %product = fmul float %x, 1099511627776.0
  %pp = getelementptr i8, ptr %pr, i32 32
  store float %product, ptr %pp
  %abs = call float @llvm.fabs.f32(float %x)
  %root = call float @llvm.sqrt.f32(float %abs)
  %pq = getelementptr i8, ptr %pr, i32 36
  store float %root, ptr %pq
  %narrow = fptrunc float %x to bfloat
  %bits = bitcast bfloat %narrow to i16
  %b = zext i16 %bits to i32
  %pb = getelementptr i8, ptr %pr, i32 40
  store i32 %b, ptr %pb
  ret void
}

define ptx_kernel void @ieee_of_positive_zero(ptr %xs, ptr %ys, ptr %rs) #2 {
  call void @body_ieee_of_positive_zero(ptr %xs, ptr %ys, ptr %rs)
  ret void
}

define internal void @body_ieee_of_positive_zero(ptr %xs, ptr %ys, ptr %rs) #2 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr float, ptr %xs, i32 %t
  %py = getelementptr float, ptr %ys, i32 %t
  %pr = getelementptr [11 x i32], ptr %rs, i32 %t
  %x = load float, ptr %px
  %y = load float, ptr %py
  %sum = fadd float %x, %y
  store float %sum, ptr %pr
  %zero = fcmp oeq float %x, 0.0
  %z = zext i1 %zero to i32
  %pz = getelementptr i8, ptr %pr, i32 4
  store i32 %z, ptr %pz
  %less = fcmp olt float %x, %y
  %l = zext i1 %less to i32
  %pl = getelementptr i8, ptr %pr, i32 8
  store i32 %l, ptr %pl
  %wide = fpext float %x to double
  %pw = getelementptr i8, ptr %pr, i32 12
  store double %wide, ptr %pw, align 4
  %ceil = call float @llvm.ceil.f32(float %x)
  %pc = getelementptr i8, ptr %pr, i32 20
  store float %ceil, ptr %pc
  %floor = call float @llvm.floor.f32(float %x)
  %pf = getelementptr i8, ptr %pr, i32 24
  store float %floor, ptr %pf
  %scaled = call float @llvm.ldexp.f32.i32(float %x, i32 40)
  %ps = getelementptr i8, ptr %pr, i32 28
  store float %scaled, ptr %ps
  %product = fmul float %x, 1099511627776.0
  %pp = getelementptr i8, ptr %pr, i32 32
  store float %product, ptr %pp
  %abs = call float @llvm.fabs.f32(float %x)
  %root = call float @llvm.sqrt.f32(float %abs)
  %pq = getelementptr i8, ptr %pr, i32 36
  store float %root, ptr %pq
  %narrow = fptrunc float %x to bfloat
  %bits = bitcast bfloat %narrow to i16
  %b = zext i16 %bits to i32
  %pb = getelementptr i8, ptr %pr, i32 40
  store i32 %b, ptr %pb
  ret void
}

define ptx_kernel void @preserve_sign_of_ieee(ptr %xs, ptr %ys, ptr %rs) #3 {
  call void @body_preserve_sign_of_ieee(ptr %xs, ptr %ys, ptr %rs)
  ret void
}

define internal void @body_preserve_sign_of_ieee(ptr %xs, ptr %ys, ptr %rs) #3 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr float, ptr %xs, i32 %t
  %py = getelementptr float, ptr %ys, i32 %t
  %pr = getelementptr [11 x i32], ptr %rs, i32 %t
  %x = load float, ptr %px
  %y = load float, ptr %py
  %sum = fadd float %x, %y
  store float %sum, ptr %pr
  %zero = fcmp oeq float %x, 0.0
  %z = zext i1 %zero to i32
  %pz = getelementptr i8, ptr %pr, i32 4
  store i32 %z, ptr %pz
  %less = fcmp olt float %x, %y
  %l = zext i1 %less to i32
  %pl = getelementptr i8, ptr %pr, i32 8
  store i32 %l, ptr %pl
  %wide = fpext float %x to double
  %pw = getelementptr i8, ptr %pr, i32 12
  store double %wide, ptr %pw, align 4
  %ceil = call float @llvm.ceil.f32(float %x)
  %pc = getelementptr i8, ptr %pr, i32 20
  store float %ceil, ptr %pc
  %floor = call float @llvm.floor.f32(float %x)
  %pf = getelementptr i8, ptr %pr, i32 24
  store float %floor, ptr %pf
  %scaled = call float @llvm.ldexp.f32.i32(float %x, i32 40)
  %ps = getelementptr i8, ptr %pr, i32 28
  store float %scaled, ptr %ps
  %product = fmul float %x, 1099511627776.0
  %pp = getelementptr i8, ptr %pr, i32 32
  store float %product, ptr %pp
  %abs = call float @llvm.fabs.f32(float %x)
  %root = call float @llvm.sqrt.f32(float %abs)
  %pq = getelementptr i8, ptr %pr, i32 36
  store float %root, ptr %pq
  %narrow = fptrunc float %x to bfloat
  %bits = bitcast bfloat %narrow to i16
  %b = zext i16 %bits to i32
  %pb = getelementptr i8, ptr %pr, i32 40
  store i32 %b, ptr %pb
  ret void
}

define ptx_kernel void @preserve_sign_of_preserve_sign(ptr %xs, ptr %ys, ptr %rs) #4 {
  call void @body_preserve_sign_of_preserve_sign(ptr %xs, ptr %ys, ptr %rs)
  ret void
}

define internal void @body_preserve_sign_of_preserve_sign(ptr %xs, ptr %ys, ptr %rs) #4 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr float, ptr %xs, i32 %t
  %py = getelementptr float, ptr %ys, i32 %t
  %pr = getelementptr [11 x i32], ptr %rs, i32 %t
  %x = load float, ptr %px
  %y = load float, ptr %py
  %sum = fadd float %x, %y
  store float %sum, ptr %pr
  %zero = fcmp oeq float %x, 0.0
  %z = zext i1 %zero to i32
  %pz = getelementptr i8, ptr %pr, i32 4
  store i32 %z, ptr %pz
  %less = fcmp olt float %x, %y
  %l = zext i1 %less to i32
  %pl = getelementptr i8, ptr %pr, i32 8
  store i32 %l, ptr %pl
  %wide = fpext float %x to double
  %pw = getelementptr i8, ptr %pr, i32 12
  store double %wide, ptr %pw, align 4
  %ceil = call float @llvm.ceil.f32(float %x)
  %pc = getelementptr i8, ptr %pr, i32 20
  store float %ceil, ptr %pc
  %floor = call float @llvm.floor.f32(float %x)
  %pf = getelementptr i8, ptr %pr, i32 24
  store float %floor, ptr %pf
  %scaled = call float @llvm.ldexp.f32.i32(float %x, i32 40)
  %ps = getelementptr i8, ptr %pr, i32 28
  store float %scaled, ptr %ps
  %product = fmul float %x, 1099511627776.0
  %pp = getelementptr i8, ptr %pr, i32 32
  store float %product, ptr %pp
  %abs = call float @llvm.fabs.f32(float %x)
  %root = call float @llvm.sqrt.f32(float %abs)
  %pq = getelementptr i8, ptr %pr, i32 36
  store float %root, ptr %pq
  %narrow = fptrunc float %x to bfloat
  %bits = bitcast bfloat %narrow to i16
  %b = zext i16 %bits to i32
  %pb = getelementptr i8, ptr %pr, i32 40
  store i32 %b, ptr %pb
  ret void
}

define ptx_kernel void @preserve_sign_of_positive_zero(ptr %xs, ptr %ys, ptr %rs) #5 {
  call void @body_preserve_sign_of_positive_zero(ptr %xs, ptr %ys, ptr %rs)
  ret void
}

define internal void @body_preserve_sign_of_positive_zero(ptr %xs, ptr %ys, ptr %rs) #5 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr float, ptr %xs, i32 %t
  %py = getelementptr float, ptr %ys, i32 %t
  %pr = getelementptr [11 x i32], ptr %rs, i32 %t
  %x = load float, ptr %px
  %y = load float, ptr %py
  %sum = fadd float %x, %y
  store float %sum, ptr %pr
  %zero = fcmp oeq float %x, 0.0
  %z = zext i1 %zero to i32
  %pz = getelementptr i8, ptr %pr, i32 4
  store i32 %z, ptr %pz
  %less = fcmp olt float %x, %y
  %l = zext i1 %less to i32
  %pl = getelementptr i8, ptr %pr, i32 8
  store i32 %l, ptr %pl
  %wide = fpext float %x to double
  %pw = getelementptr i8, ptr %pr, i32 12
  store double %wide, ptr %pw, align 4
  %ceil = call float @llvm.ceil.f32(float %x)
  %pc = getelementptr i8, ptr %pr, i32 20
  store float %ceil, ptr %pc
  %floor = call float @llvm.floor.f32(float %x)
  %pf = getelementptr i8, ptr %pr, i32 24
  store float %floor, ptr %pf
  %scaled = call float @llvm.ldexp.f32.i32(float %x, i32 40)
  %ps = getelementptr i8, ptr %pr, i32 28
  store float %scaled, ptr %ps
  %product = fmul float %x, 1099511627776.0
  %pp = getelementptr i8, ptr %pr, i32 32
  store float %product, ptr %pp
  %abs = call float @llvm.fabs.f32(float %x)
  %root = call float @llvm.sqrt.f32(float %abs)
  %pq = getelementptr i8, ptr %pr, i32 36
  store float %root, ptr %pq
  %narrow = fptrunc float %x to bfloat
  %bits = bitcast bfloat %narrow to i16
  %b = zext i16 %bits to i32
  %pb = getelementptr i8, ptr %pr, i32 40
  store i32 %b, ptr %pb
  ret void
}

define ptx_kernel void @positive_zero_of_ieee(ptr %xs, ptr %ys, ptr %rs) #6 {
  call void @body_positive_zero_of_ieee(ptr %xs, ptr %ys, ptr %rs)
  ret void
}

define internal void @body_positive_zero_of_ieee(ptr %xs, ptr %ys, ptr %rs) #6 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr float, ptr %xs, i32 %t
  %py = getelementptr float, ptr %ys, i32 %t
  %pr = getelementptr [11 x i32], ptr %rs, i32 %t
  %x = load float, ptr %px
  %y = load float, ptr %py
  %sum = fadd float %x, %y
  store float %sum, ptr %pr
  %zero = fcmp oeq float %x, 0.0
  %z = zext i1 %zero to i32
  %pz = getelementptr i8, ptr %pr, i32 4
  store i32 %z, ptr %pz
  %less = fcmp olt float %x, %y
  %l = zext i1 %less to i32
  %pl = getelementptr i8, ptr %pr, i32 8
  store i32 %l, ptr %pl
  %wide = fpext float %x to double
  %pw = getelementptr i8, ptr %pr, i32 12
  store double %wide, ptr %pw, align 4
  %ceil = call float @llvm.ceil.f32(float %x)
  %pc = getelementptr i8, ptr %pr, i32 20
  store float %ceil, ptr %pc
  %floor = call float @llvm.floor.f32(float %x)
  %pf = getelementptr i8, ptr %pr, i32 24
  store float %floor, ptr %pf
  %scaled = call float @llvm.ldexp.f32.i32(float %x, i32 40)
  %ps = getelementptr i8, ptr %pr, i32 28
  store float %scaled, ptr %ps
  %product = fmul float %x, 1099511627776.0
  %pp = getelementptr i8, ptr %pr, i32 32
  store float %product, ptr %pp
  %abs = call float @llvm.fabs.f32(float %x)
  %root = call float @llvm.sqrt.f32(float %abs)
  %pq = getelementptr i8, ptr %pr, i32 36
  store float %root, ptr %pq
  %narrow = fptrunc float %x to bfloat
  %bits = bitcast bfloat %narrow to i16
  %b = zext i16 %bits to i32
  %pb = getelementptr i8, ptr %pr, i32 40
  store i32 %b, ptr %pb
  ret void
}

define ptx_kernel void @positive_zero_of_preserve_sign(ptr %xs, ptr %ys, ptr %rs) #7 {
  call void @body_positive_zero_of_preserve_sign(ptr %xs, ptr %ys, ptr %rs)
  ret void
}

define internal void @body_positive_zero_of_preserve_sign(ptr %xs, ptr %ys, ptr %rs) #7 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr float, ptr %xs, i32 %t
  %py = getelementptr float, ptr %ys, i32 %t
  %pr = getelementptr [11 x i32], ptr %rs, i32 %t
  %x = load float, ptr %px
  %y = load float, ptr %py
  %sum = fadd float %x, %y
  store float %sum, ptr %pr
  %zero = fcmp oeq float %x, 0.0
  %z = zext i1 %zero to i32
  %pz = getelementptr i8, ptr %pr, i32 4
  store i32 %z, ptr %pz
  %less = fcmp olt float %x, %y
  %l = zext i1 %less to i32
  %pl = getelementptr i8, ptr %pr, i32 8
  store i32 %l, ptr %pl
  %wide = fpext float %x to double
  %pw = getelementptr i8, ptr %pr, i32 12
  store double %wide, ptr %pw, align 4
  %ceil = call float @llvm.ceil.f32(float %x)
  %pc = getelementptr i8, ptr %pr, i32 20
  store float %ceil, ptr %pc
  %floor = call float @llvm.floor.f32(float %x)
  %pf = getelementptr i8, ptr %pr, i32 24
  store float %floor, ptr %pf
  %scaled = call float @llvm.ldexp.f32.i32(float %x, i32 40)
  %ps = getelementptr i8, ptr %pr, i32 28
  store float %scaled, ptr %ps
  %product = fmul float %x, 1099511627776.0
  %pp = getelementptr i8, ptr %pr, i32 32
  store float %product, ptr %pp
  %abs = call float @llvm.fabs.f32(float %x)
  %root = call float @llvm.sqrt.f32(float %abs)
  %pq = getelementptr i8, ptr %pr, i32 36
  store float %root, ptr %pq
  %narrow = fptrunc float %x to bfloat
  %bits = bitcast bfloat %narrow to i16
  %b = zext i16 %bits to i32
  %pb = getelementptr i8, ptr %pr, i32 40
  store i32 %b, ptr %pb
  ret void
}

define ptx_kernel void @positive_zero_of_positive_zero(ptr %xs, ptr %ys, ptr %rs) #8 {
  call void @body_positive_zero_of_positive_zero(ptr %xs, ptr %ys, ptr %rs)
  ret void
}

define internal void @body_positive_zero_of_positive_zero(ptr %xs, ptr %ys, ptr %rs) #8 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr float, ptr %xs, i32 %t
  %py = getelementptr float, ptr %ys, i32 %t
  %pr = getelementptr [11 x i32], ptr %rs, i32 %t
  %x = load float, ptr %px
  %y = load float, ptr %py
  %sum = fadd float %x, %y
  store float %sum, ptr %pr
  %zero = fcmp oeq float %x, 0.0
  %z = zext i1 %zero to i32
  %pz = getelementptr i8, ptr %pr, i32 4
  store i32 %z, ptr %pz
  %less = fcmp olt float %x, %y
  %l = zext i1 %less to i32
  %pl = getelementptr i8, ptr %pr, i32 8
  store i32 %l, ptr %pl
  %wide = fpext float %x to double
  %pw = getelementptr i8, ptr %pr, i32 12
  store double %wide, ptr %pw, align 4
  %ceil = call float @llvm.ceil.f32(float %x)
  %pc = getelementptr i8, ptr %pr, i32 20
  store float %ceil, ptr %pc
  %floor = call float @llvm.floor.f32(float %x)
  %pf = getelementptr i8, ptr %pr, i32 24
  store float %floor, ptr %pf
  %scaled = call float @llvm.ldexp.f32.i32(float %x, i32 40)
  %ps = getelementptr i8, ptr %pr, i32 28
  store float %scaled, ptr %ps
  %product = fmul float %x, 1099511627776.0
  %pp = getelementptr i8, ptr %pr, i32 32
  store float %product, ptr %pp
  %abs = call float @llvm.fabs.f32(float %x)
  %root = call float @llvm.sqrt.f32(float %abs)
  %pq = getelementptr i8, ptr %pr, i32 36
  store float %root, ptr %pq
  %narrow = fptrunc float %x to bfloat
  %bits = bitcast bfloat %narrow to i16
  %b = zext i16 %bits to i32
  %pb = getelementptr i8, ptr %pr, i32 40
  store i32 %b, ptr %pb
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.ceil.f32(float)
declare float @llvm.floor.f32(float)
declare float @llvm.ldexp.f32.i32(float, i32)
declare float @llvm.fabs.f32(float)
declare float @llvm.sqrt.f32(float)

attributes #0 = { "denormal-fp-math-f32"="ieee,ieee" }
attributes #1 = { "denormal-fp-math-f32"="ieee,preserve-sign" }
attributes #2 = { "denormal-fp-math-f32"="ieee,positive-zero" }
attributes #3 = { "denormal-fp-math-f32"="preserve-sign,ieee" }
attributes #4 = { "denormal-fp-math-f32"="preserve-sign,preserve-sign" }
attributes #5 = { "denormal-fp-math-f32"="preserve-sign,positive-zero" }
attributes #6 = { "denormal-fp-math-f32"="positive-zero,ieee" }
attributes #7 = { "denormal-fp-math-f32"="positive-zero,preserve-sign" }
attributes #8 = { "denormal-fp-math-f32"="positive-zero,positive-zero" }
