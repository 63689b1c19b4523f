; ModuleID = 'softmax.cu'
source_filename = "softmax.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__cuda_builtin_blockIdx_t = type { i8 }
%struct.__cuda_builtin_threadIdx_t = type { i8 }
%struct.__cuda_builtin_blockDim_t = type { i8 }

@_ZZ7softmaxE5parts = internal addrspace(3) global [64 x float] undef, align 4
@blockIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockIdx_t, align 1
@threadIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_threadIdx_t, align 1
@blockDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockDim_t, align 1
@.str = private unnamed_addr constant [11 x i8] c"__CUDA_FTZ\00", align 1

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local ptx_kernel void @softmax(ptr noundef %0, ptr noundef %1, i32 noundef %2) #0 {
  %4 = alloca float, align 4
  %5 = alloca float, align 4
  %6 = alloca float, align 4
  %7 = alloca float, align 4
  %8 = alloca float, align 4
  %9 = alloca float, align 4
  %10 = alloca ptr, align 8
  %11 = alloca ptr, align 8
  %12 = alloca i32, align 4
  %13 = alloca ptr, align 8
  %14 = alloca float, align 4
  %15 = alloca i32, align 4
  %16 = alloca i32, align 4
  %17 = alloca float, align 4
  %18 = alloca i32, align 4
  %19 = alloca i32, align 4
  %20 = alloca float, align 4
  %21 = alloca i32, align 4
  store ptr %0, ptr %10, align 8
  store ptr %1, ptr %11, align 8
  store i32 %2, ptr %12, align 4
  %22 = load ptr, ptr %10, align 8
  %23 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %24 = load i32, ptr %12, align 4
  %25 = mul i32 %23, %24
  %26 = zext i32 %25 to i64
  %27 = getelementptr inbounds nuw float, ptr %22, i64 %26
  store ptr %27, ptr %13, align 8
  store float 0xC7EC363CC0000000, ptr %14, align 4
  %28 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %28, ptr %15, align 4
  br label %29

29:                                               ; preds = %43, %3
  %30 = load i32, ptr %15, align 4
  %31 = load i32, ptr %12, align 4
  %32 = icmp slt i32 %30, %31
  br i1 %32, label %33, label %47

33:                                               ; preds = %29
  %34 = load float, ptr %14, align 4
  %35 = load ptr, ptr %13, align 8
  %36 = load i32, ptr %15, align 4
  %37 = sext i32 %36 to i64
  %38 = getelementptr inbounds float, ptr %35, i64 %37
  %39 = load float, ptr %38, align 4
  store float %34, ptr %6, align 4
  store float %39, ptr %7, align 4
  %40 = load float, ptr %6, align 4
  %41 = load float, ptr %7, align 4
  %42 = call float @llvm.nvvm.fmax.f(float %40, float %41)
  store float %42, ptr %14, align 4
  br label %43

43:                                               ; preds = %33
  %44 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %45 = load i32, ptr %15, align 4
  %46 = add i32 %45, %44
  store i32 %46, ptr %15, align 4
  br label %29, !llvm.loop !7

47:                                               ; preds = %29
  %48 = load float, ptr %14, align 4
  %49 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %50 = zext i32 %49 to i64
  %51 = getelementptr inbounds nuw [64 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE5parts to ptr), i64 0, i64 %50
  store float %48, ptr %51, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %52 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %53 = udiv i32 %52, 2
  store i32 %53, ptr %16, align 4
  br label %54

54:                                               ; preds = %79, %47
  %55 = load i32, ptr %16, align 4
  %56 = icmp sgt i32 %55, 0
  br i1 %56, label %57, label %82

57:                                               ; preds = %54
  %58 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %59 = load i32, ptr %16, align 4
  %60 = icmp ult i32 %58, %59
  br i1 %60, label %61, label %78

61:                                               ; preds = %57
  %62 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %63 = zext i32 %62 to i64
  %64 = getelementptr inbounds nuw [64 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE5parts to ptr), i64 0, i64 %63
  %65 = load float, ptr %64, align 4
  %66 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %67 = load i32, ptr %16, align 4
  %68 = add i32 %66, %67
  %69 = zext i32 %68 to i64
  %70 = getelementptr inbounds nuw [64 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE5parts to ptr), i64 0, i64 %69
  %71 = load float, ptr %70, align 4
  store float %65, ptr %8, align 4
  store float %71, ptr %9, align 4
  %72 = load float, ptr %8, align 4
  %73 = load float, ptr %9, align 4
  %74 = call float @llvm.nvvm.fmax.f(float %72, float %73)
  %75 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %76 = zext i32 %75 to i64
  %77 = getelementptr inbounds nuw [64 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE5parts to ptr), i64 0, i64 %76
  store float %74, ptr %77, align 4
  br label %78

78:                                               ; preds = %61, %57
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %79

79:                                               ; preds = %78
  %80 = load i32, ptr %16, align 4
  %81 = sdiv i32 %80, 2
  store i32 %81, ptr %16, align 4
  br label %54, !llvm.loop !9

82:                                               ; preds = %54
  %83 = load float, ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE5parts to ptr), align 4
  store float %83, ptr %14, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store float 0.000000e+00, ptr %17, align 4
  %84 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %84, ptr %18, align 4
  br label %85

85:                                               ; preds = %112, %82
  %86 = load i32, ptr %18, align 4
  %87 = load i32, ptr %12, align 4
  %88 = icmp slt i32 %86, %87
  br i1 %88, label %89, label %116

89:                                               ; preds = %85
  %90 = load ptr, ptr %13, align 8
  %91 = load i32, ptr %18, align 4
  %92 = sext i32 %91 to i64
  %93 = getelementptr inbounds float, ptr %90, i64 %92
  %94 = load float, ptr %93, align 4
  %95 = load float, ptr %14, align 4
  %96 = fsub contract float %94, %95
  store float %96, ptr %4, align 4
  %97 = load float, ptr %4, align 4
  %98 = call float @llvm.nvvm.fma.rn.f(float %97, float 0x3F777313A0000000, float 5.000000e-01) #4
  %99 = call float @llvm.nvvm.saturate.f(float %98) #4
  %100 = call float @llvm.nvvm.fma.rm.f(float %99, float 2.520000e+02, float 0x4168000020000000) #4
  %101 = fsub float %100, 0x4168000FE0000000
  %102 = fsub float -0.000000e+00, %101
  %103 = call float @llvm.nvvm.fma.rn.f(float %97, float 0x3FF7154760000000, float %102) #4
  %104 = call float @llvm.nvvm.fma.rn.f(float %97, float 0x3E54AE0C00000000, float %103) #4
  %105 = bitcast float %100 to i32
  %106 = shl i32 %105, 23
  %107 = bitcast i32 %106 to float
  %108 = call float @llvm.nvvm.ex2.approx.ftz.f32(float %104)
  %109 = fmul float %108, %107
  %110 = load float, ptr %17, align 4
  %111 = fadd contract float %110, %109
  store float %111, ptr %17, align 4
  br label %112

112:                                              ; preds = %89
  %113 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %114 = load i32, ptr %18, align 4
  %115 = add i32 %114, %113
  store i32 %115, ptr %18, align 4
  br label %85, !llvm.loop !10

116:                                              ; preds = %85
  %117 = load float, ptr %17, align 4
  %118 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %119 = zext i32 %118 to i64
  %120 = getelementptr inbounds nuw [64 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE5parts to ptr), i64 0, i64 %119
  store float %117, ptr %120, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %121 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %122 = udiv i32 %121, 2
  store i32 %122, ptr %19, align 4
  br label %123

123:                                              ; preds = %143, %116
  %124 = load i32, ptr %19, align 4
  %125 = icmp sgt i32 %124, 0
  br i1 %125, label %126, label %146

126:                                              ; preds = %123
  %127 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %128 = load i32, ptr %19, align 4
  %129 = icmp ult i32 %127, %128
  br i1 %129, label %130, label %142

130:                                              ; preds = %126
  %131 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %132 = load i32, ptr %19, align 4
  %133 = add i32 %131, %132
  %134 = zext i32 %133 to i64
  %135 = getelementptr inbounds nuw [64 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE5parts to ptr), i64 0, i64 %134
  %136 = load float, ptr %135, align 4
  %137 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %138 = zext i32 %137 to i64
  %139 = getelementptr inbounds nuw [64 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE5parts to ptr), i64 0, i64 %138
  %140 = load float, ptr %139, align 4
  %141 = fadd contract float %140, %136
  store float %141, ptr %139, align 4
  br label %142

142:                                              ; preds = %130, %126
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %143

143:                                              ; preds = %142
  %144 = load i32, ptr %19, align 4
  %145 = sdiv i32 %144, 2
  store i32 %145, ptr %19, align 4
  br label %123, !llvm.loop !11

146:                                              ; preds = %123
  %147 = load float, ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE5parts to ptr), align 4
  %148 = fdiv contract float 1.000000e+00, %147
  store float %148, ptr %20, align 4
  %149 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %149, ptr %21, align 4
  br label %150

150:                                              ; preds = %185, %146
  %151 = load i32, ptr %21, align 4
  %152 = load i32, ptr %12, align 4
  %153 = icmp slt i32 %151, %152
  br i1 %153, label %154, label %189

154:                                              ; preds = %150
  %155 = load ptr, ptr %13, align 8
  %156 = load i32, ptr %21, align 4
  %157 = sext i32 %156 to i64
  %158 = getelementptr inbounds float, ptr %155, i64 %157
  %159 = load float, ptr %158, align 4
  %160 = load float, ptr %14, align 4
  %161 = fsub contract float %159, %160
  store float %161, ptr %5, align 4
  %162 = load float, ptr %5, align 4
  %163 = call float @llvm.nvvm.fma.rn.f(float %162, float 0x3F777313A0000000, float 5.000000e-01) #4
  %164 = call float @llvm.nvvm.saturate.f(float %163) #4
  %165 = call float @llvm.nvvm.fma.rm.f(float %164, float 2.520000e+02, float 0x4168000020000000) #4
  %166 = fsub float %165, 0x4168000FE0000000
  %167 = fsub float -0.000000e+00, %166
  %168 = call float @llvm.nvvm.fma.rn.f(float %162, float 0x3FF7154760000000, float %167) #4
  %169 = call float @llvm.nvvm.fma.rn.f(float %162, float 0x3E54AE0C00000000, float %168) #4
  %170 = bitcast float %165 to i32
  %171 = shl i32 %170, 23
  %172 = bitcast i32 %171 to float
  %173 = call float @llvm.nvvm.ex2.approx.ftz.f32(float %169)
  %174 = fmul float %173, %172
  %175 = load float, ptr %20, align 4
  %176 = fmul contract float %174, %175
  %177 = load ptr, ptr %11, align 8
  %178 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %179 = load i32, ptr %12, align 4
  %180 = mul i32 %178, %179
  %181 = load i32, ptr %21, align 4
  %182 = add i32 %180, %181
  %183 = zext i32 %182 to i64
  %184 = getelementptr inbounds nuw float, ptr %177, i64 %183
  store float %176, ptr %184, align 4
  br label %185

185:                                              ; preds = %154
  %186 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %187 = load i32, ptr %21, align 4
  %188 = add i32 %187, %186
  store i32 %188, ptr %21, align 4
  br label %150, !llvm.loop !12

189:                                              ; preds = %150
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

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fmax.ftz.f(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fmax.f(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fma.rn.ftz.f(float, float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fma.rn.f(float, float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.saturate.ftz.f(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.saturate.f(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fma.rm.ftz.f(float, float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fma.rm.f(float, float, float) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.ftz.f32(float) #3

attributes #0 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent nocallback nounwind }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #4 = { nounwind }

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
