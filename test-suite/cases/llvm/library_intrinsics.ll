; Names that NVIDIA's compiler library has for itself: the kind of shuffle or vote is an argument.
; RUN: raise -O0 check
; RUN: exec
; LAUNCH: entry=k grid=1 block=32
; ARG: out shuffled u32[32]
; ARG: out votes u32[32]
; ARG: out agreed u32[32]
; WANT: shuffled = 1 0 3 2 5 4 7 6 9 8 11 10 13 12 15 14 17 16 19 18 21 20 23 22 25 24 27 26 29 28 31 30
; WANT: votes = 32*0xAAAAAAAA
; WANT: agreed = 32*0
; CHECK-NOT: .extern
; CHECK: shfl.sync.bfly.b32
; CHECK: vote.sync.ballot.b32
; CHECK: vote.sync.all.pred
; CHECK: match.all.sync.b64
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare { i32, i1 } @llvm.nvvm.shfl.sync.i32(i32, i32, i32, i32, i32)
declare { i32, i1 } @llvm.nvvm.vote.sync(i32, i32, i1)
declare { i32, i1 } @llvm.nvvm.match.all.sync.i64(i32, i64)

define ptx_kernel void @k(ptr addrspace(1) %shuffled, ptr addrspace(1) %votes, ptr addrspace(1) %agreed) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %shuffle = call { i32, i1 } @llvm.nvvm.shfl.sync.i32(i32 -1, i32 3, i32 %t, i32 1, i32 31)
  %value = extractvalue { i32, i1 } %shuffle, 0
  %a = getelementptr i32, ptr addrspace(1) %shuffled, i32 %t
  store i32 %value, ptr addrspace(1) %a
  %odd = trunc i32 %t to i1
  %ballot = call { i32, i1 } @llvm.nvvm.vote.sync(i32 -1, i32 3, i1 %odd)
  %word = extractvalue { i32, i1 } %ballot, 0
  %b = getelementptr i32, ptr addrspace(1) %votes, i32 %t
  store i32 %word, ptr addrspace(1) %b
  %vote = call { i32, i1 } @llvm.nvvm.vote.sync(i32 -1, i32 0, i1 %odd)
  %all = extractvalue { i32, i1 } %vote, 1
  %wide = zext i32 %t to i64
  %match = call { i32, i1 } @llvm.nvvm.match.all.sync.i64(i32 -1, i64 %wide)
  %same = extractvalue { i32, i1 } %match, 1
  %either = or i1 %all, %same
  %number = zext i1 %either to i32
  %c = getelementptr i32, ptr addrspace(1) %agreed, i32 %t
  store i32 %number, ptr addrspace(1) %c
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx70" }
