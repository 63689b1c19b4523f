; Handles of textures, samplers and surfaces become the names of their variables and parameters (manual 5.3), also where hand-written
; assembly uses them.
; RUN: raise -O0 check
; RUN: raise -O2
; CHECK: .global .texref picture;
; CHECK: .global .surfref plane;
; CHECK: .entry k(
; CHECK: .param .texref {{.*}},
; CHECK: .param .samplerref
; CHECK: tex.2d.v4.f32.f32 {{.*}}, [picture, {{.*}}_1, {{.*}}];
; CHECK: suld.b.1d.b32.trap {{.*}}, [plane, {{.*}}];
; CHECK: txq.width.b32 {{.*}}, [{{.*}}_0];
target triple = "nvptx64-nvidia-cuda"

@picture = hidden addrspace(1) global i64 0, align 8
@plane = hidden addrspace(1) global i64 0, align 8

declare i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1))

define ptx_kernel void @k(i64 %0, i64 %1, ptr addrspace(1) %out) #0 {
  %t = call i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1) @picture)
  %texel = call { float, float, float, float } asm sideeffect "tex.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, $5, {$6, $6}];", "=f,=f,=f,=f,l,l,f"(i64 %t, i64 %1, float 0.0)
  %x = extractvalue { float, float, float, float } %texel, 0
  store float %x, ptr addrspace(1) %out
  %s = call i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1) @plane)
  %y = call i32 asm sideeffect "suld.b.1d.b32.trap {$0}, [$1, {$2}];", "=r,l,r,~{memory}"(i64 %s, i32 3)
  store i32 %y, ptr addrspace(1) %out
  %w = call i32 asm "txq.width.b32 $0, [$1];", "=r,l"(i64 %0)
  store i32 %w, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }

!ptx.target = !{!4}
!4 = !{!"sm_80", !"texmode_independent"}
!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr addrspace(1) @picture, !"texture", i32 1}
!1 = !{ptr addrspace(1) @plane, !"surface", i32 1}
!2 = !{ptr @k, !"rdoimage", i32 0}
!3 = !{ptr @k, !"sampler", i32 1}
