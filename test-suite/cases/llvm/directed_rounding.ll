; Roundings in one direction, of the formats that have no instruction for them.
; What is wanted are the exact results, rounded, computed in Python with rational numbers.
; RUN: raise -O0
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k block=8
; ARG: in x b16 = 0x1c24 0x570d 0x4093 0xbfea 0x57b6 0xbd87 0xc215 0x42d8 0x2ac3 0xc59d 0xc221 0x3d48 0xd17e 0xbd68 0x4259 0xc009 0x3306 0x2db3 0xbe4c 0xbfde 0x23a5 0x31de 0x4078 0x3d93 0xc380 0x9620 0x4265 0xbd6b 0xa997 0x9556 0x3f9d 0xc28e
; ARG: out y b16[192]
; WANT: y = 0x570d 0x374c 0x259 0x5714 0x4031 0xc106 0xc020 0x570d 0x374c 0x259 0x5714 0x4031 0xc107 0xc021 0x570e 0x374d 0x25a 0x5715 0x4031 0xc106 0xc020 0x4e81 0x4e81 0x4e82
; WANT: y = 0x579f 0xd953 0xd594 0xd95e 0x428d 0xc57b 0xbeb0 0x579f 0xd954 0xd595 0xd95f 0x428d 0xc57c 0xbeb1 0x57a0 0xd953 0xd594 0xd95e 0x428e 0xc57b 0xbeb0 0xce77 0xce78 0xce77
; WANT: y = 0xc58f 0xb4be 0xa0d1 0xc5e8 0xc220 0xbffb 0xc44e 0xc590 0xb4bf 0xa0d2 0xc5e9 0xc221 0xbffc 0xc44f 0xc58f 0xb4be 0xa0d1 0xc5e8 0xc220 0xbffb 0xc44e 0xce77 0xce78 0xce77
; WANT: y = 0xd1a9 0x536c 0x5010 0x5341 0x4250 0xc2e8 0xc1ca 0xd1aa 0x536c 0x5010 0x5341 0x4250 0xc2e9 0xc1cb 0xd1a9 0x536d 0x5011 0x5342 0x4251 0xc2e8 0xc1ca 0x4e84 0x4e84 0x4e85
; WANT: y = 0x34ef 0x2500 0x40ed 0x2ef3 0xbff7 0x3eb0 0x3deb 0x34ef 0x2500 0x40ed 0x2ef3 0xbff8 0x3eb0 0x3deb 0x34f0 0x2501 0x40ee 0x2ef4 0xbff7 0x3eb1 0x3dec 0xce83 0xce84 0xce83
; WANT: y = 0x3258 0x199b 0x2d36 0x31f4 0x407c 0x3e8e 0x4257 0x3258 0x199b 0x2d36 0x31f4 0x407c 0x3e8e 0x4257 0x3259 0x199c 0x2d37 0x31f5 0x407d 0x3e8f 0x4258 0x4e80 0x4e80 0x4e81
; WANT: y = 0xc380 0x1dbe 0x68e5 0x1c36 0x4264 0xc052 0xc479 0xc381 0x1dbe 0x68e5 0x1c36 0x4264 0xc053 0xc47a 0xc380 0x1dbe 0x68e6 0x1c36 0x4265 0xc052 0xc479 0x4e84 0x4e84 0x4e85
; WANT: y = 0xa9c1 0x3ba 0x5030 0x951a 0xc28b 0xc2ae 0xbc8d 0xa9c2 0x3ba 0x5030 0x951b 0xc28c 0xc2af 0xbc8e 0xa9c1 0x3bb 0x5031 0x951a 0xc28b 0xc2ae 0xbc8d 0x4e7e 0x4e7e 0x4e7f
target triple = "nvptx64-nvidia-cuda"

define void @f(ptr %in, ptr %out) strictfp {
  %a = load half, ptr %in
  %p1 = getelementptr half, ptr %in, i32 1
  %b = load half, ptr %p1
  %p2 = getelementptr half, ptr %in, i32 2
  %c = load bfloat, ptr %p2
  %p3 = getelementptr half, ptr %in, i32 3
  %d = load bfloat, ptr %p3
  %i0 = load i16, ptr %in
  %i1 = load i16, ptr %p2
  %iz0 = zext i16 %i0 to i32
  %iz1 = zext i16 %i1 to i32
  %ih = shl i32 %iz1, 16
  %i = or i32 %iz0, %ih
  %r0 = call half @llvm.experimental.constrained.fadd.f16(half %a, half %b, metadata !"round.towardzero", metadata !"fpexcept.strict") strictfp
  %o0 = getelementptr i16, ptr %out, i32 0
  store half %r0, ptr %o0
  %r1 = call half @llvm.experimental.constrained.fmul.f16(half %a, half %b, metadata !"round.towardzero", metadata !"fpexcept.strict") strictfp
  %o1 = getelementptr i16, ptr %out, i32 1
  store half %r1, ptr %o1
  %r2 = call half @llvm.experimental.constrained.fdiv.f16(half %a, half %b, metadata !"round.towardzero", metadata !"fpexcept.strict") strictfp
  %o2 = getelementptr i16, ptr %out, i32 2
  store half %r2, ptr %o2
  %r3 = call half @llvm.experimental.constrained.fma.f16(half %a, half %b, half %b, metadata !"round.towardzero", metadata !"fpexcept.strict") strictfp
  %o3 = getelementptr i16, ptr %out, i32 3
  store half %r3, ptr %o3
  %r4 = call bfloat @llvm.experimental.constrained.fadd.bf16(bfloat %c, bfloat %d, metadata !"round.towardzero", metadata !"fpexcept.strict") strictfp
  %o4 = getelementptr i16, ptr %out, i32 4
  store bfloat %r4, ptr %o4
  %r5 = call bfloat @llvm.experimental.constrained.fmul.bf16(bfloat %c, bfloat %d, metadata !"round.towardzero", metadata !"fpexcept.strict") strictfp
  %o5 = getelementptr i16, ptr %out, i32 5
  store bfloat %r5, ptr %o5
  %r6 = call bfloat @llvm.experimental.constrained.fdiv.bf16(bfloat %c, bfloat %d, metadata !"round.towardzero", metadata !"fpexcept.strict") strictfp
  %o6 = getelementptr i16, ptr %out, i32 6
  store bfloat %r6, ptr %o6
  %r7 = call half @llvm.experimental.constrained.fadd.f16(half %a, half %b, metadata !"round.downward", metadata !"fpexcept.strict") strictfp
  %o7 = getelementptr i16, ptr %out, i32 7
  store half %r7, ptr %o7
  %r8 = call half @llvm.experimental.constrained.fmul.f16(half %a, half %b, metadata !"round.downward", metadata !"fpexcept.strict") strictfp
  %o8 = getelementptr i16, ptr %out, i32 8
  store half %r8, ptr %o8
  %r9 = call half @llvm.experimental.constrained.fdiv.f16(half %a, half %b, metadata !"round.downward", metadata !"fpexcept.strict") strictfp
  %o9 = getelementptr i16, ptr %out, i32 9
  store half %r9, ptr %o9
  %r10 = call half @llvm.experimental.constrained.fma.f16(half %a, half %b, half %b, metadata !"round.downward", metadata !"fpexcept.strict") strictfp
  %o10 = getelementptr i16, ptr %out, i32 10
  store half %r10, ptr %o10
  %r11 = call bfloat @llvm.experimental.constrained.fadd.bf16(bfloat %c, bfloat %d, metadata !"round.downward", metadata !"fpexcept.strict") strictfp
  %o11 = getelementptr i16, ptr %out, i32 11
  store bfloat %r11, ptr %o11
  %r12 = call bfloat @llvm.experimental.constrained.fmul.bf16(bfloat %c, bfloat %d, metadata !"round.downward", metadata !"fpexcept.strict") strictfp
  %o12 = getelementptr i16, ptr %out, i32 12
  store bfloat %r12, ptr %o12
  %r13 = call bfloat @llvm.experimental.constrained.fdiv.bf16(bfloat %c, bfloat %d, metadata !"round.downward", metadata !"fpexcept.strict") strictfp
  %o13 = getelementptr i16, ptr %out, i32 13
  store bfloat %r13, ptr %o13
  %r14 = call half @llvm.experimental.constrained.fadd.f16(half %a, half %b, metadata !"round.upward", metadata !"fpexcept.strict") strictfp
  %o14 = getelementptr i16, ptr %out, i32 14
  store half %r14, ptr %o14
  %r15 = call half @llvm.experimental.constrained.fmul.f16(half %a, half %b, metadata !"round.upward", metadata !"fpexcept.strict") strictfp
  %o15 = getelementptr i16, ptr %out, i32 15
  store half %r15, ptr %o15
  %r16 = call half @llvm.experimental.constrained.fdiv.f16(half %a, half %b, metadata !"round.upward", metadata !"fpexcept.strict") strictfp
  %o16 = getelementptr i16, ptr %out, i32 16
  store half %r16, ptr %o16
  %r17 = call half @llvm.experimental.constrained.fma.f16(half %a, half %b, half %b, metadata !"round.upward", metadata !"fpexcept.strict") strictfp
  %o17 = getelementptr i16, ptr %out, i32 17
  store half %r17, ptr %o17
  %r18 = call bfloat @llvm.experimental.constrained.fadd.bf16(bfloat %c, bfloat %d, metadata !"round.upward", metadata !"fpexcept.strict") strictfp
  %o18 = getelementptr i16, ptr %out, i32 18
  store bfloat %r18, ptr %o18
  %r19 = call bfloat @llvm.experimental.constrained.fmul.bf16(bfloat %c, bfloat %d, metadata !"round.upward", metadata !"fpexcept.strict") strictfp
  %o19 = getelementptr i16, ptr %out, i32 19
  store bfloat %r19, ptr %o19
  %r20 = call bfloat @llvm.experimental.constrained.fdiv.bf16(bfloat %c, bfloat %d, metadata !"round.upward", metadata !"fpexcept.strict") strictfp
  %o20 = getelementptr i16, ptr %out, i32 20
  store bfloat %r20, ptr %o20
  %r21 = call bfloat @llvm.experimental.constrained.sitofp.bf16.i32(i32 %i, metadata !"round.towardzero", metadata !"fpexcept.strict") strictfp
  %o21 = getelementptr i16, ptr %out, i32 21
  store bfloat %r21, ptr %o21
  %r22 = call bfloat @llvm.experimental.constrained.sitofp.bf16.i32(i32 %i, metadata !"round.downward", metadata !"fpexcept.strict") strictfp
  %o22 = getelementptr i16, ptr %out, i32 22
  store bfloat %r22, ptr %o22
  %r23 = call bfloat @llvm.experimental.constrained.sitofp.bf16.i32(i32 %i, metadata !"round.upward", metadata !"fpexcept.strict") strictfp
  %o23 = getelementptr i16, ptr %out, i32 23
  store bfloat %r23, ptr %o23
  ret void
}

define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = mul i32 %t, 8
  %y = mul i32 %t, 48
  %from = getelementptr i8, ptr addrspace(1) %in, i32 %x
  %to = getelementptr i8, ptr addrspace(1) %out, i32 %y
  %i = addrspacecast ptr addrspace(1) %from to ptr
  %o = addrspacecast ptr addrspace(1) %to to ptr
  call void @f(ptr %i, ptr %o)
  ret void
}
