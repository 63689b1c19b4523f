; ModuleID = 'layernorm.cu'
source_filename = "layernorm.cu"
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
define dso_local ptx_kernel void @layernorm(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, i32 noundef %4, i32 noundef %5) #0 {
  %7 = alloca float, align 4
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca ptr, align 8
  %11 = alloca ptr, align 8
  %12 = alloca i32, align 4
  %13 = alloca i32, align 4
  %14 = alloca i32, align 4
  %15 = alloca i32, align 4
  %16 = alloca float, align 4
  %17 = alloca float, align 4
  %18 = alloca i32, align 4
  %19 = alloca float, align 4
  %20 = alloca i32, align 4
  %21 = alloca float, align 4
  %22 = alloca float, align 4
  %23 = alloca i32, align 4
  store ptr %0, ptr %8, align 8
  store ptr %1, ptr %9, align 8
  store ptr %2, ptr %10, align 8
  store ptr %3, ptr %11, align 8
  store i32 %4, ptr %12, align 4
  store i32 %5, ptr %13, align 4
  %24 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %25 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %26 = mul i32 %24, %25
  %27 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %28 = add i32 %26, %27
  %29 = udiv i32 %28, 32
  store i32 %29, ptr %14, align 4
  %30 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %31 = urem i32 %30, 32
  store i32 %31, ptr %15, align 4
  %32 = load i32, ptr %14, align 4
  %33 = load i32, ptr %12, align 4
  %34 = icmp sge i32 %32, %33
  br i1 %34, label %35, label %36

35:                                               ; preds = %6
  br label %139

36:                                               ; preds = %6
  store float 0.000000e+00, ptr %16, align 4
  store float 0.000000e+00, ptr %17, align 4
  %37 = load i32, ptr %15, align 4
  store i32 %37, ptr %18, align 4
  br label %38

38:                                               ; preds = %60, %36
  %39 = load i32, ptr %18, align 4
  %40 = load i32, ptr %13, align 4
  %41 = icmp slt i32 %39, %40
  br i1 %41, label %42, label %63

42:                                               ; preds = %38
  %43 = load ptr, ptr %8, align 8
  %44 = load i32, ptr %14, align 4
  %45 = load i32, ptr %13, align 4
  %46 = mul nsw i32 %44, %45
  %47 = load i32, ptr %18, align 4
  %48 = add nsw i32 %46, %47
  %49 = sext i32 %48 to i64
  %50 = getelementptr inbounds float, ptr %43, i64 %49
  %51 = load float, ptr %50, align 4
  store float %51, ptr %19, align 4
  %52 = load float, ptr %19, align 4
  %53 = load float, ptr %16, align 4
  %54 = fadd contract float %53, %52
  store float %54, ptr %16, align 4
  %55 = load float, ptr %19, align 4
  %56 = load float, ptr %19, align 4
  %57 = fmul contract float %55, %56
  %58 = load float, ptr %17, align 4
  %59 = fadd contract float %58, %57
  store float %59, ptr %17, align 4
  br label %60

60:                                               ; preds = %42
  %61 = load i32, ptr %18, align 4
  %62 = add nsw i32 %61, 32
  store i32 %62, ptr %18, align 4
  br label %38, !llvm.loop !7

63:                                               ; preds = %38
  store i32 16, ptr %20, align 4
  br label %64

64:                                               ; preds = %78, %63
  %65 = load i32, ptr %20, align 4
  %66 = icmp sgt i32 %65, 0
  br i1 %66, label %67, label %81

67:                                               ; preds = %64
  %68 = load float, ptr %16, align 4
  %69 = load i32, ptr %20, align 4
  %70 = call contract noundef float @_Z15__shfl_xor_syncjfii(i32 noundef -1, float noundef %68, i32 noundef %69, i32 noundef 32) #5
  %71 = load float, ptr %16, align 4
  %72 = fadd contract float %71, %70
  store float %72, ptr %16, align 4
  %73 = load float, ptr %17, align 4
  %74 = load i32, ptr %20, align 4
  %75 = call contract noundef float @_Z15__shfl_xor_syncjfii(i32 noundef -1, float noundef %73, i32 noundef %74, i32 noundef 32) #5
  %76 = load float, ptr %17, align 4
  %77 = fadd contract float %76, %75
  store float %77, ptr %17, align 4
  br label %78

78:                                               ; preds = %67
  %79 = load i32, ptr %20, align 4
  %80 = sdiv i32 %79, 2
  store i32 %80, ptr %20, align 4
  br label %64, !llvm.loop !9

81:                                               ; preds = %64
  %82 = load float, ptr %16, align 4
  %83 = load i32, ptr %13, align 4
  %84 = sitofp i32 %83 to float
  %85 = fdiv contract float %82, %84
  store float %85, ptr %21, align 4
  %86 = load float, ptr %17, align 4
  %87 = load i32, ptr %13, align 4
  %88 = sitofp i32 %87 to float
  %89 = fdiv contract float %86, %88
  %90 = load float, ptr %21, align 4
  %91 = load float, ptr %21, align 4
  %92 = fmul contract float %90, %91
  %93 = fsub contract float %89, %92
  %94 = fadd contract float %93, 0x3EE4F8B580000000
  store float %94, ptr %7, align 4
  %95 = load float, ptr %7, align 4
  %96 = call float @llvm.nvvm.rsqrt.approx.f(float %95)
  store float %96, ptr %22, align 4
  %97 = load i32, ptr %15, align 4
  store i32 %97, ptr %23, align 4
  br label %98

98:                                               ; preds = %136, %81
  %99 = load i32, ptr %23, align 4
  %100 = load i32, ptr %13, align 4
  %101 = icmp slt i32 %99, %100
  br i1 %101, label %102, label %139

102:                                              ; preds = %98
  %103 = load ptr, ptr %8, align 8
  %104 = load i32, ptr %14, align 4
  %105 = load i32, ptr %13, align 4
  %106 = mul nsw i32 %104, %105
  %107 = load i32, ptr %23, align 4
  %108 = add nsw i32 %106, %107
  %109 = sext i32 %108 to i64
  %110 = getelementptr inbounds float, ptr %103, i64 %109
  %111 = load float, ptr %110, align 4
  %112 = load float, ptr %21, align 4
  %113 = fsub contract float %111, %112
  %114 = load float, ptr %22, align 4
  %115 = fmul contract float %113, %114
  %116 = load ptr, ptr %9, align 8
  %117 = load i32, ptr %23, align 4
  %118 = sext i32 %117 to i64
  %119 = getelementptr inbounds float, ptr %116, i64 %118
  %120 = load float, ptr %119, align 4
  %121 = fmul contract float %115, %120
  %122 = load ptr, ptr %10, align 8
  %123 = load i32, ptr %23, align 4
  %124 = sext i32 %123 to i64
  %125 = getelementptr inbounds float, ptr %122, i64 %124
  %126 = load float, ptr %125, align 4
  %127 = fadd contract float %121, %126
  %128 = load ptr, ptr %11, align 8
  %129 = load i32, ptr %14, align 4
  %130 = load i32, ptr %13, align 4
  %131 = mul nsw i32 %129, %130
  %132 = load i32, ptr %23, align 4
  %133 = add nsw i32 %131, %132
  %134 = sext i32 %133 to i64
  %135 = getelementptr inbounds float, ptr %128, i64 %134
  store float %127, ptr %135, align 4
  br label %136

136:                                              ; preds = %102
  %137 = load i32, ptr %23, align 4
  %138 = add nsw i32 %137, 32
  store i32 %138, ptr %23, align 4
  br label %98, !llvm.loop !10

139:                                              ; preds = %35, %98
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

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.rsqrt.approx.ftz.f(float) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.rsqrt.approx.f(float) #4

attributes #0 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent mustprogress noinline nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #5 = { convergent nounwind }

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
