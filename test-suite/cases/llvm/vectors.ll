; Vectors: memory, lanes, shuffles, arithmetic lane by lane.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=1
; ARG: in x f32 = 1 2 3 4 10 20 30 40
; ARG: in n u32 = 2
; ARG: out y f32[14]
; WANT: y = 11 22 33 44  40 4 10 1  1 40 3 5  3 30
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %n, ptr addrspace(1) %y) #0 {
  %px = getelementptr <4 x float>, ptr addrspace(1) %x, i32 1
  %a = load <4 x float>, ptr addrspace(1) %x, align 16
  %b = load <4 x float>, ptr addrspace(1) %px, align 16
  %s = fadd <4 x float> %a, %b
  store <4 x float> %s, ptr addrspace(1) %y, align 16
  %h = shufflevector <4 x float> %a, <4 x float> %b, <4 x i32> <i32 7, i32 3, i32 4, i32 0>
  %p1 = getelementptr <4 x float>, ptr addrspace(1) %y, i32 1
  store <4 x float> %h, ptr addrspace(1) %p1, align 16
  %e = extractelement <4 x float> %b, i32 3
  %i1 = insertelement <4 x float> %a, float %e, i32 1
  %i2 = insertelement <4 x float> %i1, float 5.0, i32 3
  %p2 = getelementptr <4 x float>, ptr addrspace(1) %y, i32 2
  store <4 x float> %i2, ptr addrspace(1) %p2, align 4
  ; A lane chosen at run time.
  %k = load i32, ptr addrspace(1) %n
  %c = extractelement <4 x float> %a, i32 %k
  %p3 = getelementptr float, ptr addrspace(1) %y, i32 12
  store float %c, ptr addrspace(1) %p3
  %d = extractelement <4 x float> %b, i32 %k
  %p4 = getelementptr float, ptr addrspace(1) %y, i32 13
  store float %d, ptr addrspace(1) %p4
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
