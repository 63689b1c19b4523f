; ModuleID = 'julia.cu'
source_filename = "julia.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: noinline norecurse nounwind memory(argmem: write)
define dso_local ptx_kernel void @julia(ptr noundef writeonly captures(none) %0, i32 noundef %1, i32 noundef %2, float noundef %3, float noundef %4, i32 noundef %5) local_unnamed_addr #0 {
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
  %17 = icmp slt i32 %11, %1
  %18 = icmp slt i32 %16, %2
  %19 = and i1 %17, %18
  br i1 %19, label %20, label %51

20:                                               ; preds = %6
  %21 = icmp sgt i32 %5, 0
  br i1 %21, label %22, label %45

22:                                               ; preds = %20
  %23 = uitofp nneg i32 %16 to float
  %24 = tail call noundef float @llvm.nvvm.mul.rn.f(float %23, float 1.250000e-01)
  %25 = fadd contract float %24, -1.500000e+00
  %26 = sitofp i32 %11 to float
  %27 = tail call noundef float @llvm.nvvm.mul.rn.f(float %26, float 1.250000e-01)
  %28 = fadd contract float %27, -1.500000e+00
  br label %29

29:                                               ; preds = %22, %37
  %30 = phi i32 [ %43, %37 ], [ 0, %22 ]
  %31 = phi float [ %42, %37 ], [ %25, %22 ]
  %32 = phi float [ %39, %37 ], [ %28, %22 ]
  %33 = tail call noundef float @llvm.nvvm.mul.rn.f(float %32, float %32)
  %34 = tail call noundef float @llvm.nvvm.mul.rn.f(float %31, float %31)
  %35 = tail call noundef float @llvm.nvvm.add.rn.f(float %33, float %34)
  %36 = fcmp contract ugt float %35, 4.000000e+00
  br i1 %36, label %45, label %37

37:                                               ; preds = %29
  %38 = tail call noundef float asm "sub.rn.f32 $0, $1, $2;", "=f,f,f"(float %33, float %34) #2, !srcloc !11
  %39 = tail call noundef float @llvm.nvvm.add.rn.f(float %38, float %3)
  %40 = tail call noundef float @llvm.nvvm.mul.rn.f(float 2.000000e+00, float %32)
  %41 = tail call noundef float @llvm.nvvm.mul.rn.f(float %40, float %31)
  %42 = tail call noundef float @llvm.nvvm.add.rn.f(float %41, float %4)
  %43 = add nuw nsw i32 %30, 1
  %44 = icmp eq i32 %43, %5
  br i1 %44, label %45, label %29, !llvm.loop !12

45:                                               ; preds = %29, %37, %20
  %46 = phi i32 [ 0, %20 ], [ %30, %29 ], [ %5, %37 ]
  %47 = mul nsw i32 %1, %16
  %48 = add nsw i32 %47, %11
  %49 = sext i32 %48 to i64
  %50 = getelementptr inbounds i32, ptr %0, i64 %49
  store i32 %46, ptr %50, align 4, !tbaa !6
  br label %51

51:                                               ; preds = %6, %45
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

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.add.rn.f(float, float) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.mul.rn.f(float, float) #1

attributes #0 = { noinline norecurse nounwind memory(argmem: write) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind memory(none) }

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
!11 = !{i32 9504}
!12 = distinct !{!12, !13}
!13 = !{!"llvm.loop.mustprogress"}
