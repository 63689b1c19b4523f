; Under a guard, two phis that take the same value both get it.
; RUN: raise -O0
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=2
; ARG: out y u32[4]
; WANT: y = 3 4  8 8
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %y) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = icmp eq i32 %t, 1
  %three = add i32 %t, 3
  %four = add i32 %t, 4
  br i1 %odd, label %inside, label %after, !ptx.guard !0

inside:
  %seven = add i32 %t, 7
  br label %after

after:
  %a = phi i32 [ %seven, %inside ], [ %three, %entry ]
  %b = phi i32 [ %seven, %inside ], [ %four, %entry ]
  %at = shl i32 %t, 1
  %first = getelementptr i32, ptr addrspace(1) %y, i32 %at
  %second = getelementptr i32, ptr addrspace(1) %first, i32 1
  store i32 %a, ptr addrspace(1) %first
  store i32 %b, ptr addrspace(1) %second
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }

!0 = !{}
