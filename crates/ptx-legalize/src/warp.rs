//! Warp-level intrinsics of NVIDIA's compiler library (NVVM IR specification, "Data Movement" and "Vote"), with other names than LLVM's: the kind of shuffle
//! or vote is a constant argument, and the result always has a word and a predicate.

use crate::code::{Code, ir};
use crate::site::Site;

/// The type of all results.
const RESULT: &str = "{ i32, i1 }";

/// Whether a call has that type, and not a named one.
fn gives_result(site: &Site<'_>) -> bool {
    site.view.type_text(site.result) == RESULT
}

/// `nvvm.shfl.sync`.
pub(crate) fn shuffled(site: &Site<'_>) -> Option<String> {
    let kind = kind(site, ["i32"; 5], ["idx", "up", "down", "bfly"])?;
    let mut code = Code::new();
    let value =
        ir!(code, "call {RESULT} @llvm.nvvm.shfl.sync.{kind}.i32p(i32 %a0, i32 %a2, i32 %a3, i32 %a4)");
    Some(code.finish(site, &value))
}

/// `nvvm.match.all.sync`.
pub(crate) fn matched(site: &Site<'_>) -> Option<String> {
    let ty = site.type_text(1)?;
    if !gives_result(site) || site.type_text(0)? != "i32" || !matches!(ty, "i32" | "i64") {
        return None;
    }
    let mut code = Code::new();
    let value = ir!(code, "call {RESULT} @llvm.nvvm.match.all.sync.{ty}p(i32 %a0, {ty} %a1)");
    Some(code.finish(site, &value))
}

/// `nvvm.vote.sync`; the part of the result that the kind does not have is undefined.
pub(crate) fn voted(site: &Site<'_>) -> Option<String> {
    let kind = kind(site, ["i32", "i32", "i1"], ["all", "any", "uni", "ballot"])?;
    let ty = if kind == "ballot" { "i32" } else { "i1" };
    let mut code = Code::new();
    let vote = ir!(code, "call {ty} @llvm.nvvm.vote.{kind}.sync(i32 %a0, i1 %a2)");
    let zero = "0".to_owned();
    let parts = if kind == "ballot" { [vote, zero] } else { [zero, vote] };
    let value = code.structure(site, &parts, site.result)?;
    Some(code.finish(site, &value))
}

/// The kind that the second argument selects, of arguments of these types.
fn kind<const N: usize>(site: &Site<'_>, types: [&str; N], kinds: [&'static str; 4]) -> Option<&'static str> {
    if !gives_result(site)
        || site.args.len() != N
        || (0..N).any(|at| site.type_text(at) != types.get(at).copied())
    {
        return None;
    }
    kinds.get(usize::try_from(site.constant(1)?).ok()?).copied()
}
