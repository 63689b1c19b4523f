; Whether any or all of several truth values hold, as LLVM's vectorizer asks: the integer that a vector of them is, compared with zero
; or with all ones. Predicates are combined instead; other numbers, and an integer that something else reads too, are compared as they are.
; RUN: exec
; RUN: raise -O0 check=DIRECT
; RUN: raise -O3 check=DIRECT
; RUN: roundtrip -O0 -O3
; LAUNCH: entry=four grid=1 block=5
; ARG: in bytes u8 = 0 0 0 0  1 2 3 4  0 9 0 0  7 0 7 7  0 0 0 1
; ARG: out out u32[5]
; WANT: out = 10 5 9 9 9
; LAUNCH: entry=others grid=1 block=5
; ARG: in bytes u8 = 0 0 0 0  1 2 3 4  0 9 0 0  7 0 7 7  0 0 0 1
; ARG: out out u32[5]
; WANT: out = 0 31 2 29 8
target triple = "nvptx64-nvidia-cuda"

; DIRECT: .entry four(
; DIRECT-NOT: selp.b16
; DIRECT: or.pred
; DIRECT: or.pred
; DIRECT: or.pred
; DIRECT-NOT: shl.b16
; DIRECT: .entry others(
define ptx_kernel void @four(ptr addrspace(1) %bytes, ptr addrspace(1) %out) "target-cpu"="sm_80" "target-features"="+ptx80" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr <4 x i8>, ptr addrspace(1) %bytes, i32 %t
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %v = load <4 x i8>, ptr addrspace(1) %p, align 4
  %c = icmp ne <4 x i8> %v, zeroinitializer
  %d = icmp ne <4 x i8> %v, zeroinitializer
  %i = bitcast <4 x i1> %c to i4
  %any = icmp ne i4 %i, 0
  %j = bitcast <4 x i1> %d to i4
  %none = icmp eq i4 %j, 0
  %e = icmp ugt <4 x i8> %v, zeroinitializer
  %k = bitcast <4 x i1> %e to i4
  %all = icmp eq i4 %k, -1
  %f = icmp ugt <4 x i8> %v, zeroinitializer
  %l = bitcast <4 x i1> %f to i4
  %some_not = icmp ne i4 %l, -1
  %a = zext i1 %any to i32
  %b = select i1 %none, i32 2, i32 0
  %g = select i1 %all, i32 4, i32 0
  %h = select i1 %some_not, i32 8, i32 0
  %ab = or i32 %a, %b
  %gh = or i32 %g, %h
  %r = or i32 %ab, %gh
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}

define ptx_kernel void @others(ptr addrspace(1) %bytes, ptr addrspace(1) %out) "target-cpu"="sm_80" "target-features"="+ptx80" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr <4 x i8>, ptr addrspace(1) %bytes, i32 %t
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %v = load <4 x i8>, ptr addrspace(1) %p, align 4
  %c = icmp ne <4 x i8> %v, zeroinitializer
  %i = bitcast <4 x i1> %c to i4
  %any = icmp ne i4 %i, 0
  ; Above eight: the last one, and another.
  %last = icmp ugt i4 %i, 8
  %w = zext i4 %i to i32
  %x = select i1 %last, i32 16, i32 0
  %y = add i32 %x, %w
  %z = select i1 %any, i32 %y, i32 0
  store i32 %z, ptr addrspace(1) %q, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
