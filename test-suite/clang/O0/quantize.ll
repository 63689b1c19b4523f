; ModuleID = 'quantize.cu'
source_filename = "quantize.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__cuda_builtin_blockIdx_t = type { i8 }
%struct.__cuda_builtin_blockDim_t = type { i8 }
%struct.__cuda_builtin_threadIdx_t = type { i8 }

$_Z15__shfl_xor_syncjfii = comdat any

@blockIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockIdx_t, align 1
@blockDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockDim_t, align 1
@threadIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_threadIdx_t, align 1
@.str = private unnamed_addr constant [11 x i8] c"__CUDA_FTZ\00", align 1

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local ptx_kernel void @quantize(ptr noundef %0, ptr noundef %1, ptr noundef %2, i32 noundef %3, i32 noundef %4) #0 {
  %6 = alloca float, align 4
  %7 = alloca float, align 4
  %8 = alloca float, align 4
  %9 = alloca float, align 4
  %10 = alloca float, align 4
  %11 = alloca float, align 4
  %12 = alloca ptr, align 8
  %13 = alloca ptr, align 8
  %14 = alloca ptr, align 8
  %15 = alloca i32, align 4
  %16 = alloca i32, align 4
  %17 = alloca i32, align 4
  %18 = alloca i32, align 4
  %19 = alloca float, align 4
  %20 = alloca i32, align 4
  %21 = alloca i32, align 4
  %22 = alloca float, align 4
  %23 = alloca i32, align 4
  store ptr %0, ptr %12, align 8
  store ptr %1, ptr %13, align 8
  store ptr %2, ptr %14, align 8
  store i32 %3, ptr %15, align 4
  store i32 %4, ptr %16, align 4
  %24 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %25 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %26 = mul i32 %24, %25
  %27 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %28 = add i32 %26, %27
  %29 = udiv i32 %28, 32
  store i32 %29, ptr %17, align 4
  %30 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %31 = urem i32 %30, 32
  store i32 %31, ptr %18, align 4
  %32 = load i32, ptr %17, align 4
  %33 = load i32, ptr %15, align 4
  %34 = icmp sge i32 %32, %33
  br i1 %34, label %35, label %36

35:                                               ; preds = %5
  br label %119

36:                                               ; preds = %5
  store float 0.000000e+00, ptr %19, align 4
  %37 = load i32, ptr %18, align 4
  store i32 %37, ptr %20, align 4
  br label %38

38:                                               ; preds = %58, %36
  %39 = load i32, ptr %20, align 4
  %40 = load i32, ptr %16, align 4
  %41 = icmp slt i32 %39, %40
  br i1 %41, label %42, label %61

42:                                               ; preds = %38
  %43 = load float, ptr %19, align 4
  %44 = load ptr, ptr %12, align 8
  %45 = load i32, ptr %17, align 4
  %46 = load i32, ptr %16, align 4
  %47 = mul nsw i32 %45, %46
  %48 = load i32, ptr %20, align 4
  %49 = add nsw i32 %47, %48
  %50 = sext i32 %49 to i64
  %51 = getelementptr inbounds float, ptr %44, i64 %50
  %52 = load float, ptr %51, align 4
  store float %52, ptr %7, align 4
  %53 = load float, ptr %7, align 4
  %54 = call float @llvm.nvvm.fabs.f32(float %53)
  store float %43, ptr %8, align 4
  store float %54, ptr %9, align 4
  %55 = load float, ptr %8, align 4
  %56 = load float, ptr %9, align 4
  %57 = call float @llvm.nvvm.fmax.f(float %55, float %56)
  store float %57, ptr %19, align 4
  br label %58

58:                                               ; preds = %42
  %59 = load i32, ptr %20, align 4
  %60 = add nsw i32 %59, 32
  store i32 %60, ptr %20, align 4
  br label %38, !llvm.loop !7

61:                                               ; preds = %38
  store i32 16, ptr %21, align 4
  br label %62

62:                                               ; preds = %73, %61
  %63 = load i32, ptr %21, align 4
  %64 = icmp sgt i32 %63, 0
  br i1 %64, label %65, label %76

65:                                               ; preds = %62
  %66 = load float, ptr %19, align 4
  %67 = load float, ptr %19, align 4
  %68 = load i32, ptr %21, align 4
  %69 = call contract noundef float @_Z15__shfl_xor_syncjfii(i32 noundef -1, float noundef %67, i32 noundef %68, i32 noundef 32) #4
  store float %66, ptr %10, align 4
  store float %69, ptr %11, align 4
  %70 = load float, ptr %10, align 4
  %71 = load float, ptr %11, align 4
  %72 = call float @llvm.nvvm.fmax.f(float %70, float %71)
  store float %72, ptr %19, align 4
  br label %73

73:                                               ; preds = %65
  %74 = load i32, ptr %21, align 4
  %75 = sdiv i32 %74, 2
  store i32 %75, ptr %21, align 4
  br label %62, !llvm.loop !9

76:                                               ; preds = %62
  %77 = load float, ptr %19, align 4
  %78 = fdiv contract float %77, 1.270000e+02
  store float %78, ptr %22, align 4
  %79 = load i32, ptr %18, align 4
  %80 = icmp eq i32 %79, 0
  br i1 %80, label %81, label %87

81:                                               ; preds = %76
  %82 = load float, ptr %22, align 4
  %83 = load ptr, ptr %14, align 8
  %84 = load i32, ptr %17, align 4
  %85 = sext i32 %84 to i64
  %86 = getelementptr inbounds float, ptr %83, i64 %85
  store float %82, ptr %86, align 4
  br label %87

87:                                               ; preds = %81, %76
  %88 = load i32, ptr %18, align 4
  store i32 %88, ptr %23, align 4
  br label %89

89:                                               ; preds = %116, %87
  %90 = load i32, ptr %23, align 4
  %91 = load i32, ptr %16, align 4
  %92 = icmp slt i32 %90, %91
  br i1 %92, label %93, label %119

93:                                               ; preds = %89
  %94 = load ptr, ptr %12, align 8
  %95 = load i32, ptr %17, align 4
  %96 = load i32, ptr %16, align 4
  %97 = mul nsw i32 %95, %96
  %98 = load i32, ptr %23, align 4
  %99 = add nsw i32 %97, %98
  %100 = sext i32 %99 to i64
  %101 = getelementptr inbounds float, ptr %94, i64 %100
  %102 = load float, ptr %101, align 4
  %103 = load float, ptr %22, align 4
  %104 = fdiv contract float %102, %103
  store float %104, ptr %6, align 4
  %105 = load float, ptr %6, align 4
  %106 = call i32 @llvm.nvvm.f2i.rn(float %105)
  %107 = trunc i32 %106 to i8
  %108 = load ptr, ptr %13, align 8
  %109 = load i32, ptr %17, align 4
  %110 = load i32, ptr %16, align 4
  %111 = mul nsw i32 %109, %110
  %112 = load i32, ptr %23, align 4
  %113 = add nsw i32 %111, %112
  %114 = sext i32 %113 to i64
  %115 = getelementptr inbounds i8, ptr %108, i64 %114
  store i8 %107, ptr %115, align 1
  br label %116

116:                                              ; preds = %93
  %117 = load i32, ptr %23, align 4
  %118 = add nsw i32 %117, 32
  store i32 %118, ptr %23, align 4
  br label %89, !llvm.loop !10

119:                                              ; preds = %35, %89
  ret void
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef float @_Z15__shfl_xor_syncjfii(i32 noundef %0, float noundef %1, i32 noundef %2, i32 noundef %3) #1 comdat {
  %5 = alloca i32, align 4
  %6 = alloca float, align 4
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  store i32 %0, ptr %5, align 4
  store float %1, ptr %6, align 4
  store i32 %2, ptr %7, align 4
  store i32 %3, ptr %8, align 4
  %9 = load i32, ptr %5, align 4
  %10 = load float, ptr %6, align 4
  %11 = load i32, ptr %7, align 4
  %12 = load i32, ptr %8, align 4
  %13 = sub nsw i32 32, %12
  %14 = shl i32 %13, 8
  %15 = or i32 %14, 31
  %16 = call contract float @llvm.nvvm.shfl.sync.bfly.f32(i32 %9, float %10, i32 %11, i32 %15)
  ret float %16
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fabs.ftz.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fabs.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fmax.ftz.f(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fmax.f(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.nvvm.f2i.rn.ftz(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.nvvm.f2i.rn(float) #2

attributes #0 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent mustprogress noinline nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #4 = { convergent nounwind }

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
