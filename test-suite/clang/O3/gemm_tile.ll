; ModuleID = 'gemm_tile.cu'
source_filename = "gemm_tile.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ9gemm_tileE2ta = internal unnamed_addr addrspace(3) global [32 x [17 x float]] undef, align 4
@_ZZ9gemm_tileE2tb = internal unnamed_addr addrspace(3) global [16 x [17 x float]] undef, align 4

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @gemm_tile(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef captures(none) %2, i32 noundef %3, i32 noundef %4, i32 noundef %5, float noundef %6, float noundef %7) local_unnamed_addr #0 {
  %9 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %10 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %11 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %12 = shl i32 %11, 4
  %13 = add i32 %12, %9
  %14 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %15 = shl nuw nsw i32 %14, 5
  %16 = add nuw nsw i32 %15, %10
  %17 = icmp sgt i32 %5, 0
  br i1 %17, label %18, label %81

18:                                               ; preds = %8
  %19 = icmp slt i32 %16, %3
  %20 = mul nuw nsw i32 %5, %16
  %21 = add nuw i32 %20, %9
  %22 = zext nneg i32 %10 to i64
  %23 = getelementptr inbounds nuw [17 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ9gemm_tileE2ta to ptr), i64 %22
  %24 = zext nneg i32 %9 to i64
  %25 = getelementptr inbounds nuw float, ptr %23, i64 %24
  %26 = add nuw nsw i32 %16, 16
  %27 = icmp slt i32 %26, %3
  %28 = mul nuw nsw i32 %5, %26
  %29 = add nuw i32 %28, %9
  %30 = getelementptr i8, ptr %23, i64 1088
  %31 = getelementptr inbounds nuw float, ptr %30, i64 %24
  %32 = icmp slt i32 %13, %4
  %33 = getelementptr inbounds nuw [17 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ9gemm_tileE2tb to ptr), i64 %22
  %34 = getelementptr inbounds nuw float, ptr %33, i64 %24
  %35 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @_ZZ9gemm_tileE2tb to ptr), i64 %24
  %36 = getelementptr inbounds nuw i8, ptr %23, i64 4
  %37 = getelementptr inbounds nuw i8, ptr %35, i64 68
  %38 = getelementptr i8, ptr %23, i64 1092
  %39 = getelementptr inbounds nuw i8, ptr %23, i64 8
  %40 = getelementptr inbounds nuw i8, ptr %35, i64 136
  %41 = getelementptr i8, ptr %23, i64 1096
  %42 = getelementptr inbounds nuw i8, ptr %23, i64 12
  %43 = getelementptr inbounds nuw i8, ptr %35, i64 204
  %44 = getelementptr i8, ptr %23, i64 1100
  %45 = getelementptr inbounds nuw i8, ptr %23, i64 16
  %46 = getelementptr inbounds nuw i8, ptr %35, i64 272
  %47 = getelementptr i8, ptr %23, i64 1104
  %48 = getelementptr inbounds nuw i8, ptr %23, i64 20
  %49 = getelementptr inbounds nuw i8, ptr %35, i64 340
  %50 = getelementptr i8, ptr %23, i64 1108
  %51 = getelementptr inbounds nuw i8, ptr %23, i64 24
  %52 = getelementptr inbounds nuw i8, ptr %35, i64 408
  %53 = getelementptr i8, ptr %23, i64 1112
  %54 = getelementptr inbounds nuw i8, ptr %23, i64 28
  %55 = getelementptr inbounds nuw i8, ptr %35, i64 476
  %56 = getelementptr i8, ptr %23, i64 1116
  %57 = getelementptr inbounds nuw i8, ptr %23, i64 32
  %58 = getelementptr inbounds nuw i8, ptr %35, i64 544
  %59 = getelementptr i8, ptr %23, i64 1120
  %60 = getelementptr inbounds nuw i8, ptr %23, i64 36
  %61 = getelementptr inbounds nuw i8, ptr %35, i64 612
  %62 = getelementptr i8, ptr %23, i64 1124
  %63 = getelementptr inbounds nuw i8, ptr %23, i64 40
  %64 = getelementptr inbounds nuw i8, ptr %35, i64 680
  %65 = getelementptr i8, ptr %23, i64 1128
  %66 = getelementptr inbounds nuw i8, ptr %23, i64 44
  %67 = getelementptr inbounds nuw i8, ptr %35, i64 748
  %68 = getelementptr i8, ptr %23, i64 1132
  %69 = getelementptr inbounds nuw i8, ptr %23, i64 48
  %70 = getelementptr inbounds nuw i8, ptr %35, i64 816
  %71 = getelementptr i8, ptr %23, i64 1136
  %72 = getelementptr inbounds nuw i8, ptr %23, i64 52
  %73 = getelementptr inbounds nuw i8, ptr %35, i64 884
  %74 = getelementptr i8, ptr %23, i64 1140
  %75 = getelementptr inbounds nuw i8, ptr %23, i64 56
  %76 = getelementptr inbounds nuw i8, ptr %35, i64 952
  %77 = getelementptr i8, ptr %23, i64 1144
  %78 = getelementptr inbounds nuw i8, ptr %23, i64 60
  %79 = getelementptr inbounds nuw i8, ptr %35, i64 1020
  %80 = getelementptr i8, ptr %23, i64 1148
  br label %87

81:                                               ; preds = %118, %8
  %82 = phi float [ 0.000000e+00, %8 ], [ %228, %118 ]
  %83 = phi float [ 0.000000e+00, %8 ], [ %231, %118 ]
  %84 = icmp slt i32 %13, %4
  %85 = icmp slt i32 %16, %3
  %86 = and i1 %85, %84
  br i1 %86, label %234, label %243

87:                                               ; preds = %18, %118
  %88 = phi i32 [ 0, %18 ], [ %232, %118 ]
  %89 = phi float [ 0.000000e+00, %18 ], [ %231, %118 ]
  %90 = phi float [ 0.000000e+00, %18 ], [ %228, %118 ]
  %91 = add nuw nsw i32 %88, %9
  %92 = icmp slt i32 %91, %5
  %93 = select i1 %19, i1 %92, i1 false
  br i1 %93, label %94, label %99

94:                                               ; preds = %87
  %95 = add i32 %21, %88
  %96 = sext i32 %95 to i64
  %97 = getelementptr inbounds float, ptr %0, i64 %96
  %98 = load float, ptr %97, align 4, !tbaa !11
  br label %99

99:                                               ; preds = %87, %94
  %100 = phi contract float [ %98, %94 ], [ 0.000000e+00, %87 ]
  store float %100, ptr %25, align 4, !tbaa !11
  %101 = select i1 %27, i1 %92, i1 false
  br i1 %101, label %102, label %107

102:                                              ; preds = %99
  %103 = add i32 %29, %88
  %104 = sext i32 %103 to i64
  %105 = getelementptr inbounds float, ptr %0, i64 %104
  %106 = load float, ptr %105, align 4, !tbaa !11
  br label %107

107:                                              ; preds = %99, %102
  %108 = phi contract float [ %106, %102 ], [ 0.000000e+00, %99 ]
  store float %108, ptr %31, align 4, !tbaa !11
  br i1 %32, label %109, label %118

109:                                              ; preds = %107
  %110 = add nuw nsw i32 %88, %10
  %111 = icmp slt i32 %110, %5
  br i1 %111, label %112, label %118

112:                                              ; preds = %109
  %113 = mul nsw i32 %110, %4
  %114 = add nsw i32 %113, %13
  %115 = sext i32 %114 to i64
  %116 = getelementptr inbounds float, ptr %1, i64 %115
  %117 = load float, ptr %116, align 4, !tbaa !11
  br label %118

118:                                              ; preds = %107, %109, %112
  %119 = phi contract float [ %117, %112 ], [ 0.000000e+00, %109 ], [ 0.000000e+00, %107 ]
  store float %119, ptr %34, align 4, !tbaa !11
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %120 = load float, ptr %23, align 4, !tbaa !11
  %121 = load float, ptr %35, align 4, !tbaa !11
  %122 = fmul contract float %120, %121
  %123 = fadd contract float %90, %122
  %124 = load float, ptr %30, align 4, !tbaa !11
  %125 = fmul contract float %121, %124
  %126 = fadd contract float %89, %125
  %127 = load float, ptr %36, align 4, !tbaa !11
  %128 = load float, ptr %37, align 4, !tbaa !11
  %129 = fmul contract float %127, %128
  %130 = fadd contract float %123, %129
  %131 = load float, ptr %38, align 4, !tbaa !11
  %132 = fmul contract float %128, %131
  %133 = fadd contract float %126, %132
  %134 = load float, ptr %39, align 4, !tbaa !11
  %135 = load float, ptr %40, align 4, !tbaa !11
  %136 = fmul contract float %134, %135
  %137 = fadd contract float %130, %136
  %138 = load float, ptr %41, align 4, !tbaa !11
  %139 = fmul contract float %135, %138
  %140 = fadd contract float %133, %139
  %141 = load float, ptr %42, align 4, !tbaa !11
  %142 = load float, ptr %43, align 4, !tbaa !11
  %143 = fmul contract float %141, %142
  %144 = fadd contract float %137, %143
  %145 = load float, ptr %44, align 4, !tbaa !11
  %146 = fmul contract float %142, %145
  %147 = fadd contract float %140, %146
  %148 = load float, ptr %45, align 4, !tbaa !11
  %149 = load float, ptr %46, align 4, !tbaa !11
  %150 = fmul contract float %148, %149
  %151 = fadd contract float %144, %150
  %152 = load float, ptr %47, align 4, !tbaa !11
  %153 = fmul contract float %149, %152
  %154 = fadd contract float %147, %153
  %155 = load float, ptr %48, align 4, !tbaa !11
  %156 = load float, ptr %49, align 4, !tbaa !11
  %157 = fmul contract float %155, %156
  %158 = fadd contract float %151, %157
  %159 = load float, ptr %50, align 4, !tbaa !11
  %160 = fmul contract float %156, %159
  %161 = fadd contract float %154, %160
  %162 = load float, ptr %51, align 4, !tbaa !11
  %163 = load float, ptr %52, align 4, !tbaa !11
  %164 = fmul contract float %162, %163
  %165 = fadd contract float %158, %164
  %166 = load float, ptr %53, align 4, !tbaa !11
  %167 = fmul contract float %163, %166
  %168 = fadd contract float %161, %167
  %169 = load float, ptr %54, align 4, !tbaa !11
  %170 = load float, ptr %55, align 4, !tbaa !11
  %171 = fmul contract float %169, %170
  %172 = fadd contract float %165, %171
  %173 = load float, ptr %56, align 4, !tbaa !11
  %174 = fmul contract float %170, %173
  %175 = fadd contract float %168, %174
  %176 = load float, ptr %57, align 4, !tbaa !11
  %177 = load float, ptr %58, align 4, !tbaa !11
  %178 = fmul contract float %176, %177
  %179 = fadd contract float %172, %178
  %180 = load float, ptr %59, align 4, !tbaa !11
  %181 = fmul contract float %177, %180
  %182 = fadd contract float %175, %181
  %183 = load float, ptr %60, align 4, !tbaa !11
  %184 = load float, ptr %61, align 4, !tbaa !11
  %185 = fmul contract float %183, %184
  %186 = fadd contract float %179, %185
  %187 = load float, ptr %62, align 4, !tbaa !11
  %188 = fmul contract float %184, %187
  %189 = fadd contract float %182, %188
  %190 = load float, ptr %63, align 4, !tbaa !11
  %191 = load float, ptr %64, align 4, !tbaa !11
  %192 = fmul contract float %190, %191
  %193 = fadd contract float %186, %192
  %194 = load float, ptr %65, align 4, !tbaa !11
  %195 = fmul contract float %191, %194
  %196 = fadd contract float %189, %195
  %197 = load float, ptr %66, align 4, !tbaa !11
  %198 = load float, ptr %67, align 4, !tbaa !11
  %199 = fmul contract float %197, %198
  %200 = fadd contract float %193, %199
  %201 = load float, ptr %68, align 4, !tbaa !11
  %202 = fmul contract float %198, %201
  %203 = fadd contract float %196, %202
  %204 = load float, ptr %69, align 4, !tbaa !11
  %205 = load float, ptr %70, align 4, !tbaa !11
  %206 = fmul contract float %204, %205
  %207 = fadd contract float %200, %206
  %208 = load float, ptr %71, align 4, !tbaa !11
  %209 = fmul contract float %205, %208
  %210 = fadd contract float %203, %209
  %211 = load float, ptr %72, align 4, !tbaa !11
  %212 = load float, ptr %73, align 4, !tbaa !11
  %213 = fmul contract float %211, %212
  %214 = fadd contract float %207, %213
  %215 = load float, ptr %74, align 4, !tbaa !11
  %216 = fmul contract float %212, %215
  %217 = fadd contract float %210, %216
  %218 = load float, ptr %75, align 4, !tbaa !11
  %219 = load float, ptr %76, align 4, !tbaa !11
  %220 = fmul contract float %218, %219
  %221 = fadd contract float %214, %220
  %222 = load float, ptr %77, align 4, !tbaa !11
  %223 = fmul contract float %219, %222
  %224 = fadd contract float %217, %223
  %225 = load float, ptr %78, align 4, !tbaa !11
  %226 = load float, ptr %79, align 4, !tbaa !11
  %227 = fmul contract float %225, %226
  %228 = fadd contract float %221, %227
  %229 = load float, ptr %80, align 4, !tbaa !11
  %230 = fmul contract float %226, %229
  %231 = fadd contract float %224, %230
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %232 = add nuw nsw i32 %88, 16
  %233 = icmp slt i32 %232, %5
  br i1 %233, label %87, label %81, !llvm.loop !13

234:                                              ; preds = %81
  %235 = mul nsw i32 %4, %16
  %236 = add nsw i32 %235, %13
  %237 = sext i32 %236 to i64
  %238 = getelementptr inbounds float, ptr %2, i64 %237
  %239 = fmul contract float %6, %82
  %240 = load float, ptr %238, align 4, !tbaa !11
  %241 = fmul contract float %7, %240
  %242 = fadd contract float %239, %241
  store float %242, ptr %238, align 4, !tbaa !11
  br label %243

243:                                              ; preds = %234, %81
  br i1 %84, label %244, label %256

244:                                              ; preds = %243
  %245 = add nuw nsw i32 %16, 16
  %246 = icmp slt i32 %245, %3
  br i1 %246, label %247, label %256

247:                                              ; preds = %244
  %248 = mul nsw i32 %4, %245
  %249 = add nsw i32 %248, %13
  %250 = sext i32 %249 to i64
  %251 = getelementptr inbounds float, ptr %2, i64 %250
  %252 = fmul contract float %6, %83
  %253 = load float, ptr %251, align 4, !tbaa !11
  %254 = fmul contract float %7, %253
  %255 = fadd contract float %252, %254
  store float %255, ptr %251, align 4, !tbaa !11
  br label %256

256:                                              ; preds = %247, %244, %243
  ret void
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #2

attributes #0 = { convergent mustprogress noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent nocallback nounwind }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }

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
!13 = distinct !{!13, !14}
!14 = !{!"llvm.loop.mustprogress"}
