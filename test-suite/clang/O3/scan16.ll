; ModuleID = 'scan16.cu'
source_filename = "scan16.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ6scan16E5warps = internal unnamed_addr addrspace(3) global [32 x i32] undef, align 4

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @scan16(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1) local_unnamed_addr #0 {
  %3 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = add i32 %6, %3
  %8 = shl i32 %7, 4
  %9 = sext i32 %8 to i64
  %10 = getelementptr inbounds i32, ptr %0, i64 %9
  %11 = load i32, ptr %10, align 4, !tbaa !6
  %12 = or disjoint i32 %8, 1
  %13 = sext i32 %12 to i64
  %14 = getelementptr inbounds i32, ptr %0, i64 %13
  %15 = load i32, ptr %14, align 4, !tbaa !6
  %16 = add nsw i32 %15, %11
  %17 = or disjoint i32 %8, 2
  %18 = sext i32 %17 to i64
  %19 = getelementptr inbounds i32, ptr %0, i64 %18
  %20 = load i32, ptr %19, align 4, !tbaa !6
  %21 = add nsw i32 %20, %16
  %22 = or disjoint i32 %8, 3
  %23 = sext i32 %22 to i64
  %24 = getelementptr inbounds i32, ptr %0, i64 %23
  %25 = load i32, ptr %24, align 4, !tbaa !6
  %26 = add nsw i32 %25, %21
  %27 = or disjoint i32 %8, 4
  %28 = sext i32 %27 to i64
  %29 = getelementptr inbounds i32, ptr %0, i64 %28
  %30 = load i32, ptr %29, align 4, !tbaa !6
  %31 = add nsw i32 %30, %26
  %32 = or disjoint i32 %8, 5
  %33 = sext i32 %32 to i64
  %34 = getelementptr inbounds i32, ptr %0, i64 %33
  %35 = load i32, ptr %34, align 4, !tbaa !6
  %36 = add nsw i32 %35, %31
  %37 = or disjoint i32 %8, 6
  %38 = sext i32 %37 to i64
  %39 = getelementptr inbounds i32, ptr %0, i64 %38
  %40 = load i32, ptr %39, align 4, !tbaa !6
  %41 = add nsw i32 %40, %36
  %42 = or disjoint i32 %8, 7
  %43 = sext i32 %42 to i64
  %44 = getelementptr inbounds i32, ptr %0, i64 %43
  %45 = load i32, ptr %44, align 4, !tbaa !6
  %46 = add nsw i32 %45, %41
  %47 = or disjoint i32 %8, 8
  %48 = sext i32 %47 to i64
  %49 = getelementptr inbounds i32, ptr %0, i64 %48
  %50 = load i32, ptr %49, align 4, !tbaa !6
  %51 = add nsw i32 %50, %46
  %52 = or disjoint i32 %8, 9
  %53 = sext i32 %52 to i64
  %54 = getelementptr inbounds i32, ptr %0, i64 %53
  %55 = load i32, ptr %54, align 4, !tbaa !6
  %56 = add nsw i32 %55, %51
  %57 = or disjoint i32 %8, 10
  %58 = sext i32 %57 to i64
  %59 = getelementptr inbounds i32, ptr %0, i64 %58
  %60 = load i32, ptr %59, align 4, !tbaa !6
  %61 = add nsw i32 %60, %56
  %62 = or disjoint i32 %8, 11
  %63 = sext i32 %62 to i64
  %64 = getelementptr inbounds i32, ptr %0, i64 %63
  %65 = load i32, ptr %64, align 4, !tbaa !6
  %66 = add nsw i32 %65, %61
  %67 = or disjoint i32 %8, 12
  %68 = sext i32 %67 to i64
  %69 = getelementptr inbounds i32, ptr %0, i64 %68
  %70 = load i32, ptr %69, align 4, !tbaa !6
  %71 = add nsw i32 %70, %66
  %72 = or disjoint i32 %8, 13
  %73 = sext i32 %72 to i64
  %74 = getelementptr inbounds i32, ptr %0, i64 %73
  %75 = load i32, ptr %74, align 4, !tbaa !6
  %76 = add nsw i32 %75, %71
  %77 = or disjoint i32 %8, 14
  %78 = sext i32 %77 to i64
  %79 = getelementptr inbounds i32, ptr %0, i64 %78
  %80 = load i32, ptr %79, align 4, !tbaa !6
  %81 = add nsw i32 %80, %76
  %82 = or disjoint i32 %8, 15
  %83 = sext i32 %82 to i64
  %84 = getelementptr inbounds i32, ptr %0, i64 %83
  %85 = load i32, ptr %84, align 4, !tbaa !6
  %86 = add nsw i32 %85, %81
  %87 = and i32 %3, 31
  %88 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %86, i32 1, i32 0)
  %89 = icmp eq i32 %87, 0
  %90 = select i1 %89, i32 0, i32 %88
  %91 = add nsw i32 %90, %86
  %92 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %91, i32 2, i32 0)
  %93 = icmp samesign ult i32 %87, 2
  %94 = select i1 %93, i32 0, i32 %92
  %95 = add nsw i32 %94, %91
  %96 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %95, i32 4, i32 0)
  %97 = icmp samesign ult i32 %87, 4
  %98 = select i1 %97, i32 0, i32 %96
  %99 = add nsw i32 %98, %95
  %100 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %99, i32 8, i32 0)
  %101 = icmp samesign ult i32 %87, 8
  %102 = select i1 %101, i32 0, i32 %100
  %103 = add nsw i32 %102, %99
  %104 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %103, i32 16, i32 0)
  %105 = icmp samesign ult i32 %87, 16
  %106 = select i1 %105, i32 0, i32 %104
  %107 = add nsw i32 %106, %103
  %108 = lshr i32 %3, 5
  %109 = icmp eq i32 %87, 31
  br i1 %109, label %110, label %113

110:                                              ; preds = %2
  %111 = zext nneg i32 %108 to i64
  %112 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ6scan16E5warps to ptr), i64 %111
  store i32 %107, ptr %112, align 4, !tbaa !6
  br label %113

113:                                              ; preds = %110, %2
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %114 = sub nsw i32 %107, %86
  %115 = icmp eq i32 %108, 0
  br i1 %115, label %138, label %116

116:                                              ; preds = %113
  %117 = and i32 %108, 7
  %118 = icmp samesign ult i32 %3, 256
  br i1 %118, label %123, label %119

119:                                              ; preds = %116
  %120 = and i32 %108, 24
  br label %172

121:                                              ; preds = %172
  %122 = icmp eq i32 %117, 0
  br i1 %122, label %138, label %123

123:                                              ; preds = %121, %116
  %124 = phi i32 [ 0, %116 ], [ %215, %121 ]
  %125 = phi i32 [ %114, %116 ], [ %214, %121 ]
  %126 = icmp ne i32 %117, 0
  tail call void @llvm.assume(i1 %126)
  br label %127

127:                                              ; preds = %127, %123
  %128 = phi i32 [ %135, %127 ], [ %124, %123 ]
  %129 = phi i32 [ %134, %127 ], [ %125, %123 ]
  %130 = phi i32 [ %136, %127 ], [ 0, %123 ]
  %131 = zext nneg i32 %128 to i64
  %132 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ6scan16E5warps to ptr), i64 %131
  %133 = load i32, ptr %132, align 4, !tbaa !6
  %134 = add nsw i32 %133, %129
  %135 = add nuw nsw i32 %128, 1
  %136 = add i32 %130, 1
  %137 = icmp eq i32 %136, %117
  br i1 %137, label %138, label %127, !llvm.loop !11

138:                                              ; preds = %121, %127, %113
  %139 = phi i32 [ %114, %113 ], [ %214, %121 ], [ %134, %127 ]
  %140 = add nsw i32 %11, %139
  %141 = getelementptr inbounds i32, ptr %1, i64 %9
  store i32 %140, ptr %141, align 4, !tbaa !6
  %142 = add nsw i32 %16, %139
  %143 = getelementptr inbounds i32, ptr %1, i64 %13
  store i32 %142, ptr %143, align 4, !tbaa !6
  %144 = add nsw i32 %21, %139
  %145 = getelementptr inbounds i32, ptr %1, i64 %18
  store i32 %144, ptr %145, align 4, !tbaa !6
  %146 = add nsw i32 %26, %139
  %147 = getelementptr inbounds i32, ptr %1, i64 %23
  store i32 %146, ptr %147, align 4, !tbaa !6
  %148 = add nsw i32 %31, %139
  %149 = getelementptr inbounds i32, ptr %1, i64 %28
  store i32 %148, ptr %149, align 4, !tbaa !6
  %150 = add nsw i32 %36, %139
  %151 = getelementptr inbounds i32, ptr %1, i64 %33
  store i32 %150, ptr %151, align 4, !tbaa !6
  %152 = add nsw i32 %41, %139
  %153 = getelementptr inbounds i32, ptr %1, i64 %38
  store i32 %152, ptr %153, align 4, !tbaa !6
  %154 = add nsw i32 %46, %139
  %155 = getelementptr inbounds i32, ptr %1, i64 %43
  store i32 %154, ptr %155, align 4, !tbaa !6
  %156 = add nsw i32 %51, %139
  %157 = getelementptr inbounds i32, ptr %1, i64 %48
  store i32 %156, ptr %157, align 4, !tbaa !6
  %158 = add nsw i32 %56, %139
  %159 = getelementptr inbounds i32, ptr %1, i64 %53
  store i32 %158, ptr %159, align 4, !tbaa !6
  %160 = add nsw i32 %61, %139
  %161 = getelementptr inbounds i32, ptr %1, i64 %58
  store i32 %160, ptr %161, align 4, !tbaa !6
  %162 = add nsw i32 %66, %139
  %163 = getelementptr inbounds i32, ptr %1, i64 %63
  store i32 %162, ptr %163, align 4, !tbaa !6
  %164 = add nsw i32 %71, %139
  %165 = getelementptr inbounds i32, ptr %1, i64 %68
  store i32 %164, ptr %165, align 4, !tbaa !6
  %166 = add nsw i32 %76, %139
  %167 = getelementptr inbounds i32, ptr %1, i64 %73
  store i32 %166, ptr %167, align 4, !tbaa !6
  %168 = add nsw i32 %81, %139
  %169 = getelementptr inbounds i32, ptr %1, i64 %78
  store i32 %168, ptr %169, align 4, !tbaa !6
  %170 = add nsw i32 %86, %139
  %171 = getelementptr inbounds i32, ptr %1, i64 %83
  store i32 %170, ptr %171, align 4, !tbaa !6
  ret void

172:                                              ; preds = %172, %119
  %173 = phi i32 [ 0, %119 ], [ %215, %172 ]
  %174 = phi i32 [ %114, %119 ], [ %214, %172 ]
  %175 = phi i32 [ 0, %119 ], [ %216, %172 ]
  %176 = zext nneg i32 %173 to i64
  %177 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ6scan16E5warps to ptr), i64 %176
  %178 = load i32, ptr %177, align 4, !tbaa !6
  %179 = add nsw i32 %178, %174
  %180 = zext nneg i32 %173 to i64
  %181 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ6scan16E5warps to ptr), i64 %180
  %182 = getelementptr inbounds nuw i8, ptr %181, i64 4
  %183 = load i32, ptr %182, align 4, !tbaa !6
  %184 = add nsw i32 %183, %179
  %185 = zext nneg i32 %173 to i64
  %186 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ6scan16E5warps to ptr), i64 %185
  %187 = getelementptr inbounds nuw i8, ptr %186, i64 8
  %188 = load i32, ptr %187, align 4, !tbaa !6
  %189 = add nsw i32 %188, %184
  %190 = zext nneg i32 %173 to i64
  %191 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ6scan16E5warps to ptr), i64 %190
  %192 = getelementptr inbounds nuw i8, ptr %191, i64 12
  %193 = load i32, ptr %192, align 4, !tbaa !6
  %194 = add nsw i32 %193, %189
  %195 = zext nneg i32 %173 to i64
  %196 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ6scan16E5warps to ptr), i64 %195
  %197 = getelementptr inbounds nuw i8, ptr %196, i64 16
  %198 = load i32, ptr %197, align 4, !tbaa !6
  %199 = add nsw i32 %198, %194
  %200 = zext nneg i32 %173 to i64
  %201 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ6scan16E5warps to ptr), i64 %200
  %202 = getelementptr inbounds nuw i8, ptr %201, i64 20
  %203 = load i32, ptr %202, align 4, !tbaa !6
  %204 = add nsw i32 %203, %199
  %205 = zext nneg i32 %173 to i64
  %206 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ6scan16E5warps to ptr), i64 %205
  %207 = getelementptr inbounds nuw i8, ptr %206, i64 24
  %208 = load i32, ptr %207, align 4, !tbaa !6
  %209 = add nsw i32 %208, %204
  %210 = zext nneg i32 %173 to i64
  %211 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ6scan16E5warps to ptr), i64 %210
  %212 = getelementptr inbounds nuw i8, ptr %211, i64 28
  %213 = load i32, ptr %212, align 4, !tbaa !6
  %214 = add nsw i32 %213, %209
  %215 = add nuw nsw i32 %173, 8
  %216 = add i32 %175, 8
  %217 = icmp eq i32 %216, %120
  br i1 %217, label %121, label %172, !llvm.loop !13
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #4

attributes #0 = { convergent mustprogress noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent nocallback nounwind }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }

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
!11 = distinct !{!11, !12}
!12 = !{!"llvm.loop.unroll.disable"}
!13 = distinct !{!13, !14}
!14 = !{!"llvm.loop.mustprogress"}
