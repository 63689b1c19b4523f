; Elements of constant vectors that are made of addresses, put together again to the address.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=1
; ARG: out y u32[13]
; WANT: y = 12 23 32 14 14 13 11 11 11 11 12 13 11
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@g = internal addrspace(1) global [4 x i32] [i32 11, i32 12, i32 13, i32 14], align 16
@c = internal addrspace(4) constant [4 x i32] [i32 21, i32 22, i32 23, i32 24], align 16
@s = internal addrspace(3) global [4 x i32] undef, align 16

define ptx_kernel void @k(ptr addrspace(1) %y) #0 {
  store i32 32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @s, i64 4)
  ; Words of an address in global memory.
  %a0.0 = freeze i32 extractelement (<2 x i32> bitcast (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 4) to i64) to <2 x i32>), i32 0)
  %b0.0 = zext i32 %a0.0 to i64
  %c0.0 = shl i64 %b0.0, 0
  %a0.1 = freeze i32 extractelement (<2 x i32> bitcast (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 4) to i64) to <2 x i32>), i32 1)
  %b0.1 = zext i32 %a0.1 to i64
  %c0.1 = shl i64 %b0.1, 32
  %n0 = or i64 %c0.0, %c0.1
  %p0 = inttoptr i64 %n0 to ptr addrspace(1)
  %v0 = load i32, ptr addrspace(1) %p0, align 1
  %y0 = getelementptr i32, ptr addrspace(1) %y, i64 0
  store i32 %v0, ptr addrspace(1) %y0
  ; 16 bits each of one in constant memory.
  %a1.0 = freeze i16 extractelement (<4 x i16> bitcast (i64 ptrtoint (ptr addrspace(4) getelementptr (i8, ptr addrspace(4) @c, i64 8) to i64) to <4 x i16>), i32 0)
  %b1.0 = zext i16 %a1.0 to i64
  %c1.0 = shl i64 %b1.0, 0
  %a1.1 = freeze i16 extractelement (<4 x i16> bitcast (i64 ptrtoint (ptr addrspace(4) getelementptr (i8, ptr addrspace(4) @c, i64 8) to i64) to <4 x i16>), i32 1)
  %b1.1 = zext i16 %a1.1 to i64
  %c1.1 = shl i64 %b1.1, 16
  %a1.2 = freeze i16 extractelement (<4 x i16> bitcast (i64 ptrtoint (ptr addrspace(4) getelementptr (i8, ptr addrspace(4) @c, i64 8) to i64) to <4 x i16>), i32 2)
  %b1.2 = zext i16 %a1.2 to i64
  %c1.2 = shl i64 %b1.2, 32
  %a1.3 = freeze i16 extractelement (<4 x i16> bitcast (i64 ptrtoint (ptr addrspace(4) getelementptr (i8, ptr addrspace(4) @c, i64 8) to i64) to <4 x i16>), i32 3)
  %b1.3 = zext i16 %a1.3 to i64
  %c1.3 = shl i64 %b1.3, 48
  %d1.1 = or i64 %c1.0, %c1.1
  %d1.2 = or i64 %d1.1, %c1.2
  %n1 = or i64 %d1.2, %c1.3
  %p1 = inttoptr i64 %n1 to ptr addrspace(4)
  %v1 = load i32, ptr addrspace(4) %p1, align 1
  %y1 = getelementptr i32, ptr addrspace(1) %y, i64 1
  store i32 %v1, ptr addrspace(1) %y1
  ; Words of a sum that begins in shared memory, as LLVM writes them: what is left of it has no upper half.
  %a2.0 = freeze i32 extractelement (<2 x i32> bitcast (i64 add (i64 add (i64 add (i64 xor (i64 ptrtoint (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @s, i64 4) to i64), i64 -1), i64 -1), i64 ptrtoint (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @s, i64 4) to i64)), i64 add (i64 ptrtoint (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @s, i64 4) to i64), i64 2)) to <2 x i32>), i32 0)
  %b2.0 = zext i32 %a2.0 to i64
  %c2.0 = shl i64 %b2.0, 0
  %a2.1 = freeze i32 extractelement (<2 x i32> bitcast (i64 add (i64 add (i64 add (i64 xor (i64 ptrtoint (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @s, i64 4) to i64), i64 -1), i64 -1), i64 ptrtoint (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @s, i64 4) to i64)), i64 add (i64 ptrtoint (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @s, i64 4) to i64), i64 2)) to <2 x i32>), i32 1)
  %b2.1 = zext i32 %a2.1 to i64
  %c2.1 = shl i64 %b2.1, 32
  %n2 = or i64 %c2.0, %c2.1
  %p2 = inttoptr i64 %n2 to ptr addrspace(3)
  %v2 = load i32, ptr addrspace(3) %p2, align 1
  %y2 = getelementptr i32, ptr addrspace(1) %y, i64 2
  store i32 %v2, ptr addrspace(1) %y2
  ; Bytes of a generic one, and again as one vector.
  %a3.0 = freeze i8 extractelement (<8 x i8> bitcast (i64 ptrtoint (ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 12) to i64) to <8 x i8>), i32 0)
  %b3.0 = zext i8 %a3.0 to i64
  %c3.0 = shl i64 %b3.0, 0
  %a3.1 = freeze i8 extractelement (<8 x i8> bitcast (i64 ptrtoint (ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 12) to i64) to <8 x i8>), i32 1)
  %b3.1 = zext i8 %a3.1 to i64
  %c3.1 = shl i64 %b3.1, 8
  %a3.2 = freeze i8 extractelement (<8 x i8> bitcast (i64 ptrtoint (ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 12) to i64) to <8 x i8>), i32 2)
  %b3.2 = zext i8 %a3.2 to i64
  %c3.2 = shl i64 %b3.2, 16
  %a3.3 = freeze i8 extractelement (<8 x i8> bitcast (i64 ptrtoint (ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 12) to i64) to <8 x i8>), i32 3)
  %b3.3 = zext i8 %a3.3 to i64
  %c3.3 = shl i64 %b3.3, 24
  %a3.4 = freeze i8 extractelement (<8 x i8> bitcast (i64 ptrtoint (ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 12) to i64) to <8 x i8>), i32 4)
  %b3.4 = zext i8 %a3.4 to i64
  %c3.4 = shl i64 %b3.4, 32
  %a3.5 = freeze i8 extractelement (<8 x i8> bitcast (i64 ptrtoint (ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 12) to i64) to <8 x i8>), i32 5)
  %b3.5 = zext i8 %a3.5 to i64
  %c3.5 = shl i64 %b3.5, 40
  %a3.6 = freeze i8 extractelement (<8 x i8> bitcast (i64 ptrtoint (ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 12) to i64) to <8 x i8>), i32 6)
  %b3.6 = zext i8 %a3.6 to i64
  %c3.6 = shl i64 %b3.6, 48
  %a3.7 = freeze i8 extractelement (<8 x i8> bitcast (i64 ptrtoint (ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 12) to i64) to <8 x i8>), i32 7)
  %b3.7 = zext i8 %a3.7 to i64
  %c3.7 = shl i64 %b3.7, 56
  %d3.1 = or i64 %c3.0, %c3.1
  %d3.2 = or i64 %d3.1, %c3.2
  %d3.3 = or i64 %d3.2, %c3.3
  %d3.4 = or i64 %d3.3, %c3.4
  %d3.5 = or i64 %d3.4, %c3.5
  %d3.6 = or i64 %d3.5, %c3.6
  %n3 = or i64 %d3.6, %c3.7
  %p3 = inttoptr i64 %n3 to ptr
  %v3 = load i32, ptr %p3, align 1
  %y3 = getelementptr i32, ptr addrspace(1) %y, i64 3
  store i32 %v3, ptr addrspace(1) %y3
  ; The same.
  %w4 = freeze <8 x i8> <i8 extractelement (<8 x i8> bitcast (i64 ptrtoint (ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 12) to i64) to <8 x i8>), i32 0), i8 extractelement (<8 x i8> bitcast (i64 ptrtoint (ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 12) to i64) to <8 x i8>), i32 1), i8 extractelement (<8 x i8> bitcast (i64 ptrtoint (ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 12) to i64) to <8 x i8>), i32 2), i8 extractelement (<8 x i8> bitcast (i64 ptrtoint (ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 12) to i64) to <8 x i8>), i32 3), i8 extractelement (<8 x i8> bitcast (i64 ptrtoint (ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 12) to i64) to <8 x i8>), i32 4), i8 extractelement (<8 x i8> bitcast (i64 ptrtoint (ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 12) to i64) to <8 x i8>), i32 5), i8 extractelement (<8 x i8> bitcast (i64 ptrtoint (ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 12) to i64) to <8 x i8>), i32 6), i8 extractelement (<8 x i8> bitcast (i64 ptrtoint (ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 12) to i64) to <8 x i8>), i32 7)>
  %n4 = bitcast <8 x i8> %w4 to i64
  %p4 = inttoptr i64 %n4 to ptr
  %v4 = load i32, ptr %p4, align 1
  %y4 = getelementptr i32, ptr addrspace(1) %y, i64 4
  store i32 %v4, ptr addrspace(1) %y4
  ; Half of a number of 128 bits, to which the other one is added.
  %low5 = add i64 0, extractelement (<2 x i64> bitcast (i128 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 8) to i128) to <2 x i64>), i32 0)
  %n5 = add i64 %low5, extractelement (<2 x i64> bitcast (i128 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 8) to i128) to <2 x i64>), i32 1)
  %p5 = inttoptr i64 %n5 to ptr addrspace(1)
  %v5 = load i32, ptr addrspace(1) %p5, align 1
  %y5 = getelementptr i32, ptr addrspace(1) %y, i64 5
  store i32 %v5, ptr addrspace(1) %y5
  ; Words of a vector of parts.
  %a6.0 = freeze i32 extractelement (<2 x i32> bitcast (<4 x i16> <i16 extractelement (<4 x i16> bitcast (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 0) to i64) to <4 x i16>), i32 0), i16 extractelement (<4 x i16> bitcast (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 0) to i64) to <4 x i16>), i32 1), i16 extractelement (<4 x i16> bitcast (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 0) to i64) to <4 x i16>), i32 2), i16 extractelement (<4 x i16> bitcast (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 0) to i64) to <4 x i16>), i32 3)> to <2 x i32>), i32 0)
  %b6.0 = zext i32 %a6.0 to i64
  %c6.0 = shl i64 %b6.0, 0
  %a6.1 = freeze i32 extractelement (<2 x i32> bitcast (<4 x i16> <i16 extractelement (<4 x i16> bitcast (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 0) to i64) to <4 x i16>), i32 0), i16 extractelement (<4 x i16> bitcast (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 0) to i64) to <4 x i16>), i32 1), i16 extractelement (<4 x i16> bitcast (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 0) to i64) to <4 x i16>), i32 2), i16 extractelement (<4 x i16> bitcast (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 0) to i64) to <4 x i16>), i32 3)> to <2 x i32>), i32 1)
  %b6.1 = zext i32 %a6.1 to i64
  %c6.1 = shl i64 %b6.1, 32
  %n6 = or i64 %c6.0, %c6.1
  %p6 = inttoptr i64 %n6 to ptr addrspace(1)
  %v6 = load i32, ptr addrspace(1) %p6, align 1
  %y6 = getelementptr i32, ptr addrspace(1) %y, i64 6
  store i32 %v6, ptr addrspace(1) %y6
  ; Two of four elements, put elsewhere.
  %a7.0 = freeze i32 extractelement (<2 x i32> shufflevector (<2 x i32> bitcast (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 0) to i64) to <2 x i32>), <2 x i32> <i32 7, i32 8>, <2 x i32> <i32 3, i32 0>), i32 1)
  %b7.0 = zext i32 %a7.0 to i64
  %c7.0 = shl i64 %b7.0, 0
  %a7.1 = freeze i32 extractelement (<2 x i32> shufflevector (<2 x i32> bitcast (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 0) to i64) to <2 x i32>), <2 x i32> <i32 7, i32 8>, <2 x i32> <i32 1, i32 2>), i32 0)
  %b7.1 = zext i32 %a7.1 to i64
  %c7.1 = shl i64 %b7.1, 32
  %n7 = or i64 %c7.0, %c7.1
  %p7 = inttoptr i64 %n7 to ptr addrspace(1)
  %v7 = load i32, ptr addrspace(1) %p7, align 1
  %y7 = getelementptr i32, ptr addrspace(1) %y, i64 7
  store i32 %v7, ptr addrspace(1) %y7
  ; Single-precision numbers.
  %f8 = freeze <2 x float> bitcast (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 0) to i64) to <2 x float>)
  %n8 = bitcast <2 x float> %f8 to i64
  %p8 = inttoptr i64 %n8 to ptr addrspace(1)
  %v8 = load i32, ptr addrspace(1) %p8, align 1
  %y8 = getelementptr i32, ptr addrspace(1) %y, i64 8
  store i32 %v8, ptr addrspace(1) %y8
  ; Half-precision numbers, which are pairs.
  %f9 = freeze <4 x half> <half bitcast (i16 extractelement (<4 x i16> bitcast (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 0) to i64) to <4 x i16>), i32 0) to half), half bitcast (i16 extractelement (<4 x i16> bitcast (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 0) to i64) to <4 x i16>), i32 1) to half), half bitcast (i16 extractelement (<4 x i16> bitcast (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 0) to i64) to <4 x i16>), i32 2) to half), half bitcast (i16 extractelement (<4 x i16> bitcast (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 0) to i64) to <4 x i16>), i32 3) to half)>
  %n9 = bitcast <4 x half> %f9 to i64
  %p9 = inttoptr i64 %n9 to ptr addrspace(1)
  %v9 = load i32, ptr addrspace(1) %p9, align 1
  %y9 = getelementptr i32, ptr addrspace(1) %y, i64 9
  store i32 %v9, ptr addrspace(1) %y9
  ; The index is a distance.
  %n10 = add i64 4, extractelement (<2 x i64> <i64 5, i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 0) to i64)>, i64 sub (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 13) to i64), i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 12) to i64)))
  %p10 = inttoptr i64 %n10 to ptr addrspace(1)
  %v10 = load i32, ptr addrspace(1) %p10, align 1
  %y10 = getelementptr i32, ptr addrspace(1) %y, i64 10
  store i32 %v10, ptr addrspace(1) %y10
  ; An element is replaced at a distance.
  %n11 = add i64 8, extractelement (<2 x i64> insertelement (<2 x i64> <i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 0) to i64), i64 5>, i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 0) to i64), i64 sub (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 13) to i64), i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 12) to i64))), i64 sub (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 13) to i64), i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 12) to i64)))
  %p11 = inttoptr i64 %n11 to ptr addrspace(1)
  %v11 = load i32, ptr addrspace(1) %p11, align 1
  %y11 = getelementptr i32, ptr addrspace(1) %y, i64 11
  store i32 %v11, ptr addrspace(1) %y11
  ; Elements of 24 bits.
  %a12 = freeze i24 extractelement (<4 x i24> bitcast (i96 ptrtoint (ptr addrspace(1) @g to i96) to <4 x i24>), i32 0)
  %b12 = freeze i24 extractelement (<4 x i24> bitcast (i96 ptrtoint (ptr addrspace(1) @g to i96) to <4 x i24>), i32 1)
  %c12 = freeze i24 extractelement (<4 x i24> bitcast (i96 ptrtoint (ptr addrspace(1) @g to i96) to <4 x i24>), i32 2)
  %d12 = zext i24 %a12 to i64
  %e12 = zext i24 %b12 to i64
  %f12 = zext i24 %c12 to i64
  %g12 = shl i64 %e12, 24
  %h12 = shl i64 %f12, 48
  %i12 = or i64 %d12, %g12
  %n12 = or i64 %i12, %h12
  %p12 = inttoptr i64 %n12 to ptr addrspace(1)
  %v12 = load i32, ptr addrspace(1) %p12, align 1
  %y12 = getelementptr i32, ptr addrspace(1) %y, i64 12
  store i32 %v12, ptr addrspace(1) %y12
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
