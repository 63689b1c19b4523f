; Local arrays of a size known at run time, and one made again in every turn of a loop; the stack is set back in between.
; RUN: raise -O0 check
; RUN: roundtrip -O0
; CHECK: alloca.u64 {{%rd[0-9]+}}, {{%rd[0-9]+}}, 4;
; CHECK: stacksave.u64
; CHECK: stackrestore.u64
target triple = "nvptx64-nvidia-cuda"

declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)

define ptx_kernel void @k(ptr addrspace(1) %y, i32 %n) #0 {
entry:
  %a = alloca i32, i32 %n, align 4
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i1, %fill ]
  %p = getelementptr i32, ptr %a, i32 %i
  store i32 %i, ptr %p
  %i1 = add i32 %i, 1
  %again = icmp slt i32 %i1, %n
  br i1 %again, label %fill, label %add
add:
  %j = phi i32 [ 0, %fill ], [ %j1, %add ]
  %s = phi i32 [ 0, %fill ], [ %t, %add ]
  %saved = call ptr @llvm.stacksave.p0()
  %one = alloca [2 x i32], align 4
  %q = getelementptr i32, ptr %a, i32 %j
  %v = load i32, ptr %q
  %second = getelementptr i32, ptr %one, i32 1
  store i32 %v, ptr %second
  %w = load i32, ptr %second
  call void @llvm.stackrestore.p0(ptr %saved)
  %t = add i32 %s, %w
  %j1 = add i32 %j, 1
  %more = icmp slt i32 %j1, %n
  br i1 %more, label %add, label %done
done:
  store i32 %t, ptr addrspace(1) %y
  %y1 = getelementptr i32, ptr addrspace(1) %y, i32 1
  store i32 %w, ptr addrspace(1) %y1
  %first = ptrtoint ptr %a to i64
  %low = and i64 %first, 3
  %low32 = trunc i64 %low to i32
  %y2 = getelementptr i32, ptr addrspace(1) %y, i32 2
  %sum = add i32 %low32, 12
  store i32 %sum, ptr addrspace(1) %y2
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
