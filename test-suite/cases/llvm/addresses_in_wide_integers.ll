; An address as a number of more bits than it has is extended with zeros, also in an initial value; and a list of constructors whose entries have no
; function runs nothing.
; RUN: raise -O0 check
; RUN: roundtrip -O0
; RUN: exec
; LAUNCH: entry=k
; ARG: out y i64[6]
; WANT: y = 5 0 5 0 6 3
; CHECK: .global .align 16 .u64 wide[2] = {v, 0};
target triple = "nvptx64-nvidia-cuda"

@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr null, ptr null }]
@v = addrspace(1) global [2 x i32] [i32 5, i32 6]
@wide = addrspace(1) global i128 ptrtoint (ptr addrspace(1) @v to i128)
@odd = addrspace(1) global i96 ptrtoint (ptr addrspace(1) @v to i96)
@inside = addrspace(1) global { i128, i8 } { i128 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @v, i64 4) to i128), i8 3 }

define i64 @target(i64 %address) {
  %p = inttoptr i64 %address to ptr addrspace(1)
  %x = load i32, ptr addrspace(1) %p
  %w = zext i32 %x to i64
  ret i64 %w
}

define ptx_kernel void @k(ptr addrspace(1) %y) {
  %wide = load i128, ptr addrspace(1) @wide
  %a = trunc i128 %wide to i64
  %a.target = call i64 @target(i64 %a)
  store i64 %a.target, ptr addrspace(1) %y
  %high = lshr i128 %wide, 64
  %b = trunc i128 %high to i64
  %y1 = getelementptr i64, ptr addrspace(1) %y, i64 1
  store i64 %b, ptr addrspace(1) %y1
  %odd = load i96, ptr addrspace(1) @odd
  %c = trunc i96 %odd to i64
  %c.target = call i64 @target(i64 %c)
  %y2 = getelementptr i64, ptr addrspace(1) %y, i64 2
  store i64 %c.target, ptr addrspace(1) %y2
  %odd.high = lshr i96 %odd, 64
  %d = trunc i96 %odd.high to i64
  %y3 = getelementptr i64, ptr addrspace(1) %y, i64 3
  store i64 %d, ptr addrspace(1) %y3
  %inside = load i128, ptr addrspace(1) @inside
  %e = trunc i128 %inside to i64
  %e.target = call i64 @target(i64 %e)
  %y4 = getelementptr i64, ptr addrspace(1) %y, i64 4
  store i64 %e.target, ptr addrspace(1) %y4
  %place = getelementptr { i128, i8 }, ptr addrspace(1) @inside, i32 0, i32 1
  %f = load i8, ptr addrspace(1) %place
  %f.wide = zext i8 %f to i64
  %y5 = getelementptr i64, ptr addrspace(1) %y, i64 5
  store i64 %f.wide, ptr addrspace(1) %y5
  ret void
}
