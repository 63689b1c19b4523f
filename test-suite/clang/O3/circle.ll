; ModuleID = 'circle.cu'
source_filename = "circle.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: convergent noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @circle(ptr noundef captures(none) %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = icmp sgt i32 %1, 0
  br i1 %4, label %7, label %5

5:                                                ; preds = %2
  %6 = and i32 %3, 31
  br label %16

7:                                                ; preds = %2
  %8 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %9 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %10 = mul i32 %8, %9
  %11 = add i32 %10, %3
  %12 = mul i32 %11, -1640531535
  %13 = add i32 %12, 12345
  %14 = and i32 %3, 31
  %15 = icmp eq i32 %14, 0
  br label %20

16:                                               ; preds = %20, %5
  %17 = phi i32 [ %6, %5 ], [ %14, %20 ]
  %18 = phi i32 [ 0, %5 ], [ %47, %20 ]
  %19 = icmp eq i32 %17, 0
  br i1 %19, label %50, label %52

20:                                               ; preds = %7, %20
  %21 = phi i32 [ %13, %7 ], [ %36, %20 ]
  %22 = phi i32 [ 0, %7 ], [ %47, %20 ]
  %23 = phi i32 [ 0, %7 ], [ %48, %20 ]
  %24 = shl i32 %21, 13
  %25 = xor i32 %24, %21
  %26 = lshr i32 %25, 17
  %27 = xor i32 %26, %25
  %28 = shl i32 %27, 5
  %29 = xor i32 %28, %27
  %30 = and i32 %29, 65535
  %31 = shl i32 %29, 13
  %32 = xor i32 %31, %29
  %33 = lshr i32 %32, 17
  %34 = xor i32 %33, %32
  %35 = shl i32 %34, 5
  %36 = xor i32 %35, %34
  %37 = and i32 %36, 65535
  %38 = mul nuw i32 %30, %30
  %39 = lshr i32 %38, 1
  %40 = mul nuw i32 %37, %37
  %41 = lshr i32 %40, 1
  %42 = add nuw i32 %41, %39
  %43 = icmp ult i32 %42, 2147418112
  %44 = tail call noundef i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %43)
  %45 = tail call noundef range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %44)
  %46 = select i1 %15, i32 %45, i32 0
  %47 = add i32 %46, %22
  %48 = add nuw nsw i32 %23, 1
  %49 = icmp eq i32 %48, %1
  br i1 %49, label %16, label %20, !llvm.loop !11

50:                                               ; preds = %16
  %51 = atomicrmw add ptr %0, i32 %18 seq_cst, align 4
  br label %52

52:                                               ; preds = %50, %16
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctpop.i32(i32) #3

attributes #0 = { convergent noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
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
