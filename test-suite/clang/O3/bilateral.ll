; ModuleID = 'bilateral.cu'
source_filename = "bilateral.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: nofree noinline norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @bilateral(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2, i32 noundef %3, float noundef %4, float noundef %5) local_unnamed_addr #0 {
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %8 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %9 = mul i32 %7, %8
  %10 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %11 = add i32 %9, %10
  %12 = icmp slt i32 %11, %2
  br i1 %12, label %13, label %107

13:                                               ; preds = %6
  %14 = sext i32 %11 to i64
  %15 = getelementptr inbounds float, ptr %0, i64 %14
  %16 = load float, ptr %15, align 4, !tbaa !11
  %17 = icmp slt i32 %3, 0
  br i1 %17, label %49, label %18

18:                                               ; preds = %13
  %19 = sub nsw i32 %11, %3
  %20 = icmp sgt i32 %19, -1
  %21 = icmp slt i32 %19, %2
  %22 = and i1 %20, %21
  br i1 %22, label %23, label %40

23:                                               ; preds = %18
  %24 = zext nneg i32 %19 to i64
  %25 = getelementptr inbounds nuw float, ptr %0, i64 %24
  %26 = load float, ptr %25, align 4, !tbaa !11
  %27 = fsub contract float %26, %16
  %28 = mul nuw nsw i32 %3, %3
  %29 = uitofp nneg i32 %28 to float
  %30 = fneg contract float %29
  %31 = fmul contract float %4, %30
  %32 = fmul contract float %27, %27
  %33 = fmul contract float %5, %32
  %34 = fsub contract float %31, %33
  %35 = fmul float %34, 0x3FF7154760000000
  %36 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %35)
  %37 = fmul contract float %26, %36
  %38 = fadd contract float %37, 0.000000e+00
  %39 = fadd contract float %36, 0.000000e+00
  br label %40

40:                                               ; preds = %23, %18
  %41 = phi float [ %39, %23 ], [ 0.000000e+00, %18 ]
  %42 = phi float [ %38, %23 ], [ 0.000000e+00, %18 ]
  %43 = sub nsw i32 1, %3
  %44 = icmp eq i32 %3, 0
  br i1 %44, label %45, label %52

45:                                               ; preds = %102, %40
  %46 = phi float [ %41, %40 ], [ %103, %102 ]
  %47 = phi float [ %42, %40 ], [ %104, %102 ]
  %48 = fdiv contract float %47, %46
  br label %49

49:                                               ; preds = %45, %13
  %50 = phi float [ 0x7FF8000000000000, %13 ], [ %48, %45 ]
  %51 = getelementptr inbounds float, ptr %1, i64 %14
  store float %50, ptr %51, align 4, !tbaa !11
  br label %107

52:                                               ; preds = %40, %102
  %53 = phi float [ %104, %102 ], [ %42, %40 ]
  %54 = phi float [ %103, %102 ], [ %41, %40 ]
  %55 = phi i32 [ %105, %102 ], [ %43, %40 ]
  %56 = add nsw i32 %55, %11
  %57 = icmp sgt i32 %56, -1
  %58 = icmp slt i32 %56, %2
  %59 = and i1 %57, %58
  br i1 %59, label %60, label %77

60:                                               ; preds = %52
  %61 = zext nneg i32 %56 to i64
  %62 = getelementptr inbounds nuw float, ptr %0, i64 %61
  %63 = load float, ptr %62, align 4, !tbaa !11
  %64 = fsub contract float %63, %16
  %65 = mul nsw i32 %55, %55
  %66 = uitofp nneg i32 %65 to float
  %67 = fneg contract float %66
  %68 = fmul contract float %4, %67
  %69 = fmul contract float %64, %64
  %70 = fmul contract float %5, %69
  %71 = fsub contract float %68, %70
  %72 = fmul float %71, 0x3FF7154760000000
  %73 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %72)
  %74 = fmul contract float %63, %73
  %75 = fadd contract float %53, %74
  %76 = fadd contract float %54, %73
  br label %77

77:                                               ; preds = %52, %60
  %78 = phi float [ %76, %60 ], [ %54, %52 ]
  %79 = phi float [ %75, %60 ], [ %53, %52 ]
  %80 = add i32 %55, 1
  %81 = add nsw i32 %80, %11
  %82 = icmp sgt i32 %81, -1
  %83 = icmp slt i32 %81, %2
  %84 = and i1 %82, %83
  br i1 %84, label %85, label %102

85:                                               ; preds = %77
  %86 = zext nneg i32 %81 to i64
  %87 = getelementptr inbounds nuw float, ptr %0, i64 %86
  %88 = load float, ptr %87, align 4, !tbaa !11
  %89 = fsub contract float %88, %16
  %90 = mul nsw i32 %80, %80
  %91 = uitofp nneg i32 %90 to float
  %92 = fneg contract float %91
  %93 = fmul contract float %4, %92
  %94 = fmul contract float %89, %89
  %95 = fmul contract float %5, %94
  %96 = fsub contract float %93, %95
  %97 = fmul float %96, 0x3FF7154760000000
  %98 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %97)
  %99 = fmul contract float %88, %98
  %100 = fadd contract float %79, %99
  %101 = fadd contract float %78, %98
  br label %102

102:                                              ; preds = %85, %77
  %103 = phi float [ %101, %85 ], [ %78, %77 ]
  %104 = phi float [ %100, %85 ], [ %79, %77 ]
  %105 = add i32 %55, 2
  %106 = icmp eq i32 %80, %3
  br i1 %106, label %45, label %52, !llvm.loop !13

107:                                              ; preds = %6, %49
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.f32(float) #2

attributes #0 = { nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }

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
