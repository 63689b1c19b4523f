; ModuleID = 'quantize.cu'
source_filename = "quantize.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: convergent noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @quantize(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, ptr noundef writeonly captures(none) %2, i32 noundef %3, i32 noundef %4) local_unnamed_addr #0 {
  %6 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %8 = mul i32 %6, %7
  %9 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %10 = add i32 %8, %9
  %11 = lshr i32 %10, 5
  %12 = and i32 %9, 31
  %13 = icmp slt i32 %11, %3
  br i1 %13, label %14, label %61

14:                                               ; preds = %5
  %15 = icmp slt i32 %12, %4
  br i1 %15, label %16, label %18

16:                                               ; preds = %14
  %17 = mul nsw i32 %4, %11
  br label %32

18:                                               ; preds = %32, %14
  %19 = phi float [ 0.000000e+00, %14 ], [ %40, %32 ]
  %20 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %19, i32 16, i32 31)
  %21 = tail call noundef float @llvm.maxnum.f32(float %19, float %20)
  %22 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %21, i32 8, i32 31)
  %23 = tail call noundef float @llvm.maxnum.f32(float %21, float %22)
  %24 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %23, i32 4, i32 31)
  %25 = tail call noundef float @llvm.maxnum.f32(float %23, float %24)
  %26 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %25, i32 2, i32 31)
  %27 = tail call noundef float @llvm.maxnum.f32(float %25, float %26)
  %28 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %27, i32 1, i32 31)
  %29 = tail call noundef float @llvm.maxnum.f32(float %27, float %28)
  %30 = fdiv contract float %29, 1.270000e+02
  %31 = icmp eq i32 %12, 0
  br i1 %31, label %43, label %46

32:                                               ; preds = %16, %32
  %33 = phi i32 [ %12, %16 ], [ %41, %32 ]
  %34 = phi float [ 0.000000e+00, %16 ], [ %40, %32 ]
  %35 = add nsw i32 %33, %17
  %36 = sext i32 %35 to i64
  %37 = getelementptr inbounds float, ptr %0, i64 %36
  %38 = load float, ptr %37, align 4, !tbaa !11
  %39 = tail call noundef float @llvm.nvvm.fabs.f32(float %38)
  %40 = tail call noundef float @llvm.maxnum.f32(float %34, float %39)
  %41 = add nuw nsw i32 %33, 32
  %42 = icmp slt i32 %41, %4
  br i1 %42, label %32, label %18, !llvm.loop !13

43:                                               ; preds = %18
  %44 = zext nneg i32 %11 to i64
  %45 = getelementptr inbounds nuw float, ptr %2, i64 %44
  store float %30, ptr %45, align 4, !tbaa !11
  br label %46

46:                                               ; preds = %43, %18
  br i1 %15, label %47, label %61

47:                                               ; preds = %46
  %48 = mul nsw i32 %4, %11
  br label %49

49:                                               ; preds = %47, %49
  %50 = phi i32 [ %12, %47 ], [ %59, %49 ]
  %51 = add nsw i32 %50, %48
  %52 = sext i32 %51 to i64
  %53 = getelementptr inbounds float, ptr %0, i64 %52
  %54 = load float, ptr %53, align 4, !tbaa !11
  %55 = fdiv contract float %54, %30
  %56 = tail call noundef i32 @llvm.nvvm.f2i.rn(float %55)
  %57 = trunc i32 %56 to i8
  %58 = getelementptr inbounds i8, ptr %1, i64 %52
  store i8 %57, ptr %58, align 1, !tbaa !15
  %59 = add nuw nsw i32 %50, 32
  %60 = icmp slt i32 %59, %4
  br i1 %60, label %49, label %61, !llvm.loop !16

61:                                               ; preds = %49, %46, %5
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

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fabs.f32(float) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.nvvm.f2i.rn(float) #1

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.maxnum.f32(float, float) #3

attributes #0 = { convergent noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

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
!15 = !{!8, !8, i64 0}
!16 = distinct !{!16, !14}
