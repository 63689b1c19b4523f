; Every function is looked at, not only the first that fails.
; RUN: error
;~@0 R0101 function one
;~@0 R0101 function two
target triple = "nvptx64-nvidia-cuda"

define float @one(float %a) #0 {
  %r = frem float %a, 2.0
  ret float %r
}

define float @two(float %a) #0 {
  %r = frem float %a, 3.0
  ret float %r
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
