; ModuleID = 'maxpool.cu'
source_filename = "maxpool.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: nofree noinline norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @maxpool(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2, i32 noundef %3, i32 noundef %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = sub nsw i32 %2, %4
  %8 = sdiv i32 %7, %5
  %9 = add nsw i32 %8, 1
  %10 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %11 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %12 = mul i32 %10, %11
  %13 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %14 = add i32 %12, %13
  %15 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %16 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %17 = mul nuw nsw i32 %15, %16
  %18 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %19 = add nuw nsw i32 %17, %18
  %20 = icmp sgt i32 %14, %8
  br i1 %20, label %121, label %21

21:                                               ; preds = %6
  %22 = sub nsw i32 %3, %4
  %23 = sdiv i32 %22, %5
  %24 = icmp sgt i32 %19, %23
  br i1 %24, label %121, label %25

25:                                               ; preds = %21
  %26 = icmp sgt i32 %4, 0
  br i1 %26, label %27, label %41

27:                                               ; preds = %25
  %28 = mul nsw i32 %5, %19
  %29 = mul nsw i32 %5, %14
  %30 = and i32 %4, 7
  %31 = icmp ult i32 %4, 8
  %32 = and i32 %4, 2147483640
  %33 = icmp eq i32 %30, 0
  %34 = icmp ne i32 %30, 0
  br label %35

35:                                               ; preds = %27, %63
  %36 = phi i32 [ 0, %27 ], [ %65, %63 ]
  %37 = phi float [ 0xC7EC363CC0000000, %27 ], [ %64, %63 ]
  %38 = add nsw i32 %36, %28
  %39 = mul nsw i32 %38, %2
  %40 = add nsw i32 %39, %29
  br i1 %31, label %48, label %67

41:                                               ; preds = %63, %25
  %42 = phi float [ 0xC7EC363CC0000000, %25 ], [ %64, %63 ]
  %43 = mul nsw i32 %9, %19
  %44 = add nsw i32 %43, %14
  %45 = sext i32 %44 to i64
  %46 = getelementptr inbounds float, ptr %1, i64 %45
  store float %42, ptr %46, align 4, !tbaa !11
  br label %121

47:                                               ; preds = %67
  br i1 %33, label %63, label %48

48:                                               ; preds = %47, %35
  %49 = phi i32 [ 0, %35 ], [ %118, %47 ]
  %50 = phi float [ %37, %35 ], [ %117, %47 ]
  tail call void @llvm.assume(i1 %34)
  br label %51

51:                                               ; preds = %51, %48
  %52 = phi i32 [ %49, %48 ], [ %60, %51 ]
  %53 = phi float [ %50, %48 ], [ %59, %51 ]
  %54 = phi i32 [ 0, %48 ], [ %61, %51 ]
  %55 = add nsw i32 %40, %52
  %56 = sext i32 %55 to i64
  %57 = getelementptr inbounds float, ptr %0, i64 %56
  %58 = load float, ptr %57, align 4, !tbaa !11
  %59 = tail call noundef float @llvm.maxnum.f32(float %53, float %58)
  %60 = add nuw nsw i32 %52, 1
  %61 = add i32 %54, 1
  %62 = icmp eq i32 %61, %30
  br i1 %62, label %63, label %51, !llvm.loop !13

63:                                               ; preds = %51, %47
  %64 = phi float [ %117, %47 ], [ %59, %51 ]
  %65 = add nuw nsw i32 %36, 1
  %66 = icmp eq i32 %65, %4
  br i1 %66, label %41, label %35, !llvm.loop !15

67:                                               ; preds = %35, %67
  %68 = phi i32 [ %118, %67 ], [ 0, %35 ]
  %69 = phi float [ %117, %67 ], [ %37, %35 ]
  %70 = phi i32 [ %119, %67 ], [ 0, %35 ]
  %71 = add nsw i32 %40, %68
  %72 = sext i32 %71 to i64
  %73 = getelementptr inbounds float, ptr %0, i64 %72
  %74 = load float, ptr %73, align 4, !tbaa !11
  %75 = tail call noundef float @llvm.maxnum.f32(float %69, float %74)
  %76 = or disjoint i32 %68, 1
  %77 = add nsw i32 %40, %76
  %78 = sext i32 %77 to i64
  %79 = getelementptr inbounds float, ptr %0, i64 %78
  %80 = load float, ptr %79, align 4, !tbaa !11
  %81 = tail call noundef float @llvm.maxnum.f32(float %75, float %80)
  %82 = or disjoint i32 %68, 2
  %83 = add nsw i32 %40, %82
  %84 = sext i32 %83 to i64
  %85 = getelementptr inbounds float, ptr %0, i64 %84
  %86 = load float, ptr %85, align 4, !tbaa !11
  %87 = tail call noundef float @llvm.maxnum.f32(float %81, float %86)
  %88 = or disjoint i32 %68, 3
  %89 = add nsw i32 %40, %88
  %90 = sext i32 %89 to i64
  %91 = getelementptr inbounds float, ptr %0, i64 %90
  %92 = load float, ptr %91, align 4, !tbaa !11
  %93 = tail call noundef float @llvm.maxnum.f32(float %87, float %92)
  %94 = or disjoint i32 %68, 4
  %95 = add nsw i32 %40, %94
  %96 = sext i32 %95 to i64
  %97 = getelementptr inbounds float, ptr %0, i64 %96
  %98 = load float, ptr %97, align 4, !tbaa !11
  %99 = tail call noundef float @llvm.maxnum.f32(float %93, float %98)
  %100 = or disjoint i32 %68, 5
  %101 = add nsw i32 %40, %100
  %102 = sext i32 %101 to i64
  %103 = getelementptr inbounds float, ptr %0, i64 %102
  %104 = load float, ptr %103, align 4, !tbaa !11
  %105 = tail call noundef float @llvm.maxnum.f32(float %99, float %104)
  %106 = or disjoint i32 %68, 6
  %107 = add nsw i32 %40, %106
  %108 = sext i32 %107 to i64
  %109 = getelementptr inbounds float, ptr %0, i64 %108
  %110 = load float, ptr %109, align 4, !tbaa !11
  %111 = tail call noundef float @llvm.maxnum.f32(float %105, float %110)
  %112 = or disjoint i32 %68, 7
  %113 = add nsw i32 %40, %112
  %114 = sext i32 %113 to i64
  %115 = getelementptr inbounds float, ptr %0, i64 %114
  %116 = load float, ptr %115, align 4, !tbaa !11
  %117 = tail call noundef float @llvm.maxnum.f32(float %111, float %116)
  %118 = add nuw nsw i32 %68, 8
  %119 = add i32 %70, 8
  %120 = icmp eq i32 %119, %32
  br i1 %120, label %47, label %67, !llvm.loop !17

121:                                              ; preds = %6, %21, %41
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

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.maxnum.f32(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #3

attributes #0 = { nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
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
