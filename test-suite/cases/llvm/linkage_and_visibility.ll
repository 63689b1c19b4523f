; Definitions that other modules of the program can name are `.visible` with any visibility, as llc emits them; internal ones have no
; directive (manual 11.6).
; RUN: raise -O0 check
; CHECK: .visible .global .align 4 .b32 hidden_variable
; CHECK: .visible .global .align 4 .b32 protected_variable
; CHECK: {{^|\n}}.global .align 4 .b32 own
; CHECK: .weak .global .align 4 .b32 weak_variable
; CHECK: .extern .global .align 4 .b32 outer
; CHECK: .visible .shared .align 4 .b32 hidden_shared
; CHECK: .visible .func hidden_function
; CHECK: .weak .func once()
; CHECK: {{^|\n}}.func inner()
; CHECK: .visible .entry hidden_kernel
; CHECK: .visible .entry protected_kernel
target triple = "nvptx64-nvidia-cuda"

@hidden_variable = hidden addrspace(1) global i32 5, align 4
@protected_variable = protected addrspace(1) global i32 5, align 4
@own = internal addrspace(1) global i32 5, align 4
@weak_variable = weak hidden addrspace(1) global i32 5, align 4
@outer = external hidden addrspace(1) global i32, align 4
@hidden_shared = hidden addrspace(3) global i32 undef, align 4
@llvm.compiler.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @own to ptr)], section "llvm.metadata"

define hidden void @hidden_function() {
  store i32 1, ptr addrspace(1) @outer, align 4
  ret void
}

define linkonce_odr hidden void @once() {
  ret void
}

define internal void @inner() noinline {
  store i32 1, ptr addrspace(1) @own, align 4
  store i32 2, ptr addrspace(3) @hidden_shared, align 4
  ret void
}

define hidden ptx_kernel void @hidden_kernel() {
  call void @inner()
  call void @hidden_function()
  call void @once()
  ret void
}

define protected ptx_kernel void @protected_kernel() {
  store i32 1, ptr addrspace(1) @hidden_variable, align 4
  store i32 1, ptr addrspace(1) @protected_variable, align 4
  store i32 1, ptr addrspace(1) @weak_variable, align 4
  ret void
}
