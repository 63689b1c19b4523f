; Names of intrinsics that LLVM's reader replaces by newer ones. The expected numbers are the definitions of the old names (NVPTX guide of the LLVM
; versions that had them), worked out by hand.
; RUN: raise -O0
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=1
; ARG: in x u32 = 4026536500
; ARG: out y u32[10]
; ARG: out z u64[3]
; ARG: out f f32[2]
; ARG: inout counter u32 = 4
; WANT: y = 268430796 3 9 742916111 7 4026536500 4026536500 7 1193200 1069547520
; WANT: z = 17293842574791938612 320297186173727 17293842587676840497
; WANT: f = 1.5 0.25
; WANT: counter = 5
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.abs.i(i32)
declare i32 @llvm.nvvm.clz.i(i32)
declare i32 @llvm.nvvm.popc.i(i32)
declare i32 @llvm.nvvm.brev32(i32)
declare i32 @llvm.nvvm.max.i(i32, i32)
declare i32 @llvm.nvvm.max.ui(i32, i32)
declare i32 @llvm.nvvm.min.i(i32, i32)
declare i32 @llvm.nvvm.min.ui(i32, i32)
declare i32 @llvm.nvvm.rotate.b32(i32, i32)
declare i32 @llvm.nvvm.bitcast.f2i(float)
declare i64 @llvm.nvvm.swap.lo.hi.b64(i64)
declare i64 @llvm.nvvm.rotate.b64(i64, i32)
declare i64 @llvm.nvvm.max.ull(i64, i64)
declare float @llvm.nvvm.h2f(i16)
declare float @llvm.nvvm.fabs.f(float)
declare i32 @llvm.nvvm.ldg.global.i.i32.p1(ptr addrspace(1), i32)
declare i32 @llvm.nvvm.atomic.load.inc.32.p1(ptr addrspace(1), i32)
declare ptr @llvm.nvvm.ptr.global.to.gen.p0.p1(ptr addrspace(1))
declare void @llvm.nvvm.barrier0()

define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y, ptr addrspace(1) %z, ptr addrspace(1) %f, ptr addrspace(1) %counter) #0 {
  %v = call i32 @llvm.nvvm.ldg.global.i.i32.p1(ptr addrspace(1) %x, i32 4)
  %u = lshr i32 %v, 3
  %high = zext i32 %v to i64
  %upper = shl i64 %high, 32
  %both = or i64 %upper, %high
  %w = xor i64 %both, 5
  %r0 = call i32 @llvm.nvvm.abs.i(i32 %v)
  %p0 = getelementptr i32, ptr addrspace(1) %y, i64 0
  store i32 %r0, ptr addrspace(1) %p0
  %r1 = call i32 @llvm.nvvm.clz.i(i32 %u)
  %p1 = getelementptr i32, ptr addrspace(1) %y, i64 1
  store i32 %r1, ptr addrspace(1) %p1
  %r2 = call i32 @llvm.nvvm.popc.i(i32 %v)
  %p2 = getelementptr i32, ptr addrspace(1) %y, i64 2
  store i32 %r2, ptr addrspace(1) %p2
  %r3 = call i32 @llvm.nvvm.brev32(i32 %v)
  %p3 = getelementptr i32, ptr addrspace(1) %y, i64 3
  store i32 %r3, ptr addrspace(1) %p3
  %r4 = call i32 @llvm.nvvm.max.i(i32 %v, i32 7)
  %p4 = getelementptr i32, ptr addrspace(1) %y, i64 4
  store i32 %r4, ptr addrspace(1) %p4
  %r5 = call i32 @llvm.nvvm.max.ui(i32 %v, i32 7)
  %p5 = getelementptr i32, ptr addrspace(1) %y, i64 5
  store i32 %r5, ptr addrspace(1) %p5
  %r6 = call i32 @llvm.nvvm.min.i(i32 %v, i32 7)
  %p6 = getelementptr i32, ptr addrspace(1) %y, i64 6
  store i32 %r6, ptr addrspace(1) %p6
  %r7 = call i32 @llvm.nvvm.min.ui(i32 %v, i32 7)
  %p7 = getelementptr i32, ptr addrspace(1) %y, i64 7
  store i32 %r7, ptr addrspace(1) %p7
  %r8 = call i32 @llvm.nvvm.rotate.b32(i32 %v, i32 8)
  %p8 = getelementptr i32, ptr addrspace(1) %y, i64 8
  store i32 %r8, ptr addrspace(1) %p8
  %r9 = call i32 @llvm.nvvm.bitcast.f2i(float 1.5)
  %p9 = getelementptr i32, ptr addrspace(1) %y, i64 9
  store i32 %r9, ptr addrspace(1) %p9
  %q0 = call i64 @llvm.nvvm.swap.lo.hi.b64(i64 %w)
  %s0 = getelementptr i64, ptr addrspace(1) %z, i64 0
  store i64 %q0, ptr addrspace(1) %s0
  %q1 = call i64 @llvm.nvvm.rotate.b64(i64 %w, i32 4)
  %s1 = getelementptr i64, ptr addrspace(1) %z, i64 1
  store i64 %q1, ptr addrspace(1) %s1
  %q2 = call i64 @llvm.nvvm.max.ull(i64 %w, i64 9)
  %s2 = getelementptr i64, ptr addrspace(1) %z, i64 2
  store i64 %q2, ptr addrspace(1) %s2
  %half = call float @llvm.nvvm.h2f(i16 15872)
  store float %half, ptr addrspace(1) %f
  %size = call float @llvm.nvvm.fabs.f(float -0.25)
  %g = getelementptr float, ptr addrspace(1) %f, i64 1
  store float %size, ptr addrspace(1) %g
  call void @llvm.nvvm.barrier0()
  %old = call i32 @llvm.nvvm.atomic.load.inc.32.p1(ptr addrspace(1) %counter, i32 9)
  %generic = call ptr @llvm.nvvm.ptr.global.to.gen.p0.p1(ptr addrspace(1) %counter)
  %now = load i32, ptr %generic
  store i32 %now, ptr %generic
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx70" }
