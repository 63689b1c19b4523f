; ModuleID = 'conv2d.cu'
source_filename = "conv2d.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: nofree noinline norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @conv2d(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef writeonly captures(none) %2, i32 noundef %3, i32 noundef %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %8 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %9 = mul i32 %7, %8
  %10 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %11 = add i32 %9, %10
  %12 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %13 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %14 = mul nuw nsw i32 %12, %13
  %15 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %16 = add nuw nsw i32 %14, %15
  %17 = icmp slt i32 %11, %3
  %18 = icmp slt i32 %16, %4
  %19 = and i1 %17, %18
  br i1 %19, label %20, label %137

20:                                               ; preds = %6
  %21 = icmp sgt i32 %5, 0
  br i1 %21, label %22, label %41

22:                                               ; preds = %20
  %23 = lshr i32 %5, 1
  %24 = sub i32 %11, %23
  %25 = add nsw i32 %3, -1
  %26 = sub nsw i32 %16, %23
  %27 = add nsw i32 %4, -1
  %28 = and i32 %5, 3
  %29 = icmp ult i32 %5, 4
  %30 = and i32 %5, 2147483644
  %31 = icmp eq i32 %28, 0
  %32 = icmp ne i32 %28, 0
  br label %33

33:                                               ; preds = %22, %71
  %34 = phi float [ 0.000000e+00, %22 ], [ %72, %71 ]
  %35 = phi i32 [ 0, %22 ], [ %73, %71 ]
  %36 = add i32 %35, %26
  %37 = tail call noundef range(i32 0, -2147483648) i32 @llvm.smax.i32(i32 %36, i32 0)
  %38 = tail call noundef range(i32 -2147483648, 2147483647) i32 @llvm.smin.i32(i32 range(i32 0, -2147483648) %37, i32 range(i32 -2147483648, 2147483647) %27)
  %39 = mul nsw i32 %38, %3
  %40 = mul nuw nsw i32 %35, %5
  br i1 %29, label %48, label %75

41:                                               ; preds = %71, %20
  %42 = phi float [ 0.000000e+00, %20 ], [ %72, %71 ]
  %43 = mul nsw i32 %3, %16
  %44 = add nsw i32 %43, %11
  %45 = sext i32 %44 to i64
  %46 = getelementptr inbounds float, ptr %2, i64 %45
  store float %42, ptr %46, align 4, !tbaa !11
  br label %137

47:                                               ; preds = %75
  br i1 %31, label %71, label %48

48:                                               ; preds = %47, %33
  %49 = phi float [ %34, %33 ], [ %133, %47 ]
  %50 = phi i32 [ 0, %33 ], [ %134, %47 ]
  tail call void @llvm.assume(i1 %32)
  br label %51

51:                                               ; preds = %51, %48
  %52 = phi float [ %49, %48 ], [ %67, %51 ]
  %53 = phi i32 [ %50, %48 ], [ %68, %51 ]
  %54 = phi i32 [ 0, %48 ], [ %69, %51 ]
  %55 = add i32 %24, %53
  %56 = tail call noundef range(i32 0, -2147483648) i32 @llvm.smax.i32(i32 %55, i32 0)
  %57 = tail call noundef range(i32 -2147483648, 2147483647) i32 @llvm.smin.i32(i32 range(i32 0, -2147483648) %56, i32 range(i32 -2147483648, 2147483647) %25)
  %58 = add nsw i32 %57, %39
  %59 = sext i32 %58 to i64
  %60 = getelementptr inbounds float, ptr %0, i64 %59
  %61 = load float, ptr %60, align 4, !tbaa !11
  %62 = add nuw nsw i32 %53, %40
  %63 = zext nneg i32 %62 to i64
  %64 = getelementptr inbounds nuw float, ptr %1, i64 %63
  %65 = load float, ptr %64, align 4, !tbaa !11
  %66 = fmul contract float %61, %65
  %67 = fadd contract float %52, %66
  %68 = add nuw nsw i32 %53, 1
  %69 = add i32 %54, 1
  %70 = icmp eq i32 %69, %28
  br i1 %70, label %71, label %51, !llvm.loop !13

71:                                               ; preds = %51, %47
  %72 = phi float [ %133, %47 ], [ %67, %51 ]
  %73 = add nuw nsw i32 %35, 1
  %74 = icmp eq i32 %73, %5
  br i1 %74, label %41, label %33, !llvm.loop !15

75:                                               ; preds = %33, %75
  %76 = phi float [ %133, %75 ], [ %34, %33 ]
  %77 = phi i32 [ %134, %75 ], [ 0, %33 ]
  %78 = phi i32 [ %135, %75 ], [ 0, %33 ]
  %79 = add i32 %24, %77
  %80 = tail call noundef range(i32 0, -2147483648) i32 @llvm.smax.i32(i32 %79, i32 0)
  %81 = tail call noundef range(i32 -2147483648, 2147483647) i32 @llvm.smin.i32(i32 range(i32 0, -2147483648) %80, i32 range(i32 -2147483648, 2147483647) %25)
  %82 = add nsw i32 %81, %39
  %83 = sext i32 %82 to i64
  %84 = getelementptr inbounds float, ptr %0, i64 %83
  %85 = load float, ptr %84, align 4, !tbaa !11
  %86 = add nuw nsw i32 %77, %40
  %87 = zext nneg i32 %86 to i64
  %88 = getelementptr inbounds nuw float, ptr %1, i64 %87
  %89 = load float, ptr %88, align 4, !tbaa !11
  %90 = fmul contract float %85, %89
  %91 = fadd contract float %76, %90
  %92 = or disjoint i32 %77, 1
  %93 = add i32 %24, %92
  %94 = tail call noundef range(i32 0, -2147483648) i32 @llvm.smax.i32(i32 %93, i32 0)
  %95 = tail call noundef range(i32 -2147483648, 2147483647) i32 @llvm.smin.i32(i32 range(i32 0, -2147483648) %94, i32 range(i32 -2147483648, 2147483647) %25)
  %96 = add nsw i32 %95, %39
  %97 = sext i32 %96 to i64
  %98 = getelementptr inbounds float, ptr %0, i64 %97
  %99 = load float, ptr %98, align 4, !tbaa !11
  %100 = add nuw nsw i32 %92, %40
  %101 = zext nneg i32 %100 to i64
  %102 = getelementptr inbounds nuw float, ptr %1, i64 %101
  %103 = load float, ptr %102, align 4, !tbaa !11
  %104 = fmul contract float %99, %103
  %105 = fadd contract float %91, %104
  %106 = or disjoint i32 %77, 2
  %107 = add i32 %24, %106
  %108 = tail call noundef range(i32 0, -2147483648) i32 @llvm.smax.i32(i32 %107, i32 0)
  %109 = tail call noundef range(i32 -2147483648, 2147483647) i32 @llvm.smin.i32(i32 range(i32 0, -2147483648) %108, i32 range(i32 -2147483648, 2147483647) %25)
  %110 = add nsw i32 %109, %39
  %111 = sext i32 %110 to i64
  %112 = getelementptr inbounds float, ptr %0, i64 %111
  %113 = load float, ptr %112, align 4, !tbaa !11
  %114 = add nuw nsw i32 %106, %40
  %115 = zext nneg i32 %114 to i64
  %116 = getelementptr inbounds nuw float, ptr %1, i64 %115
  %117 = load float, ptr %116, align 4, !tbaa !11
  %118 = fmul contract float %113, %117
  %119 = fadd contract float %105, %118
  %120 = or disjoint i32 %77, 3
  %121 = add i32 %24, %120
  %122 = tail call noundef range(i32 0, -2147483648) i32 @llvm.smax.i32(i32 %121, i32 0)
  %123 = tail call noundef range(i32 -2147483648, 2147483647) i32 @llvm.smin.i32(i32 range(i32 0, -2147483648) %122, i32 range(i32 -2147483648, 2147483647) %25)
  %124 = add nsw i32 %123, %39
  %125 = sext i32 %124 to i64
  %126 = getelementptr inbounds float, ptr %0, i64 %125
  %127 = load float, ptr %126, align 4, !tbaa !11
  %128 = add nuw nsw i32 %120, %40
  %129 = zext nneg i32 %128 to i64
  %130 = getelementptr inbounds nuw float, ptr %1, i64 %129
  %131 = load float, ptr %130, align 4, !tbaa !11
  %132 = fmul contract float %127, %131
  %133 = fadd contract float %119, %132
  %134 = add nuw nsw i32 %77, 4
  %135 = add i32 %78, 4
  %136 = icmp eq i32 %135, %30
  br i1 %136, label %47, label %75, !llvm.loop !17

137:                                              ; preds = %6, %41
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.y() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y() #1

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smin.i32(i32, i32) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smax.i32(i32, i32) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #3

attributes #0 = { nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }

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
!17 = distinct !{!17, !16}
