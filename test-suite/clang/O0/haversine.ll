; ModuleID = 'haversine.cu'
source_filename = "haversine.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__cuda_builtin_gridDim_t = type { i8 }
%struct.__cuda_builtin_blockDim_t = type { i8 }
%struct.__cuda_builtin_blockIdx_t = type { i8 }
%struct.__cuda_builtin_threadIdx_t = type { i8 }
%struct.float4 = type { float, float, float, float }
%struct.uint2 = type { i32, i32 }

@gridDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_gridDim_t, align 1
@blockDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockDim_t, align 1
@blockIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockIdx_t, align 1
@threadIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_threadIdx_t, align 1
@.str = private unnamed_addr constant [11 x i8] c"__CUDA_FTZ\00", align 1
@.str.2 = private unnamed_addr constant [17 x i8] c"__CUDA_PREC_SQRT\00", align 1
@__cudart_i2opi_f = internal addrspace(1) global [6 x i32] [i32 1011060801, i32 -614296167, i32 -181084736, i32 -64530479, i32 1313084713, i32 -1560706194], align 4

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local ptx_kernel void @haversine(ptr noundef %0, ptr noundef %1, i32 noundef %2) #0 {
  %4 = alloca [7 x i32], align 4
  %5 = alloca [7 x i32], align 4
  %6 = alloca [7 x i32], align 4
  %7 = alloca [7 x i32], align 4
  %8 = alloca float, align 4
  %9 = alloca float, align 4
  %10 = alloca float, align 4
  %11 = alloca float, align 4
  %12 = alloca float, align 4
  %13 = alloca float, align 4
  %14 = alloca float, align 4
  %15 = alloca float, align 4
  %16 = alloca float, align 4
  %17 = alloca float, align 4
  %18 = alloca ptr, align 8
  %19 = alloca ptr, align 8
  %20 = alloca i32, align 4
  %21 = alloca float, align 4
  %22 = alloca i32, align 4
  %23 = alloca i32, align 4
  %24 = alloca i32, align 4
  %25 = alloca %struct.float4, align 16
  %26 = alloca float, align 4
  %27 = alloca float, align 4
  %28 = alloca float, align 4
  store ptr %0, ptr %18, align 8
  store ptr %1, ptr %19, align 8
  store i32 %2, ptr %20, align 4
  store float 0.000000e+00, ptr %21, align 4
  %29 = call noundef i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %30 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %31 = mul i32 %29, %30
  store i32 %31, ptr %22, align 4
  %32 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %33 = call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %34 = mul i32 %32, %33
  %35 = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %36 = add i32 %34, %35
  store i32 %36, ptr %23, align 4
  %37 = load i32, ptr %23, align 4
  store i32 %37, ptr %24, align 4
  br label %38

38:                                               ; preds = %671, %3
  %39 = load i32, ptr %24, align 4
  %40 = load i32, ptr %20, align 4
  %41 = icmp slt i32 %39, %40
  br i1 %41, label %42, label %675

42:                                               ; preds = %38
  %43 = load ptr, ptr %18, align 8
  %44 = load i32, ptr %24, align 4
  %45 = sext i32 %44 to i64
  %46 = getelementptr inbounds %struct.float4, ptr %43, i64 %45
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %25, ptr align 16 %46, i64 16, i1 false)
  %47 = getelementptr inbounds nuw %struct.float4, ptr %25, i32 0, i32 2
  %48 = load float, ptr %47, align 8
  %49 = getelementptr inbounds nuw %struct.float4, ptr %25, i32 0, i32 0
  %50 = load float, ptr %49, align 16
  %51 = fsub contract float %48, %50
  %52 = fmul contract float 5.000000e-01, %51
  store float %52, ptr %16, align 4
  %53 = load float, ptr %16, align 4
  %54 = fmul float %53, 0x3FE45F3060000000
  %55 = call i32 @llvm.nvvm.f2i.rn(float %54) #5
  %56 = sitofp i32 %55 to float
  %57 = call float @llvm.nvvm.fma.rn.f(float %56, float 0xBFF921FB40000000, float %53) #5
  %58 = call float @llvm.nvvm.fma.rn.f(float %56, float 0xBE74442D00000000, float %57) #5
  %59 = call float @llvm.nvvm.fma.rn.f(float %56, float 0xBCF84698A0000000, float %58) #5
  %60 = call float @llvm.nvvm.fabs.f32(float %53)
  %61 = fcmp oge float %60, 1.056150e+05
  br i1 %61, label %62, label %157

62:                                               ; preds = %42
  %63 = call float @llvm.nvvm.fabs.f32(float %53)
  %64 = fcmp oeq float %63, 0x7FF0000000000000
  %65 = select i1 %64, i32 1, i32 0
  br i1 %64, label %66, label %68

66:                                               ; preds = %62
  %67 = call float @llvm.nvvm.mul.rn.f(float %53, float 0.000000e+00) #5
  br label %154

68:                                               ; preds = %62
  %69 = bitcast float %53 to i32
  %70 = and i32 %69, -2147483648
  %71 = lshr i32 %69, 23
  %72 = and i32 %71, 255
  %73 = sub i32 %72, 128
  %74 = shl i32 %69, 8
  %75 = or i32 %74, -2147483648
  %76 = lshr i32 %73, 5
  %77 = sub i32 4, %76
  br label %78

78:                                               ; preds = %82, %68
  %79 = phi i32 [ 0, %68 ], [ %88, %82 ]
  %80 = phi i32 [ 0, %68 ], [ %93, %82 ]
  %81 = icmp slt i32 %80, 6
  br i1 %81, label %82, label %94

82:                                               ; preds = %78
  %83 = sext i32 %80 to i64
  %84 = getelementptr inbounds [6 x i32], ptr addrspace(1) @__cudart_i2opi_f, i64 0, i64 %83
  %85 = load i32, ptr addrspace(1) %84, align 4
  %86 = call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 %85, i32 %75, i32 %79) #6, !srcloc !7
  %87 = extractvalue { i32, i32 } %86, 0
  %88 = extractvalue { i32, i32 } %86, 1
  %89 = insertvalue %struct.uint2 undef, i32 %87, 0
  %90 = insertvalue %struct.uint2 %89, i32 %88, 1
  %91 = sext i32 %80 to i64
  %92 = getelementptr inbounds [7 x i32], ptr %7, i64 0, i64 %91
  store i32 %87, ptr %92, align 4
  %93 = add nsw i32 %80, 1
  br label %78, !llvm.loop !8

94:                                               ; preds = %78
  %95 = sext i32 %80 to i64
  %96 = getelementptr inbounds [7 x i32], ptr %7, i64 0, i64 %95
  store i32 %79, ptr %96, align 4
  %97 = and i32 %73, 31
  %98 = add i32 %77, 2
  %99 = sext i32 %98 to i64
  %100 = getelementptr inbounds [7 x i32], ptr %7, i64 0, i64 %99
  %101 = load i32, ptr %100, align 4
  %102 = add i32 %77, 1
  %103 = sext i32 %102 to i64
  %104 = getelementptr inbounds [7 x i32], ptr %7, i64 0, i64 %103
  %105 = load i32, ptr %104, align 4
  %106 = icmp ne i32 %97, 0
  br i1 %106, label %107, label %118

107:                                              ; preds = %94
  %108 = sub i32 32, %97
  %109 = shl i32 %101, %97
  %110 = lshr i32 %105, %108
  %111 = add i32 %109, %110
  %112 = shl i32 %105, %97
  %113 = sext i32 %77 to i64
  %114 = getelementptr inbounds [7 x i32], ptr %7, i64 0, i64 %113
  %115 = load i32, ptr %114, align 4
  %116 = lshr i32 %115, %108
  %117 = add i32 %112, %116
  br label %118

118:                                              ; preds = %107, %94
  %119 = phi i32 [ %111, %107 ], [ %101, %94 ]
  %120 = phi i32 [ %117, %107 ], [ %105, %94 ]
  %121 = lshr i32 %119, 30
  %122 = shl i32 %119, 2
  %123 = lshr i32 %120, 30
  %124 = add i32 %122, %123
  %125 = shl i32 %120, 2
  %126 = lshr i32 %124, 31
  %127 = add i32 %121, %126
  %128 = icmp ne i32 %70, 0
  br i1 %128, label %129, label %131

129:                                              ; preds = %118
  %130 = sub i32 0, %127
  br label %131

131:                                              ; preds = %129, %118
  %132 = phi i32 [ %130, %129 ], [ %127, %118 ]
  %133 = icmp ne i32 %126, 0
  br i1 %133, label %134, label %138

134:                                              ; preds = %131
  %135 = xor i32 %124, -1
  %136 = xor i32 %125, -1
  %137 = xor i32 %70, -2147483648
  br label %138

138:                                              ; preds = %134, %131
  %139 = phi i32 [ %137, %134 ], [ %70, %131 ]
  %140 = phi i32 [ %135, %134 ], [ %124, %131 ]
  %141 = phi i32 [ %136, %134 ], [ %125, %131 ]
  %142 = zext i32 %140 to i64
  %143 = shl i64 %142, 32
  %144 = zext i32 %141 to i64
  %145 = or i64 %143, %144
  %146 = sitofp i64 %145 to double
  %147 = fmul double %146, 0x3BF921FB54442D19
  %148 = fptrunc double %147 to float
  %149 = icmp ne i32 %139, 0
  br i1 %149, label %150, label %152

150:                                              ; preds = %138
  %151 = fsub float -0.000000e+00, %148
  br label %152

152:                                              ; preds = %150, %138
  %153 = phi float [ %151, %150 ], [ %148, %138 ]
  br label %154

154:                                              ; preds = %152, %66
  %155 = phi i32 [ 0, %66 ], [ %132, %152 ]
  %156 = phi float [ %67, %66 ], [ %153, %152 ]
  br label %157

157:                                              ; preds = %154, %42
  %158 = phi i32 [ %155, %154 ], [ %55, %42 ]
  %159 = phi float [ %156, %154 ], [ %59, %42 ]
  %160 = call float @llvm.nvvm.mul.rn.f(float %159, float %159) #5
  %161 = and i32 %158, 1
  %162 = icmp ne i32 %161, 0
  br i1 %162, label %163, label %164

163:                                              ; preds = %157
  br label %165

164:                                              ; preds = %157
  br label %165

165:                                              ; preds = %164, %163
  %166 = phi float [ 1.000000e+00, %163 ], [ %159, %164 ]
  %167 = call float @llvm.nvvm.fma.rn.f(float %160, float %166, float 0.000000e+00) #5
  %168 = and i32 %158, 1
  %169 = icmp ne i32 %168, 0
  br i1 %169, label %170, label %172

170:                                              ; preds = %165
  %171 = call float @llvm.nvvm.fma.rn.f(float 0x3EF9758000000000, float %160, float 0xBF56C0FDA0000000) #5
  br label %173

172:                                              ; preds = %165
  br label %173

173:                                              ; preds = %172, %170
  %174 = phi float [ %171, %170 ], [ 0xBF29A82A60000000, %172 ]
  %175 = and i32 %158, 1
  %176 = icmp ne i32 %175, 0
  %177 = select i1 %176, float 0x3FA5555760000000, float 0x3F8110BC80000000
  %178 = call float @llvm.nvvm.fma.rn.f(float %174, float %160, float %177) #5
  %179 = and i32 %158, 1
  %180 = icmp ne i32 %179, 0
  %181 = select i1 %180, float 0xBFDFFFFFE0000000, float 0xBFC5555500000000
  %182 = call float @llvm.nvvm.fma.rn.f(float %178, float %160, float %181) #5
  %183 = call float @llvm.nvvm.fma.rn.f(float %182, float %167, float %166) #5
  %184 = and i32 %158, 2
  %185 = icmp ne i32 %184, 0
  br i1 %185, label %186, label %188

186:                                              ; preds = %173
  %187 = call float @llvm.nvvm.fma.rn.f(float %183, float -1.000000e+00, float 0.000000e+00) #5
  br label %188

188:                                              ; preds = %173, %186
  %189 = phi float [ %187, %186 ], [ %183, %173 ]
  store float %189, ptr %26, align 4
  %190 = getelementptr inbounds nuw %struct.float4, ptr %25, i32 0, i32 3
  %191 = load float, ptr %190, align 4
  %192 = getelementptr inbounds nuw %struct.float4, ptr %25, i32 0, i32 1
  %193 = load float, ptr %192, align 4
  %194 = fsub contract float %191, %193
  %195 = fmul contract float 5.000000e-01, %194
  store float %195, ptr %17, align 4
  %196 = load float, ptr %17, align 4
  %197 = fmul float %196, 0x3FE45F3060000000
  %198 = call i32 @llvm.nvvm.f2i.rn(float %197) #5
  %199 = sitofp i32 %198 to float
  %200 = call float @llvm.nvvm.fma.rn.f(float %199, float 0xBFF921FB40000000, float %196) #5
  %201 = call float @llvm.nvvm.fma.rn.f(float %199, float 0xBE74442D00000000, float %200) #5
  %202 = call float @llvm.nvvm.fma.rn.f(float %199, float 0xBCF84698A0000000, float %201) #5
  %203 = call float @llvm.nvvm.fabs.f32(float %196)
  %204 = fcmp oge float %203, 1.056150e+05
  br i1 %204, label %205, label %300

205:                                              ; preds = %188
  %206 = call float @llvm.nvvm.fabs.f32(float %196)
  %207 = fcmp oeq float %206, 0x7FF0000000000000
  %208 = select i1 %207, i32 1, i32 0
  br i1 %207, label %209, label %211

209:                                              ; preds = %205
  %210 = call float @llvm.nvvm.mul.rn.f(float %196, float 0.000000e+00) #5
  br label %297

211:                                              ; preds = %205
  %212 = bitcast float %196 to i32
  %213 = and i32 %212, -2147483648
  %214 = lshr i32 %212, 23
  %215 = and i32 %214, 255
  %216 = sub i32 %215, 128
  %217 = shl i32 %212, 8
  %218 = or i32 %217, -2147483648
  %219 = lshr i32 %216, 5
  %220 = sub i32 4, %219
  br label %221

221:                                              ; preds = %225, %211
  %222 = phi i32 [ 0, %211 ], [ %231, %225 ]
  %223 = phi i32 [ 0, %211 ], [ %236, %225 ]
  %224 = icmp slt i32 %223, 6
  br i1 %224, label %225, label %237

225:                                              ; preds = %221
  %226 = sext i32 %223 to i64
  %227 = getelementptr inbounds [6 x i32], ptr addrspace(1) @__cudart_i2opi_f, i64 0, i64 %226
  %228 = load i32, ptr addrspace(1) %227, align 4
  %229 = call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 %228, i32 %218, i32 %222) #6, !srcloc !7
  %230 = extractvalue { i32, i32 } %229, 0
  %231 = extractvalue { i32, i32 } %229, 1
  %232 = insertvalue %struct.uint2 undef, i32 %230, 0
  %233 = insertvalue %struct.uint2 %232, i32 %231, 1
  %234 = sext i32 %223 to i64
  %235 = getelementptr inbounds [7 x i32], ptr %6, i64 0, i64 %234
  store i32 %230, ptr %235, align 4
  %236 = add nsw i32 %223, 1
  br label %221, !llvm.loop !8

237:                                              ; preds = %221
  %238 = sext i32 %223 to i64
  %239 = getelementptr inbounds [7 x i32], ptr %6, i64 0, i64 %238
  store i32 %222, ptr %239, align 4
  %240 = and i32 %216, 31
  %241 = add i32 %220, 2
  %242 = sext i32 %241 to i64
  %243 = getelementptr inbounds [7 x i32], ptr %6, i64 0, i64 %242
  %244 = load i32, ptr %243, align 4
  %245 = add i32 %220, 1
  %246 = sext i32 %245 to i64
  %247 = getelementptr inbounds [7 x i32], ptr %6, i64 0, i64 %246
  %248 = load i32, ptr %247, align 4
  %249 = icmp ne i32 %240, 0
  br i1 %249, label %250, label %261

250:                                              ; preds = %237
  %251 = sub i32 32, %240
  %252 = shl i32 %244, %240
  %253 = lshr i32 %248, %251
  %254 = add i32 %252, %253
  %255 = shl i32 %248, %240
  %256 = sext i32 %220 to i64
  %257 = getelementptr inbounds [7 x i32], ptr %6, i64 0, i64 %256
  %258 = load i32, ptr %257, align 4
  %259 = lshr i32 %258, %251
  %260 = add i32 %255, %259
  br label %261

261:                                              ; preds = %250, %237
  %262 = phi i32 [ %254, %250 ], [ %244, %237 ]
  %263 = phi i32 [ %260, %250 ], [ %248, %237 ]
  %264 = lshr i32 %262, 30
  %265 = shl i32 %262, 2
  %266 = lshr i32 %263, 30
  %267 = add i32 %265, %266
  %268 = shl i32 %263, 2
  %269 = lshr i32 %267, 31
  %270 = add i32 %264, %269
  %271 = icmp ne i32 %213, 0
  br i1 %271, label %272, label %274

272:                                              ; preds = %261
  %273 = sub i32 0, %270
  br label %274

274:                                              ; preds = %272, %261
  %275 = phi i32 [ %273, %272 ], [ %270, %261 ]
  %276 = icmp ne i32 %269, 0
  br i1 %276, label %277, label %281

277:                                              ; preds = %274
  %278 = xor i32 %267, -1
  %279 = xor i32 %268, -1
  %280 = xor i32 %213, -2147483648
  br label %281

281:                                              ; preds = %277, %274
  %282 = phi i32 [ %280, %277 ], [ %213, %274 ]
  %283 = phi i32 [ %278, %277 ], [ %267, %274 ]
  %284 = phi i32 [ %279, %277 ], [ %268, %274 ]
  %285 = zext i32 %283 to i64
  %286 = shl i64 %285, 32
  %287 = zext i32 %284 to i64
  %288 = or i64 %286, %287
  %289 = sitofp i64 %288 to double
  %290 = fmul double %289, 0x3BF921FB54442D19
  %291 = fptrunc double %290 to float
  %292 = icmp ne i32 %282, 0
  br i1 %292, label %293, label %295

293:                                              ; preds = %281
  %294 = fsub float -0.000000e+00, %291
  br label %295

295:                                              ; preds = %293, %281
  %296 = phi float [ %294, %293 ], [ %291, %281 ]
  br label %297

297:                                              ; preds = %295, %209
  %298 = phi i32 [ 0, %209 ], [ %275, %295 ]
  %299 = phi float [ %210, %209 ], [ %296, %295 ]
  br label %300

300:                                              ; preds = %297, %188
  %301 = phi i32 [ %298, %297 ], [ %198, %188 ]
  %302 = phi float [ %299, %297 ], [ %202, %188 ]
  %303 = call float @llvm.nvvm.mul.rn.f(float %302, float %302) #5
  %304 = and i32 %301, 1
  %305 = icmp ne i32 %304, 0
  br i1 %305, label %306, label %307

306:                                              ; preds = %300
  br label %308

307:                                              ; preds = %300
  br label %308

308:                                              ; preds = %307, %306
  %309 = phi float [ 1.000000e+00, %306 ], [ %302, %307 ]
  %310 = call float @llvm.nvvm.fma.rn.f(float %303, float %309, float 0.000000e+00) #5
  %311 = and i32 %301, 1
  %312 = icmp ne i32 %311, 0
  br i1 %312, label %313, label %315

313:                                              ; preds = %308
  %314 = call float @llvm.nvvm.fma.rn.f(float 0x3EF9758000000000, float %303, float 0xBF56C0FDA0000000) #5
  br label %316

315:                                              ; preds = %308
  br label %316

316:                                              ; preds = %315, %313
  %317 = phi float [ %314, %313 ], [ 0xBF29A82A60000000, %315 ]
  %318 = and i32 %301, 1
  %319 = icmp ne i32 %318, 0
  %320 = select i1 %319, float 0x3FA5555760000000, float 0x3F8110BC80000000
  %321 = call float @llvm.nvvm.fma.rn.f(float %317, float %303, float %320) #5
  %322 = and i32 %301, 1
  %323 = icmp ne i32 %322, 0
  %324 = select i1 %323, float 0xBFDFFFFFE0000000, float 0xBFC5555500000000
  %325 = call float @llvm.nvvm.fma.rn.f(float %321, float %303, float %324) #5
  %326 = call float @llvm.nvvm.fma.rn.f(float %325, float %310, float %309) #5
  %327 = and i32 %301, 2
  %328 = icmp ne i32 %327, 0
  br i1 %328, label %329, label %331

329:                                              ; preds = %316
  %330 = call float @llvm.nvvm.fma.rn.f(float %326, float -1.000000e+00, float 0.000000e+00) #5
  br label %331

331:                                              ; preds = %316, %329
  %332 = phi float [ %330, %329 ], [ %326, %316 ]
  store float %332, ptr %27, align 4
  %333 = load float, ptr %26, align 4
  %334 = load float, ptr %26, align 4
  %335 = fmul contract float %333, %334
  %336 = getelementptr inbounds nuw %struct.float4, ptr %25, i32 0, i32 0
  %337 = load float, ptr %336, align 16
  store float %337, ptr %14, align 4
  %338 = load float, ptr %14, align 4
  %339 = fmul float %338, 0x3FE45F3060000000
  %340 = call i32 @llvm.nvvm.f2i.rn(float %339) #5
  %341 = sitofp i32 %340 to float
  %342 = call float @llvm.nvvm.fma.rn.f(float %341, float 0xBFF921FB40000000, float %338) #5
  %343 = call float @llvm.nvvm.fma.rn.f(float %341, float 0xBE74442D00000000, float %342) #5
  %344 = call float @llvm.nvvm.fma.rn.f(float %341, float 0xBCF84698A0000000, float %343) #5
  %345 = call float @llvm.nvvm.fabs.f32(float %338)
  %346 = fcmp oge float %345, 1.056150e+05
  br i1 %346, label %347, label %442

347:                                              ; preds = %331
  %348 = call float @llvm.nvvm.fabs.f32(float %338)
  %349 = fcmp oeq float %348, 0x7FF0000000000000
  %350 = select i1 %349, i32 1, i32 0
  br i1 %349, label %351, label %353

351:                                              ; preds = %347
  %352 = call float @llvm.nvvm.mul.rn.f(float %338, float 0.000000e+00) #5
  br label %439

353:                                              ; preds = %347
  %354 = bitcast float %338 to i32
  %355 = and i32 %354, -2147483648
  %356 = lshr i32 %354, 23
  %357 = and i32 %356, 255
  %358 = sub i32 %357, 128
  %359 = shl i32 %354, 8
  %360 = or i32 %359, -2147483648
  %361 = lshr i32 %358, 5
  %362 = sub i32 4, %361
  br label %363

363:                                              ; preds = %367, %353
  %364 = phi i32 [ 0, %353 ], [ %373, %367 ]
  %365 = phi i32 [ 0, %353 ], [ %378, %367 ]
  %366 = icmp slt i32 %365, 6
  br i1 %366, label %367, label %379

367:                                              ; preds = %363
  %368 = sext i32 %365 to i64
  %369 = getelementptr inbounds [6 x i32], ptr addrspace(1) @__cudart_i2opi_f, i64 0, i64 %368
  %370 = load i32, ptr addrspace(1) %369, align 4
  %371 = call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 %370, i32 %360, i32 %364) #6, !srcloc !7
  %372 = extractvalue { i32, i32 } %371, 0
  %373 = extractvalue { i32, i32 } %371, 1
  %374 = insertvalue %struct.uint2 undef, i32 %372, 0
  %375 = insertvalue %struct.uint2 %374, i32 %373, 1
  %376 = sext i32 %365 to i64
  %377 = getelementptr inbounds [7 x i32], ptr %5, i64 0, i64 %376
  store i32 %372, ptr %377, align 4
  %378 = add nsw i32 %365, 1
  br label %363, !llvm.loop !8

379:                                              ; preds = %363
  %380 = sext i32 %365 to i64
  %381 = getelementptr inbounds [7 x i32], ptr %5, i64 0, i64 %380
  store i32 %364, ptr %381, align 4
  %382 = and i32 %358, 31
  %383 = add i32 %362, 2
  %384 = sext i32 %383 to i64
  %385 = getelementptr inbounds [7 x i32], ptr %5, i64 0, i64 %384
  %386 = load i32, ptr %385, align 4
  %387 = add i32 %362, 1
  %388 = sext i32 %387 to i64
  %389 = getelementptr inbounds [7 x i32], ptr %5, i64 0, i64 %388
  %390 = load i32, ptr %389, align 4
  %391 = icmp ne i32 %382, 0
  br i1 %391, label %392, label %403

392:                                              ; preds = %379
  %393 = sub i32 32, %382
  %394 = shl i32 %386, %382
  %395 = lshr i32 %390, %393
  %396 = add i32 %394, %395
  %397 = shl i32 %390, %382
  %398 = sext i32 %362 to i64
  %399 = getelementptr inbounds [7 x i32], ptr %5, i64 0, i64 %398
  %400 = load i32, ptr %399, align 4
  %401 = lshr i32 %400, %393
  %402 = add i32 %397, %401
  br label %403

403:                                              ; preds = %392, %379
  %404 = phi i32 [ %396, %392 ], [ %386, %379 ]
  %405 = phi i32 [ %402, %392 ], [ %390, %379 ]
  %406 = lshr i32 %404, 30
  %407 = shl i32 %404, 2
  %408 = lshr i32 %405, 30
  %409 = add i32 %407, %408
  %410 = shl i32 %405, 2
  %411 = lshr i32 %409, 31
  %412 = add i32 %406, %411
  %413 = icmp ne i32 %355, 0
  br i1 %413, label %414, label %416

414:                                              ; preds = %403
  %415 = sub i32 0, %412
  br label %416

416:                                              ; preds = %414, %403
  %417 = phi i32 [ %415, %414 ], [ %412, %403 ]
  %418 = icmp ne i32 %411, 0
  br i1 %418, label %419, label %423

419:                                              ; preds = %416
  %420 = xor i32 %409, -1
  %421 = xor i32 %410, -1
  %422 = xor i32 %355, -2147483648
  br label %423

423:                                              ; preds = %419, %416
  %424 = phi i32 [ %422, %419 ], [ %355, %416 ]
  %425 = phi i32 [ %420, %419 ], [ %409, %416 ]
  %426 = phi i32 [ %421, %419 ], [ %410, %416 ]
  %427 = zext i32 %425 to i64
  %428 = shl i64 %427, 32
  %429 = zext i32 %426 to i64
  %430 = or i64 %428, %429
  %431 = sitofp i64 %430 to double
  %432 = fmul double %431, 0x3BF921FB54442D19
  %433 = fptrunc double %432 to float
  %434 = icmp ne i32 %424, 0
  br i1 %434, label %435, label %437

435:                                              ; preds = %423
  %436 = fsub float -0.000000e+00, %433
  br label %437

437:                                              ; preds = %435, %423
  %438 = phi float [ %436, %435 ], [ %433, %423 ]
  br label %439

439:                                              ; preds = %437, %351
  %440 = phi i32 [ 0, %351 ], [ %417, %437 ]
  %441 = phi float [ %352, %351 ], [ %438, %437 ]
  br label %442

442:                                              ; preds = %439, %331
  %443 = phi i32 [ %440, %439 ], [ %340, %331 ]
  %444 = phi float [ %441, %439 ], [ %344, %331 ]
  %445 = add i32 %443, 1
  %446 = call float @llvm.nvvm.mul.rn.f(float %444, float %444) #5
  %447 = and i32 %445, 1
  %448 = icmp ne i32 %447, 0
  br i1 %448, label %449, label %450

449:                                              ; preds = %442
  br label %451

450:                                              ; preds = %442
  br label %451

451:                                              ; preds = %450, %449
  %452 = phi float [ 1.000000e+00, %449 ], [ %444, %450 ]
  %453 = call float @llvm.nvvm.fma.rn.f(float %446, float %452, float 0.000000e+00) #5
  %454 = and i32 %445, 1
  %455 = icmp ne i32 %454, 0
  br i1 %455, label %456, label %458

456:                                              ; preds = %451
  %457 = call float @llvm.nvvm.fma.rn.f(float 0x3EF9758000000000, float %446, float 0xBF56C0FDA0000000) #5
  br label %459

458:                                              ; preds = %451
  br label %459

459:                                              ; preds = %458, %456
  %460 = phi float [ %457, %456 ], [ 0xBF29A82A60000000, %458 ]
  %461 = and i32 %445, 1
  %462 = icmp ne i32 %461, 0
  %463 = select i1 %462, float 0x3FA5555760000000, float 0x3F8110BC80000000
  %464 = call float @llvm.nvvm.fma.rn.f(float %460, float %446, float %463) #5
  %465 = and i32 %445, 1
  %466 = icmp ne i32 %465, 0
  %467 = select i1 %466, float 0xBFDFFFFFE0000000, float 0xBFC5555500000000
  %468 = call float @llvm.nvvm.fma.rn.f(float %464, float %446, float %467) #5
  %469 = call float @llvm.nvvm.fma.rn.f(float %468, float %453, float %452) #5
  %470 = and i32 %445, 2
  %471 = icmp ne i32 %470, 0
  br i1 %471, label %472, label %474

472:                                              ; preds = %459
  %473 = call float @llvm.nvvm.fma.rn.f(float %469, float -1.000000e+00, float 0.000000e+00) #5
  br label %474

474:                                              ; preds = %459, %472
  %475 = phi float [ %473, %472 ], [ %469, %459 ]
  %476 = getelementptr inbounds nuw %struct.float4, ptr %25, i32 0, i32 2
  %477 = load float, ptr %476, align 8
  store float %477, ptr %15, align 4
  %478 = load float, ptr %15, align 4
  %479 = fmul float %478, 0x3FE45F3060000000
  %480 = call i32 @llvm.nvvm.f2i.rn(float %479) #5
  %481 = sitofp i32 %480 to float
  %482 = call float @llvm.nvvm.fma.rn.f(float %481, float 0xBFF921FB40000000, float %478) #5
  %483 = call float @llvm.nvvm.fma.rn.f(float %481, float 0xBE74442D00000000, float %482) #5
  %484 = call float @llvm.nvvm.fma.rn.f(float %481, float 0xBCF84698A0000000, float %483) #5
  %485 = call float @llvm.nvvm.fabs.f32(float %478)
  %486 = fcmp oge float %485, 1.056150e+05
  br i1 %486, label %487, label %582

487:                                              ; preds = %474
  %488 = call float @llvm.nvvm.fabs.f32(float %478)
  %489 = fcmp oeq float %488, 0x7FF0000000000000
  %490 = select i1 %489, i32 1, i32 0
  br i1 %489, label %491, label %493

491:                                              ; preds = %487
  %492 = call float @llvm.nvvm.mul.rn.f(float %478, float 0.000000e+00) #5
  br label %579

493:                                              ; preds = %487
  %494 = bitcast float %478 to i32
  %495 = and i32 %494, -2147483648
  %496 = lshr i32 %494, 23
  %497 = and i32 %496, 255
  %498 = sub i32 %497, 128
  %499 = shl i32 %494, 8
  %500 = or i32 %499, -2147483648
  %501 = lshr i32 %498, 5
  %502 = sub i32 4, %501
  br label %503

503:                                              ; preds = %507, %493
  %504 = phi i32 [ 0, %493 ], [ %513, %507 ]
  %505 = phi i32 [ 0, %493 ], [ %518, %507 ]
  %506 = icmp slt i32 %505, 6
  br i1 %506, label %507, label %519

507:                                              ; preds = %503
  %508 = sext i32 %505 to i64
  %509 = getelementptr inbounds [6 x i32], ptr addrspace(1) @__cudart_i2opi_f, i64 0, i64 %508
  %510 = load i32, ptr addrspace(1) %509, align 4
  %511 = call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 %510, i32 %500, i32 %504) #6, !srcloc !7
  %512 = extractvalue { i32, i32 } %511, 0
  %513 = extractvalue { i32, i32 } %511, 1
  %514 = insertvalue %struct.uint2 undef, i32 %512, 0
  %515 = insertvalue %struct.uint2 %514, i32 %513, 1
  %516 = sext i32 %505 to i64
  %517 = getelementptr inbounds [7 x i32], ptr %4, i64 0, i64 %516
  store i32 %512, ptr %517, align 4
  %518 = add nsw i32 %505, 1
  br label %503, !llvm.loop !8

519:                                              ; preds = %503
  %520 = sext i32 %505 to i64
  %521 = getelementptr inbounds [7 x i32], ptr %4, i64 0, i64 %520
  store i32 %504, ptr %521, align 4
  %522 = and i32 %498, 31
  %523 = add i32 %502, 2
  %524 = sext i32 %523 to i64
  %525 = getelementptr inbounds [7 x i32], ptr %4, i64 0, i64 %524
  %526 = load i32, ptr %525, align 4
  %527 = add i32 %502, 1
  %528 = sext i32 %527 to i64
  %529 = getelementptr inbounds [7 x i32], ptr %4, i64 0, i64 %528
  %530 = load i32, ptr %529, align 4
  %531 = icmp ne i32 %522, 0
  br i1 %531, label %532, label %543

532:                                              ; preds = %519
  %533 = sub i32 32, %522
  %534 = shl i32 %526, %522
  %535 = lshr i32 %530, %533
  %536 = add i32 %534, %535
  %537 = shl i32 %530, %522
  %538 = sext i32 %502 to i64
  %539 = getelementptr inbounds [7 x i32], ptr %4, i64 0, i64 %538
  %540 = load i32, ptr %539, align 4
  %541 = lshr i32 %540, %533
  %542 = add i32 %537, %541
  br label %543

543:                                              ; preds = %532, %519
  %544 = phi i32 [ %536, %532 ], [ %526, %519 ]
  %545 = phi i32 [ %542, %532 ], [ %530, %519 ]
  %546 = lshr i32 %544, 30
  %547 = shl i32 %544, 2
  %548 = lshr i32 %545, 30
  %549 = add i32 %547, %548
  %550 = shl i32 %545, 2
  %551 = lshr i32 %549, 31
  %552 = add i32 %546, %551
  %553 = icmp ne i32 %495, 0
  br i1 %553, label %554, label %556

554:                                              ; preds = %543
  %555 = sub i32 0, %552
  br label %556

556:                                              ; preds = %554, %543
  %557 = phi i32 [ %555, %554 ], [ %552, %543 ]
  %558 = icmp ne i32 %551, 0
  br i1 %558, label %559, label %563

559:                                              ; preds = %556
  %560 = xor i32 %549, -1
  %561 = xor i32 %550, -1
  %562 = xor i32 %495, -2147483648
  br label %563

563:                                              ; preds = %559, %556
  %564 = phi i32 [ %562, %559 ], [ %495, %556 ]
  %565 = phi i32 [ %560, %559 ], [ %549, %556 ]
  %566 = phi i32 [ %561, %559 ], [ %550, %556 ]
  %567 = zext i32 %565 to i64
  %568 = shl i64 %567, 32
  %569 = zext i32 %566 to i64
  %570 = or i64 %568, %569
  %571 = sitofp i64 %570 to double
  %572 = fmul double %571, 0x3BF921FB54442D19
  %573 = fptrunc double %572 to float
  %574 = icmp ne i32 %564, 0
  br i1 %574, label %575, label %577

575:                                              ; preds = %563
  %576 = fsub float -0.000000e+00, %573
  br label %577

577:                                              ; preds = %575, %563
  %578 = phi float [ %576, %575 ], [ %573, %563 ]
  br label %579

579:                                              ; preds = %577, %491
  %580 = phi i32 [ 0, %491 ], [ %557, %577 ]
  %581 = phi float [ %492, %491 ], [ %578, %577 ]
  br label %582

582:                                              ; preds = %579, %474
  %583 = phi i32 [ %580, %579 ], [ %480, %474 ]
  %584 = phi float [ %581, %579 ], [ %484, %474 ]
  %585 = add i32 %583, 1
  %586 = call float @llvm.nvvm.mul.rn.f(float %584, float %584) #5
  %587 = and i32 %585, 1
  %588 = icmp ne i32 %587, 0
  br i1 %588, label %589, label %590

589:                                              ; preds = %582
  br label %591

590:                                              ; preds = %582
  br label %591

591:                                              ; preds = %590, %589
  %592 = phi float [ 1.000000e+00, %589 ], [ %584, %590 ]
  %593 = call float @llvm.nvvm.fma.rn.f(float %586, float %592, float 0.000000e+00) #5
  %594 = and i32 %585, 1
  %595 = icmp ne i32 %594, 0
  br i1 %595, label %596, label %598

596:                                              ; preds = %591
  %597 = call float @llvm.nvvm.fma.rn.f(float 0x3EF9758000000000, float %586, float 0xBF56C0FDA0000000) #5
  br label %599

598:                                              ; preds = %591
  br label %599

599:                                              ; preds = %598, %596
  %600 = phi float [ %597, %596 ], [ 0xBF29A82A60000000, %598 ]
  %601 = and i32 %585, 1
  %602 = icmp ne i32 %601, 0
  %603 = select i1 %602, float 0x3FA5555760000000, float 0x3F8110BC80000000
  %604 = call float @llvm.nvvm.fma.rn.f(float %600, float %586, float %603) #5
  %605 = and i32 %585, 1
  %606 = icmp ne i32 %605, 0
  %607 = select i1 %606, float 0xBFDFFFFFE0000000, float 0xBFC5555500000000
  %608 = call float @llvm.nvvm.fma.rn.f(float %604, float %586, float %607) #5
  %609 = call float @llvm.nvvm.fma.rn.f(float %608, float %593, float %592) #5
  %610 = and i32 %585, 2
  %611 = icmp ne i32 %610, 0
  br i1 %611, label %612, label %614

612:                                              ; preds = %599
  %613 = call float @llvm.nvvm.fma.rn.f(float %609, float -1.000000e+00, float 0.000000e+00) #5
  br label %614

614:                                              ; preds = %599, %612
  %615 = phi float [ %613, %612 ], [ %609, %599 ]
  %616 = fmul contract float %475, %615
  %617 = load float, ptr %27, align 4
  %618 = fmul contract float %616, %617
  %619 = load float, ptr %27, align 4
  %620 = fmul contract float %618, %619
  %621 = fadd contract float %335, %620
  store float %621, ptr %28, align 4
  %622 = load float, ptr %21, align 4
  %623 = load float, ptr %28, align 4
  store float %623, ptr %8, align 4
  %624 = load float, ptr %8, align 4
  %625 = call float @llvm.nvvm.sqrt.approx.f(float %624) #5
  store float %625, ptr %9, align 4
  store float 1.000000e+00, ptr %10, align 4
  %626 = load float, ptr %9, align 4
  %627 = load float, ptr %10, align 4
  %628 = call float @llvm.nvvm.fmin.f(float %626, float %627)
  store float %628, ptr %11, align 4
  %629 = load float, ptr %11, align 4
  %630 = call float @llvm.nvvm.fabs.f32(float %629)
  %631 = fsub float -0.000000e+00, %630
  %632 = call float @llvm.nvvm.fma.rn.f(float 5.000000e-01, float %631, float 5.000000e-01) #5
  %633 = call float @llvm.nvvm.rsqrt.approx.ftz.f(float %632) #5
  %634 = fmul float %633, %632
  %635 = fmul float 5.000000e-01, %633
  %636 = fsub float -0.000000e+00, %634
  %637 = call float @llvm.nvvm.fma.rn.f(float %636, float %635, float 5.000000e-01) #5
  %638 = call float @llvm.nvvm.fma.rn.f(float %634, float %637, float %634) #5
  %639 = fcmp oeq float %630, 1.000000e+00
  br i1 %639, label %640, label %641

640:                                              ; preds = %614
  br label %642

641:                                              ; preds = %614
  br label %642

642:                                              ; preds = %641, %640
  %643 = phi float [ 0.000000e+00, %640 ], [ %638, %641 ]
  %644 = fcmp ogt float %630, 0x3FE1EB8520000000
  br i1 %644, label %645, label %646

645:                                              ; preds = %642
  br label %647

646:                                              ; preds = %642
  br label %647

647:                                              ; preds = %646, %645
  %648 = phi float [ %643, %645 ], [ %630, %646 ]
  %649 = fmul float %648, %648
  %650 = call float @llvm.nvvm.fma.rn.f(float 0x3FA9BA5EE0000000, float %649, float 0x3F933952E0000000) #5
  %651 = call float @llvm.nvvm.fma.rn.f(float %650, float %649, float 0x3FA7F21D00000000) #5
  %652 = call float @llvm.nvvm.fma.rn.f(float %651, float %649, float 0x3FB32799E0000000) #5
  %653 = call float @llvm.nvvm.fma.rn.f(float %652, float %649, float 0x3FC5558080000000) #5
  %654 = fmul float %653, %649
  %655 = call float @llvm.nvvm.fma.rn.f(float %654, float %648, float %648) #5
  %656 = fmul float -2.000000e+00, %655
  %657 = call float @llvm.nvvm.fma.rn.f(float 0x3FEDDCB020000000, float 0x3FFAEE9D60000000, float %656) #5
  %658 = fcmp ogt float %630, 0x3FE1EB8520000000
  br i1 %658, label %659, label %660

659:                                              ; preds = %647
  br label %660

660:                                              ; preds = %659, %647
  %661 = phi float [ %657, %659 ], [ %655, %647 ]
  %662 = fcmp ole float %661, 0x7FF0000000000000
  br i1 %662, label %663, label %665

663:                                              ; preds = %660
  %664 = call float @llvm.copysign.f32(float %661, float %629) #5
  br label %665

665:                                              ; preds = %660, %663
  %666 = phi float [ %664, %663 ], [ %661, %660 ]
  %667 = fmul contract float 2.000000e+00, %666
  store float %622, ptr %12, align 4
  store float %667, ptr %13, align 4
  %668 = load float, ptr %12, align 4
  %669 = load float, ptr %13, align 4
  %670 = call float @llvm.nvvm.fmax.f(float %668, float %669)
  store float %670, ptr %21, align 4
  br label %671

671:                                              ; preds = %665
  %672 = load i32, ptr %22, align 4
  %673 = load i32, ptr %24, align 4
  %674 = add nsw i32 %673, %672
  store i32 %674, ptr %24, align 4
  br label %38, !llvm.loop !10

675:                                              ; preds = %38
  %676 = load float, ptr %21, align 4
  %677 = load ptr, ptr %19, align 8
  %678 = load i32, ptr %23, align 4
  %679 = sext i32 %678 to i64
  %680 = getelementptr inbounds float, ptr %677, i64 %679
  store float %676, ptr %680, align 4
  ret void
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, -2147483648) i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fmin.ftz.f(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fmin.f(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fmax.ftz.f(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fmax.f(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.sqrt.rn.ftz.f(float) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.sqrt.approx.ftz.f(float) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.sqrt.rn.f(float) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.sqrt.approx.f(float) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.nvvm.f2i.rn.ftz(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.nvvm.f2i.rn(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fma.rn.ftz.f(float, float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fma.rn.f(float, float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fabs.ftz.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fabs.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.mul.rn.ftz.f(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.mul.rn.f(float, float) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.rsqrt.approx.ftz.f(float) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.copysign.f32(float, float) #4

attributes #0 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #4 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { nounwind }
attributes #6 = { nounwind memory(none) }

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
!7 = !{i32 33610, i32 33614, i32 33659, i32 33704}
!8 = distinct !{!8, !9}
!9 = !{!"llvm.loop.unroll.count", i32 6}
!10 = distinct !{!10, !11}
!11 = !{!"llvm.loop.mustprogress"}
