; ModuleID = 'cross_entropy.cu'
source_filename = "cross_entropy.cu"
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
define dso_local ptx_kernel void @cross_entropy(ptr noundef %0, ptr noundef %1, ptr noundef %2, i32 noundef %3, i32 noundef %4) #0 {
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
  %19 = alloca ptr, align 8
  %20 = alloca float, align 4
  %21 = alloca float, align 4
  %22 = alloca i32, align 4
  %23 = alloca i32, align 4
  %24 = alloca i32, align 4
  %25 = alloca i32, align 4
  store ptr %0, ptr %12, align 8
  store ptr %1, ptr %13, align 8
  store ptr %2, ptr %14, align 8
  store i32 %3, ptr %15, align 4
  store i32 %4, ptr %16, align 4
  %26 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %27 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %28 = mul i32 %26, %27
  %29 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %30 = add i32 %28, %29
  %31 = udiv i32 %30, 32
  store i32 %31, ptr %17, align 4
  %32 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %33 = urem i32 %32, 32
  store i32 %33, ptr %18, align 4
  %34 = load i32, ptr %17, align 4
  %35 = load i32, ptr %15, align 4
  %36 = icmp sge i32 %34, %35
  br i1 %36, label %37, label %38

37:                                               ; preds = %5
  br label %171

38:                                               ; preds = %5
  %39 = load ptr, ptr %12, align 8
  %40 = load i32, ptr %17, align 4
  %41 = load i32, ptr %16, align 4
  %42 = mul nsw i32 %40, %41
  %43 = sext i32 %42 to i64
  %44 = getelementptr inbounds float, ptr %39, i64 %43
  store ptr %44, ptr %19, align 8
  store float 0xC7EC363CC0000000, ptr %20, align 4
  store float 0.000000e+00, ptr %21, align 4
  %45 = load i32, ptr %18, align 4
  store i32 %45, ptr %22, align 4
  br label %46

46:                                               ; preds = %60, %38
  %47 = load i32, ptr %22, align 4
  %48 = load i32, ptr %16, align 4
  %49 = icmp slt i32 %47, %48
  br i1 %49, label %50, label %63

50:                                               ; preds = %46
  %51 = load float, ptr %20, align 4
  %52 = load ptr, ptr %19, align 8
  %53 = load i32, ptr %22, align 4
  %54 = sext i32 %53 to i64
  %55 = getelementptr inbounds float, ptr %52, i64 %54
  %56 = load float, ptr %55, align 4
  store float %51, ptr %8, align 4
  store float %56, ptr %9, align 4
  %57 = load float, ptr %8, align 4
  %58 = load float, ptr %9, align 4
  %59 = call float @llvm.nvvm.fmax.f(float %57, float %58)
  store float %59, ptr %20, align 4
  br label %60

60:                                               ; preds = %50
  %61 = load i32, ptr %22, align 4
  %62 = add nsw i32 %61, 32
  store i32 %62, ptr %22, align 4
  br label %46, !llvm.loop !7

63:                                               ; preds = %46
  store i32 16, ptr %23, align 4
  br label %64

64:                                               ; preds = %75, %63
  %65 = load i32, ptr %23, align 4
  %66 = icmp sgt i32 %65, 0
  br i1 %66, label %67, label %78

67:                                               ; preds = %64
  %68 = load float, ptr %20, align 4
  %69 = load float, ptr %20, align 4
  %70 = load i32, ptr %23, align 4
  %71 = call contract noundef float @_Z15__shfl_xor_syncjfii(i32 noundef -1, float noundef %69, i32 noundef %70, i32 noundef 32) #5
  store float %68, ptr %10, align 4
  store float %71, ptr %11, align 4
  %72 = load float, ptr %10, align 4
  %73 = load float, ptr %11, align 4
  %74 = call float @llvm.nvvm.fmax.f(float %72, float %73)
  store float %74, ptr %20, align 4
  br label %75

75:                                               ; preds = %67
  %76 = load i32, ptr %23, align 4
  %77 = sdiv i32 %76, 2
  store i32 %77, ptr %23, align 4
  br label %64, !llvm.loop !9

78:                                               ; preds = %64
  %79 = load i32, ptr %18, align 4
  store i32 %79, ptr %24, align 4
  br label %80

80:                                               ; preds = %97, %78
  %81 = load i32, ptr %24, align 4
  %82 = load i32, ptr %16, align 4
  %83 = icmp slt i32 %81, %82
  br i1 %83, label %84, label %100

84:                                               ; preds = %80
  %85 = load ptr, ptr %19, align 8
  %86 = load i32, ptr %24, align 4
  %87 = sext i32 %86 to i64
  %88 = getelementptr inbounds float, ptr %85, i64 %87
  %89 = load float, ptr %88, align 4
  %90 = load float, ptr %20, align 4
  %91 = fsub contract float %89, %90
  store float %91, ptr %7, align 4
  %92 = load float, ptr %7, align 4
  %93 = fmul float %92, 0x3FF7154760000000
  %94 = call float @llvm.nvvm.ex2.approx.f32(float %93)
  %95 = load float, ptr %21, align 4
  %96 = fadd contract float %95, %94
  store float %96, ptr %21, align 4
  br label %97

97:                                               ; preds = %84
  %98 = load i32, ptr %24, align 4
  %99 = add nsw i32 %98, 32
  store i32 %99, ptr %24, align 4
  br label %80, !llvm.loop !10

100:                                              ; preds = %80
  store i32 16, ptr %25, align 4
  br label %101

101:                                              ; preds = %110, %100
  %102 = load i32, ptr %25, align 4
  %103 = icmp sgt i32 %102, 0
  br i1 %103, label %104, label %113

104:                                              ; preds = %101
  %105 = load float, ptr %21, align 4
  %106 = load i32, ptr %25, align 4
  %107 = call contract noundef float @_Z15__shfl_xor_syncjfii(i32 noundef -1, float noundef %105, i32 noundef %106, i32 noundef 32) #5
  %108 = load float, ptr %21, align 4
  %109 = fadd contract float %108, %107
  store float %109, ptr %21, align 4
  br label %110

110:                                              ; preds = %104
  %111 = load i32, ptr %25, align 4
  %112 = sdiv i32 %111, 2
  store i32 %112, ptr %25, align 4
  br label %101, !llvm.loop !11

113:                                              ; preds = %101
  %114 = load i32, ptr %18, align 4
  %115 = icmp eq i32 %114, 0
  br i1 %115, label %116, label %171

116:                                              ; preds = %113
  %117 = load float, ptr %21, align 4
  store float %117, ptr %6, align 4
  %118 = load float, ptr %6, align 4
  %119 = fcmp olt float %118, 0x3810000000000000
  br i1 %119, label %120, label %122

120:                                              ; preds = %116
  %121 = fmul float %118, 0x4160000000000000
  br label %122

122:                                              ; preds = %120, %116
  %123 = phi float [ %121, %120 ], [ %118, %116 ]
  %124 = phi float [ -2.300000e+01, %120 ], [ 0.000000e+00, %116 ]
  %125 = bitcast float %123 to i32
  %126 = sub i32 %125, 1059760811
  %127 = and i32 %126, -8388608
  %128 = bitcast float %123 to i32
  %129 = sub i32 %128, %127
  %130 = bitcast i32 %129 to float
  %131 = sitofp i32 %127 to float
  %132 = call float @llvm.nvvm.fma.rn.f(float %131, float 0x3E80000000000000, float %124) #6
  %133 = fsub float %130, 1.000000e+00
  %134 = call float @llvm.nvvm.fma.rn.f(float 0xBFC0AA04E0000000, float %133, float 0x3FC2073EC0000000) #6
  %135 = call float @llvm.nvvm.fma.rn.f(float %134, float %133, float 0xBFBF19B980000000) #6
  %136 = call float @llvm.nvvm.fma.rn.f(float %135, float %133, float 0x3FC1E52AA0000000) #6
  %137 = call float @llvm.nvvm.fma.rn.f(float %136, float %133, float 0xBFC55B1720000000) #6
  %138 = call float @llvm.nvvm.fma.rn.f(float %137, float %133, float 0x3FC99DA160000000) #6
  %139 = call float @llvm.nvvm.fma.rn.f(float %138, float %133, float 0xBFCFFFE440000000) #6
  %140 = call float @llvm.nvvm.fma.rn.f(float %139, float %133, float 0x3FD5554F00000000) #6
  %141 = call float @llvm.nvvm.fma.rn.f(float %140, float %133, float -5.000000e-01) #6
  %142 = fmul float %141, %133
  %143 = call float @llvm.nvvm.fma.rn.f(float %142, float %133, float %133) #6
  %144 = call float @llvm.nvvm.fma.rn.f(float %132, float 0x3FE62E4300000000, float %143) #6
  %145 = bitcast float %123 to i32
  %146 = icmp uge i32 %145, 2139095040
  br i1 %146, label %147, label %149

147:                                              ; preds = %122
  %148 = call float @llvm.nvvm.fma.rn.f(float %123, float 0x7FF0000000000000, float 0x7FF0000000000000) #6
  br label %149

149:                                              ; preds = %147, %122
  %150 = phi float [ %148, %147 ], [ %144, %122 ]
  %151 = fcmp oeq float %123, 0.000000e+00
  br i1 %151, label %152, label %153

152:                                              ; preds = %149
  br label %153

153:                                              ; preds = %149, %152
  %154 = phi float [ 0xFFF0000000000000, %152 ], [ %150, %149 ]
  %155 = load float, ptr %20, align 4
  %156 = fadd contract float %154, %155
  %157 = load ptr, ptr %19, align 8
  %158 = load ptr, ptr %13, align 8
  %159 = load i32, ptr %17, align 4
  %160 = sext i32 %159 to i64
  %161 = getelementptr inbounds i32, ptr %158, i64 %160
  %162 = load i32, ptr %161, align 4
  %163 = sext i32 %162 to i64
  %164 = getelementptr inbounds float, ptr %157, i64 %163
  %165 = load float, ptr %164, align 4
  %166 = fsub contract float %156, %165
  %167 = load ptr, ptr %14, align 8
  %168 = load i32, ptr %17, align 4
  %169 = sext i32 %168 to i64
  %170 = getelementptr inbounds float, ptr %167, i64 %169
  store float %166, ptr %170, align 4
  br label %171

171:                                              ; preds = %37, %153, %113
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
declare float @llvm.nvvm.fmax.ftz.f(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fmax.f(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.ftz.f32(float) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.f32(float) #4

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fma.rn.ftz.f(float, float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fma.rn.f(float, float, float) #2

attributes #0 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent mustprogress noinline nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #5 = { convergent nounwind }
attributes #6 = { nounwind }

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
