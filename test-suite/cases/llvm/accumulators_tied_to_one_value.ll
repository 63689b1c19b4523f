; Two accumulators that inline assembly ties to the same value: each product has registers of its own, so that the second one begins with 100, too.
; All factors are 1: a product adds 16 (the length of a row) to 100.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=128
; ARG: inout base f32[512] = 512*100
; WANT: base = 512*116
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@sh = internal addrspace(3) global [8192 x i8] undef, align 1024
@out = internal addrspace(3) global [16 x i8] undef, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define ptx_kernel void @k(ptr addrspace(1) %base) "target-cpu"="sm_90a" "target-features"="+ptx80" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %fill
fill:
  %i = phi i32 [ %t, %entry ], [ %i2, %fill ]
  %at = getelementptr i32, ptr addrspace(3) @sh, i32 %i
  store i32 1006648320, ptr addrspace(3) %at
  %i2 = add i32 %i, 128
  %more = icmp ult i32 %i2, 2048
  br i1 %more, label %fill, label %go
go:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void asm sideeffect "fence.proxy.async;", "~{memory}"()
  %sa = ptrtoint ptr addrspace(3) @sh to i64
  %s4 = lshr i64 %sa, 4
  %d0 = or i64 %s4, 524288
  %da = or i64 %d0, 68719476736
  %so = ptrtoint ptr addrspace(3) @out to i32
  %tw = zext i32 %t to i64
  %p = getelementptr [4 x float], ptr addrspace(1) %base, i64 %tw
  %x0 = load float, ptr addrspace(1) %p
  %q1 = getelementptr float, ptr addrspace(1) %p, i64 1
  %x1 = load float, ptr addrspace(1) %q1
  %q2 = getelementptr float, ptr addrspace(1) %p, i64 2
  %x2 = load float, ptr addrspace(1) %q2
  %q3 = getelementptr float, ptr addrspace(1) %p, i64 3
  %x3 = load float, ptr addrspace(1) %q3
  %r = call { float, float, float, float, float, float, float, float } asm sideeffect "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0,$1,$2,$3}, $8, $9, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; st.shared.f32 [$10], $0; wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$4,$5,$6,$7}, $8, $9, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,l,l,r,0,1,2,3,4,5,6,7"(i64 %da, i64 %da, i32 %so, float %x0, float %x1, float %x2, float %x3, float %x0, float %x1, float %x2, float %x3)
  %y0 = extractvalue { float, float, float, float, float, float, float, float } %r, 4
  %y1 = extractvalue { float, float, float, float, float, float, float, float } %r, 5
  %y2 = extractvalue { float, float, float, float, float, float, float, float } %r, 6
  %y3 = extractvalue { float, float, float, float, float, float, float, float } %r, 7
  store float %y0, ptr addrspace(1) %p
  store float %y1, ptr addrspace(1) %q1
  store float %y2, ptr addrspace(1) %q2
  store float %y3, ptr addrspace(1) %q3
  ret void
}
