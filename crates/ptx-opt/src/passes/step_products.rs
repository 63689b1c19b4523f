//! `ptx-step-products`: products of numbers that are constants apart are sums.
//!
//! ```text
//! %a = or disjoint i32 %row, 4
//! %b = or disjoint i32 %row, 8                      %s = mul i32 %n, 4
//! %p = mul i32 %n, %row                             %p = mul i32 %n, %row
//! %q = mul i32 %n, %a                        -->    %q = add i32 %p, %s
//! %r = mul i32 %n, %b                               %r = add i32 %q, %s
//! ```
//!
//! The sums before the products are then not needed: one instruction for two. LLVM's straight-line strength reduction does this to additions, but not where
//! the bits of an `or` are disjoint for a reason that it has to compute again, and not to a product that something is added to.

use std::collections::{HashMap, HashSet};

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::BinaryOp;
use ptx_llvm_core::edit::{Block, Editor, Function, Inst, Opcode, Value};

use crate::pass::{Pass, Run, When};

pub(super) const PASS: Pass = Pass {
    name: "ptx-step-products",
    summary: "Computes products of one factor and numbers that are constants apart from each other, and does not add before each.",
    when: When::LastAtLevels,
    run: Run::Function(run),
    parameters: &[],
};

fn run<'e>(editor: &Editor<'e>, function: Function<'e>) -> Result<(), LlvmError> {
    function.blocks().into_iter().try_for_each(|block| {
        let series = series(block);
        series.iter().filter(|series| is_shorter(series)).try_for_each(|series| step(editor, series))
    })
}

/// `factor * (base + offset)`, and the number that is added to it, if there is one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Key<'e> {
    factor: Value<'e>,
    base: Value<'e>,
    addend: Option<Value<'e>>,
}

/// One product of a series.
#[derive(Clone, Copy, Debug)]
struct Term<'e> {
    /// The product, or the sum of it and the addend.
    result: Inst<'e>,
    product: Inst<'e>,
    /// Which operand of the product is the factor.
    factor: u32,
    /// The sum of base and offset, unless the offset is zero.
    sum: Option<Inst<'e>>,
    offset: i64,
}

/// The products of a block that have factor, base and addend in common, in the order of their results; some with an offset.
fn series(block: Block<'_>) -> Vec<Vec<Term<'_>>> {
    let mut places = HashMap::new();
    let mut products = Vec::new();
    for (place, inst) in block.instructions().into_iter().enumerate() {
        places.insert(inst, place);
        if inst.opcode() == Opcode::Mul && matches!(inst.ty().integer_bits(), Some(32 | 64)) {
            products.push(inst);
        }
    }
    let mut numbers: HashMap<Key<'_>, usize> = HashMap::new();
    for (key, _) in products.iter().filter_map(|product| shifted_term(*product)) {
        let next = numbers.len();
        numbers.entry(key).or_insert(next);
    }
    let mut series = vec![Vec::new(); numbers.len()];
    for &product in &products {
        let plain = || plain_terms(product)?.into_iter().find(|(key, _)| numbers.contains_key(key));
        if let Some((key, term)) = shifted_term(product).or_else(plain) {
            series[numbers[&key]].push(term);
        }
    }
    series.iter_mut().for_each(|series| series.sort_by_key(|term: &Term<'_>| places[&term.result]));
    series
}

/// A product one factor of which is a sum with a constant that nothing else uses.
fn shifted_term(product: Inst<'_>) -> Option<(Key<'_>, Term<'_>)> {
    let [left, right] = product.two_operands()?;
    shifted_by(product, 0, left, right).or_else(|| shifted_by(product, 1, right, left))
}

fn shifted_by<'e>(
    product: Inst<'e>,
    at: u32,
    factor: Value<'e>,
    sum: Value<'e>,
) -> Option<(Key<'e>, Term<'e>)> {
    let sum = sum.as_inst().filter(|sum| is_sum(*sum) && sum.has_one_use() && !factor.is_constant())?;
    let [base, offset] = sum.two_operands()?;
    let (addend, result) = added(product);
    let term = Term { result, product, factor: at, sum: Some(sum), offset: offset.as_signed()? };
    Some((Key { factor, base, addend }, term))
}

fn is_sum(inst: Inst<'_>) -> bool {
    inst.opcode() == Opcode::Add || inst.is_disjoint()
}

/// A product as one with offset zero, either factor being the base.
fn plain_terms(product: Inst<'_>) -> Option<[(Key<'_>, Term<'_>); 2]> {
    let [left, right] = product.two_operands()?;
    let (addend, result) = added(product);
    let term = |at, factor, base| {
        (Key { factor, base, addend }, Term { result, product, factor: at, sum: None, offset: 0 })
    };
    Some([term(0, left, right), term(1, right, left)])
}

/// What is added to a product that is used for nothing else, and the sum: `ptxas` multiplies and adds in one instruction.
fn added<'e>(product: Inst<'e>) -> (Option<Value<'e>>, Inst<'e>) {
    let mut users = product.users();
    let user = users.next().filter(|user| {
        users.next().is_none() && user.opcode() == Opcode::Add && user.block() == product.block()
    });
    let sum = user.and_then(|user| {
        let [left, right] = user.two_operands()?;
        let other = if left == product.value() { right } else { left };
        (other != product.value()).then_some((other, user))
    });
    match sum {
        Some((other, user)) => (Some(other), user),
        None => (None, product),
    }
}

/// Whether it saves more sums than there are products of the factor and a distance to compute.
fn is_shorter(series: &[Term<'_>]) -> bool {
    let steps = series.windows(2);
    let saved = steps.clone().filter(|pair| pair[1].sum.is_some()).count();
    let distances: HashSet<u64> = steps.map(|pair| distance(pair[0], pair[1]).unsigned_abs()).collect();
    saved > distances.len()
}

fn distance(from: Term<'_>, to: Term<'_>) -> i64 {
    let distance = to.offset.wrapping_sub(from.offset);
    match to.product.ty().integer_bits() {
        // The lower half of it.
        Some(32) => i64::from(distance as i32),
        _ => distance,
    }
}

fn step<'e>(editor: &Editor<'e>, series: &[Term<'e>]) -> Result<(), LlvmError> {
    let Some((first, rest)) = series.split_first() else { return Ok(()) };
    // Asked now: it may be a result that was replaced as one of another series.
    let factor = first.product.operand(first.factor).ok_or_else(|| LlvmError::Other {
        message: format!("`{:?}` is no product of two factors", first.product),
    })?;
    let mut steps: HashMap<u64, Value<'e>> = HashMap::new();
    let (mut last, mut before) = (first.result.value(), *first);
    for &term in rest {
        let builder = editor.before(term.result)?;
        let distance = distance(before, term);
        let magnitude = distance.unsigned_abs();
        let by = match steps.get(&magnitude) {
            Some(by) => *by,
            None => {
                let number = term.result.ty().number(magnitude.cast_signed())?;
                let by = builder.binary(BinaryOp::Mul, factor, number)?;
                *steps.entry(magnitude).or_insert(by)
            }
        };
        let op = if distance < 0 { BinaryOp::Sub } else { BinaryOp::Add };
        last = builder.binary(op, last, by)?;
        editor.replace(term.result, last)?;
        before = term;
        for dead in [Some(term.product), term.sum].into_iter().flatten() {
            if !dead.is_erased() && !dead.has_users() {
                editor.erase(dead)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use ptx_llvm_core::{Context, Module};

    /// What the pass makes of a block.
    fn stepped(body: &str) -> Vec<String> {
        let text = format!(
            "define void @f(i32 %n, i32 %row, i32 %col, i32 %other, ptr %p) {{\n{body}\n  ret void\n}}"
        );
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
        crate::pass::on_functions(&mut module, super::run).expect("runs");
        module.verify().expect("still valid");
        let text = module.to_text();
        text.lines().filter_map(|line| line.trim().strip_prefix('%')).map(str::to_owned).collect()
    }

    /// Products of `%n` and sums of `%row` with these offsets, each stored.
    fn products(offsets: &[i32], rest: &str) -> String {
        let mut body = String::new();
        for (at, offset) in offsets.iter().enumerate() {
            body += &format!("  %s{at} = add i32 %row, {offset}\n  %m{at} = mul i32 %s{at}, %n\n{rest}");
            body += &format!("  store volatile i32 %m{at}, ptr %p\n");
        }
        body
    }

    #[test]
    fn products_a_constant_apart_are_sums() {
        let body = format!("  %m = mul i32 %row, %n\n  store i32 %m, ptr %p\n{}", products(&[4, 8, 12], ""));
        assert_eq!(
            stepped(&body),
            [
                "m = mul i32 %row, %n",
                "1 = mul i32 %n, 4",
                "m0 = add i32 %m, %1",
                "m1 = add i32 %m0, %1",
                "m2 = add i32 %m1, %1"
            ]
        );
    }

    #[test]
    fn they_may_go_down() {
        let text = stepped(&products(&[8, 4, 0x7fff_ffff, i32::MIN + 3], ""));
        let ends: Vec<&str> =
            text.iter().filter_map(|line| line.split_once(" = ")).map(|(_, op)| op).collect();
        assert_eq!(
            ends,
            [
                "add i32 %row, 8",
                "mul i32 %s0, %n",
                "mul i32 %n, 4",
                "sub i32 %m0, %1",
                "mul i32 %n, 2147483643",
                "add i32 %m1, %2",
                "add i32 %m2, %1"
            ],
            "the last distance is 4 by 32 bits"
        );
    }

    #[test]
    fn what_is_added_is_part_of_the_sum() {
        let mut body = String::new();
        for (at, offset) in [1, 2, 3, 4].iter().enumerate() {
            body +=
                &format!("  %s{at} = or disjoint i32 %row, {offset}\n  %m{at} = mul nsw i32 %n, %s{at}\n");
            body += &format!("  %a{at} = add i32 %m{at}, %col\n  store volatile i32 %a{at}, ptr %p\n");
        }
        let text = stepped(&body);
        assert_eq!(
            text[3..],
            ["1 = mul i32 %n, 1", "a1 = add i32 %a0, %1", "a2 = add i32 %a1, %1", "a3 = add i32 %a2, %1"]
        );
    }

    #[test]
    fn others_stay() {
        let is_kept = |body: &str| {
            assert_eq!(stepped(body).iter().filter(|line| line.contains("= mul")).count(), 3, "{body}");
        };
        // As many distances as sums.
        is_kept(&products(&[1, 2, 5], ""));
        // The sums are used otherwise.
        let kept = products(&[1, 2, 3], "").replace("  store", "  store volatile i32 %sX, ptr %p\n  store");
        let mut at = 0;
        let kept: String = kept
            .lines()
            .map(|line| {
                let line = line.replace("%sX", &format!("%s{at}"));
                at += usize::from(line.contains("%m") && line.contains("store"));
                line + "\n"
            })
            .collect();
        is_kept(&kept);
        // Different factors, and an `or` that is no sum.
        is_kept(&products(&[1, 2, 3], "").replace("%s1, %n", "%s1, %other"));
        is_kept(&products(&[1, 2, 3], "").replace("add i32 %row", "or i32 %row"));
    }

    #[test]
    fn a_factor_may_be_a_product_that_became_a_sum() {
        let mut body = products(&[1, 2, 3], "");
        for (at, offset) in [1, 2, 3].iter().enumerate() {
            body += &format!("  %t{at} = add i32 %col, {offset}\n  %k{at} = mul i32 %m2, %t{at}\n");
            body += &format!("  store volatile i32 %k{at}, ptr %p\n");
        }
        let text = stepped(&body);
        let sums: Vec<&str> = text
            .iter()
            .filter_map(|line| line.strip_prefix("k")?.split_once(" = "))
            .map(|(_, op)| op)
            .collect();
        assert_eq!(sums, ["mul i32 %m2, %t0", "add i32 %k0, %2", "add i32 %k1, %2"]);
        assert!(text.contains(&"2 = mul i32 %m2, 1".to_owned()), "{text:?}");
    }

    #[test]
    fn sums_of_two_products_stay() {
        let mut body = String::new();
        for (at, offset) in [1, 2, 3, 4].iter().enumerate() {
            body += &format!("  %s{at} = add i32 %row, {offset}\n  %m{at} = mul i32 %n, %s{at}\n");
            body += &format!("  %t{at} = add i32 %col, {offset}\n  %k{at} = mul i32 %other, %t{at}\n");
            body += &format!("  %a{at} = add i32 %m{at}, %k{at}\n  store volatile i32 %a{at}, ptr %p\n");
        }
        // Every sum has an addend of its own.
        assert_eq!(stepped(&body).len(), 20);
    }
}
