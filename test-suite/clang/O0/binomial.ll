; ModuleID = 'binomial.cu'
source_filename = "binomial.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__cuda_builtin_threadIdx_t = type { i8 }
%struct.__cuda_builtin_blockIdx_t = type { i8 }
%struct.__cuda_builtin_blockDim_t = type { i8 }
%struct.float2 = type { float, float }

@_ZZ8binomialE6values = internal addrspace(3) global [129 x float] undef, align 4
@threadIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_threadIdx_t, align 1
@blockIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockIdx_t, align 1
@blockDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockDim_t, align 1
@.str = private unnamed_addr constant [11 x i8] c"__CUDA_FTZ\00", align 1

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local ptx_kernel void @binomial(ptr noundef %0, ptr noundef %1, i32 noundef %2, float noundef %3, float noundef %4, float noundef %5, float noundef %6) #0 {
  %8 = alloca float, align 4
  %9 = alloca float, align 4
  %10 = alloca float, align 4
  %11 = alloca float, align 4
  %12 = alloca ptr, align 8
  %13 = alloca ptr, align 8
  %14 = alloca i32, align 4
  %15 = alloca float, align 4
  %16 = alloca float, align 4
  %17 = alloca float, align 4
  %18 = alloca float, align 4
  %19 = alloca i32, align 4
  %20 = alloca float, align 4
  %21 = alloca i32, align 4
  %22 = alloca i32, align 4
  %23 = alloca float, align 4
  store ptr %0, ptr %12, align 8
  store ptr %1, ptr %13, align 8
  store i32 %2, ptr %14, align 4
  store float %3, ptr %15, align 4
  store float %4, ptr %16, align 4
  store float %5, ptr %17, align 4
  store float %6, ptr %18, align 4
  %24 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %24, ptr %19, align 4
  %25 = load ptr, ptr %12, align 8
  %26 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %27 = zext i32 %26 to i64
  %28 = getelementptr inbounds nuw float, ptr %25, i64 %27
  %29 = load float, ptr %28, align 4
  store float %29, ptr %20, align 4
  %30 = load i32, ptr %19, align 4
  store i32 %30, ptr %21, align 4
  br label %31

31:                                               ; preds = %210, %7
  %32 = load i32, ptr %21, align 4
  %33 = load i32, ptr %14, align 4
  %34 = icmp sle i32 %32, %33
  br i1 %34, label %35, label %214

35:                                               ; preds = %31
  %36 = load float, ptr %15, align 4
  %37 = load float, ptr %16, align 4
  %38 = load i32, ptr %21, align 4
  %39 = mul nsw i32 2, %38
  %40 = load i32, ptr %14, align 4
  %41 = sub nsw i32 %39, %40
  %42 = sitofp i32 %41 to float
  store float %37, ptr %8, align 4
  store float %42, ptr %9, align 4
  %43 = load float, ptr %8, align 4
  %44 = load float, ptr %9, align 4
  %45 = fmul float 5.000000e-01, %44
  %46 = call float @llvm.nvvm.trunc.f(float %45) #3
  %47 = fmul float 2.000000e+00, %46
  %48 = fsub float %44, %47
  %49 = call float @llvm.nvvm.fabs.f32(float %48)
  %50 = fcmp oeq float %49, 1.000000e+00
  %51 = select i1 %50, i32 1, i32 0
  %52 = call float @llvm.nvvm.fabs.f32(float %43)
  %53 = fcmp olt float %52, 0x3810000000000000
  br i1 %53, label %54, label %56

54:                                               ; preds = %35
  %55 = fmul float %52, 0x4170000000000000
  br label %56

56:                                               ; preds = %54, %35
  %57 = phi float [ %55, %54 ], [ %52, %35 ]
  %58 = phi float [ -2.400000e+01, %54 ], [ 0.000000e+00, %35 ]
  %59 = bitcast float %57 to i32
  %60 = sub i32 %59, 1060439283
  %61 = and i32 %60, -8388608
  %62 = bitcast float %57 to i32
  %63 = sub i32 %62, %61
  %64 = bitcast i32 %63 to float
  %65 = sitofp i32 %61 to float
  %66 = call float @llvm.nvvm.fma.rn.f(float %65, float 0x3E80000000000000, float %58) #3
  %67 = fsub float %64, 1.000000e+00
  %68 = fadd float %64, 1.000000e+00
  %69 = call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %68) #4, !srcloc !7
  %70 = fmul float 2.000000e+00, %67
  %71 = fmul float %70, %69
  %72 = fmul float %71, %71
  %73 = fsub float %67, %71
  %74 = fmul float 2.000000e+00, %73
  %75 = fsub float -0.000000e+00, %71
  %76 = call float @llvm.nvvm.fma.rn.f(float %75, float %67, float %74) #3
  %77 = call float @llvm.nvvm.mul.rn.f(float %69, float %76) #3
  %78 = call float @llvm.nvvm.fma.rn.f(float 0x3F45865C80000000, float %72, float 0x3F6A5CFB60000000) #3
  %79 = call float @llvm.nvvm.fma.rn.f(float %78, float %72, float 0x3F92776E60000000) #3
  %80 = call float @llvm.nvvm.fma.rn.f(float %79, float %72, float 0x3FBEC709E0000000) #3
  %81 = call float @llvm.nvvm.mul.rn.f(float %80, float %72) #3
  %82 = call float @llvm.nvvm.fma.rn.f(float %71, float 0x3FF7154760000000, float %66) #3
  %83 = fsub float %66, %82
  %84 = call float @llvm.nvvm.fma.rn.f(float %71, float 0x3FF7154760000000, float %83) #3
  %85 = insertvalue %struct.float2 undef, float %82, 0
  %86 = insertvalue %struct.float2 %85, float %84, 1
  %87 = call float @llvm.nvvm.fma.rn.f(float %77, float 0x3FF7154760000000, float %84) #3
  %88 = call float @llvm.nvvm.fma.rn.f(float %71, float 0x3E54ABC680000000, float %87) #3
  %89 = fmul float 3.000000e+00, %81
  %90 = call float @llvm.nvvm.fma.rn.f(float %89, float %77, float %88) #3
  %91 = call float @llvm.nvvm.fma.rn.f(float %81, float %71, float %90) #3
  %92 = call float @llvm.nvvm.add.rn.f(float %82, float %91) #3
  %93 = fsub float -0.000000e+00, %82
  %94 = call float @llvm.nvvm.add.rn.f(float %92, float %93) #3
  %95 = fsub float -0.000000e+00, %94
  %96 = call float @llvm.nvvm.add.rn.f(float %91, float %95) #3
  %97 = insertvalue %struct.float2 undef, float %92, 0
  %98 = insertvalue %struct.float2 %97, float %96, 1
  %99 = insertvalue %struct.float2 undef, float %92, 0
  %100 = insertvalue %struct.float2 %99, float %96, 1
  %101 = call float @llvm.nvvm.mul.rn.f(float %92, float %44) #3
  %102 = fsub float -0.000000e+00, %101
  %103 = call float @llvm.nvvm.fma.rn.f(float %92, float %44, float %102) #3
  %104 = insertvalue %struct.float2 undef, float %101, 0
  %105 = insertvalue %struct.float2 %104, float %103, 1
  %106 = call float @llvm.nvvm.fma.rn.f(float %96, float %44, float %103) #3
  %107 = call float @llvm.nvvm.round.f(float %101) #3
  %108 = fsub float %101, %107
  %109 = fadd float %108, %106
  %110 = call float @llvm.nvvm.fma.rn.f(float 0x3F23F971C0000000, float %109, float 0x3F55F0BDA0000000) #3
  %111 = call float @llvm.nvvm.fma.rn.f(float %110, float %109, float 0x3F83B30AC0000000) #3
  %112 = call float @llvm.nvvm.fma.rn.f(float %111, float %109, float 0x3FAC6AF760000000) #3
  %113 = call float @llvm.nvvm.fma.rn.f(float %112, float %109, float 0x3FCEBFBD80000000) #3
  %114 = call float @llvm.nvvm.fma.rn.f(float %113, float %109, float 0x3FE62E4300000000) #3
  %115 = call float @llvm.nvvm.fma.rn.f(float %114, float %109, float 1.000000e+00) #3
  %116 = call i32 @llvm.nvvm.f2i.rz(float %107) #3
  %117 = fcmp ogt float %107, 0.000000e+00
  %118 = select i1 %117, i32 0, i32 -2097152000
  %119 = add i32 2130706432, %118
  %120 = bitcast i32 %119 to float
  %121 = fmul float %115, %120
  %122 = shl i32 %116, 23
  %123 = sub i32 %122, %118
  %124 = bitcast i32 %123 to float
  %125 = fmul float %121, %124
  %126 = call float @llvm.nvvm.fabs.f32(float %101)
  %127 = fcmp ogt float %126, 1.520000e+02
  br i1 %127, label %128, label %134

128:                                              ; preds = %56
  %129 = fcmp olt float %101, 0.000000e+00
  br i1 %129, label %130, label %131

130:                                              ; preds = %128
  br label %132

131:                                              ; preds = %128
  br label %132

132:                                              ; preds = %131, %130
  %133 = phi float [ 0.000000e+00, %130 ], [ 0x7FF0000000000000, %131 ]
  br label %134

134:                                              ; preds = %132, %56
  %135 = phi float [ %133, %132 ], [ %125, %56 ]
  %136 = fcmp oeq float %43, 1.000000e+00
  br i1 %136, label %139, label %137

137:                                              ; preds = %134
  %138 = fcmp oeq float %44, 0.000000e+00
  br i1 %138, label %139, label %140

139:                                              ; preds = %137, %134
  br label %199

140:                                              ; preds = %137
  %141 = call float @llvm.nvvm.fabs.f32(float %43)
  %142 = fcmp ole float %141, 0x7FF0000000000000
  %143 = xor i1 %142, true
  %144 = select i1 %143, i32 1, i32 0
  br i1 %143, label %150, label %145

145:                                              ; preds = %140
  %146 = call float @llvm.nvvm.fabs.f32(float %44)
  %147 = fcmp ole float %146, 0x7FF0000000000000
  %148 = xor i1 %147, true
  %149 = select i1 %148, i32 1, i32 0
  br i1 %148, label %150, label %152

150:                                              ; preds = %145, %140
  %151 = call float @llvm.nvvm.add.rn.f(float %43, float %44) #3
  br label %197

152:                                              ; preds = %145
  %153 = fcmp oeq float %43, 0.000000e+00
  br i1 %153, label %158, label %154

154:                                              ; preds = %152
  %155 = call float @llvm.nvvm.fabs.f32(float %43)
  %156 = fcmp oeq float %155, 0x7FF0000000000000
  %157 = select i1 %156, i32 1, i32 0
  br i1 %156, label %158, label %172

158:                                              ; preds = %154, %152
  %159 = fadd float %43, %43
  %160 = bitcast float %159 to i32
  %161 = fcmp olt float %44, 0.000000e+00
  br i1 %161, label %162, label %164

162:                                              ; preds = %158
  %163 = xor i32 %160, 2139095040
  br label %164

164:                                              ; preds = %162, %158
  %165 = phi i32 [ %163, %162 ], [ %160, %158 ]
  %166 = icmp eq i32 %51, 0
  br i1 %166, label %167, label %169

167:                                              ; preds = %164
  %168 = and i32 %165, 2147483647
  br label %169

169:                                              ; preds = %167, %164
  %170 = phi i32 [ %168, %167 ], [ %165, %164 ]
  %171 = bitcast i32 %170 to float
  br label %195

172:                                              ; preds = %154
  %173 = fcmp oeq float %43, -1.000000e+00
  br i1 %173, label %174, label %179

174:                                              ; preds = %172
  %175 = call float @llvm.nvvm.fabs.f32(float %44)
  %176 = fcmp oeq float %175, 0x7FF0000000000000
  %177 = select i1 %176, i32 1, i32 0
  br i1 %176, label %178, label %179

178:                                              ; preds = %174
  br label %193

179:                                              ; preds = %174, %172
  %180 = fcmp olt float %43, 0.000000e+00
  br i1 %180, label %181, label %191

181:                                              ; preds = %179
  br i1 %50, label %182, label %184

182:                                              ; preds = %181
  %183 = fsub float -0.000000e+00, %135
  br label %184

184:                                              ; preds = %182, %181
  %185 = phi float [ %183, %182 ], [ %135, %181 ]
  %186 = call float @llvm.nvvm.floor.f(float %44) #3
  %187 = fcmp une float %44, %186
  br i1 %187, label %188, label %189

188:                                              ; preds = %184
  br label %189

189:                                              ; preds = %188, %184
  %190 = phi float [ 0x7FFFFFFFE0000000, %188 ], [ %185, %184 ]
  br label %191

191:                                              ; preds = %189, %179
  %192 = phi float [ %190, %189 ], [ %135, %179 ]
  br label %193

193:                                              ; preds = %191, %178
  %194 = phi float [ 1.000000e+00, %178 ], [ %192, %191 ]
  br label %195

195:                                              ; preds = %193, %169
  %196 = phi float [ %171, %169 ], [ %194, %193 ]
  br label %197

197:                                              ; preds = %195, %150
  %198 = phi float [ %151, %150 ], [ %196, %195 ]
  br label %199

199:                                              ; preds = %139, %197
  %200 = phi float [ 1.000000e+00, %139 ], [ %198, %197 ]
  %201 = fmul contract float %36, %200
  %202 = load float, ptr %20, align 4
  %203 = fsub contract float %201, %202
  store float %203, ptr %10, align 4
  store float 0.000000e+00, ptr %11, align 4
  %204 = load float, ptr %10, align 4
  %205 = load float, ptr %11, align 4
  %206 = call float @llvm.nvvm.fmax.f(float %204, float %205)
  %207 = load i32, ptr %21, align 4
  %208 = sext i32 %207 to i64
  %209 = getelementptr inbounds [129 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ8binomialE6values to ptr), i64 0, i64 %208
  store float %206, ptr %209, align 4
  br label %210

210:                                              ; preds = %199
  %211 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %212 = load i32, ptr %21, align 4
  %213 = add i32 %212, %211
  store i32 %213, ptr %21, align 4
  br label %31, !llvm.loop !8

214:                                              ; preds = %31
  %215 = load i32, ptr %14, align 4
  store i32 %215, ptr %22, align 4
  br label %216

216:                                              ; preds = %253, %214
  %217 = load i32, ptr %22, align 4
  %218 = icmp sgt i32 %217, 0
  br i1 %218, label %219, label %256

219:                                              ; preds = %216
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %220 = load i32, ptr %19, align 4
  %221 = load i32, ptr %22, align 4
  %222 = icmp slt i32 %220, %221
  br i1 %222, label %223, label %241

223:                                              ; preds = %219
  %224 = load float, ptr %18, align 4
  %225 = load float, ptr %17, align 4
  %226 = load i32, ptr %19, align 4
  %227 = add nsw i32 %226, 1
  %228 = sext i32 %227 to i64
  %229 = getelementptr inbounds [129 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ8binomialE6values to ptr), i64 0, i64 %228
  %230 = load float, ptr %229, align 4
  %231 = fmul contract float %225, %230
  %232 = load float, ptr %17, align 4
  %233 = fsub contract float 1.000000e+00, %232
  %234 = load i32, ptr %19, align 4
  %235 = sext i32 %234 to i64
  %236 = getelementptr inbounds [129 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ8binomialE6values to ptr), i64 0, i64 %235
  %237 = load float, ptr %236, align 4
  %238 = fmul contract float %233, %237
  %239 = fadd contract float %231, %238
  %240 = fmul contract float %224, %239
  br label %242

241:                                              ; preds = %219
  br label %242

242:                                              ; preds = %241, %223
  %243 = phi contract float [ %240, %223 ], [ 0.000000e+00, %241 ]
  store float %243, ptr %23, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %244 = load i32, ptr %19, align 4
  %245 = load i32, ptr %22, align 4
  %246 = icmp slt i32 %244, %245
  br i1 %246, label %247, label %252

247:                                              ; preds = %242
  %248 = load float, ptr %23, align 4
  %249 = load i32, ptr %19, align 4
  %250 = sext i32 %249 to i64
  %251 = getelementptr inbounds [129 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ8binomialE6values to ptr), i64 0, i64 %250
  store float %248, ptr %251, align 4
  br label %252

252:                                              ; preds = %247, %242
  br label %253

253:                                              ; preds = %252
  %254 = load i32, ptr %22, align 4
  %255 = add nsw i32 %254, -1
  store i32 %255, ptr %22, align 4
  br label %216, !llvm.loop !10

256:                                              ; preds = %216
  %257 = load i32, ptr %19, align 4
  %258 = icmp eq i32 %257, 0
  br i1 %258, label %259, label %265

259:                                              ; preds = %256
  %260 = load float, ptr addrspacecast (ptr addrspace(3) @_ZZ8binomialE6values to ptr), align 4
  %261 = load ptr, ptr %13, align 8
  %262 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %263 = zext i32 %262 to i64
  %264 = getelementptr inbounds nuw float, ptr %261, i64 %263
  store float %260, ptr %264, align 4
  br label %265

265:                                              ; preds = %259, %256
  ret void
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fmax.ftz.f(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fmax.f(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.trunc.f(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fabs.ftz.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fabs.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fma.rn.ftz.f(float, float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fma.rn.f(float, float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.mul.rn.ftz.f(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.mul.rn.f(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.add.rn.ftz.f(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.add.rn.f(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.round.f(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.nvvm.f2i.rz.ftz(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.nvvm.f2i.rz(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.floor.ftz.f(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.floor.f(float) #2

attributes #0 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent nocallback nounwind }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nounwind }
attributes #4 = { nounwind memory(none) }

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
!7 = !{i32 21289}
!8 = distinct !{!8, !9}
!9 = !{!"llvm.loop.mustprogress"}
!10 = distinct !{!10, !9}
