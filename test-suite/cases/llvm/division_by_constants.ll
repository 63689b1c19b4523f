; Division by constants: powers of two, divisors whose reciprocal fits and does not, both signs, odd widths. What 0 to 9 threads divide are edges.
; RUN: raise -O0 check
; RUN: raise -O2 check
; RUN: roundtrip -O0 -O2
; RUN: exec
; CHECK-NOT: div.
; CHECK-NOT: rem.
; LAUNCH: entry=k grid=1 block=10
; ARG: in a u64 = 0 1 6 18446744073709551615 9223372036854775808 9223372036854775807 9223372039002259455 1000000006 18364758544493064720 1311768467015204864
; ARG: out y u64[1020]
; WANT: y = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
; WANT: y = 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 18446744073709551615 0 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1
; WANT: y = 2 0 0 6 0 6 0 6 0 6 0 6 0 6 0 6 0 6 0 6 0 6 0 6 2 0 0 6 0 6 0 6 0 6 0 6 0 6 0 6 0 6 2 0 0 6 0 6 0 6 0 6 0 6 0 6 2 0 0 6 3 0 0 6 0 6 0 6 1 2 0 6 2 0 0 6 0 6 0 6 3 0 0 6 18446744073709551610 0 0 6 0 6 0 6 2 0 0 6 0 6 0 6 0 6
; WANT: y = 85 0 36 3 25 5 7 31 1 0 9362 1 6553 5 102 153 1 32767 1 0 2396745 0 16777 215 1431655765 0 613566756 3 306783378 3 6700416 639 4 294967267 1 2147483647 1 2147483646 28147497671065 5 10052677739666 7 6148914691236517205 0 2635249153387078802 1 1844674407370955161 5 1317624576693539401 1 18446743944 582344007 4294967295 4294967295 1 9223372036854775806 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 1 0 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615
; WANT: y = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 3074457345618258602 2 1317624576693539401 1 922337203685477580 8 658812288346769700 8 9223371972 291172004 2147483648 0 0 9223372036854775808 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 15372286728091293014 18446744073709551614 1317624576693539401 18446744073709551615 18446744064486179644 18446744073418379612 17293822569102704640 0 1 0
; WANT: y = 85 0 36 3 25 5 7 31 1 0 9362 1 6553 5 102 153 1 32767 1 0 2396745 0 16777 215 1431655765 0 613566756 3 306783378 3 6700416 639 4 294967267 1 2147483647 1 2147483646 28147497671065 5 10052677739666 7 3074457345618258602 1 1317624576693539401 0 922337203685477580 7 658812288346769700 7 9223371972 291172003 2147483647 4294967295 0 9223372036854775807 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 1 0 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 3074457345618258602 1 17129119497016012215 0 9223371972 291172003 1152921504606846975 7 0 9223372036854775807
; WANT: y = 85 0 36 3 25 5 7 31 1 0 9362 1 6553 5 102 153 1 32767 1 0 2396745 0 16777 215 715827882 1 306783378 1 153391689 1 3350208 319 2 147483633 0 2147483647 0 2147483647 214748364 7 76695844 15 3074457346334086485 0 1317624577000322779 2 922337203900225945 5 658812288500161389 9 9223371974 438655637 2147483648 2147483647 1 2147483646 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 0 18446744073709551615 715827882 1 18446744073402768238 1 214748364 7 17179869 22 1073741823 1 18446744073575333889 15 18446744071562067969 0 0 2147483647 1 0 2147483 647 15372286728807120896 18446744073709551615 1317624576386756023 0 18446744064486179646 18446744073565863245 17293822569371140096 18446744073709551615 0 9223372039002259455
; WANT: y = 2 0 0 6 0 6 0 6 0 6 7388 2 5171 8 80 438 1 18950 0 51718 1449180 2 10144 262 333333335 1 142857143 5 71428571 12 1560062 264 0 1000000006 0 1000000006 0 1000000006 100000000 6 35714285 26 333333335 1 142857143 5 100000000 6 71428571 12 0 1000000006 0 1000000006 0 1000000006 2 0 0 6 3 0 0 6 18446744073709550235 18446744073709551608 138 18446744073709551598 18446744073709548162 18446744073709551614 947564 18446744073709551610 333333335 1 18446744073566694473 5 100000000 6 8000000 6 500000003 0 18446744073647051616 6 18446744072709551610 0 0 1000000006 0 1000000006 1000000 6 333333335 1 18446744073566694473 5 0 1000000006 125000000 6 0 1000000006
; WANT: y = 5 1 2 2 1 6 0 16 0 16 1830 6 1281 6 19 637 0 12816 0 12816 788262 6 5517 840 661743109 1 283604189 5 141802094 12 3097081 407 1 985229321 0 1985229328 0 1985229328 20516398302465 6 7327285108023 12 6121586181497688240 0 2623536934927580674 2 1836475854449306472 0 1311768467463790337 2 18364758415 939755815 4275878552 1985229328 1 9141386507638288911 5 1 18446744073709551614 2 8 0 0 16 1281 6 18446744073709551488 16 3204 0 18446744073708763354 6 661743109 1 18446744073425947427 5 198522932 8 15881834 78 992614664 0 18446744073585474783 0 18446744071724322288 0 0 1985229328 0 1985229328 18446743997398557930 0 18419415563970722651 18446744073709551615 11712218459498128 0 18446744073627566088 18446744073066963416 18436495882557490754 0 0 18364758544493064720
; WANT: y = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 715827882 2 306783378 2 153391689 2 3350208 320 2 147483634 1 0 0 2147483648 9507554354790 4 3395555126710 24 437256155671734954 2 187395495287886409 1 131176846701520486 4 93697747643943204 8 1311768457 832825665 305419896 2147483648 0 1311768467015204864 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 18446744072993723734 18446744073709551614 306783378 18446744073709551614 18446744073494803252 18446744073709551608 18446744073692371747 18446744073709551593 18446744072635809792 0 134217728 0 _ _ 1 0 18446744073709551615 18446744073709551615 95075543547 904 437256155671734954 2 18259348578421665207 1 1311768457 832825665 163971058376900608 0 0 1311768467015204864
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %y0) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr i64, ptr addrspace(1) %a, i32 %t
  %n64 = load i64, ptr addrspace(1) %q
  %n8 = trunc i64 %n64 to i8
  %n16 = trunc i64 %n64 to i16
  %n24 = trunc i64 %n64 to i24
  %n32 = trunc i64 %n64 to i32
  %n48 = trunc i64 %n64 to i48
  %base = mul i32 %t, 102
  %y = getelementptr i64, ptr addrspace(1) %y0, i32 %base
  %r0 = udiv i8 %n8, 3
  %x0 = zext i8 %r0 to i64
  %p0 = getelementptr i64, ptr addrspace(1) %y, i64 0
  store i64 %x0, ptr addrspace(1) %p0
  %r1 = urem i8 %n8, 3
  %x1 = zext i8 %r1 to i64
  %p1 = getelementptr i64, ptr addrspace(1) %y, i64 1
  store i64 %x1, ptr addrspace(1) %p1
  %r2 = udiv i8 %n8, 7
  %x2 = zext i8 %r2 to i64
  %p2 = getelementptr i64, ptr addrspace(1) %y, i64 2
  store i64 %x2, ptr addrspace(1) %p2
  %r3 = urem i8 %n8, 7
  %x3 = zext i8 %r3 to i64
  %p3 = getelementptr i64, ptr addrspace(1) %y, i64 3
  store i64 %x3, ptr addrspace(1) %p3
  %r4 = udiv i8 %n8, 10
  %x4 = zext i8 %r4 to i64
  %p4 = getelementptr i64, ptr addrspace(1) %y, i64 4
  store i64 %x4, ptr addrspace(1) %p4
  %r5 = urem i8 %n8, 10
  %x5 = zext i8 %r5 to i64
  %p5 = getelementptr i64, ptr addrspace(1) %y, i64 5
  store i64 %x5, ptr addrspace(1) %p5
  %r6 = udiv i8 %n8, 32
  %x6 = zext i8 %r6 to i64
  %p6 = getelementptr i64, ptr addrspace(1) %y, i64 6
  store i64 %x6, ptr addrspace(1) %p6
  %r7 = urem i8 %n8, 32
  %x7 = zext i8 %r7 to i64
  %p7 = getelementptr i64, ptr addrspace(1) %y, i64 7
  store i64 %x7, ptr addrspace(1) %p7
  %r8 = udiv i8 %n8, -1
  %x8 = zext i8 %r8 to i64
  %p8 = getelementptr i64, ptr addrspace(1) %y, i64 8
  store i64 %x8, ptr addrspace(1) %p8
  %r9 = urem i8 %n8, -1
  %x9 = zext i8 %r9 to i64
  %p9 = getelementptr i64, ptr addrspace(1) %y, i64 9
  store i64 %x9, ptr addrspace(1) %p9
  %r10 = udiv i16 %n16, 7
  %x10 = zext i16 %r10 to i64
  %p10 = getelementptr i64, ptr addrspace(1) %y, i64 10
  store i64 %x10, ptr addrspace(1) %p10
  %r11 = urem i16 %n16, 7
  %x11 = zext i16 %r11 to i64
  %p11 = getelementptr i64, ptr addrspace(1) %y, i64 11
  store i64 %x11, ptr addrspace(1) %p11
  %r12 = udiv i16 %n16, 10
  %x12 = zext i16 %r12 to i64
  %p12 = getelementptr i64, ptr addrspace(1) %y, i64 12
  store i64 %x12, ptr addrspace(1) %p12
  %r13 = urem i16 %n16, 10
  %x13 = zext i16 %r13 to i64
  %p13 = getelementptr i64, ptr addrspace(1) %y, i64 13
  store i64 %x13, ptr addrspace(1) %p13
  %r14 = udiv i16 %n16, 641
  %x14 = zext i16 %r14 to i64
  %p14 = getelementptr i64, ptr addrspace(1) %y, i64 14
  store i64 %x14, ptr addrspace(1) %p14
  %r15 = urem i16 %n16, 641
  %x15 = zext i16 %r15 to i64
  %p15 = getelementptr i64, ptr addrspace(1) %y, i64 15
  store i64 %x15, ptr addrspace(1) %p15
  %r16 = udiv i16 %n16, -32768
  %x16 = zext i16 %r16 to i64
  %p16 = getelementptr i64, ptr addrspace(1) %y, i64 16
  store i64 %x16, ptr addrspace(1) %p16
  %r17 = urem i16 %n16, -32768
  %x17 = zext i16 %r17 to i64
  %p17 = getelementptr i64, ptr addrspace(1) %y, i64 17
  store i64 %x17, ptr addrspace(1) %p17
  %r18 = udiv i16 %n16, -1
  %x18 = zext i16 %r18 to i64
  %p18 = getelementptr i64, ptr addrspace(1) %y, i64 18
  store i64 %x18, ptr addrspace(1) %p18
  %r19 = urem i16 %n16, -1
  %x19 = zext i16 %r19 to i64
  %p19 = getelementptr i64, ptr addrspace(1) %y, i64 19
  store i64 %x19, ptr addrspace(1) %p19
  %r20 = udiv i24 %n24, 7
  %x20 = zext i24 %r20 to i64
  %p20 = getelementptr i64, ptr addrspace(1) %y, i64 20
  store i64 %x20, ptr addrspace(1) %p20
  %r21 = urem i24 %n24, 7
  %x21 = zext i24 %r21 to i64
  %p21 = getelementptr i64, ptr addrspace(1) %y, i64 21
  store i64 %x21, ptr addrspace(1) %p21
  %r22 = udiv i24 %n24, 1000
  %x22 = zext i24 %r22 to i64
  %p22 = getelementptr i64, ptr addrspace(1) %y, i64 22
  store i64 %x22, ptr addrspace(1) %p22
  %r23 = urem i24 %n24, 1000
  %x23 = zext i24 %r23 to i64
  %p23 = getelementptr i64, ptr addrspace(1) %y, i64 23
  store i64 %x23, ptr addrspace(1) %p23
  %r24 = udiv i32 %n32, 3
  %x24 = zext i32 %r24 to i64
  %p24 = getelementptr i64, ptr addrspace(1) %y, i64 24
  store i64 %x24, ptr addrspace(1) %p24
  %r25 = urem i32 %n32, 3
  %x25 = zext i32 %r25 to i64
  %p25 = getelementptr i64, ptr addrspace(1) %y, i64 25
  store i64 %x25, ptr addrspace(1) %p25
  %r26 = udiv i32 %n32, 7
  %x26 = zext i32 %r26 to i64
  %p26 = getelementptr i64, ptr addrspace(1) %y, i64 26
  store i64 %x26, ptr addrspace(1) %p26
  %r27 = urem i32 %n32, 7
  %x27 = zext i32 %r27 to i64
  %p27 = getelementptr i64, ptr addrspace(1) %y, i64 27
  store i64 %x27, ptr addrspace(1) %p27
  %r28 = udiv i32 %n32, 14
  %x28 = zext i32 %r28 to i64
  %p28 = getelementptr i64, ptr addrspace(1) %y, i64 28
  store i64 %x28, ptr addrspace(1) %p28
  %r29 = urem i32 %n32, 14
  %x29 = zext i32 %r29 to i64
  %p29 = getelementptr i64, ptr addrspace(1) %y, i64 29
  store i64 %x29, ptr addrspace(1) %p29
  %r30 = udiv i32 %n32, 641
  %x30 = zext i32 %r30 to i64
  %p30 = getelementptr i64, ptr addrspace(1) %y, i64 30
  store i64 %x30, ptr addrspace(1) %p30
  %r31 = urem i32 %n32, 641
  %x31 = zext i32 %r31 to i64
  %p31 = getelementptr i64, ptr addrspace(1) %y, i64 31
  store i64 %x31, ptr addrspace(1) %p31
  %r32 = udiv i32 %n32, 1000000007
  %x32 = zext i32 %r32 to i64
  %p32 = getelementptr i64, ptr addrspace(1) %y, i64 32
  store i64 %x32, ptr addrspace(1) %p32
  %r33 = urem i32 %n32, 1000000007
  %x33 = zext i32 %r33 to i64
  %p33 = getelementptr i64, ptr addrspace(1) %y, i64 33
  store i64 %x33, ptr addrspace(1) %p33
  %r34 = udiv i32 %n32, -2147483648
  %x34 = zext i32 %r34 to i64
  %p34 = getelementptr i64, ptr addrspace(1) %y, i64 34
  store i64 %x34, ptr addrspace(1) %p34
  %r35 = urem i32 %n32, -2147483648
  %x35 = zext i32 %r35 to i64
  %p35 = getelementptr i64, ptr addrspace(1) %y, i64 35
  store i64 %x35, ptr addrspace(1) %p35
  %r36 = udiv i32 %n32, -2147483647
  %x36 = zext i32 %r36 to i64
  %p36 = getelementptr i64, ptr addrspace(1) %y, i64 36
  store i64 %x36, ptr addrspace(1) %p36
  %r37 = urem i32 %n32, -2147483647
  %x37 = zext i32 %r37 to i64
  %p37 = getelementptr i64, ptr addrspace(1) %y, i64 37
  store i64 %x37, ptr addrspace(1) %p37
  %r38 = udiv i48 %n48, 10
  %x38 = zext i48 %r38 to i64
  %p38 = getelementptr i64, ptr addrspace(1) %y, i64 38
  store i64 %x38, ptr addrspace(1) %p38
  %r39 = urem i48 %n48, 10
  %x39 = zext i48 %r39 to i64
  %p39 = getelementptr i64, ptr addrspace(1) %y, i64 39
  store i64 %x39, ptr addrspace(1) %p39
  %r40 = udiv i48 %n48, 28
  %x40 = zext i48 %r40 to i64
  %p40 = getelementptr i64, ptr addrspace(1) %y, i64 40
  store i64 %x40, ptr addrspace(1) %p40
  %r41 = urem i48 %n48, 28
  %x41 = zext i48 %r41 to i64
  %p41 = getelementptr i64, ptr addrspace(1) %y, i64 41
  store i64 %x41, ptr addrspace(1) %p41
  %r42 = udiv i64 %n64, 3
  %p42 = getelementptr i64, ptr addrspace(1) %y, i64 42
  store i64 %r42, ptr addrspace(1) %p42
  %r43 = urem i64 %n64, 3
  %p43 = getelementptr i64, ptr addrspace(1) %y, i64 43
  store i64 %r43, ptr addrspace(1) %p43
  %r44 = udiv i64 %n64, 7
  %p44 = getelementptr i64, ptr addrspace(1) %y, i64 44
  store i64 %r44, ptr addrspace(1) %p44
  %r45 = urem i64 %n64, 7
  %p45 = getelementptr i64, ptr addrspace(1) %y, i64 45
  store i64 %r45, ptr addrspace(1) %p45
  %r46 = udiv i64 %n64, 10
  %p46 = getelementptr i64, ptr addrspace(1) %y, i64 46
  store i64 %r46, ptr addrspace(1) %p46
  %r47 = urem i64 %n64, 10
  %p47 = getelementptr i64, ptr addrspace(1) %y, i64 47
  store i64 %r47, ptr addrspace(1) %p47
  %r48 = udiv i64 %n64, 14
  %p48 = getelementptr i64, ptr addrspace(1) %y, i64 48
  store i64 %r48, ptr addrspace(1) %p48
  %r49 = urem i64 %n64, 14
  %p49 = getelementptr i64, ptr addrspace(1) %y, i64 49
  store i64 %r49, ptr addrspace(1) %p49
  %r50 = udiv i64 %n64, 1000000007
  %p50 = getelementptr i64, ptr addrspace(1) %y, i64 50
  store i64 %r50, ptr addrspace(1) %p50
  %r51 = urem i64 %n64, 1000000007
  %p51 = getelementptr i64, ptr addrspace(1) %y, i64 51
  store i64 %r51, ptr addrspace(1) %p51
  %r52 = udiv i64 %n64, 4294967296
  %p52 = getelementptr i64, ptr addrspace(1) %y, i64 52
  store i64 %r52, ptr addrspace(1) %p52
  %r53 = urem i64 %n64, 4294967296
  %p53 = getelementptr i64, ptr addrspace(1) %y, i64 53
  store i64 %r53, ptr addrspace(1) %p53
  %r54 = udiv i64 %n64, -9223372036854775807
  %p54 = getelementptr i64, ptr addrspace(1) %y, i64 54
  store i64 %r54, ptr addrspace(1) %p54
  %r55 = urem i64 %n64, -9223372036854775807
  %p55 = getelementptr i64, ptr addrspace(1) %y, i64 55
  store i64 %r55, ptr addrspace(1) %p55
  %r56 = sdiv i8 %n8, 3
  %x56 = sext i8 %r56 to i64
  %p56 = getelementptr i64, ptr addrspace(1) %y, i64 56
  store i64 %x56, ptr addrspace(1) %p56
  %r57 = srem i8 %n8, 3
  %x57 = sext i8 %r57 to i64
  %p57 = getelementptr i64, ptr addrspace(1) %y, i64 57
  store i64 %x57, ptr addrspace(1) %p57
  %r58 = sdiv i8 %n8, -7
  %x58 = sext i8 %r58 to i64
  %p58 = getelementptr i64, ptr addrspace(1) %y, i64 58
  store i64 %x58, ptr addrspace(1) %p58
  %r59 = srem i8 %n8, -7
  %x59 = sext i8 %r59 to i64
  %p59 = getelementptr i64, ptr addrspace(1) %y, i64 59
  store i64 %x59, ptr addrspace(1) %p59
  %r60 = sdiv i8 %n8, 2
  %x60 = sext i8 %r60 to i64
  %p60 = getelementptr i64, ptr addrspace(1) %y, i64 60
  store i64 %x60, ptr addrspace(1) %p60
  %r61 = srem i8 %n8, 2
  %x61 = sext i8 %r61 to i64
  %p61 = getelementptr i64, ptr addrspace(1) %y, i64 61
  store i64 %x61, ptr addrspace(1) %p61
  %r62 = sdiv i8 %n8, -128
  %x62 = sext i8 %r62 to i64
  %p62 = getelementptr i64, ptr addrspace(1) %y, i64 62
  store i64 %x62, ptr addrspace(1) %p62
  %r63 = srem i8 %n8, -128
  %x63 = sext i8 %r63 to i64
  %p63 = getelementptr i64, ptr addrspace(1) %y, i64 63
  store i64 %x63, ptr addrspace(1) %p63
  %r64 = sdiv i16 %n16, 10
  %x64 = sext i16 %r64 to i64
  %p64 = getelementptr i64, ptr addrspace(1) %y, i64 64
  store i64 %x64, ptr addrspace(1) %p64
  %r65 = srem i16 %n16, 10
  %x65 = sext i16 %r65 to i64
  %p65 = getelementptr i64, ptr addrspace(1) %y, i64 65
  store i64 %x65, ptr addrspace(1) %p65
  %r66 = sdiv i16 %n16, -100
  %x66 = sext i16 %r66 to i64
  %p66 = getelementptr i64, ptr addrspace(1) %y, i64 66
  store i64 %x66, ptr addrspace(1) %p66
  %r67 = srem i16 %n16, -100
  %x67 = sext i16 %r67 to i64
  %p67 = getelementptr i64, ptr addrspace(1) %y, i64 67
  store i64 %x67, ptr addrspace(1) %p67
  %r68 = sdiv i16 %n16, 4
  %x68 = sext i16 %r68 to i64
  %p68 = getelementptr i64, ptr addrspace(1) %y, i64 68
  store i64 %x68, ptr addrspace(1) %p68
  %r69 = srem i16 %n16, 4
  %x69 = sext i16 %r69 to i64
  %p69 = getelementptr i64, ptr addrspace(1) %y, i64 69
  store i64 %x69, ptr addrspace(1) %p69
  %r70 = sdiv i24 %n24, -7
  %x70 = sext i24 %r70 to i64
  %p70 = getelementptr i64, ptr addrspace(1) %y, i64 70
  store i64 %x70, ptr addrspace(1) %p70
  %r71 = srem i24 %n24, -7
  %x71 = sext i24 %r71 to i64
  %p71 = getelementptr i64, ptr addrspace(1) %y, i64 71
  store i64 %x71, ptr addrspace(1) %p71
  %r72 = sdiv i32 %n32, 3
  %x72 = sext i32 %r72 to i64
  %p72 = getelementptr i64, ptr addrspace(1) %y, i64 72
  store i64 %x72, ptr addrspace(1) %p72
  %r73 = srem i32 %n32, 3
  %x73 = sext i32 %r73 to i64
  %p73 = getelementptr i64, ptr addrspace(1) %y, i64 73
  store i64 %x73, ptr addrspace(1) %p73
  %r74 = sdiv i32 %n32, -7
  %x74 = sext i32 %r74 to i64
  %p74 = getelementptr i64, ptr addrspace(1) %y, i64 74
  store i64 %x74, ptr addrspace(1) %p74
  %r75 = srem i32 %n32, -7
  %x75 = sext i32 %r75 to i64
  %p75 = getelementptr i64, ptr addrspace(1) %y, i64 75
  store i64 %x75, ptr addrspace(1) %p75
  %r76 = sdiv i32 %n32, 10
  %x76 = sext i32 %r76 to i64
  %p76 = getelementptr i64, ptr addrspace(1) %y, i64 76
  store i64 %x76, ptr addrspace(1) %p76
  %r77 = srem i32 %n32, 10
  %x77 = sext i32 %r77 to i64
  %p77 = getelementptr i64, ptr addrspace(1) %y, i64 77
  store i64 %x77, ptr addrspace(1) %p77
  %r78 = sdiv i32 %n32, 125
  %x78 = sext i32 %r78 to i64
  %p78 = getelementptr i64, ptr addrspace(1) %y, i64 78
  store i64 %x78, ptr addrspace(1) %p78
  %r79 = srem i32 %n32, 125
  %x79 = sext i32 %r79 to i64
  %p79 = getelementptr i64, ptr addrspace(1) %y, i64 79
  store i64 %x79, ptr addrspace(1) %p79
  %r80 = sdiv i32 %n32, 2
  %x80 = sext i32 %r80 to i64
  %p80 = getelementptr i64, ptr addrspace(1) %y, i64 80
  store i64 %x80, ptr addrspace(1) %p80
  %r81 = srem i32 %n32, 2
  %x81 = sext i32 %r81 to i64
  %p81 = getelementptr i64, ptr addrspace(1) %y, i64 81
  store i64 %x81, ptr addrspace(1) %p81
  %r82 = sdiv i32 %n32, -16
  %x82 = sext i32 %r82 to i64
  %p82 = getelementptr i64, ptr addrspace(1) %y, i64 82
  store i64 %x82, ptr addrspace(1) %p82
  %r83 = srem i32 %n32, -16
  %x83 = sext i32 %r83 to i64
  %p83 = getelementptr i64, ptr addrspace(1) %y, i64 83
  store i64 %x83, ptr addrspace(1) %p83
  %r84 = sdiv i32 %n32, -1
  %x84 = sext i32 %r84 to i64
  %p84 = getelementptr i64, ptr addrspace(1) %y, i64 84
  store i64 %x84, ptr addrspace(1) %p84
  %r85 = srem i32 %n32, -1
  %x85 = sext i32 %r85 to i64
  %p85 = getelementptr i64, ptr addrspace(1) %y, i64 85
  store i64 %x85, ptr addrspace(1) %p85
  %r86 = sdiv i32 %n32, -2147483648
  %x86 = sext i32 %r86 to i64
  %p86 = getelementptr i64, ptr addrspace(1) %y, i64 86
  store i64 %x86, ptr addrspace(1) %p86
  %r87 = srem i32 %n32, -2147483648
  %x87 = sext i32 %r87 to i64
  %p87 = getelementptr i64, ptr addrspace(1) %y, i64 87
  store i64 %x87, ptr addrspace(1) %p87
  %r88 = sdiv i32 %n32, 2147483647
  %x88 = sext i32 %r88 to i64
  %p88 = getelementptr i64, ptr addrspace(1) %y, i64 88
  store i64 %x88, ptr addrspace(1) %p88
  %r89 = srem i32 %n32, 2147483647
  %x89 = sext i32 %r89 to i64
  %p89 = getelementptr i64, ptr addrspace(1) %y, i64 89
  store i64 %x89, ptr addrspace(1) %p89
  %r90 = sdiv i48 %n48, 1000
  %x90 = sext i48 %r90 to i64
  %p90 = getelementptr i64, ptr addrspace(1) %y, i64 90
  store i64 %x90, ptr addrspace(1) %p90
  %r91 = srem i48 %n48, 1000
  %x91 = sext i48 %r91 to i64
  %p91 = getelementptr i64, ptr addrspace(1) %y, i64 91
  store i64 %x91, ptr addrspace(1) %p91
  %r92 = sdiv i64 %n64, 3
  %p92 = getelementptr i64, ptr addrspace(1) %y, i64 92
  store i64 %r92, ptr addrspace(1) %p92
  %r93 = srem i64 %n64, 3
  %p93 = getelementptr i64, ptr addrspace(1) %y, i64 93
  store i64 %r93, ptr addrspace(1) %p93
  %r94 = sdiv i64 %n64, -7
  %p94 = getelementptr i64, ptr addrspace(1) %y, i64 94
  store i64 %r94, ptr addrspace(1) %p94
  %r95 = srem i64 %n64, -7
  %p95 = getelementptr i64, ptr addrspace(1) %y, i64 95
  store i64 %r95, ptr addrspace(1) %p95
  %r96 = sdiv i64 %n64, 1000000007
  %p96 = getelementptr i64, ptr addrspace(1) %y, i64 96
  store i64 %r96, ptr addrspace(1) %p96
  %r97 = srem i64 %n64, 1000000007
  %p97 = getelementptr i64, ptr addrspace(1) %y, i64 97
  store i64 %r97, ptr addrspace(1) %p97
  %r98 = sdiv i64 %n64, 8
  %p98 = getelementptr i64, ptr addrspace(1) %y, i64 98
  store i64 %r98, ptr addrspace(1) %p98
  %r99 = srem i64 %n64, 8
  %p99 = getelementptr i64, ptr addrspace(1) %y, i64 99
  store i64 %r99, ptr addrspace(1) %p99
  %r100 = sdiv i64 %n64, -9223372036854775808
  %p100 = getelementptr i64, ptr addrspace(1) %y, i64 100
  store i64 %r100, ptr addrspace(1) %p100
  %r101 = srem i64 %n64, -9223372036854775808
  %p101 = getelementptr i64, ptr addrspace(1) %y, i64 101
  store i64 %r101, ptr addrspace(1) %p101
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
