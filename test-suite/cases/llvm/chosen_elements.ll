; Intrinsics that choose among the elements of vectors, vectors with a length, matrices and products without carries.
; What is wanted follows from the language reference, computed in Python.
; RUN: raise -O0
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k block=6
; ARG: in x b32 = 0x1 0xa6a3a450 0x0 0x9531985d 0x0 0x1 0x6cad4a26 0xa170b338 0xf9ebdacc 0x1 0x6b4cb242 0x92276658 0x1a61dbe2 0xf9ebdacc 0x3 0x3 0x3f98e277 0x2 0x2 0x49b64a08 0x3 0x26e87555 0x0 0x49b64a08 0xcc011cdd 0x0 0x795e8229 0x2 0x48db40af 0xf0ce5835 0x9c653938 0x0 0x3 0xeab477d2 0x3 0x8ca81811 0x3 0x6a50df4d 0x26a2c0bd 0x1 0x0 0x0 0x0 0x0 0x1 0x482c9cbc 0x2 0xf3fe39c0
; ARG: out y b32[144]
; WANT: y = 0x1 0xa6a3a450 0x6cad4a26 0xa170b338 0x1 0xa6a3a450 0x6cad4a26 0xa170b338 0xffffffff 0x0 0x0 0x0 0x1 0x3bd53cad 0x0 0x1 0x0 0x1 0xa6a3a450 0x6 0x1 0x0 0xa6a3a450 0x9531985d
; WANT: y = 0xf9ebdacc 0x6b4cb242 0x92276658 0x3 0xf9ebdacc 0xf9ebdacc 0x3 0x3 0xffffffff 0x0 0x0 0x0 0x65388d0e 0x92276659 0x8d3bcd18 0x42a64a93 0x0 0x4 0x92276658 0xe19b45fd 0xf9ebdacc 0x6b4cb242 0x1 0x92276658
; WANT: y = 0x3f98e277 0x2 0x0 0x49b64a08 0x3f98e277 0x26e87555 0x0 0x49b64a08 0x0 0x0 0x0 0x0 0x3f98e279 0x49b64a0a 0x40a92699 0xa6ca2a1d 0x0 0x4 0x2 0x3dfc6c54 0x3f98e277 0x2 0x2 0x49b64a08
; WANT: y = 0xcc011cdd 0x2 0x9c653938 0x0 0xcc011cdd 0xf0ce5835 0x9c653938 0x0 0x0 0x0 0x0 0x0 0x455f9f06 0x2 0x3c0a05db 0x92f3c9a0 0x0 0x4 0x2 0xfc059052 0xcc011cdd 0x795e8229 0x0 0x2
; WANT: y = 0xeab477d2 0x8ca81811 0x26a2c0bd 0x1 0x3 0xeab477d2 0x26a2c0bd 0x1 0x0 0x0 0x0 0x0 0x6 0x775c8fe3 0x5 0x812df9a1 0x1 0x3 0x8ca81811 0x10 0x3 0x3 0xeab477d2 0x8ca81811
; WANT: y = 0x1 0x482c9cbc 0x2 0xf3fe39c0 0x1 0x482c9cbc 0x2 0xf3fe39c0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x4 0x0 0x1 0x1 0x0 0x0 0x0 0x0
target triple = "nvptx64-nvidia-cuda"

define void @f(ptr %in, ptr %out) {
  %v = load <4 x i32>, ptr %in, align 4
  %in1 = getelementptr i8, ptr %in, i32 16
  %w = load <4 x i32>, ptr %in1, align 4
  %m = icmp ugt <4 x i32> %v, %w
  %c = call <4 x i32> @llvm.experimental.vector.compress.v4i32(<4 x i32> %v, <4 x i1> %m, <4 x i32> %w)
  store <4 x i32> %c, ptr %out, align 4
  %o1 = getelementptr i8, ptr %out, i32 16
  %merged = call <4 x i32> @llvm.vp.merge.v4i32(<4 x i1> %m, <4 x i32> %v, <4 x i32> %w, i32 2)
  store <4 x i32> %merged, ptr %o1, align 4
  %o2 = getelementptr i8, ptr %out, i32 32
  %same = call <4 x i1> @llvm.experimental.vector.match.v4i32.v4i32(<4 x i32> %v, <4 x i32> %w, <4 x i1> %m)
  %wide = sext <4 x i1> %same to <4 x i32>
  store <4 x i32> %wide, ptr %o2, align 4
  %o3 = getelementptr i8, ptr %out, i32 48
  %sum = call <2 x i32> @llvm.vector.partial.reduce.add.v2i32.v4i32(<2 x i32> zeroinitializer, <4 x i32> %v)
  store <2 x i32> %sum, ptr %o3, align 4
  %o4 = getelementptr i8, ptr %out, i32 56
  %a = load i64, ptr %in, align 4
  %b = load i64, ptr %in1, align 4
  %product = call i64 @llvm.clmul.i64(i64 %a, i64 %b)
  store i64 %product, ptr %o4, align 4
  %o5 = getelementptr i8, ptr %out, i32 64
  %first = call i32 @llvm.experimental.cttz.elts.i32.v4i1(<4 x i1> %m, i1 false)
  store i32 %first, ptr %o5
  %o6 = getelementptr i8, ptr %out, i32 68
  %v0 = extractelement <4 x i32> %v, i32 0
  %length = call i32 @llvm.experimental.get.vector.length.i32(i32 %v0, i32 4, i1 false)
  store i32 %length, ptr %o6
  %o7 = getelementptr i8, ptr %out, i32 72
  %w0 = extractelement <4 x i32> %w, i32 0
  %last = call i32 @llvm.experimental.vector.extract.last.active.v4i32(<4 x i32> %v, <4 x i1> %m, i32 %w0)
  store i32 %last, ptr %o7
  %o8 = getelementptr i8, ptr %out, i32 76
  store i32 1, ptr %o8
  %there = insertelement <2 x ptr> poison, ptr %o8, i32 0
  %places = insertelement <2 x ptr> %there, ptr %o8, i32 1
  %quintuple = mul i32 %v0, 5
  call void @llvm.experimental.vector.histogram.add.v2p0.i32(<2 x ptr> %places, i32 %quintuple, <2 x i1> <i1 true, i1 false>)
  %o9 = getelementptr i8, ptr %out, i32 80
  %turned = call <4 x i32> @llvm.matrix.transpose.v4i32(<4 x i32> %v, i32 2, i32 2)
  store <4 x i32> %turned, ptr %o9, align 4
  ret void
}

define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = mul i32 %t, 32
  %y = mul i32 %t, 96
  %from = getelementptr i8, ptr addrspace(1) %in, i32 %x
  %to = getelementptr i8, ptr addrspace(1) %out, i32 %y
  %i = addrspacecast ptr addrspace(1) %from to ptr
  %o = addrspacecast ptr addrspace(1) %to to ptr
  call void @f(ptr %i, ptr %o)
  ret void
}
