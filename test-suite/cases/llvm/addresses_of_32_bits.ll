; A module of LLVM's 32-bit target: pointers in structures, indices of 64 bits, distances, an initial value with addresses, memory whose size
; is known late, a function by its address, and an argument by value.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k block=2
; ARG: in x u32 = 5 6 7 8
; ARG: out y u32[16]
; WANT: y = 5 3 4 40 77 10 90 1000 6 3 4 40 77 12 90 1001
target datalayout = "e-p:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx-nvidia-cuda"

%pair = type { ptr, i32 }

@values = internal addrspace(1) global [2 x i32] [i32 3, i32 4]
@list = internal addrspace(1) global [2 x %pair] [%pair { ptr addrspacecast (ptr addrspace(1) @values to ptr), i32 30 }, %pair { ptr addrspacecast (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @values, i64 4) to ptr), i32 40 }]
@wide = internal addrspace(1) global i64 ptrtoint (ptr @double to i64)

define i32 @double(i32 %v) {
  %r = shl i32 %v, 1
  ret i32 %r
}

define i32 @sum({ i32, i32 } %v, ptr byval([2 x i32]) align 4 %p) noinline {
  %a = extractvalue { i32, i32 } %v, 0
  %q = getelementptr i32, ptr %p, i32 1
  store i32 80, ptr %q
  %b = load i32, ptr %q
  %r = add i32 %a, %b
  ret i32 %r
}

define ptx_kernel void @k(ptr %x, ptr %y) #0 {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i64 = zext i32 %i to i64
  %from = getelementptr i32, ptr %x, i64 %i64
  %v = load i32, ptr %from
  %row = shl i64 %i64, 3
  %to = getelementptr i32, ptr %y, i64 %row
  store i32 %v, ptr %to
  ; 3 and 4, by pointers in structures of eight bytes
  %p0 = load ptr, ptr addrspace(1) @list
  %v0 = load i32, ptr %p0
  %to1 = getelementptr i32, ptr %to, i32 1
  store i32 %v0, ptr %to1
  %at1 = getelementptr %pair, ptr addrspace(1) @list, i64 1
  %p1 = load ptr, ptr addrspace(1) %at1
  %v1 = load i32, ptr %p1
  %to2 = getelementptr i32, ptr %to, i32 2
  store i32 %v1, ptr %to2
  %at2 = getelementptr %pair, ptr addrspace(1) @list, i64 1, i32 1
  %v2 = load i32, ptr addrspace(1) %at2
  %to3 = getelementptr i32, ptr %to, i32 3
  store i32 %v2, ptr %to3
  ; 77 in memory of 4 * (i + 2) bytes
  %count = add i32 %i, 2
  %room = alloca i32, i32 %count
  %last = getelementptr i32, ptr %room, i32 1
  store volatile i32 77, ptr %last
  %v3 = load volatile i32, ptr %last
  %to4 = getelementptr i32, ptr %to, i32 4
  store i32 %v3, ptr %to4
  ; 2 * v, by an address that is a number of 64 bits in memory
  %number = load volatile i64, ptr addrspace(1) @wide
  %function = inttoptr i64 %number to ptr
  %v4 = call i32 %function(i32 %v)
  %to5 = getelementptr i32, ptr %to, i32 5
  store i32 %v4, ptr %to5
  ; 10 + 80
  %copied = alloca [2 x i32]
  call void @llvm.memcpy.p0.p0.i32(ptr align 4 %copied, ptr align 4 %x, i32 8, i1 false)
  %ten = insertvalue { i32, i32 } poison, i32 10, 0
  %v5 = call i32 @sum({ i32, i32 } %ten, ptr byval([2 x i32]) align 4 %copied)
  %to6 = getelementptr i32, ptr %to, i32 6
  store i32 %v5, ptr %to6
  ; 1000 + the number of elements from x to the one that was read
  %end = ptrtoint ptr %from to i32
  %start = ptrtoint ptr %x to i32
  %bytes = sub i32 %end, %start
  %elements = ashr exact i32 %bytes, 2
  %v6 = add i32 %elements, 1000
  %to7 = getelementptr i32, ptr %to, i32 7
  store i32 %v6, ptr %to7
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx78" }
