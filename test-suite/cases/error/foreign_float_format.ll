; A floating-point format that no GPU has.
; RUN: error
;~@0 R0102 x86_fp80
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %y, x86_fp80 %a) #0 {
  store x86_fp80 %a, ptr addrspace(1) %y
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
