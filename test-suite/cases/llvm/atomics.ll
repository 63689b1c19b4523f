; Atomic read-modify-write operations return the old value.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=1
; ARG: inout x s32 = 10 10 10 10 10 10 10 10 10
; ARG: inout f f32 = 1.5
; ARG: out y s32[10]
; WANT: x = 13 7 3 10 2 15 9 3 99
; WANT: f = 4
; WANT: y = 10 10 10 10 10 10 10 10 10 1
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %f, ptr addrspace(1) %y) #0 {
  %x0 = getelementptr i32, ptr addrspace(1) %x, i32 0
  %x1 = getelementptr i32, ptr addrspace(1) %x, i32 1
  %x2 = getelementptr i32, ptr addrspace(1) %x, i32 2
  %x3 = getelementptr i32, ptr addrspace(1) %x, i32 3
  %x4 = getelementptr i32, ptr addrspace(1) %x, i32 4
  %x5 = getelementptr i32, ptr addrspace(1) %x, i32 5
  %x6 = getelementptr i32, ptr addrspace(1) %x, i32 6
  %x7 = getelementptr i32, ptr addrspace(1) %x, i32 7
  %x8 = getelementptr i32, ptr addrspace(1) %x, i32 8
  %r0 = atomicrmw add ptr addrspace(1) %x0, i32 3 monotonic
  %r1 = atomicrmw sub ptr addrspace(1) %x1, i32 3 syncscope("device") monotonic
  %r2 = atomicrmw min ptr addrspace(1) %x2, i32 3 syncscope("block") acquire
  %r3 = atomicrmw umax ptr addrspace(1) %x3, i32 3 syncscope("device") release
  %r4 = atomicrmw and ptr addrspace(1) %x4, i32 3 acq_rel
  %r5 = atomicrmw or ptr addrspace(1) %x5, i32 5 syncscope("device") seq_cst
  %r6 = atomicrmw xor ptr addrspace(1) %x6, i32 3 monotonic
  %r7 = atomicrmw xchg ptr addrspace(1) %x7, i32 3 monotonic
  %c = cmpxchg ptr addrspace(1) %x8, i32 10, i32 99 syncscope("device") acq_rel monotonic
  %r8 = extractvalue { i32, i1 } %c, 0
  %ok = extractvalue { i32, i1 } %c, 1
  %r9 = zext i1 %ok to i32
  %g = atomicrmw fadd ptr addrspace(1) %f, float 2.5 syncscope("device") monotonic
  fence syncscope("device") seq_cst
  %p0 = getelementptr i32, ptr addrspace(1) %y, i64 0
  store i32 %r0, ptr addrspace(1) %p0
  %p1 = getelementptr i32, ptr addrspace(1) %y, i64 1
  store i32 %r1, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %y, i64 2
  store i32 %r2, ptr addrspace(1) %p2
  %p3 = getelementptr i32, ptr addrspace(1) %y, i64 3
  store i32 %r3, ptr addrspace(1) %p3
  %p4 = getelementptr i32, ptr addrspace(1) %y, i64 4
  store i32 %r4, ptr addrspace(1) %p4
  %p5 = getelementptr i32, ptr addrspace(1) %y, i64 5
  store i32 %r5, ptr addrspace(1) %p5
  %p6 = getelementptr i32, ptr addrspace(1) %y, i64 6
  store i32 %r6, ptr addrspace(1) %p6
  %p7 = getelementptr i32, ptr addrspace(1) %y, i64 7
  store i32 %r7, ptr addrspace(1) %p7
  %p8 = getelementptr i32, ptr addrspace(1) %y, i64 8
  store i32 %r8, ptr addrspace(1) %p8
  %p9 = getelementptr i32, ptr addrspace(1) %y, i64 9
  store i32 %r9, ptr addrspace(1) %p9
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
