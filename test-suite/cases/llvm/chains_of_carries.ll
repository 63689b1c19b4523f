; Sums and differences of several words by flags: in one chain of carries where the top word is regrouped, not where it computes something else.
; RUN: raise -O0 check
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; CHECK: add.cc.u64
; CHECK: addc.u64
; CHECK: sub.cc.u64
; CHECK: subc.u64
; CHECK: add.cc.u64
; CHECK: addc.cc.u64
; CHECK: addc.u64
; CHECK: sub.cc.u64
; CHECK: subc.cc.u64
; CHECK: subc.u64
; CHECK: add.cc.u32
; CHECK: addc.u32
; LAUNCH: entry=k grid=1 block=4
; ARG: in a u64 = 18446744073709551615 18446744073709551615 0 1 0 0 0 0 0 1 0 0 5 18446744073709551615 7 18446744073709551611 0 18446744073709551615 1311768467463790320 9223372036854775808 3 18364758544493064720 9223372036854775808 18446744073709551615
; ARG: out y u64[72]
; WANT: y = 0 0 18446744073709551614 18446744073709551615 0 0 1 18446744073709551614 18446744073709551615 0 0 0 18446744073709551614 18446744073709551615 1 1 1 0
; WANT: y = 1 0 18446744073709551615 18446744073709551615 1 0 0 18446744073709551615 18446744073709551615 18446744073709551615 1 0 18446744073709551615 18446744073709551615 1 18446744073709551615 1 1
; WANT: y = 0 0 10 18446744073709551614 0 0 7 10 18446744073709551614 8 0 0 10 18446744073709551614 0 0 2 0
; WANT: y = 1229782938247303424 1 1393753996680277216 18446744073709551615 1229782938247303424 1 3 1393753996680277216 18446744073709551615 3 1229782938247303424 1 1393753996680277216 18446744073709551615 9223372036854775809 18446744073709551615 1 4581298432
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %y0) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = mul i32 %t, 6
  %from = getelementptr i64, ptr addrspace(1) %a, i32 %in
  %out = mul i32 %t, 18
  %y = getelementptr i64, ptr addrspace(1) %y0, i32 %out
  %q0 = getelementptr i64, ptr addrspace(1) %from, i64 0
  %a0 = load i64, ptr addrspace(1) %q0
  %q1 = getelementptr i64, ptr addrspace(1) %from, i64 1
  %a1 = load i64, ptr addrspace(1) %q1
  %q2 = getelementptr i64, ptr addrspace(1) %from, i64 2
  %a2 = load i64, ptr addrspace(1) %q2
  %q3 = getelementptr i64, ptr addrspace(1) %from, i64 3
  %b0 = load i64, ptr addrspace(1) %q3
  %q4 = getelementptr i64, ptr addrspace(1) %from, i64 4
  %b1 = load i64, ptr addrspace(1) %q4
  %q5 = getelementptr i64, ptr addrspace(1) %from, i64 5
  %b2 = load i64, ptr addrspace(1) %q5
  %c1 = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %a0, i64 %b0)
  %v1 = extractvalue { i64, i1 } %c1, 0
  %o1 = extractvalue { i64, i1 } %c1, 1
  %x2 = zext i1 %o1 to i64
  %x3 = add i64 %a1, %b1
  %x4 = add i64 %x3, %x2
  %p0 = getelementptr i64, ptr addrspace(1) %y, i64 0
  store i64 %v1, ptr addrspace(1) %p0
  %p1 = getelementptr i64, ptr addrspace(1) %y, i64 1
  store i64 %x4, ptr addrspace(1) %p1
  %c5 = call { i64, i1 } @llvm.usub.with.overflow.i64(i64 %a0, i64 %b0)
  %v5 = extractvalue { i64, i1 } %c5, 0
  %o5 = extractvalue { i64, i1 } %c5, 1
  %x6 = sext i1 %o5 to i64
  %x7 = sub i64 %a1, %b1
  %x8 = add i64 %x7, %x6
  %p2 = getelementptr i64, ptr addrspace(1) %y, i64 2
  store i64 %v5, ptr addrspace(1) %p2
  %p3 = getelementptr i64, ptr addrspace(1) %y, i64 3
  store i64 %x8, ptr addrspace(1) %p3
  %c9 = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %a0, i64 %b0)
  %v9 = extractvalue { i64, i1 } %c9, 0
  %o9 = extractvalue { i64, i1 } %c9, 1
  %x10 = zext i1 %o9 to i64
  %c11 = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %a1, i64 %b1)
  %v11 = extractvalue { i64, i1 } %c11, 0
  %o11 = extractvalue { i64, i1 } %c11, 1
  %c12 = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %v11, i64 %x10)
  %v12 = extractvalue { i64, i1 } %c12, 0
  %o12 = extractvalue { i64, i1 } %c12, 1
  %x13 = or i1 %o12, %o11
  %x14 = zext i1 %x13 to i64
  %x15 = add i64 %a2, %x14
  %x16 = add i64 %x15, %b2
  %p4 = getelementptr i64, ptr addrspace(1) %y, i64 4
  store i64 %v9, ptr addrspace(1) %p4
  %p5 = getelementptr i64, ptr addrspace(1) %y, i64 5
  store i64 %v12, ptr addrspace(1) %p5
  %p6 = getelementptr i64, ptr addrspace(1) %y, i64 6
  store i64 %x16, ptr addrspace(1) %p6
  %c17 = call { i64, i1 } @llvm.usub.with.overflow.i64(i64 %a0, i64 %b0)
  %v17 = extractvalue { i64, i1 } %c17, 0
  %o17 = extractvalue { i64, i1 } %c17, 1
  %x18 = zext i1 %o17 to i64
  %c19 = call { i64, i1 } @llvm.usub.with.overflow.i64(i64 %a1, i64 %b1)
  %v19 = extractvalue { i64, i1 } %c19, 0
  %o19 = extractvalue { i64, i1 } %c19, 1
  %c20 = call { i64, i1 } @llvm.usub.with.overflow.i64(i64 %v19, i64 %x18)
  %v20 = extractvalue { i64, i1 } %c20, 0
  %o20 = extractvalue { i64, i1 } %c20, 1
  %x21 = or i1 %o20, %o19
  %x22 = zext i1 %x21 to i64
  %x23 = sub i64 %a2, %x22
  %x24 = sub i64 %x23, %b2
  %p7 = getelementptr i64, ptr addrspace(1) %y, i64 7
  store i64 %v17, ptr addrspace(1) %p7
  %p8 = getelementptr i64, ptr addrspace(1) %y, i64 8
  store i64 %v20, ptr addrspace(1) %p8
  %p9 = getelementptr i64, ptr addrspace(1) %y, i64 9
  store i64 %x24, ptr addrspace(1) %p9
  %c25 = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %a0, i64 %b0)
  %v25 = extractvalue { i64, i1 } %c25, 0
  %o25 = extractvalue { i64, i1 } %c25, 1
  %x26 = zext i1 %o25 to i64
  %x27 = sub i64 %a1, %b1
  %x28 = add i64 %x26, %x27
  %p10 = getelementptr i64, ptr addrspace(1) %y, i64 10
  store i64 %v25, ptr addrspace(1) %p10
  %p11 = getelementptr i64, ptr addrspace(1) %y, i64 11
  store i64 %x28, ptr addrspace(1) %p11
  %c29 = call { i64, i1 } @llvm.usub.with.overflow.i64(i64 %a0, i64 %b0)
  %v29 = extractvalue { i64, i1 } %c29, 0
  %o29 = extractvalue { i64, i1 } %c29, 1
  %x30 = zext i1 %o29 to i64
  %x31 = add i64 %a1, %b1
  %x32 = sub i64 %x31, %x30
  %p12 = getelementptr i64, ptr addrspace(1) %y, i64 12
  store i64 %v29, ptr addrspace(1) %p12
  %p13 = getelementptr i64, ptr addrspace(1) %y, i64 13
  store i64 %x32, ptr addrspace(1) %p13
  %c33 = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %a0, i64 5)
  %v33 = extractvalue { i64, i1 } %c33, 0
  %o33 = extractvalue { i64, i1 } %c33, 1
  %x34 = zext i1 %o33 to i64
  %x35 = add i64 %a1, 1
  %x36 = add i64 %x35, %x34
  %p14 = getelementptr i64, ptr addrspace(1) %y, i64 14
  store i64 %x36, ptr addrspace(1) %p14
  %c37 = call { i64, i1 } @llvm.usub.with.overflow.i64(i64 %a0, i64 %b0)
  %v37 = extractvalue { i64, i1 } %c37, 0
  %o37 = extractvalue { i64, i1 } %c37, 1
  %x38 = sext i1 %o37 to i64
  %x39 = add i64 %x38, %b1
  %x40 = sub i64 %x39, %a1
  %p15 = getelementptr i64, ptr addrspace(1) %y, i64 15
  store i64 %x40, ptr addrspace(1) %p15
  %c41 = call { i64, i1 } @llvm.usub.with.overflow.i64(i64 %a0, i64 %b0)
  %v41 = extractvalue { i64, i1 } %c41, 0
  %o41 = extractvalue { i64, i1 } %c41, 1
  %x42 = zext i1 %o41 to i64
  %x43 = sub i64 %b1, %a1
  %x44 = add i64 %x43, %x42
  %p16 = getelementptr i64, ptr addrspace(1) %y, i64 16
  store i64 %x44, ptr addrspace(1) %p16
  %x45 = trunc i64 %a0 to i32
  %x46 = trunc i64 %a1 to i32
  %x47 = trunc i64 %b0 to i32
  %x48 = trunc i64 %b1 to i32
  %c49 = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %x45, i32 %x47)
  %v49 = extractvalue { i32, i1 } %c49, 0
  %o49 = extractvalue { i32, i1 } %c49, 1
  %x50 = zext i1 %o49 to i32
  %x51 = add i32 %x46, %x48
  %x52 = add i32 %x51, %x50
  %x53 = zext i32 %v49 to i64
  %x54 = zext i32 %x52 to i64
  %x55 = shl i64 %x54, 32
  %x56 = or i64 %x55, %x53
  %p17 = getelementptr i64, ptr addrspace(1) %y, i64 17
  store i64 %x56, ptr addrspace(1) %p17
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_75" "target-features"="+ptx63" }
