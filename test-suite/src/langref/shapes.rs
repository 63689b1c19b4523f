//! Vectors, aggregates, calls and control.

use super::Piece;
use super::types::{AGGREGATES, FLOATS, INTEGERS, LANES, POINTERS, Ty, all};

pub(super) fn pieces() -> Vec<Piece> {
    let mut list = Vec::new();
    vectors(&mut list);
    shuffles(&mut list);
    aggregates(&mut list);
    choices(&mut list);
    branches(&mut list);
    calls(&mut list);
    constants(&mut list);
    list
}

fn scalars() -> impl Iterator<Item = &'static str> {
    INTEGERS.into_iter().chain(FLOATS).chain(POINTERS)
}

fn vectors(list: &mut Vec<Piece>) {
    for element in scalars() {
        for lanes in LANES.into_iter().filter(|lanes| *lanes != 0) {
            let vector = Ty::vector(lanes, element).to_string();
            for index in ["i32 0", "i64 1", "i32 %b", "i8 %c", "i33 %d"] {
                let kinds = [vector.as_str(), "i32", "i8", "i33"];
                let line = format!("extractelement {vector} %a, {index}");
                list.push(Piece::value(line.clone(), element, &kinds, &line));
                let line = format!("insertelement {vector} %a, {element} %e, {index}");
                let kinds = [vector.as_str(), "i32", "i8", "i33", element];
                list.push(Piece::value(line.clone(), &vector, &kinds, &line));
            }
        }
    }
}

fn shuffles(list: &mut Vec<Piece>) {
    for element in ["i1", "i8", "i16", "i33", "i64", "i128", "half", "bfloat", "float", "double", "ptr"] {
        for (from, mask) in [
            (2, "1, i32 0"),
            (2, "0, i32 3"),
            (2, "poison, i32 2"),
            (4, "0, i32 0, i32 0, i32 0"),
            (4, "7, i32 poison, i32 2, i32 0"),
            (4, "2, i32 3"),
            (3, "2, i32 1, i32 0, i32 5, i32 4, i32 3"),
            (8, "1"),
            (1, "0, i32 1, i32 0, i32 1"),
            (16, "0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19"),
            (2, "poison, i32 poison"),
        ] {
            let lanes = u32::try_from(mask.split(',').count()).unwrap_or(0);
            let (vector, result) =
                (Ty::vector(from, element).to_string(), Ty::vector(lanes, element).to_string());
            let line = format!("shufflevector {vector} %a, {vector} %b, <{lanes} x i32> <i32 {mask}>");
            list.push(Piece::value(line.clone(), &result, &[&vector, &vector], &line));
        }
        let vector = Ty::vector(4, element).to_string();
        let line = format!("shufflevector {vector} %a, {vector} poison, <4 x i32> zeroinitializer");
        list.push(Piece::value(line.clone(), &vector, &[&vector], &line));
    }
    let scalable = "  %v = add <vscale x 4 x i32> zeroinitializer, zeroinitializer\n  ret void\n";
    list.push(Piece::function("scalable vector", "void", &[], scalable));
}

fn aggregates(list: &mut Vec<Piece>) {
    for (aggregate, part, at) in [
        ("[2 x i32]", "i32", "1"),
        ("{ i32, { half, [3 x i8] } }", "i8", "1, 1, 2"),
        ("{ i32, { half, [3 x i8] } }", "{ half, [3 x i8] }", "1"),
        ("{ ptr, <3 x float> }", "<3 x float>", "1"),
        ("[2 x { i1, i33 }]", "i33", "1, 1"),
        ("[2 x { i1, i33 }]", "{ i1, i33 }", "0"),
        ("{ i128, i1 }", "i128", "0"),
        ("[2 x {}]", "{}", "1"),
        ("{ fp128, i65 }", "fp128", "0"),
        ("<{ i8, i32 }>", "i32", "1"),
        ("[40 x i64]", "i64", "39"),
    ] {
        let line = format!("extractvalue {aggregate} %a, {at}");
        list.push(Piece::value(line.clone(), part, &[aggregate], &line));
        let line = format!("insertvalue {aggregate} %a, {part} %b, {at}");
        list.push(Piece::value(line.clone(), aggregate, &[aggregate, part], &line));
    }
    for aggregate in AGGREGATES {
        for start in ["poison", "undef", "zeroinitializer"] {
            let title = format!("ret {aggregate} {start}");
            list.push(Piece::function(title, aggregate, &[], &format!("  ret {aggregate} {start}\n")));
        }
    }
}

/// `select`, `freeze` and `phi` of every type.
fn choices(list: &mut Vec<Piece>) {
    let all: Vec<Ty> = scalars().flat_map(|element| all(&[element])).collect();
    let types: Vec<String> =
        all.iter().map(ToString::to_string).chain(AGGREGATES.map(str::to_owned)).collect();
    for ty in &types {
        let line = format!("select i1 %a, {ty} %b, {ty} %c");
        list.push(Piece::value(format!("select i1, {ty}"), ty, &["i1", ty, ty], &line));
        list.push(Piece::value(format!("freeze {ty}"), ty, &[ty], &format!("freeze {ty} %a")));
        for constant in ["undef", "poison"] {
            let title = format!("freeze {ty} {constant}");
            list.push(Piece::value(title, ty, &[], &format!("freeze {ty} {constant}")));
        }
        let body = format!(
            "  br i1 %a, label %yes, label %join\nyes:\n  br label %join\njoin:\n  %r = phi {ty} [ %b, %0 ], [ %c, \
             %yes ]\n  ret {ty} %r\n"
        );
        let body = format!("0:\n{body}");
        list.push(Piece::function(format!("phi {ty}"), ty, &["i1", ty, ty], &body));
    }
    for ty in all.iter().filter(|ty| ty.lanes != 0) {
        let (condition, ty) = (ty.of("i1").to_string(), ty.to_string());
        let line = format!("select {condition} %a, {ty} %b, {ty} %c");
        list.push(Piece::value(format!("select {condition}, {ty}"), &ty, &[&condition, &ty, &ty], &line));
    }
    for flag in ["nnan", "nsz", "fast"] {
        let line = format!("select {flag} i1 %a, float %b, float %c");
        list.push(Piece::value(format!("select {flag} float"), "float", &["i1", "float", "float"], &line));
    }
}

fn branches(list: &mut Vec<Piece>) {
    for ty in ["i1", "i2", "i8", "i16", "i32", "i33", "i64", "i65", "i128", "i256"] {
        for (name, cases) in [("one", vec![0]), ("close", vec![0, 1, -2, -1]), ("none", vec![])] {
            let cases =
                if ty == "i1" { cases.into_iter().filter(|case| *case == 0).collect() } else { cases };
            let targets: String = cases.iter().map(|case| format!("    {ty} {case}, label %yes\n")).collect();
            let body =
                format!("  switch {ty} %a, label %no [\n{targets}  ]\nyes:\n  ret i32 1\nno:\n  ret i32 0\n");
            list.push(Piece::function(format!("switch {ty}, {name}"), "i32", &[ty], &body));
        }
    }
    let far: String = (0..40).map(|case| format!("    i32 {}, label %yes\n", case * 1000)).collect();
    let dense: String = (0..40).map(|case| format!("    i64 {}, label %yes\n", case * 2 - 7)).collect();
    for (name, ty, targets) in [("far", "i32", far), ("dense", "i64", dense)] {
        let body =
            format!("  switch {ty} %a, label %no [\n{targets}  ]\nyes:\n  ret i32 1\nno:\n  ret i32 0\n");
        list.push(Piece::function(format!("switch {ty}, {name}"), "i32", &[ty], &body));
    }
    for (title, result, parameters, body) in [
        ("unreachable", "void", &["i32"][..], "  unreachable\n"),
        (
            "unreachable default",
            "i32",
            &["i32"],
            "  switch i32 %a, label %no [ i32 1, label %yes ]\nyes:\n  ret i32 1\nno:\n  unreachable\n",
        ),
        ("br undef", "i32", &[], "  br i1 undef, label %x, label %y\nx:\n  ret i32 1\ny:\n  ret i32 0\n"),
        ("endless loop", "void", &[], "  br label %x\nx:\n  br label %x\n"),
        (
            "loop",
            "i32",
            &["i32"],
            "0:\n  br label %x\nx:\n  %i = phi i32 [ 0, %0 ], [ %n, %x ]\n  %n = add i32 %i, 1\n  %c = icmp ult i32 %n, %a\n  br i1 %c, label %x, label %y\ny:\n  ret i32 %i\n",
        ),
        (
            "indirectbr",
            "i32",
            &["i1"],
            "  %t = select i1 %a, ptr blockaddress(@f#, %x), ptr blockaddress(@f#, %y)\n  indirectbr ptr %t, [label %x, label %y]\nx:\n  ret i32 1\ny:\n  ret i32 0\n",
        ),
        (
            "entry loop over phis that swap",
            "i32",
            &["i32", "i32"],
            "0:\n  br label %l\nl:\n  %p = phi i32 [ %a, %0 ], [ %q, %l ]\n  %q = phi i32 [ %b, %0 ], [ %p, %l ]\n  %c = icmp slt i32 %p, %q\n  br i1 %c, label %l, label %e\ne:\n  ret i32 %q\n",
        ),
        (
            "invoke",
            "i32",
            &["i32"],
            "  %r = invoke i32 @g(i32 %a) to label %ok unwind label %bad\nok:\n  ret i32 %r\nbad:\n  %l = landingpad { ptr, i32 } cleanup\n  ret i32 0\n",
        ),
        ("resume", "void", &[], "  resume { ptr, i32 } zeroinitializer\n"),
        (
            "callbr",
            "i32",
            &["i32"],
            "  callbr void asm sideeffect \"\", \"r,!i\"(i32 %a) to label %x [label %y]\nx:\n  ret i32 1\ny:\n  ret i32 0\n",
        ),
        (
            "asm",
            "i32",
            &["i32", "i32"],
            "  %r = call i32 asm \"add.s32 $0, $1, $2;\", \"=r,r,r\"(i32 %a, i32 %b)\n  ret i32 %r\n",
        ),
        (
            "asm tied",
            "i32",
            &["i32"],
            "  %r = call i32 asm \"add.s32 $0, $0, 1;\", \"=r,0\"(i32 %a)\n  ret i32 %r\n",
        ),
        (
            "asm memory clobber",
            "void",
            &[],
            "  call void asm sideeffect \"bar.sync 0;\", \"~{memory}\"()\n  ret void\n",
        ),
    ] {
        let mut piece = Piece::function(title, result, parameters, body);
        if title == "invoke" {
            piece.text = piece.text.replace(") {", ") personality ptr null {") + "declare i32 @g(i32)\n";
        }
        if title == "resume" {
            piece.text = piece.text.replace(") {", ") personality ptr null {");
        }
        list.push(piece);
    }
    for (class, ty) in [
        ("h", "i16"),
        ("r", "i32"),
        ("l", "i64"),
        ("q", "i128"),
        ("f", "float"),
        ("d", "double"),
        ("n", "i32"),
        ("b", "i1"),
        ("c", "i8"),
        ("h", "half"),
        ("h", "bfloat"),
        ("r", "<2 x half>"),
    ] {
        let value = if class == "n" { "7" } else { "%a" };
        let body = format!("  call void asm sideeffect \"// $0\", \"{class}\"({ty} {value})\n  ret void\n");
        list.push(Piece::function(format!("asm {class} {ty}"), "void", &[ty], &body));
    }
}

fn calls(list: &mut Vec<Piece>) {
    let types: Vec<String> = scalars()
        .flat_map(|element| all(&[element]))
        .map(|ty| ty.to_string())
        .chain(AGGREGATES.map(str::to_owned))
        .collect();
    for ty in &types {
        let text = format!(
            "declare {ty} @g#({ty}, {ty})\ndefine {ty} @f#({ty} %a) {{\n  %r = call {ty} @g#({ty} %a, {ty} %a)\n  ret {ty} %r\n}}\n"
        );
        list.push(Piece::new(format!("call {ty}"), text));
        let body = format!("  %r = call {ty} %a({ty} %b)\n  ret {ty} %r\n");
        list.push(Piece::function(format!("call through a pointer {ty}"), ty, &["ptr", ty], &body));
    }
    for ty in [
        "i8",
        "i16",
        "i32",
        "i33",
        "i64",
        "i128",
        "half",
        "float",
        "double",
        "<2 x float>",
        "ptr",
        "{ i32, i8 }",
        "<3 x i32>",
    ] {
        let text = format!(
            "declare i32 @v#(i32, ...)\ndefine i32 @f#({ty} %a) {{\n  %r = call i32 (i32, ...) @v#(i32 1, {ty} %a)\n  ret i32 %r\n}}\n"
        );
        list.push(Piece::new(format!("variadic call {ty}"), text));
        let text = format!(
            "define {ty} @f#(i32 %n, ...) {{\n  %l = alloca ptr\n  call void @llvm.va_start.p0(ptr %l)\n  %r = va_arg ptr %l, {ty}\n  call void @llvm.va_end.p0(ptr %l)\n  ret {ty} %r\n}}\n"
        );
        list.push(Piece::new(format!("va_arg {ty}"), text));
    }
    for kind in ["tail", "musttail", "notail"] {
        let text = format!(
            "declare i32 @g#(i32)\ndefine i32 @f#(i32 %a) {{\n  %r = {kind} call i32 @g#(i32 %a)\n  ret i32 %r\n}}\n"
        );
        list.push(Piece::new(format!("{kind} call"), text));
    }
    list.push(Piece::function("recursion", "i32", &["i32"], "  %d = icmp eq i32 %a, 0\n  br i1 %d, label %x, label %y\nx:\n  ret i32 1\ny:\n  %m = sub i32 %a, 1\n  %s = call i32 @f#(i32 %m)\n  %r = mul i32 %a, %s\n  ret i32 %r\n"));
    for bundle in ["\"deopt\"(i32 1)", "\"align\"(ptr %a, i64 8)", "\"kcfi\"(i32 1)", "\"gc-transition\"()"] {
        let text = format!(
            "declare void @g#()\ndefine void @f#(ptr %a) {{\n  call void @g#() [ {bundle} ]\n  ret void\n}}\n"
        );
        list.push(Piece::new(format!("bundle {bundle}"), text));
    }
}

/// Constants as operands.
fn constants(list: &mut Vec<Piece>) {
    let global = "@v# = addrspace(1) global [8 x i32] zeroinitializer\n@w# = addrspace(3) global i32 undef\n@c# = addrspace(4) constant i64 7\ndeclare i32 @g#(i32)\n";
    for (ty, constant) in [
        ("i32", "-5"),
        ("i33", "-4294967296"),
        ("i128", "170141183460469231731687303715884105727"),
        ("i256", "-1"),
        ("half", "0xH7E00"),
        ("bfloat", "0xR7FC0"),
        ("float", "0x7FF8000000000000"),
        ("float", "-0.0"),
        ("double", "0x7FF0000000000000"),
        ("fp128", "0xL00000000000000004000000000000000"),
        ("<3 x i8>", "<i8 1, i8 poison, i8 3>"),
        ("<2 x half>", "<half 0xH3C00, half undef>"),
        ("<4 x i1>", "<i1 true, i1 false, i1 true, i1 true>"),
        ("<2 x i128>", "<i128 1, i128 -1>"),
        ("<4 x i32>", "splat (i32 7)"),
        ("[3 x i16]", "[i16 1, i16 2, i16 3]"),
        ("{ i32, ptr }", "{ i32 1, ptr null }"),
        ("<{ i8, half }>", "<{ i8 1, half 0xH3C00 }>"),
        ("ptr", "null"),
        ("ptr addrspace(5)", "null"),
        ("ptr", "addrspacecast (ptr addrspace(1) @v# to ptr)"),
        ("ptr", "addrspacecast (ptr addrspace(3) @w# to ptr)"),
        ("ptr addrspace(1)", "getelementptr ([8 x i32], ptr addrspace(1) @v#, i64 0, i64 3)"),
        ("ptr addrspace(1)", "getelementptr inbounds (i8, ptr addrspace(1) @v#, i64 -4)"),
        ("i64", "ptrtoint (ptr addrspace(1) @v# to i64)"),
        ("i32", "ptrtoint (ptr addrspace(3) @w# to i32)"),
        ("i32", "trunc (i64 ptrtoint (ptr addrspace(1) @v# to i64) to i32)"),
        ("i64", "add (i64 ptrtoint (ptr addrspace(1) @v# to i64), i64 4)"),
        (
            "i64",
            "sub (i64 ptrtoint (ptr addrspace(1) @v# to i64), i64 ptrtoint (ptr addrspace(4) @c# to i64))",
        ),
        ("i64", "xor (i64 ptrtoint (ptr addrspace(1) @v# to i64), i64 4)"),
        ("ptr", "inttoptr (i64 4096 to ptr)"),
        ("ptr", "@g#"),
        ("ptr", "dso_local_equivalent @g#"),
        ("ptr", "no_cfi @g#"),
        ("ptr", "blockaddress(@f#, %x)"),
        ("i64", "ptrtoint (ptr @g# to i64)"),
        ("<2 x ptr addrspace(1)>", "<ptr addrspace(1) @v#, ptr addrspace(1) null>"),
        ("<2 x i64>", "<i64 ptrtoint (ptr addrspace(1) @v# to i64), i64 1>"),
        ("float", "bitcast (i32 ptrtoint (ptr addrspace(3) @w# to i32) to float)"),
        (
            "{ ptr addrspace(1), [2 x i64] }",
            "{ ptr addrspace(1) @v#, [2 x i64] [i64 1, i64 ptrtoint (ptr @g# to i64)] }",
        ),
        ("x86_fp80", "0xK3FFF8000000000000000"),
        ("ppc_fp128", "0xM3FF00000000000000000000000000000"),
        ("target(\"spirv.Event\")", "zeroinitializer"),
    ] {
        let text = format!("{global}define {ty} @f#() {{\n  br label %x\nx:\n  ret {ty} {constant}\n}}\n");
        list.push(Piece::new(format!("ret {ty} {}", constant.replace('#', "")), text));
        let text = format!(
            "{global}define void @f#(ptr %a) {{\n  br label %x\nx:\n  store {ty} {constant}, ptr %a\n  ret void\n}}\n"
        );
        list.push(Piece::new(format!("store {ty} {}", constant.replace('#', "")), text));
    }
}
