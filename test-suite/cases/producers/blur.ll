; From OpenCL, with vectors of four bytes and integers, clamps.
;
;     clang-22 --target=nvptx64-nvidia-cuda -march=sm_80 -Xclang -target-feature -Xclang +ptx80 -S -emit-llvm -x cl -cl-std=CL3.0 -O3 -Xclang -finclude-default-header blur.cl
;
;     __kernel void blur(__global const uchar4*restrict in,__global uchar4*restrict out,int w,int h,__global const short*restrict k){
;      int x=(__nvvm_read_ptx_sreg_ctaid_x()*32+__nvvm_read_ptx_sreg_tid_x())%w,y=(__nvvm_read_ptx_sreg_ctaid_x()*32+__nvvm_read_ptx_sreg_tid_x())/w;int4 s=(int4)(32,32,32,32);
;      for(int j=-1;j<=1;j++)for(int i=-1;i<=1;i++){int u=(x+i<0?0:x+i>=w?w-1:x+i),v=(y+j<0?0:y+j>=h?h-1:y+j);s+=__builtin_convertvector(in[v*w+u],int4)*k[(j+1)*3+i+1];}
;      s>>=6;s=s<0?0:s;s=s>255?255:s;out[y*w+x]=__builtin_convertvector(s,uchar4);
;     }
;
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=blur grid=2 block=32
; ARG: in in u8 = 252 182 14 14 143 241 132 99 176 228 178 186 41 112 52 116 240 100 172 104 247 0 245 176 43 61 198 102 244 91 222 170 44 202 237 205 43 81 87 65 14 77 238 74 242 179 79 67 10 7 52 71 222 99 108 14 128 108 149 123 166 132 214 67 31 181 234 215 66 77 9 225 93 2 76 88 72 242 61 31 166 247 54 29 127 97 141 21 50 231 14 32 226 166 102 141 231 244 126 132 103 229 70 213 62 200 226 161 37 123 219 37 108 155 62 79 187 73 129 70 239 112 48 203 249 83 114 82 220 206 173 215 100 182 163 47 187 9 173 234 225 9 196 169 151 32 57 117 53 43 135 139 20 92 138 66 216 132 207 76 253 167 45 142 29 93 217 37 137 8 45 133 42 113 34 135 62 232 5 173 213 137 66 22 122 56 82 134 25 92 103 159 156 105 148 228 91 138 177 9 128 18 7 9 97 243 125 228 54 221 253 201 157 110 117 175 101 71 207 177 27 66 7 36 130 220 83 28 43 195 144 124 150 23 235 94 80 137 228 1 134 186 168 165 125 17 158 111 182 93 0 171 195 42 243 142
; ARG: out out u8[256]
; ARG: s32 = 16
; ARG: s32 = 4
; ARG: in k s16 = -3 9 -3 9 40 9 -3 9 -3
; WANT: out = 230 192 46 31 153 225 106 112 159 193 161 163 68 139 75 115 225 106 158 109 223 6 239 154 69 75 186 107 214 95 219 171 78 187 220 181 39 100 104 92 40 95 216 80 185 146 105 59 56 44 50 68 193 84 115 26 148 113 140 123 167 126 206 67 66 166 184 211 54 104 65 173 105 54 81 130 83 186 64 46 160 213 65 28 131 121 125 48 54 190 52 40 229 177 115 122 207 241 108 165 95 209 110 163 63 165 202 151 77 153 177 64 75 133 82 88 212 97 107 65 217 93 74 172 230 93 113 100 193 200 182 202 123 160 155 100 178 2 153 167 191 57 163 176 143 61 105 127 80 37 123 120 46 104 148 83 185 116 150 84 225 171 102 103 67 110 147 90 113 33 97 126 49 115 59 109 89 212 15 154 172 113 81 53 133 86 52 143 58 80 122 144 159 114 152 215 91 133 157 15 127 42 41 52 107 208 137 202 73 204 209 194 134 112 143 180 85 76 173 155 60 84 53 48 130 206 64 51 45 177 166 99 142 40 209 94 84 129 215 30 119 178 161 154 147 45 142 105 175 74 41 165 181 51 215 147
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define dso_local ptx_kernel void @blur(ptr addrspace(1) noalias noundef readonly align 4 captures(none) %0, ptr addrspace(1) noalias noundef writeonly align 4 captures(none) %1, i32 noundef %2, i32 noundef %3, ptr addrspace(1) noalias noundef readonly align 2 captures(none) %4) local_unnamed_addr #0 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !11 !kernel_arg_type_qual !12 {
  tail call void @__clang_ocl_kern_imp_blur(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 4 %1, i32 noundef %2, i32 noundef %3, ptr addrspace(1) noundef align 2 %4) #4
  ret void
}

define dso_local void @__clang_ocl_kern_imp_blur(ptr addrspace(1) noalias noundef readonly align 4 captures(none) %0, ptr addrspace(1) noalias noundef writeonly align 4 captures(none) %1, i32 noundef %2, i32 noundef %3, ptr addrspace(1) noalias noundef readonly align 2 captures(none) %4) local_unnamed_addr #1 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !11 !kernel_arg_type_qual !12 {
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %7 = shl nsw i32 %6, 5
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add nuw nsw i32 %7, %8
  %10 = sdiv i32 %9, %2
  %11 = mul i32 %10, %2
  %12 = sub i32 %9, %11
  %13 = add nsw i32 %2, -1
  %14 = add nsw i32 %3, -1
  %15 = add nsw i32 %12, -1
  %16 = icmp eq i32 %12, 0
  %17 = tail call i32 @llvm.smin.i32(i32 %15, i32 %13)
  %18 = select i1 %16, i32 0, i32 %17
  %19 = add nsw i32 %10, -1
  %20 = tail call i32 @llvm.smin.i32(i32 %19, i32 %14)
  %21 = icmp sgt i32 %10, 0
  %22 = select i1 %21, i32 %20, i32 0
  %23 = mul nsw i32 %22, %2
  %24 = add nsw i32 %18, %23
  %25 = sext i32 %24 to i64
  %26 = getelementptr inbounds <4 x i8>, ptr addrspace(1) %0, i64 %25
  %27 = load <4 x i8>, ptr addrspace(1) %26, align 4, !tbaa !13
  %28 = zext <4 x i8> %27 to <4 x i32>
  %29 = load i16, ptr addrspace(1) %4, align 2, !tbaa !14
  %30 = sext i16 %29 to i32
  %31 = insertelement <4 x i32> poison, i32 %30, i64 0
  %32 = shufflevector <4 x i32> %31, <4 x i32> poison, <4 x i32> zeroinitializer
  %33 = mul <4 x i32> %32, %28
  %34 = add <4 x i32> %33, splat (i32 32)
  %35 = tail call i32 @llvm.smin.i32(i32 %12, i32 %13)
  %36 = add nsw i32 %35, %23
  %37 = sext i32 %36 to i64
  %38 = getelementptr inbounds <4 x i8>, ptr addrspace(1) %0, i64 %37
  %39 = load <4 x i8>, ptr addrspace(1) %38, align 4, !tbaa !13
  %40 = zext <4 x i8> %39 to <4 x i32>
  %41 = getelementptr i8, ptr addrspace(1) %4, i64 2
  %42 = load i16, ptr addrspace(1) %41, align 2, !tbaa !14
  %43 = sext i16 %42 to i32
  %44 = insertelement <4 x i32> poison, i32 %43, i64 0
  %45 = shufflevector <4 x i32> %44, <4 x i32> poison, <4 x i32> zeroinitializer
  %46 = mul <4 x i32> %45, %40
  %47 = add <4 x i32> %46, %34
  %48 = add nuw nsw i32 %12, 1
  %49 = tail call i32 @llvm.smin.i32(i32 %48, i32 %13)
  %50 = add nsw i32 %49, %23
  %51 = sext i32 %50 to i64
  %52 = getelementptr inbounds <4 x i8>, ptr addrspace(1) %0, i64 %51
  %53 = load <4 x i8>, ptr addrspace(1) %52, align 4, !tbaa !13
  %54 = zext <4 x i8> %53 to <4 x i32>
  %55 = getelementptr i8, ptr addrspace(1) %4, i64 4
  %56 = load i16, ptr addrspace(1) %55, align 2, !tbaa !14
  %57 = sext i16 %56 to i32
  %58 = insertelement <4 x i32> poison, i32 %57, i64 0
  %59 = shufflevector <4 x i32> %58, <4 x i32> poison, <4 x i32> zeroinitializer
  %60 = mul <4 x i32> %59, %54
  %61 = add <4 x i32> %60, %47
  %62 = icmp slt i32 %10, 0
  %63 = tail call i32 @llvm.smin.i32(i32 %10, i32 %14)
  %64 = select i1 %62, i32 0, i32 %63
  %65 = mul nsw i32 %64, %2
  %66 = add nsw i32 %18, %65
  %67 = sext i32 %66 to i64
  %68 = getelementptr inbounds <4 x i8>, ptr addrspace(1) %0, i64 %67
  %69 = load <4 x i8>, ptr addrspace(1) %68, align 4, !tbaa !13
  %70 = zext <4 x i8> %69 to <4 x i32>
  %71 = getelementptr i8, ptr addrspace(1) %4, i64 6
  %72 = load i16, ptr addrspace(1) %71, align 2, !tbaa !14
  %73 = sext i16 %72 to i32
  %74 = insertelement <4 x i32> poison, i32 %73, i64 0
  %75 = shufflevector <4 x i32> %74, <4 x i32> poison, <4 x i32> zeroinitializer
  %76 = mul <4 x i32> %75, %70
  %77 = add <4 x i32> %76, %61
  %78 = add nsw i32 %35, %65
  %79 = sext i32 %78 to i64
  %80 = getelementptr inbounds <4 x i8>, ptr addrspace(1) %0, i64 %79
  %81 = load <4 x i8>, ptr addrspace(1) %80, align 4, !tbaa !13
  %82 = zext <4 x i8> %81 to <4 x i32>
  %83 = getelementptr i8, ptr addrspace(1) %4, i64 8
  %84 = load i16, ptr addrspace(1) %83, align 2, !tbaa !14
  %85 = sext i16 %84 to i32
  %86 = insertelement <4 x i32> poison, i32 %85, i64 0
  %87 = shufflevector <4 x i32> %86, <4 x i32> poison, <4 x i32> zeroinitializer
  %88 = mul <4 x i32> %87, %82
  %89 = add <4 x i32> %88, %77
  %90 = add nsw i32 %49, %65
  %91 = sext i32 %90 to i64
  %92 = getelementptr inbounds <4 x i8>, ptr addrspace(1) %0, i64 %91
  %93 = load <4 x i8>, ptr addrspace(1) %92, align 4, !tbaa !13
  %94 = zext <4 x i8> %93 to <4 x i32>
  %95 = getelementptr i8, ptr addrspace(1) %4, i64 10
  %96 = load i16, ptr addrspace(1) %95, align 2, !tbaa !14
  %97 = sext i16 %96 to i32
  %98 = insertelement <4 x i32> poison, i32 %97, i64 0
  %99 = shufflevector <4 x i32> %98, <4 x i32> poison, <4 x i32> zeroinitializer
  %100 = mul <4 x i32> %99, %94
  %101 = add <4 x i32> %100, %89
  %102 = add nsw i32 %10, 1
  %103 = icmp slt i32 %10, -1
  %104 = tail call i32 @llvm.smin.i32(i32 %102, i32 %14)
  %105 = select i1 %103, i32 0, i32 %104
  %106 = mul nsw i32 %105, %2
  %107 = add nsw i32 %18, %106
  %108 = sext i32 %107 to i64
  %109 = getelementptr inbounds <4 x i8>, ptr addrspace(1) %0, i64 %108
  %110 = load <4 x i8>, ptr addrspace(1) %109, align 4, !tbaa !13
  %111 = zext <4 x i8> %110 to <4 x i32>
  %112 = getelementptr i8, ptr addrspace(1) %4, i64 12
  %113 = load i16, ptr addrspace(1) %112, align 2, !tbaa !14
  %114 = sext i16 %113 to i32
  %115 = insertelement <4 x i32> poison, i32 %114, i64 0
  %116 = shufflevector <4 x i32> %115, <4 x i32> poison, <4 x i32> zeroinitializer
  %117 = mul <4 x i32> %116, %111
  %118 = add <4 x i32> %117, %101
  %119 = add nsw i32 %35, %106
  %120 = sext i32 %119 to i64
  %121 = getelementptr inbounds <4 x i8>, ptr addrspace(1) %0, i64 %120
  %122 = load <4 x i8>, ptr addrspace(1) %121, align 4, !tbaa !13
  %123 = zext <4 x i8> %122 to <4 x i32>
  %124 = getelementptr i8, ptr addrspace(1) %4, i64 14
  %125 = load i16, ptr addrspace(1) %124, align 2, !tbaa !14
  %126 = sext i16 %125 to i32
  %127 = insertelement <4 x i32> poison, i32 %126, i64 0
  %128 = shufflevector <4 x i32> %127, <4 x i32> poison, <4 x i32> zeroinitializer
  %129 = mul <4 x i32> %128, %123
  %130 = add <4 x i32> %129, %118
  %131 = add nsw i32 %49, %106
  %132 = sext i32 %131 to i64
  %133 = getelementptr inbounds <4 x i8>, ptr addrspace(1) %0, i64 %132
  %134 = load <4 x i8>, ptr addrspace(1) %133, align 4, !tbaa !13
  %135 = zext <4 x i8> %134 to <4 x i32>
  %136 = getelementptr i8, ptr addrspace(1) %4, i64 16
  %137 = load i16, ptr addrspace(1) %136, align 2, !tbaa !14
  %138 = sext i16 %137 to i32
  %139 = insertelement <4 x i32> poison, i32 %138, i64 0
  %140 = shufflevector <4 x i32> %139, <4 x i32> poison, <4 x i32> zeroinitializer
  %141 = mul <4 x i32> %140, %135
  %142 = add <4 x i32> %141, %130
  %143 = tail call <4 x i32> @llvm.smax.v4i32(<4 x i32> %142, <4 x i32> zeroinitializer)
  %144 = lshr <4 x i32> %143, splat (i32 6)
  %145 = icmp sgt <4 x i32> %142, splat (i32 16383)
  %146 = select <4 x i1> %145, <4 x i32> splat (i32 16383), <4 x i32> %144
  %147 = trunc <4 x i32> %146 to <4 x i8>
  %148 = mul nsw i32 %10, %2
  %149 = add nsw i32 %148, %12
  %150 = sext i32 %149 to i64
  %151 = getelementptr inbounds <4 x i8>, ptr addrspace(1) %1, i64 %150
  store <4 x i8> %147, ptr addrspace(1) %151, align 4, !tbaa !13
  ret void
}

declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare <4 x i32> @llvm.smax.v4i32(<4 x i32>, <4 x i32>) #3

declare i32 @llvm.smin.i32(i32, i32) #3

attributes #0 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx42,+ptx80,+sm_80" "uniform-work-group-size"="false" }
attributes #1 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx42,+ptx80,+sm_80" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nounwind }

!llvm.module.flags = !{!0, !1}
!opencl.ocl.version = !{!2}
!llvm.ident = !{!3}
!llvm.errno.tbaa = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 3, i32 0}
!3 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!4 = !{!5, !5, i64 0}
!5 = !{!"int", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C/C++ TBAA"}
!8 = !{i32 1, i32 1, i32 0, i32 0, i32 1}
!9 = !{!"none", !"none", !"none", !"none", !"none"}
!10 = !{!"uchar4*", !"uchar4*", !"int", !"int", !"short*"}
!11 = !{!"uchar __attribute__((ext_vector_type(4)))*", !"uchar __attribute__((ext_vector_type(4)))*", !"int", !"int", !"short*"}
!12 = !{!"restrict const", !"restrict", !"", !"", !"restrict const"}
!13 = !{!6, !6, i64 0}
!14 = !{!15, !15, i64 0}
!15 = !{!"short", !6, i64 0}
