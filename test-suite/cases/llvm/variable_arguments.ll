; Arguments beyond the fixed ones lie in the caller's memory; va_arg walks them, each aligned as its type is.
; RUN: raise -O0
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k
; ARG: out y i64[4]
; WANT: y = 123 1000 45 -7
target triple = "nvptx64-nvidia-cuda"

%pair = type { i16, i64 }

declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_copy.p0(ptr, ptr)
declare void @llvm.va_end.p0(ptr)

; The sum of %n arguments of 32 bits.
define internal i64 @sum(i32 %n, ...) #0 {
entry:
  %list = alloca ptr
  call void @llvm.va_start.p0(ptr %list)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %s = phi i64 [ 0, %entry ], [ %t, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %done
body:
  %v = va_arg ptr %list, i32
  %w = sext i32 %v to i64
  %t = add i64 %s, %w
  %next = add i32 %i, 1
  br label %loop
done:
  call void @llvm.va_end.p0(ptr %list)
  ret i64 %s
}

; A short, a double and a structure by value: 2 + 900 + 98. The copy of the list reads the double again.
define internal i64 @mixed(ptr %again, ...) #0 {
  %list = alloca ptr
  %copy = alloca ptr
  call void @llvm.va_start.p0(ptr %list)
  %a = va_arg ptr %list, i16
  call void @llvm.va_copy.p0(ptr %copy, ptr %list)
  %b = va_arg ptr %list, double
  %c = va_arg ptr %list, %pair
  %d = va_arg ptr %copy, double
  store double %d, ptr %again
  %a64 = sext i16 %a to i64
  %b64 = fptosi double %b to i64
  %c0 = extractvalue %pair %c, 0
  %c1 = extractvalue %pair %c, 1
  %c64 = sext i16 %c0 to i64
  %s1 = add i64 %a64, %b64
  %s2 = add i64 %s1, %c64
  %s3 = add i64 %s2, %c1
  ret i64 %s3
}

define ptx_kernel void @k(ptr addrspace(1) %y) #0 {
  %again = alloca double
  %p = alloca %pair
  store %pair { i16 -2, i64 100 }, ptr %p
  %r0 = call i64 (i32, ...) @sum(i32 3, i32 100, i32 20, i32 3)
  store i64 %r0, ptr addrspace(1) %y
  %r1 = call i64 (ptr, ...) @mixed(ptr %again, i16 2, double 900.0, ptr byval(%pair) %p)
  %y1 = getelementptr i64, ptr addrspace(1) %y, i64 1
  store i64 %r1, ptr addrspace(1) %y1
  %f = select i1 true, ptr @sum, ptr @mixed
  %d = load double, ptr %again
  %di = fptosi double %d to i32
  %ninety = sub i32 %di, 855
  %r2 = call i64 (i32, ...) %f(i32 1, i32 %ninety)
  %y2 = getelementptr i64, ptr addrspace(1) %y, i64 2
  store i64 %r2, ptr addrspace(1) %y2
  %r3 = call i64 (i32, ...) @sum(i32 0)
  %m = sub i64 %r3, 7
  %y3 = getelementptr i64, ptr addrspace(1) %y, i64 3
  store i64 %m, ptr addrspace(1) %y3
  ret void
}

attributes #0 = { noinline "target-cpu"="sm_80" "target-features"="+ptx80" }
