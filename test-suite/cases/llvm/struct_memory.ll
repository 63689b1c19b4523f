; Fields of a structure in memory, found by getelementptr through nested types.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=1
; ARG: in x u32 = 1 2 3 4 5 6 7 8 9 10 11 12
; ARG: out y u32[3]
; WANT: y = 4 10 6
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%inner = type { i16, i32 }
%outer = type { i32, [2 x %inner], i8 }

define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  ; An %outer is 4 + 2 * 8 + 1 bytes, padded to 24.
  %a = getelementptr %outer, ptr addrspace(1) %x, i32 0, i32 1, i32 0, i32 1
  %b = getelementptr %outer, ptr addrspace(1) %x, i32 1, i32 1, i32 1, i32 0
  %c = getelementptr inbounds %outer, ptr addrspace(1) %x, i64 0, i32 2
  %va = load i32, ptr addrspace(1) %a
  %a1 = add i32 %va, 1
  %vb = load i16, ptr addrspace(1) %b
  %vb32 = zext i16 %vb to i32
  %vc = load i8, ptr addrspace(1) %c
  %vc32 = sext i8 %vc to i32
  %p0 = getelementptr i32, ptr addrspace(1) %y, i64 0
  store i32 %a1, ptr addrspace(1) %p0
  %p1 = getelementptr i32, ptr addrspace(1) %y, i64 1
  store i32 %vb32, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %y, i64 2
  store i32 %vc32, ptr addrspace(1) %p2
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
