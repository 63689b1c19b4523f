; Integers of 37 bits: less than a register.
; What is wanted was computed by x86 code that llc made of the same function.
; RUN: raise -O0
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k block=8
; ARG: in x b64 = 0x0 0x0 0x43c0708c526cc44f 0xde0759e7653ac28f 0x0 0xffffffffffffffff 0xffffffffffffffff 0x103fee84088b26bc 0x10000000000 0x5df2b9897d4e3103 0xa52bd49e89d7d488 0xffffffffffffffff 0x3703f8adbfa97c59 0xdd7e2e20b29ba976 0x0 0xaa34995393a08e1d 0xffffffffffffffff 0x2cd2ce1205cf2ce4 0xffffffffffffffff 0xcb 0x9e32baba8ba269e3 0x100000000000000 0xb7 0x20
; ARG: out y b64[200]
; WANT: y = 0x0 0x0 0x0 0x0 0x0 0x0
; WANT: y = 0x0 0x25 0x25 0x0 0x0 0x0
; WANT: y = 0x0 0x0 0x0 0x0 0x0 0x0
; WANT: y = 0x0 0x0 0x0 0x0 0x0 0x0
; WANT: y = 0x0 0x7653ac28f 0x0 0x3b29d6147 0x1 0x3b29d6147
; WANT: y = 0x3b29d6147 0x13 0x2 0x0 0x1e286b94dc 0x7653ac28f
; WANT: y = 0x1000000000 0x0 0x7653ac28f 0x7653ac28f 0x7653ac28f 0xeca75851e
; WANT: y = 0xeca75851e 0x0 0x0 0x1 0x421d94eb0a3c0000 0x50eca758
; WANT: y = 0x421d94eb0a3c0000 0x50eca758 0x4088b26bb 0x1bf774d944 0x0 0x3c431f0cd
; WANT: y = 0x1fffffffff 0x1fffffffff 0x25 0x0 0x0 0x1fffffffff
; WANT: y = 0x1 0x4088b26bc 0x1fffffffff 0x1fffffffff 0x4088b26bb 0x1bf774d943
; WANT: y = 0x1fffffffff 0x1fffffffff 0x1bf774d944 0x0 0x1 0xbff0000000000000
; WANT: y = 0xbf800000 0x423fffffffff0000 0x52000000 0x80726058b 0xf16a58598 0x1ffffffffa
; WANT: y = 0x97d4e3103 0x4bea71881 0x4bea71881 0x11 0x1 0x0
; WANT: y = 0x18118e57d2 0x97d4e3103 0x1f44ebea44 0x1e89d7d488 0x1e89d7d488 0x80726058b
; WANT: y = 0x0 0xfffffffff 0x12fa9c6206 0xf16a58598 0x1 0xff
; WANT: y = 0x4222fa9c62060000 0x5117d4e3 0x4222fa9c62060000 0x5117d4e3 0xe724525cf 0x1167191206
; WANT: y = 0x13 0x7e1be897 0xdbfa97c59 0xdbfa97c59 0x17 0x1
; WANT: y = 0x0 0x1347d2bfb6 0xdbfa97c59 0xb29ba976 0xb29ba976 0xdbfa97c59
; WANT: y = 0xe724525cf 0xd0d0dd2e3 0xdbfa97c59 0xdbfa97c59 0x1167191206 0x1
; WANT: y = 0x1 0x422b7f52f8b20000 0x515bfa98 0x422b7f52f8b20000 0x515bfa98 0x1393a08e1c
; WANT: y = 0xc6c5f71e3 0xc6c5f71e3 0x1393a08e1d 0x1ffffffce4 0x4e4 0x11
; WANT: y = 0x0 0x0 0x170e20b939 0xc6c5f71e3 0x1d0470efff 0x1393a08e1d
; WANT: y = 0x1fffffffff 0x1393a08e1c 0x0 0x1000000000 0x1fffffffff 0xc6c5f71e3
; WANT: y = 0x0 0xff 0xc228d8bee3c60000 0xd146c5f7 0x423393a08e1d0000 0x519c9d04
; WANT: y = 0xca 0x1fffffff35 0x0 0x86 0x1fffffffff 0x3ffff
; WANT: y = 0x25 0x0 0x0 0x1fffffffff 0x1 0x1ffffc0000
; WANT: y = 0x1fffffffff 0x1fffffffff 0xca 0x1fffffff34 0x1ffff80000 0x1fffffffff
; WANT: y = 0x1fffffff35 0x0 0x1 0xbff0000000000000 0xbf800000 0x423fffffffff0000
; WANT: y = 0x52000000 0xb7 0x0 0x0 0x0 0x0
; WANT: y = 0x0 0x0 0x25 0x25 0x0 0x0
; WANT: y = 0x0 0x0 0xb7 0xb7 0x0 0x0
; WANT: y = 0x0 0x0 0x0 0xff 0x0 0x0
; WANT: y = 0x0 0x0
target triple = "nvptx64-nvidia-cuda"

declare i37 @llvm.ctpop.i37(i37)
declare i37 @llvm.ctlz.i37(i37, i1)
declare i37 @llvm.cttz.i37(i37, i1)
declare i37 @llvm.bitreverse.i37(i37)
declare i37 @llvm.abs.i37(i37, i1)
declare i37 @llvm.fshr.i37(i37, i37, i37)
declare i37 @llvm.smin.i37(i37, i37)
declare i37 @llvm.umax.i37(i37, i37)
declare i37 @llvm.sadd.sat.i37(i37, i37)
declare i37 @llvm.usub.sat.i37(i37, i37)
declare i37 @llvm.sshl.sat.i37(i37, i37)
declare i37 @llvm.ushl.sat.i37(i37, i37)
declare { i37, i1 } @llvm.smul.with.overflow.i37(i37, i37)
declare i8 @llvm.ucmp.i8.i37(i37, i37)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define void @f(ptr %in, ptr %out) #0 {
  %pa = getelementptr i64, ptr %in, i32 0
  %la = load i64, ptr %pa, align 8
  %a = trunc i64 %la to i37
  %pb = getelementptr i64, ptr %in, i32 1
  %lb = load i64, ptr %pb, align 8
  %b = trunc i64 %lb to i37
  %pc = getelementptr i64, ptr %in, i32 2
  %lc = load i64, ptr %pc, align 8
  %c = trunc i64 %lc to i37
  %v0 = add i37 %a, %b
  %z0 = zext i37 %v0 to i64
  %o0 = getelementptr i64, ptr %out, i32 0
  store i64 %z0, ptr %o0, align 8
  %v1 = mul i37 %a, %b
  %z1 = zext i37 %v1 to i64
  %o1 = getelementptr i64, ptr %out, i32 1
  store i64 %z1, ptr %o1, align 8
  %d2 = or i37 %b, 2
  %v2 = sdiv i37 %a, %d2
  %z2 = zext i37 %v2 to i64
  %o2 = getelementptr i64, ptr %out, i32 2
  store i64 %z2, ptr %o2, align 8
  %d3 = or i37 %b, 2
  %v3 = urem i37 %a, %d3
  %z3 = zext i37 %v3 to i64
  %o3 = getelementptr i64, ptr %out, i32 3
  store i64 %z3, ptr %o3, align 8
  %n4 = urem i37 %c, 37
  %v4 = ashr i37 %a, %n4
  %z4 = zext i37 %v4 to i64
  %o4 = getelementptr i64, ptr %out, i32 4
  store i64 %z4, ptr %o4, align 8
  %n5 = urem i37 %c, 37
  %v5 = lshr i37 %a, %n5
  %z5 = zext i37 %v5 to i64
  %o5 = getelementptr i64, ptr %out, i32 5
  store i64 %z5, ptr %o5, align 8
  %v6 = call i37 @llvm.ctpop.i37(i37 %a)
  %z6 = zext i37 %v6 to i64
  %o6 = getelementptr i64, ptr %out, i32 6
  store i64 %z6, ptr %o6, align 8
  %v7 = call i37 @llvm.ctlz.i37(i37 %a, i1 false)
  %z7 = zext i37 %v7 to i64
  %o7 = getelementptr i64, ptr %out, i32 7
  store i64 %z7, ptr %o7, align 8
  %v8 = call i37 @llvm.cttz.i37(i37 %a, i1 false)
  %z8 = zext i37 %v8 to i64
  %o8 = getelementptr i64, ptr %out, i32 8
  store i64 %z8, ptr %o8, align 8
  %v9 = call i37 @llvm.bitreverse.i37(i37 %a)
  %z9 = zext i37 %v9 to i64
  %o9 = getelementptr i64, ptr %out, i32 9
  store i64 %z9, ptr %o9, align 8
  %v10 = call i37 @llvm.abs.i37(i37 %a, i1 false)
  %z10 = zext i37 %v10 to i64
  %o10 = getelementptr i64, ptr %out, i32 10
  store i64 %z10, ptr %o10, align 8
  %v11 = call i37 @llvm.fshr.i37(i37 %a, i37 %b, i37 %c)
  %z11 = zext i37 %v11 to i64
  %o11 = getelementptr i64, ptr %out, i32 11
  store i64 %z11, ptr %o11, align 8
  %v12 = call i37 @llvm.smin.i37(i37 %a, i37 %b)
  %z12 = zext i37 %v12 to i64
  %o12 = getelementptr i64, ptr %out, i32 12
  store i64 %z12, ptr %o12, align 8
  %v13 = call i37 @llvm.umax.i37(i37 %a, i37 %b)
  %z13 = zext i37 %v13 to i64
  %o13 = getelementptr i64, ptr %out, i32 13
  store i64 %z13, ptr %o13, align 8
  %v14 = call i37 @llvm.sadd.sat.i37(i37 %a, i37 %b)
  %z14 = zext i37 %v14 to i64
  %o14 = getelementptr i64, ptr %out, i32 14
  store i64 %z14, ptr %o14, align 8
  %v15 = call i37 @llvm.usub.sat.i37(i37 %a, i37 %b)
  %z15 = zext i37 %v15 to i64
  %o15 = getelementptr i64, ptr %out, i32 15
  store i64 %z15, ptr %o15, align 8
  %n16 = urem i37 %c, 37
  %v16 = call i37 @llvm.sshl.sat.i37(i37 %a, i37 %n16)
  %z16 = zext i37 %v16 to i64
  %o16 = getelementptr i64, ptr %out, i32 16
  store i64 %z16, ptr %o16, align 8
  %n17 = urem i37 %c, 37
  %v17 = call i37 @llvm.ushl.sat.i37(i37 %a, i37 %n17)
  %z17 = zext i37 %v17 to i64
  %o17 = getelementptr i64, ptr %out, i32 17
  store i64 %z17, ptr %o17, align 8
  %v18 = call { i37, i1 } @llvm.smul.with.overflow.i37(i37 %a, i37 %b)
  %e18 = extractvalue { i37, i1 } %v18, 0
  %g18 = extractvalue { i37, i1 } %v18, 1
  %z18 = zext i37 %e18 to i64
  %o18 = getelementptr i64, ptr %out, i32 18
  store i64 %z18, ptr %o18, align 8
  %z19 = zext i1 %g18 to i64
  %o19 = getelementptr i64, ptr %out, i32 19
  store i64 %z19, ptr %o19, align 8
  %v19 = call i8 @llvm.ucmp.i8.i37(i37 %a, i37 %b)
  %z20 = zext i8 %v19 to i64
  %o20 = getelementptr i64, ptr %out, i32 20
  store i64 %z20, ptr %o20, align 8
  %v20 = sitofp i37 %a to double
  %i20 = bitcast double %v20 to i64
  %o21 = getelementptr i64, ptr %out, i32 21
  store i64 %i20, ptr %o21, align 8
  %v20f = sitofp i37 %a to float
  %i20f = bitcast float %v20f to i32
  %z22 = zext i32 %i20f to i64
  %o22 = getelementptr i64, ptr %out, i32 22
  store i64 %z22, ptr %o22, align 8
  %v21 = uitofp i37 %a to double
  %i21 = bitcast double %v21 to i64
  %o23 = getelementptr i64, ptr %out, i32 23
  store i64 %i21, ptr %o23, align 8
  %v21f = uitofp i37 %a to float
  %i21f = bitcast float %v21f to i32
  %z24 = zext i32 %i21f to i64
  %o24 = getelementptr i64, ptr %out, i32 24
  store i64 %z24, ptr %o24, align 8
  ret void
}

define ptx_kernel void @k(ptr %x, ptr %y) #1 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = mul i32 %t, 24
  %b = mul i32 %t, 200
  %p = getelementptr i8, ptr %x, i32 %a
  %q = getelementptr i8, ptr %y, i32 %b
  call void @f(ptr %p, ptr %q)
  ret void
}

attributes #0 = { noinline "target-cpu"="sm_80" "target-features"="+ptx80" }
attributes #1 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
