; Debug information of which a unit asks for all: lines, and DWARF that says what functions, types and variables of the source are.
; RUN: raise -O0 check
; RUN: raise -O2 check=O2
; RUN: roundtrip -O0 check=BACK
; RUN: exec
; LAUNCH: entry=scale block=4
; ARG: in x i32[4] = 1 2 3 4
; ARG: i32 = 10
; ARG: out y i32[4]
; WANT: y = 21 41 61 81

; int twice(int v) { return v * 2; }
; void scale(int *x, int n, int *y) { int t = tid(); int held = x[t] * n; y[t] = twice(held) + 1; }

; CHECK: .target sm_{{[0-9]+}}, debug
; CHECK: .file 1 "/source/scale.c"
; CHECK: .visible .entry scale(
; CHECK: .loc 1 3 0
; CHECK: $L__func_begin0:
; CHECK: ld.param.b64 {{%rd[0-9]+}}, [x];
; CHECK: .loc 1 4 11
; CHECK: mov.u32 {{%r[0-9]+}}, %tid.x;
; CHECK: st.local.b32 {{\[}}held],
; CHECK: .loc 1 4 3
; CHECK: .loc 1 1 27
; CHECK: shl.b32
; CHECK: ret;
; CHECK: $L__func_end0:
; CHECK: .section .debug_abbrev
; CHECK: DW_TAG_compile_unit
; CHECK: .section .debug_info
; CHECK: .b32 .debug_abbrev
; CHECK: DW_AT_producer by hand
; CHECK: .b32 .debug_line
; CHECK: DW_TAG_subprogram
; CHECK: DW_AT_name twice
; CHECK: DW_AT_inline
; CHECK: DW_AT_name v
; CHECK: DW_TAG_subprogram
; CHECK: .b64 $L__func_begin0
; CHECK: .b64 $L__func_end0
; CHECK: DW_AT_name scale
; CHECK: DW_TAG_formal_parameter
; CHECK: DW_AT_name x
; CHECK: DW_AT_name n
; CHECK: DW_AT_name y
; CHECK: .b64 held
; CHECK: DW_AT_name held
; CHECK: DW_AT_name t
; CHECK: DW_TAG_inlined_subroutine
; CHECK: .section .debug_loc
; CHECK: $L__debug_loc0:

; O2: .target sm_{{[0-9]+}}, debug
; O2: .loc 1 3 0
; O2: DW_TAG_inlined_subroutine

; BACK: .target sm_{{[0-9]+}}, debug
; BACK: $L__func_begin0:
; BACK: $L__func_end0:
; BACK: .section .debug_info
; BACK: DW_AT_name scale

target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @scale(ptr addrspace(1) %x, i32 %n, ptr addrspace(1) %y) !dbg !10 {
  %held = alloca i32, align 4
    #dbg_declare(ptr %held, !20, !DIExpression(), !30)
    #dbg_value(ptr addrspace(1) %x, !16, !DIExpression(), !30)
    #dbg_value(i32 %n, !17, !DIExpression(), !30)
    #dbg_value(ptr addrspace(1) %y, !18, !DIExpression(), !30)
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !30
    #dbg_value(i32 %t, !19, !DIExpression(), !30)
  %px = getelementptr i32, ptr addrspace(1) %x, i32 %t, !dbg !31
  %a = load i32, ptr addrspace(1) %px, align 4, !dbg !31
  %b = mul i32 %a, %n, !dbg !31
  store i32 %b, ptr %held, align 4, !dbg !31
  %h = load i32, ptr %held, align 4, !dbg !32
    #dbg_value(i32 %h, !25, !DIExpression(), !33)
  %d = shl i32 %h, 1, !dbg !33
  %r = add i32 %d, 1, !dbg !32
  %py = getelementptr i32, ptr addrspace(1) %y, i32 %t, !dbg !32
  store i32 %r, ptr addrspace(1) %py, align 4, !dbg !32
  ret void, !dbg !34
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}

!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "by hand", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "scale.c", directory: "/source")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 2, !"Dwarf Version", i32 2}
!4 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!5 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !4, size: 64)
!10 = distinct !DISubprogram(name: "scale", scope: !1, file: !1, line: 2, type: !11, scopeLine: 3, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !13)
!11 = !DISubroutineType(types: !12)
!12 = !{null, !5, !4, !5}
!13 = !{!16, !17, !18, !19, !20}
!16 = !DILocalVariable(name: "x", arg: 1, scope: !10, file: !1, line: 2, type: !5)
!17 = !DILocalVariable(name: "n", arg: 2, scope: !10, file: !1, line: 2, type: !4)
!18 = !DILocalVariable(name: "y", arg: 3, scope: !10, file: !1, line: 2, type: !5)
!19 = !DILocalVariable(name: "t", scope: !10, file: !1, line: 4, type: !4)
!20 = !DILocalVariable(name: "held", scope: !10, file: !1, line: 4, type: !4)
!22 = distinct !DISubprogram(name: "twice", scope: !1, file: !1, line: 1, type: !23, scopeLine: 1, spFlags: DISPFlagDefinition | DISPFlagLocalToUnit, unit: !0, retainedNodes: !26)
!23 = !DISubroutineType(types: !24)
!24 = !{!4, !4}
!25 = !DILocalVariable(name: "v", arg: 1, scope: !22, file: !1, line: 1, type: !4)
!26 = !{!25}
!30 = !DILocation(line: 4, column: 11, scope: !10)
!31 = !DILocation(line: 4, column: 33, scope: !10)
!32 = !DILocation(line: 4, column: 3, scope: !10)
!33 = !DILocation(line: 1, column: 27, scope: !22, inlinedAt: !35)
!34 = !DILocation(line: 5, column: 1, scope: !10)
!35 = distinct !DILocation(line: 4, column: 50, scope: !10)
