; ModuleID = 'fft_steps.cu'
source_filename = "fft_steps.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__cuda_builtin_threadIdx_t = type { i8 }
%struct.__cuda_builtin_blockIdx_t = type { i8 }
%struct.float2.0 = type { float, float }
%struct.__cuda_builtin_blockDim_t = type { i8 }

@threadIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_threadIdx_t, align 1
@blockIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockIdx_t, align 1
@x = external dso_local addrspace(3) global [0 x %struct.float2.0], align 8
@blockDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockDim_t, align 1

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local ptx_kernel void @fft_steps(ptr noundef %0, ptr noundef %1, ptr noundef %2, i32 noundef %3) #0 {
  %5 = alloca i32, align 4
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca i32, align 4
  %14 = alloca i32, align 4
  %15 = alloca i32, align 4
  %16 = alloca i32, align 4
  %17 = alloca i32, align 4
  %18 = alloca i32, align 4
  %19 = alloca %struct.float2.0, align 8
  %20 = alloca %struct.float2.0, align 8
  %21 = alloca %struct.float2.0, align 8
  %22 = alloca %struct.float2.0, align 8
  %23 = alloca %struct.float2.0, align 8
  %24 = alloca %struct.float2.0, align 8
  %25 = alloca i32, align 4
  store ptr %0, ptr %6, align 8
  store ptr %1, ptr %7, align 8
  store ptr %2, ptr %8, align 8
  store i32 %3, ptr %9, align 4
  %26 = load i32, ptr %9, align 4
  %27 = shl i32 1, %26
  store i32 %27, ptr %10, align 4
  %28 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %28, ptr %11, align 4
  %29 = load i32, ptr %11, align 4
  store i32 %29, ptr %12, align 4
  br label %30

30:                                               ; preds = %51, %4
  %31 = load i32, ptr %12, align 4
  %32 = load i32, ptr %10, align 4
  %33 = icmp slt i32 %31, %32
  br i1 %33, label %34, label %55

34:                                               ; preds = %30
  %35 = load ptr, ptr %6, align 8
  %36 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %37 = load i32, ptr %10, align 4
  %38 = mul i32 %36, %37
  %39 = load i32, ptr %12, align 4
  %40 = add i32 %38, %39
  %41 = zext i32 %40 to i64
  %42 = getelementptr inbounds nuw %struct.float2.0, ptr %35, i64 %41
  %43 = load i32, ptr %12, align 4
  store i32 %43, ptr %5, align 4
  %44 = load i32, ptr %5, align 4
  %45 = call noundef i32 @llvm.bitreverse.i32(i32 %44)
  %46 = load i32, ptr %9, align 4
  %47 = sub nsw i32 32, %46
  %48 = lshr i32 %45, %47
  %49 = zext i32 %48 to i64
  %50 = getelementptr inbounds nuw [0 x %struct.float2.0], ptr addrspacecast (ptr addrspace(3) @x to ptr), i64 0, i64 %49
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %50, ptr align 8 %42, i64 8, i1 false)
  br label %51

51:                                               ; preds = %34
  %52 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %53 = load i32, ptr %12, align 4
  %54 = add i32 %53, %52
  store i32 %54, ptr %12, align 4
  br label %30, !llvm.loop !7

55:                                               ; preds = %30
  store i32 0, ptr %13, align 4
  br label %56

56:                                               ; preds = %164, %55
  %57 = load i32, ptr %13, align 4
  %58 = load i32, ptr %9, align 4
  %59 = icmp slt i32 %57, %58
  br i1 %59, label %60, label %167

60:                                               ; preds = %56
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %61 = load i32, ptr %13, align 4
  %62 = shl i32 1, %61
  store i32 %62, ptr %14, align 4
  %63 = load i32, ptr %11, align 4
  store i32 %63, ptr %15, align 4
  br label %64

64:                                               ; preds = %159, %60
  %65 = load i32, ptr %15, align 4
  %66 = load i32, ptr %10, align 4
  %67 = sdiv i32 %66, 2
  %68 = icmp slt i32 %65, %67
  br i1 %68, label %69, label %163

69:                                               ; preds = %64
  %70 = load i32, ptr %15, align 4
  %71 = load i32, ptr %14, align 4
  %72 = sub nsw i32 %71, 1
  %73 = and i32 %70, %72
  store i32 %73, ptr %16, align 4
  %74 = load i32, ptr %15, align 4
  %75 = mul nsw i32 2, %74
  %76 = load i32, ptr %16, align 4
  %77 = sub nsw i32 %75, %76
  store i32 %77, ptr %17, align 4
  %78 = load i32, ptr %17, align 4
  %79 = load i32, ptr %14, align 4
  %80 = add nsw i32 %78, %79
  store i32 %80, ptr %18, align 4
  %81 = load ptr, ptr %7, align 8
  %82 = load i32, ptr %16, align 4
  %83 = load i32, ptr %9, align 4
  %84 = sub nsw i32 %83, 1
  %85 = load i32, ptr %13, align 4
  %86 = sub nsw i32 %84, %85
  %87 = shl i32 %82, %86
  %88 = sext i32 %87 to i64
  %89 = getelementptr inbounds %struct.float2.0, ptr %81, i64 %88
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %19, ptr align 8 %89, i64 8, i1 false)
  %90 = load i32, ptr %17, align 4
  %91 = sext i32 %90 to i64
  %92 = getelementptr inbounds [0 x %struct.float2.0], ptr addrspacecast (ptr addrspace(3) @x to ptr), i64 0, i64 %91
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %20, ptr align 8 %92, i64 8, i1 false)
  %93 = load i32, ptr %18, align 4
  %94 = sext i32 %93 to i64
  %95 = getelementptr inbounds [0 x %struct.float2.0], ptr addrspacecast (ptr addrspace(3) @x to ptr), i64 0, i64 %94
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %21, ptr align 8 %95, i64 8, i1 false)
  %96 = getelementptr inbounds nuw %struct.float2.0, ptr %21, i32 0, i32 0
  %97 = load float, ptr %96, align 8
  %98 = getelementptr inbounds nuw %struct.float2.0, ptr %19, i32 0, i32 0
  %99 = load float, ptr %98, align 8
  %100 = fmul contract float %97, %99
  %101 = getelementptr inbounds nuw %struct.float2.0, ptr %21, i32 0, i32 1
  %102 = load float, ptr %101, align 4
  %103 = getelementptr inbounds nuw %struct.float2.0, ptr %19, i32 0, i32 1
  %104 = load float, ptr %103, align 4
  %105 = fmul contract float %102, %104
  %106 = fsub contract float %100, %105
  %107 = getelementptr inbounds nuw %struct.float2.0, ptr %21, i32 0, i32 0
  %108 = load float, ptr %107, align 8
  %109 = getelementptr inbounds nuw %struct.float2.0, ptr %19, i32 0, i32 1
  %110 = load float, ptr %109, align 4
  %111 = fmul contract float %108, %110
  %112 = getelementptr inbounds nuw %struct.float2.0, ptr %21, i32 0, i32 1
  %113 = load float, ptr %112, align 4
  %114 = getelementptr inbounds nuw %struct.float2.0, ptr %19, i32 0, i32 0
  %115 = load float, ptr %114, align 8
  %116 = fmul contract float %113, %115
  %117 = fadd contract float %111, %116
  %118 = call %struct.float2.0 @_ZL11make_float2ff(float noundef %106, float noundef %117) #6
  %119 = getelementptr inbounds nuw %struct.float2.0, ptr %22, i32 0, i32 0
  %120 = extractvalue %struct.float2.0 %118, 0
  store float %120, ptr %119, align 8
  %121 = getelementptr inbounds nuw %struct.float2.0, ptr %22, i32 0, i32 1
  %122 = extractvalue %struct.float2.0 %118, 1
  store float %122, ptr %121, align 4
  %123 = getelementptr inbounds nuw %struct.float2.0, ptr %20, i32 0, i32 0
  %124 = load float, ptr %123, align 8
  %125 = getelementptr inbounds nuw %struct.float2.0, ptr %22, i32 0, i32 0
  %126 = load float, ptr %125, align 8
  %127 = fadd contract float %124, %126
  %128 = getelementptr inbounds nuw %struct.float2.0, ptr %20, i32 0, i32 1
  %129 = load float, ptr %128, align 4
  %130 = getelementptr inbounds nuw %struct.float2.0, ptr %22, i32 0, i32 1
  %131 = load float, ptr %130, align 4
  %132 = fadd contract float %129, %131
  %133 = call %struct.float2.0 @_ZL11make_float2ff(float noundef %127, float noundef %132) #6
  %134 = getelementptr inbounds nuw %struct.float2.0, ptr %23, i32 0, i32 0
  %135 = extractvalue %struct.float2.0 %133, 0
  store float %135, ptr %134, align 8
  %136 = getelementptr inbounds nuw %struct.float2.0, ptr %23, i32 0, i32 1
  %137 = extractvalue %struct.float2.0 %133, 1
  store float %137, ptr %136, align 4
  %138 = load i32, ptr %17, align 4
  %139 = sext i32 %138 to i64
  %140 = getelementptr inbounds [0 x %struct.float2.0], ptr addrspacecast (ptr addrspace(3) @x to ptr), i64 0, i64 %139
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %140, ptr align 8 %23, i64 8, i1 false)
  %141 = getelementptr inbounds nuw %struct.float2.0, ptr %20, i32 0, i32 0
  %142 = load float, ptr %141, align 8
  %143 = getelementptr inbounds nuw %struct.float2.0, ptr %22, i32 0, i32 0
  %144 = load float, ptr %143, align 8
  %145 = fsub contract float %142, %144
  %146 = getelementptr inbounds nuw %struct.float2.0, ptr %20, i32 0, i32 1
  %147 = load float, ptr %146, align 4
  %148 = getelementptr inbounds nuw %struct.float2.0, ptr %22, i32 0, i32 1
  %149 = load float, ptr %148, align 4
  %150 = fsub contract float %147, %149
  %151 = call %struct.float2.0 @_ZL11make_float2ff(float noundef %145, float noundef %150) #6
  %152 = getelementptr inbounds nuw %struct.float2.0, ptr %24, i32 0, i32 0
  %153 = extractvalue %struct.float2.0 %151, 0
  store float %153, ptr %152, align 8
  %154 = getelementptr inbounds nuw %struct.float2.0, ptr %24, i32 0, i32 1
  %155 = extractvalue %struct.float2.0 %151, 1
  store float %155, ptr %154, align 4
  %156 = load i32, ptr %18, align 4
  %157 = sext i32 %156 to i64
  %158 = getelementptr inbounds [0 x %struct.float2.0], ptr addrspacecast (ptr addrspace(3) @x to ptr), i64 0, i64 %157
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %158, ptr align 8 %24, i64 8, i1 false)
  br label %159

159:                                              ; preds = %69
  %160 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %161 = load i32, ptr %15, align 4
  %162 = add i32 %161, %160
  store i32 %162, ptr %15, align 4
  br label %64, !llvm.loop !9

163:                                              ; preds = %64
  br label %164

164:                                              ; preds = %163
  %165 = load i32, ptr %13, align 4
  %166 = add nsw i32 %165, 1
  store i32 %166, ptr %13, align 4
  br label %56, !llvm.loop !10

167:                                              ; preds = %56
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %168 = load i32, ptr %11, align 4
  store i32 %168, ptr %25, align 4
  br label %169

169:                                              ; preds = %185, %167
  %170 = load i32, ptr %25, align 4
  %171 = load i32, ptr %10, align 4
  %172 = icmp slt i32 %170, %171
  br i1 %172, label %173, label %189

173:                                              ; preds = %169
  %174 = load i32, ptr %25, align 4
  %175 = sext i32 %174 to i64
  %176 = getelementptr inbounds [0 x %struct.float2.0], ptr addrspacecast (ptr addrspace(3) @x to ptr), i64 0, i64 %175
  %177 = load ptr, ptr %8, align 8
  %178 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %179 = load i32, ptr %10, align 4
  %180 = mul i32 %178, %179
  %181 = load i32, ptr %25, align 4
  %182 = add i32 %180, %181
  %183 = zext i32 %182 to i64
  %184 = getelementptr inbounds nuw %struct.float2.0, ptr %177, i64 %183
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %184, ptr align 8 %176, i64 8, i1 false)
  br label %185

185:                                              ; preds = %173
  %186 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %187 = load i32, ptr %25, align 4
  %188 = add i32 %187, %186
  store i32 %188, ptr %25, align 4
  br label %169, !llvm.loop !11

189:                                              ; preds = %169
  ret void
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #1

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #2

; Function Attrs: convergent mustprogress noinline nounwind optnone
define internal %struct.float2.0 @_ZL11make_float2ff(float noundef %0, float noundef %1) #3 {
  %3 = alloca %struct.float2.0, align 8
  %4 = alloca float, align 4
  %5 = alloca float, align 4
  store float %0, ptr %4, align 4
  store float %1, ptr %5, align 4
  %6 = load float, ptr %4, align 4
  %7 = getelementptr inbounds nuw %struct.float2.0, ptr %3, i32 0, i32 0
  store float %6, ptr %7, align 8
  %8 = load float, ptr %5, align 4
  %9 = getelementptr inbounds nuw %struct.float2.0, ptr %3, i32 0, i32 1
  store float %8, ptr %9, align 4
  %10 = load %struct.float2.0, ptr %3, align 8
  ret %struct.float2.0 %10
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #4

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #4

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.bitreverse.i32(i32) #5

attributes #0 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { convergent nocallback nounwind }
attributes #3 = { convergent mustprogress noinline nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" }
attributes #4 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
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
