; ModuleID = 'binomial.cu'
source_filename = "binomial.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ8binomialE6values = internal unnamed_addr addrspace(3) global [129 x float] undef, align 4

; Function Attrs: convergent noinline norecurse nounwind
define dso_local ptx_kernel void @binomial(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2, float noundef %3, float noundef %4, float noundef %5, float noundef %6) local_unnamed_addr #0 {
  %8 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %10 = zext nneg i32 %9 to i64
  %11 = getelementptr inbounds nuw float, ptr %0, i64 %10
  %12 = load float, ptr %11, align 4, !tbaa !11
  %13 = icmp sgt i32 %8, %2
  br i1 %13, label %66, label %14

14:                                               ; preds = %7
  %15 = tail call float @llvm.nvvm.fabs.f32(float %4)
  %16 = fcmp olt float %15, 0x3810000000000000
  %17 = fmul float %15, 0x4170000000000000
  %18 = select i1 %16, float %17, float %15
  %19 = select i1 %16, float -2.400000e+01, float 0.000000e+00
  %20 = bitcast float %18 to i32
  %21 = add i32 %20, -1060439283
  %22 = and i32 %21, -8388608
  %23 = sub i32 %20, %22
  %24 = bitcast i32 %23 to float
  %25 = sitofp i32 %22 to float
  %26 = tail call float @llvm.fma.f32(float %25, float 0x3E80000000000000, float %19)
  %27 = fadd float %24, -1.000000e+00
  %28 = fadd float %24, 1.000000e+00
  %29 = tail call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %28) #4, !srcloc !13
  %30 = fmul float %27, 2.000000e+00
  %31 = fmul float %30, %29
  %32 = fmul float %31, %31
  %33 = fsub float %27, %31
  %34 = fmul float %33, 2.000000e+00
  %35 = fneg float %31
  %36 = tail call float @llvm.fma.f32(float %35, float %27, float %34)
  %37 = tail call float @llvm.nvvm.mul.rn.f(float %29, float %36) #5
  %38 = tail call float @llvm.fma.f32(float %32, float 0x3F45865C80000000, float 0x3F6A5CFB60000000)
  %39 = tail call float @llvm.fma.f32(float %38, float %32, float 0x3F92776E60000000)
  %40 = tail call float @llvm.fma.f32(float %39, float %32, float 0x3FBEC709E0000000)
  %41 = tail call float @llvm.nvvm.mul.rn.f(float %40, float %32) #5
  %42 = tail call float @llvm.fma.f32(float %31, float 0x3FF7154760000000, float %26)
  %43 = fsub float %26, %42
  %44 = tail call float @llvm.fma.f32(float %31, float 0x3FF7154760000000, float %43)
  %45 = tail call float @llvm.fma.f32(float %37, float 0x3FF7154760000000, float %44)
  %46 = tail call float @llvm.fma.f32(float %31, float 0x3E54ABC680000000, float %45)
  %47 = fmul float %41, 3.000000e+00
  %48 = tail call float @llvm.fma.f32(float %47, float %37, float %46)
  %49 = tail call float @llvm.fma.f32(float %41, float %31, float %48)
  %50 = tail call float @llvm.nvvm.add.rn.f(float %42, float %49) #5
  %51 = fneg float %42
  %52 = tail call float @llvm.nvvm.add.rn.f(float %50, float %51) #5
  %53 = fneg float %52
  %54 = tail call float @llvm.nvvm.add.rn.f(float %49, float %53) #5
  %55 = fcmp oeq float %4, 1.000000e+00
  %56 = fcmp uno float %15, 0.000000e+00
  %57 = fcmp oeq float %4, 0.000000e+00
  %58 = fcmp oeq float %15, 0x7FF0000000000000
  %59 = select i1 %57, i1 true, i1 %58
  %60 = fcmp oeq float %4, -1.000000e+00
  %61 = fcmp uge float %4, 0.000000e+00
  %62 = fadd float %4, %4
  %63 = bitcast float %62 to i32
  %64 = xor i32 %63, 2139095040
  %65 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %73

66:                                               ; preds = %135, %7
  %67 = icmp sgt i32 %2, 0
  br i1 %67, label %68, label %144

68:                                               ; preds = %66
  %69 = zext nneg i32 %8 to i64
  %70 = getelementptr float, ptr addrspacecast (ptr addrspace(3) @_ZZ8binomialE6values to ptr), i64 %69
  %71 = getelementptr i8, ptr %70, i64 4
  %72 = fsub contract float 1.000000e+00, %5
  br label %146

73:                                               ; preds = %14, %135
  %74 = phi i32 [ %8, %14 ], [ %142, %135 ]
  %75 = shl nsw i32 %74, 1
  %76 = sub nsw i32 %75, %2
  %77 = sitofp i32 %76 to float
  %78 = fmul float %77, 5.000000e-01
  %79 = tail call float @llvm.trunc.f32(float %78)
  %80 = fmul float %79, 2.000000e+00
  %81 = fsub float %77, %80
  %82 = tail call float @llvm.nvvm.fabs.f32(float %81)
  %83 = fcmp une float %82, 1.000000e+00
  %84 = tail call float @llvm.nvvm.mul.rn.f(float %50, float %77) #5
  %85 = fneg float %84
  %86 = tail call float @llvm.fma.f32(float %50, float %77, float %85)
  %87 = tail call float @llvm.fma.f32(float %54, float %77, float %86)
  %88 = tail call float @llvm.nvvm.round.f(float %84) #5
  %89 = fsub float %84, %88
  %90 = fadd float %89, %87
  %91 = tail call float @llvm.fma.f32(float %90, float 0x3F23F971C0000000, float 0x3F55F0BDA0000000)
  %92 = tail call float @llvm.fma.f32(float %91, float %90, float 0x3F83B30AC0000000)
  %93 = tail call float @llvm.fma.f32(float %92, float %90, float 0x3FAC6AF760000000)
  %94 = tail call float @llvm.fma.f32(float %93, float %90, float 0x3FCEBFBD80000000)
  %95 = tail call float @llvm.fma.f32(float %94, float %90, float 0x3FE62E4300000000)
  %96 = tail call float @llvm.fma.f32(float %95, float %90, float 1.000000e+00)
  %97 = tail call i32 @llvm.nvvm.f2i.rz(float %88) #5
  %98 = fcmp ogt float %88, 0.000000e+00
  %99 = select i1 %98, i32 0, i32 -2097152000
  %100 = add nsw i32 %99, 2130706432
  %101 = bitcast i32 %100 to float
  %102 = fmul float %96, %101
  %103 = shl i32 %97, 23
  %104 = sub i32 %103, %99
  %105 = bitcast i32 %104 to float
  %106 = fmul float %102, %105
  %107 = tail call float @llvm.nvvm.fabs.f32(float %84)
  %108 = fcmp ogt float %107, 1.520000e+02
  %109 = fcmp olt float %84, 0.000000e+00
  %110 = select i1 %109, float 0.000000e+00, float 0x7FF0000000000000
  %111 = select i1 %108, float %110, float %106
  %112 = icmp eq i32 %75, %2
  %113 = select i1 %55, i1 true, i1 %112
  br i1 %113, label %135, label %114

114:                                              ; preds = %73
  br i1 %56, label %118, label %115

115:                                              ; preds = %114
  %116 = tail call float @llvm.nvvm.fabs.f32(float %77)
  %117 = fcmp uno float %116, 0.000000e+00
  br i1 %117, label %118, label %120

118:                                              ; preds = %115, %114
  %119 = tail call float @llvm.nvvm.add.rn.f(float %4, float %77) #5
  br label %135

120:                                              ; preds = %115
  br i1 %59, label %121, label %127

121:                                              ; preds = %120
  %122 = icmp slt i32 %76, 0
  %123 = select i1 %122, i32 %64, i32 %63
  %124 = and i32 %123, 2147483647
  %125 = select i1 %83, i32 %124, i32 %123
  %126 = bitcast i32 %125 to float
  br label %135

127:                                              ; preds = %120
  %128 = fcmp oeq float %116, 0x7FF0000000000000
  %129 = and i1 %60, %128
  %130 = or i1 %129, %61
  %131 = select i1 %129, float 1.000000e+00, float %111
  br i1 %130, label %135, label %132

132:                                              ; preds = %127
  %133 = fneg float %111
  %134 = select i1 %83, float %111, float %133
  br label %135

135:                                              ; preds = %127, %73, %118, %121, %132
  %136 = phi float [ 1.000000e+00, %73 ], [ %119, %118 ], [ %126, %121 ], [ %131, %127 ], [ %134, %132 ]
  %137 = fmul contract float %3, %136
  %138 = fsub contract float %137, %12
  %139 = tail call noundef float @llvm.maxnum.f32(float %138, float 0.000000e+00)
  %140 = sext i32 %74 to i64
  %141 = getelementptr inbounds float, ptr addrspacecast (ptr addrspace(3) @_ZZ8binomialE6values to ptr), i64 %140
  store float %139, ptr %141, align 4, !tbaa !11
  %142 = add i32 %74, %65
  %143 = icmp sgt i32 %142, %2
  br i1 %143, label %66, label %73, !llvm.loop !14

144:                                              ; preds = %159, %66
  %145 = icmp eq i32 %8, 0
  br i1 %145, label %162, label %165

146:                                              ; preds = %68, %159
  %147 = phi i32 [ %2, %68 ], [ %160, %159 ]
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %148 = icmp slt i32 %8, %147
  br i1 %148, label %149, label %156

149:                                              ; preds = %146
  %150 = load float, ptr %71, align 4, !tbaa !11
  %151 = fmul contract float %5, %150
  %152 = load float, ptr %70, align 4, !tbaa !11
  %153 = fmul contract float %72, %152
  %154 = fadd contract float %151, %153
  %155 = fmul contract float %6, %154
  br label %156

156:                                              ; preds = %146, %149
  %157 = phi contract float [ %155, %149 ], [ 0.000000e+00, %146 ]
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %148, label %158, label %159

158:                                              ; preds = %156
  store float %157, ptr %70, align 4, !tbaa !11
  br label %159

159:                                              ; preds = %158, %156
  %160 = add nsw i32 %147, -1
  %161 = icmp samesign ugt i32 %147, 1
  br i1 %161, label %146, label %144, !llvm.loop !16

162:                                              ; preds = %144
  %163 = getelementptr inbounds nuw float, ptr %1, i64 %10
  %164 = load float, ptr addrspacecast (ptr addrspace(3) @_ZZ8binomialE6values to ptr), align 4, !tbaa !11
  store float %164, ptr %163, align 4, !tbaa !11
  br label %165

165:                                              ; preds = %162, %144
  ret void
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fabs.f32(float) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.mul.rn.f(float, float) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.add.rn.f(float, float) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.round.f(float) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.nvvm.f2i.rz(float) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.maxnum.f32(float, float) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.trunc.f32(float) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #3

attributes #0 = { convergent noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent nocallback nounwind }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nounwind memory(none) }
attributes #5 = { nounwind }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4, !5}
!llvm.errno.tbaa = !{!6}
!nvvmir.version = !{!10}

!0 = !{i32 2, !"SDK Version", [2 x i32] [i32 12, i32 9]}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!5 = !{!"clang version 3.8.0 (tags/RELEASE_380/final)"}
!6 = !{!7, !7, i64 0}
!7 = !{!"int", !8, i64 0}
!8 = !{!"omnipotent char", !9, i64 0}
!9 = !{!"Simple C++ TBAA"}
!10 = !{i32 2, i32 0}
!11 = !{!12, !12, i64 0}
!12 = !{!"float", !8, i64 0}
!13 = !{i32 21289}
!14 = distinct !{!14, !15}
!15 = !{!"llvm.loop.mustprogress"}
!16 = distinct !{!16, !15}
