; ModuleID = 'rounds.cu'
source_filename = "rounds.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@turns = dso_local addrspace(4) externally_initialized constant [16 x i32] [i32 7, i32 12, i32 17, i32 22, i32 5, i32 9, i32 14, i32 20, i32 4, i32 11, i32 16, i32 23, i32 6, i32 10, i32 15, i32 21], align 4
@llvm.compiler.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(4) @turns to ptr)], section "llvm.metadata"

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @rounds(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %17, label %76

10:                                               ; preds = %50
  %11 = shl nsw i32 %8, 2
  %12 = sext i32 %11 to i64
  %13 = getelementptr inbounds i32, ptr %1, i64 %12
  store i32 %20, ptr %13, align 4, !tbaa !6
  %14 = getelementptr i8, ptr %13, i64 4
  store i32 %73, ptr %14, align 4, !tbaa !6
  %15 = getelementptr i8, ptr %13, i64 8
  store i32 %22, ptr %15, align 4, !tbaa !6
  %16 = getelementptr i8, ptr %13, i64 12
  store i32 %21, ptr %16, align 4, !tbaa !6
  br label %76

17:                                               ; preds = %3, %50
  %18 = phi i32 [ %20, %50 ], [ 1732584193, %3 ]
  %19 = phi i32 [ %74, %50 ], [ 0, %3 ]
  %20 = phi i32 [ %21, %50 ], [ 271733878, %3 ]
  %21 = phi i32 [ %22, %50 ], [ -1732584194, %3 ]
  %22 = phi i32 [ %73, %50 ], [ -271733879, %3 ]
  %23 = icmp samesign ult i32 %19, 16
  br i1 %23, label %24, label %29

24:                                               ; preds = %17
  %25 = and i32 %21, %22
  %26 = xor i32 %22, -1
  %27 = and i32 %20, %26
  %28 = or i32 %27, %25
  br label %50

29:                                               ; preds = %17
  %30 = icmp samesign ult i32 %19, 32
  br i1 %30, label %31, label %38

31:                                               ; preds = %29
  %32 = and i32 %20, %22
  %33 = xor i32 %20, -1
  %34 = and i32 %21, %33
  %35 = or i32 %32, %34
  %36 = mul nuw nsw i32 %19, 5
  %37 = add nuw nsw i32 %36, 1
  br label %50

38:                                               ; preds = %29
  %39 = icmp samesign ult i32 %19, 48
  br i1 %39, label %40, label %45

40:                                               ; preds = %38
  %41 = xor i32 %21, %22
  %42 = xor i32 %41, %20
  %43 = mul nuw nsw i32 %19, 3
  %44 = add nuw nsw i32 %43, 5
  br label %50

45:                                               ; preds = %38
  %46 = xor i32 %20, -1
  %47 = or i32 %22, %46
  %48 = xor i32 %47, %21
  %49 = mul nuw nsw i32 %19, 7
  br label %50

50:                                               ; preds = %31, %45, %40, %24
  %51 = phi i32 [ %28, %24 ], [ %35, %31 ], [ %42, %40 ], [ %48, %45 ]
  %52 = phi i32 [ %19, %24 ], [ %37, %31 ], [ %44, %40 ], [ %49, %45 ]
  %53 = add i32 %52, %8
  %54 = urem i32 %53, %2
  %55 = zext i32 %54 to i64
  %56 = getelementptr inbounds nuw i32, ptr %0, i64 %55
  %57 = load i32, ptr %56, align 4, !tbaa !6
  %58 = mul i32 %19, -1640531527
  %59 = add i32 %58, %18
  %60 = add i32 %59, %51
  %61 = add i32 %60, %57
  %62 = lshr i32 %19, 2
  %63 = and i32 %62, 12
  %64 = and i32 %19, 3
  %65 = or disjoint i32 %63, %64
  %66 = zext nneg i32 %65 to i64
  %67 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(4) @turns to ptr), i64 %66
  %68 = load i32, ptr %67, align 4, !tbaa !6
  %69 = shl i32 %61, %68
  %70 = sub i32 32, %68
  %71 = lshr i32 %61, %70
  %72 = add i32 %71, %22
  %73 = add i32 %72, %69
  %74 = add nuw nsw i32 %19, 1
  %75 = icmp eq i32 %74, 64
  br i1 %75, label %10, label %17, !llvm.loop !11

76:                                               ; preds = %3, %10
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
!11 = distinct !{!11, !12}
!12 = !{!"llvm.loop.mustprogress"}
