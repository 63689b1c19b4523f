; Intrinsics and conversions on integers of 128 bits.
; What is wanted was computed by x86 code that llc made of the same function.
; RUN: raise -O0
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k block=8
; ARG: in x b64 = 0xc10dff766e0a2412 0x0 0xffffffffffffffff 0xf8633dc344bdd11d 0x0 0x0 0x0 0x854cf442a1d9b01 0xa49da527b0977816 0x2c010a5541e179c1 0xfcc062ccbafa804e 0x592bd261e063c63f 0xfafdd39015f621e2 0x47cb35f62040178f 0xcb 0xe5637b0122c08681 0x8d10d4b622822427 0x400000000 0x6bdaa6caa0211715 0x6f2498a373eccdd6 0x5f0446174d24f80e 0x9b610446e6c4de57 0x2a1989fefd219bd4 0xffffffffffffffff 0x0 0xffffffffffffffff 0x4686571d1d0bbb53 0x7a00b334363d55a8 0x100000 0xffffffffffffffff 0x0 0x1000000000000 0x32ba8365f44d37c9 0x3f468f86f337afb7 0x6d352442bacb780e 0x93719653533e2dde 0x0 0xffffffffffffffff 0xfc04d81512086871 0x0 0x8cc165135f351765 0x2deb81aeda4a1adf 0x0 0x416fb09782181252 0xab9f9a4f59ef60e6 0x1 0x19cd06b1e7646449 0x168bd1fe2679f1de
; ARG: out y b64[312]
; WANT: y = 0x1e 0x0 0x40 0x0 0x1 0x0
; WANT: y = 0x0 0x12240a6e76ff0dc1 0x0 0x482450766effb083 0xc10dff766e0a2412 0x0
; WANT: y = 0xc10dff766e0a2412 0x0 0xffffffffffffffff 0xf8633dc344bdd11d 0xc10dff766e0a2412 0x0
; WANT: y = 0xc10dff766e0a2412 0x0 0xc10dff766e0a2413 0x79cc23cbb422ee2 0xc10dff766e0a2411 0xf8633dc344bdd11e
; WANT: y = 0xc10dff766e0a2412 0x0 0x3ef2008991f5dbee 0xbc25527e95ecec1b 0x1 0xc10dff766e0a2413
; WANT: y = 0x79cc23cbb422ee2 0x0 0xff 0x43e821bfeecdc145 0x5f410dff 0x43e821bfeecdc145
; WANT: y = 0x5f410dff 0xfffffc0000000000 0xfffffffff7ffffff 0x19 0x0 0x4
; WANT: y = 0x0 0x40 0x0 0x19b1d2a44cf5408 0x0 0x80d9b85422f32a10
; WANT: y = 0x0 0x0 0x854cf442a1d9b01 0x429550785e706927 0xb00 0xb00429550785
; WANT: y = 0x6c04000000000000 0xa49da527b0977816 0x2c010a5541e179c1 0x0 0x854cf442a1d9b01 0x5b625ad84f6887ea
; WANT: y = 0xdc53c4eee83c213f 0xa49da527b0977816 0x3455d9996bff14c2 0xffffffffffffffff 0xffffffffffffffff 0x0
; WANT: y = 0xc9a237c79ccaca16 0x1 0x5b625ad84f6887ea 0xdc53c4eee83c213f 0x0 0xff
; WANT: y = 0x47a0a99e88543b36 0x7d054cf4 0x47a0a99e88543b36 0x7d054cf4 0x580000000000 0xb0000000
; WANT: y = 0x41 0x0 0x1 0x0 0x1 0x0
; WANT: y = 0x8f174020f635cb47 0xe221f61590d3fdfa 0xf1e802046facd3e2 0x47846fa809cbbf5f 0xfafdd39015f621e2 0x47cb35f62040178f
; WANT: y = 0xfb10f172b1bd8091 0x200bc7fd7ee9c80a 0x245810d02000000 0x202bec43c5cac6f6 0xfafdd39015f621e2 0x47cb35f62040178f
; WANT: y = 0xfafdd39015f621e2 0x47cb35f62040178f 0xfafdd39015f62117 0x6267baf4fd7f910e 0xffffffffffffffff 0xffffffffffffffff
; WANT: y = 0xffffffffffffffff 0xffffffffffffffff 0x746c3416a2cde36 0xb067b240e7160e0e 0x1 0xfafdd39015f62117
; WANT: y = 0x6267baf4fd7f910e 0x0 0xff 0x47d1f2cd7d881006 0x7e8f966c 0x47d1f2cd7d881006
; WANT: y = 0x7e8f966c 0xffff300000000000 0xfffffffe57ffffff 0x40 0x0 0x1
; WANT: y = 0x0 0x0 0x0 0xd6cdec73a398246f 0x151721a0caa6da6b 0x6bb337cec51924f6
; WANT: y = 0xa8e8840553655bd6 0x6bdaa6caa0211715 0x6f2498a373eccdd6 0x446e6c4de575f044 0x6caa02117159b610 0x117159b610446e6c
; WANT: y = 0xccdd66bdaa6caa02 0x6bdaa6caa0211715 0x6f2498a373eccdd6 0x6bdaa6caa0211715 0x6f2498a373eccdd6 0xffffffffffffffff
; WANT: y = 0x7fffffffffffffff 0xffffffffffffffff 0xffffffffffffffff 0xffffffffffffffff 0xffffffffffffffff 0xb4ceb3b0601f9b26
; WANT: y = 0xe2f8890f1d212355 0x1 0xcd660b352fc1f07 0xd3c3945c8d27ef7f 0x1 0xff
; WANT: y = 0x47dbc92628dcfb33 0x7ede4931 0x47dbc92628dcfb33 0x7ede4931 0x380000000000 0x70000000
; WANT: y = 0x40 0x0 0x0 0x0 0x40 0x0
; WANT: y = 0xffffffffffffffff 0x0 0xffffffffffffffff 0x0 0x0 0x1
; WANT: y = 0x0 0xffffffffffffffff 0x4686571d1d0bbb53 0x7a00b334363d55a8 0x4686571d1d0bbb53 0x7a00b334363d55a8
; WANT: y = 0x4686571d1d0bbb53 0x7a00b334363d55a8 0xb979a8e2e2f444ad 0x85ff4ccbc9c2aa56 0xffffffffffffffff 0xffffffffffffffff
; WANT: y = 0x0 0xffffffffffffffff 0x0 0xb979a8e2e2f444ad 0x1 0xb979a8e2e2f444ad
; WANT: y = 0x85ff4ccbc9c2aa56 0x0 0x1 0x47f0000000000000 0x7f800000 0xc3f0000000000000
; WANT: y = 0xdf800000 0x1400000000000 0x298000000 0x1 0x0 0xf
; WANT: y = 0x0 0x70 0x0 0x100 0x0 0x8000
; WANT: y = 0x0 0x0 0x1000000000000 0xfd1 0x4000000000000000 0xbedccaea0d97d134
; WANT: y = 0xfd1a3e1bccde 0x32ba8365f44d37c9 0x3f468f86f337afb7 0x0 0x1000000000000 0xcd457c9a0bb2c837
; WANT: y = 0xc0ba70790cc85048 0x32ba8365f44d37c9 0x3f478f86f337afb7 0x0 0x4000000000000000 0x0
; WANT: y = 0x37c9000000000000 0x1 0xcd457c9a0bb2c837 0xc0ba70790cc85048 0x0 0xff
; WANT: y = 0x46f0000000000000 0x77800000 0x46f0000000000000 0x77800000 0xffff200000000000 0xfffffffe47ffffff
; WANT: y = 0x40 0x0 0x0 0x0 0x40 0x0
; WANT: y = 0xffffffffffffffff 0x0 0xffffffffffffffff 0x0 0x0 0x1
; WANT: y = 0x1f809b02a2 0x0 0x0 0xfffffffff8000000 0xfc04d81512086871 0x0
; WANT: y = 0xfc04d81512086871 0x0 0x3fb27eaedf7978f 0xfffffffffffffffe 0xfc04d81512086871 0xffffffffffffffff
; WANT: y = 0xffffffffffffffff 0xffffffffffffffff 0x0 0x3fb27eaedf7978f 0x1 0x3fb27eaedf7978f
; WANT: y = 0xfffffffffffffffe 0x0 0x1 0x47f0000000000000 0x7f800000 0xc3f0000000000000
; WANT: y = 0xdf800000 0x1c00000000000 0x388000000 0x19 0x0 0x1
; WANT: y = 0x0 0x41 0x0 0x5212188297b06f41 0x0 0x4a481841e90df682
; WANT: y = 0x0 0x0 0x416fb09782181252 0x357 0x0 0x0
; WANT: y = 0x2900000000000000 0x0 0x416fb09782181252 0xab9f9a4f59ef60e6 0x1 0x546065b0a6109f1a
; WANT: y = 0x416fb09782181250 0xab9f9a4f59ef60e6 0x416fb09782181253 0xffffffffffffffff 0xffffffffffffffff 0x0
; WANT: y = 0xfd9f470d850d35ac 0x1 0x546065b0a6109f1a 0x416fb09782181250 0x0 0x1
; WANT: y = 0x47d05bec25e08605 0x7e82df61 0x47d05bec25e08605 0x7e82df61 0xffff980000000000 0xffffffff2fffffff
target triple = "nvptx64-nvidia-cuda"

declare i128 @llvm.ctpop.i128(i128)
declare i128 @llvm.ctlz.i128(i128, i1)
declare i128 @llvm.cttz.i128(i128, i1)
declare i128 @llvm.bswap.i128(i128)
declare i128 @llvm.bitreverse.i128(i128)
declare i128 @llvm.abs.i128(i128, i1)
declare i128 @llvm.fshl.i128(i128, i128, i128)
declare i128 @llvm.fshr.i128(i128, i128, i128)
declare i128 @llvm.smax.i128(i128, i128)
declare i128 @llvm.umin.i128(i128, i128)
declare i128 @llvm.ssub.sat.i128(i128, i128)
declare i128 @llvm.uadd.sat.i128(i128, i128)
declare i128 @llvm.ushl.sat.i128(i128, i128)
declare { i128, i1 } @llvm.umul.with.overflow.i128(i128, i128)
declare { i128, i1 } @llvm.ssub.with.overflow.i128(i128, i128)
declare i8 @llvm.ucmp.i8.i128(i128, i128)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define void @f(ptr %in, ptr %out) #0 {
  %pa = getelementptr i64, ptr %in, i32 0
  %la = load i128, ptr %pa, align 8
  %a = freeze i128 %la
  %pb = getelementptr i64, ptr %in, i32 2
  %lb = load i128, ptr %pb, align 8
  %b = freeze i128 %lb
  %pc = getelementptr i64, ptr %in, i32 4
  %lc = load i128, ptr %pc, align 8
  %c = freeze i128 %lc
  %v0 = call i128 @llvm.ctpop.i128(i128 %a)
  %o0 = getelementptr i64, ptr %out, i32 0
  store i128 %v0, ptr %o0, align 8
  %v1 = call i128 @llvm.ctlz.i128(i128 %a, i1 false)
  %o2 = getelementptr i64, ptr %out, i32 2
  store i128 %v1, ptr %o2, align 8
  %v2 = call i128 @llvm.cttz.i128(i128 %a, i1 false)
  %o4 = getelementptr i64, ptr %out, i32 4
  store i128 %v2, ptr %o4, align 8
  %v3 = call i128 @llvm.bswap.i128(i128 %a)
  %o6 = getelementptr i64, ptr %out, i32 6
  store i128 %v3, ptr %o6, align 8
  %v4 = call i128 @llvm.bitreverse.i128(i128 %a)
  %o8 = getelementptr i64, ptr %out, i32 8
  store i128 %v4, ptr %o8, align 8
  %v5 = call i128 @llvm.abs.i128(i128 %a, i1 false)
  %o10 = getelementptr i64, ptr %out, i32 10
  store i128 %v5, ptr %o10, align 8
  %v6 = call i128 @llvm.fshl.i128(i128 %a, i128 %b, i128 %c)
  %o12 = getelementptr i64, ptr %out, i32 12
  store i128 %v6, ptr %o12, align 8
  %v7 = call i128 @llvm.fshr.i128(i128 %a, i128 %b, i128 %c)
  %o14 = getelementptr i64, ptr %out, i32 14
  store i128 %v7, ptr %o14, align 8
  %v8 = call i128 @llvm.smax.i128(i128 %a, i128 %b)
  %o16 = getelementptr i64, ptr %out, i32 16
  store i128 %v8, ptr %o16, align 8
  %v9 = call i128 @llvm.umin.i128(i128 %a, i128 %b)
  %o18 = getelementptr i64, ptr %out, i32 18
  store i128 %v9, ptr %o18, align 8
  %v10 = call i128 @llvm.ssub.sat.i128(i128 %a, i128 %b)
  %o20 = getelementptr i64, ptr %out, i32 20
  store i128 %v10, ptr %o20, align 8
  %v11 = call i128 @llvm.uadd.sat.i128(i128 %a, i128 %b)
  %o22 = getelementptr i64, ptr %out, i32 22
  store i128 %v11, ptr %o22, align 8
  %n12 = urem i128 %c, 128
  %v12 = call i128 @llvm.ushl.sat.i128(i128 %a, i128 %n12)
  %o24 = getelementptr i64, ptr %out, i32 24
  store i128 %v12, ptr %o24, align 8
  %v13 = call { i128, i1 } @llvm.umul.with.overflow.i128(i128 %a, i128 %b)
  %e13 = extractvalue { i128, i1 } %v13, 0
  %g13 = extractvalue { i128, i1 } %v13, 1
  %o26 = getelementptr i64, ptr %out, i32 26
  store i128 %e13, ptr %o26, align 8
  %z28 = zext i1 %g13 to i64
  %o28 = getelementptr i64, ptr %out, i32 28
  store i64 %z28, ptr %o28, align 8
  %v14 = call { i128, i1 } @llvm.ssub.with.overflow.i128(i128 %a, i128 %b)
  %e14 = extractvalue { i128, i1 } %v14, 0
  %g14 = extractvalue { i128, i1 } %v14, 1
  %o29 = getelementptr i64, ptr %out, i32 29
  store i128 %e14, ptr %o29, align 8
  %z31 = zext i1 %g14 to i64
  %o31 = getelementptr i64, ptr %out, i32 31
  store i64 %z31, ptr %o31, align 8
  %v15 = call i8 @llvm.ucmp.i8.i128(i128 %a, i128 %b)
  %z32 = zext i8 %v15 to i64
  %o32 = getelementptr i64, ptr %out, i32 32
  store i64 %z32, ptr %o32, align 8
  %v16 = uitofp i128 %a to double
  %i16 = bitcast double %v16 to i64
  %o33 = getelementptr i64, ptr %out, i32 33
  store i64 %i16, ptr %o33, align 8
  %v16f = uitofp i128 %a to float
  %i16f = bitcast float %v16f to i32
  %z34 = zext i32 %i16f to i64
  %o34 = getelementptr i64, ptr %out, i32 34
  store i64 %z34, ptr %o34, align 8
  %v17 = sitofp i128 %a to double
  %i17 = bitcast double %v17 to i64
  %o35 = getelementptr i64, ptr %out, i32 35
  store i64 %i17, ptr %o35, align 8
  %v17f = sitofp i128 %a to float
  %i17f = bitcast float %v17f to i32
  %z36 = zext i32 %i17f to i64
  %o36 = getelementptr i64, ptr %out, i32 36
  store i64 %z36, ptr %o36, align 8
  %m18 = trunc i128 %b to i8
  %y18 = sitofp i8 %m18 to double
  %x18 = fmul double %y18, 0x45A0000000000008
  %v18 = fptosi double %x18 to i128
  %o37 = getelementptr i64, ptr %out, i32 37
  store i128 %v18, ptr %o37, align 8
  ret void
}

define ptx_kernel void @k(ptr %x, ptr %y) #1 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = mul i32 %t, 48
  %b = mul i32 %t, 312
  %p = getelementptr i8, ptr %x, i32 %a
  %q = getelementptr i8, ptr %y, i32 %b
  call void @f(ptr %p, ptr %q)
  ret void
}

attributes #0 = { noinline "target-cpu"="sm_80" "target-features"="+ptx80" }
attributes #1 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
