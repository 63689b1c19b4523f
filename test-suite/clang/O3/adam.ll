; ModuleID = 'adam.cu'
source_filename = "adam.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: nofree noinline norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @adam(ptr noundef captures(none) %0, ptr noundef captures(none) %1, ptr noundef captures(none) %2, ptr noundef readonly captures(none) %3, i32 noundef %4, i32 noundef %5, float noundef %6, float noundef %7, float noundef %8, float noundef %9) local_unnamed_addr #0 {
  %11 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %12 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %13 = mul i32 %11, %12
  %14 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %15 = add i32 %13, %14
  %16 = icmp slt i32 %15, %4
  %17 = icmp sgt i32 %5, 0
  %18 = and i1 %16, %17
  br i1 %18, label %19, label %57

19:                                               ; preds = %10
  %20 = sext i32 %15 to i64
  %21 = getelementptr inbounds float, ptr %1, i64 %20
  %22 = fsub contract float 1.000000e+00, %7
  %23 = getelementptr inbounds float, ptr %3, i64 %20
  %24 = getelementptr inbounds float, ptr %2, i64 %20
  %25 = fsub contract float 1.000000e+00, %8
  %26 = getelementptr inbounds float, ptr %0, i64 %20
  br label %27

27:                                               ; preds = %19, %27
  %28 = phi i32 [ 0, %19 ], [ %55, %27 ]
  %29 = phi float [ 1.000000e+00, %19 ], [ %32, %27 ]
  %30 = phi float [ 1.000000e+00, %19 ], [ %31, %27 ]
  %31 = fmul contract float %7, %30
  %32 = fmul contract float %8, %29
  %33 = load float, ptr %21, align 4, !tbaa !11
  %34 = fmul contract float %7, %33
  %35 = load float, ptr %23, align 4, !tbaa !11
  %36 = fmul contract float %22, %35
  %37 = fadd contract float %34, %36
  store float %37, ptr %21, align 4, !tbaa !11
  %38 = load float, ptr %24, align 4, !tbaa !11
  %39 = fmul contract float %8, %38
  %40 = load float, ptr %23, align 4, !tbaa !11
  %41 = fmul contract float %25, %40
  %42 = fmul contract float %40, %41
  %43 = fadd contract float %39, %42
  store float %43, ptr %24, align 4, !tbaa !11
  %44 = load float, ptr %21, align 4, !tbaa !11
  %45 = fsub contract float 1.000000e+00, %31
  %46 = fdiv contract float %44, %45
  %47 = fmul contract float %6, %46
  %48 = fsub contract float 1.000000e+00, %32
  %49 = fdiv contract float %43, %48
  %50 = tail call noundef float @llvm.nvvm.sqrt.approx.f(float %49) #3
  %51 = fadd contract float %9, %50
  %52 = fdiv contract float %47, %51
  %53 = load float, ptr %26, align 4, !tbaa !11
  %54 = fsub contract float %53, %52
  store float %54, ptr %26, align 4, !tbaa !11
  %55 = add nuw nsw i32 %28, 1
  %56 = icmp eq i32 %55, %5
  br i1 %56, label %57, label %27, !llvm.loop !13

57:                                               ; preds = %27, %10
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.sqrt.approx.f(float) #2

attributes #0 = { nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #3 = { nounwind }

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
