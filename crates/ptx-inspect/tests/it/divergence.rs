//! Values that are the same for threads.

use ptx_inspect::{Analysis, Class, DivergenceFacts, Level};

use crate::{kernel, module};

fn facts(body: &str, block: Option<[u32; 3]>) -> DivergenceFacts {
    let report = kernel(body, &[Analysis::Divergence], block);
    report.functions[0].divergence.clone().unwrap()
}

/// The class of what is written to a register in a line.
#[track_caller]
fn class(facts: &DivergenceFacts, line: u32, register: &str) -> Class {
    let found = facts.values.iter().find(|value| value.line == line && value.register == register);
    found.unwrap_or_else(|| panic!("{register} at {line}: {facts:?}")).class
}

const BRANCH: &str = "mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, CONDITION, 7;
mov.u32 %r2, 1;
@%p1 bra $join;
mov.u32 %r2, 2;
$join: add.u32 %r3, %r2, 1;
add.u32 %r4, %r5, 0;
ret;";

#[test]
fn what_meets_after_a_branch_depends_on_its_condition() {
    let divergent = facts(&BRANCH.replace("CONDITION", "%r1"), None);
    assert_eq!(class(&divergent, 6, "%r3"), Class::Divergent);
    assert_eq!(divergent.branches[0].level, Level::Thread);
    let why = &divergent.values.iter().find(|value| value.line == 6).unwrap().why;
    assert_eq!(why.iter().map(|why| why.line).collect::<Vec<_>>(), [6, 4], "{why:?}");
    assert!(why[1].text.contains("@%p1 bra"), "{why:?}");
    let uniform = facts(
        &BRANCH.replace("CONDITION", "%r9").replace("mov.u32 %r1, %tid.x", "mov.u32 %r9, %ctaid.y"),
        None,
    );
    assert_eq!((class(&uniform, 6, "%r3"), uniform.branches[0].level), (Class::Block, Level::Block));
    // A register that nothing has written.
    assert_eq!(class(&uniform, 7, "%r4"), Class::Divergent);
}

#[test]
fn both_ways_may_bring_the_same() {
    let same = facts(&BRANCH.replace("CONDITION", "%r1").replace("mov.u32 %r2, 2", "mov.u32 %r2, 1"), None);
    assert_eq!(class(&same, 6, "%r3"), Class::Block);
}

/// A loop that ends after as many iterations as `%r9` tells.
const LOOP: &str = "mov.u32 %r9, BOUND;
mov.u32 %r1, 0;
$loop: add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, %r9;
@%p1 bra $loop;
add.u32 %r2, %r1, 1;
mov.u32 %r3, 0;
$next: add.u32 %r3, %r3, 1;
setp.lt.u32 %p2, %r3, 4;
@%p2 bra $next;
ret;";

#[test]
fn values_of_a_loop_differ_after_it_if_threads_leave_it_at_different_times() {
    let together = facts(&LOOP.replace("BOUND", "%ctaid.x"), None);
    assert_eq!((class(&together, 3, "%r1"), class(&together, 6, "%r2")), (Class::Block, Class::Block));
    let apart = facts(&LOOP.replace("BOUND", "%tid.x"), None);
    // In the loop all threads that are still there are in the same iteration.
    assert_eq!(class(&apart, 6, "%r2"), Class::Divergent);
    assert!(class(&apart, 3, "%r1") <= Class::Warp);
    // The loop after it begins together.
    assert_eq!((class(&apart, 8, "%r3"), apart.branches[1].level), (Class::Block, Level::Block));
}

#[test]
fn a_loop_in_a_loop_may_be_left_at_different_times_and_the_outer_one_not() {
    let facts = facts(
        "mov.u32 %r9, %tid.x;
mov.u32 %r1, 0;
$outer: mov.u32 %r2, 0;
$inner: add.u32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, %r9;
@%p1 bra $inner;
add.u32 %r1, %r1, 1;
setp.lt.u32 %p2, %r1, 8;
@%p2 bra $outer;
add.u32 %r3, %r1, %r2;
mov.u32 %r4, %r1;
ret;",
        None,
    );
    let levels: Vec<Level> = facts.branches.iter().map(|branch| branch.level).collect();
    assert_eq!(levels, [Level::Thread, Level::Block]);
    assert_eq!((class(&facts, 10, "%r3"), class(&facts, 11, "%r4")), (Class::Divergent, Class::Block));
}

#[test]
fn threads_that_leave_by_different_exits_meet_with_different_values() {
    let facts = facts(
        "mov.u32 %r9, %tid.x;
mov.u32 %r1, 0;
mov.u32 %r5, 1;
$loop: add.u32 %r1, %r1, 1;
setp.gt.u32 %p1, %r1, %r9;
@%p1 bra $early;
setp.lt.u32 %p2, %r1, 8;
@%p2 bra $loop;
mov.u32 %r5, 2;
$early: add.u32 %r6, %r5, 0;
ret;",
        None,
    );
    assert_eq!(class(&facts, 10, "%r6"), Class::Divergent);
}

#[test]
fn a_guard_that_differs_leaves_what_was_there() {
    let facts = facts(
        "mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 7;
mov.u32 %r2, 1;
@%p1 mov.u32 %r2, 2;
setp.lt.u32 %p2, 1, 7;
mov.u32 %r3, 1;
@%p2 mov.u32 %r3, 2;
ret;",
        None,
    );
    assert_eq!((class(&facts, 4, "%r2"), class(&facts, 7, "%r3")), (Class::Divergent, Class::Block));
}

#[test]
fn the_block_tells_what_is_the_same_for_a_warp() {
    let body = "mov.u32 %r1, %tid.x;
shr.u32 %r2, %r1, 5;
mov.u32 %r3, %tid.y;
shr.u32 %r4, %r1, 4;
ld.param.u64 %rd1, [p];
ld.global.u32 %r5, [%rd1];
ld.global.nc.u32 %r6, [%rd1];
atom.global.add.u32 %r7, [%rd1], 1;
ret;";
    let of = |block| {
        let facts = facts(body, block);
        [2, 3, 4, 6, 7, 8]
            .map(|line| class(&facts, line, &format!("%r{}", if line < 5 { line } else { line - 1 })))
    };
    use Class::{Affine, Block, Divergent, Warp};
    assert_eq!(of(Some([64, 4, 1])), [Warp, Warp, Divergent, Warp, Block, Divergent]);
    // Two rows of the block in a warp.
    assert_eq!(of(Some([16, 4, 1])), [Block, Affine, Block, Warp, Block, Divergent]);
    assert_eq!(of(None), [Divergent, Warp, Divergent, Warp, Block, Divergent]);
}

#[test]
fn what_no_register_tells_is_taken_to_differ() {
    let facts = facts(
        "mov.u32 %r1, %tid.x;
add.cc.u32 %r2, %r1, %r1;
addc.u32 %r3, 0, 0;
setp.lt.u32 %p1, %r1, 7;
vote.sync.ballot.b32 %r4, %p1, -1;
vote.sync.ballot.b32 %r5, %p1, %r1;
redux.sync.add.u32 %r6, -1, %r1;
bar.red.popc.u32 %r7, 0, %p1;
bar.red.popc.u32 %r8, %r4, %p1;
mov.u32 %r9, %smid;
ret;",
        None,
    );
    use Class::{Block, Divergent, Warp};
    let classes = [3, 5, 6, 7, 8, 9, 10]
        .map(|line| class(&facts, line, &format!("%r{}", if line == 3 { 3 } else { line - 1 })));
    assert_eq!(classes, [Divergent, Warp, Divergent, Divergent, Block, Divergent, Warp]);
}

#[test]
fn registers_of_the_module_are_written_by_others() {
    let text = ".version 2.3 .target sm_20 .address_size 64\n.reg .u32 g;\n.func f() { mov.u32 g, %tid.x; ret; }\n.entry k() { .reg .u32 %r<2>;\nmov.u32 g, 1;\ncall f;\nadd.u32 %r1, g, 1;\nret; }";
    let (module, findings) = ptx_syntax::parse(&ptx_diag::SourceFile::new("k.ptx", text));
    assert!(!findings.has_errors(), "{findings:?}");
    let report =
        ptx_inspect::inspect(&module, &[Analysis::Divergence], None, &|spans| vec![1; spans.len()], &|_| {
            String::new()
        });
    let values = &report.functions[1].divergence.as_ref().unwrap().values;
    assert!(values.iter().all(|value| value.class == Class::Divergent), "{values:?}");
}

#[test]
fn parameters_of_functions_and_results_of_calls_are_not_known() {
    let report = module(
        ".func (.reg .u32 out) f(.reg .u32 in) { add.u32 out, in, 1; ret; }
.entry k() { .reg .u32 %r<3>;
call (%r1), f, (1);
ret; }",
        &[Analysis::Divergence],
        None,
    );
    let classes: Vec<Class> = report
        .functions
        .iter()
        .flat_map(|function| &function.divergence.as_ref().unwrap().values)
        .map(|value| value.class)
        .collect();
    assert_eq!(classes, [Class::Divergent, Class::Divergent]);
}
