; Vectors of bytes: in memory, passed, combined, shuffled, cast and carried around a loop. Results from Python, byte by byte.
; RUN: raise -O0 check
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=1
; ARG: in x u8[8] = 18 254 128 127 1 255 51 196
; ARG: out y u8[104]
; WANT: y = 18 254 128 127 127 128 254 18 51 254 1 127 128 128 128 128 1 255 51 196 0 254 0 68 19 255 179 255 19 1 179 187 19 253 179 67 18 2 128 60 9 63 16 7 126 130 1 18 18 254 77 127 18 196 128 127 205 254 77 127 5 254 1 6 127 128 254 18 18 255 128 196 255 52 127 1 1 224 104 19 128 197 255 254 127 255 255 0 19 1 179 187 236 126 68 109 126 68 187 236 68 187 109 126
; CHECK: .func
; CHECK: or.b32
; CHECK: .entry k(
; CHECK: ld.global.b32
; CHECK: prmt.b32
; CHECK: st.global.b32
target triple = "nvptx64-nvidia-cuda"

define internal <4 x i8> @pass(<4 x i8> %a, <4 x i8> %b) #0 {
  %x = or <4 x i8> %a, %b
  %y = insertelement <4 x i8> %x, i8 0, i32 3
  ret <4 x i8> %y
}

define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %a = load <4 x i8>, ptr addrspace(1) %in
  %p = getelementptr <4 x i8>, ptr addrspace(1) %in, i64 1
  %b = load <4 x i8>, ptr addrspace(1) %p
  %o0 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 0
  store <4 x i8> %a, ptr addrspace(1) %o0
  %rev = shufflevector <4 x i8> %a, <4 x i8> %b, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  %o1 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 1
  store <4 x i8> %rev, ptr addrspace(1) %o1
  %mix = shufflevector <4 x i8> %a, <4 x i8> %b, <4 x i32> <i32 6, i32 1, i32 4, i32 3>
  %o2 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 2
  store <4 x i8> %mix, ptr addrspace(1) %o2
  %splat = shufflevector <4 x i8> %a, <4 x i8> %b, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %o3 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 3
  store <4 x i8> %splat, ptr addrspace(1) %o3
  %swap = shufflevector <4 x i8> %a, <4 x i8> %b, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %o4 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 4
  store <4 x i8> %swap, ptr addrspace(1) %o4
  %and = and <4 x i8> %a, %b
  %o5 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 5
  store <4 x i8> %and, ptr addrspace(1) %o5
  %or = or <4 x i8> %a, %b
  %o6 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 6
  store <4 x i8> %or, ptr addrspace(1) %o6
  %xor = xor <4 x i8> %a, %b
  %o7 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 7
  store <4 x i8> %xor, ptr addrspace(1) %o7
  %add = add <4 x i8> %a, %b
  %o8 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 8
  store <4 x i8> %add, ptr addrspace(1) %o8
  %mul = mul <4 x i8> %a, %b
  %o9 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 9
  store <4 x i8> %mul, ptr addrspace(1) %o9
  %lshr = lshr <4 x i8> %a, <i8 1, i8 2, i8 3, i8 4>
  %o10 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 10
  store <4 x i8> %lshr, ptr addrspace(1) %o10
  %mask = xor <4 x i8> %rev, <i8 1, i8 2, i8 -1, i8 0>
  %o11 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 11
  store <4 x i8> %mask, ptr addrspace(1) %o11
  %ins = insertelement <4 x i8> %a, i8 77, i64 2
  %o12 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 12
  store <4 x i8> %ins, ptr addrspace(1) %o12
  %e = extractelement <4 x i8> %b, i64 3
  %inv = insertelement <4 x i8> %a, i8 %e, i64 1
  %o13 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 13
  store <4 x i8> %inv, ptr addrspace(1) %o13
  %n = add i8 %e, 9
  %new = insertelement <4 x i8> %ins, i8 %n, i64 0
  %o14 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 14
  store <4 x i8> %new, ptr addrspace(1) %o14
  %twice = insertelement <4 x i8> %mix, i8 5, i64 0
  %third = insertelement <4 x i8> %twice, i8 6, i64 3
  %o15 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 15
  store <4 x i8> %third, ptr addrspace(1) %o15
  %c = icmp ugt i8 %e, 100
  %sel = select i1 %c, <4 x i8> %rev, <4 x i8> %b
  %o16 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 16
  store <4 x i8> %sel, ptr addrspace(1) %o16
  %each = icmp ugt <4 x i8> %a, %b
  %max = select <4 x i1> %each, <4 x i8> %a, <4 x i8> %b
  %o17 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 17
  store <4 x i8> %max, ptr addrspace(1) %o17
  %word = bitcast <4 x i8> %mix to i32
  %sum = add i32 %word, 257
  %back = bitcast i32 %sum to <4 x i8>
  %turned = shufflevector <4 x i8> %back, <4 x i8> %a, <4 x i32> <i32 1, i32 0, i32 7, i32 2>
  %o18 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 18
  store <4 x i8> %turned, ptr addrspace(1) %o18
  %w = sext <4 x i8> %a to <4 x i32>
  %z = zext <4 x i8> %b to <4 x i32>
  %pr = mul <4 x i32> %w, %z
  %hi = lshr <4 x i32> %pr, <i32 4, i32 4, i32 4, i32 4>
  %low = trunc <4 x i32> %hi to <4 x i8>
  %o19 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 19
  store <4 x i8> %low, ptr addrspace(1) %o19
  %wide = shufflevector <4 x i8> %rev, <4 x i8> %b, <8 x i32> <i32 0, i32 4, i32 1, i32 5, i32 2, i32 6, i32 3, i32 7>
  %long = bitcast <8 x i8> %wide to i64
  %longer = add i64 %long, 72057594037927937
  %parts = bitcast i64 %longer to <8 x i8>
  %odd = shufflevector <8 x i8> %parts, <8 x i8> poison, <4 x i32> <i32 0, i32 7, i32 3, i32 4>
  %o20 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 20
  store <4 x i8> %odd, ptr addrspace(1) %o20
  %called = call <4 x i8> @pass(<4 x i8> %rev, <4 x i8> %b)
  %o21 = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 21
  store <4 x i8> %called, ptr addrspace(1) %o21
  br label %head
head:
  %i = phi i64 [ 0, %0 ], [ %next, %head ]
  %v = phi <4 x i8> [ %a, %0 ], [ %turn, %head ]
  %at = phi <4 x i8> [ %b, %0 ], [ %v, %head ]
  %slot = add i64 %i, 22
  %place = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 %slot
  %x = xor <4 x i8> %v, %at
  store <4 x i8> %x, ptr addrspace(1) %place
  %turn = shufflevector <4 x i8> %v, <4 x i8> %at, <4 x i32> <i32 1, i32 2, i32 7, i32 0>
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 4
  br i1 %more, label %head, label %end
end:
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
