; A kernel with two names is two kernels: PTX has no alias of a kernel (manual 11.6.6).
; RUN: raise -O0 check
; RUN: roundtrip -O0
; RUN: exec
; LAUNCH: entry=foo
; ARG: out y i32[1]
; WANT: y = 7
; LAUNCH: entry=again
; ARG: out y i32[1]
; WANT: y = 7
; CHECK-NOT: .alias
; CHECK: .visible .entry foo(
; CHECK: .weak .entry again(
target triple = "nvptx64-nvidia-cuda"

@foo = alias void (ptr), ptr @example.foo
@again = weak alias void (ptr), ptr @foo

define private ptx_kernel void @example.foo(ptr nonnull %0) {
  store i32 7, ptr %0, align 4
  ret void
}
