; Inline assembly that is not PTX.
; RUN: error
;~@0 R0104 frobnicate
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %y) #0 {
  %v = call i32 asm "frobnicate.u32 $0, 1;", "=r"()
  store i32 %v, ptr addrspace(1) %y
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
