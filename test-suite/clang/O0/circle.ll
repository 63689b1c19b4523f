; ModuleID = 'circle.cu'
source_filename = "circle.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__cuda_builtin_blockIdx_t = type { i8 }
%struct.__cuda_builtin_blockDim_t = type { i8 }
%struct.__cuda_builtin_threadIdx_t = type { i8 }

$_Z13__ballot_syncji = comdat any

@blockIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockIdx_t, align 1
@blockDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockDim_t, align 1
@threadIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_threadIdx_t, align 1

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local ptx_kernel void @circle(ptr noundef %0, i32 noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store i32 %1, ptr %5, align 4
  %12 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %13 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %14 = mul i32 %12, %13
  %15 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %16 = add i32 %14, %15
  %17 = mul i32 %16, -1640531535
  %18 = add i32 %17, 12345
  store i32 %18, ptr %6, align 4
  store i32 0, ptr %7, align 4
  store i32 0, ptr %8, align 4
  br label %19

19:                                               ; preds = %74, %2
  %20 = load i32, ptr %8, align 4
  %21 = load i32, ptr %5, align 4
  %22 = icmp slt i32 %20, %21
  br i1 %22, label %23, label %77

23:                                               ; preds = %19
  %24 = load i32, ptr %6, align 4
  %25 = shl i32 %24, 13
  %26 = load i32, ptr %6, align 4
  %27 = xor i32 %26, %25
  store i32 %27, ptr %6, align 4
  %28 = load i32, ptr %6, align 4
  %29 = lshr i32 %28, 17
  %30 = load i32, ptr %6, align 4
  %31 = xor i32 %30, %29
  store i32 %31, ptr %6, align 4
  %32 = load i32, ptr %6, align 4
  %33 = shl i32 %32, 5
  %34 = load i32, ptr %6, align 4
  %35 = xor i32 %34, %33
  store i32 %35, ptr %6, align 4
  %36 = load i32, ptr %6, align 4
  %37 = and i32 %36, 65535
  store i32 %37, ptr %9, align 4
  %38 = load i32, ptr %6, align 4
  %39 = shl i32 %38, 13
  %40 = load i32, ptr %6, align 4
  %41 = xor i32 %40, %39
  store i32 %41, ptr %6, align 4
  %42 = load i32, ptr %6, align 4
  %43 = lshr i32 %42, 17
  %44 = load i32, ptr %6, align 4
  %45 = xor i32 %44, %43
  store i32 %45, ptr %6, align 4
  %46 = load i32, ptr %6, align 4
  %47 = shl i32 %46, 5
  %48 = load i32, ptr %6, align 4
  %49 = xor i32 %48, %47
  store i32 %49, ptr %6, align 4
  %50 = load i32, ptr %6, align 4
  %51 = and i32 %50, 65535
  store i32 %51, ptr %10, align 4
  %52 = load i32, ptr %9, align 4
  %53 = load i32, ptr %9, align 4
  %54 = mul i32 %52, %53
  %55 = lshr i32 %54, 1
  %56 = load i32, ptr %10, align 4
  %57 = load i32, ptr %10, align 4
  %58 = mul i32 %56, %57
  %59 = lshr i32 %58, 1
  %60 = add i32 %55, %59
  %61 = icmp ult i32 %60, 2147418112
  %62 = zext i1 %61 to i32
  %63 = call noundef i32 @_Z13__ballot_syncji(i32 noundef -1, i32 noundef %62) #5
  store i32 %63, ptr %11, align 4
  %64 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %65 = urem i32 %64, 32
  %66 = icmp eq i32 %65, 0
  br i1 %66, label %67, label %73

67:                                               ; preds = %23
  %68 = load i32, ptr %11, align 4
  store i32 %68, ptr %3, align 4
  %69 = load i32, ptr %3, align 4
  %70 = call noundef i32 @llvm.ctpop.i32(i32 %69)
  %71 = load i32, ptr %7, align 4
  %72 = add i32 %71, %70
  store i32 %72, ptr %7, align 4
  br label %73

73:                                               ; preds = %67, %23
  br label %74

74:                                               ; preds = %73
  %75 = load i32, ptr %8, align 4
  %76 = add nsw i32 %75, 1
  store i32 %76, ptr %8, align 4
  br label %19, !llvm.loop !7

77:                                               ; preds = %19
  %78 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %79 = urem i32 %78, 32
  %80 = icmp eq i32 %79, 0
  br i1 %80, label %81, label %85

81:                                               ; preds = %77
  %82 = load ptr, ptr %4, align 8
  %83 = load i32, ptr %7, align 4
  %84 = call noundef i32 @_ZL9atomicAddPjj(ptr noundef %82, i32 noundef %83) #5
  br label %85

85:                                               ; preds = %81, %77
  ret void
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_Z13__ballot_syncji(i32 noundef %0, i32 noundef %1) #1 comdat {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  store i32 %0, ptr %3, align 4
  store i32 %1, ptr %4, align 4
  %5 = load i32, ptr %3, align 4
  %6 = load i32, ptr %4, align 4
  %7 = icmp ne i32 %6, 0
  %8 = call i32 @llvm.nvvm.vote.ballot.sync(i32 %5, i1 %7)
  ret i32 %8
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define internal noundef i32 @_ZL9atomicAddPjj(ptr noundef %0, i32 noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  store ptr %0, ptr %5, align 8
  store i32 %1, ptr %6, align 4
  %7 = load ptr, ptr %5, align 8
  %8 = load i32, ptr %6, align 4
  store ptr %7, ptr %3, align 8
  store i32 %8, ptr %4, align 4
  %9 = load ptr, ptr %3, align 8
  %10 = load i32, ptr %4, align 4
  %11 = atomicrmw add ptr %9, i32 %10 seq_cst, align 4
  ret i32 %11
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctpop.i32(i32) #4

attributes #0 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent mustprogress noinline nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #4 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
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
