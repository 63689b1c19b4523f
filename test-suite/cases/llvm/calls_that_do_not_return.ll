; After a call that does not return `exit` ends the block: with `trap` ptxas would keep alive what the next block uses. Calls with a variable
; number of arguments share one structure in local memory, and those without further arguments need none. `tanh` is an instruction with `afn`.
; RUN: raise -O0 check
; RUN: roundtrip -O0 -O2
; CHECK: f(
; CHECK: .local .align 8 .b8 __local_vararg_f_0[16];
; CHECK-NOT: .local
; CHECK: st.local.b32 [__local_vararg_f_0], %r{{[0-9]+}};
; CHECK: st.local.b32 [__local_vararg_f_0], 7;
; CHECK: st.local.b64 [__local_vararg_f_0+8], 9;
; CHECK: call.uni {{.*}}die
; CHECK-NOT: trap
; CHECK: exit;
; CHECK: tanh.approx.f32
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @say(ptr, ...)
declare void @die() noreturn

define float @f(i32 %n, ptr %p, float %x) {
entry:
  %a = call i32 (ptr, ...) @say(ptr %p, i32 %n)
  %b = call i32 (ptr, ...) @say(ptr %p, i32 7, i64 9)
  %c = call i32 (ptr, ...) @say(ptr %p)
  %bad = icmp eq i32 %a, %b
  br i1 %bad, label %stop, label %go
stop:
  call void @die()
  unreachable
go:
  %y = call afn float @llvm.tanh.f32(float %x)
  ret float %y
}

declare float @llvm.tanh.f32(float)
