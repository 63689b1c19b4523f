//! DWARF sections, parsed with gimli from the bytes that an assembler would generate.

use std::collections::HashMap;
use std::fmt::Write;

use gimli::{AttributeValue, EndianSlice, LittleEndian, Reader};
use ptx_llvm_core::{Context, Module};
use ptx_raise::{RaiseOptions, raise};

fn ptx(text: &str) -> String {
    let context = Context::new().expect("LLVM 22");
    let module = Module::parse(&context, "test", text.as_bytes()).expect("valid LLVM IR");
    module.verify().expect("valid LLVM IR");
    let (module, _) = raise(&module, &RaiseOptions::default()).expect("raised");
    ptx_ir::print(&module)
}

/// The bytes of each section, names of symbols and labels of code standing for their number in `names`, from 1 on. Labels of
/// code come first, in its order, as their addresses would.
fn assembled(text: &str) -> (HashMap<String, Vec<u8>>, Vec<String>) {
    let mut sections: HashMap<String, Vec<u8>> = HashMap::new();
    let mut labels: HashMap<String, usize> = HashMap::new();
    let code = text.split(".section").next().unwrap_or("");
    let mut names: Vec<String> =
        code.lines().filter_map(|line| line.strip_suffix(':')).map(str::to_owned).collect();
    let mut fixes: Vec<(String, usize, String)> = Vec::new();
    let mut section = None;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or("").trim();
        if let Some(name) = line.strip_prefix(".section") {
            section = Some(name.trim().to_owned());
            continue;
        }
        let Some(name) = &section else { continue };
        let bytes = sections.entry(name.clone()).or_default();
        match line.split_once(char::is_whitespace) {
            None if line == "}" => section = None,
            None => {
                if let Some(label) = line.strip_suffix(':') {
                    labels.insert(label.to_owned(), bytes.len());
                }
            }
            Some((word, values)) => {
                let size = match word {
                    ".b8" => 1,
                    ".b32" => 4,
                    ".b64" => 8,
                    other => panic!("{other}"),
                };
                for value in values.split(',') {
                    let number = value.trim().parse::<u64>().unwrap_or_else(|_| {
                        fixes.push((name.clone(), bytes.len(), value.trim().to_owned()));
                        0
                    });
                    bytes.extend(&number.to_le_bytes()[..size]);
                }
            }
        }
    }
    for (section, at, name) in fixes {
        let bytes = sections.get_mut(&section).expect("a section");
        match labels.get(&name) {
            Some(&offset) => bytes[at..at + 4].copy_from_slice(&(offset as u32).to_le_bytes()),
            None if name.starts_with('.') => {}
            None => {
                let number = names.iter().position(|known| *known == name).unwrap_or_else(|| {
                    names.push(name.clone());
                    names.len() - 1
                });
                bytes[at..at + 8].copy_from_slice(&(number as u64 + 1).to_le_bytes());
            }
        }
    }
    (sections, names)
}

type Bytes<'b> = EndianSlice<'b, LittleEndian>;

/// A tree of entries as text: a line for each, tag and attributes without their prefixes, indented by depth.
fn tree(text: &str) -> String {
    let (sections, names) = assembled(text);
    let load = |id: gimli::SectionId| -> Result<Bytes<'_>, gimli::Error> {
        // The assembler generates the line table; gimli requires at least a header.
        const NO_LINES: &[u8] = &[13, 0, 0, 0, 2, 0, 7, 0, 0, 0, 1, 1, 0xFB, 14, 1, 0, 0];
        let made = if id == gimli::SectionId::DebugLine { NO_LINES } else { &[] };
        Ok(EndianSlice::new(sections.get(id.name()).map_or(made, Vec::as_slice), LittleEndian))
    };
    let dwarf = gimli::Dwarf::load(load).expect("sections");
    let mut units = dwarf.units();
    let mut shown = String::new();
    while let Some(header) = units.next().expect("a unit") {
        let unit = dwarf.unit(header).expect("a unit");
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs().expect("an entry") {
            let tag = entry.tag().static_string().expect("a known tag").trim_start_matches("DW_TAG_");
            let _ = write!(shown, "{}{tag}", "  ".repeat(entry.depth() as usize));
            for attribute in entry.attrs() {
                let name = attribute.name().static_string().expect("a known attribute");
                let value = value(&dwarf, &unit, attribute.value(), &names);
                let _ = write!(shown, " {}={value}", name.trim_start_matches("DW_AT_"));
            }
            shown.push('\n');
        }
    }
    shown
}

fn symbol(names: &[String], address: u64) -> String {
    match address.checked_sub(1) {
        Some(at) => names.get(at as usize).cloned().expect("a known name"),
        None => "0".to_owned(),
    }
}

fn value(
    dwarf: &gimli::Dwarf<Bytes<'_>>,
    unit: &gimli::Unit<Bytes<'_>>,
    value: AttributeValue<Bytes<'_>>,
    names: &[String],
) -> String {
    match value {
        AttributeValue::String(text) => text.to_string_lossy().into_owned(),
        AttributeValue::Addr(address) => symbol(names, address),
        AttributeValue::UnitRef(offset) => {
            let entry = unit.entry(offset).expect("an entry where the reference points");
            let name = entry.attr_value(gimli::DW_AT_name);
            let tag = entry.tag().static_string().unwrap_or("").trim_start_matches("DW_TAG_");
            match name {
                Some(AttributeValue::String(name)) => format!("<{tag} {}>", name.to_string_lossy()),
                _ => format!("<{tag}>"),
            }
        }
        AttributeValue::Exprloc(expression) => operations(unit, expression, names),
        AttributeValue::LocationListsRef(offset) => {
            let mut list = dwarf.locations(unit, offset).expect("a list");
            let mut shown = Vec::new();
            while let Some(entry) = list.next().expect("an entry of the list") {
                let (begin, end) = (symbol(names, entry.range.begin), symbol(names, entry.range.end));
                shown.push(format!("{begin}..{end}: {}", operations(unit, entry.data, names)));
            }
            format!("[{}]", shown.join("; "))
        }
        AttributeValue::DebugLineRef(_) => "lines".to_owned(),
        AttributeValue::Flag(set) => set.to_string(),
        AttributeValue::Language(language) => language.to_string(),
        AttributeValue::Encoding(encoding) => encoding.to_string(),
        AttributeValue::Inline(inline) => inline.to_string(),
        AttributeValue::AddressClass(class) => class.0.to_string(),
        AttributeValue::FileIndex(number) | AttributeValue::Udata(number) => number.to_string(),
        AttributeValue::Data1(number) => number.to_string(),
        AttributeValue::Sdata(number) => number.to_string(),
        other => format!("{other:?}"),
    }
}

fn operations(
    unit: &gimli::Unit<Bytes<'_>>,
    expression: gimli::Expression<Bytes<'_>>,
    names: &[String],
) -> String {
    let mut bytes = expression.0;
    let mut shown = Vec::new();
    while !bytes.is_empty() {
        use gimli::Operation::*;
        // cuda-gdb's numbers of registers are the letters of their names, more than gimli's are wide.
        if bytes.slice().starts_with(&[gimli::DW_OP_regx.0]) {
            bytes.skip(1).expect("a byte");
            let number = bytes.read_uleb128().expect("a number");
            let letters: Vec<u8> = number.to_be_bytes().into_iter().filter(|byte| *byte != 0).collect();
            shown.push(String::from_utf8(letters).expect("a name"));
            continue;
        }
        shown.push(match gimli::Operation::parse(&mut bytes, unit.encoding()).expect("an operation") {
            Address { address } => symbol(names, address),
            CallFrameCFA => "cfa".to_owned(),
            StackValue => "value".to_owned(),
            UnsignedConstant { value } => value.to_string(),
            PlusConstant { value } => format!("+{value}"),
            Piece { size_in_bits, .. } => format!("piece {}", size_in_bits / 8),
            other => format!("{other:?}"),
        });
    }
    shown.join(" ")
}

#[track_caller]
fn has(tree: &str, lines: &[&str]) {
    let mut rest = tree.lines();
    for line in lines {
        assert!(rest.any(|found| found.trim_end() == *line), "`{line}` is not (or not in order) in\n{tree}");
    }
}

/// A unit in C with one file, one function `!10` and the types `int` (`!4`) and `int *` (`!5`).
const UNIT: &str = r#"
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "by hand", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, globals: !8)
!1 = !DIFile(filename: "a.c", directory: "/source")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!5 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !4, size: 64)
!10 = distinct !DISubprogram(name: "f", linkageName: "_Z1f", scope: !1, file: !1, line: 2, type: !11, scopeLine: 3, spFlags: DISPFlagDefinition, unit: !0)
!11 = !DISubroutineType(types: !12)
!12 = !{null, !4}
"#;

#[test]
fn unit_names_its_source_and_what_made_it() {
    let text = ptx(&format!("define void @f() !dbg !10 {{ ret void }}\n!8 = !{{}}\n{UNIT}"));
    let tree = tree(&text);
    has(
        &tree,
        &[
            "compile_unit producer=by hand language=DW_LANG_C99 name=a.c stmt_list=lines comp_dir=/source low_pc=0",
            "  subprogram low_pc=$L__func_begin0 high_pc=$L__func_end0 frame_base=cfa MIPS_linkage_name=_Z1f name=f decl_file=1 decl_line=2 external=true",
        ],
    );
    assert!(text.contains(", debug\n") && text.contains(".file\t1 \"/source/a.c\""), "{text}");
}

#[test]
fn variable_in_memory_has_one_place_and_its_state_space() {
    let text = ptx(&format!(
        "define i32 @f() !dbg !10 {{
  %x = alloca [4 x i32]
    #dbg_declare(ptr %x, !20, !DIExpression(), !21)
  %y = load i32, ptr %x, !dbg !21
  ret i32 %y, !dbg !21\n}}
!8 = !{{}}
!20 = !DILocalVariable(name: \"x\", scope: !10, file: !1, line: 4, type: !22)
!21 = !DILocation(line: 4, scope: !10)
!22 = !DICompositeType(tag: DW_TAG_array_type, baseType: !4, size: 128, elements: !23)
!23 = !{{!24}}
!24 = !DISubrange(count: 4)
{UNIT}"
    ));
    has(
        &tree(&text),
        &[
            "    variable address_class=6 location=x name=x decl_file=1 decl_line=4 type=<array_type>",
            "  array_type type=<base_type int>",
            "    subrange_type type=<base_type __ARRAY_SIZE_TYPE__> count=4",
        ],
    );
}

#[test]
fn variable_in_a_register_is_there_until_something_else_is_written_to_it() {
    // The phi's register holds `i` until the next turn of the loop writes it; then `i` is not known any more.
    let text = ptx(&format!(
        "define void @f(ptr %p, i32 %n) !dbg !10 {{
entry:
  br label %loop, !dbg !21
loop:
  %i = phi i32 [ %n, %entry ], [ %next, %loop ]
    #dbg_value(i32 %i, !20, !DIExpression(), !21)
  store volatile i32 %i, ptr %p, !dbg !21
  %next = sub i32 %i, 1, !dbg !21
  %more = icmp ne i32 %next, 0, !dbg !21
  br i1 %more, label %loop, label %done, !dbg !21
done:
  store volatile i32 7, ptr %p, !dbg !25
  ret void, !dbg !25\n}}
!8 = !{{}}
!20 = !DILocalVariable(name: \"i\", scope: !10, file: !1, line: 4, type: !4)
!21 = !DILocation(line: 4, scope: !10)
!25 = !DILocation(line: 9, scope: !10)
{UNIT}"
    ));
    let shown = tree(&text);
    let line = shown.lines().find(|line| line.contains("name=i ")).expect("the variable");
    let list = line.split_once("location=[").and_then(|(_, rest)| rest.split_once(']')).expect("a list").0;
    let (labels, register) = list.split_once(": ").expect("a place");
    let (begin, end) = labels.split_once("..").expect("two labels");
    assert!(!end.contains(';') && !register.contains(';'), "more than one range: {list}");
    let at = |label: &str| text.find(&format!("{label}:")).expect("a label of the code");
    let code = &text[at(begin)..at(end)];
    assert!(code.contains(&format!("], {register};")), "the register is stored\n{text}");
    assert!(code.contains(&format!(" \t{register}, ")), "and written last\n{text}");
}

#[test]
fn value_that_is_gone_ends_where_the_variable_was() {
    let text = ptx(&format!(
        "define void @f(ptr %p, i32 %n) !dbg !10 {{
    #dbg_value(i32 %n, !20, !DIExpression(), !21)
  store volatile i32 1, ptr %p, !dbg !21
    #dbg_value(i32 poison, !20, !DIExpression(), !21)
  store volatile i32 2, ptr %p, !dbg !21
    #dbg_value(i32 5, !20, !DIExpression(), !21)
  store volatile i32 3, ptr %p, !dbg !21
  ret void, !dbg !21\n}}
!8 = !{{}}
!20 = !DILocalVariable(name: \"n\", arg: 2, scope: !10, file: !1, line: 4, type: !4)
!21 = !DILocation(line: 4, scope: !10)
{UNIT}"
    ));
    let shown = tree(&text);
    let line = shown.lines().find(|line| line.contains("name=n ")).expect("the variable");
    assert!(
        line.contains(
            "formal_parameter location=[$L__tmp0..$L__tmp1: %r1; $L__tmp2..$L__func_end0: 5 value]"
        ),
        "{line}"
    );
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is not in\n{text}"));
    let stores: Vec<usize> = text.match_indices("st.volatile").map(|(at, _)| at).collect();
    assert!(at("$L__tmp0:") < stores[0] && stores[0] < at("$L__tmp1:"), "{text}");
    assert!(at("$L__tmp1:") < stores[1] && stores[1] < at("$L__tmp2:"), "{text}");
    assert!(at("$L__tmp2:") < stores[2] && stores[2] < at("$L__func_end0:"), "{text}");
}

#[test]
fn inlined_code_names_the_function_it_is_of_and_its_call() {
    let text = ptx(&format!(
        "define i32 @f(i32 %n) !dbg !10 {{
    #dbg_value(i32 %n, !32, !DIExpression(), !34)
  %a = mul i32 %n, 3, !dbg !34
  %b = add i32 %a, 1, !dbg !36
  ret i32 %b, !dbg !36\n}}
!8 = !{{}}
!30 = distinct !DISubprogram(name: \"g\", scope: !1, file: !1, line: 1, type: !31, scopeLine: 1, spFlags: DISPFlagDefinition | DISPFlagLocalToUnit, unit: !0, retainedNodes: !33)
!31 = !DISubroutineType(types: !35)
!32 = !DILocalVariable(name: \"v\", arg: 1, scope: !30, file: !1, line: 1, type: !4)
!33 = !{{!32}}
!34 = !DILocation(line: 1, column: 20, scope: !30, inlinedAt: !37)
!35 = !{{!4, !4}}
!36 = !DILocation(line: 4, column: 9, scope: !10)
!37 = distinct !DILocation(line: 4, column: 5, scope: !10)
{UNIT}"
    ));
    let shown = tree(&text);
    has(
        &shown,
        &[
            "  subprogram name=g decl_file=1 decl_line=1 type=<base_type int> inline=DW_INL_inlined",
            "    formal_parameter name=v decl_file=1 decl_line=1 type=<base_type int>",
            "    inlined_subroutine abstract_origin=<subprogram g> low_pc=$L__tmp0 high_pc=$L__tmp1 call_file=1 call_line=4 call_column=5",
            "      formal_parameter address_class=2 location=%r1 abstract_origin=<formal_parameter v>",
        ],
    );
    let (begin, end) = (text.find("$L__tmp0:").expect("a label"), text.find("$L__tmp1:").expect("a label"));
    assert!(text[begin..end].contains("mul.lo") && !text[begin..end].contains("add.s32"), "{text}");
}

#[test]
fn types_say_how_they_are_laid_out() {
    let text = ptx(&format!(
        r#"@v = addrspace(1) global [16 x i8] zeroinitializer, !dbg !40
@half = addrspace(4) constant i32 3, !dbg !50
define void @f() !dbg !10 {{ ret void }}
!8 = !{{!40, !50}}
!40 = !DIGlobalVariableExpression(var: !41, expr: !DIExpression())
!41 = distinct !DIGlobalVariable(name: "v", scope: !0, file: !1, line: 7, type: !42, isLocal: false, isDefinition: true)
!42 = !DICompositeType(tag: DW_TAG_structure_type, name: "S", file: !1, line: 6, size: 128, elements: !43)
!43 = !{{!44, !45, !46}}
!44 = !DIDerivedType(tag: DW_TAG_member, name: "next", scope: !42, file: !1, line: 6, baseType: !47, size: 64)
!45 = !DIDerivedType(tag: DW_TAG_member, name: "low", scope: !42, file: !1, line: 6, baseType: !4, size: 5, offset: 64, flags: DIFlagBitField, extraData: i64 64)
!46 = !DIDerivedType(tag: DW_TAG_member, name: "kind", scope: !42, file: !1, line: 6, baseType: !48, size: 32, offset: 96)
!47 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !42, size: 64)
!48 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "E", file: !1, line: 5, baseType: !4, size: 32, elements: !49)
!49 = !{{!60, !61}}
!50 = !DIGlobalVariableExpression(var: !51, expr: !DIExpression())
!51 = distinct !DIGlobalVariable(name: "half", scope: !0, file: !1, line: 8, type: !52, isLocal: true, isDefinition: true)
!52 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !4)
!60 = !DIEnumerator(name: "A", value: -1)
!61 = !DIEnumerator(name: "B", value: 200)
{UNIT}"#
    ));
    has(
        &tree(&text),
        &[
            "  variable name=v type=<structure_type S> external=true decl_file=1 decl_line=7 address_class=5 location=v",
            "  structure_type name=S byte_size=16 decl_file=1 decl_line=6",
            "    member name=next type=<pointer_type> decl_file=1 decl_line=6 data_member_location=+0",
            // Bit 64 of the structure is the lowest of the unit at byte 8; 27 bits of the unit lie above the five.
            "    member name=low type=<base_type int> decl_file=1 decl_line=6 byte_size=4 bit_size=5 bit_offset=27 data_member_location=+8",
            "    member name=kind type=<enumeration_type E> decl_file=1 decl_line=6 data_member_location=+12",
            "  variable name=half type=<const_type> decl_file=1 decl_line=8 address_class=4 location=half",
            "  pointer_type type=<structure_type S>",
            "  enumeration_type name=E type=<base_type int> byte_size=4 decl_file=1 decl_line=5",
            "    enumerator name=A const_value=-1",
            "    enumerator name=B const_value=200",
        ],
    );
}

#[test]
fn lines_alone_make_no_sections() {
    for kind in ["LineTablesOnly", "DebugDirectivesOnly"] {
        let unit = UNIT.replace("FullDebug", kind);
        let text = ptx(&format!(
            "define void @f() !dbg !10 {{ ret void, !dbg !21 }}\n!8 = !{{}}\n!21 = !DILocation(line: 4, scope: !10)\n{unit}"
        ));
        assert!(!text.contains(".section") && !text.contains("debug\n"), "{text}");
        assert!(text.contains(".loc\t1 3 0") || text.contains(".loc\t1 4 0"), "{text}");
    }
}

#[test]
fn lines_name_the_function_that_code_was_inlined_from() {
    let unit = UNIT.replace("FullDebug", "DebugDirectivesOnly");
    let module = |version: &str| {
        format!(
            r#"define i32 @f(i32 %n) "target-cpu"="sm_80" "target-features"="+{version}" !dbg !10 {{
  %a = mul i32 %n, 3, !dbg !34
  ret i32 %a, !dbg !36
}}
!8 = !{{}}
!30 = distinct !DISubprogram(name: "g", linkageName: "_Zg", scope: !1, file: !1, line: 1, type: !11, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !0)
!34 = !DILocation(line: 1, column: 20, scope: !30, inlinedAt: !37)
!36 = !DILocation(line: 4, column: 9, scope: !10)
!37 = distinct !DILocation(line: 4, column: 5, scope: !10)
{unit}"#
        )
    };
    let text = ptx(&module("ptx78"));
    let plain = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // The call first, then what was inlined there (manual 11.5.3); `_Zg` is 95, 90, 103.
    let lines = ".loc 1 4 5 .loc 1 1 20, function_name $L__info_string0, inlined_at 1 4 5 mul.lo.s32";
    assert!(plain.contains(lines), "{text}");
    assert!(plain.contains(".section .debug_str { $L__info_string0: .b8 95,90,103,0 }"), "{text}");
    let old = ptx(&module("ptx71"));
    assert!(!old.contains("inlined_at") && !old.contains(".section"), "{old}");
}
