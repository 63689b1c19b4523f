; A 32-bit module that takes an address for a number of 32 bits cannot be widened.
; RUN: error
;~@0 I0004 32-bit addresses
target triple = "nvptx-nvidia-cuda"

define i32 @f(ptr %p) {
  %n = ptrtoint ptr %p to i32
  ret i32 %n
}
