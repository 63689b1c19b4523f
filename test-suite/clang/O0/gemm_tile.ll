; ModuleID = 'gemm_tile.cu'
source_filename = "gemm_tile.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__cuda_builtin_threadIdx_t = type { i8 }
%struct.__cuda_builtin_blockIdx_t = type { i8 }

@_ZZ9gemm_tileE2ta = internal addrspace(3) global [32 x [17 x float]] undef, align 4
@_ZZ9gemm_tileE2tb = internal addrspace(3) global [16 x [17 x float]] undef, align 4
@threadIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_threadIdx_t, align 1
@blockIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockIdx_t, align 1

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local ptx_kernel void @gemm_tile(ptr noundef %0, ptr noundef %1, ptr noundef %2, i32 noundef %3, i32 noundef %4, i32 noundef %5, float noundef %6, float noundef %7) #0 {
  %9 = alloca ptr, align 8
  %10 = alloca ptr, align 8
  %11 = alloca ptr, align 8
  %12 = alloca i32, align 4
  %13 = alloca i32, align 4
  %14 = alloca i32, align 4
  %15 = alloca float, align 4
  %16 = alloca float, align 4
  %17 = alloca i32, align 4
  %18 = alloca i32, align 4
  %19 = alloca i32, align 4
  %20 = alloca i32, align 4
  %21 = alloca float, align 4
  %22 = alloca float, align 4
  %23 = alloca i32, align 4
  %24 = alloca i32, align 4
  store ptr %0, ptr %9, align 8
  store ptr %1, ptr %10, align 8
  store ptr %2, ptr %11, align 8
  store i32 %3, ptr %12, align 4
  store i32 %4, ptr %13, align 4
  store i32 %5, ptr %14, align 4
  store float %6, ptr %15, align 4
  store float %7, ptr %16, align 4
  %25 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %25, ptr %17, align 4
  %26 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  store i32 %26, ptr %18, align 4
  %27 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %28 = mul i32 %27, 16
  %29 = load i32, ptr %17, align 4
  %30 = add i32 %28, %29
  store i32 %30, ptr %19, align 4
  %31 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %32 = mul i32 %31, 32
  %33 = load i32, ptr %18, align 4
  %34 = add i32 %32, %33
  store i32 %34, ptr %20, align 4
  store float 0.000000e+00, ptr %21, align 4
  store float 0.000000e+00, ptr %22, align 4
  store i32 0, ptr %23, align 4
  br label %35

35:                                               ; preds = %176, %8
  %36 = load i32, ptr %23, align 4
  %37 = load i32, ptr %14, align 4
  %38 = icmp slt i32 %36, %37
  br i1 %38, label %39, label %179

39:                                               ; preds = %35
  %40 = load i32, ptr %20, align 4
  %41 = load i32, ptr %12, align 4
  %42 = icmp slt i32 %40, %41
  br i1 %42, label %43, label %61

43:                                               ; preds = %39
  %44 = load i32, ptr %23, align 4
  %45 = load i32, ptr %17, align 4
  %46 = add nsw i32 %44, %45
  %47 = load i32, ptr %14, align 4
  %48 = icmp slt i32 %46, %47
  br i1 %48, label %49, label %61

49:                                               ; preds = %43
  %50 = load ptr, ptr %9, align 8
  %51 = load i32, ptr %20, align 4
  %52 = load i32, ptr %14, align 4
  %53 = mul nsw i32 %51, %52
  %54 = load i32, ptr %23, align 4
  %55 = add nsw i32 %53, %54
  %56 = load i32, ptr %17, align 4
  %57 = add nsw i32 %55, %56
  %58 = sext i32 %57 to i64
  %59 = getelementptr inbounds float, ptr %50, i64 %58
  %60 = load float, ptr %59, align 4
  br label %62

61:                                               ; preds = %43, %39
  br label %62

62:                                               ; preds = %61, %49
  %63 = phi contract float [ %60, %49 ], [ 0.000000e+00, %61 ]
  %64 = load i32, ptr %18, align 4
  %65 = sext i32 %64 to i64
  %66 = getelementptr inbounds [32 x [17 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ9gemm_tileE2ta to ptr), i64 0, i64 %65
  %67 = load i32, ptr %17, align 4
  %68 = sext i32 %67 to i64
  %69 = getelementptr inbounds [17 x float], ptr %66, i64 0, i64 %68
  store float %63, ptr %69, align 4
  %70 = load i32, ptr %20, align 4
  %71 = add nsw i32 %70, 16
  %72 = load i32, ptr %12, align 4
  %73 = icmp slt i32 %71, %72
  br i1 %73, label %74, label %93

74:                                               ; preds = %62
  %75 = load i32, ptr %23, align 4
  %76 = load i32, ptr %17, align 4
  %77 = add nsw i32 %75, %76
  %78 = load i32, ptr %14, align 4
  %79 = icmp slt i32 %77, %78
  br i1 %79, label %80, label %93

80:                                               ; preds = %74
  %81 = load ptr, ptr %9, align 8
  %82 = load i32, ptr %20, align 4
  %83 = add nsw i32 %82, 16
  %84 = load i32, ptr %14, align 4
  %85 = mul nsw i32 %83, %84
  %86 = load i32, ptr %23, align 4
  %87 = add nsw i32 %85, %86
  %88 = load i32, ptr %17, align 4
  %89 = add nsw i32 %87, %88
  %90 = sext i32 %89 to i64
  %91 = getelementptr inbounds float, ptr %81, i64 %90
  %92 = load float, ptr %91, align 4
  br label %94

93:                                               ; preds = %74, %62
  br label %94

94:                                               ; preds = %93, %80
  %95 = phi contract float [ %92, %80 ], [ 0.000000e+00, %93 ]
  %96 = load i32, ptr %18, align 4
  %97 = add nsw i32 %96, 16
  %98 = sext i32 %97 to i64
  %99 = getelementptr inbounds [32 x [17 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ9gemm_tileE2ta to ptr), i64 0, i64 %98
  %100 = load i32, ptr %17, align 4
  %101 = sext i32 %100 to i64
  %102 = getelementptr inbounds [17 x float], ptr %99, i64 0, i64 %101
  store float %95, ptr %102, align 4
  %103 = load i32, ptr %19, align 4
  %104 = load i32, ptr %13, align 4
  %105 = icmp slt i32 %103, %104
  br i1 %105, label %106, label %124

106:                                              ; preds = %94
  %107 = load i32, ptr %23, align 4
  %108 = load i32, ptr %18, align 4
  %109 = add nsw i32 %107, %108
  %110 = load i32, ptr %14, align 4
  %111 = icmp slt i32 %109, %110
  br i1 %111, label %112, label %124

112:                                              ; preds = %106
  %113 = load ptr, ptr %10, align 8
  %114 = load i32, ptr %23, align 4
  %115 = load i32, ptr %18, align 4
  %116 = add nsw i32 %114, %115
  %117 = load i32, ptr %13, align 4
  %118 = mul nsw i32 %116, %117
  %119 = load i32, ptr %19, align 4
  %120 = add nsw i32 %118, %119
  %121 = sext i32 %120 to i64
  %122 = getelementptr inbounds float, ptr %113, i64 %121
  %123 = load float, ptr %122, align 4
  br label %125

124:                                              ; preds = %106, %94
  br label %125

125:                                              ; preds = %124, %112
  %126 = phi contract float [ %123, %112 ], [ 0.000000e+00, %124 ]
  %127 = load i32, ptr %18, align 4
  %128 = sext i32 %127 to i64
  %129 = getelementptr inbounds [16 x [17 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ9gemm_tileE2tb to ptr), i64 0, i64 %128
  %130 = load i32, ptr %17, align 4
  %131 = sext i32 %130 to i64
  %132 = getelementptr inbounds [17 x float], ptr %129, i64 0, i64 %131
  store float %126, ptr %132, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 0, ptr %24, align 4
  br label %133

133:                                              ; preds = %172, %125
  %134 = load i32, ptr %24, align 4
  %135 = icmp slt i32 %134, 16
  br i1 %135, label %136, label %175

136:                                              ; preds = %133
  %137 = load i32, ptr %18, align 4
  %138 = sext i32 %137 to i64
  %139 = getelementptr inbounds [32 x [17 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ9gemm_tileE2ta to ptr), i64 0, i64 %138
  %140 = load i32, ptr %24, align 4
  %141 = sext i32 %140 to i64
  %142 = getelementptr inbounds [17 x float], ptr %139, i64 0, i64 %141
  %143 = load float, ptr %142, align 4
  %144 = load i32, ptr %24, align 4
  %145 = sext i32 %144 to i64
  %146 = getelementptr inbounds [16 x [17 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ9gemm_tileE2tb to ptr), i64 0, i64 %145
  %147 = load i32, ptr %17, align 4
  %148 = sext i32 %147 to i64
  %149 = getelementptr inbounds [17 x float], ptr %146, i64 0, i64 %148
  %150 = load float, ptr %149, align 4
  %151 = fmul contract float %143, %150
  %152 = load float, ptr %21, align 4
  %153 = fadd contract float %152, %151
  store float %153, ptr %21, align 4
  %154 = load i32, ptr %18, align 4
  %155 = add nsw i32 %154, 16
  %156 = sext i32 %155 to i64
  %157 = getelementptr inbounds [32 x [17 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ9gemm_tileE2ta to ptr), i64 0, i64 %156
  %158 = load i32, ptr %24, align 4
  %159 = sext i32 %158 to i64
  %160 = getelementptr inbounds [17 x float], ptr %157, i64 0, i64 %159
  %161 = load float, ptr %160, align 4
  %162 = load i32, ptr %24, align 4
  %163 = sext i32 %162 to i64
  %164 = getelementptr inbounds [16 x [17 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ9gemm_tileE2tb to ptr), i64 0, i64 %163
  %165 = load i32, ptr %17, align 4
  %166 = sext i32 %165 to i64
  %167 = getelementptr inbounds [17 x float], ptr %164, i64 0, i64 %166
  %168 = load float, ptr %167, align 4
  %169 = fmul contract float %161, %168
  %170 = load float, ptr %22, align 4
  %171 = fadd contract float %170, %169
  store float %171, ptr %22, align 4
  br label %172

172:                                              ; preds = %136
  %173 = load i32, ptr %24, align 4
  %174 = add nsw i32 %173, 1
  store i32 %174, ptr %24, align 4
  br label %133, !llvm.loop !7

175:                                              ; preds = %133
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %176

176:                                              ; preds = %175
  %177 = load i32, ptr %23, align 4
  %178 = add nsw i32 %177, 16
  store i32 %178, ptr %23, align 4
  br label %35, !llvm.loop !9

179:                                              ; preds = %35
  %180 = load i32, ptr %19, align 4
  %181 = load i32, ptr %13, align 4
  %182 = icmp slt i32 %180, %181
  br i1 %182, label %183, label %211

183:                                              ; preds = %179
  %184 = load i32, ptr %20, align 4
  %185 = load i32, ptr %12, align 4
  %186 = icmp slt i32 %184, %185
  br i1 %186, label %187, label %211

187:                                              ; preds = %183
  %188 = load float, ptr %15, align 4
  %189 = load float, ptr %21, align 4
  %190 = fmul contract float %188, %189
  %191 = load float, ptr %16, align 4
  %192 = load ptr, ptr %11, align 8
  %193 = load i32, ptr %20, align 4
  %194 = load i32, ptr %13, align 4
  %195 = mul nsw i32 %193, %194
  %196 = load i32, ptr %19, align 4
  %197 = add nsw i32 %195, %196
  %198 = sext i32 %197 to i64
  %199 = getelementptr inbounds float, ptr %192, i64 %198
  %200 = load float, ptr %199, align 4
  %201 = fmul contract float %191, %200
  %202 = fadd contract float %190, %201
  %203 = load ptr, ptr %11, align 8
  %204 = load i32, ptr %20, align 4
  %205 = load i32, ptr %13, align 4
  %206 = mul nsw i32 %204, %205
  %207 = load i32, ptr %19, align 4
  %208 = add nsw i32 %206, %207
  %209 = sext i32 %208 to i64
  %210 = getelementptr inbounds float, ptr %203, i64 %209
  store float %202, ptr %210, align 4
  br label %211

211:                                              ; preds = %187, %183, %179
  %212 = load i32, ptr %19, align 4
  %213 = load i32, ptr %13, align 4
  %214 = icmp slt i32 %212, %213
  br i1 %214, label %215, label %246

215:                                              ; preds = %211
  %216 = load i32, ptr %20, align 4
  %217 = add nsw i32 %216, 16
  %218 = load i32, ptr %12, align 4
  %219 = icmp slt i32 %217, %218
  br i1 %219, label %220, label %246

220:                                              ; preds = %215
  %221 = load float, ptr %15, align 4
  %222 = load float, ptr %22, align 4
  %223 = fmul contract float %221, %222
  %224 = load float, ptr %16, align 4
  %225 = load ptr, ptr %11, align 8
  %226 = load i32, ptr %20, align 4
  %227 = add nsw i32 %226, 16
  %228 = load i32, ptr %13, align 4
  %229 = mul nsw i32 %227, %228
  %230 = load i32, ptr %19, align 4
  %231 = add nsw i32 %229, %230
  %232 = sext i32 %231 to i64
  %233 = getelementptr inbounds float, ptr %225, i64 %232
  %234 = load float, ptr %233, align 4
  %235 = fmul contract float %224, %234
  %236 = fadd contract float %223, %235
  %237 = load ptr, ptr %11, align 8
  %238 = load i32, ptr %20, align 4
  %239 = add nsw i32 %238, 16
  %240 = load i32, ptr %13, align 4
  %241 = mul nsw i32 %239, %240
  %242 = load i32, ptr %19, align 4
  %243 = add nsw i32 %241, %242
  %244 = sext i32 %243 to i64
  %245 = getelementptr inbounds float, ptr %237, i64 %244
  store float %236, ptr %245, align 4
  br label %246

246:                                              ; preds = %220, %215, %211
  ret void
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #2

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent nocallback nounwind }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

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
