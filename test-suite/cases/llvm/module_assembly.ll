; What the assembly of a module declares is part of it: LLVM IR calls its function and names its variable, and it those of LLVM IR.
; RUN: raise -O0 check
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=1
; ARG: out y u32[1]
; 2 * (4 * 5 + 7)
; WANT: y = 54
; CHECK: .global .align 4 .b32 scale = 5;
; CHECK: .global .align 4 .u32 steps[2] = {3, 4};
; CHECK: .visible .func (.param .u32 r) mix(
; CHECK: .u64 table = generic(steps);
; CHECK: .visible .entry k(
target triple = "nvptx64-nvidia-cuda"

module asm "// helpers by hand"
module asm ".extern .global .align 4 .b32 scale;"
module asm ".global .align 4 .u32 steps[2] = {3, 4};"
module asm ".global .align 8 .u64 where = generic(scale);"
module asm ".visible .func (.param .u32 r) mix(.param .u32 a, .param .u32 b)"
module asm "{"
module asm "    .reg .b32 %r<6>;"
module asm "    ld.param.u32 %r1, [a];"
module asm "    ld.param.u32 %r2, [b];"
module asm "    ld.global.u32 %r3, [scale];"
module asm "    mad.lo.u32 %r4, %r1, %r3, %r2;"
module asm "    {"
module asm "        .param .b32 x;"
module asm "        .param .b32 y;"
module asm "        st.param.b32 [x], %r4;"
module asm "        call.uni (y), twice, (x);"
module asm "        ld.param.b32 %r5, [y];"
module asm "    }"
module asm "    st.param.u32 [r], %r5;"
module asm "    ret;"
module asm "}"

@scale = internal addrspace(1) global i32 5
@steps = external addrspace(1) global [2 x i32]
@table = addrspace(1) constant [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @steps to ptr)]

@llvm.used = appending global [2 x ptr] [ptr addrspacecast (ptr addrspace(1) @scale to ptr), ptr @twice], section "llvm.metadata"

declare i32 @mix(i32, i32)

define internal i32 @twice(i32 %x) {
  %r = shl i32 %x, 1
  ret i32 %r
}

define ptx_kernel void @k(ptr addrspace(1) %out) #0 {
  %t = load ptr, ptr addrspace(1) @table
  %p = getelementptr i32, ptr %t, i64 1
  %v = load i32, ptr %p
  %m = call i32 @mix(i32 %v, i32 7)
  store i32 %m, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
