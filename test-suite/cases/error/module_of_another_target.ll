; A module for another machine.
; RUN: error
;~@0 I0004 x86_64
target triple = "x86_64-unknown-linux-gnu"

define void @f() {
  ret void
}
