; Kernel attributes become performance-tuning directives (manual 11.4).
; RUN: raise -O0 check
; RUN: roundtrip -O0 -O2
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: .entry k
; CHECK: .maxntid 128{{, *1, *1|}}
; CHECK: .minnctapersm 2
; CHECK: .entry req
; CHECK: .reqntid 32, 4
define ptx_kernel void @k(ptr addrspace(1) %y) #2 {
  store i32 1, ptr addrspace(1) %y
  ret void
}

define ptx_kernel void @req(ptr addrspace(1) %y) #3 {
  store i32 1, ptr addrspace(1) %y
  ret void
}

attributes #2 = { "nvvm.maxntid"="128" "nvvm.minctasm"="2" "target-cpu"="sm_80" "target-features"="+ptx80" }
attributes #3 = { "nvvm.reqntid"="32,4" "target-cpu"="sm_80" "target-features"="+ptx80" }

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
