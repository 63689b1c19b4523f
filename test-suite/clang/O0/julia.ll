; ModuleID = 'julia.cu'
source_filename = "julia.cu"
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
define dso_local ptx_kernel void @julia(ptr noundef %0, i32 noundef %1, i32 noundef %2, float noundef %3, float noundef %4, i32 noundef %5) #0 {
  %7 = alloca float, align 4
  %8 = alloca float, align 4
  %9 = alloca float, align 4
  %10 = alloca float, align 4
  %11 = alloca float, align 4
  %12 = alloca float, align 4
  %13 = alloca float, align 4
  %14 = alloca float, align 4
  %15 = alloca float, align 4
  %16 = alloca float, align 4
  %17 = alloca float, align 4
  %18 = alloca float, align 4
  %19 = alloca float, align 4
  %20 = alloca float, align 4
  %21 = alloca float, align 4
  %22 = alloca float, align 4
  %23 = alloca float, align 4
  %24 = alloca float, align 4
  %25 = alloca float, align 4
  %26 = alloca float, align 4
  %27 = alloca float, align 4
  %28 = alloca float, align 4
  %29 = alloca float, align 4
  %30 = alloca float, align 4
  %31 = alloca ptr, align 8
  %32 = alloca i32, align 4
  %33 = alloca i32, align 4
  %34 = alloca float, align 4
  %35 = alloca float, align 4
  %36 = alloca i32, align 4
  %37 = alloca i32, align 4
  %38 = alloca i32, align 4
  %39 = alloca float, align 4
  %40 = alloca float, align 4
  %41 = alloca i32, align 4
  %42 = alloca float, align 4
  store ptr %0, ptr %31, align 8
  store i32 %1, ptr %32, align 4
  store i32 %2, ptr %33, align 4
  store float %3, ptr %34, align 4
  store float %4, ptr %35, align 4
  store i32 %5, ptr %36, align 4
  %43 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %44 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %45 = mul i32 %43, %44
  %46 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %47 = add i32 %45, %46
  store i32 %47, ptr %37, align 4
  %48 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %49 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %50 = mul i32 %48, %49
  %51 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %52 = add i32 %50, %51
  store i32 %52, ptr %38, align 4
  %53 = load i32, ptr %37, align 4
  %54 = load i32, ptr %32, align 4
  %55 = icmp sge i32 %53, %54
  br i1 %55, label %60, label %56

56:                                               ; preds = %6
  %57 = load i32, ptr %38, align 4
  %58 = load i32, ptr %33, align 4
  %59 = icmp sge i32 %57, %58
  br i1 %59, label %60, label %61

60:                                               ; preds = %56, %6
  br label %138

61:                                               ; preds = %56
  %62 = load i32, ptr %37, align 4
  %63 = sitofp i32 %62 to float
  store float %63, ptr %15, align 4
  store float 1.250000e-01, ptr %16, align 4
  %64 = load float, ptr %15, align 4
  %65 = load float, ptr %16, align 4
  %66 = call float @llvm.nvvm.mul.rn.f(float %64, float %65)
  %67 = fsub contract float %66, 1.500000e+00
  store float %67, ptr %39, align 4
  %68 = load i32, ptr %38, align 4
  %69 = sitofp i32 %68 to float
  store float %69, ptr %17, align 4
  store float 1.250000e-01, ptr %18, align 4
  %70 = load float, ptr %17, align 4
  %71 = load float, ptr %18, align 4
  %72 = call float @llvm.nvvm.mul.rn.f(float %70, float %71)
  %73 = fsub contract float %72, 1.500000e+00
  store float %73, ptr %40, align 4
  store i32 0, ptr %41, align 4
  br label %74

74:                                               ; preds = %95, %61
  %75 = load i32, ptr %41, align 4
  %76 = load i32, ptr %36, align 4
  %77 = icmp slt i32 %75, %76
  br i1 %77, label %78, label %93

78:                                               ; preds = %74
  %79 = load float, ptr %39, align 4
  %80 = load float, ptr %39, align 4
  store float %79, ptr %19, align 4
  store float %80, ptr %20, align 4
  %81 = load float, ptr %19, align 4
  %82 = load float, ptr %20, align 4
  %83 = call float @llvm.nvvm.mul.rn.f(float %81, float %82)
  %84 = load float, ptr %40, align 4
  %85 = load float, ptr %40, align 4
  store float %84, ptr %21, align 4
  store float %85, ptr %22, align 4
  %86 = load float, ptr %21, align 4
  %87 = load float, ptr %22, align 4
  %88 = call float @llvm.nvvm.mul.rn.f(float %86, float %87)
  store float %83, ptr %9, align 4
  store float %88, ptr %10, align 4
  %89 = load float, ptr %9, align 4
  %90 = load float, ptr %10, align 4
  %91 = call float @llvm.nvvm.add.rn.f(float %89, float %90)
  %92 = fcmp contract ole float %91, 4.000000e+00
  br label %93

93:                                               ; preds = %78, %74
  %94 = phi i1 [ false, %74 ], [ %92, %78 ]
  br i1 %94, label %95, label %128

95:                                               ; preds = %93
  %96 = load float, ptr %39, align 4
  %97 = load float, ptr %39, align 4
  store float %96, ptr %23, align 4
  store float %97, ptr %24, align 4
  %98 = load float, ptr %23, align 4
  %99 = load float, ptr %24, align 4
  %100 = call float @llvm.nvvm.mul.rn.f(float %98, float %99)
  %101 = load float, ptr %40, align 4
  %102 = load float, ptr %40, align 4
  store float %101, ptr %25, align 4
  store float %102, ptr %26, align 4
  %103 = load float, ptr %25, align 4
  %104 = load float, ptr %26, align 4
  %105 = call float @llvm.nvvm.mul.rn.f(float %103, float %104)
  store float %100, ptr %7, align 4
  store float %105, ptr %8, align 4
  %106 = load float, ptr %7, align 4
  %107 = load float, ptr %8, align 4
  %108 = call float asm "sub.rn.f32 $0, $1, $2;", "=f,f,f"(float %106, float %107) #2, !srcloc !7
  %109 = load float, ptr %34, align 4
  store float %108, ptr %11, align 4
  store float %109, ptr %12, align 4
  %110 = load float, ptr %11, align 4
  %111 = load float, ptr %12, align 4
  %112 = call float @llvm.nvvm.add.rn.f(float %110, float %111)
  store float %112, ptr %42, align 4
  %113 = load float, ptr %39, align 4
  store float 2.000000e+00, ptr %27, align 4
  store float %113, ptr %28, align 4
  %114 = load float, ptr %27, align 4
  %115 = load float, ptr %28, align 4
  %116 = call float @llvm.nvvm.mul.rn.f(float %114, float %115)
  %117 = load float, ptr %40, align 4
  store float %116, ptr %29, align 4
  store float %117, ptr %30, align 4
  %118 = load float, ptr %29, align 4
  %119 = load float, ptr %30, align 4
  %120 = call float @llvm.nvvm.mul.rn.f(float %118, float %119)
  %121 = load float, ptr %35, align 4
  store float %120, ptr %13, align 4
  store float %121, ptr %14, align 4
  %122 = load float, ptr %13, align 4
  %123 = load float, ptr %14, align 4
  %124 = call float @llvm.nvvm.add.rn.f(float %122, float %123)
  store float %124, ptr %40, align 4
  %125 = load float, ptr %42, align 4
  store float %125, ptr %39, align 4
  %126 = load i32, ptr %41, align 4
  %127 = add nsw i32 %126, 1
  store i32 %127, ptr %41, align 4
  br label %74, !llvm.loop !8

128:                                              ; preds = %93
  %129 = load i32, ptr %41, align 4
  %130 = load ptr, ptr %31, align 8
  %131 = load i32, ptr %38, align 4
  %132 = load i32, ptr %32, align 4
  %133 = mul nsw i32 %131, %132
  %134 = load i32, ptr %37, align 4
  %135 = add nsw i32 %133, %134
  %136 = sext i32 %135 to i64
  %137 = getelementptr inbounds i32, ptr %130, i64 %136
  store i32 %129, ptr %137, align 4
  br label %138

138:                                              ; preds = %128, %60
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
declare float @llvm.nvvm.add.rn.ftz.f(float, float) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.add.rn.f(float, float) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.mul.rn.ftz.f(float, float) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.mul.rn.f(float, float) #1

attributes #0 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind memory(none) }

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
!7 = !{i32 9504}
!8 = distinct !{!8, !9}
!9 = !{!"llvm.loop.mustprogress"}
