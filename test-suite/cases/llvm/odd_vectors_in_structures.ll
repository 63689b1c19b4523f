; Vectors whose elements share bytes, as fields and elements: in memory they are packed, the first element lowest.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k block=1
; The structure is 1, 2, 3 in three bits each, and 9; the array 1, 2, 3 and 31, 0, 30 in five bits each.
; ARG: inout x u8 = 0xd1 0x00 0x09 0x00 0x41 0x0c 0x1f 0x78
; ARG: out y u8[12]
; WANT: x = 0x9a 0x00 0x09 0x00 0x41 0x0c 0x1f 0x78
; WANT: y = 2 3 1 5 9 1 2 3 31 0 30 7
target triple = "nvptx64-nvidia-cuda"

@table = addrspace(4) constant { <3 x i3>, i8 } { <3 x i3> <i3 2, i3 3, i3 2>, i8 7 }

define { <3 x i3>, i3 } @turned({ <3 x i3>, i8 } %pair) #0 {
  %v = extractvalue { <3 x i3>, i8 } %pair, 0
  %turned = shufflevector <3 x i3> %v, <3 x i3> %v, <3 x i32> <i32 1, i32 2, i32 0>
  %one = insertvalue { <3 x i3>, i3 } poison, <3 x i3> %turned, 0
  %both = insertvalue { <3 x i3>, i3 } %one, i3 5, 1
  ret { <3 x i3>, i3 } %both
}

define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) #1 {
  %pair = load { <3 x i3>, i8 }, ptr addrspace(1) %x
  %both = call { <3 x i3>, i3 } @turned({ <3 x i3>, i8 } %pair)
  %turned = extractvalue { <3 x i3>, i3 } %both, 0
  %wide = zext <3 x i3> %turned to <3 x i8>
  store <3 x i8> %wide, ptr addrspace(1) %y, align 1
  %five = extractvalue { <3 x i3>, i3 } %both, 1
  %five.wide = zext i3 %five to i8
  %y3 = getelementptr i8, ptr addrspace(1) %y, i32 3
  store i8 %five.wide, ptr addrspace(1) %y3
  %nine = extractvalue { <3 x i3>, i8 } %pair, 1
  %y4 = getelementptr i8, ptr addrspace(1) %y, i32 4
  store i8 %nine, ptr addrspace(1) %y4
  %xa = getelementptr i8, ptr addrspace(1) %x, i32 4
  %array = load [2 x <3 x i5>], ptr addrspace(1) %xa, align 2
  %first = extractvalue [2 x <3 x i5>] %array, 0
  %first.wide = zext <3 x i5> %first to <3 x i8>
  %y5 = getelementptr i8, ptr addrspace(1) %y, i32 5
  store <3 x i8> %first.wide, ptr addrspace(1) %y5, align 1
  %second = extractvalue [2 x <3 x i5>] %array, 1
  %second.wide = zext <3 x i5> %second to <3 x i8>
  %y8 = getelementptr i8, ptr addrspace(1) %y, i32 8
  store <3 x i8> %second.wide, ptr addrspace(1) %y8, align 1
  %entry = load { <3 x i3>, i8 }, ptr addrspace(4) @table
  %seven = extractvalue { <3 x i3>, i8 } %entry, 1
  %y11 = getelementptr i8, ptr addrspace(1) %y, i32 11
  store i8 %seven, ptr addrspace(1) %y11
  ; 2, 3 and 2 in three bits each are 0x9a; the byte behind them stays.
  %v = extractvalue { <3 x i3>, i8 } %entry, 0
  %back = insertvalue { <3 x i3>, i8 } %pair, <3 x i3> %v, 0
  store { <3 x i3>, i8 } %back, ptr addrspace(1) %x
  ret void
}

attributes #0 = { noinline "target-cpu"="sm_80" "target-features"="+ptx80" }
attributes #1 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
