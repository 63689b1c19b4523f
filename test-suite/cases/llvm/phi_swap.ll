; Phis of one block read their operands at once: the pair (a, b) becomes (b, a + b).
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=16
; ARG: out y u32[16]
; WANT: y = 0 1 1 2 3 5 8 13 21 34 55 89 144 233 377 610
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %y) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %a = phi i32 [ 0, %entry ], [ %b, %body ]
  %b = phi i32 [ 1, %entry ], [ %s, %body ]
  %done = icmp eq i32 %i, %t
  br i1 %done, label %exit, label %body

body:
  %s = add i32 %a, %b
  %i1 = add i32 %i, 1
  br label %loop

exit:
  %p = getelementptr i32, ptr addrspace(1) %y, i32 %t
  store i32 %a, ptr addrspace(1) %p
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
