; ModuleID = 'layernorm.cu'
source_filename = "layernorm.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: convergent noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @layernorm(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(none) %2, ptr noundef writeonly captures(none) %3, i32 noundef %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %8 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %9 = mul i32 %7, %8
  %10 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %11 = add i32 %9, %10
  %12 = lshr i32 %11, 5
  %13 = and i32 %10, 31
  %14 = icmp slt i32 %12, %4
  br i1 %14, label %15, label %82

15:                                               ; preds = %6
  %16 = icmp slt i32 %13, %5
  br i1 %16, label %17, label %19

17:                                               ; preds = %15
  %18 = mul nsw i32 %5, %12
  br label %49

19:                                               ; preds = %49, %15
  %20 = phi float [ 0.000000e+00, %15 ], [ %59, %49 ]
  %21 = phi float [ 0.000000e+00, %15 ], [ %57, %49 ]
  %22 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %21, i32 16, i32 31)
  %23 = fadd contract float %21, %22
  %24 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %20, i32 16, i32 31)
  %25 = fadd contract float %20, %24
  %26 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %23, i32 8, i32 31)
  %27 = fadd contract float %23, %26
  %28 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %25, i32 8, i32 31)
  %29 = fadd contract float %25, %28
  %30 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %27, i32 4, i32 31)
  %31 = fadd contract float %27, %30
  %32 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %29, i32 4, i32 31)
  %33 = fadd contract float %29, %32
  %34 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %31, i32 2, i32 31)
  %35 = fadd contract float %31, %34
  %36 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %33, i32 2, i32 31)
  %37 = fadd contract float %33, %36
  %38 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %35, i32 1, i32 31)
  %39 = fadd contract float %35, %38
  %40 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %37, i32 1, i32 31)
  %41 = fadd contract float %37, %40
  %42 = sitofp i32 %5 to float
  %43 = fdiv contract float %39, %42
  %44 = fdiv contract float %41, %42
  %45 = fmul contract float %43, %43
  %46 = fsub contract float %44, %45
  %47 = fadd contract float %46, 0x3EE4F8B580000000
  %48 = tail call noundef float @llvm.nvvm.rsqrt.approx.f(float %47)
  br i1 %16, label %62, label %82

49:                                               ; preds = %17, %49
  %50 = phi float [ 0.000000e+00, %17 ], [ %57, %49 ]
  %51 = phi float [ 0.000000e+00, %17 ], [ %59, %49 ]
  %52 = phi i32 [ %13, %17 ], [ %60, %49 ]
  %53 = add nsw i32 %52, %18
  %54 = sext i32 %53 to i64
  %55 = getelementptr inbounds float, ptr %0, i64 %54
  %56 = load float, ptr %55, align 4, !tbaa !11
  %57 = fadd contract float %50, %56
  %58 = fmul contract float %56, %56
  %59 = fadd contract float %51, %58
  %60 = add nuw nsw i32 %52, 32
  %61 = icmp slt i32 %60, %5
  br i1 %61, label %49, label %19, !llvm.loop !13

62:                                               ; preds = %19
  %63 = mul nsw i32 %5, %12
  br label %64

64:                                               ; preds = %62, %64
  %65 = phi i32 [ %13, %62 ], [ %80, %64 ]
  %66 = add nsw i32 %65, %63
  %67 = sext i32 %66 to i64
  %68 = getelementptr inbounds float, ptr %0, i64 %67
  %69 = load float, ptr %68, align 4, !tbaa !11
  %70 = fsub contract float %69, %43
  %71 = fmul contract float %48, %70
  %72 = zext nneg i32 %65 to i64
  %73 = getelementptr inbounds nuw float, ptr %1, i64 %72
  %74 = load float, ptr %73, align 4, !tbaa !11
  %75 = fmul contract float %74, %71
  %76 = getelementptr inbounds nuw float, ptr %2, i64 %72
  %77 = load float, ptr %76, align 4, !tbaa !11
  %78 = fadd contract float %77, %75
  %79 = getelementptr inbounds float, ptr %3, i64 %67
  store float %78, ptr %79, align 4, !tbaa !11
  %80 = add nuw nsw i32 %65, 32
  %81 = icmp slt i32 %80, %5
  br i1 %81, label %64, label %82, !llvm.loop !15

82:                                               ; preds = %64, %19, %6
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.rsqrt.approx.f(float) #3

attributes #0 = { convergent noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4, !5}
!llvm.errno.tbaa = !{!6}
!nvvmir.version = !{!10}

!0 = !{i32 2, !"SDK Version", [2 x i32] [i32 12, i32 9]}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!5 = !{!"clang version 3.8.0 (tags/RELEASE_380/final)"}
!6 = !{!7, !7, i64 0}
!7 = !{!"int", !8, i64 0}
!8 = !{!"omnipotent char", !9, i64 0}
!9 = !{!"Simple C++ TBAA"}
!10 = !{i32 2, i32 0}
!11 = !{!12, !12, i64 0}
!12 = !{!"float", !8, i64 0}
!13 = distinct !{!13, !14}
!14 = !{!"llvm.loop.mustprogress"}
!15 = distinct !{!15, !14}
