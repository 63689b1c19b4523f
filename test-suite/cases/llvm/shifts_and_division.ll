; Shifts by a variable amount, signed and unsigned division.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=4
; ARG: in a s32 = 100 -100 7 -7
; ARG: in b s32 = 3 3 2 5
; ARG: out y s32[28]
; WANT: y = 800 12 12 33 1 33 1 -800 536870899 -13 -33 -1 1431655732 0 28 1 1 3 1 3 1 -224 134217727 -1 -1 -2 858993457 4
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %pa, ptr addrspace(1) %pb, ptr addrspace(1) %y0) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %qa = getelementptr i32, ptr addrspace(1) %pa, i32 %t
  %qb = getelementptr i32, ptr addrspace(1) %pb, i32 %t
  %a = load i32, ptr addrspace(1) %qa
  %b = load i32, ptr addrspace(1) %qb
  %base = mul i32 %t, 7
  %y = getelementptr i32, ptr addrspace(1) %y0, i32 %base
  %r0 = shl i32 %a, %b
  %r1 = lshr i32 %a, %b
  %r2 = ashr i32 %a, %b
  %r3 = sdiv i32 %a, %b
  %r4 = srem i32 %a, %b
  %r5 = udiv i32 %a, %b
  %r6 = urem i32 %a, %b
  %p0 = getelementptr i32, ptr addrspace(1) %y, i64 0
  store i32 %r0, ptr addrspace(1) %p0
  %p1 = getelementptr i32, ptr addrspace(1) %y, i64 1
  store i32 %r1, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %y, i64 2
  store i32 %r2, ptr addrspace(1) %p2
  %p3 = getelementptr i32, ptr addrspace(1) %y, i64 3
  store i32 %r3, ptr addrspace(1) %p3
  %p4 = getelementptr i32, ptr addrspace(1) %y, i64 4
  store i32 %r4, ptr addrspace(1) %p4
  %p5 = getelementptr i32, ptr addrspace(1) %y, i64 5
  store i32 %r5, ptr addrspace(1) %p5
  %p6 = getelementptr i32, ptr addrspace(1) %y, i64 6
  store i32 %r6, ptr addrspace(1) %p6
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
