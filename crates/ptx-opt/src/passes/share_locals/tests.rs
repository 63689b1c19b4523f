use std::collections::HashMap;

use fastrand::Rng;
use ptx_llvm_core::edit::edit;
use ptx_llvm_core::{Context, Module};

use crate::pass::on_functions;

/// A function with four variables of these types; `body` has `+a` and `-a` for the markers of `%a`.
fn function(types: [&str; 4], body: &str) -> String {
    let mut text = String::from("define void @f(i1 %c, i32 %i) {\nentry:\n");
    for (name, ty) in ["a", "b", "d", "e"].iter().zip(types) {
        text += &format!("  %{name} = alloca {ty}\n");
    }
    for line in body.lines() {
        match line.trim().split_at_checked(1) {
            Some(("+", name)) => text += &format!("  call void @llvm.lifetime.start.p0(ptr %{name})\n"),
            Some(("-", name)) => text += &format!("  call void @llvm.lifetime.end.p0(ptr %{name})\n"),
            _ => text += &format!("{line}\n"),
        }
    }
    text + "  ret void\n}\ndeclare void @llvm.lifetime.start.p0(ptr)\ndeclare void @llvm.lifetime.end.p0(ptr)\n"
}

/// The variables that are left, as text.
fn left(types: [&str; 4], body: &str) -> Vec<String> {
    let context = Context::new().expect("LLVM 22");
    let mut module = Module::parse(&context, "m", function(types, body).as_bytes()).expect("valid text");
    on_functions(&mut module, super::run).expect("runs");
    module.verify().expect("still valid");
    let text = module.to_text();
    text.lines().filter_map(|line| line.split_once(" = alloca ")).map(|(_, ty)| ty.to_owned()).collect()
}

const WORDS: [&str; 4] = ["[7 x i32], align 4"; 4];

#[test]
fn variables_one_after_the_other_are_one() {
    let body = "+a\n-a\n+b\n store i32 %i, ptr %b\n-b\n+d\n-d\n+e\n-e";
    assert_eq!(left(WORDS, body), ["[7 x i32], align 4"]);
    assert_eq!(left(WORDS, "+a\n+b\n-a\n+d\n-b\n-d\n+e\n-e").len(), 2);
    assert_eq!(left(WORDS, "+a\n+b\n+d\n+e\n-a\n-b\n-d\n-e").len(), 4);
}

#[test]
fn the_largest_size_and_alignment_are_those_of_the_memory() {
    let types = ["i8, align 16", "i32, align 4", "[8 x i64], align 8", "i16, align 32"];
    assert_eq!(left(types, "+a\n-a\n+b\n-b\n+d\n-d\n+e\n-e"), ["[8 x i64], align 32"]);
    let types = ["i8, align 16", "i32, i32 3, align 4", "i64, align 8", "i16, align 2"];
    assert_eq!(left(types, "+a\n-a\n+b\n-b\n+d\n-d\n+e\n-e"), ["i32, i32 3, align 16"]);
}

#[test]
fn two_memories_get_their_place_in_the_order_that_they_need() {
    let types = ["i32, align 4", "i64, align 8", "i64, align 8", "i32, align 4"];
    let body = "+a\n+b\n store i32 %i, ptr %a\n-a\n-b\n+d\n+e\n store i32 %i, ptr %e\n-d\n-e";
    assert_eq!(left(types, body).len(), 2);
}

#[test]
fn one_that_is_alive_around_a_loop_has_its_own() {
    let body = |before: &str, inside: &str, after: &str| {
        format!(
            "{before}\n br label %loop\nloop:\n{inside}\n br i1 %c, label %loop, label %end\nend:\n{after}"
        )
    };
    let rest = "+d\n+e\n";
    assert_eq!(left(WORDS, &body(rest, "+a\n-a\n+b\n-b", "")).len(), 3);
    // It is alive in the next round.
    assert_eq!(left(WORDS, &body(rest, "+b\n-b\n+a", "-a")).len(), 4);
    assert_eq!(left(WORDS, &body(&format!("{rest}+a"), "+b\n-b", "-a")).len(), 4);
    assert_eq!(left(WORDS, &body(&format!("{rest}+a"), "", "-a\n+b\n-b")).len(), 3);
}

#[test]
fn one_without_a_start_is_alive_everywhere() {
    assert_eq!(left(WORDS, " store i32 0, ptr %a\n-a\n+b\n-b\n+d\n-d\n+e\n-e").len(), 2);
    assert_eq!(left(WORDS, "").len(), 4);
}

/// The markers in it, each whether it starts a lifetime, and of which variable; the blocks that it goes to.
type RandomBlock = (Vec<(bool, usize)>, [usize; 2]);

/// Random control flow with random markers: on random ways through it, no two variables that became one are alive at the same time.
#[test]
fn on_no_way_are_two_of_one_memory_alive() {
    const NAMES: [&str; 4] = ["a", "b", "d", "e"];
    let mut rng = Rng::with_seed(7);
    let mut shared = 0;
    for _ in 0..400 {
        let blocks: Vec<RandomBlock> = (0..6)
            .map(|_| {
                let markers = (0..rng.usize(..4)).map(|_| (rng.bool(), rng.usize(..4))).collect();
                (markers, [rng.usize(..7), rng.usize(..7)])
            })
            .collect();
        let mut body = String::from(" br label %b0\n");
        for (at, (markers, to)) in blocks.iter().enumerate() {
            body += &format!("b{at}:\n");
            for &(is_start, local) in markers {
                body += &format!("{}{}\n", if is_start { '+' } else { '-' }, NAMES[local]);
            }
            body += &format!(" br i1 %c, label %b{}, label %b{}\n", to[0], to[1]);
        }
        body += "b6:";
        let slots = slots(&function(WORDS, &body));
        shared += usize::from(slots.len() < 4);
        let slot_of = |local: usize| slots.iter().position(|slot| slot.contains(&NAMES[local].to_owned()));
        for _ in 0..20 {
            let mut alive: HashMap<usize, usize> = HashMap::new();
            let mut block = 0;
            for _ in 0..40 {
                let Some((markers, to)) = blocks.get(block) else { break };
                for &(is_start, local) in markers {
                    let Some(slot) = slot_of(local) else { continue };
                    if is_start {
                        let other = alive.insert(slot, local);
                        assert!(other.is_none_or(|other| other == local), "{slots:?} of {body}");
                    } else if alive.get(&slot) == Some(&local) {
                        alive.remove(&slot);
                    }
                }
                block = to[rng.usize(..2)];
            }
        }
    }
    assert!(shared > 50, "{shared} functions have variables that can be shared");
}

/// The names of the variables of each memory.
fn slots(text: &str) -> Vec<Vec<String>> {
    let context = Context::new().expect("LLVM 22");
    let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
    edit(&mut module, |editor| {
        let function = editor.function_named(b"f").expect("the function");
        let locals = super::locals(editor, function);
        let slots = super::share(locals).into_iter().map(|slot| {
            let all = std::iter::once(slot.local).chain(slot.others);
            all.map(|local| String::from_utf8_lossy(&local.name()).into_owned()).collect()
        });
        slots.collect()
    })
}

/// What is alive in all blocks costs a visit for each block; how many there are is limited, so that the time is linear in both.
#[test]
fn many_variables_alive_everywhere_are_left_as_they_are() {
    let count = 200;
    let mut text = String::from("define void @f(i1 %c) {\nentry:\n");
    for at in 0..count {
        text += &format!("  %v{at} = alloca i32\n");
    }
    for at in 0..count {
        text += &format!("  call void @llvm.lifetime.start.p0(ptr %v{at})\n  br label %b{at}\nb{at}:\n");
    }
    text += "  ret void\n}\ndeclare void @llvm.lifetime.start.p0(ptr)\n";
    let context = Context::new().expect("LLVM 22");
    let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
    edit(&mut module, |editor| {
        let function = editor.function_named(b"f").expect("the function");
        let known = super::locals(editor, function).len();
        assert!((32..count).contains(&known), "{known}");
    });
}
