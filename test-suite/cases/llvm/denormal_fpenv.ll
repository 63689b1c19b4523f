; LLVM 23's attribute for subnormal numbers has the meaning of LLVM 22's: operands and results of `float` are flushed where it is preservesign,
; and kept where it is ieee. x is 2^-149 times 0x400000, y is 2^-126: the sum of y and x is normal, x alone is not.
; RUN: raise -O0 check
; RUN: exec
; LAUNCH: entry=flushed
; ARG: b32 = 0x00400000
; ARG: b32 = 0x00800000
; ARG: out o b32[1]
; WANT: o = 0x00800000
; LAUNCH: entry=kept
; ARG: b32 = 0x00400000
; ARG: b32 = 0x00800000
; ARG: out o b32[1]
; WANT: o = 0x00c00000
; CHECK: .entry flushed(
; CHECK: add.rn.ftz.f32
; CHECK: .entry kept(
; CHECK: add.rn.f32
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @flushed(float %x, float %y, ptr %o) #0 {
  %r = fadd float %x, %y
  store float %r, ptr %o
  ret void
}
define ptx_kernel void @kept(float %x, float %y, ptr %o) denormal_fpenv(preservesign, float: ieee|ieee) {
  %r = fadd float %x, %y
  store float %r, ptr %o
  ret void
}
attributes #0 = { denormal_fpenv(float: preservesign) }
