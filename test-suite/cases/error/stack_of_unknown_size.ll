; A local array whose size is known only at run time.
; RUN: error
;~@0 R0101 alloca
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %y, i32 %n) #0 {
  %a = alloca i8, i32 %n
  store i8 1, ptr %a
  %v = load i8, ptr %a
  store i8 %v, ptr addrspace(1) %y
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
