; From C++, optimized for size, with virtual functions, a lambda, a sort of structures.
;
;     clang++-22 --target=nvptx64-nvidia-cuda -march=sm_80 -Xclang -target-feature -Xclang +ptx80 -S -emit-llvm -Os -fno-rtti -fno-exceptions shapes.cpp
;
;     struct Shape{virtual int area()const=0;virtual int sides()const{return 0;}};
;     struct Square:Shape{int w;Square(int w):w(w){}int area()const override{return w*w;}int sides()const override{return 4;}};
;     struct Box:Shape{int w,h;Box(int w,int h):w(w),h(h){}int area()const override{return w*h;}int sides()const override{return 4;}};
;     struct Dot:Shape{int area()const override{return 0;}};
;     template<class T,class C> static void sort(T*a,int n,C before){for(int i=1;i<n;i++){T x=a[i];int j=i;for(;j>0&&before(x,a[j-1]);j--)a[j]=a[j-1];a[j]=x;}}
;     static int each(const Shape*const*s,int n){int t=0;for(int i=0;i<n;i++)t=t*3+s[i]->area()+s[i]->sides();return t;}
;     struct Pair{short key;int value;};
;     extern "C" __attribute__((nvptx_kernel)) void shapes(const int*in,int*out,Pair*pairs,int n){
;      int t=__nvvm_read_ptx_sreg_tid_x();const int*p=in+4*t;
;      Square a(p[0]);Box b(p[1],p[2]);Dot c;
;      const Shape*s[3]={&a,&b,&c};if(p[3]&1){const Shape*x=s[0];s[0]=s[2];s[2]=x;}
;      out[t]=each(s,3);
;      if(t==0)sort(pairs,n,[](const Pair&x,const Pair&y){return x.key<y.key||(x.key==y.key&&x.value>y.value);});
;     }
;
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=shapes grid=1 block=4
; ARG: in in s32 = 21 10 26 42 4 5 35 7 24 38 4 33 14 3 6 28
; ARG: out out s32[4]
; ARG: inout pairs u8 = 0 0 0 0 249 255 255 255 254 255 0 0 249 255 255 255 1 0 0 0 4 0 0 0 253 255 0 0 9 0 0 0 253 255 0 0 254 255 255 255 2 0 0 0 9 0 0 0 253 255 0 0 9 0 0 0 1 0 0 0 3 0 0 0 253 255 0 0 254 255 255 255
; ARG: s32 = 9
; WANT: out = 4797 557 1048 1866
; WANT: pairs = 253 255 _ _ 9 0 0 0 253 255 _ _ 9 0 0 0 253 255 _ _ 254 255 255 255 253 255 _ _ 254 255 255 255 254 255 _ _ 249 255 255 255 0 0 _ _ 249 255 255 255 1 0 _ _ 4 0 0 0 1 0 _ _ 3 0 0 0 2 0 _ _ 9 0 0 0
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.Square = type <{ %struct.Shape, i32, [4 x i8] }>
%struct.Shape = type { ptr }
%struct.Box = type { %struct.Shape, i32, i32 }
%struct.Dot = type { %struct.Shape }
%struct.Pair = type { i16, i32 }

$_ZNK6Square4areaEv = comdat any

$_ZNK6Square5sidesEv = comdat any

$_ZNK5Shape5sidesEv = comdat any

$_ZNK3Box4areaEv = comdat any

$_ZNK3Box5sidesEv = comdat any

$_ZNK3Dot4areaEv = comdat any

$_ZTV6Square = comdat any

$_ZTV3Box = comdat any

$_ZTV3Dot = comdat any

@_ZTV6Square = linkonce_odr dso_local unnamed_addr constant { [4 x ptr] } { [4 x ptr] [ptr null, ptr null, ptr @_ZNK6Square4areaEv, ptr @_ZNK6Square5sidesEv] }, comdat, align 8
@_ZTV3Box = linkonce_odr dso_local unnamed_addr constant { [4 x ptr] } { [4 x ptr] [ptr null, ptr null, ptr @_ZNK3Box4areaEv, ptr @_ZNK3Box5sidesEv] }, comdat, align 8
@_ZTV3Dot = linkonce_odr dso_local unnamed_addr constant { [4 x ptr] } { [4 x ptr] [ptr null, ptr null, ptr @_ZNK3Dot4areaEv, ptr @_ZNK5Shape5sidesEv] }, comdat, align 8

define dso_local ptx_kernel void @shapes(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, ptr noundef captures(none) %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = alloca %struct.Square, align 8
  %6 = alloca %struct.Box, align 8
  %7 = alloca %struct.Dot, align 8
  %8 = alloca [3 x ptr], align 8
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %10 = shl nuw nsw i32 %9, 2
  %11 = zext nneg i32 %10 to i64
  %12 = getelementptr inbounds nuw i32, ptr %0, i64 %11
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #4
  %13 = load i32, ptr %12, align 4, !tbaa !3
  store ptr getelementptr inbounds nuw inrange(-16, 16) (i8, ptr @_ZTV6Square, i64 16), ptr %5, align 8, !tbaa !7
  %14 = getelementptr inbounds nuw i8, ptr %5, i64 8
  store i32 %13, ptr %14, align 8, !tbaa !9
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #4
  %15 = getelementptr inbounds nuw i8, ptr %12, i64 4
  %16 = load i32, ptr %15, align 4, !tbaa !3
  %17 = getelementptr inbounds nuw i8, ptr %12, i64 8
  %18 = load i32, ptr %17, align 4, !tbaa !3
  store ptr getelementptr inbounds nuw inrange(-16, 16) (i8, ptr @_ZTV3Box, i64 16), ptr %6, align 8, !tbaa !7
  %19 = getelementptr inbounds nuw i8, ptr %6, i64 8
  store i32 %16, ptr %19, align 8, !tbaa !12
  %20 = getelementptr inbounds nuw i8, ptr %6, i64 12
  store i32 %18, ptr %20, align 4, !tbaa !14
  call void @llvm.lifetime.start.p0(ptr nonnull %7) #4
  store ptr getelementptr inbounds nuw inrange(-16, 16) (i8, ptr @_ZTV3Dot, i64 16), ptr %7, align 8, !tbaa !7
  call void @llvm.lifetime.start.p0(ptr nonnull %8) #4
  store ptr %5, ptr %8, align 8, !tbaa !15
  %21 = getelementptr inbounds nuw i8, ptr %8, i64 8
  store ptr %6, ptr %21, align 8, !tbaa !15
  %22 = getelementptr inbounds nuw i8, ptr %8, i64 16
  store ptr %7, ptr %22, align 8, !tbaa !15
  %23 = getelementptr inbounds nuw i8, ptr %12, i64 12
  %24 = load i32, ptr %23, align 4, !tbaa !3
  %25 = and i32 %24, 1
  %26 = icmp eq i32 %25, 0
  br i1 %26, label %28, label %27

27:                                               ; preds = %4
  store ptr %7, ptr %8, align 8, !tbaa !15
  store ptr %5, ptr %22, align 8, !tbaa !15
  br label %28

28:                                               ; preds = %27, %4
  br label %29

29:                                               ; preds = %28, %29
  %30 = phi i32 [ %45, %29 ], [ 0, %28 ]
  %31 = phi i32 [ %44, %29 ], [ 0, %28 ]
  %32 = mul nsw i32 %31, 3
  %33 = zext nneg i32 %30 to i64
  %34 = getelementptr inbounds nuw ptr, ptr %8, i64 %33
  %35 = load ptr, ptr %34, align 8, !tbaa !15
  %36 = load ptr, ptr %35, align 8, !tbaa !7
  %37 = load ptr, ptr %36, align 8
  %38 = call noundef i32 %37(ptr noundef nonnull align 8 dereferenceable(8) %35) #5
  %39 = add nsw i32 %38, %32
  %40 = load ptr, ptr %35, align 8, !tbaa !7
  %41 = getelementptr inbounds nuw i8, ptr %40, i64 8
  %42 = load ptr, ptr %41, align 8
  %43 = call noundef i32 %42(ptr noundef nonnull align 8 dereferenceable(8) %35) #5
  %44 = add nsw i32 %39, %43
  %45 = add nuw nsw i32 %30, 1
  %46 = icmp eq i32 %45, 3
  br i1 %46, label %47, label %29, !llvm.loop !18

47:                                               ; preds = %29
  %48 = zext nneg i32 %9 to i64
  %49 = getelementptr inbounds nuw i32, ptr %1, i64 %48
  store i32 %44, ptr %49, align 4, !tbaa !3
  %50 = icmp eq i32 %9, 0
  %51 = icmp sgt i32 %3, 1
  %52 = and i1 %50, %51
  br i1 %52, label %53, label %84

53:                                               ; preds = %47, %78
  %54 = phi i32 [ %82, %78 ], [ 1, %47 ]
  %55 = zext nneg i32 %54 to i64
  %56 = getelementptr inbounds nuw %struct.Pair, ptr %2, i64 %55
  %57 = load i64, ptr %56, align 4
  %58 = trunc i64 %57 to i16
  %59 = lshr i64 %57, 32
  %60 = trunc nuw i64 %59 to i32
  br label %61

61:                                               ; preds = %74, %53
  %62 = phi i32 [ %54, %53 ], [ %76, %74 ]
  %63 = zext nneg i32 %62 to i64
  %64 = getelementptr %struct.Pair, ptr %2, i64 %63
  %65 = getelementptr i8, ptr %64, i64 -8
  %66 = load i16, ptr %65, align 4, !tbaa !20
  %67 = icmp sgt i16 %66, %58
  br i1 %67, label %74, label %68

68:                                               ; preds = %61
  %69 = icmp eq i16 %66, %58
  br i1 %69, label %70, label %78

70:                                               ; preds = %68
  %71 = getelementptr i8, ptr %64, i64 -4
  %72 = load i32, ptr %71, align 4, !tbaa !23
  %73 = icmp slt i32 %72, %60
  br i1 %73, label %74, label %78

74:                                               ; preds = %70, %61
  %75 = load i64, ptr %65, align 4
  store i64 %75, ptr %64, align 4
  %76 = add nsw i32 %62, -1
  %77 = icmp sgt i32 %62, 1
  br i1 %77, label %61, label %78, !llvm.loop !24

78:                                               ; preds = %74, %70, %68
  %79 = phi i32 [ %62, %68 ], [ 0, %74 ], [ %62, %70 ]
  %80 = sext i32 %79 to i64
  %81 = getelementptr inbounds %struct.Pair, ptr %2, i64 %80
  store i64 %57, ptr %81, align 4
  %82 = add nuw nsw i32 %54, 1
  %83 = icmp eq i32 %82, %3
  br i1 %83, label %84, label %53, !llvm.loop !25

84:                                               ; preds = %78, %47
  call void @llvm.lifetime.end.p0(ptr nonnull %8) #4
  call void @llvm.lifetime.end.p0(ptr nonnull %7) #4
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #4
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #4
  ret void
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

define linkonce_odr dso_local noundef i32 @_ZNK6Square4areaEv(ptr noundef nonnull align 8 dereferenceable(12) %0) unnamed_addr #3 comdat align 2 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %3 = load i32, ptr %2, align 8, !tbaa !9
  %4 = mul nsw i32 %3, %3
  ret i32 %4
}

define linkonce_odr dso_local noundef i32 @_ZNK6Square5sidesEv(ptr noundef nonnull align 8 dereferenceable(12) %0) unnamed_addr #3 comdat align 2 {
  ret i32 4
}

define linkonce_odr dso_local noundef i32 @_ZNK5Shape5sidesEv(ptr noundef nonnull align 8 dereferenceable(8) %0) unnamed_addr #3 comdat align 2 {
  ret i32 0
}

define linkonce_odr dso_local noundef i32 @_ZNK3Box4areaEv(ptr noundef nonnull align 8 dereferenceable(16) %0) unnamed_addr #3 comdat align 2 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %3 = load i32, ptr %2, align 8, !tbaa !12
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 12
  %5 = load i32, ptr %4, align 4, !tbaa !14
  %6 = mul nsw i32 %5, %3
  ret i32 %6
}

define linkonce_odr dso_local noundef i32 @_ZNK3Box5sidesEv(ptr noundef nonnull align 8 dereferenceable(16) %0) unnamed_addr #3 comdat align 2 {
  ret i32 4
}

define linkonce_odr dso_local noundef i32 @_ZNK3Dot4areaEv(ptr noundef nonnull align 8 dereferenceable(8) %0) unnamed_addr #3 comdat align 2 {
  ret i32 0
}

attributes #0 = { convergent mustprogress nounwind optsize "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx42,+ptx80,+sm_80" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { mustprogress nounwind optsize "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx42,+ptx80,+sm_80" }
attributes #4 = { nounwind }
attributes #5 = { convergent nounwind optsize }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}
!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C++ TBAA"}
!7 = !{!8, !8, i64 0}
!8 = !{!"vtable pointer", !6, i64 0}
!9 = !{!10, !4, i64 8}
!10 = !{!"_ZTS6Square", !11, i64 0, !4, i64 8}
!11 = !{!"_ZTS5Shape"}
!12 = !{!13, !4, i64 8}
!13 = !{!"_ZTS3Box", !11, i64 0, !4, i64 8, !4, i64 12}
!14 = !{!13, !4, i64 12}
!15 = !{!16, !16, i64 0}
!16 = !{!"p1 _ZTS5Shape", !17, i64 0}
!17 = !{!"any pointer", !5, i64 0}
!18 = distinct !{!18, !19}
!19 = !{!"llvm.loop.mustprogress"}
!20 = !{!21, !22, i64 0}
!21 = !{!"_ZTS4Pair", !22, i64 0, !4, i64 4}
!22 = !{!"short", !5, i64 0}
!23 = !{!21, !4, i64 4}
!24 = distinct !{!24, !19}
!25 = distinct !{!25, !19}
