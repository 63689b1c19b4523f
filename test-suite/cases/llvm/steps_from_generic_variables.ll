; A constant and another step from a generic variable where an address in shared memory is chosen.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k block=2
; ARG: out y u32[4]
; WANT: y = 5 5 13 13
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [4 x i32] undef, align 16
@h = internal global [4 x i32] [i32 12, i32 13, i32 14, i32 15], align 16

define ptx_kernel void @k(ptr addrspace(1) %y) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 5, ptr addrspace(3) @s
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %c = icmp eq i32 %t, 0
  %wide = zext i32 %t to i64
  %y0 = getelementptr [2 x i32], ptr addrspace(1) %y, i64 %wide
  %p0 = select i1 %c, ptr addrspacecast (ptr addrspace(3) @s to ptr), ptr getelementptr (i8, ptr @h, i64 4)
  %v0 = load i32, ptr %p0
  store i32 %v0, ptr addrspace(1) %y0
  %q1 = getelementptr i32, ptr @h, i64 %wide
  %p1 = select i1 %c, ptr addrspacecast (ptr addrspace(3) @s to ptr), ptr %q1
  %v1 = load i32, ptr %p1
  %y1 = getelementptr i8, ptr addrspace(1) %y0, i64 4
  store i32 %v1, ptr addrspace(1) %y1
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
