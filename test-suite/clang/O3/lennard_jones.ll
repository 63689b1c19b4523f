; ModuleID = 'lennard_jones.cu'
source_filename = "lennard_jones.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.float4 = type { float, float, float, float }

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @lennard_jones(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2, float noundef %3) local_unnamed_addr #0 {
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul i32 %5, %6
  %8 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add i32 %7, %8
  %10 = icmp slt i32 %9, %2
  br i1 %10, label %11, label %79

11:                                               ; preds = %4
  %12 = sext i32 %9 to i64
  %13 = getelementptr inbounds %struct.float4, ptr %0, i64 %12
  %14 = load float, ptr %13, align 16, !tbaa !11
  %15 = getelementptr inbounds nuw i8, ptr %13, i64 4
  %16 = load float, ptr %15, align 4, !tbaa !11
  %17 = getelementptr inbounds nuw i8, ptr %13, i64 8
  %18 = load float, ptr %17, align 8, !tbaa !11
  %19 = icmp sgt i32 %2, 0
  br i1 %19, label %29, label %20

20:                                               ; preds = %72, %11
  %21 = phi float [ 0.000000e+00, %11 ], [ %73, %72 ]
  %22 = phi float [ 0.000000e+00, %11 ], [ %74, %72 ]
  %23 = phi float [ 0.000000e+00, %11 ], [ %75, %72 ]
  %24 = phi float [ 0.000000e+00, %11 ], [ %76, %72 ]
  %25 = getelementptr inbounds %struct.float4, ptr %1, i64 %12
  store float %24, ptr %25, align 16, !tbaa !11
  %26 = getelementptr inbounds nuw i8, ptr %25, i64 4
  store float %23, ptr %26, align 4, !tbaa !11
  %27 = getelementptr inbounds nuw i8, ptr %25, i64 8
  store float %22, ptr %27, align 8, !tbaa !11
  %28 = getelementptr inbounds nuw i8, ptr %25, i64 12
  store float %21, ptr %28, align 4, !tbaa !11
  br label %79

29:                                               ; preds = %11, %72
  %30 = phi float [ %76, %72 ], [ 0.000000e+00, %11 ]
  %31 = phi float [ %75, %72 ], [ 0.000000e+00, %11 ]
  %32 = phi float [ %74, %72 ], [ 0.000000e+00, %11 ]
  %33 = phi float [ %73, %72 ], [ 0.000000e+00, %11 ]
  %34 = phi i32 [ %77, %72 ], [ 0, %11 ]
  %35 = zext nneg i32 %34 to i64
  %36 = getelementptr inbounds nuw %struct.float4, ptr %0, i64 %35
  %37 = load float, ptr %36, align 16, !tbaa !11
  %38 = getelementptr inbounds nuw i8, ptr %36, i64 4
  %39 = load float, ptr %38, align 4, !tbaa !11
  %40 = getelementptr inbounds nuw i8, ptr %36, i64 8
  %41 = load float, ptr %40, align 8, !tbaa !11
  %42 = fsub contract float %14, %37
  %43 = fsub contract float %16, %39
  %44 = fsub contract float %18, %41
  %45 = fmul contract float %42, %42
  %46 = fmul contract float %43, %43
  %47 = fadd contract float %45, %46
  %48 = fmul contract float %44, %44
  %49 = fadd contract float %47, %48
  %50 = icmp ne i32 %34, %9
  %51 = fcmp contract olt float %49, %3
  %52 = select i1 %50, i1 %51, i1 false
  br i1 %52, label %53, label %72

53:                                               ; preds = %29
  %54 = fdiv contract float 1.000000e+00, %49
  %55 = fmul contract float %54, %54
  %56 = fmul contract float %54, %55
  %57 = fmul contract float %56, 2.000000e+00
  %58 = fadd contract float %57, -1.000000e+00
  %59 = fmul contract float %56, %58
  %60 = fmul contract float %54, %59
  %61 = fmul contract float %60, 2.400000e+01
  %62 = fmul contract float %42, %61
  %63 = fadd contract float %30, %62
  %64 = fmul contract float %43, %61
  %65 = fadd contract float %31, %64
  %66 = fmul contract float %44, %61
  %67 = fadd contract float %32, %66
  %68 = fmul contract float %56, 4.000000e+00
  %69 = fadd contract float %56, -1.000000e+00
  %70 = fmul contract float %68, %69
  %71 = fadd contract float %33, %70
  br label %72

72:                                               ; preds = %53, %29
  %73 = phi float [ %71, %53 ], [ %33, %29 ]
  %74 = phi float [ %67, %53 ], [ %32, %29 ]
  %75 = phi float [ %65, %53 ], [ %31, %29 ]
  %76 = phi float [ %63, %53 ], [ %30, %29 ]
  %77 = add nuw nsw i32 %34, 1
  %78 = icmp eq i32 %77, %2
  br i1 %78, label %20, label %29, !llvm.loop !13

79:                                               ; preds = %4, %20
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
!14 = !{!"llvm.loop.mustprogress"}
