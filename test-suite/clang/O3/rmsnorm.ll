; ModuleID = 'rmsnorm.cu'
source_filename = "rmsnorm.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ7rmsnormE5parts = internal unnamed_addr addrspace(3) global [32 x float] undef, align 4

; Function Attrs: convergent noinline norecurse nounwind
define dso_local ptx_kernel void @rmsnorm(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef writeonly captures(none) %2, i32 noundef %3, float noundef %4) local_unnamed_addr #0 {
  %6 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %7 = mul i32 %3, %6
  %8 = zext i32 %7 to i64
  %9 = getelementptr inbounds nuw float, ptr %0, i64 %8
  %10 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %11 = icmp slt i32 %10, %3
  br i1 %11, label %12, label %14

12:                                               ; preds = %5
  %13 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %27

14:                                               ; preds = %27, %5
  %15 = phi float [ 0.000000e+00, %5 ], [ %34, %27 ]
  %16 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %15, i32 16, i32 31)
  %17 = fadd contract float %15, %16
  %18 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %17, i32 8, i32 31)
  %19 = fadd contract float %17, %18
  %20 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %19, i32 4, i32 31)
  %21 = fadd contract float %19, %20
  %22 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %21, i32 2, i32 31)
  %23 = fadd contract float %21, %22
  %24 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %23, i32 1, i32 31)
  %25 = and i32 %10, 31
  %26 = icmp eq i32 %25, 0
  br i1 %26, label %37, label %42

27:                                               ; preds = %12, %27
  %28 = phi float [ 0.000000e+00, %12 ], [ %34, %27 ]
  %29 = phi i32 [ %10, %12 ], [ %35, %27 ]
  %30 = sext i32 %29 to i64
  %31 = getelementptr inbounds float, ptr %9, i64 %30
  %32 = load float, ptr %31, align 4, !tbaa !11
  %33 = fmul contract float %32, %32
  %34 = fadd contract float %28, %33
  %35 = add i32 %29, %13
  %36 = icmp slt i32 %35, %3
  br i1 %36, label %27, label %14, !llvm.loop !13

37:                                               ; preds = %14
  %38 = fadd contract float %23, %24
  %39 = lshr exact i32 %10, 5
  %40 = zext nneg i32 %39 to i64
  %41 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @_ZZ7rmsnormE5parts to ptr), i64 %40
  store float %38, ptr %41, align 4, !tbaa !11
  br label %42

42:                                               ; preds = %37, %14
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %43 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %44 = lshr i32 %43, 5
  %45 = icmp eq i32 %44, 0
  br i1 %45, label %68, label %46

46:                                               ; preds = %42
  %47 = and i32 %44, 7
  %48 = icmp samesign ult i32 %43, 256
  br i1 %48, label %53, label %49

49:                                               ; preds = %46
  %50 = and i32 %44, 56
  br label %74

51:                                               ; preds = %74
  %52 = icmp eq i32 %47, 0
  br i1 %52, label %68, label %53

53:                                               ; preds = %51, %46
  %54 = phi float [ 0.000000e+00, %46 ], [ %116, %51 ]
  %55 = phi i32 [ 0, %46 ], [ %117, %51 ]
  %56 = icmp ne i32 %47, 0
  tail call void @llvm.assume(i1 %56)
  br label %57

57:                                               ; preds = %57, %53
  %58 = phi float [ %64, %57 ], [ %54, %53 ]
  %59 = phi i32 [ %65, %57 ], [ %55, %53 ]
  %60 = phi i32 [ %66, %57 ], [ 0, %53 ]
  %61 = zext nneg i32 %59 to i64
  %62 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @_ZZ7rmsnormE5parts to ptr), i64 %61
  %63 = load float, ptr %62, align 4, !tbaa !11
  %64 = fadd contract float %58, %63
  %65 = add nuw nsw i32 %59, 1
  %66 = add i32 %60, 1
  %67 = icmp eq i32 %66, %47
  br i1 %67, label %68, label %57, !llvm.loop !15

68:                                               ; preds = %51, %57, %42
  %69 = phi float [ 0.000000e+00, %42 ], [ %116, %51 ], [ %64, %57 ]
  %70 = sitofp i32 %3 to float
  %71 = fdiv contract float %69, %70
  %72 = fadd contract float %4, %71
  %73 = tail call noundef float @llvm.nvvm.rsqrt.approx.f(float %72)
  br i1 %11, label %121, label %120

74:                                               ; preds = %74, %49
  %75 = phi float [ 0.000000e+00, %49 ], [ %116, %74 ]
  %76 = phi i32 [ 0, %49 ], [ %117, %74 ]
  %77 = phi i32 [ 0, %49 ], [ %118, %74 ]
  %78 = zext nneg i32 %76 to i64
  %79 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @_ZZ7rmsnormE5parts to ptr), i64 %78
  %80 = load float, ptr %79, align 4, !tbaa !11
  %81 = fadd contract float %75, %80
  %82 = zext nneg i32 %76 to i64
  %83 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @_ZZ7rmsnormE5parts to ptr), i64 %82
  %84 = getelementptr inbounds nuw i8, ptr %83, i64 4
  %85 = load float, ptr %84, align 4, !tbaa !11
  %86 = fadd contract float %81, %85
  %87 = zext nneg i32 %76 to i64
  %88 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @_ZZ7rmsnormE5parts to ptr), i64 %87
  %89 = getelementptr inbounds nuw i8, ptr %88, i64 8
  %90 = load float, ptr %89, align 4, !tbaa !11
  %91 = fadd contract float %86, %90
  %92 = zext nneg i32 %76 to i64
  %93 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @_ZZ7rmsnormE5parts to ptr), i64 %92
  %94 = getelementptr inbounds nuw i8, ptr %93, i64 12
  %95 = load float, ptr %94, align 4, !tbaa !11
  %96 = fadd contract float %91, %95
  %97 = zext nneg i32 %76 to i64
  %98 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @_ZZ7rmsnormE5parts to ptr), i64 %97
  %99 = getelementptr inbounds nuw i8, ptr %98, i64 16
  %100 = load float, ptr %99, align 4, !tbaa !11
  %101 = fadd contract float %96, %100
  %102 = zext nneg i32 %76 to i64
  %103 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @_ZZ7rmsnormE5parts to ptr), i64 %102
  %104 = getelementptr inbounds nuw i8, ptr %103, i64 20
  %105 = load float, ptr %104, align 4, !tbaa !11
  %106 = fadd contract float %101, %105
  %107 = zext nneg i32 %76 to i64
  %108 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @_ZZ7rmsnormE5parts to ptr), i64 %107
  %109 = getelementptr inbounds nuw i8, ptr %108, i64 24
  %110 = load float, ptr %109, align 4, !tbaa !11
  %111 = fadd contract float %106, %110
  %112 = zext nneg i32 %76 to i64
  %113 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @_ZZ7rmsnormE5parts to ptr), i64 %112
  %114 = getelementptr inbounds nuw i8, ptr %113, i64 28
  %115 = load float, ptr %114, align 4, !tbaa !11
  %116 = fadd contract float %111, %115
  %117 = add nuw nsw i32 %76, 8
  %118 = add i32 %77, 8
  %119 = icmp eq i32 %118, %50
  br i1 %119, label %51, label %74, !llvm.loop !17

120:                                              ; preds = %121, %68
  ret void

121:                                              ; preds = %68, %121
  %122 = phi i32 [ %133, %121 ], [ %10, %68 ]
  %123 = sext i32 %122 to i64
  %124 = getelementptr inbounds float, ptr %9, i64 %123
  %125 = load float, ptr %124, align 4, !tbaa !11
  %126 = fmul contract float %73, %125
  %127 = getelementptr inbounds float, ptr %1, i64 %123
  %128 = load float, ptr %127, align 4, !tbaa !11
  %129 = fmul contract float %126, %128
  %130 = add i32 %122, %7
  %131 = zext i32 %130 to i64
  %132 = getelementptr inbounds nuw float, ptr %2, i64 %131
  store float %129, ptr %132, align 4, !tbaa !11
  %133 = add i32 %122, %43
  %134 = icmp slt i32 %133, %3
  br i1 %134, label %121, label %120, !llvm.loop !18
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.rsqrt.approx.f(float) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #5

attributes #0 = { convergent noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent nocallback nounwind }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #4 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #5 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }

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
!15 = distinct !{!15, !16}
!16 = !{!"llvm.loop.unroll.disable"}
!17 = distinct !{!17, !14}
!18 = distinct !{!18, !14}
