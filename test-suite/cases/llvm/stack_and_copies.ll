; Local arrays indexed at run time; memcpy, memset and memmove.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=4
; ARG: in x u32 = 1..=8
; ARG: out y u32[12]
; WANT: y = 4 3 2 1  5 6 0x07070707 0x07070707  1 1 2 3
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = alloca [4 x i32], align 16
  %px = getelementptr i32, ptr addrspace(1) %x, i32 0
  call void @llvm.memcpy.p0.p1.i64(ptr align 16 %a, ptr addrspace(1) align 4 %px, i64 16, i1 false)
  %r = sub i32 3, %t
  %q = getelementptr [4 x i32], ptr %a, i32 0, i32 %r
  %v = load i32, ptr %q
  %o = getelementptr i32, ptr addrspace(1) %y, i32 %t
  store i32 %v, ptr addrspace(1) %o
  %px4 = getelementptr i32, ptr addrspace(1) %x, i32 4
  call void @llvm.memcpy.p0.p1.i64(ptr align 16 %a, ptr addrspace(1) align 4 %px4, i64 16, i1 false)
  %half = getelementptr i8, ptr %a, i64 8
  call void @llvm.memset.p0.i64(ptr align 4 %half, i8 7, i64 8, i1 false)
  %q2 = getelementptr [4 x i32], ptr %a, i32 0, i32 %t
  %v2 = load i32, ptr %q2
  %o2 = getelementptr i32, ptr addrspace(1) %o, i32 4
  store i32 %v2, ptr addrspace(1) %o2
  call void @llvm.memcpy.p0.p1.i64(ptr align 16 %a, ptr addrspace(1) align 4 %px, i64 16, i1 false)
  %next = getelementptr i8, ptr %a, i64 4
  call void @llvm.memmove.p0.p0.i64(ptr align 4 %next, ptr align 4 %a, i64 12, i1 false)
  %v3 = load i32, ptr %q2
  %o3 = getelementptr i32, ptr addrspace(1) %o, i32 8
  store i32 %v3, ptr addrspace(1) %o3
  ret void
}

declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
