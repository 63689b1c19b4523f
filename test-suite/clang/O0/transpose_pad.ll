; ModuleID = 'transpose_pad.cu'
source_filename = "transpose_pad.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__cuda_builtin_blockIdx_t = type { i8 }
%struct.__cuda_builtin_threadIdx_t = type { i8 }
%struct.__cuda_builtin_blockDim_t = type { i8 }

@_ZZ13transpose_padE4tile = internal addrspace(3) global [32 x [33 x float]] undef, align 4
@blockIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockIdx_t, align 1
@threadIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_threadIdx_t, align 1
@blockDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockDim_t, align 1

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local ptx_kernel void @transpose_pad(ptr noundef %0, ptr noundef %1, i32 noundef %2, i32 noundef %3) #0 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i32 %2, ptr %7, align 4
  store i32 %3, ptr %8, align 4
  %13 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %14 = mul i32 %13, 32
  %15 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %16 = add i32 %14, %15
  store i32 %16, ptr %9, align 4
  %17 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %18 = mul i32 %17, 32
  %19 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %20 = add i32 %18, %19
  store i32 %20, ptr %10, align 4
  store i32 0, ptr %11, align 4
  br label %21

21:                                               ; preds = %55, %4
  %22 = load i32, ptr %11, align 4
  %23 = icmp slt i32 %22, 32
  br i1 %23, label %24, label %59

24:                                               ; preds = %21
  %25 = load i32, ptr %9, align 4
  %26 = load i32, ptr %7, align 4
  %27 = icmp slt i32 %25, %26
  br i1 %27, label %28, label %54

28:                                               ; preds = %24
  %29 = load i32, ptr %10, align 4
  %30 = load i32, ptr %11, align 4
  %31 = add nsw i32 %29, %30
  %32 = load i32, ptr %8, align 4
  %33 = icmp slt i32 %31, %32
  br i1 %33, label %34, label %54

34:                                               ; preds = %28
  %35 = load ptr, ptr %5, align 8
  %36 = load i32, ptr %10, align 4
  %37 = load i32, ptr %11, align 4
  %38 = add nsw i32 %36, %37
  %39 = load i32, ptr %7, align 4
  %40 = mul nsw i32 %38, %39
  %41 = load i32, ptr %9, align 4
  %42 = add nsw i32 %40, %41
  %43 = sext i32 %42 to i64
  %44 = getelementptr inbounds float, ptr %35, i64 %43
  %45 = load float, ptr %44, align 4
  %46 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %47 = load i32, ptr %11, align 4
  %48 = add i32 %46, %47
  %49 = zext i32 %48 to i64
  %50 = getelementptr inbounds nuw [32 x [33 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ13transpose_padE4tile to ptr), i64 0, i64 %49
  %51 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %52 = zext i32 %51 to i64
  %53 = getelementptr inbounds nuw [33 x float], ptr %50, i64 0, i64 %52
  store float %45, ptr %53, align 4
  br label %54

54:                                               ; preds = %34, %28, %24
  br label %55

55:                                               ; preds = %54
  %56 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %57 = load i32, ptr %11, align 4
  %58 = add i32 %57, %56
  store i32 %58, ptr %11, align 4
  br label %21, !llvm.loop !7

59:                                               ; preds = %21
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %60 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %61 = mul i32 %60, 32
  %62 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %63 = add i32 %61, %62
  store i32 %63, ptr %9, align 4
  %64 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %65 = mul i32 %64, 32
  %66 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %67 = add i32 %65, %66
  store i32 %67, ptr %10, align 4
  store i32 0, ptr %12, align 4
  br label %68

68:                                               ; preds = %102, %59
  %69 = load i32, ptr %12, align 4
  %70 = icmp slt i32 %69, 32
  br i1 %70, label %71, label %106

71:                                               ; preds = %68
  %72 = load i32, ptr %9, align 4
  %73 = load i32, ptr %8, align 4
  %74 = icmp slt i32 %72, %73
  br i1 %74, label %75, label %101

75:                                               ; preds = %71
  %76 = load i32, ptr %10, align 4
  %77 = load i32, ptr %12, align 4
  %78 = add nsw i32 %76, %77
  %79 = load i32, ptr %7, align 4
  %80 = icmp slt i32 %78, %79
  br i1 %80, label %81, label %101

81:                                               ; preds = %75
  %82 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %83 = zext i32 %82 to i64
  %84 = getelementptr inbounds nuw [32 x [33 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ13transpose_padE4tile to ptr), i64 0, i64 %83
  %85 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %86 = load i32, ptr %12, align 4
  %87 = add i32 %85, %86
  %88 = zext i32 %87 to i64
  %89 = getelementptr inbounds nuw [33 x float], ptr %84, i64 0, i64 %88
  %90 = load float, ptr %89, align 4
  %91 = load ptr, ptr %6, align 8
  %92 = load i32, ptr %10, align 4
  %93 = load i32, ptr %12, align 4
  %94 = add nsw i32 %92, %93
  %95 = load i32, ptr %8, align 4
  %96 = mul nsw i32 %94, %95
  %97 = load i32, ptr %9, align 4
  %98 = add nsw i32 %96, %97
  %99 = sext i32 %98 to i64
  %100 = getelementptr inbounds float, ptr %91, i64 %99
  store float %90, ptr %100, align 4
  br label %101

101:                                              ; preds = %81, %75, %71
  br label %102

102:                                              ; preds = %101
  %103 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %104 = load i32, ptr %12, align 4
  %105 = add i32 %104, %103
  store i32 %105, ptr %12, align 4
  br label %68, !llvm.loop !9

106:                                              ; preds = %68
  ret void
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.y() #2

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
