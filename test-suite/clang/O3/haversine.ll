; ModuleID = 'haversine.cu'
source_filename = "haversine.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.float4 = type { float, float, float, float }

; Function Attrs: noinline norecurse nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @haversine(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = alloca [7 x i32], align 4
  %5 = alloca [7 x i32], align 4
  %6 = alloca [7 x i32], align 4
  %7 = alloca [7 x i32], align 4
  %8 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %9 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %10 = mul i32 %8, %9
  %11 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %12 = mul i32 %11, %9
  %13 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %14 = add i32 %12, %13
  %15 = icmp slt i32 %14, %2
  br i1 %15, label %16, label %41

16:                                               ; preds = %3
  %17 = getelementptr inbounds nuw i8, ptr %7, i64 4
  %18 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %19 = getelementptr inbounds nuw i8, ptr %7, i64 12
  %20 = getelementptr inbounds nuw i8, ptr %7, i64 16
  %21 = getelementptr inbounds nuw i8, ptr %7, i64 20
  %22 = getelementptr inbounds nuw i8, ptr %7, i64 24
  %23 = getelementptr inbounds nuw i8, ptr %6, i64 4
  %24 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %25 = getelementptr inbounds nuw i8, ptr %6, i64 12
  %26 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %27 = getelementptr inbounds nuw i8, ptr %6, i64 20
  %28 = getelementptr inbounds nuw i8, ptr %6, i64 24
  %29 = getelementptr inbounds nuw i8, ptr %5, i64 4
  %30 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %31 = getelementptr inbounds nuw i8, ptr %5, i64 12
  %32 = getelementptr inbounds nuw i8, ptr %5, i64 16
  %33 = getelementptr inbounds nuw i8, ptr %5, i64 20
  %34 = getelementptr inbounds nuw i8, ptr %5, i64 24
  %35 = getelementptr inbounds nuw i8, ptr %4, i64 4
  %36 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %37 = getelementptr inbounds nuw i8, ptr %4, i64 12
  %38 = getelementptr inbounds nuw i8, ptr %4, i64 16
  %39 = getelementptr inbounds nuw i8, ptr %4, i64 20
  %40 = getelementptr inbounds nuw i8, ptr %4, i64 24
  br label %45

41:                                               ; preds = %440, %3
  %42 = phi float [ 0.000000e+00, %3 ], [ %493, %440 ]
  %43 = sext i32 %14 to i64
  %44 = getelementptr inbounds float, ptr %1, i64 %43
  store float %42, ptr %44, align 4, !tbaa !11
  ret void

45:                                               ; preds = %16, %440
  %46 = phi float [ %493, %440 ], [ 0.000000e+00, %16 ]
  %47 = phi i32 [ %494, %440 ], [ %14, %16 ]
  %48 = sext i32 %47 to i64
  %49 = getelementptr inbounds %struct.float4, ptr %0, i64 %48
  %50 = load float, ptr %49, align 16, !tbaa !11
  %51 = getelementptr inbounds nuw i8, ptr %49, i64 4
  %52 = load float, ptr %51, align 4, !tbaa !11
  %53 = getelementptr inbounds nuw i8, ptr %49, i64 8
  %54 = load float, ptr %53, align 8, !tbaa !11
  %55 = getelementptr inbounds nuw i8, ptr %49, i64 12
  %56 = load float, ptr %55, align 4, !tbaa !11
  %57 = fsub contract float %54, %50
  %58 = fmul contract float %57, 5.000000e-01
  call void @llvm.lifetime.start.p0(ptr nonnull %7)
  %59 = fmul float %58, 0x3FE45F3060000000
  %60 = tail call i32 @llvm.nvvm.f2i.rn(float %59) #6
  %61 = sitofp i32 %60 to float
  %62 = tail call float @llvm.fma.f32(float %61, float 0xBFF921FB40000000, float %58)
  %63 = tail call float @llvm.fma.f32(float %61, float 0xBE74442D00000000, float %62)
  %64 = tail call float @llvm.fma.f32(float %61, float 0xBCF84698A0000000, float %63)
  %65 = tail call float @llvm.nvvm.fabs.f32(float %58)
  %66 = fcmp ult float %65, 1.056150e+05
  br i1 %66, label %139, label %67

67:                                               ; preds = %45
  %68 = fcmp oeq float %65, 0x7FF0000000000000
  br i1 %68, label %69, label %71

69:                                               ; preds = %67
  %70 = tail call float @llvm.nvvm.mul.rn.f(float %58, float 0.000000e+00) #6
  br label %139

71:                                               ; preds = %67
  %72 = bitcast float %58 to i32
  %73 = shl i32 %72, 8
  %74 = or i32 %73, -2147483648
  %75 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 1011060801, i32 %74, i32 0) #7, !srcloc !13
  %76 = extractvalue { i32, i32 } %75, 0
  %77 = extractvalue { i32, i32 } %75, 1
  store i32 %76, ptr %7, align 4
  %78 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 -614296167, i32 %74, i32 %77) #7, !srcloc !13
  %79 = extractvalue { i32, i32 } %78, 0
  %80 = extractvalue { i32, i32 } %78, 1
  store i32 %79, ptr %17, align 4
  %81 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 -181084736, i32 %74, i32 %80) #7, !srcloc !13
  %82 = extractvalue { i32, i32 } %81, 0
  %83 = extractvalue { i32, i32 } %81, 1
  store i32 %82, ptr %18, align 4
  %84 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 -64530479, i32 %74, i32 %83) #7, !srcloc !13
  %85 = extractvalue { i32, i32 } %84, 0
  %86 = extractvalue { i32, i32 } %84, 1
  store i32 %85, ptr %19, align 4
  %87 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 1313084713, i32 %74, i32 %86) #7, !srcloc !13
  %88 = extractvalue { i32, i32 } %87, 0
  %89 = extractvalue { i32, i32 } %87, 1
  store i32 %88, ptr %20, align 4
  %90 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 -1560706194, i32 %74, i32 %89) #7, !srcloc !13
  %91 = extractvalue { i32, i32 } %90, 0
  %92 = extractvalue { i32, i32 } %90, 1
  store i32 %91, ptr %21, align 4
  %93 = lshr i32 %72, 23
  %94 = and i32 %93, 224
  %95 = add nsw i32 %94, -128
  %96 = lshr exact i32 %95, 5
  store i32 %92, ptr %22, align 4
  %97 = sub nsw i32 6, %96
  %98 = sext i32 %97 to i64
  %99 = getelementptr inbounds i32, ptr %7, i64 %98
  %100 = load i32, ptr %99, align 4
  %101 = sub nsw i32 5, %96
  %102 = sext i32 %101 to i64
  %103 = getelementptr inbounds i32, ptr %7, i64 %102
  %104 = load i32, ptr %103, align 4
  %105 = freeze i32 %104
  %106 = and i32 %72, 260046848
  %107 = icmp eq i32 %106, 0
  br i1 %107, label %114, label %108

108:                                              ; preds = %71
  %109 = sub nsw i32 4, %96
  %110 = sext i32 %109 to i64
  %111 = getelementptr inbounds i32, ptr %7, i64 %110
  %112 = load i32, ptr %111, align 4
  %113 = tail call i32 @llvm.fshl.i32(i32 %105, i32 %112, i32 %93)
  br label %114

114:                                              ; preds = %108, %71
  %115 = phi i32 [ %113, %108 ], [ %105, %71 ]
  %116 = tail call i32 @llvm.fshl.i32(i32 %100, i32 %105, i32 %93)
  %117 = lshr i32 %116, 30
  %118 = tail call i32 @llvm.fshl.i32(i32 %116, i32 %115, i32 2)
  %119 = shl i32 %115, 2
  %120 = lshr i32 %118, 31
  %121 = add nuw nsw i32 %120, %117
  %122 = sub nsw i32 0, %121
  %123 = icmp slt i32 %72, 0
  %124 = select i1 %123, i32 %122, i32 %121
  %125 = xor i32 %118, %72
  %126 = ashr i32 %118, 31
  %127 = xor i32 %126, %118
  %128 = xor i32 %126, %119
  %129 = zext i32 %127 to i64
  %130 = shl nuw i64 %129, 32
  %131 = zext i32 %128 to i64
  %132 = or disjoint i64 %130, %131
  %133 = sitofp i64 %132 to double
  %134 = fmul double %133, 0x3BF921FB54442D19
  %135 = fptrunc double %134 to float
  %136 = fneg float %135
  %137 = icmp slt i32 %125, 0
  %138 = select i1 %137, float %136, float %135
  br label %139

139:                                              ; preds = %45, %69, %114
  %140 = phi i32 [ %60, %45 ], [ 0, %69 ], [ %124, %114 ]
  %141 = phi float [ %64, %45 ], [ %70, %69 ], [ %138, %114 ]
  %142 = tail call float @llvm.nvvm.mul.rn.f(float %141, float %141) #6
  %143 = and i32 %140, 1
  %144 = icmp eq i32 %143, 0
  %145 = select i1 %144, float %141, float 1.000000e+00
  %146 = tail call float @llvm.fma.f32(float %142, float %145, float 0.000000e+00)
  %147 = tail call float @llvm.fma.f32(float %142, float 0x3EF9758000000000, float 0xBF56C0FDA0000000)
  %148 = select i1 %144, float 0xBF29A82A60000000, float %147
  %149 = select i1 %144, float 0x3F8110BC80000000, float 0x3FA5555760000000
  %150 = tail call float @llvm.fma.f32(float %148, float %142, float %149)
  %151 = select i1 %144, float 0xBFC5555500000000, float 0xBFDFFFFFE0000000
  %152 = tail call float @llvm.fma.f32(float %150, float %142, float %151)
  %153 = tail call float @llvm.fma.f32(float %152, float %146, float %145)
  %154 = and i32 %140, 2
  %155 = icmp eq i32 %154, 0
  %156 = fsub float 0.000000e+00, %153
  %157 = select i1 %155, float %153, float %156
  call void @llvm.lifetime.end.p0(ptr nonnull %7)
  %158 = fsub contract float %56, %52
  %159 = fmul contract float %158, 5.000000e-01
  call void @llvm.lifetime.start.p0(ptr nonnull %6)
  %160 = fmul float %159, 0x3FE45F3060000000
  %161 = tail call i32 @llvm.nvvm.f2i.rn(float %160) #6
  %162 = sitofp i32 %161 to float
  %163 = tail call float @llvm.fma.f32(float %162, float 0xBFF921FB40000000, float %159)
  %164 = tail call float @llvm.fma.f32(float %162, float 0xBE74442D00000000, float %163)
  %165 = tail call float @llvm.fma.f32(float %162, float 0xBCF84698A0000000, float %164)
  %166 = tail call float @llvm.nvvm.fabs.f32(float %159)
  %167 = fcmp ult float %166, 1.056150e+05
  br i1 %167, label %240, label %168

168:                                              ; preds = %139
  %169 = fcmp oeq float %166, 0x7FF0000000000000
  br i1 %169, label %170, label %172

170:                                              ; preds = %168
  %171 = tail call float @llvm.nvvm.mul.rn.f(float %159, float 0.000000e+00) #6
  br label %240

172:                                              ; preds = %168
  %173 = bitcast float %159 to i32
  %174 = shl i32 %173, 8
  %175 = or i32 %174, -2147483648
  %176 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 1011060801, i32 %175, i32 0) #7, !srcloc !13
  %177 = extractvalue { i32, i32 } %176, 0
  %178 = extractvalue { i32, i32 } %176, 1
  store i32 %177, ptr %6, align 4
  %179 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 -614296167, i32 %175, i32 %178) #7, !srcloc !13
  %180 = extractvalue { i32, i32 } %179, 0
  %181 = extractvalue { i32, i32 } %179, 1
  store i32 %180, ptr %23, align 4
  %182 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 -181084736, i32 %175, i32 %181) #7, !srcloc !13
  %183 = extractvalue { i32, i32 } %182, 0
  %184 = extractvalue { i32, i32 } %182, 1
  store i32 %183, ptr %24, align 4
  %185 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 -64530479, i32 %175, i32 %184) #7, !srcloc !13
  %186 = extractvalue { i32, i32 } %185, 0
  %187 = extractvalue { i32, i32 } %185, 1
  store i32 %186, ptr %25, align 4
  %188 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 1313084713, i32 %175, i32 %187) #7, !srcloc !13
  %189 = extractvalue { i32, i32 } %188, 0
  %190 = extractvalue { i32, i32 } %188, 1
  store i32 %189, ptr %26, align 4
  %191 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 -1560706194, i32 %175, i32 %190) #7, !srcloc !13
  %192 = extractvalue { i32, i32 } %191, 0
  %193 = extractvalue { i32, i32 } %191, 1
  store i32 %192, ptr %27, align 4
  %194 = lshr i32 %173, 23
  %195 = and i32 %194, 224
  %196 = add nsw i32 %195, -128
  %197 = lshr exact i32 %196, 5
  store i32 %193, ptr %28, align 4
  %198 = sub nsw i32 6, %197
  %199 = sext i32 %198 to i64
  %200 = getelementptr inbounds i32, ptr %6, i64 %199
  %201 = load i32, ptr %200, align 4
  %202 = sub nsw i32 5, %197
  %203 = sext i32 %202 to i64
  %204 = getelementptr inbounds i32, ptr %6, i64 %203
  %205 = load i32, ptr %204, align 4
  %206 = freeze i32 %205
  %207 = and i32 %173, 260046848
  %208 = icmp eq i32 %207, 0
  br i1 %208, label %215, label %209

209:                                              ; preds = %172
  %210 = sub nsw i32 4, %197
  %211 = sext i32 %210 to i64
  %212 = getelementptr inbounds i32, ptr %6, i64 %211
  %213 = load i32, ptr %212, align 4
  %214 = tail call i32 @llvm.fshl.i32(i32 %206, i32 %213, i32 %194)
  br label %215

215:                                              ; preds = %209, %172
  %216 = phi i32 [ %214, %209 ], [ %206, %172 ]
  %217 = tail call i32 @llvm.fshl.i32(i32 %201, i32 %206, i32 %194)
  %218 = lshr i32 %217, 30
  %219 = tail call i32 @llvm.fshl.i32(i32 %217, i32 %216, i32 2)
  %220 = shl i32 %216, 2
  %221 = lshr i32 %219, 31
  %222 = add nuw nsw i32 %221, %218
  %223 = sub nsw i32 0, %222
  %224 = icmp slt i32 %173, 0
  %225 = select i1 %224, i32 %223, i32 %222
  %226 = xor i32 %219, %173
  %227 = ashr i32 %219, 31
  %228 = xor i32 %227, %219
  %229 = xor i32 %227, %220
  %230 = zext i32 %228 to i64
  %231 = shl nuw i64 %230, 32
  %232 = zext i32 %229 to i64
  %233 = or disjoint i64 %231, %232
  %234 = sitofp i64 %233 to double
  %235 = fmul double %234, 0x3BF921FB54442D19
  %236 = fptrunc double %235 to float
  %237 = fneg float %236
  %238 = icmp slt i32 %226, 0
  %239 = select i1 %238, float %237, float %236
  br label %240

240:                                              ; preds = %139, %170, %215
  %241 = phi i32 [ %161, %139 ], [ 0, %170 ], [ %225, %215 ]
  %242 = phi float [ %165, %139 ], [ %171, %170 ], [ %239, %215 ]
  %243 = tail call float @llvm.nvvm.mul.rn.f(float %242, float %242) #6
  %244 = and i32 %241, 1
  %245 = icmp eq i32 %244, 0
  %246 = select i1 %245, float %242, float 1.000000e+00
  %247 = tail call float @llvm.fma.f32(float %243, float %246, float 0.000000e+00)
  %248 = tail call float @llvm.fma.f32(float %243, float 0x3EF9758000000000, float 0xBF56C0FDA0000000)
  %249 = select i1 %245, float 0xBF29A82A60000000, float %248
  %250 = select i1 %245, float 0x3F8110BC80000000, float 0x3FA5555760000000
  %251 = tail call float @llvm.fma.f32(float %249, float %243, float %250)
  %252 = select i1 %245, float 0xBFC5555500000000, float 0xBFDFFFFFE0000000
  %253 = tail call float @llvm.fma.f32(float %251, float %243, float %252)
  %254 = tail call float @llvm.fma.f32(float %253, float %247, float %246)
  %255 = and i32 %241, 2
  %256 = icmp eq i32 %255, 0
  %257 = fsub float 0.000000e+00, %254
  %258 = select i1 %256, float %254, float %257
  call void @llvm.lifetime.end.p0(ptr nonnull %6)
  %259 = fmul contract float %157, %157
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  %260 = fmul float %50, 0x3FE45F3060000000
  %261 = tail call i32 @llvm.nvvm.f2i.rn(float %260) #6
  %262 = sitofp i32 %261 to float
  %263 = tail call float @llvm.fma.f32(float %262, float 0xBFF921FB40000000, float %50)
  %264 = tail call float @llvm.fma.f32(float %262, float 0xBE74442D00000000, float %263)
  %265 = tail call float @llvm.fma.f32(float %262, float 0xBCF84698A0000000, float %264)
  %266 = tail call float @llvm.nvvm.fabs.f32(float %50)
  %267 = fcmp ult float %266, 1.056150e+05
  br i1 %267, label %340, label %268

268:                                              ; preds = %240
  %269 = fcmp oeq float %266, 0x7FF0000000000000
  br i1 %269, label %270, label %272

270:                                              ; preds = %268
  %271 = tail call float @llvm.nvvm.mul.rn.f(float %50, float 0.000000e+00) #6
  br label %340

272:                                              ; preds = %268
  %273 = bitcast float %50 to i32
  %274 = shl i32 %273, 8
  %275 = or i32 %274, -2147483648
  %276 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 1011060801, i32 %275, i32 0) #7, !srcloc !13
  %277 = extractvalue { i32, i32 } %276, 0
  %278 = extractvalue { i32, i32 } %276, 1
  store i32 %277, ptr %5, align 4
  %279 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 -614296167, i32 %275, i32 %278) #7, !srcloc !13
  %280 = extractvalue { i32, i32 } %279, 0
  %281 = extractvalue { i32, i32 } %279, 1
  store i32 %280, ptr %29, align 4
  %282 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 -181084736, i32 %275, i32 %281) #7, !srcloc !13
  %283 = extractvalue { i32, i32 } %282, 0
  %284 = extractvalue { i32, i32 } %282, 1
  store i32 %283, ptr %30, align 4
  %285 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 -64530479, i32 %275, i32 %284) #7, !srcloc !13
  %286 = extractvalue { i32, i32 } %285, 0
  %287 = extractvalue { i32, i32 } %285, 1
  store i32 %286, ptr %31, align 4
  %288 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 1313084713, i32 %275, i32 %287) #7, !srcloc !13
  %289 = extractvalue { i32, i32 } %288, 0
  %290 = extractvalue { i32, i32 } %288, 1
  store i32 %289, ptr %32, align 4
  %291 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 -1560706194, i32 %275, i32 %290) #7, !srcloc !13
  %292 = extractvalue { i32, i32 } %291, 0
  %293 = extractvalue { i32, i32 } %291, 1
  store i32 %292, ptr %33, align 4
  %294 = lshr i32 %273, 23
  %295 = and i32 %294, 224
  %296 = add nsw i32 %295, -128
  %297 = lshr exact i32 %296, 5
  store i32 %293, ptr %34, align 4
  %298 = sub nsw i32 6, %297
  %299 = sext i32 %298 to i64
  %300 = getelementptr inbounds i32, ptr %5, i64 %299
  %301 = load i32, ptr %300, align 4
  %302 = sub nsw i32 5, %297
  %303 = sext i32 %302 to i64
  %304 = getelementptr inbounds i32, ptr %5, i64 %303
  %305 = load i32, ptr %304, align 4
  %306 = freeze i32 %305
  %307 = and i32 %273, 260046848
  %308 = icmp eq i32 %307, 0
  br i1 %308, label %315, label %309

309:                                              ; preds = %272
  %310 = sub nsw i32 4, %297
  %311 = sext i32 %310 to i64
  %312 = getelementptr inbounds i32, ptr %5, i64 %311
  %313 = load i32, ptr %312, align 4
  %314 = tail call i32 @llvm.fshl.i32(i32 %306, i32 %313, i32 %294)
  br label %315

315:                                              ; preds = %309, %272
  %316 = phi i32 [ %314, %309 ], [ %306, %272 ]
  %317 = tail call i32 @llvm.fshl.i32(i32 %301, i32 %306, i32 %294)
  %318 = lshr i32 %317, 30
  %319 = tail call i32 @llvm.fshl.i32(i32 %317, i32 %316, i32 2)
  %320 = shl i32 %316, 2
  %321 = lshr i32 %319, 31
  %322 = add nuw nsw i32 %321, %318
  %323 = sub nsw i32 0, %322
  %324 = icmp slt i32 %273, 0
  %325 = select i1 %324, i32 %323, i32 %322
  %326 = xor i32 %319, %273
  %327 = ashr i32 %319, 31
  %328 = xor i32 %327, %319
  %329 = xor i32 %327, %320
  %330 = zext i32 %328 to i64
  %331 = shl nuw i64 %330, 32
  %332 = zext i32 %329 to i64
  %333 = or disjoint i64 %331, %332
  %334 = sitofp i64 %333 to double
  %335 = fmul double %334, 0x3BF921FB54442D19
  %336 = fptrunc double %335 to float
  %337 = fneg float %336
  %338 = icmp slt i32 %326, 0
  %339 = select i1 %338, float %337, float %336
  br label %340

340:                                              ; preds = %240, %270, %315
  %341 = phi i32 [ %261, %240 ], [ 0, %270 ], [ %325, %315 ]
  %342 = phi float [ %265, %240 ], [ %271, %270 ], [ %339, %315 ]
  %343 = add i32 %341, 1
  %344 = tail call float @llvm.nvvm.mul.rn.f(float %342, float %342) #6
  %345 = and i32 %341, 1
  %346 = icmp eq i32 %345, 0
  %347 = select i1 %346, float 1.000000e+00, float %342
  %348 = tail call float @llvm.fma.f32(float %344, float %347, float 0.000000e+00)
  %349 = tail call float @llvm.fma.f32(float %344, float 0x3EF9758000000000, float 0xBF56C0FDA0000000)
  %350 = select i1 %346, float %349, float 0xBF29A82A60000000
  %351 = select i1 %346, float 0x3FA5555760000000, float 0x3F8110BC80000000
  %352 = tail call float @llvm.fma.f32(float %350, float %344, float %351)
  %353 = select i1 %346, float 0xBFDFFFFFE0000000, float 0xBFC5555500000000
  %354 = tail call float @llvm.fma.f32(float %352, float %344, float %353)
  %355 = tail call float @llvm.fma.f32(float %354, float %348, float %347)
  %356 = and i32 %343, 2
  %357 = icmp eq i32 %356, 0
  %358 = fsub float 0.000000e+00, %355
  %359 = select i1 %357, float %355, float %358
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  %360 = fmul float %54, 0x3FE45F3060000000
  %361 = tail call i32 @llvm.nvvm.f2i.rn(float %360) #6
  %362 = sitofp i32 %361 to float
  %363 = tail call float @llvm.fma.f32(float %362, float 0xBFF921FB40000000, float %54)
  %364 = tail call float @llvm.fma.f32(float %362, float 0xBE74442D00000000, float %363)
  %365 = tail call float @llvm.fma.f32(float %362, float 0xBCF84698A0000000, float %364)
  %366 = tail call float @llvm.nvvm.fabs.f32(float %54)
  %367 = fcmp ult float %366, 1.056150e+05
  br i1 %367, label %440, label %368

368:                                              ; preds = %340
  %369 = fcmp oeq float %366, 0x7FF0000000000000
  br i1 %369, label %370, label %372

370:                                              ; preds = %368
  %371 = tail call float @llvm.nvvm.mul.rn.f(float %54, float 0.000000e+00) #6
  br label %440

372:                                              ; preds = %368
  %373 = bitcast float %54 to i32
  %374 = shl i32 %373, 8
  %375 = or i32 %374, -2147483648
  %376 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 1011060801, i32 %375, i32 0) #7, !srcloc !13
  %377 = extractvalue { i32, i32 } %376, 0
  %378 = extractvalue { i32, i32 } %376, 1
  store i32 %377, ptr %4, align 4
  %379 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 -614296167, i32 %375, i32 %378) #7, !srcloc !13
  %380 = extractvalue { i32, i32 } %379, 0
  %381 = extractvalue { i32, i32 } %379, 1
  store i32 %380, ptr %35, align 4
  %382 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 -181084736, i32 %375, i32 %381) #7, !srcloc !13
  %383 = extractvalue { i32, i32 } %382, 0
  %384 = extractvalue { i32, i32 } %382, 1
  store i32 %383, ptr %36, align 4
  %385 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 -64530479, i32 %375, i32 %384) #7, !srcloc !13
  %386 = extractvalue { i32, i32 } %385, 0
  %387 = extractvalue { i32, i32 } %385, 1
  store i32 %386, ptr %37, align 4
  %388 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 1313084713, i32 %375, i32 %387) #7, !srcloc !13
  %389 = extractvalue { i32, i32 } %388, 0
  %390 = extractvalue { i32, i32 } %388, 1
  store i32 %389, ptr %38, align 4
  %391 = tail call { i32, i32 } asm "{\0A\09mad.lo.cc.u32   $0, $2, $3, $4;\0A\09madc.hi.u32     $1, $2, $3,  0;\0A\09}", "=r,=r,r,r,r"(i32 -1560706194, i32 %375, i32 %390) #7, !srcloc !13
  %392 = extractvalue { i32, i32 } %391, 0
  %393 = extractvalue { i32, i32 } %391, 1
  store i32 %392, ptr %39, align 4
  %394 = lshr i32 %373, 23
  %395 = and i32 %394, 224
  %396 = add nsw i32 %395, -128
  %397 = lshr exact i32 %396, 5
  store i32 %393, ptr %40, align 4
  %398 = sub nsw i32 6, %397
  %399 = sext i32 %398 to i64
  %400 = getelementptr inbounds i32, ptr %4, i64 %399
  %401 = load i32, ptr %400, align 4
  %402 = sub nsw i32 5, %397
  %403 = sext i32 %402 to i64
  %404 = getelementptr inbounds i32, ptr %4, i64 %403
  %405 = load i32, ptr %404, align 4
  %406 = freeze i32 %405
  %407 = and i32 %373, 260046848
  %408 = icmp eq i32 %407, 0
  br i1 %408, label %415, label %409

409:                                              ; preds = %372
  %410 = sub nsw i32 4, %397
  %411 = sext i32 %410 to i64
  %412 = getelementptr inbounds i32, ptr %4, i64 %411
  %413 = load i32, ptr %412, align 4
  %414 = tail call i32 @llvm.fshl.i32(i32 %406, i32 %413, i32 %394)
  br label %415

415:                                              ; preds = %409, %372
  %416 = phi i32 [ %414, %409 ], [ %406, %372 ]
  %417 = tail call i32 @llvm.fshl.i32(i32 %401, i32 %406, i32 %394)
  %418 = lshr i32 %417, 30
  %419 = tail call i32 @llvm.fshl.i32(i32 %417, i32 %416, i32 2)
  %420 = shl i32 %416, 2
  %421 = lshr i32 %419, 31
  %422 = add nuw nsw i32 %421, %418
  %423 = sub nsw i32 0, %422
  %424 = icmp slt i32 %373, 0
  %425 = select i1 %424, i32 %423, i32 %422
  %426 = xor i32 %419, %373
  %427 = ashr i32 %419, 31
  %428 = xor i32 %427, %419
  %429 = xor i32 %427, %420
  %430 = zext i32 %428 to i64
  %431 = shl nuw i64 %430, 32
  %432 = zext i32 %429 to i64
  %433 = or disjoint i64 %431, %432
  %434 = sitofp i64 %433 to double
  %435 = fmul double %434, 0x3BF921FB54442D19
  %436 = fptrunc double %435 to float
  %437 = fneg float %436
  %438 = icmp slt i32 %426, 0
  %439 = select i1 %438, float %437, float %436
  br label %440

440:                                              ; preds = %340, %370, %415
  %441 = phi i32 [ %361, %340 ], [ 0, %370 ], [ %425, %415 ]
  %442 = phi float [ %365, %340 ], [ %371, %370 ], [ %439, %415 ]
  %443 = add i32 %441, 1
  %444 = tail call float @llvm.nvvm.mul.rn.f(float %442, float %442) #6
  %445 = and i32 %441, 1
  %446 = icmp eq i32 %445, 0
  %447 = select i1 %446, float 1.000000e+00, float %442
  %448 = tail call float @llvm.fma.f32(float %444, float %447, float 0.000000e+00)
  %449 = tail call float @llvm.fma.f32(float %444, float 0x3EF9758000000000, float 0xBF56C0FDA0000000)
  %450 = select i1 %446, float %449, float 0xBF29A82A60000000
  %451 = select i1 %446, float 0x3FA5555760000000, float 0x3F8110BC80000000
  %452 = tail call float @llvm.fma.f32(float %450, float %444, float %451)
  %453 = select i1 %446, float 0xBFDFFFFFE0000000, float 0xBFC5555500000000
  %454 = tail call float @llvm.fma.f32(float %452, float %444, float %453)
  %455 = tail call float @llvm.fma.f32(float %454, float %448, float %447)
  %456 = and i32 %443, 2
  %457 = icmp eq i32 %456, 0
  %458 = fsub float 0.000000e+00, %455
  %459 = select i1 %457, float %455, float %458
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  %460 = fmul contract float %359, %459
  %461 = fmul contract float %258, %460
  %462 = fmul contract float %258, %461
  %463 = fadd contract float %259, %462
  %464 = tail call noundef float @llvm.nvvm.sqrt.approx.f(float %463) #6
  %465 = tail call noundef float @llvm.minnum.f32(float %464, float 1.000000e+00)
  %466 = tail call float @llvm.nvvm.fabs.f32(float %465)
  %467 = fneg float %466
  %468 = tail call float @llvm.fma.f32(float %467, float 5.000000e-01, float 5.000000e-01)
  %469 = tail call float @llvm.nvvm.rsqrt.approx.ftz.f(float %468) #6
  %470 = fmul float %469, %468
  %471 = fmul float %469, 5.000000e-01
  %472 = fneg float %470
  %473 = tail call float @llvm.fma.f32(float %472, float %471, float 5.000000e-01)
  %474 = tail call float @llvm.fma.f32(float %470, float %473, float %470)
  %475 = fcmp oeq float %466, 1.000000e+00
  %476 = select i1 %475, float 0.000000e+00, float %474
  %477 = fcmp ogt float %466, 0x3FE1EB8520000000
  %478 = select i1 %477, float %476, float %466
  %479 = fmul float %478, %478
  %480 = tail call float @llvm.fma.f32(float %479, float 0x3FA9BA5EE0000000, float 0x3F933952E0000000)
  %481 = tail call float @llvm.fma.f32(float %480, float %479, float 0x3FA7F21D00000000)
  %482 = tail call float @llvm.fma.f32(float %481, float %479, float 0x3FB32799E0000000)
  %483 = tail call float @llvm.fma.f32(float %482, float %479, float 0x3FC5558080000000)
  %484 = fmul float %479, %483
  %485 = tail call float @llvm.fma.f32(float %484, float %478, float %478)
  %486 = fmul float %485, -2.000000e+00
  %487 = tail call float @llvm.fma.f32(float 0x3FEDDCB020000000, float 0x3FFAEE9D60000000, float %486)
  %488 = select i1 %477, float %487, float %485
  %489 = fcmp ord float %488, 0.000000e+00
  %490 = tail call float @llvm.copysign.f32(float %488, float %465) #6
  %491 = select i1 %489, float %490, float %488
  %492 = fmul contract float %491, 2.000000e+00
  %493 = tail call noundef float @llvm.maxnum.f32(float %46, float %492)
  %494 = add nsw i32 %47, %10
  %495 = icmp slt i32 %494, %2
  br i1 %495, label %45, label %41, !llvm.loop !14
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, -2147483648) i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.sqrt.approx.f(float) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.nvvm.f2i.rn(float) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fabs.f32(float) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.mul.rn.f(float, float) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.rsqrt.approx.ftz.f(float) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.copysign.f32(float, float) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.minnum.f32(float, float) #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.maxnum.f32(float, float) #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.fshl.i32(i32, i32, i32) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #5

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #5

attributes #0 = { noinline norecurse nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #3 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #6 = { nounwind }
attributes #7 = { nounwind memory(none) }

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
!13 = !{i32 33610, i32 33614, i32 33659, i32 33704}
!14 = distinct !{!14, !15}
!15 = !{!"llvm.loop.mustprogress"}
