; ModuleID = 'transpose_pad.cu'
source_filename = "transpose_pad.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ13transpose_padE4tile = internal unnamed_addr addrspace(3) global [32 x [33 x float]] undef, align 4

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @transpose_pad(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = shl i32 %5, 5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %10 = shl nuw nsw i32 %9, 5
  %11 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %12 = add nuw nsw i32 %10, %11
  %13 = icmp slt i32 %8, %2
  %14 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %15 = zext nneg i32 %7 to i64
  %16 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @_ZZ13transpose_padE4tile to ptr), i64 %15
  %17 = udiv i32 31, %14
  %18 = add nuw nsw i32 %17, 1
  %19 = and i32 %18, 3
  %20 = icmp samesign ugt i32 %14, 10
  br i1 %20, label %25, label %21

21:                                               ; preds = %4
  %22 = and i32 %18, 60
  br label %56

23:                                               ; preds = %113
  %24 = icmp eq i32 %19, 0
  br i1 %24, label %47, label %25

25:                                               ; preds = %23, %4
  %26 = phi i32 [ 0, %4 ], [ %114, %23 ]
  %27 = icmp ne i32 %19, 0
  tail call void @llvm.assume(i1 %27)
  br label %28

28:                                               ; preds = %43, %25
  %29 = phi i32 [ %26, %25 ], [ %44, %43 ]
  %30 = phi i32 [ 0, %25 ], [ %45, %43 ]
  br i1 %13, label %31, label %43

31:                                               ; preds = %28
  %32 = add nuw nsw i32 %12, %29
  %33 = icmp slt i32 %32, %3
  br i1 %33, label %34, label %43

34:                                               ; preds = %31
  %35 = mul nsw i32 %32, %2
  %36 = add nsw i32 %35, %8
  %37 = sext i32 %36 to i64
  %38 = getelementptr inbounds float, ptr %0, i64 %37
  %39 = load float, ptr %38, align 4, !tbaa !11
  %40 = add nuw nsw i32 %29, %11
  %41 = zext nneg i32 %40 to i64
  %42 = getelementptr inbounds nuw [33 x float], ptr %16, i64 %41
  store float %39, ptr %42, align 4, !tbaa !11
  br label %43

43:                                               ; preds = %34, %31, %28
  %44 = add nuw nsw i32 %29, %14
  %45 = add i32 %30, 1
  %46 = icmp eq i32 %45, %19
  br i1 %46, label %47, label %28, !llvm.loop !13

47:                                               ; preds = %43, %23
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %48 = add nuw nsw i32 %10, %7
  %49 = add i32 %6, %11
  %50 = icmp slt i32 %48, %3
  %51 = getelementptr inbounds nuw [33 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ13transpose_padE4tile to ptr), i64 %15
  %52 = and i32 %18, 3
  %53 = icmp samesign ugt i32 %14, 10
  br i1 %53, label %119, label %54

54:                                               ; preds = %47
  %55 = and i32 %18, 60
  br label %142

56:                                               ; preds = %113, %21
  %57 = phi i32 [ 0, %21 ], [ %114, %113 ]
  %58 = phi i32 [ 0, %21 ], [ %115, %113 ]
  br i1 %13, label %59, label %71

59:                                               ; preds = %56
  %60 = add nuw nsw i32 %12, %57
  %61 = icmp slt i32 %60, %3
  br i1 %61, label %62, label %71

62:                                               ; preds = %59
  %63 = mul nsw i32 %60, %2
  %64 = add nsw i32 %63, %8
  %65 = sext i32 %64 to i64
  %66 = getelementptr inbounds float, ptr %0, i64 %65
  %67 = load float, ptr %66, align 4, !tbaa !11
  %68 = add nuw nsw i32 %57, %11
  %69 = zext nneg i32 %68 to i64
  %70 = getelementptr inbounds nuw [33 x float], ptr %16, i64 %69
  store float %67, ptr %70, align 4, !tbaa !11
  br label %71

71:                                               ; preds = %56, %59, %62
  %72 = add nuw nsw i32 %57, %14
  br i1 %13, label %73, label %85

73:                                               ; preds = %71
  %74 = add nuw nsw i32 %12, %72
  %75 = icmp slt i32 %74, %3
  br i1 %75, label %76, label %85

76:                                               ; preds = %73
  %77 = mul nsw i32 %74, %2
  %78 = add nsw i32 %77, %8
  %79 = sext i32 %78 to i64
  %80 = getelementptr inbounds float, ptr %0, i64 %79
  %81 = load float, ptr %80, align 4, !tbaa !11
  %82 = add nuw nsw i32 %72, %11
  %83 = zext nneg i32 %82 to i64
  %84 = getelementptr inbounds nuw [33 x float], ptr %16, i64 %83
  store float %81, ptr %84, align 4, !tbaa !11
  br label %85

85:                                               ; preds = %76, %73, %71
  %86 = add nuw nsw i32 %72, %14
  br i1 %13, label %87, label %99

87:                                               ; preds = %85
  %88 = add nuw nsw i32 %12, %86
  %89 = icmp slt i32 %88, %3
  br i1 %89, label %90, label %99

90:                                               ; preds = %87
  %91 = mul nsw i32 %88, %2
  %92 = add nsw i32 %91, %8
  %93 = sext i32 %92 to i64
  %94 = getelementptr inbounds float, ptr %0, i64 %93
  %95 = load float, ptr %94, align 4, !tbaa !11
  %96 = add nuw nsw i32 %86, %11
  %97 = zext nneg i32 %96 to i64
  %98 = getelementptr inbounds nuw [33 x float], ptr %16, i64 %97
  store float %95, ptr %98, align 4, !tbaa !11
  br label %99

99:                                               ; preds = %90, %87, %85
  %100 = add nuw nsw i32 %86, %14
  br i1 %13, label %101, label %113

101:                                              ; preds = %99
  %102 = add nuw nsw i32 %12, %100
  %103 = icmp slt i32 %102, %3
  br i1 %103, label %104, label %113

104:                                              ; preds = %101
  %105 = mul nsw i32 %102, %2
  %106 = add nsw i32 %105, %8
  %107 = sext i32 %106 to i64
  %108 = getelementptr inbounds float, ptr %0, i64 %107
  %109 = load float, ptr %108, align 4, !tbaa !11
  %110 = add nuw nsw i32 %100, %11
  %111 = zext nneg i32 %110 to i64
  %112 = getelementptr inbounds nuw [33 x float], ptr %16, i64 %111
  store float %109, ptr %112, align 4, !tbaa !11
  br label %113

113:                                              ; preds = %104, %101, %99
  %114 = add nuw nsw i32 %100, %14
  %115 = add i32 %58, 4
  %116 = icmp eq i32 %115, %22
  br i1 %116, label %23, label %56, !llvm.loop !15

117:                                              ; preds = %199
  %118 = icmp eq i32 %52, 0
  br i1 %118, label %141, label %119

119:                                              ; preds = %117, %47
  %120 = phi i32 [ 0, %47 ], [ %200, %117 ]
  %121 = icmp ne i32 %52, 0
  tail call void @llvm.assume(i1 %121)
  br label %122

122:                                              ; preds = %137, %119
  %123 = phi i32 [ %120, %119 ], [ %138, %137 ]
  %124 = phi i32 [ 0, %119 ], [ %139, %137 ]
  br i1 %50, label %125, label %137

125:                                              ; preds = %122
  %126 = add nsw i32 %49, %123
  %127 = icmp slt i32 %126, %2
  br i1 %127, label %128, label %137

128:                                              ; preds = %125
  %129 = add nuw nsw i32 %123, %11
  %130 = zext nneg i32 %129 to i64
  %131 = getelementptr inbounds nuw float, ptr %51, i64 %130
  %132 = load float, ptr %131, align 4, !tbaa !11
  %133 = mul nsw i32 %126, %3
  %134 = add nsw i32 %133, %48
  %135 = sext i32 %134 to i64
  %136 = getelementptr inbounds float, ptr %1, i64 %135
  store float %132, ptr %136, align 4, !tbaa !11
  br label %137

137:                                              ; preds = %128, %125, %122
  %138 = add nuw nsw i32 %123, %14
  %139 = add i32 %124, 1
  %140 = icmp eq i32 %139, %52
  br i1 %140, label %141, label %122, !llvm.loop !17

141:                                              ; preds = %137, %117
  ret void

142:                                              ; preds = %199, %54
  %143 = phi i32 [ 0, %54 ], [ %200, %199 ]
  %144 = phi i32 [ 0, %54 ], [ %201, %199 ]
  br i1 %50, label %145, label %157

145:                                              ; preds = %142
  %146 = add nsw i32 %49, %143
  %147 = icmp slt i32 %146, %2
  br i1 %147, label %148, label %157

148:                                              ; preds = %145
  %149 = add nuw nsw i32 %143, %11
  %150 = zext nneg i32 %149 to i64
  %151 = getelementptr inbounds nuw float, ptr %51, i64 %150
  %152 = load float, ptr %151, align 4, !tbaa !11
  %153 = mul nsw i32 %146, %3
  %154 = add nsw i32 %153, %48
  %155 = sext i32 %154 to i64
  %156 = getelementptr inbounds float, ptr %1, i64 %155
  store float %152, ptr %156, align 4, !tbaa !11
  br label %157

157:                                              ; preds = %142, %145, %148
  %158 = add nuw nsw i32 %143, %14
  br i1 %50, label %159, label %171

159:                                              ; preds = %157
  %160 = add nsw i32 %49, %158
  %161 = icmp slt i32 %160, %2
  br i1 %161, label %162, label %171

162:                                              ; preds = %159
  %163 = add nuw nsw i32 %158, %11
  %164 = zext nneg i32 %163 to i64
  %165 = getelementptr inbounds nuw float, ptr %51, i64 %164
  %166 = load float, ptr %165, align 4, !tbaa !11
  %167 = mul nsw i32 %160, %3
  %168 = add nsw i32 %167, %48
  %169 = sext i32 %168 to i64
  %170 = getelementptr inbounds float, ptr %1, i64 %169
  store float %166, ptr %170, align 4, !tbaa !11
  br label %171

171:                                              ; preds = %162, %159, %157
  %172 = add nuw nsw i32 %158, %14
  br i1 %50, label %173, label %185

173:                                              ; preds = %171
  %174 = add nsw i32 %49, %172
  %175 = icmp slt i32 %174, %2
  br i1 %175, label %176, label %185

176:                                              ; preds = %173
  %177 = add nuw nsw i32 %172, %11
  %178 = zext nneg i32 %177 to i64
  %179 = getelementptr inbounds nuw float, ptr %51, i64 %178
  %180 = load float, ptr %179, align 4, !tbaa !11
  %181 = mul nsw i32 %174, %3
  %182 = add nsw i32 %181, %48
  %183 = sext i32 %182 to i64
  %184 = getelementptr inbounds float, ptr %1, i64 %183
  store float %180, ptr %184, align 4, !tbaa !11
  br label %185

185:                                              ; preds = %176, %173, %171
  %186 = add nuw nsw i32 %172, %14
  br i1 %50, label %187, label %199

187:                                              ; preds = %185
  %188 = add nsw i32 %49, %186
  %189 = icmp slt i32 %188, %2
  br i1 %189, label %190, label %199

190:                                              ; preds = %187
  %191 = add nuw nsw i32 %186, %11
  %192 = zext nneg i32 %191 to i64
  %193 = getelementptr inbounds nuw float, ptr %51, i64 %192
  %194 = load float, ptr %193, align 4, !tbaa !11
  %195 = mul nsw i32 %188, %3
  %196 = add nsw i32 %195, %48
  %197 = sext i32 %196 to i64
  %198 = getelementptr inbounds float, ptr %1, i64 %197
  store float %194, ptr %198, align 4, !tbaa !11
  br label %199

199:                                              ; preds = %190, %187, %185
  %200 = add nuw nsw i32 %186, %14
  %201 = add i32 %144, 4
  %202 = icmp eq i32 %201, %55
  br i1 %202, label %117, label %142, !llvm.loop !18
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.y() #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #3

attributes #0 = { convergent mustprogress noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent nocallback nounwind }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }

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
!14 = !{!"llvm.loop.unroll.disable"}
!15 = distinct !{!15, !16}
!16 = !{!"llvm.loop.mustprogress"}
!17 = distinct !{!17, !14}
!18 = distinct !{!18, !16}
