; ModuleID = 'idw.cu'
source_filename = "idw.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: nofree noinline norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @idw(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(none) %2, ptr noundef readonly captures(none) %3, ptr noundef writeonly captures(none) %4, i32 noundef %5, i32 noundef %6, float noundef %7) local_unnamed_addr #0 {
  %9 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %10 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %11 = mul i32 %9, %10
  %12 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %13 = add i32 %11, %12
  %14 = icmp slt i32 %13, %6
  br i1 %14, label %15, label %110

15:                                               ; preds = %8
  %16 = icmp sgt i32 %5, 0
  br i1 %16, label %17, label %59

17:                                               ; preds = %15
  %18 = shl nsw i32 %13, 1
  %19 = sext i32 %18 to i64
  %20 = getelementptr inbounds float, ptr %3, i64 %19
  %21 = load float, ptr %20, align 4, !tbaa !11
  %22 = getelementptr i8, ptr %20, i64 4
  %23 = load float, ptr %22, align 4, !tbaa !11
  %24 = fneg contract float %7
  %25 = and i32 %5, 1
  %26 = icmp eq i32 %5, 1
  br i1 %26, label %31, label %27

27:                                               ; preds = %17
  %28 = and i32 %5, 2147483646
  br label %63

29:                                               ; preds = %63
  %30 = icmp eq i32 %25, 0
  br i1 %30, label %55, label %31

31:                                               ; preds = %29, %17
  %32 = phi float [ 0.000000e+00, %17 ], [ %105, %29 ]
  %33 = phi float [ 0.000000e+00, %17 ], [ %106, %29 ]
  %34 = phi i32 [ 0, %17 ], [ %107, %29 ]
  %35 = icmp ne i32 %25, 0
  tail call void @llvm.assume(i1 %35)
  %36 = zext nneg i32 %34 to i64
  %37 = getelementptr inbounds nuw float, ptr %0, i64 %36
  %38 = load float, ptr %37, align 4, !tbaa !11
  %39 = fsub contract float %21, %38
  %40 = getelementptr inbounds nuw float, ptr %1, i64 %36
  %41 = load float, ptr %40, align 4, !tbaa !11
  %42 = fsub contract float %23, %41
  %43 = fmul contract float %39, %39
  %44 = fmul contract float %42, %42
  %45 = fadd contract float %43, %44
  %46 = fadd contract float %45, 0x3F847AE140000000
  %47 = tail call float @llvm.nvvm.lg2.approx.f(float %46) #4
  %48 = fmul float %47, %24
  %49 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %48)
  %50 = getelementptr inbounds nuw float, ptr %2, i64 %36
  %51 = load float, ptr %50, align 4, !tbaa !11
  %52 = fmul contract float %49, %51
  %53 = fadd contract float %32, %52
  %54 = fadd contract float %33, %49
  br label %55

55:                                               ; preds = %29, %31
  %56 = phi float [ %105, %29 ], [ %53, %31 ]
  %57 = phi float [ %106, %29 ], [ %54, %31 ]
  %58 = fdiv contract float %56, %57
  br label %59

59:                                               ; preds = %55, %15
  %60 = phi float [ 0x7FF8000000000000, %15 ], [ %58, %55 ]
  %61 = sext i32 %13 to i64
  %62 = getelementptr inbounds float, ptr %4, i64 %61
  store float %60, ptr %62, align 4, !tbaa !11
  br label %110

63:                                               ; preds = %63, %27
  %64 = phi float [ 0.000000e+00, %27 ], [ %105, %63 ]
  %65 = phi float [ 0.000000e+00, %27 ], [ %106, %63 ]
  %66 = phi i32 [ 0, %27 ], [ %107, %63 ]
  %67 = phi i32 [ 0, %27 ], [ %108, %63 ]
  %68 = zext nneg i32 %66 to i64
  %69 = getelementptr inbounds nuw float, ptr %0, i64 %68
  %70 = load float, ptr %69, align 4, !tbaa !11
  %71 = fsub contract float %21, %70
  %72 = getelementptr inbounds nuw float, ptr %1, i64 %68
  %73 = load float, ptr %72, align 4, !tbaa !11
  %74 = fsub contract float %23, %73
  %75 = fmul contract float %71, %71
  %76 = fmul contract float %74, %74
  %77 = fadd contract float %75, %76
  %78 = fadd contract float %77, 0x3F847AE140000000
  %79 = tail call float @llvm.nvvm.lg2.approx.f(float %78) #4
  %80 = fmul float %79, %24
  %81 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %80)
  %82 = getelementptr inbounds nuw float, ptr %2, i64 %68
  %83 = load float, ptr %82, align 4, !tbaa !11
  %84 = fmul contract float %81, %83
  %85 = fadd contract float %64, %84
  %86 = fadd contract float %65, %81
  %87 = or disjoint i32 %66, 1
  %88 = zext nneg i32 %87 to i64
  %89 = getelementptr inbounds nuw float, ptr %0, i64 %88
  %90 = load float, ptr %89, align 4, !tbaa !11
  %91 = fsub contract float %21, %90
  %92 = getelementptr inbounds nuw float, ptr %1, i64 %88
  %93 = load float, ptr %92, align 4, !tbaa !11
  %94 = fsub contract float %23, %93
  %95 = fmul contract float %91, %91
  %96 = fmul contract float %94, %94
  %97 = fadd contract float %95, %96
  %98 = fadd contract float %97, 0x3F847AE140000000
  %99 = tail call float @llvm.nvvm.lg2.approx.f(float %98) #4
  %100 = fmul float %99, %24
  %101 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %100)
  %102 = getelementptr inbounds nuw float, ptr %2, i64 %88
  %103 = load float, ptr %102, align 4, !tbaa !11
  %104 = fmul contract float %101, %103
  %105 = fadd contract float %85, %104
  %106 = fadd contract float %86, %101
  %107 = add nuw nsw i32 %66, 2
  %108 = add i32 %67, 2
  %109 = icmp eq i32 %108, %28
  br i1 %109, label %29, label %63, !llvm.loop !13

110:                                              ; preds = %8, %59
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.lg2.approx.f(float) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #3

attributes #0 = { nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #4 = { nounwind }

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
