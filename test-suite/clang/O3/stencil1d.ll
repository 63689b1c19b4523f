; ModuleID = 'stencil1d.cu'
source_filename = "stencil1d.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ9stencil1dE4tile = internal unnamed_addr addrspace(3) global [160 x i32] undef, align 4

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @stencil1d(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = add nuw nsw i32 %7, 16
  %10 = icmp slt i32 %8, %2
  br i1 %10, label %11, label %15

11:                                               ; preds = %3
  %12 = sext i32 %8 to i64
  %13 = getelementptr inbounds i32, ptr %0, i64 %12
  %14 = load i32, ptr %13, align 4, !tbaa !6
  br label %15

15:                                               ; preds = %3, %11
  %16 = phi i32 [ %14, %11 ], [ 0, %3 ]
  %17 = zext nneg i32 %9 to i64
  %18 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %17
  store i32 %16, ptr %18, align 4, !tbaa !6
  %19 = icmp samesign ult i32 %7, 16
  br i1 %19, label %20, label %42

20:                                               ; preds = %15
  %21 = icmp sgt i32 %8, 15
  br i1 %21, label %22, label %27

22:                                               ; preds = %20
  %23 = zext nneg i32 %8 to i64
  %24 = getelementptr i32, ptr %0, i64 %23
  %25 = getelementptr i8, ptr %24, i64 -64
  %26 = load i32, ptr %25, align 4, !tbaa !6
  br label %27

27:                                               ; preds = %20, %22
  %28 = phi i32 [ %26, %22 ], [ 0, %20 ]
  %29 = zext nneg i32 %7 to i64
  %30 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %29
  store i32 %28, ptr %30, align 4, !tbaa !6
  %31 = add nsw i32 %8, %5
  %32 = icmp slt i32 %31, %2
  br i1 %32, label %33, label %37

33:                                               ; preds = %27
  %34 = zext i32 %31 to i64
  %35 = getelementptr inbounds nuw i32, ptr %0, i64 %34
  %36 = load i32, ptr %35, align 4, !tbaa !6
  br label %37

37:                                               ; preds = %27, %33
  %38 = phi i32 [ %36, %33 ], [ 0, %27 ]
  %39 = add nuw nsw i32 %9, %5
  %40 = zext nneg i32 %39 to i64
  %41 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %40
  store i32 %38, ptr %41, align 4, !tbaa !6
  br label %42

42:                                               ; preds = %37, %15
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %10, label %43, label %208

43:                                               ; preds = %42
  %44 = zext nneg i32 %7 to i64
  %45 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %44
  %46 = getelementptr inbounds nuw i8, ptr %45, i64 128
  %47 = load i32, ptr %46, align 4, !tbaa !6
  %48 = zext nneg i32 %7 to i64
  %49 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %48
  %50 = getelementptr inbounds nuw i8, ptr %49, i64 124
  %51 = load i32, ptr %50, align 4, !tbaa !6
  %52 = zext nneg i32 %7 to i64
  %53 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %52
  %54 = getelementptr inbounds nuw i8, ptr %53, i64 120
  %55 = load i32, ptr %54, align 4, !tbaa !6
  %56 = zext nneg i32 %7 to i64
  %57 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %56
  %58 = getelementptr inbounds nuw i8, ptr %57, i64 116
  %59 = load i32, ptr %58, align 4, !tbaa !6
  %60 = zext nneg i32 %7 to i64
  %61 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %60
  %62 = getelementptr inbounds nuw i8, ptr %61, i64 112
  %63 = load i32, ptr %62, align 4, !tbaa !6
  %64 = zext nneg i32 %7 to i64
  %65 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %64
  %66 = getelementptr inbounds nuw i8, ptr %65, i64 108
  %67 = load i32, ptr %66, align 4, !tbaa !6
  %68 = zext nneg i32 %7 to i64
  %69 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %68
  %70 = getelementptr inbounds nuw i8, ptr %69, i64 104
  %71 = load i32, ptr %70, align 4, !tbaa !6
  %72 = zext nneg i32 %7 to i64
  %73 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %72
  %74 = getelementptr inbounds nuw i8, ptr %73, i64 100
  %75 = load i32, ptr %74, align 4, !tbaa !6
  %76 = zext nneg i32 %7 to i64
  %77 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %76
  %78 = getelementptr inbounds nuw i8, ptr %77, i64 96
  %79 = load i32, ptr %78, align 4, !tbaa !6
  %80 = zext nneg i32 %7 to i64
  %81 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %80
  %82 = getelementptr inbounds nuw i8, ptr %81, i64 92
  %83 = load i32, ptr %82, align 4, !tbaa !6
  %84 = zext nneg i32 %7 to i64
  %85 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %84
  %86 = getelementptr inbounds nuw i8, ptr %85, i64 88
  %87 = load i32, ptr %86, align 4, !tbaa !6
  %88 = zext nneg i32 %7 to i64
  %89 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %88
  %90 = getelementptr inbounds nuw i8, ptr %89, i64 84
  %91 = load i32, ptr %90, align 4, !tbaa !6
  %92 = zext nneg i32 %7 to i64
  %93 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %92
  %94 = getelementptr inbounds nuw i8, ptr %93, i64 80
  %95 = load i32, ptr %94, align 4, !tbaa !6
  %96 = zext nneg i32 %7 to i64
  %97 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %96
  %98 = getelementptr inbounds nuw i8, ptr %97, i64 76
  %99 = load i32, ptr %98, align 4, !tbaa !6
  %100 = zext nneg i32 %7 to i64
  %101 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %100
  %102 = getelementptr inbounds nuw i8, ptr %101, i64 72
  %103 = load i32, ptr %102, align 4, !tbaa !6
  %104 = zext nneg i32 %7 to i64
  %105 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %104
  %106 = getelementptr inbounds nuw i8, ptr %105, i64 68
  %107 = load i32, ptr %106, align 4, !tbaa !6
  %108 = zext nneg i32 %9 to i64
  %109 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %108
  %110 = load i32, ptr %109, align 4, !tbaa !6
  %111 = zext nneg i32 %7 to i64
  %112 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %111
  %113 = getelementptr inbounds nuw i8, ptr %112, i64 60
  %114 = load i32, ptr %113, align 4, !tbaa !6
  %115 = zext nneg i32 %7 to i64
  %116 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %115
  %117 = getelementptr inbounds nuw i8, ptr %116, i64 56
  %118 = load i32, ptr %117, align 4, !tbaa !6
  %119 = zext nneg i32 %7 to i64
  %120 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %119
  %121 = getelementptr inbounds nuw i8, ptr %120, i64 52
  %122 = load i32, ptr %121, align 4, !tbaa !6
  %123 = zext nneg i32 %7 to i64
  %124 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %123
  %125 = getelementptr inbounds nuw i8, ptr %124, i64 48
  %126 = load i32, ptr %125, align 4, !tbaa !6
  %127 = zext nneg i32 %7 to i64
  %128 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %127
  %129 = getelementptr inbounds nuw i8, ptr %128, i64 44
  %130 = load i32, ptr %129, align 4, !tbaa !6
  %131 = zext nneg i32 %7 to i64
  %132 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %131
  %133 = getelementptr inbounds nuw i8, ptr %132, i64 40
  %134 = load i32, ptr %133, align 4, !tbaa !6
  %135 = zext nneg i32 %7 to i64
  %136 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %135
  %137 = getelementptr inbounds nuw i8, ptr %136, i64 36
  %138 = load i32, ptr %137, align 4, !tbaa !6
  %139 = zext nneg i32 %7 to i64
  %140 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %139
  %141 = getelementptr inbounds nuw i8, ptr %140, i64 32
  %142 = load i32, ptr %141, align 4, !tbaa !6
  %143 = zext nneg i32 %7 to i64
  %144 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %143
  %145 = getelementptr inbounds nuw i8, ptr %144, i64 28
  %146 = load i32, ptr %145, align 4, !tbaa !6
  %147 = zext nneg i32 %7 to i64
  %148 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %147
  %149 = getelementptr inbounds nuw i8, ptr %148, i64 24
  %150 = load i32, ptr %149, align 4, !tbaa !6
  %151 = zext nneg i32 %7 to i64
  %152 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %151
  %153 = getelementptr inbounds nuw i8, ptr %152, i64 20
  %154 = load i32, ptr %153, align 4, !tbaa !6
  %155 = zext nneg i32 %7 to i64
  %156 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %155
  %157 = getelementptr inbounds nuw i8, ptr %156, i64 16
  %158 = load i32, ptr %157, align 4, !tbaa !6
  %159 = zext nneg i32 %7 to i64
  %160 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %159
  %161 = getelementptr inbounds nuw i8, ptr %160, i64 12
  %162 = load i32, ptr %161, align 4, !tbaa !6
  %163 = zext nneg i32 %7 to i64
  %164 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %163
  %165 = getelementptr inbounds nuw i8, ptr %164, i64 8
  %166 = load i32, ptr %165, align 4, !tbaa !6
  %167 = zext nneg i32 %7 to i64
  %168 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %167
  %169 = getelementptr inbounds nuw i8, ptr %168, i64 4
  %170 = load i32, ptr %169, align 4, !tbaa !6
  %171 = zext nneg i32 %7 to i64
  %172 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9stencil1dE4tile to ptr), i64 %171
  %173 = load i32, ptr %172, align 4, !tbaa !6
  %174 = add nsw i32 %170, %173
  %175 = add nsw i32 %166, %174
  %176 = add nsw i32 %162, %175
  %177 = add nsw i32 %158, %176
  %178 = add nsw i32 %154, %177
  %179 = add nsw i32 %150, %178
  %180 = add nsw i32 %146, %179
  %181 = add nsw i32 %142, %180
  %182 = add nsw i32 %138, %181
  %183 = add nsw i32 %134, %182
  %184 = add nsw i32 %130, %183
  %185 = add nsw i32 %126, %184
  %186 = add nsw i32 %122, %185
  %187 = add nsw i32 %118, %186
  %188 = add nsw i32 %114, %187
  %189 = add nsw i32 %110, %188
  %190 = add nsw i32 %107, %189
  %191 = add nsw i32 %103, %190
  %192 = add nsw i32 %99, %191
  %193 = add nsw i32 %95, %192
  %194 = add nsw i32 %91, %193
  %195 = add nsw i32 %87, %194
  %196 = add nsw i32 %83, %195
  %197 = add nsw i32 %79, %196
  %198 = add nsw i32 %75, %197
  %199 = add nsw i32 %71, %198
  %200 = add nsw i32 %67, %199
  %201 = add nsw i32 %63, %200
  %202 = add nsw i32 %59, %201
  %203 = add nsw i32 %55, %202
  %204 = add nsw i32 %51, %203
  %205 = add nsw i32 %47, %204
  %206 = sext i32 %8 to i64
  %207 = getelementptr inbounds i32, ptr %1, i64 %206
  store i32 %205, ptr %207, align 4, !tbaa !6
  br label %208

208:                                              ; preds = %43, %42
  ret void
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

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
