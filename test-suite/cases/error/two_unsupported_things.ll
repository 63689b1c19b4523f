; Every function is looked at, not only the first that fails.
; RUN: error
;~@0 R0101 function one
;~@0 R0101 function two
target triple = "nvptx64-nvidia-cuda"

define fp128 @one(fp128 %a) #0 {
  %r = fadd fp128 %a, %a
  ret fp128 %r
}

define fp128 @two(fp128 %a) #0 {
  %r = fmul fp128 %a, %a
  ret fp128 %r
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
