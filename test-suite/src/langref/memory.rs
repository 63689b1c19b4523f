//! Memory: loads, stores, atomic operations, addresses, variables on the stack.

use super::Piece;
use super::types::{AGGREGATES, FLOATS, INTEGERS, LANES, POINTERS, Ty, all};
use crate::ir::INTEGER_ATOMICS;

const SPACES: [&str; 5] = ["", " addrspace(1)", " addrspace(3)", " addrspace(4)", " addrspace(5)"];
/// The operations of `atomicrmw` on floating-point numbers.
const FLOAT_ATOMICS: [&str; 6] = ["fadd", "fsub", "fmax", "fmin", "fmaximum", "fminimum"];
const ORDERS: [&str; 5] = ["monotonic", "acquire", "release", "acq_rel", "seq_cst"];
const SCOPES: [&str; 5] = ["singlethread", "block", "cluster", "device", ""];

pub(super) fn pieces() -> Vec<Piece> {
    let mut list = Vec::new();
    accesses(&mut list);
    marked_accesses(&mut list);
    atomic_accesses(&mut list);
    atomics(&mut list);
    exchanges(&mut list);
    fences(&mut list);
    addresses(&mut list);
    stack(&mut list);
    list
}

fn load(list: &mut Vec<Piece>, ty: &str, space: &str, before: &str, after: &str) {
    let pointer = format!("ptr{space}");
    let title = format!("load{before} {ty}{after}, {pointer}");
    list.push(Piece::value(title, ty, &[&pointer], &format!("load{before} {ty}, {pointer} %a{after}")));
}

fn store(list: &mut Vec<Piece>, ty: &str, space: &str, before: &str, after: &str) {
    let pointer = format!("ptr{space}");
    let title = format!("store{before} {ty}{after}, {pointer}");
    let line = format!("store{before} {ty} %b, {pointer} %a{after}");
    list.push(Piece::effect(title, &[&pointer, ty], &line));
}

/// Every type that memory holds.
fn types() -> Vec<String> {
    let scalars = all(&INTEGERS).into_iter().chain(all(&FLOATS)).chain(all(&POINTERS));
    scalars.map(|ty| ty.to_string()).chain(AGGREGATES.map(str::to_owned)).collect()
}

fn accesses(list: &mut Vec<Piece>) {
    for ty in types() {
        for space in SPACES {
            load(list, &ty, space, "", "");
            store(list, &ty, space, "", "");
        }
        for align in [", align 1", ", align 2", ", align 32"] {
            load(list, &ty, "", "", align);
            store(list, &ty, " addrspace(1)", "", align);
        }
    }
}

fn marked_accesses(list: &mut Vec<Piece>) {
    let types =
        ["i1", "i8", "i33", "float", "i128", "<4 x i32>", "<3 x half>", "{ i32, i8 }", "ptr", "<2 x i1>"];
    for ty in types {
        for space in SPACES {
            load(list, ty, space, " volatile", "");
            store(list, ty, space, " volatile", "");
            for mark in ["nontemporal !{i32 1}", "invariant.load !{}", "noundef !{}", "invariant.group !{}"] {
                load(list, ty, space, "", &format!(", !{mark}"));
            }
            store(list, ty, space, "", ", !nontemporal !{i32 1}");
        }
    }
    load(list, "i32", "", "", ", !range !{i32 0, i32 10}");
    load(list, "float", "", "", ", !nofpclass !{i32 3}");
    for mark in
        ["nonnull !{}", "align !{i64 16}", "dereferenceable !{i64 8}", "dereferenceable_or_null !{i64 8}"]
    {
        load(list, "ptr", "", "", &format!(", !{mark}"));
    }
}

fn scope_text(scope: &str) -> String {
    if scope.is_empty() { String::new() } else { format!(" syncscope(\"{scope}\")") }
}

fn atomic_accesses(list: &mut Vec<Piece>) {
    let types =
        ["i8", "i16", "i32", "i64", "i128", "half", "bfloat", "float", "double", "ptr", "<2 x half>", "i256"];
    for ty in types {
        for space in SPACES {
            for (scope, order) in SCOPES.into_iter().zip(["unordered", "monotonic", "acquire", "seq_cst"]) {
                load(list, ty, space, " atomic", &format!("{} {order}, align 16", scope_text(scope)));
            }
            for (scope, order) in SCOPES.into_iter().zip(["seq_cst", "release", "monotonic", "unordered"]) {
                store(list, ty, space, " atomic", &format!("{} {order}, align 16", scope_text(scope)));
            }
            load(list, ty, space, " atomic volatile", " monotonic, align 16");
            store(list, ty, space, " atomic volatile", " monotonic, align 16");
            load(list, ty, space, " atomic", " monotonic, align 1");
        }
    }
}

fn atomics(list: &mut Vec<Piece>) {
    let integers = ["i8", "i16", "i32", "i64", "i128", "i256"];
    let floats = [
        "half",
        "bfloat",
        "float",
        "double",
        "fp128",
        "<2 x half>",
        "<2 x bfloat>",
        "<2 x float>",
        "<4 x half>",
    ];
    for (operations, types) in [
        (INTEGER_ATOMICS, &integers[..]),
        (&FLOAT_ATOMICS, &floats),
        (&["xchg"], &["ptr", "half", "bfloat", "float", "double"]),
    ] {
        for operation in operations {
            for ty in types {
                for space in SPACES {
                    update(list, operation, ty, space, "", "seq_cst");
                    update(list, operation, ty, space, "", "monotonic");
                }
                for (order, scope) in ORDERS.into_iter().zip(SCOPES) {
                    update(list, operation, ty, " addrspace(1)", scope, order);
                }
            }
        }
    }
}

fn update(list: &mut Vec<Piece>, operation: &str, ty: &str, space: &str, scope: &str, order: &str) {
    let scope = scope_text(scope);
    let line = format!("atomicrmw {operation} ptr{space} %a, {ty} %b{scope} {order}");
    let title = format!("atomicrmw {operation} {ty}{scope} {order}, ptr{space}");
    if list.last().is_none_or(|last| last.title != title) {
        list.push(Piece::value(title, ty, &[&format!("ptr{space}"), ty], &line));
    }
}

fn exchanges(list: &mut Vec<Piece>) {
    for ty in ["i8", "i16", "i32", "i64", "i128", "ptr", "ptr addrspace(3)"] {
        for space in SPACES {
            for kind in ["", " weak", " volatile"] {
                exchange(list, kind, ty, space, "", "acq_rel", "monotonic");
            }
        }
        for success in ORDERS {
            for (failure, scope) in ["monotonic", "acquire", "seq_cst"].into_iter().zip(SCOPES) {
                exchange(list, "", ty, " addrspace(1)", scope, success, failure);
            }
        }
    }
}

fn exchange(
    list: &mut Vec<Piece>,
    kind: &str,
    ty: &str,
    space: &str,
    scope: &str,
    success: &str,
    failure: &str,
) {
    let scope = scope_text(scope);
    let line = format!("cmpxchg{kind} ptr{space} %a, {ty} %b, {ty} %c{scope} {success} {failure}");
    let title = format!("cmpxchg{kind} {ty}{scope} {success} {failure}, ptr{space}");
    list.push(Piece::value(title, &format!("{{ {ty}, i1 }}"), &[&format!("ptr{space}"), ty, ty], &line));
}

fn fences(list: &mut Vec<Piece>) {
    for scope in SCOPES {
        let scope = scope_text(scope);
        for order in ["acquire", "release", "acq_rel", "seq_cst"] {
            let line = format!("fence{scope} {order}");
            list.push(Piece::effect(line.clone(), &[], &line));
        }
    }
}

fn addresses(list: &mut Vec<Piece>) {
    for pointer in POINTERS {
        for index in ["i8", "i16", "i32", "i64", "i33", "i128"] {
            for flags in ["", " inbounds", " nusw", " nuw", " nusw nuw", " inbounds nuw"] {
                let line = format!("getelementptr{flags} i32, {pointer} %a, {index} %b");
                list.push(Piece::value(
                    format!("getelementptr{flags} i32, {pointer}, {index}"),
                    pointer,
                    &[pointer, index],
                    &line,
                ));
            }
        }
    }
    for (source, indices) in [
        ("[4 x { i32, [3 x i16] }]", "i32 %b, i32 %b, i32 1, i64 %c"),
        ("{ i8, <{ i8, i32 }>, double }", "i64 %c, i32 1, i32 1"),
        ("<4 x i16>", "i64 %c, i32 %b"),
        ("<3 x half>", "i64 %c, i32 %b"),
        ("i1", "i64 %c"),
        ("i33", "i64 %c"),
        ("i24", "i32 -1"),
        ("i128", "i64 %c"),
        ("{}", "i64 %c"),
        ("[0 x i32]", "i64 0, i64 %c"),
        ("i256", "i32 %b"),
        ("fp128", "i64 -3"),
    ] {
        let line = format!("getelementptr {source}, ptr %a, {indices}");
        list.push(Piece::value(line.clone(), "ptr", &["ptr", "i32", "i64"], &line));
    }
    for lanes in LANES.into_iter().filter(|lanes| *lanes != 0) {
        for pointer in POINTERS {
            let (pointers, indices) =
                (Ty::vector(lanes, pointer).to_string(), Ty::vector(lanes, "i32").to_string());
            for (base, index) in [(pointers.as_str(), "i64"), (pointer, &indices), (&pointers, &indices)] {
                let line = format!("getelementptr i16, {base} %a, {index} %b");
                list.push(Piece::value(
                    format!("getelementptr i16, {base}, {index}"),
                    &pointers,
                    &[base, index],
                    &line,
                ));
            }
        }
    }
}

fn stack(list: &mut Vec<Piece>) {
    for ty in types() {
        let body = format!(
            "  %v = alloca {ty}\n  call void @take(ptr %v)\n  %r = load {ty}, ptr %v\n  ret {ty} %r\n"
        );
        let mut piece = Piece::function(format!("alloca {ty}"), &ty, &[], &body);
        piece.text.push_str("declare void @take(ptr)\n");
        list.push(piece);
    }
    for (title, line) in [
        ("alloca i32, i32 %a", "%v = alloca i32, i32 %a"),
        ("alloca i32, i64 %b", "%v = alloca i32, i64 %b"),
        ("alloca i8, i16 %c", "%v = alloca i8, i16 %c"),
        ("alloca i32, i32 4, align 64", "%v = alloca i32, i32 4, align 64"),
        ("alloca [0 x i8]", "%v = alloca [0 x i8]"),
        ("alloca inalloca", "%v = alloca inalloca i32"),
        ("alloca i32, i32 0", "%v = alloca i32, i32 0"),
        ("alloca i128, i33", "%v = alloca i128, i33 7"),
    ] {
        let body = format!("  {line}\n  call void @take(ptr %v)\n  ret void\n");
        let mut piece = Piece::function(title, "void", &["i32", "i64", "i16"], &body);
        piece.text.push_str("declare void @take(ptr)\n");
        list.push(piece);
    }
    let local = "  %v = alloca i32, addrspace(5)\n  store i32 1, ptr addrspace(5) %v\n  %g = addrspacecast ptr \
                 addrspace(5) %v to ptr\n  call void @take(ptr %g)\n  ret void\n";
    let mut piece = Piece::function("alloca in local memory", "void", &[], local);
    piece.text.push_str("declare void @take(ptr)\n");
    list.push(piece);
}
