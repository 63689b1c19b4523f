; Counts in shared memory, as clang compiles CUDA's atomicAdd():
;
;     clang++-22 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_80 -Xclang -target-feature -Xclang +ptx80 -O2 -S -emit-llvm histogram.cu
;
;     #define __global__ __attribute__((global))
;     #define __shared__ __attribute__((shared))
;     extern "C" __global__ void histogram(unsigned count, const unsigned *__restrict__ from, unsigned *__restrict__ counts)
;     {
;         __shared__ unsigned own[256];
;         unsigned thread = __nvvm_read_ptx_sreg_tid_x(), threads = __nvvm_read_ptx_sreg_ntid_x();
;         own[thread] = 0;
;         __syncthreads();
;         for (unsigned at = __nvvm_read_ptx_sreg_ctaid_x() * threads + thread; at < count; at += threads * __nvvm_read_ptx_sreg_nctaid_x())
;             __nvvm_atom_add_gen_i((int *)(own + from[at] % 256), 1);
;         __syncthreads();
;         __nvvm_atom_add_gen_i((int *)(counts + thread), own[thread]);
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ9histogramE3own = internal addrspace(3) global [256 x i32] undef, align 4

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @histogram(i32 noundef %0, ptr noalias noundef readonly captures(none) %1, ptr noalias noundef captures(none) %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = zext nneg i32 %4 to i64
  %7 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9histogramE3own to ptr), i64 %6
  store i32 0, ptr %7, align 4, !tbaa !4
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %9 = mul i32 %8, %5
  %10 = add i32 %9, %4
  %11 = icmp ult i32 %10, %0
  br i1 %11, label %12, label %15

12:                                               ; preds = %3
  %13 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %14 = mul i32 %5, %13
  br label %19

15:                                               ; preds = %19, %3
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %16 = getelementptr inbounds nuw i32, ptr %2, i64 %6
  %17 = load i32, ptr %7, align 4, !tbaa !4
  %18 = atomicrmw add ptr %16, i32 %17 seq_cst, align 4
  ret void

19:                                               ; preds = %12, %19
  %20 = phi i32 [ %10, %12 ], [ %28, %19 ]
  %21 = zext i32 %20 to i64
  %22 = getelementptr inbounds nuw i32, ptr %1, i64 %21
  %23 = load i32, ptr %22, align 4, !tbaa !4
  %24 = and i32 %23, 255
  %25 = zext nneg i32 %24 to i64
  %26 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9histogramE3own to ptr), i64 %25
  %27 = atomicrmw add ptr %26, i32 1 seq_cst, align 4
  %28 = add i32 %20, %14
  %29 = icmp ult i32 %28, %0
  br i1 %29, label %19, label %15, !llvm.loop !8
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, -2147483648) i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #1

attributes #0 = { convergent mustprogress noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx42,+ptx80,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind }

!llvm.module.flags = !{!0, !1, !2}
!llvm.ident = !{!3}
!llvm.errno.tbaa = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!2 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!4 = !{!5, !5, i64 0}
!5 = !{!"int", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C++ TBAA"}
!8 = distinct !{!8, !9}
!9 = !{!"llvm.loop.mustprogress"}
