; A recursive function and calls through a pointer.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=6
; ARG: out y u32[12]
; WANT: y = 1 1 2 6 24 120 0 2 4 103 104 105
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define internal i32 @factorial(i32 %n) noinline #0 {
entry:
  %small = icmp ult i32 %n, 2
  br i1 %small, label %one, label %more

one:
  ret i32 1

more:
  %m = sub i32 %n, 1
  %f = call i32 @factorial(i32 %m)
  %r = mul i32 %n, %f
  ret i32 %r
}

define internal i32 @twice(i32 %n) #0 {
  %r = shl i32 %n, 1
  ret i32 %r
}

define internal i32 @plus100(i32 %n) #0 {
  %r = add i32 %n, 100
  ret i32 %r
}

define ptx_kernel void @k(ptr addrspace(1) %y) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = call i32 @factorial(i32 %t)
  %o = getelementptr i32, ptr addrspace(1) %y, i32 %t
  store i32 %f, ptr addrspace(1) %o
  %low = icmp ult i32 %t, 3
  %fn = select i1 %low, ptr @twice, ptr @plus100
  %v = call i32 %fn(i32 %t)
  %o2 = getelementptr i32, ptr addrspace(1) %o, i32 6
  store i32 %v, ptr addrspace(1) %o2
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
