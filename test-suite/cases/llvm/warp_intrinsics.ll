; Shuffles, votes and reductions through intrinsics; NVVM puts the mask first.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=32
; ARG: out y u32[96]
; WANT: y = 32*0x55555555 1 0 3 2 5 4 7 6 9 8 11 10 13 12 15 14 17 16 19 18 21 20 23 22 25 24 27 26 29 28 31 30 32*496
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %y) #1 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %o = getelementptr i32, ptr addrspace(1) %y, i32 %t
  %bit = and i32 %t, 1
  %even = icmp eq i32 %bit, 0
  %b = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %even)
  store i32 %b, ptr addrspace(1) %o
  %s = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %t, i32 1, i32 31)
  %o2 = getelementptr i32, ptr addrspace(1) %o, i32 32
  store i32 %s, ptr addrspace(1) %o2
  %r = call i32 @llvm.nvvm.redux.sync.add(i32 %t, i32 -1)
  %o3 = getelementptr i32, ptr addrspace(1) %o, i32 64
  store i32 %r, ptr addrspace(1) %o3
  ret void
}

declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) #1
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32) #1
declare i32 @llvm.nvvm.redux.sync.add(i32, i32) #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
attributes #1 = { convergent nounwind "target-cpu"="sm_80" "target-features"="+ptx80" }
