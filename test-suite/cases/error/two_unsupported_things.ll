; Every function is looked at, not only the first that fails.
; RUN: error
;~@0 R0101 function one
;~@0 R0101 function two
target triple = "nvptx64-nvidia-cuda"

define void @one(i32 %n) #0 {
  %r = alloca i8, i32 %n
  ret void
}

define ptr @two(ptr %list) #0 {
  %r = va_arg ptr %list, ptr
  ret ptr %r
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
