; A local array whose size is known only at run time needs a stack that grows, which sm_50 has not got.
; RUN: error
;~@0 R0106 needs sm_52
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %y, i32 %n) #0 {
  %a = alloca i8, i32 %n
  store i8 1, ptr %a
  %v = load i8, ptr %a
  store i8 %v, ptr addrspace(1) %y
  ret void
}

attributes #0 = { "target-cpu"="sm_50" "target-features"="+ptx80" }
