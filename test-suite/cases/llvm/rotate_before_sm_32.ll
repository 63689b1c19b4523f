; Targets before sm_32 have no funnel shift: two shifts and an or take its place.
; RUN: raise -O0 check
; CHECK: rotate
; CHECK-NOT: shf
; CHECK: shl.b32
; CHECK-NOT: shf
; CHECK: shr.u32
; CHECK-NOT: shf
; CHECK: or.b32
; CHECK-NOT: shf
target triple = "nvptx64-nvidia-cuda"

define i32 @rotate(i32 %x, i32 %n) #0 {
  %r = call i32 @llvm.fshl.i32(i32 %x, i32 %x, i32 %n)
  ret i32 %r
}

declare i32 @llvm.fshl.i32(i32, i32, i32)

attributes #0 = { "target-cpu"="sm_20" "target-features"="+ptx32" }
