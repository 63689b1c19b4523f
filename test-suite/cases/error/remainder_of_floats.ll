; PTX has no remainder of floating-point numbers.
; RUN: error
;~@0 R0101 frem
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %y, float %a, float %b) #0 {
  %r = frem float %a, %b
  store float %r, ptr addrspace(1) %y
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
