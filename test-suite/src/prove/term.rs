//! Bit-vector terms: what an instruction computes, on symbols as on numbers.
//!
//! Terms are interned, and simplified where they are made, so that equal computations are the same term and a solver is
//! asked only about what is left. Truth values are one bit wide. [`Terms::evaluate`] gives the number that a term has
//! under an assignment of its variables; [`super::smt`] writes it in SMT-LIB.

mod bits;
pub(super) mod float;

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;

/// The most bits that a term has.
pub const MAX_WIDTH: u32 = 128;

/// An operation on terms. Its arguments are all as wide as its result unless stated otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "SMT-LIB's names; division by zero means what it means there")]
pub(super) enum Op {
    Add,
    Mul,
    UDiv,
    URem,
    SDiv,
    SRem,
    And,
    Or,
    Xor,
    Not,
    Shl,
    LShr,
    AShr,
    /// The first argument above the second.
    Concat,
    /// The bits from this one on.
    Extract(u32),
    ZExt,
    SExt,
    /// The second argument where the first, one bit wide, is set, else the third.
    Ite,
    /// One bit.
    Eq,
    /// One bit.
    Ult,
    /// One bit.
    Slt,
    /// An operation on floating-point numbers.
    Float(float::FloatOp),
    /// A function of which nothing is known but its name: equal arguments give equal results.
    Opaque(u32),
}

/// A node of a term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Node {
    /// A number.
    Const(u128),
    /// An input, by its number.
    Var(u32),
    /// An operation on earlier nodes.
    Apply(Op, Vec<u32>),
}

#[derive(Default)]
struct Table {
    nodes: Vec<(Node, u32)>,
    index: HashMap<(Node, u32), u32>,
    vars: Vec<(String, u32)>,
    opaque: Vec<String>,
}

/// The terms of one proof.
#[derive(Default)]
pub struct Terms(RefCell<Table>);

/// A term.
#[derive(Clone, Copy)]
pub struct Bits<'t> {
    terms: &'t Terms,
    id: u32,
    width: u32,
}

impl fmt::Debug for Bits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}:{}", self.id, self.width)
    }
}

impl PartialEq for Bits<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// So many low bits.
pub(super) const fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The number that the bits mean in two's complement.
const fn signed(value: u128, width: u32) -> i128 {
    ((value << (128 - width)) as i128) >> (128 - width)
}

impl fmt::Debug for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} terms", self.0.borrow().nodes.len())
    }
}

impl Terms {
    /// No terms yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A number, of which the low bits are taken.
    pub fn number(&self, width: u32, value: u128) -> Bits<'_> {
        self.node(Node::Const(value & mask(width)), width)
    }

    /// A truth value.
    pub fn truth(&self, value: bool) -> Bits<'_> {
        self.number(1, u128::from(value))
    }

    /// The input of this name; the same one every time.
    pub fn var(&self, name: &str, width: u32) -> Bits<'_> {
        let known = self.0.borrow().vars.iter().position(|(one, _)| one == name);
        let number = known.unwrap_or_else(|| {
            let vars = &mut self.0.borrow_mut().vars;
            vars.push((name.to_owned(), width));
            vars.len() - 1
        });
        self.node(Node::Var(number as u32), width)
    }

    /// A new input.
    pub fn fresh(&self, width: u32) -> Bits<'_> {
        let name = format!("any{}", self.0.borrow().vars.len());
        self.var(&name, width)
    }

    /// A function of which nothing is known but that equal arguments give equal results.
    pub fn opaque<'t>(&'t self, name: &str, width: u32, args: &[Bits<'t>]) -> Bits<'t> {
        let known = self.0.borrow().opaque.iter().position(|one| one == name);
        let number = known.unwrap_or_else(|| {
            let names = &mut self.0.borrow_mut().opaque;
            names.push(name.to_owned());
            names.len() - 1
        });
        self.node(Node::Apply(Op::Opaque(number as u32), args.iter().map(|arg| arg.id).collect()), width)
    }

    /// The names and widths of the inputs.
    pub fn vars(&self) -> Vec<(String, u32)> {
        self.0.borrow().vars.clone()
    }

    pub(super) fn get(&self, id: u32) -> (Node, u32) {
        self.0.borrow().nodes[id as usize].clone()
    }

    fn node(&self, node: Node, width: u32) -> Bits<'_> {
        debug_assert!((1..=MAX_WIDTH).contains(&width), "a term of {width} bits");
        let key = (node, width);
        let mut table = self.0.borrow_mut();
        if let Some(&id) = table.index.get(&key) {
            return Bits { terms: self, id, width };
        }
        let id = table.nodes.len() as u32;
        table.nodes.push(key.clone());
        table.index.insert(key, id);
        Bits { terms: self, id, width }
    }

    fn width_of(&self, id: u32) -> u32 {
        self.0.borrow().nodes[id as usize].1
    }

    /// The nodes of a term, each after its arguments.
    pub(super) fn reachable(&self, root: Bits<'_>) -> Vec<u32> {
        let mut needed = vec![false; root.id as usize + 1];
        needed[root.id as usize] = true;
        let table = self.0.borrow();
        for id in (0..=root.id as usize).rev() {
            if needed[id]
                && let Node::Apply(_, args) = &table.nodes[id].0
            {
                args.iter().for_each(|&arg| needed[arg as usize] = true);
            }
        }
        (0..=root.id).filter(|&id| needed[id as usize]).collect()
    }

    /// The number that a term has when the inputs have these, by their numbers; `None` when it depends on an opaque
    /// function.
    pub fn evaluate(&self, root: Bits<'_>, inputs: &[u128]) -> Option<u128> {
        let mut values: Vec<Option<u128>> = vec![None; root.id as usize + 1];
        for id in self.reachable(root) {
            let (node, width) = self.get(id);
            values[id as usize] = match node {
                Node::Const(value) => Some(value),
                Node::Var(number) => {
                    Some(inputs.get(number as usize).copied().unwrap_or_default() & mask(width))
                }
                // Only the side that is picked must be known.
                Node::Apply(Op::Ite, args) => match values[args[0] as usize] {
                    Some(0) => values[args[2] as usize],
                    Some(_) => values[args[1] as usize],
                    None => None,
                },
                Node::Apply(op, args) => {
                    let numbers: Option<Vec<u128>> = args.iter().map(|&arg| values[arg as usize]).collect();
                    let first = args.first().map_or(1, |&arg| self.width_of(arg));
                    let last = args.last().map_or(1, |&arg| self.width_of(arg));
                    numbers.and_then(|numbers| apply(op, width, first, last, &numbers))
                }
            };
        }
        values[root.id as usize]
    }

    fn make<'t>(&'t self, op: Op, width: u32, args: &[Bits<'t>]) -> Bits<'t> {
        let numbers: Option<Vec<u128>> = args.iter().map(|arg| arg.as_number()).collect();
        if let (Some(numbers), Some(first), Some(last)) = (numbers, args.first(), args.last())
            && let Some(value) = apply(op, width, first.width, last.width, &numbers)
        {
            return self.number(width, value);
        }
        let mut ids: Vec<u32> = args.iter().map(|arg| arg.id).collect();
        if matches!(op, Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Eq) {
            ids.sort_unstable();
        }
        self.node(Node::Apply(op, ids), width)
    }

    /// The term with products, quotients and operations on floating-point numbers replaced by functions of which nothing is known: what holds of it holds of the
    /// term too, and a solver finds it out sooner.
    pub(super) fn abstracted(&self, root: Bits<'_>) -> Bits<'_> {
        let mut copies: HashMap<u32, Bits<'_>> = HashMap::new();
        for id in self.reachable(root) {
            let (node, width) = self.get(id);
            let copy = match node {
                Node::Apply(op, args) => {
                    let args: Vec<Bits<'_>> = args.iter().map(|arg| copies[arg]).collect();
                    let is_constant = args.iter().any(|arg| arg.as_number().is_some());
                    match op {
                        Op::Mul if !is_constant => self.opaque(&format!("mul{width}"), width, &args),
                        Op::UDiv | Op::URem | Op::SDiv | Op::SRem => {
                            self.opaque(&format!("{op:?}{width}"), width, &args)
                        }
                        Op::Float(op) => self.opaque(&format!("{op:?}"), width, &args),
                        _ => self.node(Node::Apply(op, args.iter().map(|arg| arg.id).collect()), width),
                    }
                }
                Node::Const(_) | Node::Var(_) => self.of(id),
            };
            copies.insert(id, copy);
        }
        copies[&root.id]
    }

    fn of(&self, id: u32) -> Bits<'_> {
        Bits { terms: self, id, width: self.width_of(id) }
    }
}

/// What an operation gives of numbers; `first` and `last` are the widths of the outer arguments.
fn apply(op: Op, width: u32, first: u32, last: u32, args: &[u128]) -> Option<u128> {
    let a = *args.first()?;
    let b = args.get(1).copied().unwrap_or_default();
    let amount = u32::try_from(b).unwrap_or(u32::MAX).min(width);
    let sign = |value| signed(value, first);
    let value = match op {
        Op::Add => a.wrapping_add(b),
        Op::Mul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        Op::URem => a.checked_rem(b).unwrap_or(a),
        Op::SDiv if b == 0 => {
            if sign(a) < 0 {
                1
            } else {
                u128::MAX
            }
        }
        Op::SDiv => sign(a).wrapping_div(sign(b)) as u128,
        Op::SRem if b == 0 => a,
        Op::SRem => sign(a).wrapping_rem(sign(b)) as u128,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Not => !a,
        Op::Shl => a.checked_shl(amount).unwrap_or(0),
        Op::LShr => a.checked_shr(amount).unwrap_or(0),
        Op::AShr => (sign(a) >> amount.min(127)) as u128,
        Op::Concat => a.checked_shl(last).unwrap_or(0) | b,
        Op::Extract(low) => a >> low,
        Op::ZExt => a,
        Op::SExt => sign(a) as u128,
        Op::Ite => {
            if a != 0 {
                b
            } else {
                *args.get(2)?
            }
        }
        Op::Eq => u128::from(a == b),
        Op::Ult => u128::from(a < b),
        Op::Slt => u128::from(sign(a) < sign(b)),
        Op::Float(op) => float::compute(op, args)?,
        Op::Opaque(_) => return None,
    };
    Some(value & mask(width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_computations_are_the_same_term() {
        let t = Terms::new();
        let (a, b) = (t.var("a", 32), t.var("b", 32));
        assert_eq!(a * b + a, a + b * a);
        assert_eq!((a + a.number(3)) + b, (b + a) + a.number(3));
        assert_eq!(a.extract(8, 24).concat(a.trunc(8)), a);
        assert_eq!((a + a.number(3)) - a, a.number(3));
        assert_eq!(a.zext(64).trunc(32), a);
    }

    #[test]
    fn numbers_are_computed_at_their_width() {
        let t = Terms::new();
        let number = |width, value: i128| t.number(width, value as u128);
        assert_eq!(number(8, -128).abs(), number(8, -128));
        assert_eq!(number(16, -7).div(true, number(16, 2)), number(16, -3));
        assert_eq!(number(16, -7).rem(true, number(16, 2)), number(16, -1));
        assert_eq!(number(16, -7).ashr(number(16, 99)), number(16, -1));
        assert_eq!(number(32, 0x00f0_0000).clz(), number(32, 8));
        assert_eq!(number(32, 0x00f0_0000).ctz(), number(32, 20));
        assert_eq!(number(8, 0b1101_0000).brev(), number(8, 0b0000_1011));
        assert_eq!(number(8, 0b1101_0000).popc(), number(8, 3));
        assert_eq!(number(128, -1).zext(128), number(128, -1));
    }

    #[test]
    fn easy_divisors_and_factors_stand_apart() {
        let t = Terms::new();
        let (a, b, p) = (t.var("a", 32), t.var("b", 32), t.var("p", 1));
        assert_eq!(a.div(false, p.pick(b.number(1), b)), p.pick(a, a.div(false, b)));
        assert_eq!(a * p.pick(b, b.number(1)), p.pick(a * b, a));
        for (x, y) in [(-7_i32, 2_i32), (i32::MIN, -1), (7, -1), (-7, 1)] {
            let inputs = [u128::from(x as u32), u128::from(y as u32), 0];
            let wanted = (u128::from(x.wrapping_div(y) as u32), u128::from(x.wrapping_rem(y) as u32));
            assert_eq!(t.evaluate(a.div(true, b), &inputs), Some(wanted.0));
            assert_eq!(t.evaluate(a.rem(true, b), &inputs), Some(wanted.1));
        }
    }

    #[test]
    fn what_holds_of_unknown_products_holds_of_products() {
        let t = Terms::new();
        let (a, b) = (t.var("a", 64), t.var("b", 64));
        let same = (a * b + a).same(a + b * a);
        assert_eq!(same.as_number(), Some(1));
        let abstracted = t.abstracted((a * b).less(false, a * a));
        assert_eq!(t.evaluate(abstracted, &[2, 3]), None);
        assert_eq!(t.abstracted(a + b), a + b);
    }

    #[test]
    fn a_term_has_the_number_that_its_inputs_give_it() {
        let t = Terms::new();
        let (a, b) = (t.var("a", 32), t.var("b", 32));
        let term = a.less(true, b).pick(a.sext(64) * b.sext(64), (a - b).zext(64)).extract(16, 32);
        let inputs = [u128::from(-5_i32 as u32), 70_000];
        assert_eq!(t.evaluate(term, &inputs), Some(u128::from(((-350_000_i64) >> 16) as u32)));
        let opaque = t.opaque("f", 32, &[a]);
        assert_eq!(t.evaluate(opaque + b, &inputs), None);
        assert_eq!(t.evaluate(b.any().pick(b, opaque), &inputs), Some(70_000));
    }
}
