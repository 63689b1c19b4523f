; Integers of 256 bits.
; What is wanted was computed by x86 code that llc made of the same function.
; RUN: raise -O0
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k block=4
; ARG: in x b64 = 0xa384c7bdb9d67086 0x800000000000000 0xffffffffffffffff 0x40000000000000 0x1d 0x0 0xb5a9ca32085dbc71 0xc19379a6b510604d 0x23bed72a670e1cc3 0xef 0x2000 0xa5025b7360ca0da8 0x2936bafbeda4da29 0x0 0x7f 0x30c173a5e5837db8 0x8000 0xc4 0x7e7bed6e330db249 0x0 0xe3bf6cf46ff69ef5 0x1486c2a9f68dfe01 0x800000 0xe4 0x32 0x4648c75210cd76cc 0xffffffffffffffff 0xffffffffffffffff 0xcdd0259f27fd62ec 0x0 0x355a12eddd03955 0x28562b9fa83da747 0x400000 0x78ea42b8004c2396 0x344a44d823f8d70f 0xe199eb02c5050c98 0x0 0x4ffd1177eb0c06a5 0x0 0x75afca5ca9fb8028 0x88776ab89843986c 0x2fb86b9cbc75354e 0x1b3e2ae6e772560 0xfd12fd4d0a7530ac 0xbd70b1689e97a616 0x76 0x73b71fbe9a4105cf 0x0
; ARG: out y b64[116]
; WANT: y = 0xa384c7bdb9d670a3 0x800000000000000 0xb5a9ca32085dbc70 0xc1d379a6b510604e 0x860aa07e0d4abf2e 0xe800000000000012
; WANT: y = 0xb5286bcf92f81309 0x1c8f16a2d1992213 0x0 0x0 0x0 0x1c263dedceb38430
; WANT: y = 0x4000 0xffffffffffffffff 0x8 0x8670d6b9bdc784a3 0x1d 0x0
; WANT: y = 0xb5a9ca32085dbc71 0xc19379a6b510604d 0xa384c7bdb9d670a3 0x800000000000000 0xb5a9ca32085dbc70 0xc1d379a6b510604e
; WANT: y = 0xa384c7bdb9d670a3 0x800000000000000 0xb5a9ca32085dbc70 0xc1d379a6b510604e 0x0 0x2936bafbeda55a29
; WANT: y = 0xc4 0x7e7bed6e330db2c8 0x30c173a5e5837db8 0x5d7df6d26d148000 0x8de728e1f2371bff 0x38421886a30737d0
; WANT: y = 0xce2fd64efdb661ce 0x0 0x0 0x0 0x4520000000000000 0xb87d83e5a573c130
; WANT: y = 0x7f00000000000000 0x0 0x29daa4edfbba3629 0x8000 0xc4 0x7e7bed6e330db249
; WANT: y = 0x0 0x2936bafbeda55a29 0xc4 0x7e7bed6e330db2c8 0x30c173a5e5837db8 0x2936bafbeda55a29
; WANT: y = 0xc4 0x7e7bed6e330db2c8 0x30c173a5e5837db8 0x0 0xcdd0259f27fd631e 0x4648c75210cd76cc
; WANT: y = 0x355a12eddd03954 0x28562b9fa83da747 0x32a75915cf7d5218 0x279756f1a07f9c38 0x116ac29b0bcd4e99 0x48eca452d176899a
; WANT: y = 0x32 0x4648c75210cd76cc 0xffffffffffffffff 0xffffffffffffffff 0xffffffffffffffff 0xffffffffffffffff
; WANT: y = 0xcc76cd1052c74846 0x3200000000000000 0x32 0x4648c75210cd76cc 0xffffffffffffffff 0xffffffffffffffff
; WANT: y = 0xffffffffffffffff 0xffffffffffffffff 0xffffffffffffffff 0xffffffffffffffff 0xcdd0259f27fd631e 0x4648c75210cd76cc
; WANT: y = 0x355a12eddd03954 0x28562b9fa83da747 0x1 0x88776ab89843986c 0x7fb57d14a7813bf3 0x1b3e2ae6e772560
; WANT: y = 0x72c2c7a9b470b0d4 0x0 0x712c52d60233c59c 0x4e7b2c629ac36c23 0x156774f184938a13 0x0
; WANT: y = 0x5dfac301a9400000 0x13ff44 0x972a7ee00a000000 0x2880fba95ccaaf75 0x0 0xa5060ceb7711fd4f
; WANT: y = 0x0 0x88776ab89843986c 0x2fb86b9cbc75354e 0x1b3e2ae6e772560 0xfd12fd4d0a7530ac 0xffffffffffffffff
; WANT: y = 0xffffffffffffffff 0xffffffffffffffff 0xffffffffffffffff 0x88776ab89843986c 0x7fb57d14a7813bf3 0x1b3e2ae6e772560
; WANT: y = 0x72c2c7a9b470b0d4 0x1
target triple = "nvptx64-nvidia-cuda"

declare i256 @llvm.bswap.i256(i256)
declare i256 @llvm.smin.i256(i256, i256)
declare i256 @llvm.uadd.sat.i256(i256, i256)
declare { i256, i1 } @llvm.uadd.with.overflow.i256(i256, i256)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define void @f(ptr %in, ptr %out) #0 {
  %pa = getelementptr i64, ptr %in, i32 0
  %la = load i256, ptr %pa, align 8
  %a = freeze i256 %la
  %pb = getelementptr i64, ptr %in, i32 4
  %lb = load i256, ptr %pb, align 8
  %b = freeze i256 %lb
  %pc = getelementptr i64, ptr %in, i32 8
  %lc = load i256, ptr %pc, align 8
  %c = freeze i256 %lc
  %v0 = add i256 %a, %b
  %o0 = getelementptr i64, ptr %out, i32 0
  store i256 %v0, ptr %o0, align 8
  %v1 = mul i256 %a, %b
  %o4 = getelementptr i64, ptr %out, i32 4
  store i256 %v1, ptr %o4, align 8
  %n2 = urem i256 %c, 256
  %v2 = shl i256 %a, %n2
  %o8 = getelementptr i64, ptr %out, i32 8
  store i256 %v2, ptr %o8, align 8
  %v3 = call i256 @llvm.bswap.i256(i256 %a)
  %o12 = getelementptr i64, ptr %out, i32 12
  store i256 %v3, ptr %o12, align 8
  %v4 = call i256 @llvm.smin.i256(i256 %a, i256 %b)
  %o16 = getelementptr i64, ptr %out, i32 16
  store i256 %v4, ptr %o16, align 8
  %v5 = call i256 @llvm.uadd.sat.i256(i256 %a, i256 %b)
  %o20 = getelementptr i64, ptr %out, i32 20
  store i256 %v5, ptr %o20, align 8
  %v6 = call { i256, i1 } @llvm.uadd.with.overflow.i256(i256 %a, i256 %b)
  %e6 = extractvalue { i256, i1 } %v6, 0
  %g6 = extractvalue { i256, i1 } %v6, 1
  %o24 = getelementptr i64, ptr %out, i32 24
  store i256 %e6, ptr %o24, align 8
  %z28 = zext i1 %g6 to i64
  %o28 = getelementptr i64, ptr %out, i32 28
  store i64 %z28, ptr %o28, align 8
  ret void
}

define ptx_kernel void @k(ptr %x, ptr %y) #1 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = mul i32 %t, 96
  %b = mul i32 %t, 232
  %p = getelementptr i8, ptr %x, i32 %a
  %q = getelementptr i8, ptr %y, i32 %b
  call void @f(ptr %p, ptr %q)
  ret void
}

attributes #0 = { noinline "target-cpu"="sm_80" "target-features"="+ptx80" }
attributes #1 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
