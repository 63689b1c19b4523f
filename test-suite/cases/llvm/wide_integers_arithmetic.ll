; Arithmetic on integers of 128 bits.
; What is wanted was computed by x86 code that llc made of the same function.
; RUN: raise -O0
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k block=8
; ARG: in x b64 = 0xc88aa9870f4ff616 0x4a7d07442da4301d 0x8b646df356a12791 0x4ac7b102bc90c76e 0xa2b201571ec9946b 0x39c471b12777207d 0xa430b7efba57ed01 0x86fec121d3446599 0x6b20b21dadad4c07 0x1f9d7a30c28b361d 0x9bac0ea748300b5d 0x0 0x718af717fcbe7ff4 0xffffffffffffffff 0x200000000 0x3035e54274d2300b 0x55551106209fef8b 0xaa162ca2d07790bd 0x4e03aa339d343ae2 0x9513fc4005397783 0xeaf4ed745b66993b 0x91c0fb2175060474 0xffffffffffffffff 0x7e527ee56c6c1c6e 0xffffffffffffffff 0xb6f1fc729b272e87 0x0 0x0 0x1c61522df248ed90 0xffffffffffffffff 0x10000000000000 0xa79055dead913168 0x6d493b913afbe0eb 0x10000000 0xffffffffffffffff 0x100 0xffffffffffffffff 0xffffffffffffffff 0xffffffffffffffff 0x1ad06f322a6a3e18 0x82d3fa21e4bc2b11 0xd717f7efc16aafe0 0x8711f13ca0a88b75 0xffffffffffffffff 0x2000000000 0x0 0x1bd460cc9803b129 0x7bdc3144da82d64a
; ARG: out y b64[160]
; WANT: y = 0x53ef177a65f11da7 0x9544b846ea34f78c 0x3d263b93b8aece85 0xffb55641711368af 0x5ab90bac029dbc76 0x7871a4ab6654289a
; WANT: y = 0x0 0x0 0xc88aa9870f4ff616 0x4a7d07442da4301d 0x0 0x0
; WANT: y = 0xc88aa9870f4ff616 0x4a7d07442da4301d 0x0 0x7fb0b00000000000 0x94fa0 0x0
; WANT: y = 0x94fa0 0x0 0xf516a0d68053908 0xa69c3b5295cf9bb7 0x391005d20caaa0fa 0x676146f110b92f7c
; WANT: y = 0x8bbf16920970c707 0xd4e5ab0f5593e50e 0x4 0x0 0xf7adef7903a2bce5 0x888d85ec9178d23
; WANT: y = 0xfffffffffffffffd 0xffffffffffffffff 0xe592ce48c35fd116 0xe5d72fb41ae607f1 0x0 0xf74afda020000000
; WANT: y = 0x437f6090e 0x0 0xfffffffc37f6090e 0xffffffffffffffff 0x718af719fcbe7ff4 0x3035e54274d2300a
; WANT: y = 0x718af715fcbe7ff4 0xcfca1abd8b2dcff4 0xf97cffe800000000 0x4e970491fd6b2dab 0x5 0x0
; WANT: y = 0x718af70dfcbe7fea 0xef285b3b7e50fc8 0x0 0x0 0x718af717fcbe7ff4 0xffffffffffffffff
; WANT: y = 0x57b8bfe5f3ffa000 0xfffffffffffffb8c 0xffee315ee2ff97cf 0x1fffffffffffff 0xffee315ee2ff97cf 0xffffffffffffffff
; WANT: y = 0x38f897a7f89ad41d 0x26d4f7617a3f7bf8 0x630ebcbf41cda1a7 0x353011e9033730e 0x9e992eff3e46a416 0xb236fd28b4b919c8
; WANT: y = 0x1 0x0 0x630ebcbf41cda1a7 0x353011e9033730e 0x0 0x0
; WANT: y = 0x4e03aa339d343ae2 0x9513fc4005397783 0x0 0x0 0x1 0x0
; WANT: y = 0xffffffffffffffff 0xffffffffffffffff 0xffffffffffffffff 0xb6f1fc729b272e87 0xffffffffffffffff 0xb6f1fc729b272e87
; WANT: y = 0x0 0x0 0xffffffffffffffff 0x5b78fe394d939743 0x1 0x0
; WANT: y = 0x0 0xdb78fe394d939744 0xffffffffffffffff 0xffffffffffffffff 0xffffffffffff0000 0xfc729b272e87ffff
; WANT: y = 0x2e87ffffffffffff 0xb6f1fc729b27 0x2e87ffffffffffff 0xffffb6f1fc729b27 0x6d593b913afbe0eb 0xa79055debd913168
; WANT: y = 0x92c6c46ec5041f15 0xa79055de9d913167 0xeb0000000000000 0xe5978651198f0a36 0xa79055da3 0x0
; WANT: y = 0xb33d52b179536b5f 0x50af62c 0xfffffffa79055e11 0xffffffffffffffff 0x6d83c8fa2118c665 0xfffffffff99eaf11
; WANT: y = 0x0 0x0 0x1 0x0 0xffffffffffffffff 0xffffffffffffffff
; WANT: y = 0xfffffffffffffffe 0x1ad06f322a6a3e18 0x0 0xe52f90cdd595c1e7 0x1 0xe52f90cdd595c1e7
; WANT: y = 0x9 0x0 0x8 0xeac173c8243d11f 0x0 0x0
; WANT: y = 0xffffffffffffffff 0xffffffffffffffff 0xfffffffffffe0000 0xffffffffffffffff 0xffffffffffffffff 0x7fffffffffff
; WANT: y = 0xffffffffffffffff 0xffffffffffffffff 0x8711f15ca0a88b75 0xffffffffffffffff 0x8711f11ca0a88b75 0xffffffffffffffff
; WANT: y = 0x15116ea000000000 0xfffffff0e23e2794 0xff7ffffffc408f89 0x7ffffff 0x1ca8276c63 0x0
; WANT: y = 0xfffffffffc388f8a 0xffffffffffffffff 0xfffffffca8376c61 0xffffffffffffffff 0x5116ea0000000000 0xffffff0e23e27941
; WANT: y = 0xffffffffffc388f8 0x7fffff 0xffffffffffc388f8 0xffffffffffffffff
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define void @f(ptr %in, ptr %out) #0 {
  %pa = getelementptr i64, ptr %in, i32 0
  %la = load i128, ptr %pa, align 8
  %a = freeze i128 %la
  %pb = getelementptr i64, ptr %in, i32 2
  %lb = load i128, ptr %pb, align 8
  %b = freeze i128 %lb
  %pc = getelementptr i64, ptr %in, i32 4
  %lc = load i128, ptr %pc, align 8
  %c = freeze i128 %lc
  %v0 = add i128 %a, %b
  %o0 = getelementptr i64, ptr %out, i32 0
  store i128 %v0, ptr %o0, align 8
  %v1 = sub i128 %a, %b
  %o2 = getelementptr i64, ptr %out, i32 2
  store i128 %v1, ptr %o2, align 8
  %v2 = mul i128 %a, %b
  %o4 = getelementptr i64, ptr %out, i32 4
  store i128 %v2, ptr %o4, align 8
  %d3 = or i128 %b, 2
  %v3 = udiv i128 %a, %d3
  %o6 = getelementptr i64, ptr %out, i32 6
  store i128 %v3, ptr %o6, align 8
  %d4 = or i128 %b, 2
  %v4 = urem i128 %a, %d4
  %o8 = getelementptr i64, ptr %out, i32 8
  store i128 %v4, ptr %o8, align 8
  %d5 = or i128 %b, 2
  %v5 = sdiv i128 %a, %d5
  %o10 = getelementptr i64, ptr %out, i32 10
  store i128 %v5, ptr %o10, align 8
  %d6 = or i128 %b, 2
  %v6 = srem i128 %a, %d6
  %o12 = getelementptr i64, ptr %out, i32 12
  store i128 %v6, ptr %o12, align 8
  %n7 = urem i128 %c, 128
  %v7 = shl i128 %a, %n7
  %o14 = getelementptr i64, ptr %out, i32 14
  store i128 %v7, ptr %o14, align 8
  %n8 = urem i128 %c, 128
  %v8 = lshr i128 %a, %n8
  %o16 = getelementptr i64, ptr %out, i32 16
  store i128 %v8, ptr %o16, align 8
  %n9 = urem i128 %c, 128
  %v9 = ashr i128 %a, %n9
  %o18 = getelementptr i64, ptr %out, i32 18
  store i128 %v9, ptr %o18, align 8
  ret void
}

define ptx_kernel void @k(ptr %x, ptr %y) #1 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = mul i32 %t, 48
  %b = mul i32 %t, 160
  %p = getelementptr i8, ptr %x, i32 %a
  %q = getelementptr i8, ptr %y, i32 %b
  call void @f(ptr %p, ptr %q)
  ret void
}

attributes #0 = { noinline "target-cpu"="sm_80" "target-features"="+ptx80" }
attributes #1 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
