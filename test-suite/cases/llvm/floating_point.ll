; Operations and casts of floating point, exact results.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=1
; ARG: in x f32 = 2.5 -3.75 nan 16
; ARG: out y f32[16]
; WANT: y = -1.25 6.25 -9.375 -0.6666667 4 2.5 -3.75 3.75 -2.5 2 -4 2 -3 16 -11.875 nan
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %px1 = getelementptr float, ptr addrspace(1) %x, i32 1
  %px2 = getelementptr float, ptr addrspace(1) %x, i32 2
  %px3 = getelementptr float, ptr addrspace(1) %x, i32 3
  %a = load float, ptr addrspace(1) %x
  %b = load float, ptr addrspace(1) %px1
  %nan = load float, ptr addrspace(1) %px2
  %c = load float, ptr addrspace(1) %px3
  %r0 = fadd float %a, %b
  %r1 = fsub float %a, %b
  %r2 = fmul float %a, %b
  %r3 = fdiv float %a, %b
  %r4 = call float @llvm.sqrt.f32(float %c)
  %r5 = call float @llvm.minnum.f32(float %a, float %nan)
  %r6 = call float @llvm.maxnum.f32(float %nan, float %b)
  %r7 = call float @llvm.fabs.f32(float %b)
  %r8 = call float @llvm.copysign.f32(float %a, float %b)
  %r9 = call float @llvm.floor.f32(float %a)
  %r10 = call float @llvm.floor.f32(float %b)
  %i = fptosi float %a to i32
  %r11 = sitofp i32 %i to float
  %j = fptosi float %b to i64
  %r12 = sitofp i64 %j to float
  %d = fpext float %c to double
  %r13 = fptrunc double %d to float
  %r14 = call float @llvm.fma.f32(float %a, float %b, float -2.5)
  %r15 = fneg float %nan
  %p0 = getelementptr float, ptr addrspace(1) %y, i64 0
  store float %r0, ptr addrspace(1) %p0
  %p1 = getelementptr float, ptr addrspace(1) %y, i64 1
  store float %r1, ptr addrspace(1) %p1
  %p2 = getelementptr float, ptr addrspace(1) %y, i64 2
  store float %r2, ptr addrspace(1) %p2
  %p3 = getelementptr float, ptr addrspace(1) %y, i64 3
  store float %r3, ptr addrspace(1) %p3
  %p4 = getelementptr float, ptr addrspace(1) %y, i64 4
  store float %r4, ptr addrspace(1) %p4
  %p5 = getelementptr float, ptr addrspace(1) %y, i64 5
  store float %r5, ptr addrspace(1) %p5
  %p6 = getelementptr float, ptr addrspace(1) %y, i64 6
  store float %r6, ptr addrspace(1) %p6
  %p7 = getelementptr float, ptr addrspace(1) %y, i64 7
  store float %r7, ptr addrspace(1) %p7
  %p8 = getelementptr float, ptr addrspace(1) %y, i64 8
  store float %r8, ptr addrspace(1) %p8
  %p9 = getelementptr float, ptr addrspace(1) %y, i64 9
  store float %r9, ptr addrspace(1) %p9
  %p10 = getelementptr float, ptr addrspace(1) %y, i64 10
  store float %r10, ptr addrspace(1) %p10
  %p11 = getelementptr float, ptr addrspace(1) %y, i64 11
  store float %r11, ptr addrspace(1) %p11
  %p12 = getelementptr float, ptr addrspace(1) %y, i64 12
  store float %r12, ptr addrspace(1) %p12
  %p13 = getelementptr float, ptr addrspace(1) %y, i64 13
  store float %r13, ptr addrspace(1) %p13
  %p14 = getelementptr float, ptr addrspace(1) %y, i64 14
  store float %r14, ptr addrspace(1) %p14
  %p15 = getelementptr float, ptr addrspace(1) %y, i64 15
  store float %r15, ptr addrspace(1) %p15
  ret void
}

declare float @llvm.sqrt.f32(float)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.fabs.f32(float)
declare float @llvm.copysign.f32(float, float)
declare float @llvm.floor.f32(float)
declare float @llvm.fma.f32(float, float, float)

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
