; ModuleID = 'lu_step.cu'
source_filename = "lu_step.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @lu_step(ptr noundef captures(none) %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = add nsw i32 %2, 1
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul i32 %5, %6
  %8 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add i32 %7, %8
  %10 = add i32 %9, %4
  %11 = icmp slt i32 %10, %1
  br i1 %11, label %12, label %98

12:                                               ; preds = %3
  %13 = mul nsw i32 %10, %1
  %14 = add nsw i32 %13, %2
  %15 = sext i32 %14 to i64
  %16 = getelementptr inbounds float, ptr %0, i64 %15
  %17 = load float, ptr %16, align 4, !tbaa !11
  %18 = mul nsw i32 %2, %1
  %19 = add nsw i32 %18, %2
  %20 = sext i32 %19 to i64
  %21 = getelementptr inbounds float, ptr %0, i64 %20
  %22 = load float, ptr %21, align 4, !tbaa !11
  %23 = fdiv contract float %17, %22
  store float %23, ptr %16, align 4, !tbaa !11
  %24 = icmp slt i32 %4, %1
  br i1 %24, label %25, label %98

25:                                               ; preds = %12
  %26 = xor i32 %2, -1
  %27 = add i32 %1, %26
  %28 = add i32 %1, -2
  %29 = sub i32 %28, %2
  %30 = and i32 %27, 3
  %31 = icmp eq i32 %30, 0
  br i1 %31, label %48, label %32

32:                                               ; preds = %25, %32
  %33 = phi i32 [ %45, %32 ], [ %4, %25 ]
  %34 = phi i32 [ %46, %32 ], [ 0, %25 ]
  %35 = add nsw i32 %33, %18
  %36 = sext i32 %35 to i64
  %37 = getelementptr inbounds float, ptr %0, i64 %36
  %38 = load float, ptr %37, align 4, !tbaa !11
  %39 = fmul contract float %23, %38
  %40 = add nsw i32 %33, %13
  %41 = sext i32 %40 to i64
  %42 = getelementptr inbounds float, ptr %0, i64 %41
  %43 = load float, ptr %42, align 4, !tbaa !11
  %44 = fsub contract float %43, %39
  store float %44, ptr %42, align 4, !tbaa !11
  %45 = add nsw i32 %33, 1
  %46 = add i32 %34, 1
  %47 = icmp eq i32 %46, %30
  br i1 %47, label %48, label %32, !llvm.loop !13

48:                                               ; preds = %32, %25
  %49 = phi i32 [ %4, %25 ], [ %45, %32 ]
  %50 = icmp ult i32 %29, 3
  br i1 %50, label %98, label %51

51:                                               ; preds = %48, %51
  %52 = phi i32 [ %96, %51 ], [ %49, %48 ]
  %53 = add nsw i32 %52, %18
  %54 = sext i32 %53 to i64
  %55 = getelementptr inbounds float, ptr %0, i64 %54
  %56 = load float, ptr %55, align 4, !tbaa !11
  %57 = fmul contract float %23, %56
  %58 = add nsw i32 %52, %13
  %59 = sext i32 %58 to i64
  %60 = getelementptr inbounds float, ptr %0, i64 %59
  %61 = load float, ptr %60, align 4, !tbaa !11
  %62 = fsub contract float %61, %57
  store float %62, ptr %60, align 4, !tbaa !11
  %63 = add nsw i32 %52, 1
  %64 = add nsw i32 %63, %18
  %65 = sext i32 %64 to i64
  %66 = getelementptr inbounds float, ptr %0, i64 %65
  %67 = load float, ptr %66, align 4, !tbaa !11
  %68 = fmul contract float %23, %67
  %69 = add nsw i32 %63, %13
  %70 = sext i32 %69 to i64
  %71 = getelementptr inbounds float, ptr %0, i64 %70
  %72 = load float, ptr %71, align 4, !tbaa !11
  %73 = fsub contract float %72, %68
  store float %73, ptr %71, align 4, !tbaa !11
  %74 = add nsw i32 %52, 2
  %75 = add nsw i32 %74, %18
  %76 = sext i32 %75 to i64
  %77 = getelementptr inbounds float, ptr %0, i64 %76
  %78 = load float, ptr %77, align 4, !tbaa !11
  %79 = fmul contract float %23, %78
  %80 = add nsw i32 %74, %13
  %81 = sext i32 %80 to i64
  %82 = getelementptr inbounds float, ptr %0, i64 %81
  %83 = load float, ptr %82, align 4, !tbaa !11
  %84 = fsub contract float %83, %79
  store float %84, ptr %82, align 4, !tbaa !11
  %85 = add nsw i32 %52, 3
  %86 = add nsw i32 %85, %18
  %87 = sext i32 %86 to i64
  %88 = getelementptr inbounds float, ptr %0, i64 %87
  %89 = load float, ptr %88, align 4, !tbaa !11
  %90 = fmul contract float %23, %89
  %91 = add nsw i32 %85, %13
  %92 = sext i32 %91 to i64
  %93 = getelementptr inbounds float, ptr %0, i64 %92
  %94 = load float, ptr %93, align 4, !tbaa !11
  %95 = fsub contract float %94, %90
  store float %95, ptr %93, align 4, !tbaa !11
  %96 = add nsw i32 %52, 4
  %97 = icmp eq i32 %96, %1
  br i1 %97, label %98, label %51, !llvm.loop !15

98:                                               ; preds = %48, %51, %12, %3
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

attributes #0 = { mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }

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
