; Only operations marked `contract` may be fused.
; RUN: raise -O0 check
; RUN: roundtrip -O0 -O2
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Unmarked operations keep their own rounding.
; CHECK: .entry k
; CHECK: mul.rn.f32
; CHECK: add.rn.f32
; CHECK-NOT: fma
; CHECK: .entry marked
; CHECK: {{mul.f32|fma.rn.f32|mad}}
define ptx_kernel void @k(ptr addrspace(1) %y, float %a, float %b) #0 {
  %m = fmul float %a, %b
  %s = fadd float %m, %a
  store float %s, ptr addrspace(1) %y
  ret void
}

define ptx_kernel void @marked(ptr addrspace(1) %y, float %a, float %b) #0 {
  %m = fmul contract float %a, %b
  %s = fadd contract float %m, %a
  store float %s, ptr addrspace(1) %y
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
