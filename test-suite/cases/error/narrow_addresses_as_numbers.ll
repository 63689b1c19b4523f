; A module of which the triple is for 64-bit addresses and the data layout for 32-bit ones cannot take an address for a number of 32 bits.
; RUN: error
;~@0 I0004 32-bit addresses
target datalayout = "e-p:32:32-i64:64-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define i32 @f(ptr %p) {
  %n = ptrtoint ptr %p to i32
  ret i32 %n
}
