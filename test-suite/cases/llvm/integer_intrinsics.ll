; Bit counts, byte and bit reversal, funnel shifts, extremes and saturation.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=4
; ARG: in x u32 = 305419896 0 4294967295 2147483648
; ARG: out y u32[48]
; WANT: y = 13 3 3 2018915346 510274632 1756164132 591751050 305419896 7 305419896 2147483647 305419891 0 32 32 0 0 0 10 0 0 7 2147483643 0 32 0 0 4294967295 4294967295 4294967295 4294967290 1 4294967295 4294967295 2147483642 4294967290 1 0 31 128 1 256 10 2147483648 2147483648 2147483648 4294967291 2147483643
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y0) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr i32, ptr addrspace(1) %x, i32 %t
  %v = load i32, ptr addrspace(1) %px
  %base = mul i32 %t, 12
  %y = getelementptr i32, ptr addrspace(1) %y0, i32 %base
  %r0 = call i32 @llvm.ctpop.i32(i32 %v)
  %r1 = call i32 @llvm.ctlz.i32(i32 %v, i1 false)
  %r2 = call i32 @llvm.cttz.i32(i32 %v, i1 false)
  %r3 = call i32 @llvm.bswap.i32(i32 %v)
  %r4 = call i32 @llvm.bitreverse.i32(i32 %v)
  %r5 = call i32 @llvm.fshl.i32(i32 %v, i32 %v, i32 9)
  %r6 = call i32 @llvm.fshr.i32(i32 %v, i32 -1412567295, i32 28)
  %r7 = call i32 @llvm.abs.i32(i32 %v, i1 false)
  %r8 = call i32 @llvm.smin.i32(i32 %v, i32 7)
  %r9 = call i32 @llvm.umax.i32(i32 %v, i32 7)
  %r10 = call i32 @llvm.sadd.sat.i32(i32 %v, i32 2147483643)
  %r11 = call i32 @llvm.usub.sat.i32(i32 %v, i32 5)
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
  %p7 = getelementptr i32, ptr addrspace(1) %y, i64 7
  store i32 %r7, ptr addrspace(1) %p7
  %p8 = getelementptr i32, ptr addrspace(1) %y, i64 8
  store i32 %r8, ptr addrspace(1) %p8
  %p9 = getelementptr i32, ptr addrspace(1) %y, i64 9
  store i32 %r9, ptr addrspace(1) %p9
  %p10 = getelementptr i32, ptr addrspace(1) %y, i64 10
  store i32 %r10, ptr addrspace(1) %p10
  %p11 = getelementptr i32, ptr addrspace(1) %y, i64 11
  store i32 %r11, ptr addrspace(1) %p11
  ret void
}

declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.bswap.i32(i32)
declare i32 @llvm.bitreverse.i32(i32)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.fshr.i32(i32, i32, i32)
declare i32 @llvm.abs.i32(i32, i1)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.sadd.sat.i32(i32, i32)
declare i32 @llvm.usub.sat.i32(i32, i32)

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
