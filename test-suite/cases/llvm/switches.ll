; A dense and a sparse switch, with a default each.
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=k grid=1 block=8
; ARG: out y s32[16]
; WANT: y = 100 101 102 103 99 99 99 99
; WANT: y = 1 -1 -1 2 -1 -1 -1 3
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %y) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  switch i32 %t, label %other [ i32 0, label %a
                                   i32 1, label %b
                                   i32 2, label %c
                                   i32 3, label %d ]

a:
  br label %next

b:
  br label %next

c:
  br label %next

d:
  br label %next

other:
  br label %next

next:
  %v = phi i32 [ 100, %a ], [ 101, %b ], [ 102, %c ], [ 103, %d ], [ 99, %other ]
  %p = getelementptr i32, ptr addrspace(1) %y, i32 %t
  store i32 %v, ptr addrspace(1) %p
  %far = mul i32 %t, 1000
  switch i32 %far, label %end [ i32 0, label %s0
                                i32 3000, label %s3
                                i32 7000, label %s7 ]

s0:
  br label %end

s3:
  br label %end

s7:
  br label %end

end:
  %w = phi i32 [ -1, %next ], [ 1, %s0 ], [ 2, %s3 ], [ 3, %s7 ]
  %q = getelementptr i32, ptr addrspace(1) %p, i32 8
  store i32 %w, ptr addrspace(1) %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
