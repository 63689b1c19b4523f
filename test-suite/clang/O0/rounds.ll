; ModuleID = 'rounds.cu'
source_filename = "rounds.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__cuda_builtin_blockIdx_t = type { i8 }
%struct.__cuda_builtin_blockDim_t = type { i8 }
%struct.__cuda_builtin_threadIdx_t = type { i8 }

@turns = dso_local addrspace(4) externally_initialized constant [16 x i32] [i32 7, i32 12, i32 17, i32 22, i32 5, i32 9, i32 14, i32 20, i32 4, i32 11, i32 16, i32 23, i32 6, i32 10, i32 15, i32 21], align 4
@blockIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockIdx_t, align 1
@blockDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockDim_t, align 1
@threadIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_threadIdx_t, align 1
@llvm.compiler.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(4) @turns to ptr)], section "llvm.metadata"

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local ptx_kernel void @rounds(ptr noundef %0, ptr noundef %1, i32 noundef %2) #0 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca i32, align 4
  %14 = alloca i32, align 4
  %15 = alloca i32, align 4
  %16 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i32 %2, ptr %6, align 4
  %17 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %18 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %19 = mul i32 %17, %18
  %20 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %21 = add i32 %19, %20
  store i32 %21, ptr %7, align 4
  %22 = load i32, ptr %7, align 4
  %23 = load i32, ptr %6, align 4
  %24 = icmp sge i32 %22, %23
  br i1 %24, label %25, label %26

25:                                               ; preds = %3
  br label %151

26:                                               ; preds = %3
  store i32 1732584193, ptr %8, align 4
  store i32 -271733879, ptr %9, align 4
  store i32 -1732584194, ptr %10, align 4
  store i32 271733878, ptr %11, align 4
  store i32 0, ptr %12, align 4
  br label %27

27:                                               ; preds = %120, %26
  %28 = load i32, ptr %12, align 4
  %29 = icmp ult i32 %28, 64
  br i1 %29, label %30, label %123

30:                                               ; preds = %27
  %31 = load i32, ptr %12, align 4
  %32 = icmp ult i32 %31, 16
  br i1 %32, label %33, label %43

33:                                               ; preds = %30
  %34 = load i32, ptr %9, align 4
  %35 = load i32, ptr %10, align 4
  %36 = and i32 %34, %35
  %37 = load i32, ptr %9, align 4
  %38 = xor i32 %37, -1
  %39 = load i32, ptr %11, align 4
  %40 = and i32 %38, %39
  %41 = or i32 %36, %40
  store i32 %41, ptr %13, align 4
  %42 = load i32, ptr %12, align 4
  store i32 %42, ptr %14, align 4
  br label %81

43:                                               ; preds = %30
  %44 = load i32, ptr %12, align 4
  %45 = icmp ult i32 %44, 32
  br i1 %45, label %46, label %58

46:                                               ; preds = %43
  %47 = load i32, ptr %11, align 4
  %48 = load i32, ptr %9, align 4
  %49 = and i32 %47, %48
  %50 = load i32, ptr %11, align 4
  %51 = xor i32 %50, -1
  %52 = load i32, ptr %10, align 4
  %53 = and i32 %51, %52
  %54 = or i32 %49, %53
  store i32 %54, ptr %13, align 4
  %55 = load i32, ptr %12, align 4
  %56 = mul i32 5, %55
  %57 = add i32 %56, 1
  store i32 %57, ptr %14, align 4
  br label %80

58:                                               ; preds = %43
  %59 = load i32, ptr %12, align 4
  %60 = icmp ult i32 %59, 48
  br i1 %60, label %61, label %70

61:                                               ; preds = %58
  %62 = load i32, ptr %9, align 4
  %63 = load i32, ptr %10, align 4
  %64 = xor i32 %62, %63
  %65 = load i32, ptr %11, align 4
  %66 = xor i32 %64, %65
  store i32 %66, ptr %13, align 4
  %67 = load i32, ptr %12, align 4
  %68 = mul i32 3, %67
  %69 = add i32 %68, 5
  store i32 %69, ptr %14, align 4
  br label %79

70:                                               ; preds = %58
  %71 = load i32, ptr %10, align 4
  %72 = load i32, ptr %9, align 4
  %73 = load i32, ptr %11, align 4
  %74 = xor i32 %73, -1
  %75 = or i32 %72, %74
  %76 = xor i32 %71, %75
  store i32 %76, ptr %13, align 4
  %77 = load i32, ptr %12, align 4
  %78 = mul i32 7, %77
  store i32 %78, ptr %14, align 4
  br label %79

79:                                               ; preds = %70, %61
  br label %80

80:                                               ; preds = %79, %46
  br label %81

81:                                               ; preds = %80, %33
  %82 = load i32, ptr %8, align 4
  %83 = load i32, ptr %13, align 4
  %84 = add i32 %82, %83
  %85 = load ptr, ptr %4, align 8
  %86 = load i32, ptr %7, align 4
  %87 = load i32, ptr %14, align 4
  %88 = add i32 %86, %87
  %89 = load i32, ptr %6, align 4
  %90 = urem i32 %88, %89
  %91 = zext i32 %90 to i64
  %92 = getelementptr inbounds nuw i32, ptr %85, i64 %91
  %93 = load i32, ptr %92, align 4
  %94 = add i32 %84, %93
  %95 = load i32, ptr %12, align 4
  %96 = mul i32 %95, -1640531527
  %97 = add i32 %94, %96
  store i32 %97, ptr %15, align 4
  %98 = load i32, ptr %12, align 4
  %99 = udiv i32 %98, 16
  %100 = mul i32 %99, 4
  %101 = load i32, ptr %12, align 4
  %102 = urem i32 %101, 4
  %103 = add i32 %100, %102
  %104 = zext i32 %103 to i64
  %105 = getelementptr inbounds nuw [16 x i32], ptr addrspacecast (ptr addrspace(4) @turns to ptr), i64 0, i64 %104
  %106 = load i32, ptr %105, align 4
  store i32 %106, ptr %16, align 4
  %107 = load i32, ptr %11, align 4
  store i32 %107, ptr %8, align 4
  %108 = load i32, ptr %10, align 4
  store i32 %108, ptr %11, align 4
  %109 = load i32, ptr %9, align 4
  store i32 %109, ptr %10, align 4
  %110 = load i32, ptr %15, align 4
  %111 = load i32, ptr %16, align 4
  %112 = shl i32 %110, %111
  %113 = load i32, ptr %15, align 4
  %114 = load i32, ptr %16, align 4
  %115 = sub i32 32, %114
  %116 = lshr i32 %113, %115
  %117 = or i32 %112, %116
  %118 = load i32, ptr %9, align 4
  %119 = add i32 %118, %117
  store i32 %119, ptr %9, align 4
  br label %120

120:                                              ; preds = %81
  %121 = load i32, ptr %12, align 4
  %122 = add i32 %121, 1
  store i32 %122, ptr %12, align 4
  br label %27, !llvm.loop !7

123:                                              ; preds = %27
  %124 = load i32, ptr %8, align 4
  %125 = load ptr, ptr %5, align 8
  %126 = load i32, ptr %7, align 4
  %127 = mul nsw i32 4, %126
  %128 = sext i32 %127 to i64
  %129 = getelementptr inbounds i32, ptr %125, i64 %128
  store i32 %124, ptr %129, align 4
  %130 = load i32, ptr %9, align 4
  %131 = load ptr, ptr %5, align 8
  %132 = load i32, ptr %7, align 4
  %133 = mul nsw i32 4, %132
  %134 = add nsw i32 %133, 1
  %135 = sext i32 %134 to i64
  %136 = getelementptr inbounds i32, ptr %131, i64 %135
  store i32 %130, ptr %136, align 4
  %137 = load i32, ptr %10, align 4
  %138 = load ptr, ptr %5, align 8
  %139 = load i32, ptr %7, align 4
  %140 = mul nsw i32 4, %139
  %141 = add nsw i32 %140, 2
  %142 = sext i32 %141 to i64
  %143 = getelementptr inbounds i32, ptr %138, i64 %142
  store i32 %137, ptr %143, align 4
  %144 = load i32, ptr %11, align 4
  %145 = load ptr, ptr %5, align 8
  %146 = load i32, ptr %7, align 4
  %147 = mul nsw i32 4, %146
  %148 = add nsw i32 %147, 3
  %149 = sext i32 %148 to i64
  %150 = getelementptr inbounds i32, ptr %145, i64 %149
  store i32 %144, ptr %150, align 4
  br label %151

151:                                              ; preds = %123, %25
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

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
