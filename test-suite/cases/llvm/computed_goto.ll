; Addresses of blocks in a table are numbers, and indirectbr is a branch by number.
; RUN: raise -O0 check
; RUN: roundtrip -O0
; RUN: exec
; LAUNCH: entry=k block=3
; ARG: out y i32[3]
; WANT: y = 107 214 321
; CHECK: brx.idx
target triple = "nvptx64-nvidia-cuda"

@table = internal addrspace(1) constant [3 x ptr] [
  ptr blockaddress(@k, %a), ptr blockaddress(@k, %b), ptr blockaddress(@k, %c)]

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @k(ptr addrspace(1) %y) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr ptr, ptr addrspace(1) @table, i32 %t
  %to = load ptr, ptr addrspace(1) %p
  indirectbr ptr %to, [label %c, label %a, label %b]
a:
  br label %out
b:
  br label %out
c:
  br label %out
out:
  %v = phi i32 [ 107, %a ], [ 214, %b ], [ 321, %c ]
  %q = getelementptr i32, ptr addrspace(1) %y, i32 %t
  store i32 %v, ptr addrspace(1) %q
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
