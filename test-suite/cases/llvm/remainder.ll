; Remainders of single and double precision, of large quotients, subnormal numbers and zeros: exact.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=8
; ARG: in x u32 = 1089470464 3236954112 1308251882 71362 1077936128 3233808384 1900671690 0
; ARG: in y u32 = 1073741824 1073741824 1088421888 2141 2139095040 1077936128 1080872141 1084227584
; ARG: out f u32[8]
; ARG: out d u64[8]
; WANT: f = 1069547520 3217031168 0 709 1077936128 2147483648 1077979076 0
; WANT: d = 4602678819172646912 13826050856027422720 0 3971482912023030400 4607182418800017408 13835058055282163712 4614996344069685248 0
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y, ptr addrspace(1) %f, ptr addrspace(1) %d) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %xp = getelementptr float, ptr addrspace(1) %x, i32 %t
  %yp = getelementptr float, ptr addrspace(1) %y, i32 %t
  %fp = getelementptr float, ptr addrspace(1) %f, i32 %t
  %dp = getelementptr double, ptr addrspace(1) %d, i32 %t
  %a = load float, ptr addrspace(1) %xp
  %b = load float, ptr addrspace(1) %yp
  %r = frem float %a, %b
  store float %r, ptr addrspace(1) %fp
  %da = fpext float %a to double
  %db = fpext float %b to double
  %third = fdiv double %da, 3.0
  %dr = frem double %third, %db
  store double %dr, ptr addrspace(1) %dp
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
