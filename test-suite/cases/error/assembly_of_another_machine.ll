; What the module's assembly holds that PTX cannot is found at its line there.
; RUN: error
;~@0 R0104 in line 2, column 1 of the assembly of the module
target triple = "nvptx64-nvidia-cuda"

module asm ".global .u32 v;"
module asm ".symver memcpy, memcpy@GLIBC_2.2.5"
