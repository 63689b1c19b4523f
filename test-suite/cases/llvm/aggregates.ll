; Structures in memory, as values and as results of functions.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=3
; ARG: out y u64[6]
; WANT: y = 5 0 7 3 9 12
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%pair = type { i32, i64 }

define internal %pair @make(i32 %a, %pair %old) noinline #0 {
  %x = extractvalue %pair %old, 0
  %s = add i32 %a, %x
  %wide = zext i32 %a to i64
  %sq = mul i64 %wide, 3
  %l = extractvalue %pair %old, 1
  %m = mul i64 %l, %sq
  %r0 = insertvalue %pair poison, i32 %s, 0
  %r1 = insertvalue %pair %r0, i64 %m, 1
  ret %pair %r1
}

define ptx_kernel void @k(ptr addrspace(1) %y) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %dbl = shl i32 %t, 1
  %five = add i32 %t, 5
  %w = zext i32 %t to i64
  %old0 = insertvalue %pair poison, i32 %five, 0
  %old = insertvalue %pair %old0, i64 %w, 1
  %new = call %pair @make(i32 %t, %pair %old)
  %x = extractvalue %pair %new, 0
  %l = extractvalue %pair %new, 1
  %x64 = zext i32 %x to i64
  %p = getelementptr i64, ptr addrspace(1) %y, i32 %dbl
  store i64 %x64, ptr addrspace(1) %p
  %q = getelementptr i64, ptr addrspace(1) %p, i32 1
  store i64 %l, ptr addrspace(1) %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
