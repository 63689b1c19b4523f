; ModuleID = 'rmsnorm.cu'
source_filename = "rmsnorm.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__cuda_builtin_blockIdx_t = type { i8 }
%struct.__cuda_builtin_threadIdx_t = type { i8 }
%struct.__cuda_builtin_blockDim_t = type { i8 }

$_Z15__shfl_xor_syncjfii = comdat any

@_ZZ7rmsnormE5parts = internal addrspace(3) global [32 x float] undef, align 4
@blockIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockIdx_t, align 1
@threadIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_threadIdx_t, align 1
@blockDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockDim_t, align 1
@.str = private unnamed_addr constant [11 x i8] c"__CUDA_FTZ\00", align 1

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local ptx_kernel void @rmsnorm(ptr noundef %0, ptr noundef %1, ptr noundef %2, i32 noundef %3, float noundef %4) #0 {
  %6 = alloca float, align 4
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i32, align 4
  %11 = alloca float, align 4
  %12 = alloca ptr, align 8
  %13 = alloca float, align 4
  %14 = alloca i32, align 4
  %15 = alloca i32, align 4
  %16 = alloca i32, align 4
  %17 = alloca float, align 4
  %18 = alloca i32, align 4
  store ptr %0, ptr %7, align 8
  store ptr %1, ptr %8, align 8
  store ptr %2, ptr %9, align 8
  store i32 %3, ptr %10, align 4
  store float %4, ptr %11, align 4
  %19 = load ptr, ptr %7, align 8
  %20 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %21 = load i32, ptr %10, align 4
  %22 = mul i32 %20, %21
  %23 = zext i32 %22 to i64
  %24 = getelementptr inbounds nuw float, ptr %19, i64 %23
  store ptr %24, ptr %12, align 8
  store float 0.000000e+00, ptr %13, align 4
  %25 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %25, ptr %14, align 4
  br label %26

26:                                               ; preds = %44, %5
  %27 = load i32, ptr %14, align 4
  %28 = load i32, ptr %10, align 4
  %29 = icmp slt i32 %27, %28
  br i1 %29, label %30, label %48

30:                                               ; preds = %26
  %31 = load ptr, ptr %12, align 8
  %32 = load i32, ptr %14, align 4
  %33 = sext i32 %32 to i64
  %34 = getelementptr inbounds float, ptr %31, i64 %33
  %35 = load float, ptr %34, align 4
  %36 = load ptr, ptr %12, align 8
  %37 = load i32, ptr %14, align 4
  %38 = sext i32 %37 to i64
  %39 = getelementptr inbounds float, ptr %36, i64 %38
  %40 = load float, ptr %39, align 4
  %41 = fmul contract float %35, %40
  %42 = load float, ptr %13, align 4
  %43 = fadd contract float %42, %41
  store float %43, ptr %13, align 4
  br label %44

44:                                               ; preds = %30
  %45 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %46 = load i32, ptr %14, align 4
  %47 = add i32 %46, %45
  store i32 %47, ptr %14, align 4
  br label %26, !llvm.loop !7

48:                                               ; preds = %26
  store i32 16, ptr %15, align 4
  br label %49

49:                                               ; preds = %58, %48
  %50 = load i32, ptr %15, align 4
  %51 = icmp sgt i32 %50, 0
  br i1 %51, label %52, label %61

52:                                               ; preds = %49
  %53 = load float, ptr %13, align 4
  %54 = load i32, ptr %15, align 4
  %55 = call contract noundef float @_Z15__shfl_xor_syncjfii(i32 noundef -1, float noundef %53, i32 noundef %54, i32 noundef 32) #6
  %56 = load float, ptr %13, align 4
  %57 = fadd contract float %56, %55
  store float %57, ptr %13, align 4
  br label %58

58:                                               ; preds = %52
  %59 = load i32, ptr %15, align 4
  %60 = sdiv i32 %59, 2
  store i32 %60, ptr %15, align 4
  br label %49, !llvm.loop !9

61:                                               ; preds = %49
  %62 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %63 = urem i32 %62, 32
  %64 = icmp eq i32 %63, 0
  br i1 %64, label %65, label %71

65:                                               ; preds = %61
  %66 = load float, ptr %13, align 4
  %67 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %68 = udiv i32 %67, 32
  %69 = zext i32 %68 to i64
  %70 = getelementptr inbounds nuw [32 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ7rmsnormE5parts to ptr), i64 0, i64 %69
  store float %66, ptr %70, align 4
  br label %71

71:                                               ; preds = %65, %61
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store float 0.000000e+00, ptr %13, align 4
  store i32 0, ptr %16, align 4
  br label %72

72:                                               ; preds = %84, %71
  %73 = load i32, ptr %16, align 4
  %74 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %75 = udiv i32 %74, 32
  %76 = icmp ult i32 %73, %75
  br i1 %76, label %77, label %87

77:                                               ; preds = %72
  %78 = load i32, ptr %16, align 4
  %79 = sext i32 %78 to i64
  %80 = getelementptr inbounds [32 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ7rmsnormE5parts to ptr), i64 0, i64 %79
  %81 = load float, ptr %80, align 4
  %82 = load float, ptr %13, align 4
  %83 = fadd contract float %82, %81
  store float %83, ptr %13, align 4
  br label %84

84:                                               ; preds = %77
  %85 = load i32, ptr %16, align 4
  %86 = add nsw i32 %85, 1
  store i32 %86, ptr %16, align 4
  br label %72, !llvm.loop !10

87:                                               ; preds = %72
  %88 = load float, ptr %13, align 4
  %89 = load i32, ptr %10, align 4
  %90 = sitofp i32 %89 to float
  %91 = fdiv contract float %88, %90
  %92 = load float, ptr %11, align 4
  %93 = fadd contract float %91, %92
  store float %93, ptr %6, align 4
  %94 = load float, ptr %6, align 4
  %95 = call float @llvm.nvvm.rsqrt.approx.f(float %94)
  store float %95, ptr %17, align 4
  %96 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %96, ptr %18, align 4
  br label %97

97:                                               ; preds = %123, %87
  %98 = load i32, ptr %18, align 4
  %99 = load i32, ptr %10, align 4
  %100 = icmp slt i32 %98, %99
  br i1 %100, label %101, label %127

101:                                              ; preds = %97
  %102 = load ptr, ptr %12, align 8
  %103 = load i32, ptr %18, align 4
  %104 = sext i32 %103 to i64
  %105 = getelementptr inbounds float, ptr %102, i64 %104
  %106 = load float, ptr %105, align 4
  %107 = load float, ptr %17, align 4
  %108 = fmul contract float %106, %107
  %109 = load ptr, ptr %8, align 8
  %110 = load i32, ptr %18, align 4
  %111 = sext i32 %110 to i64
  %112 = getelementptr inbounds float, ptr %109, i64 %111
  %113 = load float, ptr %112, align 4
  %114 = fmul contract float %108, %113
  %115 = load ptr, ptr %9, align 8
  %116 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %117 = load i32, ptr %10, align 4
  %118 = mul i32 %116, %117
  %119 = load i32, ptr %18, align 4
  %120 = add i32 %118, %119
  %121 = zext i32 %120 to i64
  %122 = getelementptr inbounds nuw float, ptr %115, i64 %121
  store float %114, ptr %122, align 4
  br label %123

123:                                              ; preds = %101
  %124 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %125 = load i32, ptr %18, align 4
  %126 = add i32 %125, %124
  store i32 %126, ptr %18, align 4
  br label %97, !llvm.loop !11

127:                                              ; preds = %97
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

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.rsqrt.approx.ftz.f(float) #5

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.rsqrt.approx.f(float) #5

attributes #0 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent mustprogress noinline nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" }
attributes #2 = { convergent nocallback nounwind }
attributes #3 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #5 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #6 = { convergent nounwind }

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
