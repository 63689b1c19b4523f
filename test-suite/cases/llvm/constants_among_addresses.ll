; Numbers and null where an address in shared memory is chosen, and compared: none is of shared memory.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k block=2
; ARG: out y u32[10]
; WANT: y = 5 5 0 0 0 12 12 1 1 0
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [4 x i32] undef, align 16
@g = internal addrspace(1) global [4 x i32] [i32 12, i32 13, i32 14, i32 15], align 16

; Each thread writes five words; the first chooses shared memory.
define ptx_kernel void @k(ptr addrspace(1) %y) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 5, ptr addrspace(3) @s
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %c = icmp eq i32 %t, 0
  %wide = zext i32 %t to i64
  %y0 = getelementptr [5 x i32], ptr addrspace(1) %y, i64 %wide

  ; The number of an address in another space, chosen by a select and by a phi.
  %p0 = select i1 %c, ptr addrspacecast (ptr addrspace(3) @s to ptr), ptr inttoptr (i64 ptrtoint (ptr addrspace(1) @g to i64) to ptr)
  %v0 = load i32, ptr %p0
  store i32 %v0, ptr addrspace(1) %y0
  br i1 %c, label %chosen, label %other
other:
  br label %chosen
chosen:
  %p1 = phi ptr [ addrspacecast (ptr addrspace(3) @s to ptr), %entry ], [ inttoptr (i64 ptrtoint (ptr addrspace(1) @g to i64) to ptr), %other ]
  %v1 = load i32, ptr %p1
  %y1 = getelementptr i8, ptr addrspace(1) %y0, i64 4
  store i32 %v1, ptr addrspace(1) %y1

  ; A comparison with null, and a number that is not an address, used as one.
  %p2 = select i1 %c, ptr addrspacecast (ptr addrspace(3) @s to ptr), ptr null
  %is.null = icmp eq ptr %p2, null
  br i1 %is.null, label %nothing, label %something
something:
  store i32 5, ptr %p2
  br label %nothing
nothing:
  %v2 = zext i1 %is.null to i32
  %y2 = getelementptr i8, ptr addrspace(1) %y0, i64 8
  store i32 %v2, ptr addrspace(1) %y2
  %p3 = select i1 %c, ptr addrspacecast (ptr addrspace(3) @s to ptr), ptr inttoptr (i64 4096 to ptr)
  br i1 %c, label %accessed, label %seen
accessed:
  store i32 5, ptr %p3
  br label %seen
seen:
  %n3 = ptrtoint ptr %p3 to i64
  %e3 = icmp eq i64 %n3, 4096
  %v3 = zext i1 %e3 to i32
  %y3 = getelementptr i8, ptr addrspace(1) %y0, i64 12
  store i32 %v3, ptr addrspace(1) %y3

  ; An address in shared memory, the first there, is not null.
  %e4 = icmp eq ptr addrspacecast (ptr addrspace(3) @s to ptr), null
  %v4 = zext i1 %e4 to i32
  %y4 = getelementptr i8, ptr addrspace(1) %y0, i64 16
  store i32 %v4, ptr addrspace(1) %y4
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
