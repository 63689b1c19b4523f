; ModuleID = 'conv1d.cu'
source_filename = "conv1d.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @conv1d(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef writeonly captures(none) %2, i32 noundef %3, i32 noundef %4) local_unnamed_addr #0 {
  %6 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %8 = mul i32 %6, %7
  %9 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %10 = add i32 %8, %9
  %11 = icmp slt i32 %10, %3
  br i1 %11, label %12, label %123

12:                                               ; preds = %5
  %13 = icmp sgt i32 %4, 0
  br i1 %13, label %14, label %49

14:                                               ; preds = %12
  %15 = lshr i32 %4, 1
  %16 = sub i32 %10, %15
  %17 = and i32 %4, 3
  %18 = icmp ult i32 %4, 4
  br i1 %18, label %23, label %19

19:                                               ; preds = %14
  %20 = and i32 %4, 2147483644
  br label %53

21:                                               ; preds = %118
  %22 = icmp eq i32 %17, 0
  br i1 %22, label %49, label %23

23:                                               ; preds = %21, %14
  %24 = phi i32 [ 0, %14 ], [ %120, %21 ]
  %25 = phi float [ 0.000000e+00, %14 ], [ %119, %21 ]
  %26 = icmp ne i32 %17, 0
  tail call void @llvm.assume(i1 %26)
  br label %27

27:                                               ; preds = %44, %23
  %28 = phi i32 [ %24, %23 ], [ %46, %44 ]
  %29 = phi float [ %25, %23 ], [ %45, %44 ]
  %30 = phi i32 [ 0, %23 ], [ %47, %44 ]
  %31 = add i32 %16, %28
  %32 = icmp sgt i32 %31, -1
  %33 = icmp slt i32 %31, %3
  %34 = and i1 %32, %33
  br i1 %34, label %35, label %44

35:                                               ; preds = %27
  %36 = zext nneg i32 %28 to i64
  %37 = getelementptr inbounds nuw float, ptr %1, i64 %36
  %38 = zext nneg i32 %31 to i64
  %39 = getelementptr inbounds nuw float, ptr %0, i64 %38
  %40 = load float, ptr %39, align 4, !tbaa !11
  %41 = load float, ptr %37, align 4, !tbaa !11
  %42 = fmul contract float %40, %41
  %43 = fadd contract float %29, %42
  br label %44

44:                                               ; preds = %35, %27
  %45 = phi float [ %43, %35 ], [ %29, %27 ]
  %46 = add nuw nsw i32 %28, 1
  %47 = add i32 %30, 1
  %48 = icmp eq i32 %47, %17
  br i1 %48, label %49, label %27, !llvm.loop !13

49:                                               ; preds = %21, %44, %12
  %50 = phi float [ 0.000000e+00, %12 ], [ %119, %21 ], [ %45, %44 ]
  %51 = sext i32 %10 to i64
  %52 = getelementptr inbounds float, ptr %2, i64 %51
  store float %50, ptr %52, align 4, !tbaa !11
  br label %123

53:                                               ; preds = %118, %19
  %54 = phi i32 [ 0, %19 ], [ %120, %118 ]
  %55 = phi float [ 0.000000e+00, %19 ], [ %119, %118 ]
  %56 = phi i32 [ 0, %19 ], [ %121, %118 ]
  %57 = add i32 %16, %54
  %58 = icmp sgt i32 %57, -1
  %59 = icmp slt i32 %57, %3
  %60 = and i1 %58, %59
  br i1 %60, label %61, label %70

61:                                               ; preds = %53
  %62 = zext nneg i32 %54 to i64
  %63 = getelementptr inbounds nuw float, ptr %1, i64 %62
  %64 = zext nneg i32 %57 to i64
  %65 = getelementptr inbounds nuw float, ptr %0, i64 %64
  %66 = load float, ptr %65, align 4, !tbaa !11
  %67 = load float, ptr %63, align 4, !tbaa !11
  %68 = fmul contract float %66, %67
  %69 = fadd contract float %55, %68
  br label %70

70:                                               ; preds = %61, %53
  %71 = phi float [ %69, %61 ], [ %55, %53 ]
  %72 = or disjoint i32 %54, 1
  %73 = add i32 %16, %72
  %74 = icmp sgt i32 %73, -1
  %75 = icmp slt i32 %73, %3
  %76 = and i1 %74, %75
  br i1 %76, label %77, label %86

77:                                               ; preds = %70
  %78 = zext nneg i32 %72 to i64
  %79 = getelementptr inbounds nuw float, ptr %1, i64 %78
  %80 = zext nneg i32 %73 to i64
  %81 = getelementptr inbounds nuw float, ptr %0, i64 %80
  %82 = load float, ptr %81, align 4, !tbaa !11
  %83 = load float, ptr %79, align 4, !tbaa !11
  %84 = fmul contract float %82, %83
  %85 = fadd contract float %71, %84
  br label %86

86:                                               ; preds = %77, %70
  %87 = phi float [ %85, %77 ], [ %71, %70 ]
  %88 = or disjoint i32 %54, 2
  %89 = add i32 %16, %88
  %90 = icmp sgt i32 %89, -1
  %91 = icmp slt i32 %89, %3
  %92 = and i1 %90, %91
  br i1 %92, label %93, label %102

93:                                               ; preds = %86
  %94 = zext nneg i32 %88 to i64
  %95 = getelementptr inbounds nuw float, ptr %1, i64 %94
  %96 = zext nneg i32 %89 to i64
  %97 = getelementptr inbounds nuw float, ptr %0, i64 %96
  %98 = load float, ptr %97, align 4, !tbaa !11
  %99 = load float, ptr %95, align 4, !tbaa !11
  %100 = fmul contract float %98, %99
  %101 = fadd contract float %87, %100
  br label %102

102:                                              ; preds = %93, %86
  %103 = phi float [ %101, %93 ], [ %87, %86 ]
  %104 = or disjoint i32 %54, 3
  %105 = add i32 %16, %104
  %106 = icmp sgt i32 %105, -1
  %107 = icmp slt i32 %105, %3
  %108 = and i1 %106, %107
  br i1 %108, label %109, label %118

109:                                              ; preds = %102
  %110 = zext nneg i32 %104 to i64
  %111 = getelementptr inbounds nuw float, ptr %1, i64 %110
  %112 = zext nneg i32 %105 to i64
  %113 = getelementptr inbounds nuw float, ptr %0, i64 %112
  %114 = load float, ptr %113, align 4, !tbaa !11
  %115 = load float, ptr %111, align 4, !tbaa !11
  %116 = fmul contract float %114, %115
  %117 = fadd contract float %103, %116
  br label %118

118:                                              ; preds = %109, %102
  %119 = phi float [ %117, %109 ], [ %103, %102 ]
  %120 = add nuw nsw i32 %54, 4
  %121 = add i32 %56, 4
  %122 = icmp eq i32 %121, %20
  br i1 %122, label %21, label %53, !llvm.loop !15

123:                                              ; preds = %5, %49
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
!12 = !{!"float", !8, i64 0}
!13 = distinct !{!13, !14}
!14 = !{!"llvm.loop.unroll.disable"}
!15 = distinct !{!15, !16}
!16 = !{!"llvm.loop.mustprogress"}
