; Addresses of a table's elements as one constant vector, from which a gather loads.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k block=1
; ARG: out y u32[5]
; WANT: y = 10 17 14 12 15
target triple = "nvptx64-nvidia-cuda"

@table = internal addrspace(4) constant [8 x i32] [i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17]

define ptx_kernel void @k(ptr addrspace(1) %y) #0 {
  %three = call <3 x i32> @llvm.masked.gather.v3i32.v3p4(<3 x ptr addrspace(4)> align 4 getelementptr (i32, ptr addrspace(4) @table, <3 x i64> <i64 0, i64 7, i64 4>), <3 x i1> splat (i1 true), <3 x i32> poison)
  store <3 x i32> %three, ptr addrspace(1) %y, align 4
  %y3 = getelementptr i8, ptr addrspace(1) %y, i32 12
  ; Steps of two bytes from the fifth element: back to the third, and on to the sixth.
  %two = call <2 x i32> @llvm.masked.gather.v2i32.v2p4(<2 x ptr addrspace(4)> align 4 getelementptr (i16, ptr addrspace(4) getelementptr (i8, ptr addrspace(4) @table, i64 16), <2 x i32> <i32 -4, i32 2>), <2 x i1> splat (i1 true), <2 x i32> poison)
  store <2 x i32> %two, ptr addrspace(1) %y3, align 4
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
