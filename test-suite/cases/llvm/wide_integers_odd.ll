; Integers of 65 bits: one more than a register.
; What is wanted was computed by x86 code that llc made of the same function.
; RUN: raise -O0
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k block=8
; ARG: in x b64 = 0x400 0x3588248193374233 0x7153b4d4c8d77913 0x0 0x702e92242edc2eaa 0x2524ffb73a64e8d 0x9e8ae7abcb831c1d 0xc6908fd92f36dc1b 0xffffffffffffffff 0x9fd86d5d39cb643 0xe03bca363053d5da 0xbd81a0aae597e7f2 0x7880d83e0f1d1339 0x0 0x0 0x0 0x89d4dc77dc897388 0x4bc500a630ddc94e 0xb1bf0033be0fe4f5 0x79f348c136b52376 0x200 0x4268209e4a8a710 0xf28eb48cbe073956 0x12 0x8ecd40d2c026eea3 0x3c 0xec 0xe 0xc5 0xbaaa55a481d526b5 0xffffffffffffffff 0x0 0xf 0x1000000000 0x9a 0x44b0312bcbd1d76 0xe723abba58ad4787 0x0 0x7b5c6ce98c6bff36 0x0 0x732102645f1029a2 0xa6 0x0 0x2e 0x87ea0473aca56003 0xffffffffffffffff 0xafaab7b308c09f86 0x351591d01fc75145
; ARG: out y b64[304]
; WANT: y = 0x7153b4d4c8d77d13 0x1 0x4ed353235de44c00 0x0 0xfffffffffffffffe 0x1
; WANT: y = 0xfffffff000000000 0x1 0x2 0x0 0x0 0x0
; WANT: y = 0xa 0x0 0x40000000000001 0x0 0xfffffffffffffc00 0x0
; WANT: y = 0x40038a9da6 0x0 0x400 0x1 0x400 0x1
; WANT: y = 0x7153b4d4c8d77d13 0x1 0x8eac4b2b37288aed 0x0 0x0 0x1
; WANT: y = 0x4ed353235de44c00 0x0 0x1 0xff 0xc3f0000000000000 0xdf800000
; WANT: y = 0x280000 0x0 0x9e8ae7abcb831c1c 0x1 0x61751854347ce3e3 0x0
; WANT: y = 0x61751854347ce3e3 0x0 0xfffffffffffffffc 0x1 0x23 0x0
; WANT: y = 0x0 0x0 0x0 0x0 0x707183a7abcea2f3 0x1
; WANT: y = 0x61751854347ce3e3 0x0 0xbfffffffffffffff 0x1 0x9e8ae7abcb831c1d 0x1
; WANT: y = 0xffffffffffffffff 0x1 0x9e8ae7abcb831c1c 0x1 0x0 0x0
; WANT: y = 0x0 0x1 0x61751854347ce3e3 0x0 0x0 0xff
; WANT: y = 0xc3d85d46150d1f39 0xdec2ea31 0xfffffffffffe0000 0x1 0x7880d83e0f1d1339 0x0
; WANT: y = 0x0 0x0 0x3c406c1f078e899c 0x0 0xf10 0x0
; WANT: y = 0x1d 0x0 0x2 0x0 0x0 0x0
; WANT: y = 0x399171e0f836023c 0x1 0x7880d83e0f1d1339 0x0 0x99c8000000000000 0x0
; WANT: y = 0x0 0x0 0x7880d83e0f1d1339 0x0 0x7880d83e0f1d1339 0x0
; WANT: y = 0x7880d83e0f1d1339 0x0 0xffffffffffffffff 0x0 0x0 0x0
; WANT: y = 0x0 0x1 0x43de20360f83c745 0x5ef101b0 0x0 0x0
; WANT: y = 0xb1bf0033be0fe6f5 0x0 0x7e00677c1fc9ea00 0x1 0x5886f920be49a8 0x0
; WANT: y = 0x58df8019d 0x0 0x23 0x0 0x1 0x0
; WANT: y = 0x0 0x0 0x5e4fe0fb9801fb1a 0x1 0xb1bf0033be0fe4f5 0x0
; WANT: y = 0x77c1fc9ea0000000 0x0 0x200 0x0 0xb1bf0033be0fe4f5 0x0
; WANT: y = 0xb1bf0033be0fe6f5 0x0 0xb1bf0033be0fe2f5 0x0 0xffffffffffffffff 0x0
; WANT: y = 0x7e00677c1fc9ea00 0x1 0x1 0x1 0x43e637e00677c1fd 0x5f31bf00
; WANT: y = 0x0 0x0 0x8ecd40d2c026ef8f 0x0 0xa537c24923e3fe44 0x1
; WANT: y = 0x999a1665eaa6a6 0x0 0x23b35034b009 0x0 0x1d 0x0
; WANT: y = 0x1 0x0 0x0 0x0 0x8aeec806960566e2 0x1
; WANT: y = 0x8ecd40d2c026eea3 0x0 0x34b009bba8c0000 0x1 0xec 0x0
; WANT: y = 0x8ecd40d2c026eea3 0x0 0x8ecd40d2c026ef8f 0x0 0x8ecd40d2c026edb7 0x0
; WANT: y = 0xffffffffffffffff 0x0 0xa537c24923e3fe44 0x1 0x1 0x1
; WANT: y = 0x43e1d9a81a5804de 0x5f0ecd41 0xffffffffffd80000 0x1 0xe 0x1
; WANT: y = 0xfffffffffffffff1 0x0 0x1111111111111111 0x0 0xffffffffff 0x0
; WANT: y = 0x40 0x0 0x1 0x0 0x0 0x0
; WANT: y = 0xfffffffffffffffe 0x1 0xffffffffffffffff 0x0 0xffffffffff000000 0x1
; WANT: y = 0xf 0x0 0xffffffffffffffff 0x0 0xffffffffffffffff 0x0
; WANT: y = 0xfffffffffffffff0 0x0 0xffffffffffffffff 0x0 0xfffffffffffffff1 0x0
; WANT: y = 0x1 0x1 0x43f0000000000000 0x5f800000 0x1e0000 0x0
; WANT: y = 0x628018a3e51946bd 0x1 0x5a5db90d08398f7a 0x1 0x1 0x0
; WANT: y = 0x7391d5dd2c56a3 0x0 0x23 0x0 0x1 0x0
; WANT: y = 0x0 0x0 0xc3c56a34bbab89ce 0x1 0xe723abba58ad4787 0x0
; WANT: y = 0x475774b15a8f0e7b 0x0 0x7b5c6ce98c6bff36 0x0 0xe723abba58ad4787 0x0
; WANT: y = 0xffffffffffffffff 0x0 0x6bc73ed0cc414851 0x0 0xffffffffffffffff 0x0
; WANT: y = 0x5a5db90d08398f7a 0x1 0x1 0x1 0x43ece475774b15a9 0x5f6723ac
; WANT: y = 0x700000 0x0 0x87ea0473aca56003 0x1 0x0 0x0
; WANT: y = 0x0 0x0 0x0 0x0 0x0 0x0
; WANT: y = 0x41 0x0 0x41 0x0 0x0 0x0
; WANT: y = 0x0 0x0 0x61fa811ceb295 0x0 0x87ea0473aca56003 0x1
; WANT: y = 0x87ea0473aca56003 0x1 0x87ea0473aca56003 0x1 0x0 0x0
; WANT: y = 0x0 0x0 0x0 0x0 0x0 0x1
; WANT: y = 0x0 0x0 0x60000 0x0
target triple = "nvptx64-nvidia-cuda"

declare i65 @llvm.ctpop.i65(i65)
declare i65 @llvm.ctlz.i65(i65, i1)
declare i65 @llvm.cttz.i65(i65, i1)
declare i65 @llvm.bitreverse.i65(i65)
declare i65 @llvm.abs.i65(i65, i1)
declare i65 @llvm.fshl.i65(i65, i65, i65)
declare i65 @llvm.smin.i65(i65, i65)
declare i65 @llvm.umax.i65(i65, i65)
declare i65 @llvm.sadd.sat.i65(i65, i65)
declare i65 @llvm.usub.sat.i65(i65, i65)
declare i65 @llvm.sshl.sat.i65(i65, i65)
declare { i65, i1 } @llvm.smul.with.overflow.i65(i65, i65)
declare i8 @llvm.scmp.i8.i65(i65, i65)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define void @f(ptr %in, ptr %out) #0 {
  %pa = getelementptr i64, ptr %in, i32 0
  %la = load i128, ptr %pa, align 8
  %a = trunc i128 %la to i65
  %pb = getelementptr i64, ptr %in, i32 2
  %lb = load i128, ptr %pb, align 8
  %b = trunc i128 %lb to i65
  %pc = getelementptr i64, ptr %in, i32 4
  %lc = load i128, ptr %pc, align 8
  %c = trunc i128 %lc to i65
  %v0 = add i65 %a, %b
  %z0 = zext i65 %v0 to i128
  %o0 = getelementptr i64, ptr %out, i32 0
  store i128 %z0, ptr %o0, align 8
  %v1 = mul i65 %a, %b
  %z2 = zext i65 %v1 to i128
  %o2 = getelementptr i64, ptr %out, i32 2
  store i128 %z2, ptr %o2, align 8
  %d2 = or i65 %b, 2
  %v2 = sdiv i65 %a, %d2
  %z4 = zext i65 %v2 to i128
  %o4 = getelementptr i64, ptr %out, i32 4
  store i128 %z4, ptr %o4, align 8
  %n3 = urem i65 %c, 65
  %v3 = ashr i65 %a, %n3
  %z6 = zext i65 %v3 to i128
  %o6 = getelementptr i64, ptr %out, i32 6
  store i128 %z6, ptr %o6, align 8
  %v4 = call i65 @llvm.ctpop.i65(i65 %a)
  %z8 = zext i65 %v4 to i128
  %o8 = getelementptr i64, ptr %out, i32 8
  store i128 %z8, ptr %o8, align 8
  %v5 = call i65 @llvm.ctlz.i65(i65 %a, i1 false)
  %z10 = zext i65 %v5 to i128
  %o10 = getelementptr i64, ptr %out, i32 10
  store i128 %z10, ptr %o10, align 8
  %v6 = call i65 @llvm.cttz.i65(i65 %a, i1 false)
  %z12 = zext i65 %v6 to i128
  %o12 = getelementptr i64, ptr %out, i32 12
  store i128 %z12, ptr %o12, align 8
  %v7 = call i65 @llvm.bitreverse.i65(i65 %a)
  %z14 = zext i65 %v7 to i128
  %o14 = getelementptr i64, ptr %out, i32 14
  store i128 %z14, ptr %o14, align 8
  %v8 = call i65 @llvm.abs.i65(i65 %a, i1 false)
  %z16 = zext i65 %v8 to i128
  %o16 = getelementptr i64, ptr %out, i32 16
  store i128 %z16, ptr %o16, align 8
  %v9 = call i65 @llvm.fshl.i65(i65 %a, i65 %b, i65 %c)
  %z18 = zext i65 %v9 to i128
  %o18 = getelementptr i64, ptr %out, i32 18
  store i128 %z18, ptr %o18, align 8
  %v10 = call i65 @llvm.smin.i65(i65 %a, i65 %b)
  %z20 = zext i65 %v10 to i128
  %o20 = getelementptr i64, ptr %out, i32 20
  store i128 %z20, ptr %o20, align 8
  %v11 = call i65 @llvm.umax.i65(i65 %a, i65 %b)
  %z22 = zext i65 %v11 to i128
  %o22 = getelementptr i64, ptr %out, i32 22
  store i128 %z22, ptr %o22, align 8
  %v12 = call i65 @llvm.sadd.sat.i65(i65 %a, i65 %b)
  %z24 = zext i65 %v12 to i128
  %o24 = getelementptr i64, ptr %out, i32 24
  store i128 %z24, ptr %o24, align 8
  %v13 = call i65 @llvm.usub.sat.i65(i65 %a, i65 %b)
  %z26 = zext i65 %v13 to i128
  %o26 = getelementptr i64, ptr %out, i32 26
  store i128 %z26, ptr %o26, align 8
  %n14 = urem i65 %c, 65
  %v14 = call i65 @llvm.sshl.sat.i65(i65 %a, i65 %n14)
  %z28 = zext i65 %v14 to i128
  %o28 = getelementptr i64, ptr %out, i32 28
  store i128 %z28, ptr %o28, align 8
  %v15 = call { i65, i1 } @llvm.smul.with.overflow.i65(i65 %a, i65 %b)
  %e15 = extractvalue { i65, i1 } %v15, 0
  %g15 = extractvalue { i65, i1 } %v15, 1
  %z30 = zext i65 %e15 to i128
  %o30 = getelementptr i64, ptr %out, i32 30
  store i128 %z30, ptr %o30, align 8
  %z32 = zext i1 %g15 to i64
  %o32 = getelementptr i64, ptr %out, i32 32
  store i64 %z32, ptr %o32, align 8
  %v16 = call i8 @llvm.scmp.i8.i65(i65 %a, i65 %b)
  %z33 = zext i8 %v16 to i64
  %o33 = getelementptr i64, ptr %out, i32 33
  store i64 %z33, ptr %o33, align 8
  %v17 = sitofp i65 %a to double
  %i17 = bitcast double %v17 to i64
  %o34 = getelementptr i64, ptr %out, i32 34
  store i64 %i17, ptr %o34, align 8
  %v17f = sitofp i65 %a to float
  %i17f = bitcast float %v17f to i32
  %z35 = zext i32 %i17f to i64
  %o35 = getelementptr i64, ptr %out, i32 35
  store i64 %z35, ptr %o35, align 8
  %m18 = trunc i65 %b to i8
  %y18 = sitofp i8 %m18 to double
  %x18 = fmul double %y18, 0x4410000000000008
  %v18 = fptosi double %x18 to i65
  %z36 = zext i65 %v18 to i128
  %o36 = getelementptr i64, ptr %out, i32 36
  store i128 %z36, ptr %o36, align 8
  ret void
}

define ptx_kernel void @k(ptr %x, ptr %y) #1 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = mul i32 %t, 48
  %b = mul i32 %t, 304
  %p = getelementptr i8, ptr %x, i32 %a
  %q = getelementptr i8, ptr %y, i32 %b
  call void @f(ptr %p, ptr %q)
  ret void
}

attributes #0 = { noinline "target-cpu"="sm_80" "target-features"="+ptx80" }
attributes #1 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
