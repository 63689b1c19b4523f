; Scaling by powers of two whose exponents have more than 32 bits: a number times 2^4294967296 is infinite, not the number itself, of which
; LLVM's InstCombine takes it for a multiple (the low 32 bits of the exponent are zero).
; RUN: raise -O0
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k
; ARG: f64 = 1.5
; ARG: u64 = 4294967297
; ARG: out r b64[8]
; WANT: r = 0x7ff0000000000000 0x0 0x7ff0000000000000 0x7ff0000000000000 0x0 0x4028000000000000 0x7ff0000000000000 0x7ff0000000000000
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(double %d, i64 %e, ptr %r) {
  %a = call double @llvm.ldexp.f64.i64(double %d, i64 4294967296)
  store double %a, ptr %r
  %b = call double @llvm.ldexp.f64.i64(double %d, i64 -4294967297)
  %r1 = getelementptr i8, ptr %r, i64 8
  store double %b, ptr %r1
  %c = call double @llvm.ldexp.f64.i64(double %d, i64 %e)
  %r2 = getelementptr i8, ptr %r, i64 16
  store double %c, ptr %r2
  %v0 = insertelement <2 x double> poison, double %d, i32 0
  %v = insertelement <2 x double> %v0, double %d, i32 1
  %p = call <2 x double> @llvm.ldexp.v2f64.v2i64(<2 x double> %v, <2 x i64> <i64 4294967296, i64 -4294967296>)
  %r3 = getelementptr i8, ptr %r, i64 24
  store <2 x double> %p, ptr %r3, align 8
  %n = call double @llvm.ldexp.f64.i64(double %d, i64 3)
  %r5 = getelementptr i8, ptr %r, i64 40
  store double %n, ptr %r5
  %x = call double @llvm.ldexp.f64.i128(double %d, i128 4294967296)
  %r6 = getelementptr i8, ptr %r, i64 48
  store double %x, ptr %r6
  %i33 = call double @llvm.ldexp.f64.i33(double %d, i33 4294967295)
  %i34 = call double @llvm.ldexp.f64.i34(double %d, i34 4294967296)
  %s = fadd double %i34, 0.0
  %r7 = getelementptr i8, ptr %r, i64 56
  store double %s, ptr %r7
  ret void
}
