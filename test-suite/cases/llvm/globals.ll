; Initialised globals: arrays, strings, structures, addresses and constant expressions.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=1
; ARG: out y u32[7]
; WANT: y = 30 0x64636261 7 40 20 5 0x41200000
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table = internal addrspace(1) global [4 x i32] [i32 10, i32 20, i32 30, i32 40]
@text = internal addrspace(1) constant [4 x i8] c"abcd", align 4
@mixed = internal addrspace(1) constant { i8, i32, float } { i8 1, i32 7, float 1.000000e+01 }
@link = internal addrspace(1) global ptr addrspace(1) getelementptr ([4 x i32], ptr addrspace(1) @table, i64 0, i64 3)
@generic = internal addrspace(1) global ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @table to ptr), i64 4)
@const = internal addrspace(4) constant [2 x i16] [i16 4, i16 5]

define ptx_kernel void @k(ptr addrspace(1) %y) #0 {
  %r0 = load i32, ptr addrspace(1) getelementptr (i32, ptr addrspace(1) @table, i64 2)
  %r1 = load i32, ptr addrspace(1) @text
  %r2 = load i32, ptr addrspace(1) getelementptr inbounds ({ i8, i32, float }, ptr addrspace(1) @mixed, i32 0, i32 1)
  %l = load ptr addrspace(1), ptr addrspace(1) @link
  %r3 = load i32, ptr addrspace(1) %l
  %g = load ptr, ptr addrspace(1) @generic
  %r4 = load i32, ptr %g
  %c = load i16, ptr addrspace(4) getelementptr (i16, ptr addrspace(4) @const, i64 1)
  %r5 = zext i16 %c to i32
  %r6 = load i32, ptr addrspace(1) getelementptr inbounds ({ i8, i32, float }, ptr addrspace(1) @mixed, i32 0, i32 2)
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
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
