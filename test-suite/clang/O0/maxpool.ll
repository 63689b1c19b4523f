; ModuleID = 'maxpool.cu'
source_filename = "maxpool.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__cuda_builtin_blockIdx_t = type { i8 }
%struct.__cuda_builtin_blockDim_t = type { i8 }
%struct.__cuda_builtin_threadIdx_t = type { i8 }

@blockIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockIdx_t, align 1
@blockDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockDim_t, align 1
@threadIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_threadIdx_t, align 1
@.str = private unnamed_addr constant [11 x i8] c"__CUDA_FTZ\00", align 1

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local ptx_kernel void @maxpool(ptr noundef %0, ptr noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4, i32 noundef %5) #0 {
  %7 = alloca float, align 4
  %8 = alloca float, align 4
  %9 = alloca ptr, align 8
  %10 = alloca ptr, align 8
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca i32, align 4
  %14 = alloca i32, align 4
  %15 = alloca i32, align 4
  %16 = alloca i32, align 4
  %17 = alloca i32, align 4
  %18 = alloca i32, align 4
  %19 = alloca float, align 4
  %20 = alloca i32, align 4
  %21 = alloca i32, align 4
  store ptr %0, ptr %9, align 8
  store ptr %1, ptr %10, align 8
  store i32 %2, ptr %11, align 4
  store i32 %3, ptr %12, align 4
  store i32 %4, ptr %13, align 4
  store i32 %5, ptr %14, align 4
  %22 = load i32, ptr %11, align 4
  %23 = load i32, ptr %13, align 4
  %24 = sub nsw i32 %22, %23
  %25 = load i32, ptr %14, align 4
  %26 = sdiv i32 %24, %25
  %27 = add nsw i32 %26, 1
  store i32 %27, ptr %15, align 4
  %28 = load i32, ptr %12, align 4
  %29 = load i32, ptr %13, align 4
  %30 = sub nsw i32 %28, %29
  %31 = load i32, ptr %14, align 4
  %32 = sdiv i32 %30, %31
  %33 = add nsw i32 %32, 1
  store i32 %33, ptr %16, align 4
  %34 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %35 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %36 = mul i32 %34, %35
  %37 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %38 = add i32 %36, %37
  store i32 %38, ptr %17, align 4
  %39 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %40 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %41 = mul i32 %39, %40
  %42 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %43 = add i32 %41, %42
  store i32 %43, ptr %18, align 4
  %44 = load i32, ptr %17, align 4
  %45 = load i32, ptr %15, align 4
  %46 = icmp sge i32 %44, %45
  br i1 %46, label %51, label %47

47:                                               ; preds = %6
  %48 = load i32, ptr %18, align 4
  %49 = load i32, ptr %16, align 4
  %50 = icmp sge i32 %48, %49
  br i1 %50, label %51, label %52

51:                                               ; preds = %47, %6
  br label %101

52:                                               ; preds = %47
  store float 0xC7EC363CC0000000, ptr %19, align 4
  store i32 0, ptr %20, align 4
  br label %53

53:                                               ; preds = %88, %52
  %54 = load i32, ptr %20, align 4
  %55 = load i32, ptr %13, align 4
  %56 = icmp slt i32 %54, %55
  br i1 %56, label %57, label %91

57:                                               ; preds = %53
  store i32 0, ptr %21, align 4
  br label %58

58:                                               ; preds = %84, %57
  %59 = load i32, ptr %21, align 4
  %60 = load i32, ptr %13, align 4
  %61 = icmp slt i32 %59, %60
  br i1 %61, label %62, label %87

62:                                               ; preds = %58
  %63 = load float, ptr %19, align 4
  %64 = load ptr, ptr %9, align 8
  %65 = load i32, ptr %18, align 4
  %66 = load i32, ptr %14, align 4
  %67 = mul nsw i32 %65, %66
  %68 = load i32, ptr %20, align 4
  %69 = add nsw i32 %67, %68
  %70 = load i32, ptr %11, align 4
  %71 = mul nsw i32 %69, %70
  %72 = load i32, ptr %17, align 4
  %73 = load i32, ptr %14, align 4
  %74 = mul nsw i32 %72, %73
  %75 = add nsw i32 %71, %74
  %76 = load i32, ptr %21, align 4
  %77 = add nsw i32 %75, %76
  %78 = sext i32 %77 to i64
  %79 = getelementptr inbounds float, ptr %64, i64 %78
  %80 = load float, ptr %79, align 4
  store float %63, ptr %7, align 4
  store float %80, ptr %8, align 4
  %81 = load float, ptr %7, align 4
  %82 = load float, ptr %8, align 4
  %83 = call float @llvm.nvvm.fmax.f(float %81, float %82)
  store float %83, ptr %19, align 4
  br label %84

84:                                               ; preds = %62
  %85 = load i32, ptr %21, align 4
  %86 = add nsw i32 %85, 1
  store i32 %86, ptr %21, align 4
  br label %58, !llvm.loop !7

87:                                               ; preds = %58
  br label %88

88:                                               ; preds = %87
  %89 = load i32, ptr %20, align 4
  %90 = add nsw i32 %89, 1
  store i32 %90, ptr %20, align 4
  br label %53, !llvm.loop !9

91:                                               ; preds = %53
  %92 = load float, ptr %19, align 4
  %93 = load ptr, ptr %10, align 8
  %94 = load i32, ptr %18, align 4
  %95 = load i32, ptr %15, align 4
  %96 = mul nsw i32 %94, %95
  %97 = load i32, ptr %17, align 4
  %98 = add nsw i32 %96, %97
  %99 = sext i32 %98 to i64
  %100 = getelementptr inbounds float, ptr %93, i64 %99
  store float %92, ptr %100, align 4
  br label %101

101:                                              ; preds = %91, %51
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.y() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fmax.ftz.f(float, float) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fmax.f(float, float) #1

attributes #0 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

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
