; A structure passed to the kernel by value, and scalar parameters of several widths.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=1
; ARG: u32[3] = 7 8 9
; ARG: u8 = 250
; ARG: u16 = 3
; ARG: f64 = 1.5
; ARG: out y u32[5]
; WANT: y = 9 7 250 3 3
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%three = type { i32, i32, i32 }

define ptx_kernel void @k(ptr byval(%three) align 4 %s, i8 %b, i16 %h, double %d, ptr addrspace(1) %y) #0 {
  %p = getelementptr %three, ptr %s, i32 0, i32 2
  %r0 = load i32, ptr %p
  %r1 = load i32, ptr %s
  %r2 = zext i8 %b to i32
  %r3 = zext i16 %h to i32
  %e = fadd double %d, %d
  %r4 = fptoui double %e to i32
  %o0 = getelementptr i32, ptr addrspace(1) %y, i64 0
  store i32 %r0, ptr addrspace(1) %o0
  %o1 = getelementptr i32, ptr addrspace(1) %y, i64 1
  store i32 %r1, ptr addrspace(1) %o1
  %o2 = getelementptr i32, ptr addrspace(1) %y, i64 2
  store i32 %r2, ptr addrspace(1) %o2
  %o3 = getelementptr i32, ptr addrspace(1) %y, i64 3
  store i32 %r3, ptr addrspace(1) %o3
  %o4 = getelementptr i32, ptr addrspace(1) %y, i64 4
  store i32 %r4, ptr addrspace(1) %o4
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
