; ModuleID = 'cross_entropy.cu'
source_filename = "cross_entropy.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: convergent noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @cross_entropy(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef writeonly captures(none) %2, i32 noundef %3, i32 noundef %4) local_unnamed_addr #0 {
  %6 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %8 = mul i32 %6, %7
  %9 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %10 = add i32 %8, %9
  %11 = lshr i32 %10, 5
  %12 = and i32 %9, 31
  %13 = icmp slt i32 %11, %3
  br i1 %13, label %14, label %103

14:                                               ; preds = %5
  %15 = mul nsw i32 %4, %11
  %16 = sext i32 %15 to i64
  %17 = getelementptr inbounds float, ptr %0, i64 %16
  %18 = icmp slt i32 %12, %4
  br i1 %18, label %31, label %19

19:                                               ; preds = %31, %14
  %20 = phi float [ 0xC7EC363CC0000000, %14 ], [ %37, %31 ]
  %21 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %20, i32 16, i32 31)
  %22 = tail call noundef float @llvm.maxnum.f32(float %20, float %21)
  %23 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %22, i32 8, i32 31)
  %24 = tail call noundef float @llvm.maxnum.f32(float %22, float %23)
  %25 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %24, i32 4, i32 31)
  %26 = tail call noundef float @llvm.maxnum.f32(float %24, float %25)
  %27 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %26, i32 2, i32 31)
  %28 = tail call noundef float @llvm.maxnum.f32(float %26, float %27)
  %29 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %28, i32 1, i32 31)
  %30 = tail call noundef float @llvm.maxnum.f32(float %28, float %29)
  br i1 %18, label %52, label %40

31:                                               ; preds = %14, %31
  %32 = phi i32 [ %38, %31 ], [ %12, %14 ]
  %33 = phi float [ %37, %31 ], [ 0xC7EC363CC0000000, %14 ]
  %34 = zext nneg i32 %32 to i64
  %35 = getelementptr inbounds nuw float, ptr %17, i64 %34
  %36 = load float, ptr %35, align 4, !tbaa !11
  %37 = tail call noundef float @llvm.maxnum.f32(float %33, float %36)
  %38 = add nuw nsw i32 %32, 32
  %39 = icmp slt i32 %38, %4
  br i1 %39, label %31, label %19, !llvm.loop !13

40:                                               ; preds = %52, %19
  %41 = phi float [ 0.000000e+00, %19 ], [ %61, %52 ]
  %42 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %41, i32 16, i32 31)
  %43 = fadd contract float %41, %42
  %44 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %43, i32 8, i32 31)
  %45 = fadd contract float %43, %44
  %46 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %45, i32 4, i32 31)
  %47 = fadd contract float %45, %46
  %48 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %47, i32 2, i32 31)
  %49 = fadd contract float %47, %48
  %50 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %49, i32 1, i32 31)
  %51 = icmp eq i32 %12, 0
  br i1 %51, label %64, label %103

52:                                               ; preds = %19, %52
  %53 = phi i32 [ %62, %52 ], [ %12, %19 ]
  %54 = phi float [ %61, %52 ], [ 0.000000e+00, %19 ]
  %55 = zext nneg i32 %53 to i64
  %56 = getelementptr inbounds nuw float, ptr %17, i64 %55
  %57 = load float, ptr %56, align 4, !tbaa !11
  %58 = fsub contract float %57, %30
  %59 = fmul float %58, 0x3FF7154760000000
  %60 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %59)
  %61 = fadd contract float %54, %60
  %62 = add nuw nsw i32 %53, 32
  %63 = icmp slt i32 %62, %4
  br i1 %63, label %52, label %40, !llvm.loop !15

64:                                               ; preds = %40
  %65 = fadd contract float %49, %50
  %66 = fcmp olt float %65, 0x3810000000000000
  %67 = fmul float %65, 0x4160000000000000
  %68 = select i1 %66, float %67, float %65
  %69 = select i1 %66, float -2.300000e+01, float 0.000000e+00
  %70 = bitcast float %68 to i32
  %71 = add i32 %70, -1059760811
  %72 = and i32 %71, -8388608
  %73 = sub i32 %70, %72
  %74 = bitcast i32 %73 to float
  %75 = sitofp i32 %72 to float
  %76 = tail call float @llvm.fma.f32(float %75, float 0x3E80000000000000, float %69)
  %77 = fadd float %74, -1.000000e+00
  %78 = tail call float @llvm.fma.f32(float %77, float 0xBFC0AA04E0000000, float 0x3FC2073EC0000000)
  %79 = tail call float @llvm.fma.f32(float %78, float %77, float 0xBFBF19B980000000)
  %80 = tail call float @llvm.fma.f32(float %79, float %77, float 0x3FC1E52AA0000000)
  %81 = tail call float @llvm.fma.f32(float %80, float %77, float 0xBFC55B1720000000)
  %82 = tail call float @llvm.fma.f32(float %81, float %77, float 0x3FC99DA160000000)
  %83 = tail call float @llvm.fma.f32(float %82, float %77, float 0xBFCFFFE440000000)
  %84 = tail call float @llvm.fma.f32(float %83, float %77, float 0x3FD5554F00000000)
  %85 = tail call float @llvm.fma.f32(float %84, float %77, float -5.000000e-01)
  %86 = fmul float %77, %85
  %87 = tail call float @llvm.fma.f32(float %86, float %77, float %77)
  %88 = tail call float @llvm.fma.f32(float %76, float 0x3FE62E4300000000, float %87)
  %89 = icmp ugt i32 %70, 2139095039
  %90 = tail call float @llvm.fma.f32(float %68, float 0x7FF0000000000000, float 0x7FF0000000000000)
  %91 = select i1 %89, float %90, float %88
  %92 = fcmp oeq float %68, 0.000000e+00
  %93 = select i1 %92, float 0xFFF0000000000000, float %91
  %94 = fadd contract float %30, %93
  %95 = zext nneg i32 %11 to i64
  %96 = getelementptr inbounds nuw i32, ptr %1, i64 %95
  %97 = load i32, ptr %96, align 4, !tbaa !6
  %98 = sext i32 %97 to i64
  %99 = getelementptr inbounds float, ptr %17, i64 %98
  %100 = load float, ptr %99, align 4, !tbaa !11
  %101 = fsub contract float %94, %100
  %102 = getelementptr inbounds nuw float, ptr %2, i64 %95
  store float %101, ptr %102, align 4, !tbaa !11
  br label %103

103:                                              ; preds = %40, %64, %5
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

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.f32(float) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.maxnum.f32(float, float) #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #4

attributes #0 = { convergent noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #4 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

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
