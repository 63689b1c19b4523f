target triple = "nvptx64-nvidia-cuda"

; What clang makes of objects with constructors and destructors: functions with priorities, lower ones first.
@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 65535, ptr @late, ptr null },
  { i32, ptr, ptr } { i32 101, ptr @early, ptr null }]
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @last, ptr null }]

@calls = internal addrspace(1) global i32 0
@format = private addrspace(1) constant [15 x i8] c"call %d of %d\0A\00"

define internal void @early() #0 {
  call void @say(i32 101)
  ret void
}

define internal void @late() #0 {
  call void @say(i32 65535)
  ret void
}

define internal void @last() #0 {
  call void @say(i32 65535)
  ret void
}

define internal void @say(i32 %who) #0 {
  %arguments = alloca { i32, i32 }
  %second = getelementptr { i32, i32 }, ptr %arguments, i64 0, i32 1
  %old = load i32, ptr addrspace(1) @calls
  %new = add i32 %old, 1
  store i32 %new, ptr addrspace(1) @calls
  store i32 %new, ptr %arguments
  store i32 %who, ptr %second
  %count = call i32 @vprintf(ptr addrspacecast (ptr addrspace(1) @format to ptr), ptr %arguments)
  ret void
}

declare i32 @vprintf(ptr, ptr)

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
