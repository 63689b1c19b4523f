; Order and scope reach the PTX; nothing is weaker than asked.
; RUN: raise -O0 check
; RUN: roundtrip -O0 -O2
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: ld.acquire.gpu.global.{{[bu]}}32
; CHECK: st.release.sys.global.{{[bu]}}32
; CHECK: ld.relaxed.cta.global.{{[bu]}}32
; CHECK: atom{{.*}}acq_rel{{.*}}add
; CHECK: fence.sc.gpu
define ptx_kernel void @k(ptr addrspace(1) %x) #0 {
  %a = load atomic i32, ptr addrspace(1) %x syncscope("device") acquire, align 4
  store atomic i32 %a, ptr addrspace(1) %x release, align 4
  %b = load atomic i32, ptr addrspace(1) %x syncscope("block") monotonic, align 4
  %c = atomicrmw add ptr addrspace(1) %x, i32 %b syncscope("device") acq_rel
  fence syncscope("device") seq_cst
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
