; ModuleID = 'sort_shared.cu'
source_filename = "sort_shared.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@shared = external dso_local local_unnamed_addr addrspace(3) global [0 x i32], align 4

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @sort_shared(ptr noundef captures(none) %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %4 = mul i32 %1, %3
  %5 = zext i32 %4 to i64
  %6 = getelementptr inbounds nuw i32, ptr %0, i64 %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = icmp slt i32 %7, %1
  br i1 %8, label %9, label %11

9:                                                ; preds = %2
  %10 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %17

11:                                               ; preds = %17, %2
  %12 = icmp slt i32 %1, 2
  br i1 %12, label %28, label %13

13:                                               ; preds = %11
  %14 = lshr i32 %1, 1
  %15 = icmp samesign ult i32 %7, %14
  %16 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %25

17:                                               ; preds = %9, %17
  %18 = phi i32 [ %7, %9 ], [ %23, %17 ]
  %19 = sext i32 %18 to i64
  %20 = getelementptr inbounds i32, ptr %6, i64 %19
  %21 = load i32, ptr %20, align 4, !tbaa !6
  %22 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @shared to ptr), i64 %19
  store i32 %21, ptr %22, align 4, !tbaa !6
  %23 = add i32 %18, %10
  %24 = icmp slt i32 %23, %1
  br i1 %24, label %17, label %11, !llvm.loop !11

25:                                               ; preds = %13, %34
  %26 = phi i32 [ 2, %13 ], [ %35, %34 ]
  %27 = lshr exact i32 %26, 1
  br label %37

28:                                               ; preds = %34, %11
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %8, label %29, label %61

29:                                               ; preds = %28
  %30 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %62

31:                                               ; preds = %58, %37
  %32 = lshr i32 %38, 1
  %33 = icmp eq i32 %32, 0
  br i1 %33, label %34, label %37, !llvm.loop !13

34:                                               ; preds = %31
  %35 = shl nsw i32 %26, 1
  %36 = icmp sgt i32 %35, %1
  br i1 %36, label %28, label %25, !llvm.loop !14

37:                                               ; preds = %25, %31
  %38 = phi i32 [ %27, %25 ], [ %32, %31 ]
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %15, label %39, label %31

39:                                               ; preds = %37
  %40 = add nsw i32 %38, -1
  br label %41

41:                                               ; preds = %39, %58
  %42 = phi i32 [ %7, %39 ], [ %59, %58 ]
  %43 = shl nuw nsw i32 %42, 1
  %44 = and i32 %42, %40
  %45 = sub nsw i32 %43, %44
  %46 = add nsw i32 %45, %38
  %47 = and i32 %45, %26
  %48 = sext i32 %45 to i64
  %49 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @shared to ptr), i64 %48
  %50 = load i32, ptr %49, align 4, !tbaa !6
  %51 = sext i32 %46 to i64
  %52 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @shared to ptr), i64 %51
  %53 = load i32, ptr %52, align 4, !tbaa !6
  %54 = icmp sgt i32 %50, %53
  %55 = icmp ne i32 %47, 0
  %56 = xor i1 %55, %54
  br i1 %56, label %57, label %58

57:                                               ; preds = %41
  store i32 %53, ptr %49, align 4, !tbaa !6
  store i32 %50, ptr %52, align 4, !tbaa !6
  br label %58

58:                                               ; preds = %57, %41
  %59 = add nuw nsw i32 %42, %16
  %60 = icmp samesign ult i32 %59, %14
  br i1 %60, label %41, label %31, !llvm.loop !15

61:                                               ; preds = %62, %28
  ret void

62:                                               ; preds = %29, %62
  %63 = phi i32 [ %7, %29 ], [ %68, %62 ]
  %64 = sext i32 %63 to i64
  %65 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @shared to ptr), i64 %64
  %66 = load i32, ptr %65, align 4, !tbaa !6
  %67 = getelementptr inbounds i32, ptr %6, i64 %64
  store i32 %66, ptr %67, align 4, !tbaa !6
  %68 = add i32 %63, %30
  %69 = icmp slt i32 %68, %1
  br i1 %69, label %62, label %61, !llvm.loop !16
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

attributes #0 = { convergent mustprogress noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent nocallback nounwind }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }

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
!11 = distinct !{!11, !12}
!12 = !{!"llvm.loop.mustprogress"}
!13 = distinct !{!13, !12}
!14 = distinct !{!14, !12}
!15 = distinct !{!15, !12}
!16 = distinct !{!16, !12}
