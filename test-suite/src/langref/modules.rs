//! Variables, functions and modules: linkages, attributes, metadata, layouts.

use super::Piece;
use super::types::{AGGREGATES, FLOATS, INTEGERS, POINTERS, all};

pub(super) fn pieces() -> Vec<Piece> {
    let mut list = Vec::new();
    variables(&mut list);
    initializers(&mut list);
    functions(&mut list);
    parameters(&mut list);
    kernels(&mut list);
    modules(&mut list);
    list
}

const LINKAGES: [&str; 10] = [
    "",
    "private ",
    "internal ",
    "available_externally ",
    "linkonce ",
    "linkonce_odr ",
    "weak ",
    "weak_odr ",
    "common ",
    "appending ",
];

fn use_of(space: &str) -> String {
    let cast =
        if space.is_empty() { "@v#".to_owned() } else { format!("addrspacecast (ptr{space} @v# to ptr)") };
    format!("define ptr @f#() {{\n  ret ptr {cast}\n}}\n")
}

fn variables(list: &mut Vec<Piece>) {
    for space in ["", " addrspace(1)", " addrspace(3)", " addrspace(4)", " addrspace(5)", " addrspace(7)"] {
        for linkage in LINKAGES.into_iter().chain(["external ", "extern_weak "]) {
            for kind in ["global", "constant"] {
                let declared = linkage.starts_with("extern");
                let (ty, value) =
                    if linkage == "appending " { ("[1 x i32]", "zeroinitializer") } else { ("i32", "0") };
                let values: &[&str] = if declared { &[""] } else { &[value, "undef"] };
                for value in values {
                    let own =
                        if space.is_empty() { String::new() } else { format!("{} ", space.trim_start()) };
                    let text = format!("@v# = {linkage}{own}{kind} {ty} {value}\n");
                    list.push(Piece::new(text.trim().replace('#', ""), text + &use_of(space)));
                }
            }
        }
        for mark in [
            "hidden ",
            "protected ",
            "dso_local ",
            "unnamed_addr ",
            "local_unnamed_addr ",
            "externally_initialized ",
            "thread_local ",
        ] {
            let own = if space.is_empty() { String::new() } else { format!("{} ", space.trim_start()) };
            let own =
                if mark.starts_with("externally") { format!("{own}{mark}") } else { format!("{mark}{own}") };
            for value in ["1", "undef"] {
                let text = format!("@v# = {own}global i32 {value}\n");
                list.push(Piece::new(text.trim().replace('#', ""), text + &use_of(space)));
            }
        }
    }
    for rest in [
        ", section \"s\"",
        ", align 256",
        ", section \"s\", align 1",
        ", comdat($c#)",
        ", partition \"p\"",
        ", no_sanitize_address",
        ", code_model \"large\"",
        ", !x !{}",
        " \"attribute\"=\"value\"",
    ] {
        let before = if rest.contains("comdat") { "$c# = comdat any\n" } else { "" };
        let text = format!("{before}@v# = addrspace(1) global i32 1{rest}\n");
        list.push(Piece::new(format!("variable{}", rest.replace('#', "")), text + &use_of(" addrspace(1)")));
    }
    for kind in ["any", "exactmatch", "largest", "nodeduplicate", "samesize"] {
        let text = format!("$v# = comdat {kind}\n@v# = linkonce_odr addrspace(1) global i32 1, comdat\n");
        list.push(Piece::new(format!("comdat {kind}"), text + &use_of(" addrspace(1)")));
    }
}

fn initializers(list: &mut Vec<Piece>) {
    let scalars = all(&INTEGERS).into_iter().chain(all(&FLOATS)).chain(all(&POINTERS));
    let types: Vec<String> = scalars.map(|ty| ty.to_string()).chain(AGGREGATES.map(str::to_owned)).collect();
    for ty in &types {
        for (space, kind) in [
            ("", "global"),
            ("addrspace(1) ", "global"),
            ("addrspace(3) ", "global"),
            ("addrspace(4) ", "constant"),
        ] {
            let values: &[&str] =
                if space.contains('3') { &["undef", "poison"] } else { &["zeroinitializer", "undef"] };
            for value in values {
                let text = format!("@v# = {space}{kind} {ty} {value}\n");
                let used = use_of(format!(" {}", space.trim_end()).trim_end());
                list.push(Piece::new(format!("{space}{kind} {ty} {value}"), text + &used));
            }
        }
    }
    let around = "@w# = addrspace(1) global [8 x i32] zeroinitializer\n@u# = global i64 3\n@s# = addrspace(3) global i32 undef\n@c# = addrspace(4) constant i8 1\ndeclare i32 @g#(i32)\n";
    for (ty, value) in [
        ("i1", "true"),
        ("i7", "-3"),
        ("i33", "-3"),
        ("i128", "-3"),
        ("i129", "-3"),
        ("[3 x i24]", "[i24 1, i24 -2, i24 3]"),
        ("half", "0xH3C00"),
        ("bfloat", "0xR3F80"),
        ("fp128", "0xL00000000000000004000000000000000"),
        ("<5 x i13>", "<i13 1, i13 2, i13 3, i13 4, i13 -5>"),
        ("<3 x i1>", "<i1 true, i1 false, i1 true>"),
        ("<{ i8, i32 }>", "<{ i8 1, i32 2 }>"),
        ("{ i8, i64, half }", "{ i8 1, i64 2, half 0xH3C00 }"),
        ("{ i8, [0 x i32] }", "{ i8 1, [0 x i32] [] }"),
        ("[6 x i8]", "c\"hello\\00\""),
        ("<2 x double>", "<double 1.0, double 0x7FF8000000000000>"),
        ("ptr", "@u#"),
        ("ptr", "@g#"),
        ("ptr", "null"),
        ("ptr", "inttoptr (i64 16 to ptr)"),
        ("ptr addrspace(1)", "@w#"),
        ("ptr", "addrspacecast (ptr addrspace(1) @w# to ptr)"),
        ("ptr", "addrspacecast (ptr addrspace(4) @c# to ptr)"),
        ("ptr", "addrspacecast (ptr addrspace(3) @s# to ptr)"),
        ("ptr addrspace(3)", "@s#"),
        ("ptr addrspace(4)", "@c#"),
        ("ptr", "getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @w# to ptr), i64 4)"),
        ("ptr addrspace(1)", "getelementptr ([8 x i32], ptr addrspace(1) @w#, i64 0, i64 -1)"),
        ("i64", "ptrtoint (ptr addrspace(1) @w# to i64)"),
        ("i64", "ptrtoint (ptr @u# to i64)"),
        ("i64", "ptrtoint (ptr @g# to i64)"),
        ("i64", "add (i64 ptrtoint (ptr addrspace(1) @w# to i64), i64 8)"),
        ("i64", "sub (i64 ptrtoint (ptr addrspace(1) @w# to i64), i64 8)"),
        ("i32", "ptrtoint (ptr addrspace(1) @w# to i32)"),
        ("i8", "trunc (i64 ptrtoint (ptr addrspace(1) @w# to i64) to i8)"),
        ("[2 x ptr]", "[ptr @u#, ptr null]"),
        ("{ i32, ptr, i8 }", "{ i32 1, ptr @u#, i8 2 }"),
        ("<{ i8, ptr }>", "<{ i8 1, ptr @u# }>"),
        ("<{ ptr, i8 }>", "<{ ptr @u#, i8 3 }>"),
        ("<{ i16, ptr, i16 }>", "<{ i16 1, ptr @u#, i16 2 }>"),
        ("<2 x ptr>", "<ptr @u#, ptr @g#>"),
        ("ptr", "@v#"),
        ("[2 x ptr]", "[ptr @v#, ptr getelementptr (i8, ptr @v#, i64 8)]"),
        ("i64", "sub (i64 ptrtoint (ptr @u# to i64), i64 ptrtoint (ptr @v# to i64))"),
        ("i32", "trunc (i64 sub (i64 ptrtoint (ptr @g# to i64), i64 ptrtoint (ptr @v# to i64)) to i32)"),
        ("ptr", "blockaddress(@h#, %x)"),
        ("x86_fp80", "0xK3FFF8000000000000000"),
    ] {
        for space in ["", "addrspace(1) ", "addrspace(4) "] {
            let block = if value.contains("@h#") {
                "define i32 @h#() {\n  br label %x\nx:\n  ret i32 1\n}\n"
            } else {
                ""
            };
            let text = format!("{around}@v# = {space}global {ty} {value}\n{block}");
            let used = use_of(format!(" {space}").trim_end());
            list.push(Piece::new(format!("{space}global {ty} {}", value.replace('#', "")), text + &used));
        }
    }
    for (title, text) in [
        ("variables in a circle", "@v# = global ptr @w#\n@w# = global ptr @v#\n"),
        (
            "variables in a circle with offsets",
            "@v# = global [2 x ptr] [ptr @w#, ptr getelementptr (i8, ptr @w#, i64 8)]\n@w# = global { i64, ptr } { i64 1, ptr @v# }\n",
        ),
        ("internal variables in a circle", "@v# = internal global ptr @w#\n@w# = internal global ptr @v#\n"),
        (
            "variables in a circle of three in global memory",
            "@u# = addrspace(1) global ptr addrspace(1) @w#\n@w# = addrspace(1) global ptr addrspace(1) @x#\n@x# = addrspace(1) global ptr addrspace(1) @u#\n@v# = global i32 1\n",
        ),
        ("a variable before the one it names", "@v# = global ptr @w#\n@w# = global i32 1\n"),
        (
            "alias of a function",
            "define i32 @h#(i32 %a) {\n  ret i32 %a\n}\n@v# = alias i32 (i32), ptr @h#\n",
        ),
        (
            "weak alias of a function",
            "define i32 @h#(i32 %a) {\n  ret i32 %a\n}\n@v# = weak alias i32 (i32), ptr @h#\n",
        ),
        (
            "internal alias of a function",
            "define i32 @h#(i32 %a) {\n  ret i32 %a\n}\n@v# = internal alias i32 (i32), ptr @h#\n",
        ),
        ("internal alias of a variable", "@w# = global i32 1\n@v# = internal alias i32, ptr @w#\n"),
        ("alias of a variable", "@w# = global i32 1\n@v# = alias i32, ptr @w#\n"),
        (
            "alias into a variable",
            "@w# = global [2 x i32] zeroinitializer\n@v# = internal alias i32, getelementptr (i8, ptr @w#, i64 4)\n",
        ),
        ("ifunc", "define ptr @h#() {\n  ret ptr null\n}\n@v# = ifunc void (), ptr @h#\n"),
        (
            "variable that function pointers fill",
            "declare void @g#()\n@v# = constant [2 x ptr] [ptr @g#, ptr @f#]\n",
        ),
    ] {
        list.push(Piece::new(title, format!("{text}{}", use_of(""))));
    }
}

fn functions(list: &mut Vec<Piece>) {
    for linkage in LINKAGES.into_iter().filter(|linkage| !matches!(*linkage, "common " | "appending ")) {
        let text = format!(
            "define {linkage}i32 @h#(i32 %a) {{\n  ret i32 %a\n}}\ndefine i32 @f#(i32 %a) {{\n  %r = call i32 @h#(i32 %a)\n  ret i32 %r\n}}\n"
        );
        list.push(Piece::new(format!("function {linkage}"), text));
        let text = format!("define {linkage}void @f#() {{\n  ret void\n}}\n");
        list.push(Piece::new(format!("function {linkage}that nobody calls"), text));
    }
    for word in ["extern_weak", "dso_local", "hidden", "protected"] {
        let text =
            format!("declare {word} void @g#()\ndefine void @f#() {{\n  call void @g#()\n  ret void\n}}\n");
        list.push(Piece::new(format!("declare {word}"), text));
    }
    for convention in [
        "ccc",
        "fastcc",
        "coldcc",
        "ptx_kernel",
        "ptx_device",
        "spir_func",
        "spir_kernel",
        "tailcc",
        "swiftcc",
        "swifttailcc",
        "preserve_mostcc",
        "preserve_allcc",
        "preserve_nonecc",
        "cxx_fast_tlscc",
        "ghccc",
        "x86_stdcallcc",
        "amdgpu_kernel",
        "cc 10",
        "intel_ocl_bicc",
        "anyregcc",
        "cfguard_checkcc",
        "riscv_vector_cc",
    ] {
        let text = format!("define {convention} void @f#(i32 %a) {{\n  ret void\n}}\n");
        list.push(Piece::new(format!("define {convention}"), text));
        let text = format!(
            "declare {convention} i32 @g#(i32)\ndefine void @f#(i32 %a) {{\n  %r = call {convention} i32 @g#(i32 %a)\n  ret void\n}}\n"
        );
        list.push(Piece::new(format!("call {convention}"), text));
    }
    let attributes = [
        "alignstack(16)",
        "alwaysinline",
        "cold",
        "convergent",
        "disable_sanitizer_instrumentation",
        "fn_ret_thunk_extern",
        "hot",
        "inlinehint",
        "memory(none)",
        "memory(read)",
        "memory(argmem: readwrite)",
        "minsize",
        "mustprogress",
        "nobuiltin",
        "nocallback",
        "nodivergencesource",
        "noduplicate",
        "nofree",
        "noimplicitfloat",
        "noinline",
        "nomerge",
        "nonlazybind",
        "noprofile",
        "norecurse",
        "noredzone",
        "noreturn",
        "nosanitize_bounds",
        "nosync",
        "nounwind",
        "null_pointer_is_valid",
        "optforfuzzing",
        "optnone noinline",
        "optsize",
        "presplitcoroutine",
        "returns_twice",
        "safestack",
        "sanitize_address",
        "sanitize_memory",
        "sanitize_thread",
        "shadowcallstack",
        "skipprofile",
        "speculatable",
        "speculative_load_hardening",
        "ssp",
        "sspreq",
        "sspstrong",
        "strictfp",
        "uwtable",
        "vscale_range(1,2)",
        "willreturn",
        "\"no-trapping-math\"=\"true\"",
        "\"unsafe-fp-math\"=\"true\"",
        "\"denormal-fp-math\"=\"preserve-sign,preserve-sign\"",
        "\"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\"",
        "\"denormal-fp-math\"=\"positive-zero\"",
        "\"denormal-fp-math\"=\"dynamic\"",
        "\"frame-pointer\"=\"all\"",
        "\"stackrealign\"",
        "\"thunk\"",
        "\"probe-stack\"=\"x\"",
        "\"stack-probe-size\"=\"4096\"",
        "\"patchable-function\"=\"prologue-short-redirect\"",
        "\"function-instrument\"=\"xray-always\"",
        "\"split-stack\"",
        "\"target-cpu\"=\"sm_80\"",
        "\"target-features\"=\"+ptx80\"",
        "\"tune-cpu\"=\"sm_80\"",
        "section \"s\"",
        "align 16",
        "gc \"statepoint-example\"",
        "gc \"shadow-stack\"",
        "prefix i32 1",
        "prologue i32 1",
        "personality ptr null",
        "partition \"p\"",
        "unnamed_addr",
        "addrspace(0)",
        "allockind(\"alloc\")",
        "hybrid_patchable",
        "nocf_check",
        "coro_only_destroy_when_complete",
    ];
    for attribute in attributes {
        let text = format!(
            "define float @f#(float %a) {attribute} {{\n  %r = fadd float %a, 1.0\n  ret float %r\n}}\n"
        );
        list.push(Piece::new(format!("define {attribute}"), text));
    }
}

fn parameters(list: &mut Vec<Piece>) {
    let attributes = [
        ("i32", "zeroext"),
        ("i32", "signext"),
        ("i8", "zeroext"),
        ("i8", "signext"),
        ("i1", "zeroext"),
        ("i1", "signext"),
        ("i16", "signext"),
        ("i33", "zeroext"),
        ("i33", "signext"),
        ("i32", "inreg"),
        ("i32", "noundef"),
        ("i32", "noext"),
        ("i32", "range(i32 0, 5)"),
        ("float", "nofpclass(nan)"),
        ("ptr", "noalias"),
        ("ptr", "nocapture"),
        ("ptr", "captures(none)"),
        ("ptr", "nofree"),
        ("ptr", "nonnull"),
        ("ptr", "readonly"),
        ("ptr", "readnone"),
        ("ptr", "writeonly"),
        ("ptr", "align 16"),
        ("ptr", "dereferenceable(8)"),
        ("ptr", "dereferenceable_or_null(8)"),
        ("ptr", "nest"),
        ("ptr", "swiftself"),
        ("ptr", "swifterror"),
        ("ptr", "swiftasync"),
        ("ptr", "allocptr"),
        ("i32", "allocalign"),
        ("ptr", "dead_on_unwind"),
        ("ptr", "dead_on_return"),
        ("ptr", "writable dereferenceable(4)"),
        ("ptr", "initializes((0, 4))"),
        ("ptr", "inalloca(i32)"),
        ("ptr", "preallocated(i32)"),
        ("ptr", "sret(i32)"),
        ("ptr", "sret({ i8, i64 }) align 8"),
        ("ptr", "byref(i32)"),
        ("i32", "alignstack(8)"),
        ("[2 x i32]", "alignstack(16)"),
    ];
    for convention in ["", "ptx_kernel "] {
        for (ty, attribute) in attributes {
            let text = format!("define {convention}void @f#({ty} {attribute} %a) {{\n  ret void\n}}\n");
            list.push(Piece::new(format!("define {convention}{ty} {attribute}"), text));
        }
        for ty in AGGREGATES.into_iter().chain([
            "i1",
            "i8",
            "i33",
            "i64",
            "i128",
            "i129",
            "half",
            "fp128",
            "<3 x float>",
            "<2 x i1>",
            "[5000 x i8]",
        ]) {
            for align in ["", " align 1", " align 2", " align 16", " align 64"] {
                for space in ["ptr", "ptr addrspace(5)", "ptr addrspace(101)"] {
                    let body = format!("  %x = load {ty}, {space} %a\n  store {ty} %x, ptr %b\n  ret void\n");
                    let text = format!(
                        "define {convention}void @f#({space} byval({ty}){align} %a, ptr %b) {{\n{body}}}\n"
                    );
                    list.push(Piece::new(format!("define {convention}{space} byval({ty}){align}"), text));
                }
            }
        }
        let body = "  %q = getelementptr { i32, i64 }, ptr %a, i64 0, i32 1\n";
        for (title, rest) in [
            ("written", "  store i64 7, ptr %q\n  %x = load i64, ptr %q\n  store i64 %x, ptr %b\n"),
            ("escaping", "  call void @take(ptr %a)\n"),
            ("stored address of", "  store ptr %q, ptr %b\n"),
            (
                "in parameter memory",
                "  %p = addrspacecast ptr %a to ptr addrspace(101)\n  %x = load i64, ptr addrspace(101) %p\n  store i64 %x, ptr %b\n",
            ),
            (
                "written and in parameter memory",
                "  store i64 7, ptr %q\n  %p = addrspacecast ptr %a to ptr addrspace(101)\n  %x = load i64, ptr addrspace(101) %p\n  store i64 %x, ptr %b\n",
            ),
            ("copied from", "  call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %a, i64 16, i1 false)\n"),
            (
                "copied to",
                "  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %b, i64 16, i1 false)\n  call void @take(ptr %q)\n",
            ),
            ("atomically changed", "  %o = atomicrmw add ptr %q, i64 1 seq_cst\n  store i64 %o, ptr %b\n"),
            ("volatile", "  %x = load volatile i64, ptr %q\n  store i64 %x, ptr %b\n"),
        ] {
            for mark in ["", " readonly", " \"nvvm.grid_constant\""] {
                let text = format!(
                    "declare void @take(ptr)\ndefine {convention}void @f#(ptr byval({{ i32, i64 }}) align 8{mark} %a, ptr %b) {{\n{body}{rest}  ret void\n}}\n"
                );
                list.push(Piece::new(format!("{convention}byval{mark} {title}"), text));
            }
        }
        let scalars =
            all(&INTEGERS).into_iter().chain(all(&FLOATS)).chain(all(&POINTERS)).map(|ty| ty.to_string());
        for ty in scalars.chain(AGGREGATES.map(str::to_owned)) {
            let text = format!(
                "define {convention}void @f#({ty} %a, i8 %b, {ty} %c, ptr addrspace(1) %p) {{\n  store {ty} %c, ptr addrspace(1) %p\n  ret void\n}}\n"
            );
            list.push(Piece::new(format!("define {convention}{ty}"), text));
        }
    }
    for ty in AGGREGATES.into_iter().chain(["i8", "i33", "i129", "half", "<3 x float>"]) {
        let text = format!(
            "declare void @g#(ptr byval({ty}))\ndeclare void @h#(ptr sret({ty}))\ndefine void @f#(ptr %a) {{\n  call void @g#(ptr byval({ty}) %a)\n  call void @h#(ptr sret({ty}) %a)\n  ret void\n}}\n"
        );
        list.push(Piece::new(format!("call byval({ty}) and sret"), text));
    }
    for (ty, attribute) in [
        ("i8", "zeroext"),
        ("i8", "signext"),
        ("i1", "signext"),
        ("i32", "noundef"),
        ("ptr", "noalias"),
        ("ptr", "nonnull align 8"),
        ("i33", "signext"),
        ("i32", "inreg"),
        ("i32", "range(i32 0, 5)"),
    ] {
        let text = format!("define {attribute} {ty} @f#({ty} %a) {{\n  ret {ty} %a\n}}\n");
        list.push(Piece::new(format!("define result {attribute} {ty}"), text));
    }
}

/// What kernels ask for, by attributes and by the older `!nvvm.annotations`.
fn kernels(list: &mut Vec<Piece>) {
    for attribute in [
        "\"nvvm.maxntid\"=\"128\"",
        "\"nvvm.maxntid\"=\"16,8,2\"",
        "\"nvvm.reqntid\"=\"128\"",
        "\"nvvm.reqntid\"=\"16,8,2\"",
        "\"nvvm.maxntid\"=\"64\" \"nvvm.reqntid\"=\"128\"",
        "\"nvvm.minctasm\"=\"2\"",
        "\"nvvm.maxntid\"=\"128\" \"nvvm.minctasm\"=\"2\"",
        "\"nvvm.maxnreg\"=\"40\"",
        "\"nvvm.cluster_dim\"=\"2,2,1\"",
        "\"nvvm.cluster_dim\"=\"2\"",
        "\"nvvm.maxclusterrank\"=\"8\"",
        "\"nvvm.blocksareclusters\" \"nvvm.reqntid\"=\"128\" \"nvvm.cluster_dim\"=\"2\"",
        "\"nvvm.blocksareclusters\"",
        "\"nvvm.cluster_dim\"=\"0\"",
        "\"nvvm.cluster_dim\"=\"2\" \"nvvm.maxclusterrank\"=\"8\"",
        "\"nvvm.unknown\"=\"1\"",
        "\"nvvm.reqntid\"=\"x\"",
        "\"nvvm.maxnreg\"=\"0\"",
        "\"nvvm.minctasm\"=\"0\"",
    ] {
        let text = format!("define ptx_kernel void @f#() {attribute} {{\n  ret void\n}}\n");
        list.push(Piece::new(format!("kernel {attribute}"), text));
        let text = format!("define void @f#() {attribute} {{\n  ret void\n}}\n");
        list.push(Piece::new(format!("function {attribute}"), text));
    }
    for annotation in [
        "!\"kernel\", i32 1",
        "!\"kernel\", i32 0",
        "!\"maxntidx\", i32 128",
        "!\"maxntidx\", i32 16, !\"maxntidy\", i32 8",
        "!\"maxntidz\", i32 2",
        "!\"reqntidx\", i32 64",
        "!\"reqntidx\", i32 64, !\"reqntidy\", i32 2, !\"reqntidz\", i32 2",
        "!\"maxntidx\", i32 64, !\"reqntidx\", i32 128",
        "!\"minctasm\", i32 2",
        "!\"maxnreg\", i32 40",
        "!\"cluster_dim_x\", i32 2",
        "!\"cluster_dim_x\", i32 2, !\"cluster_dim_y\", i32 2, !\"cluster_dim_z\", i32 1",
        "!\"cluster_max_blocks\", i32 8",
        "!\"maxclusterrank\", i32 8",
        "!\"grid_constant\", !{i32 1}",
        "!\"align\", i32 65552",
        "!\"texture\", i32 1",
        "!\"surface\", i32 1",
        "!\"sampler\", i32 1",
        "!\"rdoimage\", i32 0",
        "!\"wroimage\", i32 0",
        "!\"rdwrimage\", i32 0",
        "!\"managed\", i32 1",
        "!\"unknown\", i32 1",
    ] {
        for convention in ["", "ptx_kernel "] {
            let text = format!(
                "define {convention}void @f(ptr byval(i64) %a) {{\n  ret void\n}}\n!nvvm.annotations = !{{!0}}\n!0 = !{{ptr @f, {annotation}}}\n"
            );
            list.push(Piece::alone(format!("{convention}annotation {annotation}"), text));
        }
    }
    for word in ["texture", "surface", "sampler", "managed"] {
        let text = format!(
            "@v = addrspace(1) global i64 0\ndefine ptr addrspace(1) @f() {{\n  ret ptr addrspace(1) @v\n}}\n!nvvm.annotations = !{{!0}}\n!0 = !{{ptr addrspace(1) @v, !\"{word}\", i32 1}}\n"
        );
        list.push(Piece::alone(format!("variable that is a {word}"), text));
    }
}

/// Triples, layouts, flags, lists of LLVM's own.
fn modules(list: &mut Vec<Piece>) {
    let code = "define void @f(ptr %p, ptr addrspace(3) %q, i32 %i) {\n  %r = getelementptr i32, ptr %p, i32 %i\n  store i32 %i, ptr %r\n  store i32 %i, ptr addrspace(3) %q\n  ret void\n}\n";
    for triple in [
        "nvptx64",
        "nvptx64-nvidia-cuda",
        "nvptx64-nvidia-nvcl",
        "nvptx64-unknown-unknown",
        "nvptx64-unknown-cuda",
        "nvptx-nvidia-cuda",
        "nvptx",
        "nvptx-unknown-nvcl",
        "nvptx64-nvidia-gpulibs",
        "",
        "nvptx64--",
        "nvptx64-nvidia-cuda-musl",
    ] {
        list.push(Piece::alone(format!("triple {triple}"), format!("target triple = \"{triple}\"\n{code}")));
    }
    for layout in [
        "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64",
        "e-i64:64-i128:128-v16:16-v32:32-n16:32:64",
        "e-i64:64-v16:16-v32:32-n16:32:64",
        "e-p3:32:32-p4:32:32-p5:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64",
        "e-p3:32:32-p4:32:32-p5:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64",
        "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64",
        "e-p:32:32:32-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64",
        "",
        "e",
        "E-p:64:64",
    ] {
        list.push(Piece::alone(
            format!("layout {layout}"),
            format!("target datalayout = \"{layout}\"\n{code}"),
        ));
    }
    for (title, text) in [
        (
            "llvm.used",
            "@v = global i32 1\n@llvm.used = appending global [1 x ptr] [ptr @v], section \"llvm.metadata\"\n",
        ),
        (
            "llvm.compiler.used",
            "@v = internal global i32 1\n@llvm.compiler.used = appending global [1 x ptr] [ptr @v], section \"llvm.metadata\"\n",
        ),
        (
            "llvm.used of global memory",
            "@v = addrspace(1) global i32 1\n@llvm.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @v to ptr)], section \"llvm.metadata\"\n",
        ),
        (
            "llvm.global_ctors",
            "define void @i() {\n  ret void\n}\n@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @i, ptr null }]\n",
        ),
        (
            "llvm.global_dtors",
            "define void @i() {\n  ret void\n}\n@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @i, ptr null }]\n",
        ),
        (
            "empty llvm.global_ctors",
            "@llvm.global_ctors = appending global [0 x { i32, ptr, ptr }] zeroinitializer\n",
        ),
        (
            "llvm.global.annotations",
            "@s = private constant [2 x i8] c\"a\\00\"\n@v = global i32 1\n@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @v, ptr @s, ptr @s, i32 1, ptr null }], section \"llvm.metadata\"\n",
        ),
        ("module asm", "module asm \"// nothing\"\n"),
        ("source_filename", "source_filename = \"a\\22b.cu\"\n"),
        (
            "module flags",
            "!llvm.module.flags = !{!0, !1, !2}\n!0 = !{i32 4, !\"nvvm-reflect-ftz\", i32 1}\n!1 = !{i32 2, !\"SDK Version\", [2 x i32] [i32 12, i32 4]}\n!2 = !{i32 1, !\"wchar_size\", i32 4}\n",
        ),
        (
            "llvm.ident",
            "!llvm.ident = !{!0}\n!nvvmir.version = !{!1}\n!0 = !{!\"clang\"}\n!1 = !{i32 2, i32 0}\n",
        ),
        ("old nvvm.annotations_transplanted", "!nvvm.annotations_transplanted = !{!0}\n!0 = !{i32 1}\n"),
        ("opencl version", "!opencl.ocl.version = !{!0}\n!0 = !{i32 2, i32 0}\n"),
        ("type tests", "!0 = !{i64 0, !\"t\"}\n@v = global i32 1, !type !0\n"),
        ("opaque type", "%o = type opaque\n@v = external global %o\ndefine ptr @g() {\n  ret ptr @v\n}\n"),
        ("named recursive type", "%n = type { i32, ptr }\n@v = global %n zeroinitializer\n"),
        (
            "names that are not PTX",
            "@\"a b\" = global i32 1\n@\"$x.y\" = global ptr @\"a b\"\ndefine void @\"f<int>(x)\"() {\n  ret void\n}\n",
        ),
        ("unnamed symbols", "@0 = global i32 1\ndefine ptr @1() {\n  ret ptr @0\n}\n"),
        (
            "unnamed private variable",
            "@0 = private constant [3 x i8] c\"ab\\00\"\ndefine ptr @g() {\n  ret ptr @0\n}\n",
        ),
        ("names like instructions", "@add = global i32 1\ndefine i32 @mov(i32 %ld) {\n  ret i32 %ld\n}\n"),
        ("names that differ in case", "@a = global i32 1\n@A = global i32 1\n"),
    ] {
        list.push(Piece::alone(title, format!("{text}{code}")));
    }
}
