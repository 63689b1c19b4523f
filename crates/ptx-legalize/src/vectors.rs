//! Shuffles, searches and reductions of vectors, which have a register for each element in PTX.

use ptx_llvm_core::view::{FloatKind, Type};

use crate::code::{Code, ir};
use crate::site::{Element, Site};

/// Where elements go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moved {
    Inserted,
    Extracted,
    Reversed,
    /// Those of two concatenated vectors from an index on: counted from the start, or from the end of the first vector if negative.
    Spliced,
    /// The same, counted from the end of the first one.
    SplicedFromRight,
    /// One of each in turn.
    Interleaved,
}

/// An intrinsic that moves elements and computes nothing; the result is elements of its arguments.
pub(crate) fn moved(site: &Site<'_>, way: Moved) -> Option<String> {
    let mut code = Code::new();
    let mut args = Vec::with_capacity(site.args.len());
    for (at, (_, ty)) in site.args.iter().enumerate() {
        args.push(code.elements(site, &format!("%a{at}"), *ty));
    }
    let first = args.first()?.clone();
    let count = site.lanes(site.result);
    let moved = match way {
        Moved::Inserted => {
            let (mut whole, part) = (first, args.get(1)?);
            let at = usize::try_from(site.constant(2)?).ok()?;
            whole.get_mut(at..)?.get_mut(..part.len())?.clone_from_slice(part);
            whole
        }
        Moved::Extracted => {
            let at = usize::try_from(site.constant(1)?).ok()?;
            first.get(at..)?.get(..count)?.to_vec()
        }
        Moved::Reversed => first.into_iter().rev().collect(),
        Moved::Spliced | Moved::SplicedFromRight => {
            let whole = [first.as_slice(), args.get(1)?].concat();
            whole.get(splice_start(site, way, count)?..)?.get(..count)?.to_vec()
        }
        Moved::Interleaved => {
            (0..first.len()).flat_map(|at| args.iter().filter_map(move |arg| arg.get(at).cloned())).collect()
        }
    };
    if moved.len() != count {
        return None;
    }
    let value = code.vector(site, &moved, site.result)?;
    Some(code.finish(site, &value))
}

/// Where the elements of `vector.splice` begin.
fn splice_start(site: &Site<'_>, way: Moved, count: usize) -> Option<usize> {
    let at = ptx_llvm_core::view::sign_extend(site.constant(2)?, site.bits(site.ty(2)?)?);
    let count = i64::try_from(count).ok()?;
    let start = match way {
        Moved::SplicedFromRight => count.checked_sub(at)?,
        _ if at < 0 => count.checked_add(at)?,
        _ => at,
    };
    usize::try_from(start).ok()
}

/// `vector.deinterleave2` and on: every second element, and the others.
pub(crate) fn deinterleaved(site: &Site<'_>) -> Option<String> {
    let Type::Struct { fields } = site.view.ty(site.result) else { return None };
    let mut code = Code::new();
    let elements = code.elements(site, "%a0", site.ty(0)?);
    let mut parts = Vec::with_capacity(fields.len());
    for (way, field) in fields.iter().enumerate() {
        let own: Vec<String> = elements.iter().skip(way).step_by(fields.len()).cloned().collect();
        parts.push(code.vector(site, &own, *field)?);
    }
    let value = code.structure(site, &parts, site.result)?;
    Some(code.finish(site, &value))
}

/// `stepvector`: the numbers of the elements.
pub(crate) fn numbers(site: &Site<'_>) -> Option<String> {
    let bits = site.bits(site.result)?;
    let mut code = Code::new();
    let all: Vec<String> = (0..site.lanes(site.result))
        .map(|at| (at as u64 & ptx_llvm_core::view::mask(bits)).to_string())
        .collect();
    let value = code.vector(site, &all, site.result)?;
    Some(code.finish(site, &value))
}

/// `vector.reduce.*`, by what follows: the elements one after the other. The sum and the product of floating-point numbers begin with the first argument.
pub(crate) fn reduced(site: &Site<'_>, operation: &str) -> Option<String> {
    let starts = matches!(operation, "fadd" | "fmul");
    let vector = usize::from(starts);
    let ty = site.ty(vector)?;
    let (element, text) = (site.element(ty)?, site.view.type_text(site.element_type(ty)));
    let mut code = Code::new();
    let elements = code.elements(site, &format!("%a{vector}"), ty);
    let mut rest = elements.into_iter();
    let mut sum = if starts { "%a0".to_owned() } else { rest.next()? };
    for value in rest {
        sum = combined(&mut code, site, operation, (element, text), [&sum, &value])?;
    }
    Some(code.finish(site, &sum))
}

/// One step of a reduction.
fn combined(
    code: &mut Code,
    site: &Site<'_>,
    operation: &str,
    (element, text): (Element, &str),
    [a, b]: [&str; 2],
) -> Option<String> {
    let is_float = matches!(element, Element::Float(kind) if !matches!(kind, FloatKind::Other(_)));
    if is_float != operation.starts_with('f') {
        return None;
    }
    let contract = if site.fast.contract { "contract " } else { "" };
    Some(match operation {
        "add" | "mul" | "and" | "or" | "xor" => ir!(code, "{operation} {text} {a}, {b}"),
        "fadd" | "fmul" => ir!(code, "{operation} {contract}{text} {a}, {b}"),
        "smax" => code.extreme_of(element, "smax", "sgt", text, [a, b]),
        "smin" => code.extreme_of(element, "smin", "slt", text, [a, b]),
        "umax" => code.extreme_of(element, "umax", "ugt", text, [a, b]),
        "umin" => code.extreme_of(element, "umin", "ult", text, [a, b]),
        "fmax" => ir!(code, "call {text} @llvm.maxnum({text} {a}, {text} {b})"),
        "fmin" => ir!(code, "call {text} @llvm.minnum({text} {a}, {text} {b})"),
        "fmaximum" => ir!(code, "call {text} @llvm.maximum({text} {a}, {text} {b})"),
        "fminimum" => ir!(code, "call {text} @llvm.minimum({text} {a}, {text} {b})"),
        _ => return None,
    })
}

impl Code {
    /// The smaller or larger of two integers, by the intrinsic that registers of the width have.
    fn extreme_of(
        &mut self,
        element: Element,
        name: &str,
        comparison: &str,
        ty: &str,
        [a, b]: [&str; 2],
    ) -> String {
        if matches!(element, Element::Int(bits) if bits <= 64) {
            return ir!(self, "call {ty} @llvm.{name}({ty} {a}, {ty} {b})");
        }
        self.extreme(comparison, ty, a, b)
    }
}

/// `vector.partial.reduce.*`: the elements of a longer vector are added to those of a shorter one, in an order that LLVM leaves open: here
/// those that are a shorter vector's length apart.
pub(crate) fn partly_reduced(site: &Site<'_>, operation: &str) -> Option<String> {
    let (ty, text) = (site.ty(0)?, site.view.type_text(site.element_type(site.ty(0)?)));
    let (element, long) = (site.element(ty)?, site.ty(1)?);
    // LLVM's verifier does not check that the types agree.
    if site.element_type(long) != site.element_type(ty) || !site.lanes(long).is_multiple_of(site.lanes(ty)) {
        return None;
    }
    let mut code = Code::new();
    let mut sums = code.elements(site, "%a0", ty);
    let length = sums.len();
    for (at, value) in code.elements(site, "%a1", long).into_iter().enumerate() {
        let sum = sums.get_mut(at % length)?;
        *sum = combined(&mut code, site, operation, (element, text), [sum, &value])?;
    }
    let value = code.vector(site, &sums, site.result)?;
    Some(code.finish(site, &value))
}

/// `get.active.lane.mask`: whether a base and the lane's number together are below a limit; their sum does not wrap.
pub(crate) fn active_lanes(site: &Site<'_>) -> Option<String> {
    let ty = site.ty(0)?;
    let (bits, text) = (site.bits(ty)?, site.view.type_text(ty));
    let mut code = Code::new();
    // As many as are left, or none where the base is past the limit.
    let past = ir!(code, "icmp uge {text} %a0, %a1");
    let left = ir!(code, "sub {text} %a1, %a0");
    let left = ir!(code, "select i1 {past}, {text} 0, {text} {left}");
    let mut lanes = Vec::new();
    for lane in 0..site.lanes(site.result) as u64 {
        let counted = lane <= ptx_llvm_core::view::mask(bits);
        lanes.push(if counted { ir!(code, "icmp ugt {text} {left}, {lane}") } else { "false".to_owned() });
    }
    let value = code.vector(site, &lanes, site.result)?;
    Some(code.finish(site, &value))
}

/// `experimental.cttz.elts`: the number of the first element that is not zero, or how many there are.
pub(crate) fn first_set(site: &Site<'_>) -> Option<String> {
    let (ty, result) = (site.ty(0)?, site.bits(site.result)?);
    let (bits, text) = (site.bits(ty)?, site.view.type_text(site.element_type(ty)));
    let number = |at: usize| at as u64 & ptx_llvm_core::view::mask(result);
    let mut code = Code::new();
    let elements = code.elements(site, "%a0", ty);
    let mut found = number(elements.len()).to_string();
    for (at, element) in elements.iter().enumerate().rev() {
        let set = if bits == 1 { element.clone() } else { ir!(code, "icmp ne {text} {element}, 0") };
        let at = number(at);
        found = ir!(code, "select i1 {set}, i{result} {at}, i{result} {found}");
    }
    if matches!(site.view.ty(site.result), Type::Vector { .. }) {
        return None;
    }
    Some(code.finish(site, &found))
}

/// `experimental.vector.compress`: the elements in the mask, one after the other; the rest are the last argument's elements.
pub(crate) fn compressed(site: &Site<'_>) -> Option<String> {
    let ty = site.ty(0)?;
    let text = site.view.type_text(site.element_type(ty));
    let mut code = Code::new();
    let elements = code.elements(site, "%a0", ty);
    let mask = code.elements(site, "%a1", site.ty(1)?);
    let mut results = code.elements(site, "%a2", site.ty(2)?);
    let mut count = "0".to_owned();
    for (at, (element, wanted)) in elements.iter().zip(&mask).enumerate() {
        for (place, result) in results.iter_mut().enumerate().take(at + 1) {
            let here = ir!(code, "icmp eq i32 {count}, {place}");
            let here = ir!(code, "and i1 {here}, {wanted}");
            *result = ir!(code, "select i1 {here}, {text} {element}, {text} {result}");
        }
        let one = ir!(code, "zext i1 {wanted} to i32");
        count = ir!(code, "add i32 {count}, {one}");
    }
    let value = code.vector(site, &results, site.result)?;
    Some(code.finish(site, &value))
}

/// `experimental.vector.match`: whether an element is one of a second vector's.
pub(crate) fn matched(site: &Site<'_>) -> Option<String> {
    let ty = site.ty(0)?;
    site.bits(ty)?;
    let text = site.view.type_text(site.element_type(ty));
    let mut code = Code::new();
    let elements = code.elements(site, "%a0", ty);
    let wanted = code.elements(site, "%a1", site.ty(1)?);
    let mask = code.elements(site, "%a2", site.ty(2)?);
    let mut results = Vec::with_capacity(elements.len());
    for (element, active) in elements.iter().zip(&mask) {
        let mut any: Option<String> = None;
        for other in &wanted {
            let same = ir!(code, "icmp eq {text} {element}, {other}");
            any = Some(match any {
                None => same,
                Some(any) => ir!(code, "or i1 {any}, {same}"),
            });
        }
        results.push(ir!(code, "and i1 {}, {active}", any?));
    }
    let value = code.vector(site, &results, site.result)?;
    Some(code.finish(site, &value))
}

/// `experimental.vector.extract.last.active`: the last element in the mask, else the last argument.
pub(crate) fn last_active(site: &Site<'_>) -> Option<String> {
    let text = site.view.type_text(site.result);
    let mut code = Code::new();
    let elements = code.elements(site, "%a0", site.ty(0)?);
    let mask = code.elements(site, "%a1", site.ty(1)?);
    let mut result = "%a2".to_owned();
    for (element, active) in elements.iter().zip(&mask) {
        result = ir!(code, "select i1 {active}, {text} {element}, {text} {result}");
    }
    Some(code.finish(site, &result))
}

/// `experimental.get.vector.length`: the number of remaining elements, up to a maximum.
pub(crate) fn vector_length(site: &Site<'_>) -> Option<String> {
    // The length of a scalable vector is unknown.
    if site.constant(2)? != 0 {
        return None;
    }
    let (own, most) = (site.bits(site.ty(0)?)?, site.bits(site.ty(1)?)?);
    let bits = own.max(most);
    let mut code = Code::new();
    let left = code.resized("%a0", own, bits, false);
    let most = code.resized("%a1", most, bits, false);
    let least = code.extreme("ult", &format!("i{bits}"), &left, &most);
    let value = code.resized(&least, bits, site.bits(site.result)?, false);
    Some(code.finish(site, &value))
}

/// `loop.dependence.war.mask`, `.raw.mask`: the elements that can be accessed before one of the second address is reached.
pub(crate) fn dependence(site: &Site<'_>, write_after_read: bool) -> Option<String> {
    if site.bits(site.result)? != 1 {
        return None;
    }
    let (size, text) = (site.constant(2)?.max(1), site.type_text(0)?);
    let mut code = Code::new();
    let start = ir!(code, "ptrtoint {text} %a0 to i64");
    let end = ir!(code, "ptrtoint {text} %a1 to i64");
    let mut distance = ir!(code, "sub i64 {end}, {start}");
    let free = if write_after_read {
        ir!(code, "icmp sle i64 {distance}, 0")
    } else {
        distance = ir!(code, "call i64 @llvm.abs(i64 {distance}, i1 false)");
        ir!(code, "icmp eq i64 {distance}, 0")
    };
    let whole = ir!(code, "udiv i64 {distance}, {size}");
    // A distance of less than an element counts as none.
    let none = ir!(code, "icmp eq i64 {whole}, 0");
    let free = ir!(code, "or i1 {free}, {none}");
    let mut lanes = Vec::new();
    for lane in 0..site.lanes(site.result) {
        let before = ir!(code, "icmp ugt i64 {whole}, {lane}");
        lanes.push(ir!(code, "or i1 {free}, {before}"));
    }
    let value = code.vector(site, &lanes, site.result)?;
    Some(code.finish(site, &value))
}
