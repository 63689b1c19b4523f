; A definition with a variable number of arguments.
; RUN: error
;~@0 R0107 variable number of arguments
target triple = "nvptx64-nvidia-cuda"

define i32 @f(i32 %n, ...) #0 {
  ret i32 %n
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
