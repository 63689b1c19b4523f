//! Operations on values: binary and unary operators, comparisons, conversions.

use super::Piece;
use super::types::{FLOATS, INTEGERS, POINTERS, Ty, all, few};

/// Binary operators on integers, with the flags that they take (language reference, "Binary Operations").
const INTEGER_OPERATORS: [(&str, &[&str]); 13] = [
    ("add", &["nuw", "nsw", "nuw nsw"]),
    ("sub", &["nuw", "nsw", "nuw nsw"]),
    ("mul", &["nuw", "nsw", "nuw nsw"]),
    ("udiv", &["exact"]),
    ("sdiv", &["exact"]),
    ("urem", &[]),
    ("srem", &[]),
    ("shl", &["nuw", "nsw", "nuw nsw"]),
    ("lshr", &["exact"]),
    ("ashr", &["exact"]),
    ("and", &[]),
    ("or", &["disjoint"]),
    ("xor", &[]),
];
/// Binary operators on floating-point numbers.
const FLOAT_OPERATORS: [&str; 5] = ["fadd", "fsub", "fmul", "fdiv", "frem"];
/// Fast-math flags.
const FAST: [&str; 9] =
    ["nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc", "fast", "nnan ninf nsz arcp contract"];
const INTEGER_PREDICATES: [&str; 10] = ["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"];
const FLOAT_PREDICATES: [&str; 16] = [
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
    "uno", "true",
];

pub(super) fn pieces() -> Vec<Piece> {
    let mut list = Vec::new();
    integers(&mut list);
    floats(&mut list);
    comparisons(&mut list);
    integer_casts(&mut list);
    float_casts(&mut list);
    pointer_casts(&mut list);
    bit_casts(&mut list);
    list
}

fn binary(list: &mut Vec<Piece>, operator: &str, ty: Ty) {
    let text = ty.to_string();
    list.push(Piece::value(
        format!("{operator} {ty}"),
        &text,
        &[&text, &text],
        &format!("{operator} {ty} %a, %b"),
    ));
}

fn integers(list: &mut Vec<Piece>) {
    for (operator, flags) in INTEGER_OPERATORS {
        for ty in all(&INTEGERS) {
            binary(list, operator, ty);
        }
        for flag in flags {
            for ty in few(&["i1", "i8", "i16", "i32", "i33", "i64", "i128"]) {
                binary(list, &format!("{operator} {flag}"), ty);
            }
        }
    }
    for ty in all(&INTEGERS) {
        let text = ty.to_string();
        for (operator, constant) in [
            ("add", "1"),
            ("mul", "3"),
            ("udiv", "3"),
            ("sdiv", "-3"),
            ("urem", "5"),
            ("shl", "1"),
            ("xor", "-1"),
        ] {
            if ty.lanes != 0 || ty.element.len() < 3 {
                continue;
            }
            let title = format!("{operator} {ty} {constant}");
            list.push(Piece::value(title, &text, &[&text], &format!("{operator} {ty} %a, {constant}")));
        }
    }
}

fn floats(list: &mut Vec<Piece>) {
    for operator in FLOAT_OPERATORS {
        for ty in all(&FLOATS) {
            binary(list, operator, ty);
        }
        for flag in FAST {
            for ty in few(&["half", "bfloat", "float", "double"]) {
                binary(list, &format!("{operator} {flag}"), ty);
            }
        }
    }
    for ty in all(&FLOATS) {
        let text = ty.to_string();
        list.push(Piece::value(format!("fneg {ty}"), &text, &[&text], &format!("fneg {ty} %a")));
    }
    for flag in FAST {
        let title = format!("fneg {flag} float");
        list.push(Piece::value(title, "float", &["float"], &format!("fneg {flag} float %a")));
    }
    for accuracy in ["1.0", "2.5", "4.0"] {
        let line = format!("fdiv float %a, %b, !fpmath !{{float {accuracy}}}");
        list.push(Piece::value(format!("fdiv fpmath {accuracy}"), "float", &["float", "float"], &line));
    }
}

fn comparisons(list: &mut Vec<Piece>) {
    let pointers =
        POINTERS.map(|pointer| [Ty::scalar(pointer), Ty::vector(2, pointer), Ty::vector(3, pointer)]);
    let pointers: Vec<Ty> = pointers.into_iter().flatten().collect();
    for predicate in INTEGER_PREDICATES {
        for ty in all(&INTEGERS).into_iter().chain(pointers.iter().copied()) {
            compare(list, &format!("icmp {predicate}"), ty);
        }
    }
    for predicate in ["ult", "sge"] {
        for ty in few(&["i8", "i32", "i65"]) {
            compare(list, &format!("icmp samesign {predicate}"), ty);
        }
    }
    for predicate in FLOAT_PREDICATES {
        for ty in all(&FLOATS) {
            compare(list, &format!("fcmp {predicate}"), ty);
        }
    }
    for flag in FAST {
        compare(list, &format!("fcmp {flag} olt"), Ty::scalar("float"));
    }
}

fn compare(list: &mut Vec<Piece>, operator: &str, ty: Ty) {
    let text = ty.to_string();
    list.push(Piece::value(
        format!("{operator} {ty}"),
        &ty.of("i1").to_string(),
        &[&text, &text],
        &format!("{operator} {ty} %a, %b"),
    ));
}

fn cast(list: &mut Vec<Piece>, operator: &str, from: Ty, to: Ty) {
    list.push(Piece::value(
        format!("{operator} {from} to {to}"),
        &to.to_string(),
        &[&from.to_string()],
        &format!("{operator} {from} %a to {to}"),
    ));
}

const FEW_LANES: [u32; 2] = [0, 3];

fn integer_casts(list: &mut Vec<Piece>) {
    for (at, narrow) in INTEGERS.iter().enumerate() {
        for wide in INTEGERS.iter().skip(at + 1) {
            for lanes in FEW_LANES {
                let (narrow, wide) = (Ty { element: narrow, lanes }, Ty { element: wide, lanes });
                for operator in ["zext", "sext"] {
                    cast(list, operator, narrow, wide);
                }
                cast(list, "trunc", wide, narrow);
            }
            let (narrow, wide) = (Ty::scalar(narrow), Ty::scalar(wide));
            cast(list, "zext nneg", narrow, wide);
            for flag in ["nuw", "nsw", "nuw nsw"] {
                cast(list, &format!("trunc {flag}"), wide, narrow);
            }
        }
    }
}

fn float_casts(list: &mut Vec<Piece>) {
    for float in FLOATS {
        for integer in INTEGERS {
            for lanes in FEW_LANES {
                let (float, integer) = (Ty { element: float, lanes }, Ty { element: integer, lanes });
                cast(list, "fptoui", float, integer);
                cast(list, "fptosi", float, integer);
                cast(list, "uitofp", integer, float);
                cast(list, "sitofp", integer, float);
            }
            cast(list, "uitofp nneg", Ty::scalar(integer), Ty::scalar(float));
        }
    }
    let wider =
        [("half", "float"), ("half", "double"), ("half", "fp128"), ("bfloat", "float"), ("bfloat", "double")];
    let widest = [("bfloat", "fp128"), ("float", "double"), ("float", "fp128"), ("double", "fp128")];
    for (narrow, wide) in wider.into_iter().chain(widest) {
        for lanes in FEW_LANES {
            let (narrow, wide) = (Ty { element: narrow, lanes }, Ty { element: wide, lanes });
            cast(list, "fpext", narrow, wide);
            cast(list, "fptrunc", wide, narrow);
        }
        cast(list, "fpext fast", Ty::scalar(narrow), Ty::scalar(wide));
        cast(list, "fptrunc nnan", Ty::scalar(wide), Ty::scalar(narrow));
    }
}

fn pointer_casts(list: &mut Vec<Piece>) {
    for pointer in POINTERS {
        for lanes in [0, 2, 3] {
            let ty = Ty { element: pointer, lanes };
            for integer in INTEGERS {
                cast(list, "ptrtoint", ty, ty.of(integer));
                cast(list, "inttoptr", ty.of(integer), ty);
            }
            cast(list, "ptrtoaddr", ty, ty.of("i64"));
            for other in POINTERS.into_iter().filter(|other| *other != pointer) {
                cast(list, "addrspacecast", ty, ty.of(other));
            }
        }
    }
}

/// Types by their sizes.
const SIZES: [&[Ty]; 8] = [
    &[Ty::scalar("i8"), Ty::vector(8, "i1"), Ty::vector(2, "i4"), Ty::vector(1, "i8")],
    &[Ty::scalar("i16"), Ty::scalar("half"), Ty::scalar("bfloat"), Ty::vector(2, "i8"), Ty::vector(16, "i1")],
    &[
        Ty::scalar("i32"),
        Ty::scalar("float"),
        Ty::vector(4, "i8"),
        Ty::vector(2, "half"),
        Ty::vector(2, "i16"),
        Ty::vector(1, "float"),
        Ty::vector(2, "bfloat"),
        Ty::vector(32, "i1"),
    ],
    &[
        Ty::scalar("i64"),
        Ty::scalar("double"),
        Ty::vector(2, "float"),
        Ty::vector(8, "i8"),
        Ty::vector(4, "half"),
        Ty::vector(1, "i64"),
        Ty::vector(2, "i32"),
        Ty::vector(64, "i1"),
    ],
    &[
        Ty::scalar("i128"),
        Ty::scalar("fp128"),
        Ty::vector(2, "double"),
        Ty::vector(4, "float"),
        Ty::vector(16, "i8"),
        Ty::vector(8, "bfloat"),
    ],
    &[Ty::scalar("i24"), Ty::vector(3, "i8"), Ty::vector(24, "i1"), Ty::vector(2, "i12")],
    &[Ty::scalar("i96"), Ty::vector(3, "float"), Ty::vector(6, "half"), Ty::vector(12, "i8")],
    &[Ty::scalar("i256"), Ty::vector(4, "double"), Ty::vector(8, "i32"), Ty::vector(2, "i128")],
];

fn bit_casts(list: &mut Vec<Piece>) {
    for sizes in SIZES {
        for &from in sizes {
            for &to in sizes.iter().filter(|to| **to != from) {
                cast(list, "bitcast", from, to);
            }
        }
    }
}
