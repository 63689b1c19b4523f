; ModuleID = 'lennard_jones.cu'
source_filename = "lennard_jones.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__cuda_builtin_blockIdx_t = type { i8 }
%struct.__cuda_builtin_blockDim_t = type { i8 }
%struct.__cuda_builtin_threadIdx_t = type { i8 }
%struct.float4 = type { float, float, float, float }

@blockIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockIdx_t, align 1
@blockDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockDim_t, align 1
@threadIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_threadIdx_t, align 1

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local ptx_kernel void @lennard_jones(ptr noundef %0, ptr noundef %1, i32 noundef %2, float noundef %3) #0 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i32, align 4
  %8 = alloca float, align 4
  %9 = alloca i32, align 4
  %10 = alloca %struct.float4, align 16
  %11 = alloca float, align 4
  %12 = alloca float, align 4
  %13 = alloca float, align 4
  %14 = alloca float, align 4
  %15 = alloca i32, align 4
  %16 = alloca %struct.float4, align 16
  %17 = alloca float, align 4
  %18 = alloca float, align 4
  %19 = alloca float, align 4
  %20 = alloca float, align 4
  %21 = alloca float, align 4
  %22 = alloca float, align 4
  %23 = alloca float, align 4
  %24 = alloca %struct.float4, align 16
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i32 %2, ptr %7, align 4
  store float %3, ptr %8, align 4
  %25 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %26 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %27 = mul i32 %25, %26
  %28 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %29 = add i32 %27, %28
  store i32 %29, ptr %9, align 4
  %30 = load i32, ptr %9, align 4
  %31 = load i32, ptr %7, align 4
  %32 = icmp sge i32 %30, %31
  br i1 %32, label %33, label %34

33:                                               ; preds = %4
  br label %141

34:                                               ; preds = %4
  %35 = load ptr, ptr %5, align 8
  %36 = load i32, ptr %9, align 4
  %37 = sext i32 %36 to i64
  %38 = getelementptr inbounds %struct.float4, ptr %35, i64 %37
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %10, ptr align 16 %38, i64 16, i1 false)
  store float 0.000000e+00, ptr %11, align 4
  store float 0.000000e+00, ptr %12, align 4
  store float 0.000000e+00, ptr %13, align 4
  store float 0.000000e+00, ptr %14, align 4
  store i32 0, ptr %15, align 4
  br label %39

39:                                               ; preds = %120, %34
  %40 = load i32, ptr %15, align 4
  %41 = load i32, ptr %7, align 4
  %42 = icmp slt i32 %40, %41
  br i1 %42, label %43, label %123

43:                                               ; preds = %39
  %44 = load ptr, ptr %5, align 8
  %45 = load i32, ptr %15, align 4
  %46 = sext i32 %45 to i64
  %47 = getelementptr inbounds %struct.float4, ptr %44, i64 %46
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %16, ptr align 16 %47, i64 16, i1 false)
  %48 = getelementptr inbounds nuw %struct.float4, ptr %10, i32 0, i32 0
  %49 = load float, ptr %48, align 16
  %50 = getelementptr inbounds nuw %struct.float4, ptr %16, i32 0, i32 0
  %51 = load float, ptr %50, align 16
  %52 = fsub contract float %49, %51
  store float %52, ptr %17, align 4
  %53 = getelementptr inbounds nuw %struct.float4, ptr %10, i32 0, i32 1
  %54 = load float, ptr %53, align 4
  %55 = getelementptr inbounds nuw %struct.float4, ptr %16, i32 0, i32 1
  %56 = load float, ptr %55, align 4
  %57 = fsub contract float %54, %56
  store float %57, ptr %18, align 4
  %58 = getelementptr inbounds nuw %struct.float4, ptr %10, i32 0, i32 2
  %59 = load float, ptr %58, align 8
  %60 = getelementptr inbounds nuw %struct.float4, ptr %16, i32 0, i32 2
  %61 = load float, ptr %60, align 8
  %62 = fsub contract float %59, %61
  store float %62, ptr %19, align 4
  %63 = load float, ptr %17, align 4
  %64 = load float, ptr %17, align 4
  %65 = fmul contract float %63, %64
  %66 = load float, ptr %18, align 4
  %67 = load float, ptr %18, align 4
  %68 = fmul contract float %66, %67
  %69 = fadd contract float %65, %68
  %70 = load float, ptr %19, align 4
  %71 = load float, ptr %19, align 4
  %72 = fmul contract float %70, %71
  %73 = fadd contract float %69, %72
  store float %73, ptr %20, align 4
  %74 = load i32, ptr %15, align 4
  %75 = load i32, ptr %9, align 4
  %76 = icmp ne i32 %74, %75
  br i1 %76, label %77, label %119

77:                                               ; preds = %43
  %78 = load float, ptr %20, align 4
  %79 = load float, ptr %8, align 4
  %80 = fcmp contract olt float %78, %79
  br i1 %80, label %81, label %119

81:                                               ; preds = %77
  %82 = load float, ptr %20, align 4
  %83 = fdiv contract float 1.000000e+00, %82
  store float %83, ptr %21, align 4
  %84 = load float, ptr %21, align 4
  %85 = load float, ptr %21, align 4
  %86 = fmul contract float %84, %85
  %87 = load float, ptr %21, align 4
  %88 = fmul contract float %86, %87
  store float %88, ptr %22, align 4
  %89 = load float, ptr %22, align 4
  %90 = fmul contract float 2.000000e+00, %89
  %91 = fsub contract float %90, 1.000000e+00
  %92 = load float, ptr %22, align 4
  %93 = fmul contract float %91, %92
  %94 = load float, ptr %21, align 4
  %95 = fmul contract float %93, %94
  %96 = fmul contract float %95, 2.400000e+01
  store float %96, ptr %23, align 4
  %97 = load float, ptr %23, align 4
  %98 = load float, ptr %17, align 4
  %99 = fmul contract float %97, %98
  %100 = load float, ptr %11, align 4
  %101 = fadd contract float %100, %99
  store float %101, ptr %11, align 4
  %102 = load float, ptr %23, align 4
  %103 = load float, ptr %18, align 4
  %104 = fmul contract float %102, %103
  %105 = load float, ptr %12, align 4
  %106 = fadd contract float %105, %104
  store float %106, ptr %12, align 4
  %107 = load float, ptr %23, align 4
  %108 = load float, ptr %19, align 4
  %109 = fmul contract float %107, %108
  %110 = load float, ptr %13, align 4
  %111 = fadd contract float %110, %109
  store float %111, ptr %13, align 4
  %112 = load float, ptr %22, align 4
  %113 = fmul contract float 4.000000e+00, %112
  %114 = load float, ptr %22, align 4
  %115 = fsub contract float %114, 1.000000e+00
  %116 = fmul contract float %113, %115
  %117 = load float, ptr %14, align 4
  %118 = fadd contract float %117, %116
  store float %118, ptr %14, align 4
  br label %119

119:                                              ; preds = %81, %77, %43
  br label %120

120:                                              ; preds = %119
  %121 = load i32, ptr %15, align 4
  %122 = add nsw i32 %121, 1
  store i32 %122, ptr %15, align 4
  br label %39, !llvm.loop !7

123:                                              ; preds = %39
  %124 = load float, ptr %11, align 4
  %125 = load float, ptr %12, align 4
  %126 = load float, ptr %13, align 4
  %127 = load float, ptr %14, align 4
  %128 = call %struct.float4 @_ZL11make_float4ffff(float noundef %124, float noundef %125, float noundef %126, float noundef %127) #4
  %129 = getelementptr inbounds nuw %struct.float4, ptr %24, i32 0, i32 0
  %130 = extractvalue %struct.float4 %128, 0
  store float %130, ptr %129, align 16
  %131 = getelementptr inbounds nuw %struct.float4, ptr %24, i32 0, i32 1
  %132 = extractvalue %struct.float4 %128, 1
  store float %132, ptr %131, align 4
  %133 = getelementptr inbounds nuw %struct.float4, ptr %24, i32 0, i32 2
  %134 = extractvalue %struct.float4 %128, 2
  store float %134, ptr %133, align 8
  %135 = getelementptr inbounds nuw %struct.float4, ptr %24, i32 0, i32 3
  %136 = extractvalue %struct.float4 %128, 3
  store float %136, ptr %135, align 4
  %137 = load ptr, ptr %6, align 8
  %138 = load i32, ptr %9, align 4
  %139 = sext i32 %138 to i64
  %140 = getelementptr inbounds %struct.float4, ptr %137, i64 %139
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %140, ptr align 16 %24, i64 16, i1 false)
  br label %141

141:                                              ; preds = %123, %33
  ret void
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #1

; Function Attrs: convergent mustprogress noinline nounwind optnone
define internal %struct.float4 @_ZL11make_float4ffff(float noundef %0, float noundef %1, float noundef %2, float noundef %3) #2 {
  %5 = alloca %struct.float4, align 16
  %6 = alloca float, align 4
  %7 = alloca float, align 4
  %8 = alloca float, align 4
  %9 = alloca float, align 4
  store float %0, ptr %6, align 4
  store float %1, ptr %7, align 4
  store float %2, ptr %8, align 4
  store float %3, ptr %9, align 4
  %10 = load float, ptr %6, align 4
  %11 = getelementptr inbounds nuw %struct.float4, ptr %5, i32 0, i32 0
  store float %10, ptr %11, align 16
  %12 = load float, ptr %7, align 4
  %13 = getelementptr inbounds nuw %struct.float4, ptr %5, i32 0, i32 1
  store float %12, ptr %13, align 4
  %14 = load float, ptr %8, align 4
  %15 = getelementptr inbounds nuw %struct.float4, ptr %5, i32 0, i32 2
  store float %14, ptr %15, align 8
  %16 = load float, ptr %9, align 4
  %17 = getelementptr inbounds nuw %struct.float4, ptr %5, i32 0, i32 3
  store float %16, ptr %17, align 4
  %18 = load %struct.float4, ptr %5, align 16
  ret %struct.float4 %18
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { convergent mustprogress noinline nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" }
attributes #3 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
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
