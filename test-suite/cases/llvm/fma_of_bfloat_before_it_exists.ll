; A target without `fma` of bfloat numbers rounds once all the same: the first six are wrong where single precision is rounded to nearest first.
; What is wanted was computed with rational numbers.
; RUN: raise -O0
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k block=8
; ARG: in x b16 = 0x3fdc 0x3fa0 0xa000 0x3fe2 0x3fc0 0xa480 0x3fc0 0x3f99 0xa000 0x3f98 0x3f88 0xa000 0x3fb8 0x3ff0 0x2480 0x3fe8 0x3f88 0x2000 0x7f00 0x4000 0xc000 0x40 0x3f00 0x8001
; ARG: out y b16[8]
; WANT: y = 0x4009 0x4029 0x3fe5 0x3fa1 0x402d 0x3ff7 0x7f80 0x1f
target triple = "nvptx64-nvidia-cuda"

declare bfloat @llvm.fma.bf16(bfloat, bfloat, bfloat)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = mul i32 %t, 6
  %p = getelementptr i8, ptr addrspace(1) %in, i32 %at
  %a = load bfloat, ptr addrspace(1) %p
  %pb = getelementptr i8, ptr addrspace(1) %p, i32 2
  %b = load bfloat, ptr addrspace(1) %pb
  %pc = getelementptr i8, ptr addrspace(1) %p, i32 4
  %c = load bfloat, ptr addrspace(1) %pc
  %r = call bfloat @llvm.fma.bf16(bfloat %a, bfloat %b, bfloat %c)
  %q = getelementptr bfloat, ptr addrspace(1) %out, i32 %t
  store bfloat %r, ptr addrspace(1) %q
  ret void
}

attributes #0 = { "target-cpu"="sm_75" }
