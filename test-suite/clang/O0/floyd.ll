; ModuleID = 'floyd.cu'
source_filename = "floyd.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__cuda_builtin_blockIdx_t = type { i8 }
%struct.__cuda_builtin_threadIdx_t = type { i8 }

@blockIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockIdx_t, align 1
@threadIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_threadIdx_t, align 1
@d = external dso_local addrspace(3) global [0 x i32], align 4

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local ptx_kernel void @floyd(ptr noundef %0, i32 noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store i32 %1, ptr %4, align 4
  %10 = load ptr, ptr %3, align 8
  %11 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %12 = load i32, ptr %4, align 4
  %13 = mul i32 %11, %12
  %14 = load i32, ptr %4, align 4
  %15 = mul i32 %13, %14
  %16 = zext i32 %15 to i64
  %17 = getelementptr inbounds nuw i32, ptr %10, i64 %16
  store ptr %17, ptr %5, align 8
  %18 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %18, ptr %6, align 4
  %19 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  store i32 %19, ptr %7, align 4
  %20 = load ptr, ptr %5, align 8
  %21 = load i32, ptr %7, align 4
  %22 = load i32, ptr %4, align 4
  %23 = mul nsw i32 %21, %22
  %24 = load i32, ptr %6, align 4
  %25 = add nsw i32 %23, %24
  %26 = sext i32 %25 to i64
  %27 = getelementptr inbounds i32, ptr %20, i64 %26
  %28 = load i32, ptr %27, align 4
  %29 = load i32, ptr %7, align 4
  %30 = load i32, ptr %4, align 4
  %31 = mul nsw i32 %29, %30
  %32 = load i32, ptr %6, align 4
  %33 = add nsw i32 %31, %32
  %34 = sext i32 %33 to i64
  %35 = getelementptr inbounds [0 x i32], ptr addrspacecast (ptr addrspace(3) @d to ptr), i64 0, i64 %34
  store i32 %28, ptr %35, align 4
  store i32 0, ptr %8, align 4
  br label %36

36:                                               ; preds = %78, %2
  %37 = load i32, ptr %8, align 4
  %38 = load i32, ptr %4, align 4
  %39 = icmp slt i32 %37, %38
  br i1 %39, label %40, label %81

40:                                               ; preds = %36
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %41 = load i32, ptr %7, align 4
  %42 = load i32, ptr %4, align 4
  %43 = mul nsw i32 %41, %42
  %44 = load i32, ptr %8, align 4
  %45 = add nsw i32 %43, %44
  %46 = sext i32 %45 to i64
  %47 = getelementptr inbounds [0 x i32], ptr addrspacecast (ptr addrspace(3) @d to ptr), i64 0, i64 %46
  %48 = load i32, ptr %47, align 4
  %49 = load i32, ptr %8, align 4
  %50 = load i32, ptr %4, align 4
  %51 = mul nsw i32 %49, %50
  %52 = load i32, ptr %6, align 4
  %53 = add nsw i32 %51, %52
  %54 = sext i32 %53 to i64
  %55 = getelementptr inbounds [0 x i32], ptr addrspacecast (ptr addrspace(3) @d to ptr), i64 0, i64 %54
  %56 = load i32, ptr %55, align 4
  %57 = add nsw i32 %48, %56
  store i32 %57, ptr %9, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %58 = load i32, ptr %9, align 4
  %59 = load i32, ptr %7, align 4
  %60 = load i32, ptr %4, align 4
  %61 = mul nsw i32 %59, %60
  %62 = load i32, ptr %6, align 4
  %63 = add nsw i32 %61, %62
  %64 = sext i32 %63 to i64
  %65 = getelementptr inbounds [0 x i32], ptr addrspacecast (ptr addrspace(3) @d to ptr), i64 0, i64 %64
  %66 = load i32, ptr %65, align 4
  %67 = icmp slt i32 %58, %66
  br i1 %67, label %68, label %77

68:                                               ; preds = %40
  %69 = load i32, ptr %9, align 4
  %70 = load i32, ptr %7, align 4
  %71 = load i32, ptr %4, align 4
  %72 = mul nsw i32 %70, %71
  %73 = load i32, ptr %6, align 4
  %74 = add nsw i32 %72, %73
  %75 = sext i32 %74 to i64
  %76 = getelementptr inbounds [0 x i32], ptr addrspacecast (ptr addrspace(3) @d to ptr), i64 0, i64 %75
  store i32 %69, ptr %76, align 4
  br label %77

77:                                               ; preds = %68, %40
  br label %78

78:                                               ; preds = %77
  %79 = load i32, ptr %8, align 4
  %80 = add nsw i32 %79, 1
  store i32 %80, ptr %8, align 4
  br label %36, !llvm.loop !7

81:                                               ; preds = %36
  %82 = load i32, ptr %7, align 4
  %83 = load i32, ptr %4, align 4
  %84 = mul nsw i32 %82, %83
  %85 = load i32, ptr %6, align 4
  %86 = add nsw i32 %84, %85
  %87 = sext i32 %86 to i64
  %88 = getelementptr inbounds [0 x i32], ptr addrspacecast (ptr addrspace(3) @d to ptr), i64 0, i64 %87
  %89 = load i32, ptr %88, align 4
  %90 = load ptr, ptr %5, align 8
  %91 = load i32, ptr %7, align 4
  %92 = load i32, ptr %4, align 4
  %93 = mul nsw i32 %91, %92
  %94 = load i32, ptr %6, align 4
  %95 = add nsw i32 %93, %94
  %96 = sext i32 %95 to i64
  %97 = getelementptr inbounds i32, ptr %90, i64 %96
  store i32 %89, ptr %97, align 4
  ret void
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y() #2

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent nocallback nounwind }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4, !5}
!nvvmir.version = !{!6}

!0 = !{i32 2, !"SDK Version", [2 x i32] [i32 12, i32 9]}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!5 = !{!"clang version 3.8.0 (tags/RELEASE_380/final)"}
!6 = !{i32 2, i32 0}
!7 = distinct !{!7, !8}
!8 = !{!"llvm.loop.mustprogress"}
