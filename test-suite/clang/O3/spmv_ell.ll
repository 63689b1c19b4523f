; ModuleID = 'spmv_ell.cu'
source_filename = "spmv_ell.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @spmv_ell(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(none) %2, ptr noundef writeonly captures(none) %3, i32 noundef %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %8 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %9 = mul i32 %7, %8
  %10 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %11 = add i32 %9, %10
  %12 = icmp slt i32 %11, %4
  br i1 %12, label %13, label %127

13:                                               ; preds = %6
  %14 = icmp sgt i32 %5, 0
  br i1 %14, label %15, label %49

15:                                               ; preds = %13
  %16 = and i32 %5, 3
  %17 = icmp ult i32 %5, 4
  br i1 %17, label %22, label %18

18:                                               ; preds = %15
  %19 = and i32 %5, 2147483644
  br label %53

20:                                               ; preds = %122
  %21 = icmp eq i32 %16, 0
  br i1 %21, label %49, label %22

22:                                               ; preds = %20, %15
  %23 = phi i32 [ 0, %15 ], [ %124, %20 ]
  %24 = phi double [ 0.000000e+00, %15 ], [ %123, %20 ]
  %25 = icmp ne i32 %16, 0
  tail call void @llvm.assume(i1 %25)
  br label %26

26:                                               ; preds = %44, %22
  %27 = phi i32 [ %46, %44 ], [ %23, %22 ]
  %28 = phi double [ %45, %44 ], [ %24, %22 ]
  %29 = phi i32 [ %47, %44 ], [ 0, %22 ]
  %30 = mul nsw i32 %27, %4
  %31 = add nsw i32 %30, %11
  %32 = sext i32 %31 to i64
  %33 = getelementptr inbounds i32, ptr %0, i64 %32
  %34 = load i32, ptr %33, align 4, !tbaa !6
  %35 = icmp sgt i32 %34, -1
  br i1 %35, label %36, label %44

36:                                               ; preds = %26
  %37 = zext nneg i32 %34 to i64
  %38 = getelementptr inbounds nuw double, ptr %2, i64 %37
  %39 = getelementptr inbounds double, ptr %1, i64 %32
  %40 = load double, ptr %39, align 8, !tbaa !11
  %41 = load double, ptr %38, align 8, !tbaa !11
  %42 = fmul contract double %40, %41
  %43 = fadd contract double %28, %42
  br label %44

44:                                               ; preds = %36, %26
  %45 = phi double [ %43, %36 ], [ %28, %26 ]
  %46 = add nuw nsw i32 %27, 1
  %47 = add i32 %29, 1
  %48 = icmp eq i32 %47, %16
  br i1 %48, label %49, label %26, !llvm.loop !13

49:                                               ; preds = %20, %44, %13
  %50 = phi double [ 0.000000e+00, %13 ], [ %123, %20 ], [ %45, %44 ]
  %51 = sext i32 %11 to i64
  %52 = getelementptr inbounds double, ptr %3, i64 %51
  store double %50, ptr %52, align 8, !tbaa !11
  br label %127

53:                                               ; preds = %122, %18
  %54 = phi i32 [ 0, %18 ], [ %124, %122 ]
  %55 = phi double [ 0.000000e+00, %18 ], [ %123, %122 ]
  %56 = phi i32 [ 0, %18 ], [ %125, %122 ]
  %57 = mul nsw i32 %54, %4
  %58 = add nsw i32 %57, %11
  %59 = sext i32 %58 to i64
  %60 = getelementptr inbounds i32, ptr %0, i64 %59
  %61 = load i32, ptr %60, align 4, !tbaa !6
  %62 = icmp sgt i32 %61, -1
  br i1 %62, label %63, label %71

63:                                               ; preds = %53
  %64 = zext nneg i32 %61 to i64
  %65 = getelementptr inbounds nuw double, ptr %2, i64 %64
  %66 = getelementptr inbounds double, ptr %1, i64 %59
  %67 = load double, ptr %66, align 8, !tbaa !11
  %68 = load double, ptr %65, align 8, !tbaa !11
  %69 = fmul contract double %67, %68
  %70 = fadd contract double %55, %69
  br label %71

71:                                               ; preds = %63, %53
  %72 = phi double [ %70, %63 ], [ %55, %53 ]
  %73 = or disjoint i32 %54, 1
  %74 = mul nsw i32 %73, %4
  %75 = add nsw i32 %74, %11
  %76 = sext i32 %75 to i64
  %77 = getelementptr inbounds i32, ptr %0, i64 %76
  %78 = load i32, ptr %77, align 4, !tbaa !6
  %79 = icmp sgt i32 %78, -1
  br i1 %79, label %80, label %88

80:                                               ; preds = %71
  %81 = zext nneg i32 %78 to i64
  %82 = getelementptr inbounds nuw double, ptr %2, i64 %81
  %83 = getelementptr inbounds double, ptr %1, i64 %76
  %84 = load double, ptr %83, align 8, !tbaa !11
  %85 = load double, ptr %82, align 8, !tbaa !11
  %86 = fmul contract double %84, %85
  %87 = fadd contract double %72, %86
  br label %88

88:                                               ; preds = %80, %71
  %89 = phi double [ %87, %80 ], [ %72, %71 ]
  %90 = or disjoint i32 %54, 2
  %91 = mul nsw i32 %90, %4
  %92 = add nsw i32 %91, %11
  %93 = sext i32 %92 to i64
  %94 = getelementptr inbounds i32, ptr %0, i64 %93
  %95 = load i32, ptr %94, align 4, !tbaa !6
  %96 = icmp sgt i32 %95, -1
  br i1 %96, label %97, label %105

97:                                               ; preds = %88
  %98 = zext nneg i32 %95 to i64
  %99 = getelementptr inbounds nuw double, ptr %2, i64 %98
  %100 = getelementptr inbounds double, ptr %1, i64 %93
  %101 = load double, ptr %100, align 8, !tbaa !11
  %102 = load double, ptr %99, align 8, !tbaa !11
  %103 = fmul contract double %101, %102
  %104 = fadd contract double %89, %103
  br label %105

105:                                              ; preds = %97, %88
  %106 = phi double [ %104, %97 ], [ %89, %88 ]
  %107 = or disjoint i32 %54, 3
  %108 = mul nsw i32 %107, %4
  %109 = add nsw i32 %108, %11
  %110 = sext i32 %109 to i64
  %111 = getelementptr inbounds i32, ptr %0, i64 %110
  %112 = load i32, ptr %111, align 4, !tbaa !6
  %113 = icmp sgt i32 %112, -1
  br i1 %113, label %114, label %122

114:                                              ; preds = %105
  %115 = zext nneg i32 %112 to i64
  %116 = getelementptr inbounds nuw double, ptr %2, i64 %115
  %117 = getelementptr inbounds double, ptr %1, i64 %110
  %118 = load double, ptr %117, align 8, !tbaa !11
  %119 = load double, ptr %116, align 8, !tbaa !11
  %120 = fmul contract double %118, %119
  %121 = fadd contract double %106, %120
  br label %122

122:                                              ; preds = %114, %105
  %123 = phi double [ %121, %114 ], [ %106, %105 ]
  %124 = add nuw nsw i32 %54, 4
  %125 = add i32 %56, 4
  %126 = icmp eq i32 %125, %19
  br i1 %126, label %20, label %53, !llvm.loop !15

127:                                              ; preds = %6, %49
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #2

attributes #0 = { mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }

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
!12 = !{!"double", !8, i64 0}
!13 = distinct !{!13, !14}
!14 = !{!"llvm.loop.unroll.disable"}
!15 = distinct !{!15, !16}
!16 = !{!"llvm.loop.mustprogress"}
