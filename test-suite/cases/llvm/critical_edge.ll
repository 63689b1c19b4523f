; A conditional branch whose both ways lead to one block, with different values.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=4
; ARG: out y u32[4]
; WANT: y = 10 20 20 10
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %y) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %one = icmp eq i32 %t, 1
  br i1 %one, label %join, label %other

other:
  %two = icmp eq i32 %t, 2
  br i1 %two, label %join, label %join2

join2:
  br label %join

join:
  %v = phi i32 [ 20, %entry ], [ 20, %other ], [ 10, %join2 ]
  %p = getelementptr i32, ptr addrspace(1) %y, i32 %t
  store i32 %v, ptr addrspace(1) %p
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
