; Integers of 1, 8, 24 and 33 bits keep their own width: no bits leak into them.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=4
; ARG: in x s32 = 5 -7 8388607 300
; ARG: out y u32[24]
; WANT: y = 15 0 20 205 4294967245 0 4294967275 524287 4294967268 193 4294967233 0 8388605 262143 4294967292 199 4294967239 0 900 28 1200 244 4294967284 1
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y0) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr i32, ptr addrspace(1) %x, i32 %t
  %v = load i32, ptr addrspace(1) %px
  %base = mul i32 %t, 6
  %y = getelementptr i32, ptr addrspace(1) %y0, i32 %base
  %n = trunc i32 %v to i24
  %n3 = mul i24 %n, 3
  %r0 = sext i24 %n3 to i32
  %n4 = lshr i24 %n3, 5
  %r1 = zext i24 %n4 to i32
  %w = sext i32 %v to i33
  %w1 = shl i33 %w, 20
  %w2 = ashr i33 %w1, 18
  %r2 = trunc i33 %w2 to i32
  %b = trunc i32 %v to i8
  %b1 = add i8 %b, 200
  %r3 = zext i8 %b1 to i32
  %r4 = sext i8 %b1 to i32
  %bit = trunc i32 %v to i1
  %nbit = xor i1 %bit, true
  %r5 = zext i1 %nbit to i32
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
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
