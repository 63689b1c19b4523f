; Vectors of integers that share bytes, with indices known at run time.
; What is wanted was computed by x86 code that llc made of the same function.
; RUN: raise -O0
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k block=8
; ARG: in x b64 = 0x200000000000 0x0 0x53e85719dbeb7b7b 0xcdac923c9d38e2d5 0x2cb97a4946fa8f6f 0xd193ba6927a1281f 0xffffffffffffffff 0xffffffffffffffff 0x7ebc5a1c7415bea 0xfe126f12c3b5fc84 0x1fca72f0eba82289 0x50b3e15867f08208 0x9524cb9f15b33d64 0x90bd2a5c62b96be7 0x414e87904366abfd 0x4 0x89e556fbd72c3a1 0xe379527dc13f39e6 0x0 0x400 0x4000000 0xe59e6be4fb7ffbbe 0xd900bd6e49b78db0 0xfcbcac27d08d3e1e 0x6cb2e50d49e94044 0xa783469594c0b24b 0xabfcb44729c57ee4 0xd6232701814e3e6 0xdc 0xffffffffffffffff 0x0 0x67
; ARG: out y b64[56]
; WANT: y = 0x0 0x153e 0x0 0x676 0x676 0x676
; WANT: y = 0x4 0x12ca 0x1fff 0xf6f 0x1fff 0x1250
; WANT: y = 0xffffffffffffffff 0x1e 0x27a 0x1fc 0x1e73 0x1c3a
; WANT: y = 0x871 0x289 0x13 0x1d66 0x414 0x961
; WANT: y = 0x410 0x7c5 0x961 0x11 0x89 0x0
; WANT: y = 0x3a1 0x0 0x1bef 0xb96 0xc 0xd90
; WANT: y = 0xd90 0xdb0 0x1b92 0x1 0xdbc 0x1b
; WANT: y = 0x18a 0xabf 0x44 0x11ca 0x352 0xe2b
; WANT: y = 0x10 0x1000 0x1000 0xdc 0x0 0x0
; WANT: y = 0xdc 0x0
target triple = "nvptx64-nvidia-cuda"

declare i13 @llvm.vector.reduce.smax.v5i13(<5 x i13>)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define void @f(ptr %in, ptr %out) #0 {
  %a = load <5 x i13>, ptr %in
  %pb = getelementptr i8, ptr %in, i32 16
  %b = load <5 x i13>, ptr %pb
  %s = add <5 x i13> %a, %b
  %c = icmp slt <5 x i13> %a, %b
  %m = select <5 x i1> %c, <5 x i13> %s, <5 x i13> %a
  %r = shufflevector <5 x i13> %m, <5 x i13> %b, <5 x i32> <i32 4, i32 9, i32 0, i32 7, i32 2>
  %w = zext <5 x i13> %r to <5 x i64>
  store <5 x i64> %w, ptr %out, align 8
  %l = load i8, ptr %in
  %i = urem i8 %l, 5
  %e = extractelement <5 x i13> %s, i8 %i
  %n = insertelement <5 x i13> %b, i13 %e, i8 %i
  %x = call i13 @llvm.vector.reduce.smax.v5i13(<5 x i13> %n)
  %z = sext i13 %x to i64
  %o = getelementptr i64, ptr %out, i32 5
  store i64 %z, ptr %o
  %cb = bitcast <5 x i1> %c to i5
  %cz = zext i5 %cb to i64
  %o2 = getelementptr i64, ptr %out, i32 6
  store i64 %cz, ptr %o2
  ret void
}

define ptx_kernel void @k(ptr %x, ptr %y) #1 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = mul i32 %t, 32
  %b = mul i32 %t, 56
  %p = getelementptr i8, ptr %x, i32 %a
  %q = getelementptr i8, ptr %y, i32 %b
  call void @f(ptr %p, ptr %q)
  ret void
}

attributes #0 = { noinline "target-cpu"="sm_80" "target-features"="+ptx80" }
attributes #1 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
