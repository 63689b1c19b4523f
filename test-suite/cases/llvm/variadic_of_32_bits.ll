; A variable number of arguments where addresses have 32 bits: a list is a pointer of four bytes, and arguments of eight lie at multiples of eight.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k block=1
; ARG: out y u32[3]
; WANT: y = 5 1 20
target datalayout = "e-p:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx-nvidia-cuda"

define void @store(ptr %to, ...) noinline {
  %list = alloca ptr
  call void @llvm.va_start.p0(ptr %list)
  %first = va_arg ptr %list, i32
  store i32 %first, ptr %to
  %wide = va_arg ptr %list, i64
  %high = lshr i64 %wide, 32
  %word = trunc i64 %high to i32
  %to1 = getelementptr i32, ptr %to, i32 1
  store i32 %word, ptr %to1
  %p = va_arg ptr %list, ptr
  %v = load i32, ptr %p
  %to2 = getelementptr i32, ptr %to, i32 2
  store i32 %v, ptr %to2
  call void @llvm.va_end.p0(ptr %list)
  ret void
}

define ptx_kernel void @k(ptr %y) #0 {
  %own = alloca i32
  store i32 20, ptr %own
  call void (ptr, ...) @store(ptr %y, i32 5, i64 4294967297, ptr %own)
  ret void
}

declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx78" }
