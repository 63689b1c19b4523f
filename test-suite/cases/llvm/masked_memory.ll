; Accesses by mask of every kind.
; What is wanted was computed by x86 code that llc made of the same function.
; RUN: raise -O0
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k block=8
; ARG: in x b64 = 0x4f94c3730f4a1d02 0xffffffffffffffff 0xffffffffffffffff 0x29a119c7bd82720e 0xd8 0x100000 0xffffffffffffffff 0x295628036ee18d4f 0xb4b03e37096dba27 0xee45cdf46c13c686 0x0 0xffffffffffffffff 0xaf 0x24d3a24b8c37d748 0xfdb72337a10df216 0x5d4621bde757ec11
; ARG: out y b64[48]
; WANT: y = 0x70007ffff0007 0xffff0000 0xffffffffffffffff 0xffff 0xffffffffffffffff 0xffff
; WANT: y = 0x29a119c7bd82720e 0x29a119c7bd82720e 0x29a119c7bd82720e 0x29a119c7bd82720e 0x720e19c7bd8229a1 0x19c7720e29a1bd82
; WANT: y = 0x700070007 0x0 0x100000 0x0 0xffffffffffff 0x0
; WANT: y = 0x295628036ee18d4f 0x295628036ee18d4f 0x295628036ee18d4f 0x295628036ee18d4f 0x8d4f28036ee12956 0x28038d4f29566ee1
; WANT: y = 0x7cdf46c13c686 0xcdf46c13c686 0xee45cdf46c13c686 0xcdf46c13c686 0xffffcdf46c13ee45 0xcdf4c68600006c13
; WANT: y = 0x7000700070007 0x0 0xffffffffffffffff 0x0 0xffffffffffffffff 0x0
; WANT: y = 0x24d3a24b8c37d748 0x24d3a24b8c37d748 0x24d3a24b8c37d748 0x24d3a24b8c37d748 0xd748a24b8c3724d3 0xa24bd74824d38c37
; WANT: y = 0x721bde7570007 0x21bde7570000 0x5d46e757ec11ec11 0x21bde757 0xffff21bde757ffff 0x21bd00000000e757
target triple = "nvptx64-nvidia-cuda"

declare <4 x i16> @llvm.masked.load.v4i16.p0(ptr, <4 x i1>, <4 x i16>)
declare void @llvm.masked.store.v4i16.p0(<4 x i16>, ptr, <4 x i1>)
declare <4 x i16> @llvm.masked.expandload.v4i16(ptr, <4 x i1>, <4 x i16>)
declare void @llvm.masked.compressstore.v4i16(<4 x i16>, ptr, <4 x i1>)
declare <4 x i16> @llvm.masked.gather.v4i16.v4p0(<4 x ptr>, <4 x i1>, <4 x i16>)
declare void @llvm.masked.scatter.v4i16.v4p0(<4 x i16>, <4 x ptr>, <4 x i1>)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define void @f(ptr %in, ptr %out) #0 {
  %m8 = load i8, ptr %in
  %mt = trunc i8 %m8 to i4
  %m = bitcast i4 %mt to <4 x i1>
  %src = getelementptr i8, ptr %in, i32 8
  %rest = load <4 x i16>, ptr %src, align 8
  %a = call <4 x i16> @llvm.masked.load.v4i16.p0(ptr align 2 %src, <4 x i1> %m, <4 x i16> splat (i16 7))
  store <4 x i16> %a, ptr %out, align 8
  %o1 = getelementptr i8, ptr %out, i32 8
  store i64 0, ptr %o1
  call void @llvm.masked.store.v4i16.p0(<4 x i16> %rest, ptr align 1 %o1, <4 x i1> %m)
  %b = call <4 x i16> @llvm.masked.expandload.v4i16(ptr align 2 %src, <4 x i1> %m, <4 x i16> %rest)
  %o2 = getelementptr i8, ptr %out, i32 16
  store <4 x i16> %b, ptr %o2, align 8
  %o3 = getelementptr i8, ptr %out, i32 24
  store i64 0, ptr %o3
  call void @llvm.masked.compressstore.v4i16(<4 x i16> %rest, ptr align 2 %o3, <4 x i1> %m)
  %ps = getelementptr i16, ptr %src, <4 x i64> <i64 3, i64 1, i64 2, i64 0>
  %c = call <4 x i16> @llvm.masked.gather.v4i16.v4p0(<4 x ptr> align 2 %ps, <4 x i1> %m, <4 x i16> splat (i16 -1))
  %o4 = getelementptr i8, ptr %out, i32 32
  store <4 x i16> %c, ptr %o4, align 8
  %o5 = getelementptr i8, ptr %out, i32 40
  store i64 0, ptr %o5
  %po = getelementptr i16, ptr %o5, <4 x i64> <i64 2, i64 0, i64 3, i64 1>
  call void @llvm.masked.scatter.v4i16.v4p0(<4 x i16> %rest, <4 x ptr> align 2 %po, <4 x i1> %m)
  ret void
}

define ptx_kernel void @k(ptr %x, ptr %y) #1 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = mul i32 %t, 16
  %b = mul i32 %t, 48
  %p = getelementptr i8, ptr %x, i32 %a
  %q = getelementptr i8, ptr %y, i32 %b
  call void @f(ptr %p, ptr %q)
  ret void
}

attributes #0 = { noinline "target-cpu"="sm_80" "target-features"="+ptx80" }
attributes #1 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
