; ModuleID = 'fft_steps.cu'
source_filename = "fft_steps.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.float2.0 = type { float, float }

@x = external dso_local local_unnamed_addr addrspace(3) global [0 x %struct.float2.0], align 8

; Function Attrs: convergent noinline norecurse nounwind
define dso_local ptx_kernel void @fft_steps(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef writeonly captures(none) %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = shl nuw i32 1, %3
  %6 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %7 = icmp slt i32 %6, %5
  br i1 %7, label %8, label %13

8:                                                ; preds = %4
  %9 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %10 = shl i32 %9, %3
  %11 = sub nsw i32 32, %3
  %12 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %19

13:                                               ; preds = %19, %4
  %14 = icmp sgt i32 %3, 0
  br i1 %14, label %15, label %31

15:                                               ; preds = %13
  %16 = sdiv i32 %5, 2
  %17 = icmp slt i32 %6, %16
  %18 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %36

19:                                               ; preds = %8, %19
  %20 = phi i32 [ %6, %8 ], [ %29, %19 ]
  %21 = add i32 %20, %10
  %22 = zext i32 %21 to i64
  %23 = getelementptr inbounds nuw %struct.float2.0, ptr %0, i64 %22
  %24 = tail call noundef i32 @llvm.bitreverse.i32(i32 %20)
  %25 = lshr i32 %24, %11
  %26 = zext i32 %25 to i64
  %27 = getelementptr inbounds nuw %struct.float2.0, ptr addrspacecast (ptr addrspace(3) @x to ptr), i64 %26
  %28 = load i64, ptr %23, align 8
  store i64 %28, ptr %27, align 8
  %29 = add i32 %20, %12
  %30 = icmp slt i32 %29, %5
  br i1 %30, label %19, label %13, !llvm.loop !11

31:                                               ; preds = %43, %13
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %7, label %32, label %80

32:                                               ; preds = %31
  %33 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %34 = shl i32 %33, %3
  %35 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %81

36:                                               ; preds = %15, %43
  %37 = phi i32 [ 0, %15 ], [ %44, %43 ]
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %38 = shl nuw i32 1, %37
  br i1 %17, label %39, label %43

39:                                               ; preds = %36
  %40 = add nsw i32 %38, -1
  %41 = xor i32 %37, -1
  %42 = add nsw i32 %3, %41
  br label %46

43:                                               ; preds = %46, %36
  %44 = add nuw nsw i32 %37, 1
  %45 = icmp eq i32 %44, %3
  br i1 %45, label %31, label %36, !llvm.loop !13

46:                                               ; preds = %39, %46
  %47 = phi i32 [ %6, %39 ], [ %78, %46 ]
  %48 = and i32 %47, %40
  %49 = shl nuw nsw i32 %47, 1
  %50 = sub nsw i32 %49, %48
  %51 = add nsw i32 %50, %38
  %52 = shl i32 %48, %42
  %53 = sext i32 %52 to i64
  %54 = getelementptr inbounds %struct.float2.0, ptr %1, i64 %53
  %55 = load float, ptr %54, align 8, !tbaa !14
  %56 = getelementptr inbounds nuw i8, ptr %54, i64 4
  %57 = load float, ptr %56, align 4, !tbaa !14
  %58 = sext i32 %50 to i64
  %59 = getelementptr inbounds %struct.float2.0, ptr addrspacecast (ptr addrspace(3) @x to ptr), i64 %58
  %60 = load float, ptr %59, align 8, !tbaa !14
  %61 = getelementptr inbounds nuw i8, ptr %59, i64 4
  %62 = load float, ptr %61, align 4, !tbaa !14
  %63 = sext i32 %51 to i64
  %64 = getelementptr inbounds %struct.float2.0, ptr addrspacecast (ptr addrspace(3) @x to ptr), i64 %63
  %65 = load float, ptr %64, align 8, !tbaa !14
  %66 = getelementptr inbounds nuw i8, ptr %64, i64 4
  %67 = load float, ptr %66, align 4, !tbaa !14
  %68 = fmul contract float %55, %65
  %69 = fmul contract float %57, %67
  %70 = fsub contract float %68, %69
  %71 = fmul contract float %57, %65
  %72 = fmul contract float %55, %67
  %73 = fadd contract float %71, %72
  %74 = fadd contract float %60, %70
  %75 = fadd contract float %62, %73
  store float %74, ptr %59, align 8, !tbaa !14
  store float %75, ptr %61, align 4, !tbaa !14
  %76 = fsub contract float %60, %70
  %77 = fsub contract float %62, %73
  store float %76, ptr %64, align 8, !tbaa !14
  store float %77, ptr %66, align 4, !tbaa !14
  %78 = add nuw nsw i32 %47, %18
  %79 = icmp slt i32 %78, %16
  br i1 %79, label %46, label %43, !llvm.loop !16

80:                                               ; preds = %81, %31
  ret void

81:                                               ; preds = %32, %81
  %82 = phi i32 [ %6, %32 ], [ %89, %81 ]
  %83 = sext i32 %82 to i64
  %84 = getelementptr inbounds %struct.float2.0, ptr addrspacecast (ptr addrspace(3) @x to ptr), i64 %83
  %85 = add i32 %82, %34
  %86 = zext i32 %85 to i64
  %87 = getelementptr inbounds nuw %struct.float2.0, ptr %2, i64 %86
  %88 = load i64, ptr %84, align 8
  store i64 %88, ptr %87, align 8
  %89 = add i32 %82, %35
  %90 = icmp slt i32 %89, %5
  br i1 %90, label %81, label %80, !llvm.loop !17
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.bitreverse.i32(i32) #3

attributes #0 = { convergent noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent nocallback nounwind }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

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
!14 = !{!15, !15, i64 0}
!15 = !{!"float", !8, i64 0}
!16 = distinct !{!16, !12}
!17 = distinct !{!17, !12}
