; What nobody writes is read through the cache for it: parameters that are `readonly noalias`, constant variables; three of four neighbours
; are read as one vector. A parameter that may be written, and one that another may point at, are not.
; RUN: raise -O0 check
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; CHECK: .entry k(
; CHECK: ld.global.nc.b32
; CHECK: ld.global.nc.v2.f32
; CHECK: ld.global.f32
; CHECK: ld.global.f32
; CHECK: ld.global.nc.f32
; LAUNCH: entry=k grid=1 block=2
; ARG: in i u32 = 1 0
; ARG: in a f32 = 1 2 3 4 10 20 30 40
; ARG: in b f32 = 0.5 0.25
; ARG: inout c f32 = 100 200
; WANT: c = 260.5 506.25
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table = internal addrspace(1) constant [2 x float] [float 100.0, float 300.0]

define ptx_kernel void @k(ptr addrspace(1) noalias readonly %i, ptr addrspace(1) noalias readonly align 16 %a, ptr addrspace(1) readonly %b, ptr addrspace(1) noalias %c) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pi = getelementptr i32, ptr addrspace(1) %i, i32 %t
  %at = load i32, ptr addrspace(1) %pi
  %pa = getelementptr [4 x float], ptr addrspace(1) %a, i32 %at
  %v = call <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1) align 16 %pa, <4 x i1> <i1 true, i1 true, i1 true, i1 false>, <4 x float> poison)
  %x = extractelement <4 x float> %v, i64 0
  %y = extractelement <4 x float> %v, i64 1
  %z = extractelement <4 x float> %v, i64 2
  %pb = getelementptr float, ptr addrspace(1) %b, i32 %t
  %bv = load float, ptr addrspace(1) %pb
  %pc = getelementptr float, ptr addrspace(1) %c, i32 %t
  %old = load float, ptr addrspace(1) %pc
  %pt = getelementptr float, ptr addrspace(1) @table, i32 %t
  %tv = load float, ptr addrspace(1) %pt
  %xy = fadd float %x, %y
  %xyz = fadd float %xy, %z
  %s1 = fadd float %xyz, %bv
  %s2 = fadd float %s1, %old
  %s3 = fadd float %s2, %tv
  store float %s3, ptr addrspace(1) %pc
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1), <4 x i1>, <4 x float>)
attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
