; ModuleID = 'sort_shared.cu'
source_filename = "sort_shared.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__cuda_builtin_blockIdx_t = type { i8 }
%struct.__cuda_builtin_threadIdx_t = type { i8 }
%struct.__cuda_builtin_blockDim_t = type { i8 }

@blockIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockIdx_t, align 1
@threadIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_threadIdx_t, align 1
@shared = external dso_local addrspace(3) global [0 x i32], align 4
@blockDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockDim_t, align 1

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local ptx_kernel void @sort_shared(ptr noundef %0, i32 noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i8, align 1
  %13 = alloca i32, align 4
  %14 = alloca i32, align 4
  %15 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store i32 %1, ptr %4, align 4
  %16 = load ptr, ptr %3, align 8
  %17 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %18 = load i32, ptr %4, align 4
  %19 = mul i32 %17, %18
  %20 = zext i32 %19 to i64
  %21 = getelementptr inbounds nuw i32, ptr %16, i64 %20
  store ptr %21, ptr %5, align 8
  %22 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %22, ptr %6, align 4
  br label %23

23:                                               ; preds = %36, %2
  %24 = load i32, ptr %6, align 4
  %25 = load i32, ptr %4, align 4
  %26 = icmp slt i32 %24, %25
  br i1 %26, label %27, label %40

27:                                               ; preds = %23
  %28 = load ptr, ptr %5, align 8
  %29 = load i32, ptr %6, align 4
  %30 = sext i32 %29 to i64
  %31 = getelementptr inbounds i32, ptr %28, i64 %30
  %32 = load i32, ptr %31, align 4
  %33 = load i32, ptr %6, align 4
  %34 = sext i32 %33 to i64
  %35 = getelementptr inbounds [0 x i32], ptr addrspacecast (ptr addrspace(3) @shared to ptr), i64 0, i64 %34
  store i32 %32, ptr %35, align 4
  br label %36

36:                                               ; preds = %27
  %37 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %38 = load i32, ptr %6, align 4
  %39 = add i32 %38, %37
  store i32 %39, ptr %6, align 4
  br label %23, !llvm.loop !7

40:                                               ; preds = %23
  store i32 2, ptr %7, align 4
  br label %41

41:                                               ; preds = %109, %40
  %42 = load i32, ptr %7, align 4
  %43 = load i32, ptr %4, align 4
  %44 = icmp sle i32 %42, %43
  br i1 %44, label %45, label %112

45:                                               ; preds = %41
  %46 = load i32, ptr %7, align 4
  %47 = sdiv i32 %46, 2
  store i32 %47, ptr %8, align 4
  br label %48

48:                                               ; preds = %105, %45
  %49 = load i32, ptr %8, align 4
  %50 = icmp sgt i32 %49, 0
  br i1 %50, label %51, label %108

51:                                               ; preds = %48
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %52 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %52, ptr %9, align 4
  br label %53

53:                                               ; preds = %100, %51
  %54 = load i32, ptr %9, align 4
  %55 = load i32, ptr %4, align 4
  %56 = sdiv i32 %55, 2
  %57 = icmp slt i32 %54, %56
  br i1 %57, label %58, label %104

58:                                               ; preds = %53
  %59 = load i32, ptr %9, align 4
  %60 = mul nsw i32 2, %59
  %61 = load i32, ptr %9, align 4
  %62 = load i32, ptr %8, align 4
  %63 = sub nsw i32 %62, 1
  %64 = and i32 %61, %63
  %65 = sub nsw i32 %60, %64
  store i32 %65, ptr %10, align 4
  %66 = load i32, ptr %10, align 4
  %67 = load i32, ptr %8, align 4
  %68 = add nsw i32 %66, %67
  store i32 %68, ptr %11, align 4
  %69 = load i32, ptr %10, align 4
  %70 = load i32, ptr %7, align 4
  %71 = and i32 %69, %70
  %72 = icmp eq i32 %71, 0
  %73 = zext i1 %72 to i8
  store i8 %73, ptr %12, align 1
  %74 = load i32, ptr %10, align 4
  %75 = sext i32 %74 to i64
  %76 = getelementptr inbounds [0 x i32], ptr addrspacecast (ptr addrspace(3) @shared to ptr), i64 0, i64 %75
  %77 = load i32, ptr %76, align 4
  store i32 %77, ptr %13, align 4
  %78 = load i32, ptr %11, align 4
  %79 = sext i32 %78 to i64
  %80 = getelementptr inbounds [0 x i32], ptr addrspacecast (ptr addrspace(3) @shared to ptr), i64 0, i64 %79
  %81 = load i32, ptr %80, align 4
  store i32 %81, ptr %14, align 4
  %82 = load i32, ptr %13, align 4
  %83 = load i32, ptr %14, align 4
  %84 = icmp sgt i32 %82, %83
  %85 = zext i1 %84 to i32
  %86 = load i8, ptr %12, align 1
  %87 = trunc i8 %86 to i1
  %88 = zext i1 %87 to i32
  %89 = icmp eq i32 %85, %88
  br i1 %89, label %90, label %99

90:                                               ; preds = %58
  %91 = load i32, ptr %14, align 4
  %92 = load i32, ptr %10, align 4
  %93 = sext i32 %92 to i64
  %94 = getelementptr inbounds [0 x i32], ptr addrspacecast (ptr addrspace(3) @shared to ptr), i64 0, i64 %93
  store i32 %91, ptr %94, align 4
  %95 = load i32, ptr %13, align 4
  %96 = load i32, ptr %11, align 4
  %97 = sext i32 %96 to i64
  %98 = getelementptr inbounds [0 x i32], ptr addrspacecast (ptr addrspace(3) @shared to ptr), i64 0, i64 %97
  store i32 %95, ptr %98, align 4
  br label %99

99:                                               ; preds = %90, %58
  br label %100

100:                                              ; preds = %99
  %101 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %102 = load i32, ptr %9, align 4
  %103 = add i32 %102, %101
  store i32 %103, ptr %9, align 4
  br label %53, !llvm.loop !9

104:                                              ; preds = %53
  br label %105

105:                                              ; preds = %104
  %106 = load i32, ptr %8, align 4
  %107 = sdiv i32 %106, 2
  store i32 %107, ptr %8, align 4
  br label %48, !llvm.loop !10

108:                                              ; preds = %48
  br label %109

109:                                              ; preds = %108
  %110 = load i32, ptr %7, align 4
  %111 = mul nsw i32 %110, 2
  store i32 %111, ptr %7, align 4
  br label %41, !llvm.loop !11

112:                                              ; preds = %41
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %113 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %113, ptr %15, align 4
  br label %114

114:                                              ; preds = %127, %112
  %115 = load i32, ptr %15, align 4
  %116 = load i32, ptr %4, align 4
  %117 = icmp slt i32 %115, %116
  br i1 %117, label %118, label %131

118:                                              ; preds = %114
  %119 = load i32, ptr %15, align 4
  %120 = sext i32 %119 to i64
  %121 = getelementptr inbounds [0 x i32], ptr addrspacecast (ptr addrspace(3) @shared to ptr), i64 0, i64 %120
  %122 = load i32, ptr %121, align 4
  %123 = load ptr, ptr %5, align 8
  %124 = load i32, ptr %15, align 4
  %125 = sext i32 %124 to i64
  %126 = getelementptr inbounds i32, ptr %123, i64 %125
  store i32 %122, ptr %126, align 4
  br label %127

127:                                              ; preds = %118
  %128 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %129 = load i32, ptr %15, align 4
  %130 = add i32 %129, %128
  store i32 %130, ptr %15, align 4
  br label %114, !llvm.loop !12

131:                                              ; preds = %114
  ret void
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

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
!9 = distinct !{!9, !8}
!10 = distinct !{!10, !8}
!11 = distinct !{!11, !8}
!12 = distinct !{!12, !8}
