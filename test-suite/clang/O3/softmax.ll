; ModuleID = 'softmax.cu'
source_filename = "softmax.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ7softmaxE5parts = internal unnamed_addr addrspace(3) global [64 x float] undef, align 4

; Function Attrs: convergent noinline norecurse nounwind
define dso_local ptx_kernel void @softmax(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = mul i32 %2, %4
  %6 = zext i32 %5 to i64
  %7 = getelementptr inbounds nuw float, ptr %0, i64 %6
  %8 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = icmp slt i32 %8, %2
  %10 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br i1 %9, label %17, label %11

11:                                               ; preds = %17, %3
  %12 = phi float [ 0xC7EC363CC0000000, %3 ], [ %23, %17 ]
  %13 = zext nneg i32 %8 to i64
  %14 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE5parts to ptr), i64 %13
  store float %12, ptr %14, align 4, !tbaa !11
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %15 = lshr i32 %10, 1
  %16 = icmp eq i32 %15, 0
  br i1 %16, label %26, label %28

17:                                               ; preds = %3, %17
  %18 = phi float [ %23, %17 ], [ 0xC7EC363CC0000000, %3 ]
  %19 = phi i32 [ %24, %17 ], [ %8, %3 ]
  %20 = sext i32 %19 to i64
  %21 = getelementptr inbounds float, ptr %7, i64 %20
  %22 = load float, ptr %21, align 4, !tbaa !11
  %23 = tail call noundef float @llvm.maxnum.f32(float %18, float %22)
  %24 = add i32 %19, %10
  %25 = icmp slt i32 %24, %2
  br i1 %25, label %17, label %11, !llvm.loop !13

26:                                               ; preds = %38, %11
  %27 = load float, ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE5parts to ptr), align 4, !tbaa !11
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %9, label %43, label %41

28:                                               ; preds = %11, %38
  %29 = phi i32 [ %39, %38 ], [ %15, %11 ]
  %30 = icmp samesign ult i32 %8, %29
  br i1 %30, label %31, label %38

31:                                               ; preds = %28
  %32 = add nuw nsw i32 %29, %8
  %33 = zext nneg i32 %32 to i64
  %34 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE5parts to ptr), i64 %33
  %35 = load float, ptr %14, align 4, !tbaa !11
  %36 = load float, ptr %34, align 4, !tbaa !11
  %37 = tail call noundef float @llvm.maxnum.f32(float %35, float %36)
  store float %37, ptr %14, align 4, !tbaa !11
  br label %38

38:                                               ; preds = %31, %28
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %39 = lshr i32 %29, 1
  %40 = icmp eq i32 %39, 0
  br i1 %40, label %26, label %28, !llvm.loop !15

41:                                               ; preds = %43, %26
  %42 = phi float [ 0.000000e+00, %26 ], [ %62, %43 ]
  store float %42, ptr %14, align 4, !tbaa !11
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %16, label %65, label %68

43:                                               ; preds = %26, %43
  %44 = phi i32 [ %63, %43 ], [ %8, %26 ]
  %45 = phi float [ %62, %43 ], [ 0.000000e+00, %26 ]
  %46 = sext i32 %44 to i64
  %47 = getelementptr inbounds float, ptr %7, i64 %46
  %48 = load float, ptr %47, align 4, !tbaa !11
  %49 = fsub contract float %48, %27
  %50 = tail call float @llvm.fma.f32(float %49, float 0x3F777313A0000000, float 5.000000e-01)
  %51 = tail call float @llvm.nvvm.saturate.f(float %50) #5
  %52 = tail call float @llvm.nvvm.fma.rm.f(float %51, float 2.520000e+02, float 0x4168000020000000) #5
  %53 = fadd float %52, 0xC168000FE0000000
  %54 = fneg float %53
  %55 = tail call float @llvm.fma.f32(float %49, float 0x3FF7154760000000, float %54)
  %56 = tail call float @llvm.fma.f32(float %49, float 0x3E54AE0C00000000, float %55)
  %57 = bitcast float %52 to i32
  %58 = shl i32 %57, 23
  %59 = bitcast i32 %58 to float
  %60 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %56)
  %61 = fmul float %60, %59
  %62 = fadd contract float %45, %61
  %63 = add i32 %44, %10
  %64 = icmp slt i32 %63, %2
  br i1 %64, label %43, label %41, !llvm.loop !16

65:                                               ; preds = %78, %41
  %66 = load float, ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE5parts to ptr), align 4, !tbaa !11
  %67 = fdiv contract float 1.000000e+00, %66
  br i1 %9, label %82, label %81

68:                                               ; preds = %41, %78
  %69 = phi i32 [ %79, %78 ], [ %15, %41 ]
  %70 = icmp samesign ult i32 %8, %69
  br i1 %70, label %71, label %78

71:                                               ; preds = %68
  %72 = add nuw nsw i32 %69, %8
  %73 = zext nneg i32 %72 to i64
  %74 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE5parts to ptr), i64 %73
  %75 = load float, ptr %74, align 4, !tbaa !11
  %76 = load float, ptr %14, align 4, !tbaa !11
  %77 = fadd contract float %75, %76
  store float %77, ptr %14, align 4, !tbaa !11
  br label %78

78:                                               ; preds = %71, %68
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %79 = lshr i32 %69, 1
  %80 = icmp eq i32 %79, 0
  br i1 %80, label %65, label %68, !llvm.loop !17

81:                                               ; preds = %82, %65
  ret void

82:                                               ; preds = %65, %82
  %83 = phi i32 [ %104, %82 ], [ %8, %65 ]
  %84 = sext i32 %83 to i64
  %85 = getelementptr inbounds float, ptr %7, i64 %84
  %86 = load float, ptr %85, align 4, !tbaa !11
  %87 = fsub contract float %86, %27
  %88 = tail call float @llvm.fma.f32(float %87, float 0x3F777313A0000000, float 5.000000e-01)
  %89 = tail call float @llvm.nvvm.saturate.f(float %88) #5
  %90 = tail call float @llvm.nvvm.fma.rm.f(float %89, float 2.520000e+02, float 0x4168000020000000) #5
  %91 = fadd float %90, 0xC168000FE0000000
  %92 = fneg float %91
  %93 = tail call float @llvm.fma.f32(float %87, float 0x3FF7154760000000, float %92)
  %94 = tail call float @llvm.fma.f32(float %87, float 0x3E54AE0C00000000, float %93)
  %95 = bitcast float %90 to i32
  %96 = shl i32 %95, 23
  %97 = bitcast i32 %96 to float
  %98 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %94)
  %99 = fmul float %98, %97
  %100 = fmul contract float %67, %99
  %101 = add i32 %83, %5
  %102 = zext i32 %101 to i64
  %103 = getelementptr inbounds nuw float, ptr %1, i64 %102
  store float %100, ptr %103, align 4, !tbaa !11
  %104 = add i32 %83, %10
  %105 = icmp slt i32 %104, %2
  br i1 %105, label %82, label %81, !llvm.loop !18
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.saturate.f(float) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fma.rm.f(float, float, float) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.ftz.f32(float) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.maxnum.f32(float, float) #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #4

attributes #0 = { convergent noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent nocallback nounwind }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #4 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { nounwind }

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
!15 = distinct !{!15, !14}
!16 = distinct !{!16, !14}
!17 = distinct !{!17, !14}
!18 = distinct !{!18, !14}
