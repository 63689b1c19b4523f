; A switch that chooses one of several shared variables: LLVM's SimplifyCFG makes a table of their addresses, which PTX cannot initialize. So do
; programs whose source has such a table. The variable is chosen by the index instead.
; RUN: raise -O0 check
; RUN: raise -O2 check
; RUN: roundtrip -O0 -O2 check
; RUN: exec
; LAUNCH: entry=k block=6
; ARG: out r b32[18]
; WANT: r = 10 10 20 11 11 21 12 12 22 13 13 23 10 10 20 10 10 20
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-NOT: .b64 table
; CHECK-NOT: switch_table
; CHECK: .entry k
@s0 = internal addrspace(3) global [32 x i32] undef
@s1 = internal addrspace(3) global [64 x i32] undef
@s2 = internal addrspace(3) global [16 x i32] undef
@s3 = internal addrspace(3) global [128 x i32] undef
@table = internal addrspace(4) constant [4 x { ptr addrspace(3), i32, ptr }] [
  { ptr addrspace(3), i32, ptr } { ptr addrspace(3) @s0, i32 20, ptr addrspacecast (ptr addrspace(3) @s0 to ptr) },
  { ptr addrspace(3), i32, ptr } { ptr addrspace(3) @s1, i32 21, ptr addrspacecast (ptr addrspace(3) @s1 to ptr) },
  { ptr addrspace(3), i32, ptr } { ptr addrspace(3) @s2, i32 22, ptr addrspacecast (ptr addrspace(3) @s2 to ptr) },
  { ptr addrspace(3), i32, ptr } { ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @s3, i64 4), i32 23, ptr addrspacecast (ptr addrspace(3) @s3 to ptr) }]

define ptx_kernel void @k(ptr %r) {
  store i32 10, ptr addrspace(3) @s0
  store i32 11, ptr addrspace(3) @s1
  store i32 12, ptr addrspace(3) @s2
  store i32 13, ptr addrspace(3) @s3
  store i32 13, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @s3, i64 4)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  switch i32 %t, label %d [
    i32 1, label %a
    i32 2, label %b
    i32 3, label %c
    i32 4, label %e
    i32 5, label %e
  ]
a:
  br label %f
b:
  br label %f
c:
  br label %f
e:
  br label %f
d:
  br label %f
f:
  %p = phi ptr addrspace(3) [ @s1, %a ], [ @s2, %b ], [ @s3, %c ], [ @s0, %d ], [ @s0, %e ]
  %v = load i32, ptr addrspace(3) %p
  %o = getelementptr [3 x i32], ptr %r, i32 %t
  store i32 %v, ptr %o
  %within = icmp ult i32 %t, 4
  %i = select i1 %within, i32 %t, i32 0
  %entry = getelementptr [4 x { ptr addrspace(3), i32, ptr }], ptr addrspace(4) @table, i32 0, i32 %i
  %q = load ptr addrspace(3), ptr addrspace(4) %entry
  %w = load i32, ptr addrspace(3) %q
  %o1 = getelementptr i8, ptr %o, i32 4
  store i32 %w, ptr %o1
  %number = getelementptr { ptr addrspace(3), i32, ptr }, ptr addrspace(4) %entry, i32 0, i32 1
  %n = load i32, ptr addrspace(4) %number
  %o2 = getelementptr i8, ptr %o, i32 8
  store i32 %n, ptr %o2
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
