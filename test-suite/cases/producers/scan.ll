; From CUDA, with shuffles, shared memory, a barrier, an atomic sum.
;
;     clang++-22 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_80 -Xclang -target-feature -Xclang +ptx80 -O2 -S -emit-llvm scan.cu
;
;     #define __global__ __attribute__((global))
;     #define __device__ __attribute__((device))
;     #define __shared__ __attribute__((shared))
;     extern "C" __global__ void scan(const int*__restrict__ in,int*__restrict__ out,int*total){
;      __shared__ int parts[4];
;      int t=__nvvm_read_ptx_sreg_tid_x(),b=__nvvm_read_ptx_sreg_ctaid_x()*128,lane=t&31,warp=t>>5;
;      int v=in[b+t];
;      for(int d=1;d<32;d*=2){int u=__nvvm_shfl_sync_up_i32(~0u,v,d,0);if(lane>=d)v+=u;}
;      if(lane==31)parts[warp]=v;
;      __syncthreads();
;      for(int w=0;w<warp;w++)v+=parts[w];
;      out[b+t]=v;
;      if(t==127)__nvvm_atom_add_gen_i(total,v);
;     }
;
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=scan grid=2 block=128
; ARG: in in s32 = -89 42 -66 -26 7 -64 38 -70 46 -22 43 74 -54 -74 48 46 63 -52 -5 -76 40 82 -84 44 -85 58 -48 27 74 36 9 98 -20 19 49 16 -8 -24 -37 -54 78 99 -38 -80 47 -24 34 26 -13 86 14 -27 55 -82 -70 31 7 -58 93 -13 -62 25 7 -90 71 -81 95 42 46 -20 -13 77 -11 52 27 48 16 -83 -77 -31 21 78 70 -84 -85 87 79 -21 65 47 74 14 -28 83 -2 71 -12 -95 18 -10 -57 56 -71 26 -85 -45 96 -27 -67 89 -37 1 0 27 -80 -58 14 2 40 -29 -65 10 40 -29 80 6 -9 74 -3 -41 -62 -79 -55 -62 -41 68 -41 -97 24 50 -54 -33 -28 -99 -63 7 36 -6 56 44 -19 -68 76 31 58 67 73 89 -87 16 99 74 43 0 1 2 0 -74 23 62 2 -85 -52 -83 -47 12 -59 -72 -13 53 -87 -74 -100 45 -62 37 -75 -7 57 -94 -82 -47 57 -4 -62 62 -36 -12 54 -7 21 -69 -71 24 19 22 23 -21 -79 -64 -74 91 -13 89 -33 22 77 -59 32 -95 -48 35 -8 -63 76 39 -94 94 35 -24 64 -77 78 -34 32 -7 -58 -9 97 -43 36 38 99 28 -16 62 -43 56 94 -51 -39 2 89 -42 -49 32
; ARG: out out s32[256]
; ARG: inout total s32 = 0
; WANT: out = -89 -47 -113 -139 -132 -196 -158 -228 -182 -204 -161 -87 -141 -215 -167 -121 -58 -110 -115 -191 -151 -69 -153 -109 -194 -136 -184 -157 -83 -47 -38 60 40 59 108 124 116 92 55 1 79 178 140 60 107 83 117 143 130 216 230 203 258 176 106 137 144 86 179 166 104 129 136 46 117 36 131 173 219 199 186 263 252 304 331 379 395 312 235 204 225 303 373 289 204 291 370 349 414 461 535 549 521 604 602 673 661 566 584 574 517 573 502 528 443 398 494 467 400 489 452 453 453 480 400 342 356 358 398 369 304 314 354 325 405 411 402 476 -3 -44 -106 -185 -240 -302 -343 -275 -316 -413 -389 -339 -393 -426 -454 -553 -616 -609 -573 -579 -523 -479 -498 -566 -490 -459 -401 -334 -261 -172 -259 -243 -144 -70 -27 -27 -26 -24 -24 -98 -75 -13 -11 -96 -148 -231 -278 -266 -325 -397 -410 -357 -444 -518 -618 -573 -635 -598 -673 -680 -623 -717 -799 -846 -789 -793 -855 -793 -829 -841 -787 -794 -773 -842 -913 -889 -870 -848 -825 -846 -925 -989 -1063 -972 -985 -896 -929 -907 -830 -889 -857 -952 -1000 -965 -973 -1036 -960 -921 -1015 -921 -886 -910 -846 -923 -845 -879 -847 -854 -912 -921 -824 -867 -831 -793 -694 -666 -682 -620 -663 -607 -513 -564 -603 -601 -512 -554 -603 -571
; WANT: total = -95
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ4scanE5parts = internal unnamed_addr addrspace(3) global [4 x i32] undef, align 4

define dso_local ptx_kernel void @scan(ptr noalias noundef readonly captures(none) %0, ptr noalias noundef writeonly captures(none) %1, ptr noundef captures(none) %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = shl nsw i32 %5, 7
  %7 = and i32 %4, 31
  %8 = add nuw nsw i32 %6, %4
  %9 = zext nneg i32 %8 to i64
  %10 = getelementptr inbounds nuw i32, ptr %0, i64 %9
  %11 = load i32, ptr %10, align 4, !tbaa !4
  %12 = tail call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %11, i32 1, i32 0)
  %13 = icmp eq i32 %7, 0
  %14 = select i1 %13, i32 0, i32 %12
  %15 = add nsw i32 %14, %11
  %16 = tail call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %15, i32 2, i32 0)
  %17 = icmp samesign ult i32 %7, 2
  %18 = select i1 %17, i32 0, i32 %16
  %19 = add nsw i32 %18, %15
  %20 = tail call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %19, i32 4, i32 0)
  %21 = icmp samesign ult i32 %7, 4
  %22 = select i1 %21, i32 0, i32 %20
  %23 = add nsw i32 %22, %19
  %24 = tail call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %23, i32 8, i32 0)
  %25 = icmp samesign ult i32 %7, 8
  %26 = select i1 %25, i32 0, i32 %24
  %27 = add nsw i32 %26, %23
  %28 = tail call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %27, i32 16, i32 0)
  %29 = icmp samesign ult i32 %7, 16
  %30 = select i1 %29, i32 0, i32 %28
  %31 = add nsw i32 %30, %27
  %32 = lshr i32 %4, 5
  %33 = icmp eq i32 %7, 31
  br i1 %33, label %34, label %37

34:                                               ; preds = %3
  %35 = zext nneg i32 %32 to i64
  %36 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE5parts to ptr), i64 %35
  store i32 %31, ptr %36, align 4, !tbaa !4
  br label %37

37:                                               ; preds = %34, %3
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %38 = icmp eq i32 %32, 0
  br i1 %38, label %61, label %39

39:                                               ; preds = %37
  %40 = and i32 %32, 3
  %41 = icmp samesign ult i32 %4, 128
  br i1 %41, label %46, label %42

42:                                               ; preds = %39
  %43 = and i32 %32, 28
  br label %65

44:                                               ; preds = %65
  %45 = icmp eq i32 %40, 0
  br i1 %45, label %61, label %46

46:                                               ; preds = %44, %39
  %47 = phi i32 [ 0, %39 ], [ %88, %44 ]
  %48 = phi i32 [ %31, %39 ], [ %87, %44 ]
  %49 = icmp ne i32 %40, 0
  tail call void @llvm.assume(i1 %49)
  br label %50

50:                                               ; preds = %50, %46
  %51 = phi i32 [ %58, %50 ], [ %47, %46 ]
  %52 = phi i32 [ %57, %50 ], [ %48, %46 ]
  %53 = phi i32 [ %59, %50 ], [ 0, %46 ]
  %54 = zext nneg i32 %51 to i64
  %55 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE5parts to ptr), i64 %54
  %56 = load i32, ptr %55, align 4, !tbaa !4
  %57 = add nsw i32 %56, %52
  %58 = add nuw nsw i32 %51, 1
  %59 = add i32 %53, 1
  %60 = icmp eq i32 %59, %40
  br i1 %60, label %61, label %50, !llvm.loop !8

61:                                               ; preds = %44, %50, %37
  %62 = phi i32 [ %31, %37 ], [ %87, %44 ], [ %57, %50 ]
  %63 = getelementptr inbounds nuw i32, ptr %1, i64 %9
  store i32 %62, ptr %63, align 4, !tbaa !4
  %64 = icmp eq i32 %4, 127
  br i1 %64, label %91, label %93

65:                                               ; preds = %65, %42
  %66 = phi i32 [ 0, %42 ], [ %88, %65 ]
  %67 = phi i32 [ %31, %42 ], [ %87, %65 ]
  %68 = phi i32 [ 0, %42 ], [ %89, %65 ]
  %69 = zext nneg i32 %66 to i64
  %70 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE5parts to ptr), i64 %69
  %71 = load i32, ptr %70, align 4, !tbaa !4
  %72 = add nsw i32 %71, %67
  %73 = zext nneg i32 %66 to i64
  %74 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE5parts to ptr), i64 %73
  %75 = getelementptr inbounds nuw i8, ptr %74, i64 4
  %76 = load i32, ptr %75, align 4, !tbaa !4
  %77 = add nsw i32 %76, %72
  %78 = zext nneg i32 %66 to i64
  %79 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE5parts to ptr), i64 %78
  %80 = getelementptr inbounds nuw i8, ptr %79, i64 8
  %81 = load i32, ptr %80, align 4, !tbaa !4
  %82 = add nsw i32 %81, %77
  %83 = zext nneg i32 %66 to i64
  %84 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE5parts to ptr), i64 %83
  %85 = getelementptr inbounds nuw i8, ptr %84, i64 12
  %86 = load i32, ptr %85, align 4, !tbaa !4
  %87 = add nsw i32 %86, %82
  %88 = add nuw nsw i32 %66, 4
  %89 = add i32 %68, 4
  %90 = icmp eq i32 %89, %43
  br i1 %90, label %44, label %65, !llvm.loop !10

91:                                               ; preds = %61
  %92 = atomicrmw add ptr %2, i32 %62 seq_cst, align 4
  br label %93

93:                                               ; preds = %91, %61
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32) #2

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #3

declare void @llvm.assume(i1 noundef) #4

attributes #0 = { convergent mustprogress noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx42,+ptx80,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { convergent nocallback nounwind }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }

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
!9 = !{!"llvm.loop.unroll.disable"}
!10 = distinct !{!10, !11}
!11 = !{!"llvm.loop.mustprogress"}
