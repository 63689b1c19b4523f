; ModuleID = 'bilateral.cu'
source_filename = "bilateral.cu"
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
define dso_local ptx_kernel void @bilateral(ptr noundef %0, ptr noundef %1, i32 noundef %2, i32 noundef %3, float noundef %4, float noundef %5) #0 {
  %7 = alloca float, align 4
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca float, align 4
  %13 = alloca float, align 4
  %14 = alloca i32, align 4
  %15 = alloca float, align 4
  %16 = alloca float, align 4
  %17 = alloca float, align 4
  %18 = alloca i32, align 4
  %19 = alloca i32, align 4
  %20 = alloca float, align 4
  %21 = alloca float, align 4
  %22 = alloca float, align 4
  store ptr %0, ptr %8, align 8
  store ptr %1, ptr %9, align 8
  store i32 %2, ptr %10, align 4
  store i32 %3, ptr %11, align 4
  store float %4, ptr %12, align 4
  store float %5, ptr %13, align 4
  %23 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %24 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %25 = mul i32 %23, %24
  %26 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %27 = add i32 %25, %26
  store i32 %27, ptr %14, align 4
  %28 = load i32, ptr %14, align 4
  %29 = load i32, ptr %10, align 4
  %30 = icmp sge i32 %28, %29
  br i1 %30, label %31, label %32

31:                                               ; preds = %6
  br label %99

32:                                               ; preds = %6
  %33 = load ptr, ptr %8, align 8
  %34 = load i32, ptr %14, align 4
  %35 = sext i32 %34 to i64
  %36 = getelementptr inbounds float, ptr %33, i64 %35
  %37 = load float, ptr %36, align 4
  store float %37, ptr %15, align 4
  store float 0.000000e+00, ptr %16, align 4
  store float 0.000000e+00, ptr %17, align 4
  %38 = load i32, ptr %11, align 4
  %39 = sub nsw i32 0, %38
  store i32 %39, ptr %18, align 4
  br label %40

40:                                               ; preds = %88, %32
  %41 = load i32, ptr %18, align 4
  %42 = load i32, ptr %11, align 4
  %43 = icmp sle i32 %41, %42
  br i1 %43, label %44, label %91

44:                                               ; preds = %40
  %45 = load i32, ptr %14, align 4
  %46 = load i32, ptr %18, align 4
  %47 = add nsw i32 %45, %46
  store i32 %47, ptr %19, align 4
  %48 = load i32, ptr %19, align 4
  %49 = icmp slt i32 %48, 0
  br i1 %49, label %54, label %50

50:                                               ; preds = %44
  %51 = load i32, ptr %19, align 4
  %52 = load i32, ptr %10, align 4
  %53 = icmp sge i32 %51, %52
  br i1 %53, label %54, label %55

54:                                               ; preds = %50, %44
  br label %88

55:                                               ; preds = %50
  %56 = load ptr, ptr %8, align 8
  %57 = load i32, ptr %19, align 4
  %58 = sext i32 %57 to i64
  %59 = getelementptr inbounds float, ptr %56, i64 %58
  %60 = load float, ptr %59, align 4
  store float %60, ptr %20, align 4
  %61 = load float, ptr %20, align 4
  %62 = load float, ptr %15, align 4
  %63 = fsub contract float %61, %62
  store float %63, ptr %21, align 4
  %64 = load i32, ptr %18, align 4
  %65 = load i32, ptr %18, align 4
  %66 = mul nsw i32 %64, %65
  %67 = sitofp i32 %66 to float
  %68 = fneg contract float %67
  %69 = load float, ptr %12, align 4
  %70 = fmul contract float %68, %69
  %71 = load float, ptr %21, align 4
  %72 = load float, ptr %21, align 4
  %73 = fmul contract float %71, %72
  %74 = load float, ptr %13, align 4
  %75 = fmul contract float %73, %74
  %76 = fsub contract float %70, %75
  store float %76, ptr %7, align 4
  %77 = load float, ptr %7, align 4
  %78 = fmul float %77, 0x3FF7154760000000
  %79 = call float @llvm.nvvm.ex2.approx.f32(float %78)
  store float %79, ptr %22, align 4
  %80 = load float, ptr %22, align 4
  %81 = load float, ptr %20, align 4
  %82 = fmul contract float %80, %81
  %83 = load float, ptr %16, align 4
  %84 = fadd contract float %83, %82
  store float %84, ptr %16, align 4
  %85 = load float, ptr %22, align 4
  %86 = load float, ptr %17, align 4
  %87 = fadd contract float %86, %85
  store float %87, ptr %17, align 4
  br label %88

88:                                               ; preds = %55, %54
  %89 = load i32, ptr %18, align 4
  %90 = add nsw i32 %89, 1
  store i32 %90, ptr %18, align 4
  br label %40, !llvm.loop !7

91:                                               ; preds = %40
  %92 = load float, ptr %16, align 4
  %93 = load float, ptr %17, align 4
  %94 = fdiv contract float %92, %93
  %95 = load ptr, ptr %9, align 8
  %96 = load i32, ptr %14, align 4
  %97 = sext i32 %96 to i64
  %98 = getelementptr inbounds float, ptr %95, i64 %97
  store float %94, ptr %98, align 4
  br label %99

99:                                               ; preds = %91, %31
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.ftz.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.f32(float) #2

attributes #0 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nofree nosync nounwind willreturn memory(none) }

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
