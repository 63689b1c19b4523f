; A line that is not LLVM IR; LLVM stops at the first.
; RUN: error
define void @f() {
  frobnicate i32 1 ;~ I0001 expected instruction opcode
  ret void
}
