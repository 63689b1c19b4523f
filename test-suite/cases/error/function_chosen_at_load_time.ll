; A function that another one chooses when the program is loaded.
; RUN: error
;~@0 R0109 ifunc
target triple = "nvptx64-nvidia-cuda"

@f = ifunc void (), ptr @choose

define ptr @choose() #0 {
  ret ptr null
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
