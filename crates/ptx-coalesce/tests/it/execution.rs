//! Random kernels store the same results before and after each pass, and after all of them in the order of raising.

use std::num::NonZeroUsize;

use crate::common::body;
use crate::{common, random_kernel};
use ptx_coalesce::{coalesce, drop_known_constants, hoist, share_addresses};
use ptx_exec::{Argument, Launch};
use ptx_ir::{Body, Module, RegId, Stmt};
use rustc_hash::FxHashSet as HashSet;

const KERNELS: usize = 500;

/// What each thread of a warpgroup stores.
fn execute(module: &Module) -> Result<Vec<u8>, String> {
    let (verified, _) = ptx_verify::verify(module).map_err(|findings| format!("{findings:?}"))?;
    let launch = Launch {
        block: [128, 1, 1],
        arguments: vec![Argument::Buffer(vec![0; 128 * random_kernel::STORED_BYTES])],
        threads: NonZeroUsize::new(1),
        ..Launch::new("k")
    };
    let outcome = ptx_exec::run(verified, &launch).map_err(|error| format!("{error:?}"))?;
    outcome.buffers.into_iter().next().flatten().ok_or_else(|| "no results".to_owned())
}

/// The arguments of `coalesce` about single registers.
struct Request {
    kept: HashSet<RegId>,
    wanted: Vec<(RegId, RegId)>,
}

impl Request {
    fn random(module: &Module, random: &mut fastrand::Rng) -> Self {
        let count = module.functions[0].body.as_ref().unwrap().registers.len() as u32;
        let wanted = if random.bool() { 40 } else { 0 };
        let mut register = || RegId(random.u32(0..count));
        Self {
            kept: (0..2).map(|_| register()).collect(),
            wanted: (0..wanted).map(|_| (register(), register())).collect(),
        }
    }
}

/// Coalesces, and asserts that exactly the copies within a class are removed, except kept ones, and that only representatives remain.
fn coalesce_checked(body: &mut Body, request: &Request) {
    let before = body.clone();
    let found = coalesce(body, &HashSet::default(), &request.kept, request.wanted.clone());
    let removed = before.instructions().filter(|(_, inst)| {
        before.copied(inst).is_some_and(|(to, from)| {
            !request.kept.contains(&to) && found.representative(to) == found.representative(from)
        })
    });
    assert_eq!(before.statements.len() - body.statements.len(), removed.count());
    for (_, inst) in body.instructions() {
        body.for_each_register(inst, |register, _| assert_eq!(found.representative(register), register));
    }
    let types = |register: RegId| (before.reg_type(register), body.reg_type(found.representative(register)));
    assert!((0..before.registers.len() as u32).map(|at| types(RegId(at))).all(|(old, new)| old == new));
}

/// The number of kernels with address moves or copies removed, with copies hoisted, and with constants known.
#[derive(Debug, Default)]
struct Changed {
    addresses: usize,
    copies: usize,
    hoisted: usize,
    hoisted_after_others: usize,
    known: usize,
}

fn share(body: &mut Body) {
    share_addresses(body, &HashSet::default());
}

/// The number of statements that a pass removes, `None` if it changes none. The results must stay the same.
fn removed(module: &mut Module, expected: &[u8], text: &str, pass: impl FnOnce(&mut Body)) -> Option<usize> {
    let before: Vec<Stmt> = body(module).statements.clone();
    pass(body(module));
    if body(module).statements == before {
        return None;
    }
    let found = execute(module);
    let after = || ptx_ir::print(module);
    assert!(found.as_deref() == Ok(expected), "{found:?}\nbefore:\n{text}\nafter:\n{}", after());
    Some(before.len() - body(module).statements.len())
}

#[test]
fn results_stay_the_same() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut changed = Changed::default();
    for _ in 0..KERNELS {
        let text = random_kernel::text(&mut random);
        let original = common::parse(&text);
        let request = Request::random(&original, &mut random);
        let expected = execute(&original).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let check = |module: &mut Module, pass: &dyn Fn(&mut Body)| removed(module, &expected, &text, pass);
        let coalesce = |body: &mut Body| coalesce_checked(body, &request);
        changed.addresses += usize::from(check(&mut original.clone(), &share) > Some(0));
        changed.copies += usize::from(check(&mut original.clone(), &coalesce) > Some(0));
        changed.hoisted += usize::from(check(&mut original.clone(), &hoist) == Some(0));
        let mut module = original;
        check(&mut module, &share);
        check(&mut module, &coalesce);
        changed.hoisted_after_others += usize::from(check(&mut module, &hoist) == Some(0));
        changed.known += usize::from(check(&mut module, &drop_known_constants) > Some(0));
    }
    let Changed { addresses, copies, hoisted, hoisted_after_others, known } = changed;
    assert!(known > 0, "{changed:?}");
    assert!(addresses > KERNELS / 5 && copies > KERNELS / 2, "{changed:?}");
    assert!(hoisted > KERNELS / 5 && hoisted_after_others > KERNELS / 20, "{changed:?}");
}
