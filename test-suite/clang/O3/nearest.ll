; ModuleID = 'nearest.cu'
source_filename = "nearest.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @nearest(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef writeonly captures(none) %2, i32 noundef %3, i32 noundef %4) local_unnamed_addr #0 {
  %6 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %8 = mul i32 %6, %7
  %9 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %10 = add i32 %8, %9
  %11 = icmp slt i32 %10, %3
  br i1 %11, label %12, label %152

12:                                               ; preds = %5
  %13 = mul nsw i32 %10, 3
  %14 = sext i32 %13 to i64
  %15 = getelementptr inbounds float, ptr %0, i64 %14
  %16 = load float, ptr %15, align 4, !tbaa !11
  %17 = getelementptr i8, ptr %15, i64 4
  %18 = load float, ptr %17, align 4, !tbaa !11
  %19 = getelementptr i8, ptr %15, i64 8
  %20 = load float, ptr %19, align 4, !tbaa !11
  %21 = icmp sgt i32 %4, 0
  br i1 %21, label %22, label %61

22:                                               ; preds = %12
  %23 = and i32 %4, 3
  %24 = icmp ult i32 %4, 4
  br i1 %24, label %29, label %25

25:                                               ; preds = %22
  %26 = and i32 %4, 2147483644
  br label %65

27:                                               ; preds = %65
  %28 = icmp eq i32 %23, 0
  br i1 %28, label %61, label %29

29:                                               ; preds = %27, %22
  %30 = phi float [ 0x47EC363CC0000000, %22 ], [ %148, %27 ]
  %31 = phi i32 [ -1, %22 ], [ %147, %27 ]
  %32 = phi i32 [ 0, %22 ], [ %149, %27 ]
  %33 = icmp ne i32 %23, 0
  tail call void @llvm.assume(i1 %33)
  br label %34

34:                                               ; preds = %34, %29
  %35 = phi float [ %57, %34 ], [ %30, %29 ]
  %36 = phi i32 [ %56, %34 ], [ %31, %29 ]
  %37 = phi i32 [ %58, %34 ], [ %32, %29 ]
  %38 = phi i32 [ %59, %34 ], [ 0, %29 ]
  %39 = mul nuw nsw i32 %37, 3
  %40 = zext nneg i32 %39 to i64
  %41 = getelementptr inbounds nuw float, ptr %1, i64 %40
  %42 = load float, ptr %41, align 4, !tbaa !11
  %43 = fsub contract float %16, %42
  %44 = getelementptr inbounds nuw i8, ptr %41, i64 4
  %45 = load float, ptr %44, align 4, !tbaa !11
  %46 = fsub contract float %18, %45
  %47 = getelementptr inbounds nuw i8, ptr %41, i64 8
  %48 = load float, ptr %47, align 4, !tbaa !11
  %49 = fsub contract float %20, %48
  %50 = fmul contract float %43, %43
  %51 = fmul contract float %46, %46
  %52 = fadd contract float %50, %51
  %53 = fmul contract float %49, %49
  %54 = fadd contract float %52, %53
  %55 = fcmp contract olt float %54, %35
  %56 = select i1 %55, i32 %37, i32 %36
  %57 = select i1 %55, float %54, float %35
  %58 = add nuw nsw i32 %37, 1
  %59 = add i32 %38, 1
  %60 = icmp eq i32 %59, %23
  br i1 %60, label %61, label %34, !llvm.loop !13

61:                                               ; preds = %27, %34, %12
  %62 = phi i32 [ -1, %12 ], [ %147, %27 ], [ %56, %34 ]
  %63 = sext i32 %10 to i64
  %64 = getelementptr inbounds i32, ptr %2, i64 %63
  store i32 %62, ptr %64, align 4, !tbaa !6
  br label %152

65:                                               ; preds = %65, %25
  %66 = phi float [ 0x47EC363CC0000000, %25 ], [ %148, %65 ]
  %67 = phi i32 [ -1, %25 ], [ %147, %65 ]
  %68 = phi i32 [ 0, %25 ], [ %149, %65 ]
  %69 = phi i32 [ 0, %25 ], [ %150, %65 ]
  %70 = mul nuw nsw i32 %68, 3
  %71 = zext nneg i32 %70 to i64
  %72 = getelementptr inbounds nuw float, ptr %1, i64 %71
  %73 = load float, ptr %72, align 4, !tbaa !11
  %74 = fsub contract float %16, %73
  %75 = getelementptr inbounds nuw i8, ptr %72, i64 4
  %76 = load float, ptr %75, align 4, !tbaa !11
  %77 = fsub contract float %18, %76
  %78 = getelementptr inbounds nuw i8, ptr %72, i64 8
  %79 = load float, ptr %78, align 4, !tbaa !11
  %80 = fsub contract float %20, %79
  %81 = fmul contract float %74, %74
  %82 = fmul contract float %77, %77
  %83 = fadd contract float %81, %82
  %84 = fmul contract float %80, %80
  %85 = fadd contract float %83, %84
  %86 = fcmp contract olt float %85, %66
  %87 = select i1 %86, i32 %68, i32 %67
  %88 = select i1 %86, float %85, float %66
  %89 = or disjoint i32 %68, 1
  %90 = mul nuw nsw i32 %89, 3
  %91 = zext nneg i32 %90 to i64
  %92 = getelementptr inbounds nuw float, ptr %1, i64 %91
  %93 = load float, ptr %92, align 4, !tbaa !11
  %94 = fsub contract float %16, %93
  %95 = getelementptr inbounds nuw i8, ptr %92, i64 4
  %96 = load float, ptr %95, align 4, !tbaa !11
  %97 = fsub contract float %18, %96
  %98 = getelementptr inbounds nuw i8, ptr %92, i64 8
  %99 = load float, ptr %98, align 4, !tbaa !11
  %100 = fsub contract float %20, %99
  %101 = fmul contract float %94, %94
  %102 = fmul contract float %97, %97
  %103 = fadd contract float %101, %102
  %104 = fmul contract float %100, %100
  %105 = fadd contract float %103, %104
  %106 = fcmp contract olt float %105, %88
  %107 = select i1 %106, i32 %89, i32 %87
  %108 = select i1 %106, float %105, float %88
  %109 = or disjoint i32 %68, 2
  %110 = mul nuw nsw i32 %109, 3
  %111 = zext nneg i32 %110 to i64
  %112 = getelementptr inbounds nuw float, ptr %1, i64 %111
  %113 = load float, ptr %112, align 4, !tbaa !11
  %114 = fsub contract float %16, %113
  %115 = getelementptr inbounds nuw i8, ptr %112, i64 4
  %116 = load float, ptr %115, align 4, !tbaa !11
  %117 = fsub contract float %18, %116
  %118 = getelementptr inbounds nuw i8, ptr %112, i64 8
  %119 = load float, ptr %118, align 4, !tbaa !11
  %120 = fsub contract float %20, %119
  %121 = fmul contract float %114, %114
  %122 = fmul contract float %117, %117
  %123 = fadd contract float %121, %122
  %124 = fmul contract float %120, %120
  %125 = fadd contract float %123, %124
  %126 = fcmp contract olt float %125, %108
  %127 = select i1 %126, i32 %109, i32 %107
  %128 = select i1 %126, float %125, float %108
  %129 = or disjoint i32 %68, 3
  %130 = mul nuw nsw i32 %129, 3
  %131 = zext nneg i32 %130 to i64
  %132 = getelementptr inbounds nuw float, ptr %1, i64 %131
  %133 = load float, ptr %132, align 4, !tbaa !11
  %134 = fsub contract float %16, %133
  %135 = getelementptr inbounds nuw i8, ptr %132, i64 4
  %136 = load float, ptr %135, align 4, !tbaa !11
  %137 = fsub contract float %18, %136
  %138 = getelementptr inbounds nuw i8, ptr %132, i64 8
  %139 = load float, ptr %138, align 4, !tbaa !11
  %140 = fsub contract float %20, %139
  %141 = fmul contract float %134, %134
  %142 = fmul contract float %137, %137
  %143 = fadd contract float %141, %142
  %144 = fmul contract float %140, %140
  %145 = fadd contract float %143, %144
  %146 = fcmp contract olt float %145, %128
  %147 = select i1 %146, i32 %129, i32 %127
  %148 = select i1 %146, float %145, float %128
  %149 = add nuw nsw i32 %68, 4
  %150 = add i32 %69, 4
  %151 = icmp eq i32 %150, %26
  br i1 %151, label %27, label %65, !llvm.loop !15

152:                                              ; preds = %5, %61
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #2

attributes #0 = { mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }

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
