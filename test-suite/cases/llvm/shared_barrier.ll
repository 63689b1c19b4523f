; Shared memory and a block barrier: values go from thread to thread.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=2 block=64
; ARG: out y u32[128]
; WANT: y = 63..=0:-1 163..=100:-1
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@buf = internal addrspace(3) global [64 x i32] undef, align 4

define ptx_kernel void @k(ptr addrspace(1) %y) #1 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b100 = mul i32 %b, 100
  %v = add i32 %b100, %t
  %p = getelementptr [64 x i32], ptr addrspace(3) @buf, i32 0, i32 %t
  store i32 %v, ptr addrspace(3) %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %r = sub i32 63, %t
  %q = getelementptr [64 x i32], ptr addrspace(3) @buf, i32 0, i32 %r
  %w = load i32, ptr addrspace(3) %q
  %b64 = mul i32 %b, 64
  %at = add i32 %b64, %t
  %o = getelementptr i32, ptr addrspace(1) %y, i32 %at
  store i32 %w, ptr addrspace(1) %o
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
attributes #1 = { convergent nounwind "target-cpu"="sm_80" "target-features"="+ptx80" }
