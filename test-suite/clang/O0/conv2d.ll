; ModuleID = 'conv2d.cu'
source_filename = "conv2d.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__cuda_builtin_blockIdx_t = type { i8 }
%struct.__cuda_builtin_blockDim_t = type { i8 }
%struct.__cuda_builtin_threadIdx_t = type { i8 }

@blockIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockIdx_t, align 1
@blockDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockDim_t, align 1
@threadIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_threadIdx_t, align 1

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local ptx_kernel void @conv2d(ptr noundef %0, ptr noundef %1, ptr noundef %2, i32 noundef %3, i32 noundef %4, i32 noundef %5) #0 {
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca i32, align 4
  %14 = alloca i32, align 4
  %15 = alloca ptr, align 8
  %16 = alloca ptr, align 8
  %17 = alloca ptr, align 8
  %18 = alloca i32, align 4
  %19 = alloca i32, align 4
  %20 = alloca i32, align 4
  %21 = alloca i32, align 4
  %22 = alloca i32, align 4
  %23 = alloca float, align 4
  %24 = alloca i32, align 4
  %25 = alloca i32, align 4
  %26 = alloca i32, align 4
  %27 = alloca i32, align 4
  store ptr %0, ptr %15, align 8
  store ptr %1, ptr %16, align 8
  store ptr %2, ptr %17, align 8
  store i32 %3, ptr %18, align 4
  store i32 %4, ptr %19, align 4
  store i32 %5, ptr %20, align 4
  %28 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %29 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %30 = mul i32 %28, %29
  %31 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %32 = add i32 %30, %31
  store i32 %32, ptr %21, align 4
  %33 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %34 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %35 = mul i32 %33, %34
  %36 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %37 = add i32 %35, %36
  store i32 %37, ptr %22, align 4
  %38 = load i32, ptr %21, align 4
  %39 = load i32, ptr %18, align 4
  %40 = icmp sge i32 %38, %39
  br i1 %40, label %45, label %41

41:                                               ; preds = %6
  %42 = load i32, ptr %22, align 4
  %43 = load i32, ptr %19, align 4
  %44 = icmp sge i32 %42, %43
  br i1 %44, label %45, label %46

45:                                               ; preds = %41, %6
  br label %123

46:                                               ; preds = %41
  store float 0.000000e+00, ptr %23, align 4
  store i32 0, ptr %24, align 4
  br label %47

47:                                               ; preds = %110, %46
  %48 = load i32, ptr %24, align 4
  %49 = load i32, ptr %20, align 4
  %50 = icmp slt i32 %48, %49
  br i1 %50, label %51, label %113

51:                                               ; preds = %47
  store i32 0, ptr %25, align 4
  br label %52

52:                                               ; preds = %106, %51
  %53 = load i32, ptr %25, align 4
  %54 = load i32, ptr %20, align 4
  %55 = icmp slt i32 %53, %54
  br i1 %55, label %56, label %109

56:                                               ; preds = %52
  %57 = load i32, ptr %21, align 4
  %58 = load i32, ptr %25, align 4
  %59 = add nsw i32 %57, %58
  %60 = load i32, ptr %20, align 4
  %61 = sdiv i32 %60, 2
  %62 = sub nsw i32 %59, %61
  store i32 %62, ptr %7, align 4
  store i32 0, ptr %8, align 4
  %63 = load i32, ptr %7, align 4
  %64 = load i32, ptr %8, align 4
  %65 = call noundef i32 @llvm.smax.i32(i32 %63, i32 %64)
  %66 = load i32, ptr %18, align 4
  %67 = sub nsw i32 %66, 1
  store i32 %65, ptr %11, align 4
  store i32 %67, ptr %12, align 4
  %68 = load i32, ptr %11, align 4
  %69 = load i32, ptr %12, align 4
  %70 = call noundef i32 @llvm.smin.i32(i32 %68, i32 %69)
  store i32 %70, ptr %26, align 4
  %71 = load i32, ptr %22, align 4
  %72 = load i32, ptr %24, align 4
  %73 = add nsw i32 %71, %72
  %74 = load i32, ptr %20, align 4
  %75 = sdiv i32 %74, 2
  %76 = sub nsw i32 %73, %75
  store i32 %76, ptr %9, align 4
  store i32 0, ptr %10, align 4
  %77 = load i32, ptr %9, align 4
  %78 = load i32, ptr %10, align 4
  %79 = call noundef i32 @llvm.smax.i32(i32 %77, i32 %78)
  %80 = load i32, ptr %19, align 4
  %81 = sub nsw i32 %80, 1
  store i32 %79, ptr %13, align 4
  store i32 %81, ptr %14, align 4
  %82 = load i32, ptr %13, align 4
  %83 = load i32, ptr %14, align 4
  %84 = call noundef i32 @llvm.smin.i32(i32 %82, i32 %83)
  store i32 %84, ptr %27, align 4
  %85 = load ptr, ptr %15, align 8
  %86 = load i32, ptr %27, align 4
  %87 = load i32, ptr %18, align 4
  %88 = mul nsw i32 %86, %87
  %89 = load i32, ptr %26, align 4
  %90 = add nsw i32 %88, %89
  %91 = sext i32 %90 to i64
  %92 = getelementptr inbounds float, ptr %85, i64 %91
  %93 = load float, ptr %92, align 4
  %94 = load ptr, ptr %16, align 8
  %95 = load i32, ptr %24, align 4
  %96 = load i32, ptr %20, align 4
  %97 = mul nsw i32 %95, %96
  %98 = load i32, ptr %25, align 4
  %99 = add nsw i32 %97, %98
  %100 = sext i32 %99 to i64
  %101 = getelementptr inbounds float, ptr %94, i64 %100
  %102 = load float, ptr %101, align 4
  %103 = fmul contract float %93, %102
  %104 = load float, ptr %23, align 4
  %105 = fadd contract float %104, %103
  store float %105, ptr %23, align 4
  br label %106

106:                                              ; preds = %56
  %107 = load i32, ptr %25, align 4
  %108 = add nsw i32 %107, 1
  store i32 %108, ptr %25, align 4
  br label %52, !llvm.loop !7

109:                                              ; preds = %52
  br label %110

110:                                              ; preds = %109
  %111 = load i32, ptr %24, align 4
  %112 = add nsw i32 %111, 1
  store i32 %112, ptr %24, align 4
  br label %47, !llvm.loop !9

113:                                              ; preds = %47
  %114 = load float, ptr %23, align 4
  %115 = load ptr, ptr %17, align 8
  %116 = load i32, ptr %22, align 4
  %117 = load i32, ptr %18, align 4
  %118 = mul nsw i32 %116, %117
  %119 = load i32, ptr %21, align 4
  %120 = add nsw i32 %118, %119
  %121 = sext i32 %120 to i64
  %122 = getelementptr inbounds float, ptr %115, i64 %121
  store float %114, ptr %122, align 4
  br label %123

123:                                              ; preds = %113, %45
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
!9 = distinct !{!9, !8}
