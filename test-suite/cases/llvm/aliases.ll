; Other names: of a function, of a name of a function, of a variable and of a place inside one. fp128 lies in memory only.
; RUN: raise -O0 check
; RUN: roundtrip -O0
; RUN: exec
; LAUNCH: entry=k
; ARG: out y i32[4]
; ARG: out z b64[2]
; WANT: y = 42 42 7 8
; WANT: z = 0x0123456789abcdef 0x3fff000000000000
; CHECK: .alias again, forty_two;
target triple = "nvptx64-nvidia-cuda"

@v = internal addrspace(1) global [2 x i32] [i32 7, i32 8]
@first = internal alias i32, ptr addrspace(1) @v
@second = private alias i32, ptr addrspace(1) getelementptr ([2 x i32], ptr addrspace(1) @v, i32 0, i32 1)
@wide = internal addrspace(1) constant fp128 0xL0123456789ABCDEF3FFF000000000000
@again = alias i32 (), ptr @forty_two
@third_name = internal alias i32 (), ptr @again

define i32 @forty_two() #0 {
  ret i32 42
}

define ptx_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %z) #0 {
  %a = call i32 @again()
  %b = call i32 @third_name()
  %c = load i32, ptr addrspace(1) @first
  %d = load i32, ptr addrspace(1) @second
  store i32 %a, ptr addrspace(1) %y
  %y1 = getelementptr i32, ptr addrspace(1) %y, i32 1
  store i32 %b, ptr addrspace(1) %y1
  %y2 = getelementptr i32, ptr addrspace(1) %y, i32 2
  store i32 %c, ptr addrspace(1) %y2
  %y3 = getelementptr i32, ptr addrspace(1) %y, i32 3
  store i32 %d, ptr addrspace(1) %y3
  %w = load fp128, ptr addrspace(1) @wide
  store fp128 %w, ptr addrspace(1) %z
  ret void
}

attributes #0 = { noinline "target-cpu"="sm_80" "target-features"="+ptx80" }
