; A device function that passes a structure on that it was given by value, copies it, and reads it afterwards.
; RUN: raise -O0 check
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=1
; ARG: in x u32[5] = 3 4 5 6 7
; ARG: out y u32[9]
; The structure, 4 + 7 of the function that changes its own copy, and what the first one sees afterwards: 3 + 7
; WANT: y = 3 4 5 6 7 1011 10 4 1018
; CHECK: ) middle(
; CHECK-NOT: .local
; CHECK: st.param.b32
; CHECK-NOT: .local
; CHECK: .entry k(
target triple = "nvptx64-nvidia-cuda"

%five = type { i32, [4 x i32] }

define internal i32 @inner(ptr byval(%five) align 4 %s) noinline #0 {
  store i32 1000, ptr %s
  %p = getelementptr i8, ptr %s, i64 4
  %q = getelementptr i8, ptr %s, i64 16
  %a = load i32, ptr %s
  %b = load i32, ptr %p
  %c = load i32, ptr %q
  %ab = add i32 %a, %b
  %abc = add i32 %ab, %c
  ret i32 %abc
}

define internal i32 @middle(ptr byval(%five) align 4 %s, ptr addrspace(1) %y) noinline #0 {
  %r = call i32 @inner(ptr byval(%five) align 4 %s)
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 4 %y, ptr align 4 %s, i64 20, i1 false)
  %o5 = getelementptr i8, ptr addrspace(1) %y, i64 20
  store i32 %r, ptr addrspace(1) %o5
  %q = getelementptr i8, ptr %s, i64 16
  %a = load i32, ptr %s
  %b = load i32, ptr %q
  %ab = add i32 %a, %b
  %o6 = getelementptr i8, ptr addrspace(1) %y, i64 24
  store i32 %ab, ptr addrspace(1) %o6
  %p = getelementptr i8, ptr %s, i64 4
  %o7 = getelementptr i8, ptr addrspace(1) %y, i64 28
  call void @llvm.memmove.p1.p0.i64(ptr addrspace(1) align 4 %o7, ptr align 4 %p, i64 4, i1 false)
  %again = call i32 @inner(ptr byval(%five) align 4 %s)
  %sum = add i32 %again, 7
  ret i32 %sum
}

define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %s = alloca %five
  call void @llvm.memcpy.p0.p1.i64(ptr align 4 %s, ptr addrspace(1) align 4 %x, i64 20, i1 false)
  %r = call i32 @middle(ptr byval(%five) align 4 %s, ptr addrspace(1) %y)
  %o = getelementptr i8, ptr addrspace(1) %y, i64 32
  store i32 %r, ptr addrspace(1) %o
  ret void
}

declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memmove.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
