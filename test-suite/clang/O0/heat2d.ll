; ModuleID = 'heat2d.cu'
source_filename = "heat2d.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__cuda_builtin_blockIdx_t = type { i8 }
%struct.__cuda_builtin_blockDim_t = type { i8 }
%struct.__cuda_builtin_threadIdx_t = type { i8 }
%struct.__cuda_builtin_gridDim_t = type { i8 }

@blockIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockIdx_t, align 1
@blockDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockDim_t, align 1
@threadIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_threadIdx_t, align 1
@gridDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_gridDim_t, align 1

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local ptx_kernel void @heat2d(ptr noundef %0, ptr noundef %1, i32 noundef %2, i32 noundef %3, float noundef %4) #0 {
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca i32, align 4
  %14 = alloca ptr, align 8
  %15 = alloca ptr, align 8
  %16 = alloca i32, align 4
  %17 = alloca i32, align 4
  %18 = alloca float, align 4
  %19 = alloca i32, align 4
  %20 = alloca i32, align 4
  %21 = alloca i32, align 4
  %22 = alloca float, align 4
  %23 = alloca float, align 4
  %24 = alloca float, align 4
  %25 = alloca float, align 4
  %26 = alloca float, align 4
  store ptr %0, ptr %14, align 8
  store ptr %1, ptr %15, align 8
  store i32 %2, ptr %16, align 4
  store i32 %3, ptr %17, align 4
  store float %4, ptr %18, align 4
  %27 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %28 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %29 = mul i32 %27, %28
  %30 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %31 = add i32 %29, %30
  store i32 %31, ptr %19, align 4
  br label %32

32:                                               ; preds = %124, %5
  %33 = load i32, ptr %19, align 4
  %34 = load i32, ptr %16, align 4
  %35 = load i32, ptr %17, align 4
  %36 = mul nsw i32 %34, %35
  %37 = icmp slt i32 %33, %36
  br i1 %37, label %38, label %130

38:                                               ; preds = %32
  %39 = load i32, ptr %19, align 4
  %40 = load i32, ptr %16, align 4
  %41 = srem i32 %39, %40
  store i32 %41, ptr %20, align 4
  %42 = load i32, ptr %19, align 4
  %43 = load i32, ptr %16, align 4
  %44 = sdiv i32 %42, %43
  store i32 %44, ptr %21, align 4
  %45 = load ptr, ptr %14, align 8
  %46 = load i32, ptr %19, align 4
  %47 = sext i32 %46 to i64
  %48 = getelementptr inbounds float, ptr %45, i64 %47
  %49 = load float, ptr %48, align 4
  store float %49, ptr %22, align 4
  %50 = load ptr, ptr %14, align 8
  %51 = load i32, ptr %21, align 4
  %52 = load i32, ptr %16, align 4
  %53 = mul nsw i32 %51, %52
  %54 = load i32, ptr %20, align 4
  %55 = sub nsw i32 %54, 1
  store i32 %55, ptr %10, align 4
  store i32 0, ptr %11, align 4
  %56 = load i32, ptr %10, align 4
  %57 = load i32, ptr %11, align 4
  %58 = call noundef i32 @llvm.smax.i32(i32 %56, i32 %57)
  %59 = add nsw i32 %53, %58
  %60 = sext i32 %59 to i64
  %61 = getelementptr inbounds float, ptr %50, i64 %60
  %62 = load float, ptr %61, align 4
  store float %62, ptr %23, align 4
  %63 = load ptr, ptr %14, align 8
  %64 = load i32, ptr %21, align 4
  %65 = load i32, ptr %16, align 4
  %66 = mul nsw i32 %64, %65
  %67 = load i32, ptr %20, align 4
  %68 = add nsw i32 %67, 1
  %69 = load i32, ptr %16, align 4
  %70 = sub nsw i32 %69, 1
  store i32 %68, ptr %6, align 4
  store i32 %70, ptr %7, align 4
  %71 = load i32, ptr %6, align 4
  %72 = load i32, ptr %7, align 4
  %73 = call noundef i32 @llvm.smin.i32(i32 %71, i32 %72)
  %74 = add nsw i32 %66, %73
  %75 = sext i32 %74 to i64
  %76 = getelementptr inbounds float, ptr %63, i64 %75
  %77 = load float, ptr %76, align 4
  store float %77, ptr %24, align 4
  %78 = load ptr, ptr %14, align 8
  %79 = load i32, ptr %21, align 4
  %80 = sub nsw i32 %79, 1
  store i32 %80, ptr %12, align 4
  store i32 0, ptr %13, align 4
  %81 = load i32, ptr %12, align 4
  %82 = load i32, ptr %13, align 4
  %83 = call noundef i32 @llvm.smax.i32(i32 %81, i32 %82)
  %84 = load i32, ptr %16, align 4
  %85 = mul nsw i32 %83, %84
  %86 = load i32, ptr %20, align 4
  %87 = add nsw i32 %85, %86
  %88 = sext i32 %87 to i64
  %89 = getelementptr inbounds float, ptr %78, i64 %88
  %90 = load float, ptr %89, align 4
  store float %90, ptr %25, align 4
  %91 = load ptr, ptr %14, align 8
  %92 = load i32, ptr %21, align 4
  %93 = add nsw i32 %92, 1
  %94 = load i32, ptr %17, align 4
  %95 = sub nsw i32 %94, 1
  store i32 %93, ptr %8, align 4
  store i32 %95, ptr %9, align 4
  %96 = load i32, ptr %8, align 4
  %97 = load i32, ptr %9, align 4
  %98 = call noundef i32 @llvm.smin.i32(i32 %96, i32 %97)
  %99 = load i32, ptr %16, align 4
  %100 = mul nsw i32 %98, %99
  %101 = load i32, ptr %20, align 4
  %102 = add nsw i32 %100, %101
  %103 = sext i32 %102 to i64
  %104 = getelementptr inbounds float, ptr %91, i64 %103
  %105 = load float, ptr %104, align 4
  store float %105, ptr %26, align 4
  %106 = load float, ptr %22, align 4
  %107 = load float, ptr %18, align 4
  %108 = load float, ptr %23, align 4
  %109 = load float, ptr %24, align 4
  %110 = fadd contract float %108, %109
  %111 = load float, ptr %25, align 4
  %112 = fadd contract float %110, %111
  %113 = load float, ptr %26, align 4
  %114 = fadd contract float %112, %113
  %115 = load float, ptr %22, align 4
  %116 = fmul contract float 4.000000e+00, %115
  %117 = fsub contract float %114, %116
  %118 = fmul contract float %107, %117
  %119 = fadd contract float %106, %118
  %120 = load ptr, ptr %15, align 8
  %121 = load i32, ptr %19, align 4
  %122 = sext i32 %121 to i64
  %123 = getelementptr inbounds float, ptr %120, i64 %122
  store float %119, ptr %123, align 4
  br label %124

124:                                              ; preds = %38
  %125 = call noundef i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %126 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %127 = mul i32 %125, %126
  %128 = load i32, ptr %19, align 4
  %129 = add i32 %128, %127
  store i32 %129, ptr %19, align 4
  br label %32, !llvm.loop !7

130:                                              ; preds = %32
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, -2147483648) i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #1

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smin.i32(i32, i32) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smax.i32(i32, i32) #2

attributes #0 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

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
