//! Orders and scopes.

use std::collections::BTreeMap;

use libtest_mimic::Failed;
use ptx_gen::Home;
use ptx_isa::{PtxVersion, Sm};
use test_suite::oracle::Oracles;
use test_suite::skip::Skips;

use crate::matrix::{Instruction, Result, instructions, module_of, raise, signatures};

/// The architectures and address spaces that are tried, with the spaces' names.
pub const PLACES: &[(u16, u32, &str)] = &[
    (60, 0, "generic"),
    (60, 1, "global"),
    (70, 3, "shared"),
    (90, 3, "shared"),
    (90, 1, "global"),
    (90, 7, "cluster"),
    (100, 0, "generic"),
    (100, 1, "global"),
];

/// How an operation is done.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Way {
    /// By one instruction with this word.
    One(&'static str),
    /// By `and`, `or` or `xor` of the word around.
    Around(&'static str),
    /// By a loop.
    Loop,
}

/// Which operations `atom` has on an architecture (manual 9.7.13.5, "PTX ISA Notes" and "Target ISA Notes").
fn way(op: &str, ty: &str, sm: u16) -> Way {
    let whole = matches!(ty, "i32" | "i64");
    match op {
        "xchg" if matches!(ty, "i32" | "i64" | "i128" | "float" | "double") => Way::One("exch"),
        "cmpxchg" if ty != "i8" && (ty != "i16" || sm >= 70) => Way::One("cas"),
        "add" | "sub" if whole => Way::One("add"),
        "and" | "or" | "xor" => {
            let word = if op == "and" {
                "and"
            } else if op == "or" {
                "or"
            } else {
                "xor"
            };
            match ty {
                "i128" => Way::Loop,
                "i8" | "i16" => Way::Around(word),
                _ => Way::One(word),
            }
        }
        "max" | "umax" if whole => Way::One("max"),
        "min" | "umin" if whole => Way::One("min"),
        "uinc_wrap" if ty == "i32" => Way::One("inc"),
        "udec_wrap" if ty == "i32" => Way::One("dec"),
        "fadd" => {
            let first = match ty {
                "float" | "double" | "<2 x half>" => 60,
                "half" => 70,
                _ => 90,
            };
            if sm >= first { Way::One("add") } else { Way::Loop }
        }
        _ => Way::Loop,
    }
}

/// What the PTX for an instruction must hold.
fn wanted(instruction: &Instruction, sm: u16, space: u32) -> String {
    let order = instruction.order;
    let scope = match instruction.scope {
        "" => "sys",
        "device" => "gpu",
        "cluster" if sm < 90 => "gpu",
        "cluster" => "cluster",
        _ => "cta",
    };
    // Nobody but the block accesses its shared memory, and no instruction here gets an address to another block of the cluster. Fences order
    // other locations, too.
    let access = if space == 3 && sm >= 70 { "cta" } else { scope };
    let relaxed = matches!(order, "unordered" | "monotonic");
    let acquires = matches!(order, "acquire" | "acq_rel" | "seq_cst");
    let releases = matches!(order, "release" | "acq_rel" | "seq_cst");
    let strong = order == "seq_cst";
    let fence = |kind: &str| match (instruction.scope, sm) {
        ("singlethread", _) => String::new(),
        (_, ..70) => format!("membar.{}", if scope == "gpu" { "gl" } else { scope }),
        (_, 70..100) if kind != "sc" => format!("fence.acq_rel.{scope}"),
        _ => format!("fence.{kind}.{scope}"),
    };
    let before = |needed: bool| match (needed, strong) {
        (false, _) => String::new(),
        (true, true) => fence("sc"),
        (true, false) => fence("release"),
    };
    let after = |needed: bool| if needed { fence("acquire") } else { String::new() };
    let join = |parts: &[String]| {
        parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join("; ")
    };
    // Without the memory model an operation on the device has no word, and the order is in fences alone.
    let plain_atom = |name: &str, word: &str| match sm {
        70.. => format!("{name}.relaxed.{access}.{word}"),
        _ if scope == "gpu" => format!("{name}.{word}"),
        _ => format!("{name}.{scope}.{word}"),
    };
    match instruction.op {
        "fence" => match order {
            "acq_rel" => fence("acq_rel"),
            "seq_cst" => fence("sc"),
            other => fence(other),
        },
        "load" if sm < 70 => join(&[before(strong), "ld.volatile".to_owned(), after(acquires)]),
        "store" if sm < 70 => join(&[before(releases), "st.volatile".to_owned()]),
        "load" => {
            let word = if relaxed { "relaxed" } else { "acquire" };
            join(&[before(strong), format!("ld.{word}.{access}")])
        }
        "store" => {
            let word = if relaxed { "relaxed" } else { "release" };
            join(&[before(strong), format!("st.{word}.{access}")])
        }
        op => {
            let unread = instruction.result == Result::Unused && !acquires;
            match way(op, instruction.ty, sm) {
                Way::One(word) | Way::Around(word) => {
                    let name = if unread && word != "exch" { "red" } else { "atom" };
                    if sm < 70 {
                        return join(&[before(releases), plain_atom(name, word), after(acquires)]);
                    }
                    let kind = match order {
                        "monotonic" => "relaxed",
                        "seq_cst" => "acquire",
                        other => other,
                    };
                    join(&[before(strong), format!("{name}.{kind}.{access}.{word}")])
                }
                Way::Loop => {
                    let load =
                        if sm < 70 { "ld.volatile".to_owned() } else { format!("ld.relaxed.{access}") };
                    join(&[before(releases), load, plain_atom("atom", "cas"), after(acquires)])
                }
            }
        }
    }
}

/// Raises everything for an architecture and a space, compares orders and scopes, and asks ptxas.
pub fn everything_is_ordered(
    sm: u16,
    space: u32,
    oracles: &Oracles,
    skips: &Skips,
) -> std::result::Result<(), Failed> {
    // Atomic operations on 128 bits came with sm_90, accesses of that width with sm_70.
    let known =
        |i: &Instruction| i.ty != "i128" || sm >= 90 || (sm >= 70 && matches!(i.op, "load" | "store"));
    let all: Vec<Instruction> = instructions().into_iter().filter(known).collect();
    let ptx = raise(&module_of(&all, space), sm)?;
    let found = signatures(&ptx);
    assert_eq!(found.len(), all.len());
    let mut wrong = Vec::new();
    for (instruction, found) in all.iter().zip(&found) {
        let wanted = wanted(instruction, sm, space);
        if *found != wanted {
            wrong.push(format!("{instruction:?}\n  wanted {wanted}\n  found  {found}"));
        }
    }
    if !wrong.is_empty() {
        return Err(
            format!("{} wrong, the first:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n")).into()
        );
    }
    if oracles.ptxas.is_none() {
        skips.count("no ptxas: atomic operations not judged");
        return Ok(());
    }
    let verdict = oracles.check(&ptx, Home { sm: Sm::new(sm), version: PtxVersion::new(8, 6) });
    let verdict = verdict.map_err(|error| format!("{error:#}"))?;
    if verdict.accepted {
        return Ok(());
    }
    let line = |number: u32| ptx.lines().nth(number.saturating_sub(1) as usize).unwrap_or_default();
    let place = |(at, text): &(Option<u32>, String)| format!("{text}: {}", at.map(line).unwrap_or_default());
    Err(verdict.findings.iter().take(5).map(place).collect::<Vec<_>>().join("\n").into())
}

pub fn wide_operations_before_their_targets_name_them() -> std::result::Result<(), Failed> {
    for (sm, op, minimum) in [(80, "xchg", "sm_90"), (70, "add", "sm_90"), (60, "load", "sm_70")] {
        let all: Vec<_> = instructions()
            .into_iter()
            .filter(|i| i.ty == "i128" && i.op == op && i.order == "monotonic" && i.scope.is_empty())
            .collect();
        let message = raise(&module_of(&all[..1], 1), sm).expect_err("a refusal");
        assert!(message.contains(minimum), "{message}");
    }
    Ok(())
}

/// libnvvm's answers by operation, type, order and scope.
fn answers() -> BTreeMap<(String, String, String, String), String> {
    let mut all = BTreeMap::new();
    for line in include_str!("libnvvm.tsv").lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [order, scope, found, instructions] = columns[..] else {
            panic!("a line of four columns: {line}")
        };
        let scope = if scope == "-" { "" } else { scope };
        for instruction in instructions.split(',') {
            let (op, ty) = instruction.split_once(':').expect("OPERATION:TYPE");
            all.insert((op.into(), ty.into(), order.into(), scope.into()), found.to_owned());
        }
    }
    all
}

/// For sm_100 the orders and scopes that these tests ask for are libnvvm's choice. It differs where it loops around a word
/// for what `atom` has in 16 bits or in pairs, where it fences around `and` of a part, and in leaving out the scope of a single thread,
/// which makes it the device.
pub fn wanted_orders_are_those_of_libnvvm() -> std::result::Result<(), Failed> {
    let answers = answers();
    let mut compared = 0;
    for instruction in
        instructions().iter().filter(|i| i.result == Result::Read || matches!(i.op, "store" | "fence"))
    {
        let Instruction { op, ty, order, scope, .. } = *instruction;
        let answer_for =
            |op: &str, ty: &str| answers.get(&(op.into(), ty.into(), order.into(), scope.into())).cloned();
        let answer = match (op, ty) {
            ("cmpxchg", "i16") => answer_for(op, "i32"),
            ("fadd", "<2 x half>" | "<2 x bfloat>") => answer_for(op, "half"),
            ("and" | "or" | "xor", "i8" | "i16") => answer_for(op, "i32"),
            _ => answer_for(op, ty),
        }
        .unwrap_or_else(|| panic!("no answer for {instruction:?}"));
        let mut wanted = wanted(instruction, 100, 1);
        if scope == "singlethread" {
            // libnvvm names no scope here, which makes it the device, and knows no loads and stores of one thread.
            let parts = wanted.split("; ").filter(|part| part.starts_with("atom"));
            wanted = parts.map(|part| part.replace(".cta", "")).collect::<Vec<_>>().join("; ");
        }
        assert_eq!(wanted, answer, "{instruction:?}");
        compared += 1;
    }
    assert_eq!(compared, answers.len());
    Ok(())
}
