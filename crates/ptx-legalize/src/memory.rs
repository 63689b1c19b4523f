//! Masked memory accesses: each element is accessed in a separate block, which is skipped unless its condition is true.
//!
//! ```text
//! %r = call <2 x i32> @llvm.masked.load(ptr align 8 %p, <2 x i1> %m, <2 x i32> %other)
//! ```
//!
//! becomes for its first element, and similarly for the second
//!
//! ```text
//!   %m0 = extractelement <2 x i1> %m, i32 0
//!   %other0 = extractelement <2 x i32> %other, i32 0
//!   br i1 %m0, label %access, label %end, !ptx.guard !{}
//! access:
//!   %loaded = load i32, ptr %p, align 8
//!   br label %end
//! end:
//!   %r0 = phi i32 [ %other0, %before ], [ %loaded, %access ]
//! ```
//!
//! Adjacent elements of a constant mask are accessed together.

use ptx_llvm_core::view::Type;
use ptx_llvm_core::{address_space, marks};

use crate::code::{Code, ir};
use crate::object;
use crate::site::Site;

/// Loads of more bytes are several.
const MOST_TOGETHER: u64 = 16;

impl Code {
    /// The results of `access` if a condition is true, else the given values of these types; the condition may be a constant.
    fn where_true(
        &mut self,
        condition: &str,
        others: &[(&str, &str)],
        access: impl FnOnce(&mut Self) -> Vec<String>,
    ) -> Vec<String> {
        match condition {
            "true" => return access(self),
            "false" => return others.iter().map(|(_, other)| (*other).to_owned()).collect(),
            _ => {}
        }
        let (before, inside, end) = (self.block(), self.label(), self.label());
        self.line(format_args!("br i1 {condition}, label %{inside}, label %{end}, !{} !{{}}", marks::GUARD));
        self.place(&inside);
        let values = access(self);
        self.line(format_args!("br label %{end}"));
        self.place(&end);
        let phi = |(value, (ty, other)): (String, &(&str, &str))| {
            ir!(self, "phi {ty} [ {other}, %{before} ], [ {value}, %{inside} ]")
        };
        values.into_iter().zip(others).map(phi).collect()
    }

    /// The conditions of a mask; `true` and `false` where they are known.
    fn conditions(&mut self, site: &Site<'_>, at: usize) -> Option<Vec<String>> {
        if let Some(known) = site.bits_of_constant(at) {
            return Some(known.iter().map(bool::to_string).collect());
        }
        // A branch on `undef` or `poison` is undefined, so that the condition is frozen.
        let mask = ir!(self, "freeze {} %a{at}", site.type_text(at)?);
        Some(self.elements(site, &mask, site.ty(at)?))
    }
}

/// `masked.load`, `masked.store`, `masked.gather`, `masked.scatter`, `masked.expandload`, `masked.compressstore`: the elements in the mask; for loads the others come
/// from the last argument. Elements at one address are stored in order; in the last two an access `follows` the one before.
pub(crate) fn masked(site: &Site<'_>, follows: bool) -> Option<String> {
    let stores = matches!(site.view.ty(site.result), Type::Void);
    // The address, or the addresses; the mask is the next argument.
    let at = usize::from(stores);
    let (data, ty) = if stores { ("%a0", site.ty(0)?) } else { ("%a2", site.result) };
    let Type::Vector { element, .. } = *site.view.ty(ty) else { return None };
    let is_apart = matches!(site.view.ty(site.ty(at)?), Type::Vector { .. });
    if site.shares_bytes(ty) && !is_apart {
        return if stores || follows { None } else { load_bits(site) };
    }
    let pointer = site.view.type_text(site.element_type(site.ty(at)?));
    let (element, step) = (site.view.type_text(element), site.view.layout(element)?.size);
    let mut code = Code::new();
    let conditions = code.conditions(site, at + 1)?;
    let places = code.elements(site, &format!("%a{at}"), site.ty(at)?);
    let mut place = places.first()?.clone();
    let mut values = code.elements(site, data, ty);
    let mut from = 0;
    while from < values.len() {
        let together = if is_apart || follows { 1 } else { together(site, &conditions, from, stores) };
        let offset = if is_apart || follows { 0 } else { step * from as u64 };
        let align = site.align(at) | offset | if follows { step } else { 0 };
        let align = 1u64 << align.trailing_zeros();
        let own = values.get(from..from + together)?.to_vec();
        let condition = if together > 1 { "true" } else { conditions.get(from)? };
        let ty = if together > 1 { format!("<{together} x {element}>") } else { element.to_owned() };
        let others: &[_] = match (stores, follows) {
            (true, false) => &[],
            (true, true) => &[(pointer, place.as_str())],
            (false, false) => &[(element, own.first()?.as_str())],
            (false, true) => &[(element, own.first()?.as_str()), (pointer, place.as_str())],
        };
        let mut results = code.where_true(condition, others, |code| {
            let place = if is_apart { places.get(from).unwrap_or(&place) } else { &place };
            let at = match offset {
                0 => place.clone(),
                _ => ir!(code, "getelementptr i8, {pointer} {place}, i64 {offset}"),
            };
            let mut results = Vec::with_capacity(2);
            if stores {
                let value = if together > 1 { code.joined_as(&ty, element, &own) } else { own.concat() };
                code.line(format_args!("store {ty} {value}, {pointer} {at}, align {align}"));
            } else {
                let constant = site.constant_memory();
                results.push(ir!(code, "load {ty}, {pointer} {at}, align {align}{constant}"));
            }
            if follows {
                results.push(ir!(code, "getelementptr i8, {pointer} {at}, i64 {step}"));
            }
            results
        });
        if follows {
            place = results.pop()?;
        }
        let loaded = results.concat();
        for (lane, value) in values.iter_mut().skip(from).take(together).enumerate() {
            match conditions.get(from + lane)?.as_str() {
                _ if stores => {}
                "true" if together > 1 => *value = ir!(code, "extractelement {ty} {loaded}, i32 {lane}"),
                _ if together > 1 => {}
                _ => loaded.clone_into(value),
            }
        }
        from += together;
    }
    let value = if stores { String::new() } else { code.vector(site, &values, site.result)? };
    Some(code.finish(site, &value))
}

/// The number of adjacent elements that are accessed together, at least one: as many as are accessed unconditionally. LLVM creates constant masks when it fills gaps between
/// adjacent loads: bytes between two elements are in their object, too. Bytes before the first and after the last element are loaded only if they are known to be in the object.
///
/// ```text
/// masked.load <4 x i8> @g, <1, 0, 1, 0>    ; @g has 3 bytes
/// load <3 x i8>, ptr @g
/// ```
fn together(site: &Site<'_>, conditions: &[String], at: usize, stores: bool) -> usize {
    let wanted = |condition: &String| condition == "true";
    let run = conditions.iter().skip(at).take_while(|own| wanted(own)).count().max(1);
    let layout = site.view.layout(site.result).filter(|_| !stores);
    let Some(size) = layout.map(|layout| layout.size) else { return run };
    let shared = [address_space::GENERIC, address_space::GLOBAL, address_space::SHARED, address_space::CONST];
    let fits =
        (1..=MOST_TOGETHER).contains(&size) && site.align(0) >= size && site.registers_hold(site.result);
    let is_known = conditions.iter().all(|own| matches!(own.as_str(), "true" | "false"));
    let is_shared = site.space(0).is_some_and(|space| shared.contains(&space));
    let ends = conditions.iter().position(wanted).zip(conditions.iter().rposition(wanted));
    let Some((first, last)) = ends.filter(|(first, last)| first != last) else { return run };
    if !(fits && is_known && is_shared) {
        return run;
    }
    let known = site.args.first().and_then(|(pointer, _)| object::dereferenceable(site, *pointer));
    match known.and_then(|known| known.bytes) {
        Some(bytes) if at == 0 && bytes >= size => conditions.len(),
        _ if at == first => last + 1 - first,
        _ => run,
    }
}

/// `masked.load` of elements that share bytes: all are loaded if the mask has any.
fn load_bits(site: &Site<'_>) -> Option<String> {
    let (ty, pointer, mask) = (site.type_text(2)?, site.type_text(0)?, site.type_text(1)?);
    let mut code = Code::new();
    let conditions = code.conditions(site, 1)?;
    let any = conditions.into_iter().reduce(|any, own| ir!(code, "or i1 {any}, {own}"))?;
    let loaded = code.where_true(&any, &[(ty, "%a2")], |code| {
        vec![ir!(code, "load {ty}, {pointer} %a0, align {}", site.align(0))]
    });
    let value = ir!(code, "select {mask} %a1, {ty} {}, {ty} %a2", loaded.concat());
    Some(code.finish(site, &value))
}

/// `experimental.vector.histogram.*`: the value at each address in the mask is changed, one after the other.
pub(crate) fn histogram(site: &Site<'_>, operation: &str) -> Option<String> {
    if !matches!(operation, "add" | "uadd.sat" | "umin" | "umax") {
        return None;
    }
    let ty = site.type_text(1)?;
    let pointer = site.view.type_text(site.element_type(site.ty(0)?));
    let mut code = Code::new();
    let conditions = code.conditions(site, 2)?;
    for (place, condition) in code.elements(site, "%a0", site.ty(0)?).iter().zip(&conditions) {
        code.where_true(condition, &[], |code| {
            let old = ir!(code, "load {ty}, {pointer} {place}");
            let new = match operation {
                "add" => ir!(code, "add {ty} {old}, %a1"),
                _ => ir!(code, "call {ty} @llvm.{operation}({ty} {old}, {ty} %a1)"),
            };
            code.line(format_args!("store {ty} {new}, {pointer} {place}"));
            Vec::new()
        });
    }
    Some(code.finish(site, ""))
}

/// `load.relative`: a base plus the 32-bit distance that is in memory at the base plus an offset.
pub(crate) fn relative(site: &Site<'_>) -> Option<String> {
    let (pointer, offset) = (site.type_text(0)?, site.type_text(1)?);
    let mut code = Code::new();
    let place = ir!(code, "getelementptr i8, {pointer} %a0, {offset} %a1");
    let distance = ir!(code, "load i32, {pointer} {place}, align 4");
    let target = ir!(code, "getelementptr i8, {pointer} %a0, i32 {distance}");
    Some(code.finish(site, &target))
}
