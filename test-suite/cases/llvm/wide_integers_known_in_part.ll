; 128-bit arithmetic with operands that are known in part: shifts by constants, extensions, words of zeros and ones; 64-bit funnel shifts.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=5
; ARG: in a u64 = 81985529216486895 18364758544493064720 18446744073709551615 18446744073709551615 1 9223372036854775808 0 0 9223372036854775808 9223372036854775807
; ARG: in s u64 = 0 5 63 64 100
; ARG: out y u64[465]
; WANT: y = 163971058432973790 18282773015276577824 40992764608243447 9182379272246532360 40992764608243447 18405751309101308168 7542668687916785664 10904075385792757796 10412332346479758686 2241791814513313 10412332346479758686 18446734065710379681 9223372036854775808 40992764608243447 18282773015276577824 1 18282773015276577824 18446744073709551615 0 81985529216486895 18364758544493064720 0 18364758544493064720 18446744073709551615 0 163971058432973790 9182379272246532360 0 18405751309101308168 18446744073709551615 0 9223372036854775808 1 0 18446744073709551615 18446744073709551615 163971058432973791 18405751309101308168 163971058432973790 7542668687916793819 8034411727229792929 7542668687916785700 14183496554289978700 1393753996031259952 14183496552161583795 9920249034870405784 9920249034870405784 9920249030613615975 1393753996031259952 14183496554289978700 1393753987517680335 8772448967789317834 3115450110226462437 8772414096167203125 18405751309101308168 163971058432973791 9264364801463019255 2465395958572223728 81621149086635842 2465395958572223728 16144954793440450626 15899362585920840993 4931156297274298508 5411044928288135311 13035699145421416463 0 81985529216486895 81985529216486895 18364758544493064721 81985529216486895 18364758544493064718 18446744073709551615 0 163971058432973791 18446744073709551615 81985529216486895 0 18446744073709551615 18364758544493064720 81985529216486895 81985529216486895 81985529216486895 18364758544493064720 9225934084642791023 18444182025921536400 18282773015276577824 18446744073709551615 18364758544493064720 18446744073709551615 18446744073708358569 18446744073709551615 1 0
; WANT: y = 18446744073709551614 18446744073709551615 18446744073709551615 9223372036854775807 18446744073709551615 18446744073709551615 18446744073709543424 18446744073709551615 18446744073709551615 2251799813685247 18446744073709551615 18446744073709551615 9223372036854775808 18446744073709551615 18446744073709551615 1 18446744073709551615 18446744073709551615 0 18446744073709551615 18446744073709551615 0 18446744073709551615 18446744073709551615 0 18446744073709551614 9223372036854775807 0 18446744073709551615 18446744073709551615 0 9223372036854775808 1 0 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 1 18446744073709551614 1 18446744073709551615 1 0 159 0 0 18446744073709551615 18446744073709551615 0 18446744073709551615 18446744073709551613 18446744073709551614 1 0 0 18446744073709551615 0 18446744073709551615 18446744073709551615 18446744073709551615 0 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 1 0
; WANT: y = 2 0 0 4611686018427387904 0 13835058055282163712 8192 0 0 1125899906842624 0 18445618173802708992 9223372036854775808 0 0 1 0 18446744073709551615 0 1 9223372036854775808 0 9223372036854775808 18446744073709551615 0 2 4611686018427387904 0 13835058055282163712 18446744073709551615 0 9223372036854775808 1 0 18446744073709551615 18446744073709551615 3 13835058055282163712 2 12288 3377699720527872 8192 3221225472 12884901888 2147483648 6442450944 6442450944 4294967296 12884901888 3221225472 8589934592 52776558133248 786432 35184372088832 13835058055282163712 3 9223372036854775808 9223372036854775808 0 9223372036854775808 0 1 0 18446744073709551457 9223372036854775807 0 1 1 9223372036854775809 1 9223372036854775806 9223372036854775809 0 9223372036854775809 18446744073709551615 1 0 18446744073709551615 9223372036854775808 1 9223372036854775807 1 9223372036854775808 0 18158513697557839872 0 18446744073709551615 9223372036854775808 18446744073709551615 18446744073575333888 18446744073709551615 1 0
; WANT: y = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 18446744073709551614 0 0 0 0 0 0 18446744073709551615 0 0 18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 1
; WANT: y = 0 18446744073709551615 13835058055282163712 4611686018427387903 13835058055282163712 4611686018427387903 0 18446744073709547520 18445618173802708992 1125899906842623 18445618173802708992 1125899906842623 0 13835058055282163712 18446744073709551615 0 18446744073709551615 0 0 9223372036854775808 9223372036854775807 0 9223372036854775807 0 0 0 4611686018427387903 0 4611686018427387903 0 0 0 0 0 0 0 0 4611686018427387903 1 4095 1125899906842623 4096 1073741823 4294967295 1073741824 2147483647 2147483647 2147483648 4294967295 1073741823 4294967296 17592186044415 262143 17592186044416 4611686018427387903 0 4611686018427387904 9223372036854775808 4611686018427387903 9223372036854775808 4611686018427387904 0 4611686018427387904 9223372036854775808 9223372036854775887 0 9223372036854775808 9223372036854775808 9223372036854775808 9223372036854775808 9223372036854775805 18446744073709551615 0 1 0 9223372036854775808 0 18446744073709551615 9223372036854775807 9223372036854775808 9223372036854775808 9223372036854775808 9223372036854775807 18158513697557839872 288230376151711743 18446744073709551615 0 9223372036854775807 0 134217727 0 0 0
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %s, ptr addrspace(1) %y0) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr [2 x i64], ptr addrspace(1) %a, i32 %t
  %l = load i64, ptr addrspace(1) %q
  %qh = getelementptr i8, ptr addrspace(1) %q, i64 8
  %h = load i64, ptr addrspace(1) %qh
  %zl = zext i64 %l to i128
  %zh = zext i64 %h to i128
  %up = shl i128 %zh, 64
  %w = or i128 %up, %zl
  %a0 = getelementptr i64, ptr addrspace(1) %s, i64 0
  %b0 = load i64, ptr addrspace(1) %a0
  %n0 = zext i64 %b0 to i128
  %a5 = getelementptr i64, ptr addrspace(1) %s, i64 1
  %b5 = load i64, ptr addrspace(1) %a5
  %n5 = zext i64 %b5 to i128
  %a63 = getelementptr i64, ptr addrspace(1) %s, i64 2
  %b63 = load i64, ptr addrspace(1) %a63
  %n63 = zext i64 %b63 to i128
  %a64 = getelementptr i64, ptr addrspace(1) %s, i64 3
  %b64 = load i64, ptr addrspace(1) %a64
  %n64 = zext i64 %b64 to i128
  %a100 = getelementptr i64, ptr addrspace(1) %s, i64 4
  %b100 = load i64, ptr addrspace(1) %a100
  %n100 = zext i64 %b100 to i128
  %base = mul i32 %t, 93
  %y = getelementptr i64, ptr addrspace(1) %y0, i32 %base
  %neg = icmp slt i128 %w, 0
  %same = icmp eq i128 %w, %zl
  %v0 = shl i128 %w, 1
  %s0_0 = lshr i128 %v0, 0
  %w0_0 = trunc i128 %s0_0 to i64
  %p0_0 = getelementptr i64, ptr addrspace(1) %y, i64 0
  store i64 %w0_0, ptr addrspace(1) %p0_0
  %s0_1 = lshr i128 %v0, 64
  %w0_1 = trunc i128 %s0_1 to i64
  %p0_1 = getelementptr i64, ptr addrspace(1) %y, i64 1
  store i64 %w0_1, ptr addrspace(1) %p0_1
  %v1 = lshr i128 %w, 1
  %s1_0 = lshr i128 %v1, 0
  %w1_0 = trunc i128 %s1_0 to i64
  %p1_0 = getelementptr i64, ptr addrspace(1) %y, i64 2
  store i64 %w1_0, ptr addrspace(1) %p1_0
  %s1_1 = lshr i128 %v1, 64
  %w1_1 = trunc i128 %s1_1 to i64
  %p1_1 = getelementptr i64, ptr addrspace(1) %y, i64 3
  store i64 %w1_1, ptr addrspace(1) %p1_1
  %v2 = ashr i128 %w, 1
  %s2_0 = lshr i128 %v2, 0
  %w2_0 = trunc i128 %s2_0 to i64
  %p2_0 = getelementptr i64, ptr addrspace(1) %y, i64 4
  store i64 %w2_0, ptr addrspace(1) %p2_0
  %s2_1 = lshr i128 %v2, 64
  %w2_1 = trunc i128 %s2_1 to i64
  %p2_1 = getelementptr i64, ptr addrspace(1) %y, i64 5
  store i64 %w2_1, ptr addrspace(1) %p2_1
  %v3 = shl i128 %w, 13
  %s3_0 = lshr i128 %v3, 0
  %w3_0 = trunc i128 %s3_0 to i64
  %p3_0 = getelementptr i64, ptr addrspace(1) %y, i64 6
  store i64 %w3_0, ptr addrspace(1) %p3_0
  %s3_1 = lshr i128 %v3, 64
  %w3_1 = trunc i128 %s3_1 to i64
  %p3_1 = getelementptr i64, ptr addrspace(1) %y, i64 7
  store i64 %w3_1, ptr addrspace(1) %p3_1
  %v4 = lshr i128 %w, 13
  %s4_0 = lshr i128 %v4, 0
  %w4_0 = trunc i128 %s4_0 to i64
  %p4_0 = getelementptr i64, ptr addrspace(1) %y, i64 8
  store i64 %w4_0, ptr addrspace(1) %p4_0
  %s4_1 = lshr i128 %v4, 64
  %w4_1 = trunc i128 %s4_1 to i64
  %p4_1 = getelementptr i64, ptr addrspace(1) %y, i64 9
  store i64 %w4_1, ptr addrspace(1) %p4_1
  %v5 = ashr i128 %w, 13
  %s5_0 = lshr i128 %v5, 0
  %w5_0 = trunc i128 %s5_0 to i64
  %p5_0 = getelementptr i64, ptr addrspace(1) %y, i64 10
  store i64 %w5_0, ptr addrspace(1) %p5_0
  %s5_1 = lshr i128 %v5, 64
  %w5_1 = trunc i128 %s5_1 to i64
  %p5_1 = getelementptr i64, ptr addrspace(1) %y, i64 11
  store i64 %w5_1, ptr addrspace(1) %p5_1
  %v6 = shl i128 %w, 63
  %s6_0 = lshr i128 %v6, 0
  %w6_0 = trunc i128 %s6_0 to i64
  %p6_0 = getelementptr i64, ptr addrspace(1) %y, i64 12
  store i64 %w6_0, ptr addrspace(1) %p6_0
  %s6_1 = lshr i128 %v6, 64
  %w6_1 = trunc i128 %s6_1 to i64
  %p6_1 = getelementptr i64, ptr addrspace(1) %y, i64 13
  store i64 %w6_1, ptr addrspace(1) %p6_1
  %v7 = lshr i128 %w, 63
  %s7_0 = lshr i128 %v7, 0
  %w7_0 = trunc i128 %s7_0 to i64
  %p7_0 = getelementptr i64, ptr addrspace(1) %y, i64 14
  store i64 %w7_0, ptr addrspace(1) %p7_0
  %s7_1 = lshr i128 %v7, 64
  %w7_1 = trunc i128 %s7_1 to i64
  %p7_1 = getelementptr i64, ptr addrspace(1) %y, i64 15
  store i64 %w7_1, ptr addrspace(1) %p7_1
  %v8 = ashr i128 %w, 63
  %s8_0 = lshr i128 %v8, 0
  %w8_0 = trunc i128 %s8_0 to i64
  %p8_0 = getelementptr i64, ptr addrspace(1) %y, i64 16
  store i64 %w8_0, ptr addrspace(1) %p8_0
  %s8_1 = lshr i128 %v8, 64
  %w8_1 = trunc i128 %s8_1 to i64
  %p8_1 = getelementptr i64, ptr addrspace(1) %y, i64 17
  store i64 %w8_1, ptr addrspace(1) %p8_1
  %v9 = shl i128 %w, 64
  %s9_0 = lshr i128 %v9, 0
  %w9_0 = trunc i128 %s9_0 to i64
  %p9_0 = getelementptr i64, ptr addrspace(1) %y, i64 18
  store i64 %w9_0, ptr addrspace(1) %p9_0
  %s9_1 = lshr i128 %v9, 64
  %w9_1 = trunc i128 %s9_1 to i64
  %p9_1 = getelementptr i64, ptr addrspace(1) %y, i64 19
  store i64 %w9_1, ptr addrspace(1) %p9_1
  %v10 = lshr i128 %w, 64
  %s10_0 = lshr i128 %v10, 0
  %w10_0 = trunc i128 %s10_0 to i64
  %p10_0 = getelementptr i64, ptr addrspace(1) %y, i64 20
  store i64 %w10_0, ptr addrspace(1) %p10_0
  %s10_1 = lshr i128 %v10, 64
  %w10_1 = trunc i128 %s10_1 to i64
  %p10_1 = getelementptr i64, ptr addrspace(1) %y, i64 21
  store i64 %w10_1, ptr addrspace(1) %p10_1
  %v11 = ashr i128 %w, 64
  %s11_0 = lshr i128 %v11, 0
  %w11_0 = trunc i128 %s11_0 to i64
  %p11_0 = getelementptr i64, ptr addrspace(1) %y, i64 22
  store i64 %w11_0, ptr addrspace(1) %p11_0
  %s11_1 = lshr i128 %v11, 64
  %w11_1 = trunc i128 %s11_1 to i64
  %p11_1 = getelementptr i64, ptr addrspace(1) %y, i64 23
  store i64 %w11_1, ptr addrspace(1) %p11_1
  %v12 = shl i128 %w, 65
  %s12_0 = lshr i128 %v12, 0
  %w12_0 = trunc i128 %s12_0 to i64
  %p12_0 = getelementptr i64, ptr addrspace(1) %y, i64 24
  store i64 %w12_0, ptr addrspace(1) %p12_0
  %s12_1 = lshr i128 %v12, 64
  %w12_1 = trunc i128 %s12_1 to i64
  %p12_1 = getelementptr i64, ptr addrspace(1) %y, i64 25
  store i64 %w12_1, ptr addrspace(1) %p12_1
  %v13 = lshr i128 %w, 65
  %s13_0 = lshr i128 %v13, 0
  %w13_0 = trunc i128 %s13_0 to i64
  %p13_0 = getelementptr i64, ptr addrspace(1) %y, i64 26
  store i64 %w13_0, ptr addrspace(1) %p13_0
  %s13_1 = lshr i128 %v13, 64
  %w13_1 = trunc i128 %s13_1 to i64
  %p13_1 = getelementptr i64, ptr addrspace(1) %y, i64 27
  store i64 %w13_1, ptr addrspace(1) %p13_1
  %v14 = ashr i128 %w, 65
  %s14_0 = lshr i128 %v14, 0
  %w14_0 = trunc i128 %s14_0 to i64
  %p14_0 = getelementptr i64, ptr addrspace(1) %y, i64 28
  store i64 %w14_0, ptr addrspace(1) %p14_0
  %s14_1 = lshr i128 %v14, 64
  %w14_1 = trunc i128 %s14_1 to i64
  %p14_1 = getelementptr i64, ptr addrspace(1) %y, i64 29
  store i64 %w14_1, ptr addrspace(1) %p14_1
  %v15 = shl i128 %w, 127
  %s15_0 = lshr i128 %v15, 0
  %w15_0 = trunc i128 %s15_0 to i64
  %p15_0 = getelementptr i64, ptr addrspace(1) %y, i64 30
  store i64 %w15_0, ptr addrspace(1) %p15_0
  %s15_1 = lshr i128 %v15, 64
  %w15_1 = trunc i128 %s15_1 to i64
  %p15_1 = getelementptr i64, ptr addrspace(1) %y, i64 31
  store i64 %w15_1, ptr addrspace(1) %p15_1
  %v16 = lshr i128 %w, 127
  %s16_0 = lshr i128 %v16, 0
  %w16_0 = trunc i128 %s16_0 to i64
  %p16_0 = getelementptr i64, ptr addrspace(1) %y, i64 32
  store i64 %w16_0, ptr addrspace(1) %p16_0
  %s16_1 = lshr i128 %v16, 64
  %w16_1 = trunc i128 %s16_1 to i64
  %p16_1 = getelementptr i64, ptr addrspace(1) %y, i64 33
  store i64 %w16_1, ptr addrspace(1) %p16_1
  %v17 = ashr i128 %w, 127
  %s17_0 = lshr i128 %v17, 0
  %w17_0 = trunc i128 %s17_0 to i64
  %p17_0 = getelementptr i64, ptr addrspace(1) %y, i64 34
  store i64 %w17_0, ptr addrspace(1) %p17_0
  %s17_1 = lshr i128 %v17, 64
  %w17_1 = trunc i128 %s17_1 to i64
  %p17_1 = getelementptr i64, ptr addrspace(1) %y, i64 35
  store i64 %w17_1, ptr addrspace(1) %p17_1
  %v18 = call i64 @llvm.fshl.i64(i64 %l, i64 %h, i64 1)
  %p18_0 = getelementptr i64, ptr addrspace(1) %y, i64 36
  store i64 %v18, ptr addrspace(1) %p18_0
  %v19 = call i64 @llvm.fshr.i64(i64 %l, i64 %h, i64 1)
  %p19_0 = getelementptr i64, ptr addrspace(1) %y, i64 37
  store i64 %v19, ptr addrspace(1) %p19_0
  %v20 = call i64 @llvm.fshl.i64(i64 %l, i64 %l, i64 1)
  %p20_0 = getelementptr i64, ptr addrspace(1) %y, i64 38
  store i64 %v20, ptr addrspace(1) %p20_0
  %v21 = call i64 @llvm.fshl.i64(i64 %l, i64 %h, i64 13)
  %p21_0 = getelementptr i64, ptr addrspace(1) %y, i64 39
  store i64 %v21, ptr addrspace(1) %p21_0
  %v22 = call i64 @llvm.fshr.i64(i64 %l, i64 %h, i64 13)
  %p22_0 = getelementptr i64, ptr addrspace(1) %y, i64 40
  store i64 %v22, ptr addrspace(1) %p22_0
  %v23 = call i64 @llvm.fshl.i64(i64 %l, i64 %l, i64 13)
  %p23_0 = getelementptr i64, ptr addrspace(1) %y, i64 41
  store i64 %v23, ptr addrspace(1) %p23_0
  %v24 = call i64 @llvm.fshl.i64(i64 %l, i64 %h, i64 31)
  %p24_0 = getelementptr i64, ptr addrspace(1) %y, i64 42
  store i64 %v24, ptr addrspace(1) %p24_0
  %v25 = call i64 @llvm.fshr.i64(i64 %l, i64 %h, i64 31)
  %p25_0 = getelementptr i64, ptr addrspace(1) %y, i64 43
  store i64 %v25, ptr addrspace(1) %p25_0
  %v26 = call i64 @llvm.fshl.i64(i64 %l, i64 %l, i64 31)
  %p26_0 = getelementptr i64, ptr addrspace(1) %y, i64 44
  store i64 %v26, ptr addrspace(1) %p26_0
  %v27 = call i64 @llvm.fshl.i64(i64 %l, i64 %h, i64 32)
  %p27_0 = getelementptr i64, ptr addrspace(1) %y, i64 45
  store i64 %v27, ptr addrspace(1) %p27_0
  %v28 = call i64 @llvm.fshr.i64(i64 %l, i64 %h, i64 32)
  %p28_0 = getelementptr i64, ptr addrspace(1) %y, i64 46
  store i64 %v28, ptr addrspace(1) %p28_0
  %v29 = call i64 @llvm.fshl.i64(i64 %l, i64 %l, i64 32)
  %p29_0 = getelementptr i64, ptr addrspace(1) %y, i64 47
  store i64 %v29, ptr addrspace(1) %p29_0
  %v30 = call i64 @llvm.fshl.i64(i64 %l, i64 %h, i64 33)
  %p30_0 = getelementptr i64, ptr addrspace(1) %y, i64 48
  store i64 %v30, ptr addrspace(1) %p30_0
  %v31 = call i64 @llvm.fshr.i64(i64 %l, i64 %h, i64 33)
  %p31_0 = getelementptr i64, ptr addrspace(1) %y, i64 49
  store i64 %v31, ptr addrspace(1) %p31_0
  %v32 = call i64 @llvm.fshl.i64(i64 %l, i64 %l, i64 33)
  %p32_0 = getelementptr i64, ptr addrspace(1) %y, i64 50
  store i64 %v32, ptr addrspace(1) %p32_0
  %v33 = call i64 @llvm.fshl.i64(i64 %l, i64 %h, i64 45)
  %p33_0 = getelementptr i64, ptr addrspace(1) %y, i64 51
  store i64 %v33, ptr addrspace(1) %p33_0
  %v34 = call i64 @llvm.fshr.i64(i64 %l, i64 %h, i64 45)
  %p34_0 = getelementptr i64, ptr addrspace(1) %y, i64 52
  store i64 %v34, ptr addrspace(1) %p34_0
  %v35 = call i64 @llvm.fshl.i64(i64 %l, i64 %l, i64 45)
  %p35_0 = getelementptr i64, ptr addrspace(1) %y, i64 53
  store i64 %v35, ptr addrspace(1) %p35_0
  %v36 = call i64 @llvm.fshl.i64(i64 %l, i64 %h, i64 63)
  %p36_0 = getelementptr i64, ptr addrspace(1) %y, i64 54
  store i64 %v36, ptr addrspace(1) %p36_0
  %v37 = call i64 @llvm.fshr.i64(i64 %l, i64 %h, i64 63)
  %p37_0 = getelementptr i64, ptr addrspace(1) %y, i64 55
  store i64 %v37, ptr addrspace(1) %p37_0
  %v38 = call i64 @llvm.fshl.i64(i64 %l, i64 %l, i64 63)
  %p38_0 = getelementptr i64, ptr addrspace(1) %y, i64 56
  store i64 %v38, ptr addrspace(1) %p38_0
  %v39 = mul i128 %zl, %zh
  %s39_0 = lshr i128 %v39, 0
  %w39_0 = trunc i128 %s39_0 to i64
  %p39_0 = getelementptr i64, ptr addrspace(1) %y, i64 57
  store i64 %w39_0, ptr addrspace(1) %p39_0
  %s39_1 = lshr i128 %v39, 64
  %w39_1 = trunc i128 %s39_1 to i64
  %p39_1 = getelementptr i64, ptr addrspace(1) %y, i64 58
  store i64 %w39_1, ptr addrspace(1) %p39_1
  %v40 = mul i128 %w, %zh
  %s40_0 = lshr i128 %v40, 0
  %w40_0 = trunc i128 %s40_0 to i64
  %p40_0 = getelementptr i64, ptr addrspace(1) %y, i64 59
  store i64 %w40_0, ptr addrspace(1) %p40_0
  %s40_1 = lshr i128 %v40, 64
  %w40_1 = trunc i128 %s40_1 to i64
  %p40_1 = getelementptr i64, ptr addrspace(1) %y, i64 60
  store i64 %w40_1, ptr addrspace(1) %p40_1
  %v41 = mul i128 %w, %w
  %s41_0 = lshr i128 %v41, 0
  %w41_0 = trunc i128 %s41_0 to i64
  %p41_0 = getelementptr i64, ptr addrspace(1) %y, i64 61
  store i64 %w41_0, ptr addrspace(1) %p41_0
  %s41_1 = lshr i128 %v41, 64
  %w41_1 = trunc i128 %s41_1 to i64
  %p41_1 = getelementptr i64, ptr addrspace(1) %y, i64 62
  store i64 %w41_1, ptr addrspace(1) %p41_1
  %v42 = mul i128 %w, 340282366920938463463374607431768211297
  %s42_0 = lshr i128 %v42, 0
  %w42_0 = trunc i128 %s42_0 to i64
  %p42_0 = getelementptr i64, ptr addrspace(1) %y, i64 63
  store i64 %w42_0, ptr addrspace(1) %p42_0
  %s42_1 = lshr i128 %v42, 64
  %w42_1 = trunc i128 %s42_1 to i64
  %p42_1 = getelementptr i64, ptr addrspace(1) %y, i64 64
  store i64 %w42_1, ptr addrspace(1) %p42_1
  %v43 = mul i128 %w, 18446744073709551616
  %s43_0 = lshr i128 %v43, 0
  %w43_0 = trunc i128 %s43_0 to i64
  %p43_0 = getelementptr i64, ptr addrspace(1) %y, i64 65
  store i64 %w43_0, ptr addrspace(1) %p43_0
  %s43_1 = lshr i128 %v43, 64
  %w43_1 = trunc i128 %s43_1 to i64
  %p43_1 = getelementptr i64, ptr addrspace(1) %y, i64 66
  store i64 %w43_1, ptr addrspace(1) %p43_1
  %v44 = add i128 %w, 18446744073709551616
  %s44_0 = lshr i128 %v44, 0
  %w44_0 = trunc i128 %s44_0 to i64
  %p44_0 = getelementptr i64, ptr addrspace(1) %y, i64 67
  store i64 %w44_0, ptr addrspace(1) %p44_0
  %s44_1 = lshr i128 %v44, 64
  %w44_1 = trunc i128 %s44_1 to i64
  %p44_1 = getelementptr i64, ptr addrspace(1) %y, i64 68
  store i64 %w44_1, ptr addrspace(1) %p44_1
  %v45 = sub i128 %w, 36893488147419103232
  %s45_0 = lshr i128 %v45, 0
  %w45_0 = trunc i128 %s45_0 to i64
  %p45_0 = getelementptr i64, ptr addrspace(1) %y, i64 69
  store i64 %w45_0, ptr addrspace(1) %p45_0
  %s45_1 = lshr i128 %v45, 64
  %w45_1 = trunc i128 %s45_1 to i64
  %p45_1 = getelementptr i64, ptr addrspace(1) %y, i64 70
  store i64 %w45_1, ptr addrspace(1) %p45_1
  %v46 = add i128 %zl, %zh
  %s46_0 = lshr i128 %v46, 0
  %w46_0 = trunc i128 %s46_0 to i64
  %p46_0 = getelementptr i64, ptr addrspace(1) %y, i64 71
  store i64 %w46_0, ptr addrspace(1) %p46_0
  %s46_1 = lshr i128 %v46, 64
  %w46_1 = trunc i128 %s46_1 to i64
  %p46_1 = getelementptr i64, ptr addrspace(1) %y, i64 72
  store i64 %w46_1, ptr addrspace(1) %p46_1
  %v47 = sub i128 %zl, %zh
  %s47_0 = lshr i128 %v47, 0
  %w47_0 = trunc i128 %s47_0 to i64
  %p47_0 = getelementptr i64, ptr addrspace(1) %y, i64 73
  store i64 %w47_0, ptr addrspace(1) %p47_0
  %s47_1 = lshr i128 %v47, 64
  %w47_1 = trunc i128 %s47_1 to i64
  %p47_1 = getelementptr i64, ptr addrspace(1) %y, i64 74
  store i64 %w47_1, ptr addrspace(1) %p47_1
  %v48 = and i128 %w, 18446744073709551615
  %s48_0 = lshr i128 %v48, 0
  %w48_0 = trunc i128 %s48_0 to i64
  %p48_0 = getelementptr i64, ptr addrspace(1) %y, i64 75
  store i64 %w48_0, ptr addrspace(1) %p48_0
  %s48_1 = lshr i128 %v48, 64
  %w48_1 = trunc i128 %s48_1 to i64
  %p48_1 = getelementptr i64, ptr addrspace(1) %y, i64 76
  store i64 %w48_1, ptr addrspace(1) %p48_1
  %v49 = or i128 %w, 18446744073709551615
  %s49_0 = lshr i128 %v49, 0
  %w49_0 = trunc i128 %s49_0 to i64
  %p49_0 = getelementptr i64, ptr addrspace(1) %y, i64 77
  store i64 %w49_0, ptr addrspace(1) %p49_0
  %s49_1 = lshr i128 %v49, 64
  %w49_1 = trunc i128 %s49_1 to i64
  %p49_1 = getelementptr i64, ptr addrspace(1) %y, i64 78
  store i64 %w49_1, ptr addrspace(1) %p49_1
  %v50 = xor i128 %w, 340282366920938463444927863358058659840
  %s50_0 = lshr i128 %v50, 0
  %w50_0 = trunc i128 %s50_0 to i64
  %p50_0 = getelementptr i64, ptr addrspace(1) %y, i64 79
  store i64 %w50_0, ptr addrspace(1) %p50_0
  %s50_1 = lshr i128 %v50, 64
  %w50_1 = trunc i128 %s50_1 to i64
  %p50_1 = getelementptr i64, ptr addrspace(1) %y, i64 80
  store i64 %w50_1, ptr addrspace(1) %p50_1
  %v51 = ashr i128 %w, %n0
  %s51_0 = lshr i128 %v51, 0
  %w51_0 = trunc i128 %s51_0 to i64
  %p51_0 = getelementptr i64, ptr addrspace(1) %y, i64 81
  store i64 %w51_0, ptr addrspace(1) %p51_0
  %s51_1 = lshr i128 %v51, 64
  %w51_1 = trunc i128 %s51_1 to i64
  %p51_1 = getelementptr i64, ptr addrspace(1) %y, i64 82
  store i64 %w51_1, ptr addrspace(1) %p51_1
  %v52 = ashr i128 %w, %n5
  %s52_0 = lshr i128 %v52, 0
  %w52_0 = trunc i128 %s52_0 to i64
  %p52_0 = getelementptr i64, ptr addrspace(1) %y, i64 83
  store i64 %w52_0, ptr addrspace(1) %p52_0
  %s52_1 = lshr i128 %v52, 64
  %w52_1 = trunc i128 %s52_1 to i64
  %p52_1 = getelementptr i64, ptr addrspace(1) %y, i64 84
  store i64 %w52_1, ptr addrspace(1) %p52_1
  %v53 = ashr i128 %w, %n63
  %s53_0 = lshr i128 %v53, 0
  %w53_0 = trunc i128 %s53_0 to i64
  %p53_0 = getelementptr i64, ptr addrspace(1) %y, i64 85
  store i64 %w53_0, ptr addrspace(1) %p53_0
  %s53_1 = lshr i128 %v53, 64
  %w53_1 = trunc i128 %s53_1 to i64
  %p53_1 = getelementptr i64, ptr addrspace(1) %y, i64 86
  store i64 %w53_1, ptr addrspace(1) %p53_1
  %v54 = ashr i128 %w, %n64
  %s54_0 = lshr i128 %v54, 0
  %w54_0 = trunc i128 %s54_0 to i64
  %p54_0 = getelementptr i64, ptr addrspace(1) %y, i64 87
  store i64 %w54_0, ptr addrspace(1) %p54_0
  %s54_1 = lshr i128 %v54, 64
  %w54_1 = trunc i128 %s54_1 to i64
  %p54_1 = getelementptr i64, ptr addrspace(1) %y, i64 88
  store i64 %w54_1, ptr addrspace(1) %p54_1
  %v55 = ashr i128 %w, %n100
  %s55_0 = lshr i128 %v55, 0
  %w55_0 = trunc i128 %s55_0 to i64
  %p55_0 = getelementptr i64, ptr addrspace(1) %y, i64 89
  store i64 %w55_0, ptr addrspace(1) %p55_0
  %s55_1 = lshr i128 %v55, 64
  %w55_1 = trunc i128 %s55_1 to i64
  %p55_1 = getelementptr i64, ptr addrspace(1) %y, i64 90
  store i64 %w55_1, ptr addrspace(1) %p55_1
  %eneg = zext i1 %neg to i64
  %pneg = getelementptr i64, ptr addrspace(1) %y, i64 91
  store i64 %eneg, ptr addrspace(1) %pneg
  %esame = zext i1 %same to i64
  %psame = getelementptr i64, ptr addrspace(1) %y, i64 92
  store i64 %esame, ptr addrspace(1) %psame
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @llvm.fshl.i64(i64, i64, i64)
declare i64 @llvm.fshr.i64(i64, i64, i64)
attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
