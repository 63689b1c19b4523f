; Arithmetic of 128 bits: sums, products, shifts, comparisons, division.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=1
; ARG: in x u64 = 12345 68719476736 77 2
; ARG: out y u64[15]
; WANT: y = 12422 68719476738 12268 68719476734 950565 5291399733362 0 790080 0 8 18446744073709551615 18446744073709486079 1 34359738367 18446741428009709702
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %xb = getelementptr i128, ptr addrspace(1) %x, i32 1
  %a = load i128, ptr addrspace(1) %x, align 8
  %b = load i128, ptr addrspace(1) %xb, align 8
  %r0 = add i128 %a, %b
  %r1 = sub i128 %a, %b
  %r2 = mul i128 %a, %b
  %r3 = shl i128 %a, 70
  %r4 = lshr i128 %a, 33
  %n = sub i128 0, %a
  %r5 = ashr i128 %n, 20
  %p0 = getelementptr i128, ptr addrspace(1) %y, i32 0
  store i128 %r0, ptr addrspace(1) %p0, align 8
  %p1 = getelementptr i128, ptr addrspace(1) %y, i32 1
  store i128 %r1, ptr addrspace(1) %p1, align 8
  %p2 = getelementptr i128, ptr addrspace(1) %y, i32 2
  store i128 %r2, ptr addrspace(1) %p2, align 8
  %p3 = getelementptr i128, ptr addrspace(1) %y, i32 3
  store i128 %r3, ptr addrspace(1) %p3, align 8
  %p4 = getelementptr i128, ptr addrspace(1) %y, i32 4
  store i128 %r4, ptr addrspace(1) %p4, align 8
  %p5 = getelementptr i128, ptr addrspace(1) %y, i32 5
  store i128 %r5, ptr addrspace(1) %p5, align 8
  %c = icmp ugt i128 %a, %b
  %c64 = zext i1 %c to i64
  %d = udiv i128 %a, %b
  %d64 = trunc i128 %d to i64
  %m = urem i128 %a, %b
  %m64 = trunc i128 %m to i64
  %q0 = getelementptr i64, ptr addrspace(1) %y, i32 12
  store i64 %c64, ptr addrspace(1) %q0
  %q1 = getelementptr i64, ptr addrspace(1) %y, i32 13
  store i64 %d64, ptr addrspace(1) %q1
  %q2 = getelementptr i64, ptr addrspace(1) %y, i32 14
  store i64 %m64, ptr addrspace(1) %q2
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
