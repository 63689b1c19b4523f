//! Operations on integers of more than 64 bits, except sums, products, shifts and comparisons, which emission writes word by word; and saturating shifts of integers of all
//! widths.

use ptx_llvm_core::view::{Constant, Type, Value};

use crate::code::{Code, ir};
use crate::site::Site;

impl Code {
    /// The 64-bit words of an integer of more bits, the low one first, with zeros above its width.
    pub(crate) fn words(&mut self, value: &str, bits: u32) -> Vec<String> {
        let mut words = Vec::with_capacity(bits.div_ceil(64) as usize);
        for from in (0..bits).step_by(64) {
            let moved = if from == 0 { value.to_owned() } else { ir!(self, "lshr i{bits} {value}, {from}") };
            words.push(ir!(self, "trunc i{bits} {moved} to i64"));
        }
        words
    }

    /// An integer of more than 64 bits out of its words; `None` without words.
    fn joined(&mut self, words: &[String], bits: u32) -> Option<String> {
        let mut whole: Option<String> = None;
        for (at, word) in words.iter().enumerate() {
            let wide = ir!(self, "zext i64 {word} to i{bits}");
            whole = Some(match whole {
                None => wide,
                Some(low) => {
                    let moved = ir!(self, "shl i{bits} {wide}, {}", 64 * at);
                    ir!(self, "or i{bits} {low}, {moved}")
                }
            });
        }
        whole
    }

    /// All ones where a number is negative, else zeros.
    fn sign(&mut self, value: &str, bits: u32) -> String {
        ir!(self, "ashr i{bits} {value}, {}", bits - 1)
    }

    /// The magnitude of a number whose sign that is.
    pub(crate) fn magnitude(&mut self, value: &str, bits: u32) -> String {
        let sign = self.sign(value, bits);
        let flipped = ir!(self, "xor i{bits} {value}, {sign}");
        ir!(self, "sub i{bits} {flipped}, {sign}")
    }

    /// The smallest number of a signed type for a negative number, else the largest.
    pub(crate) fn bound(&mut self, value: &str, bits: u32) -> String {
        let sign = self.sign(value, bits);
        ir!(self, "xor i{bits} {sign}, {}", ones(bits - 1))
    }
}

/// A number of `bits` ones, as LLVM writes it.
pub(crate) fn ones(bits: u32) -> String {
    let top = ["", "1", "3", "7"][(bits % 4) as usize];
    format!("u0x0{top}{}", "F".repeat((bits / 4) as usize))
}

/// Which bits are counted.
#[derive(Clone, Copy)]
pub(crate) enum Counted {
    Ones,
    LeadingZeros,
    TrailingZeros,
}

/// `ctpop`, `ctlz`, `cttz`.
pub(crate) fn counted(site: &Site<'_>, which: Counted) -> Option<String> {
    let bits = site.wide_bits(site.result)?;
    site.each_one(|code, args| {
        let words = code.words(args.first()?, bits);
        let count = match which {
            Counted::Ones => ones_in(code, &words),
            Counted::LeadingZeros => {
                let count = zeros(code, "ctlz", words.iter())?;
                ir!(code, "sub i32 {count}, {}", words.len() as u32 * 64 - bits)
            }
            Counted::TrailingZeros => {
                let mut words = words;
                // A bit above the width ends the count of a zero.
                if let (Some(top), used @ 1..) = (words.last_mut(), bits % 64) {
                    *top = ir!(code, "or i64 {top}, {}", 1u64 << used);
                }
                zeros(code, "cttz", words.iter().rev())?
            }
        };
        Some(ir!(code, "zext i32 {count} to i{bits}"))
    })
}

fn ones_in(code: &mut Code, words: &[String]) -> String {
    let mut sum = "0".to_owned();
    for word in words {
        let count = ir!(code, "call i64 @llvm.ctpop(i64 {word})");
        let count = ir!(code, "trunc i64 {count} to i32");
        sum = ir!(code, "add i32 {sum}, {count}");
    }
    sum
}

/// The zeros of words one after the other, from the last one on: those of the others count where it is zero.
/// `None` without words.
fn zeros<'t>(code: &mut Code, count: &str, words: impl Iterator<Item = &'t String>) -> Option<String> {
    let mut total: Option<String> = None;
    for word in words {
        let own = ir!(code, "call i64 @llvm.{count}(i64 {word}, i1 false)");
        let own = ir!(code, "trunc i64 {own} to i32");
        total = Some(match total {
            None => own,
            Some(total) => {
                let zero = ir!(code, "icmp eq i64 {word}, 0");
                let more = ir!(code, "add i32 {total}, 64");
                ir!(code, "select i1 {zero}, i32 {more}, i32 {own}")
            }
        });
    }
    total
}

/// `bitreverse`, `bswap`, by what turns a word: each word turned round, in reverse order, without the bits that no value had.
pub(crate) fn turned(site: &Site<'_>, turn: &str) -> Option<String> {
    let bits = site.wide_bits(site.result)?;
    site.each_one(|code, args| {
        let mut words = code.words(args.first()?, bits);
        words.reverse();
        for word in &mut words {
            *word = ir!(code, "call i64 @llvm.{turn}(i64 {word})");
        }
        let whole = words.len() as u32 * 64;
        let value = code.joined(&words, whole)?;
        let value = ir!(code, "lshr i{whole} {value}, {}", whole - bits);
        Some(code.resized(&value, whole, bits, false))
    })
}

/// `abs`.
pub(crate) fn magnitude(site: &Site<'_>) -> Option<String> {
    let bits = site.wide_bits(site.result)?;
    site.each_one(|code, args| Some(code.magnitude(args.first()?, bits)))
}

/// `smin`, `smax`, `umin`, `umax`, by the comparison that holds of the result and the other one.
pub(crate) fn extreme(site: &Site<'_>, comparison: &str) -> Option<String> {
    let bits = site.wide_bits(site.result)?;
    site.each_one(|code, args| {
        let [a, b] = args else { return None };
        Some(code.extreme(comparison, &format!("i{bits}"), a, b))
    })
}

/// `scmp`, `ucmp`, by the letter of the comparisons: -1, 0 or 1.
pub(crate) fn three_way(site: &Site<'_>, sign: char) -> Option<String> {
    let (bits, result) = (site.bits(site.ty(0)?)?, site.bits(site.result)?);
    site.each_one(|code, args| {
        let [a, b] = args else { return None };
        let above = ir!(code, "icmp {sign}gt i{bits} {a}, {b}");
        let below = ir!(code, "icmp {sign}lt i{bits} {a}, {b}");
        let upper = ir!(code, "select i1 {above}, i{result} 1, i{result} 0");
        Some(ir!(code, "select i1 {below}, i{result} -1, i{result} {upper}"))
    })
}

/// `fshl` to the `left`, `fshr`: two numbers side by side, shifted; the amount counts modulo the width.
pub(crate) fn funnel(site: &Site<'_>, left: bool) -> Option<String> {
    let bits = site.wide_bits(site.result)?;
    let constant = site.constant(2);
    site.each_one(|code, args| {
        let [high, low, amount] = args else { return None };
        if let Some(amount) = constant {
            let amount = (amount % u64::from(bits)) as u32;
            if amount == 0 {
                return Some(if left { high } else { low }.clone());
            }
            let up = if left { amount } else { bits - amount };
            let upper = ir!(code, "shl i{bits} {high}, {up}");
            let lower = ir!(code, "lshr i{bits} {low}, {}", bits - up);
            return Some(ir!(code, "or i{bits} {upper}, {lower}"));
        }
        let amount = modulo(code, amount, bits);
        if bits.is_multiple_of(64) {
            let words = [code.words(low, bits), code.words(high, bits)].concat();
            let words = funnel_words(code, left, words, &amount);
            return code.joined(&words, bits);
        }
        // No shift by the whole width: one bit of it apart.
        let rest = ir!(code, "sub i32 {}, {amount}", bits - 1);
        let (amount, rest) = (code.resized(&amount, 32, bits, false), code.resized(&rest, 32, bits, false));
        let (near, far, toward, back) =
            if left { (high, low, "shl", "lshr") } else { (low, high, "lshr", "shl") };
        let near = ir!(code, "{toward} i{bits} {near}, {amount}");
        let far = ir!(code, "{back} i{bits} {far}, 1");
        let far = ir!(code, "{back} i{bits} {far}, {rest}");
        Some(ir!(code, "or i{bits} {near}, {far}"))
    })
}

/// An amount modulo a number, as `i32`.
fn modulo(code: &mut Code, amount: &str, bits: u32) -> String {
    if bits.is_power_of_two() {
        let low = ir!(code, "trunc i{bits} {amount} to i32");
        return ir!(code, "and i32 {low}, {}", bits - 1);
    }
    // The remainders of the words, each multiplied by that of its power of two, are small.
    let (mut sum, mut power) = ("0".to_owned(), 1u64);
    for word in code.words(amount, bits) {
        let rest = ir!(code, "urem i64 {word}, {bits}");
        let rest = ir!(code, "mul i64 {rest}, {power}");
        sum = ir!(code, "add i64 {sum}, {rest}");
        power = (u128::from(power) * (1 << 64) % u128::from(bits)) as u64;
    }
    let rest = ir!(code, "urem i64 {sum}, {bits}");
    ir!(code, "trunc i64 {rest} to i32")
}

/// The upper half of words that are shifted left, or the lower half of words that are shifted right, by less than half of their bits: by whole words for each high bit of
/// the amount that is set, and each pair of adjacent words by the rest.
fn funnel_words(code: &mut Code, left: bool, words: Vec<String>, amount: &str) -> Vec<String> {
    let count = words.len() / 2;
    // From the end that matters on.
    let mut line: Vec<String> = if left { words.into_iter().rev().collect() } else { words };
    let mut step = count.next_power_of_two() / 2;
    while step > 0 {
        let bit = ir!(code, "and i32 {amount}, {}", 64 * step);
        let moves = ir!(code, "icmp ne i32 {bit}, 0");
        // Afterwards as many words matter as the steps that are left reach.
        let kept = (count + step).min(line.len());
        let mut moved = Vec::with_capacity(kept);
        for at in 0..kept {
            let Some(own) = line.get(at) else { break };
            moved.push(match line.get(at + step) {
                Some(other) => ir!(code, "select i1 {moves}, i64 {other}, i64 {own}"),
                None => own.clone(),
            });
        }
        line = moved;
        step /= 2;
    }
    let amount = ir!(code, "zext i32 {amount} to i64");
    let mut result = Vec::with_capacity(count);
    for pair in line.windows(2).take(count) {
        let [near, far] = pair else { continue };
        result.push(if left {
            ir!(code, "call i64 @llvm.fshl(i64 {near}, i64 {far}, i64 {amount})")
        } else {
            ir!(code, "call i64 @llvm.fshr(i64 {far}, i64 {near}, i64 {amount})")
        });
    }
    if left {
        result.reverse();
    }
    result
}

/// `clmul`, a product without carries: the first operand, moved to each bit that the second has, by exclusive or.
pub(crate) fn carryless(site: &Site<'_>) -> Option<String> {
    let bits = site.bits(site.result)?;
    let width = if bits > 32 { bits.next_multiple_of(64) } else { 32 };
    site.each_one(|code, args| {
        let [a, b] = args else { return None };
        let (a, b) = (code.resized(a, bits, width, false), code.resized(b, bits, width, false));
        let mut sum = "0".to_owned();
        for at in 0..bits {
            // All ones where the bit is set.
            let top = ir!(code, "shl i{width} {b}, {}", width - 1 - at);
            let all = code.sign(&top, width);
            let moved = ir!(code, "shl i{width} {a}, {at}");
            let part = ir!(code, "and i{width} {moved}, {all}");
            sum = if at == 0 { part } else { ir!(code, "xor i{width} {sum}, {part}") };
        }
        Some(code.resized(&sum, width, bits, false))
    })
}

/// Operations that may overflow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overflowing {
    Sum,
    Difference,
    Product,
}

/// A sum, difference or product, and whether it overflowed.
fn overflowing(
    code: &mut Code,
    (what, signed): (Overflowing, bool),
    numbers: [&str; 2],
    bits: u32,
) -> (String, String) {
    match (what, signed) {
        (Overflowing::Sum, false) => unsigned_sum(code, "add", numbers, bits),
        (Overflowing::Difference, false) => unsigned_sum(code, "sub", numbers, bits),
        (Overflowing::Sum, true) => signed_sum(code, "add", numbers, bits),
        (Overflowing::Difference, true) => signed_sum(code, "sub", numbers, bits),
        (Overflowing::Product, _) => product(code, signed, numbers, bits),
    }
}

/// A sum or difference with one more bit has that bit set if it overflowed: the carry out of the chain of words.
fn unsigned_sum(code: &mut Code, operation: &str, [a, b]: [&str; 2], bits: u32) -> (String, String) {
    let more = bits + 1;
    let (a, b) = (code.resized(a, bits, more, false), code.resized(b, bits, more, false));
    let exact = ir!(code, "{operation} i{more} {a}, {b}");
    let top = ir!(code, "lshr i{more} {exact}, {bits}");
    (code.resized(&exact, more, bits, false), ir!(code, "trunc i{more} {top} to i1"))
}

/// A sum overflowed if its sign differs from those of both numbers, a difference if the numbers' signs differ and its own differs from the
/// first one's.
fn signed_sum(code: &mut Code, operation: &str, [a, b]: [&str; 2], bits: u32) -> (String, String) {
    let value = ir!(code, "{operation} i{bits} {a}, {b}");
    let own = ir!(code, "xor i{bits} {a}, {value}");
    let other = if operation == "add" { value.as_str() } else { a };
    let other = ir!(code, "xor i{bits} {b}, {other}");
    let both = ir!(code, "and i{bits} {own}, {other}");
    let over = ir!(code, "icmp slt i{bits} {both}, 0");
    (value, over)
}

/// The product with twice the bits has an upper half beside the sign of the lower one. That of signed numbers is the unsigned one's less what the signs count for.
fn product(code: &mut Code, signed: bool, [a, b]: [&str; 2], bits: u32) -> (String, String) {
    let double = 2 * bits;
    let (wide_a, wide_b) = (code.resized(a, bits, double, false), code.resized(b, bits, double, false));
    let whole = ir!(code, "mul i{double} {wide_a}, {wide_b}");
    let value = code.resized(&whole, double, bits, false);
    let high = ir!(code, "lshr i{double} {whole}, {bits}");
    let mut high = code.resized(&high, double, bits, false);
    if !signed {
        let over = ir!(code, "icmp ne i{bits} {high}, 0");
        return (value, over);
    }
    for (number, other) in [(a, b), (b, a)] {
        let sign = code.sign(number, bits);
        let less = ir!(code, "and i{bits} {sign}, {other}");
        high = ir!(code, "sub i{bits} {high}, {less}");
    }
    let sign = code.sign(&value, bits);
    let over = ir!(code, "icmp ne i{bits} {high}, {sign}");
    (value, over)
}

/// `*.with.overflow`.
pub(crate) fn with_overflow(site: &Site<'_>, what: Overflowing, signed: bool) -> Option<String> {
    let bits = site.wide_bits(site.ty(0)?)?;
    site.each(|code, args| {
        let [a, b] = args else { return None };
        let (value, over) = overflowing(code, (what, signed), [a, b], bits);
        Some(vec![value, over])
    })
}

/// `sadd.sat` and similar: the end of the range on the side of the overflow.
pub(crate) fn saturated(site: &Site<'_>, what: Overflowing, signed: bool) -> Option<String> {
    let bits = site.wide_bits(site.result)?;
    site.each_one(|code, args| {
        let [a, b] = args else { return None };
        let (value, over) = overflowing(code, (what, signed), [a, b], bits);
        let bound = match what {
            _ if signed => code.bound(a, bits),
            Overflowing::Difference => "0".to_owned(),
            Overflowing::Sum | Overflowing::Product => "-1".to_owned(),
        };
        Some(ir!(code, "select i1 {over}, i{bits} {bound}, i{bits} {value}"))
    })
}

/// `sshl.sat`, `ushl.sat`: the shift overflowed if shifting back does not return the value.
pub(crate) fn saturated_shift(site: &Site<'_>, signed: bool) -> Option<String> {
    let bits = site.bits(site.result)?;
    let back = if signed { "ashr" } else { "lshr" };
    site.each_one(|code, args| {
        let [value, amount] = args else { return None };
        let shifted = ir!(code, "shl i{bits} {value}, {amount}");
        let returned = ir!(code, "{back} i{bits} {shifted}, {amount}");
        let over = ir!(code, "icmp ne i{bits} {returned}, {value}");
        let bound = if signed { code.bound(value, bits) } else { "-1".to_owned() };
        Some(ir!(code, "select i1 {over}, i{bits} {bound}, i{bits} {shifted}"))
    })
}

/// Operations on fixed-point numbers.
#[derive(Clone, Copy)]
pub(crate) struct FixedPoint {
    pub(crate) signed: bool,
    pub(crate) divides: bool,
    pub(crate) saturates: bool,
}

/// `smul.fix` and similar: products and quotients of fixed-point numbers, with room for all bits, rounded down.
pub(crate) fn fixed_point(site: &Site<'_>, what: FixedPoint) -> Option<String> {
    let (bits, scale) = (site.bits(site.result)?, u32::try_from(site.constant(2)?).ok()?);
    let FixedPoint { signed, divides, saturates } = what;
    // The quotient of the smallest number and the smallest step needs a bit more than the shifted dividend.
    let needed = if divides { bits + scale + 1 } else { 2 * bits };
    let width = if needed <= 32 { 32 } else { needed.next_multiple_of(64) };
    site.each_one(|code, args| {
        let [a, b, _] = args else { return None };
        let (a, b) = (code.resized(a, bits, width, signed), code.resized(b, bits, width, signed));
        let exact = if divides {
            let dividend = ir!(code, "shl i{width} {a}, {scale}");
            if signed {
                floored(code, [&dividend, &b], width)
            } else {
                ir!(code, "udiv i{width} {dividend}, {b}")
            }
        } else {
            let product = ir!(code, "mul i{width} {a}, {b}");
            let shift = if signed { "ashr" } else { "lshr" };
            ir!(code, "{shift} i{width} {product}, {scale}")
        };
        let value = code.resized(&exact, width, bits, false);
        if !saturates {
            return Some(value);
        }
        let again = code.resized(&value, bits, width, signed);
        let over = ir!(code, "icmp ne i{width} {exact}, {again}");
        let bound = if signed {
            let bound = code.bound(&exact, width);
            // The ends of the narrower range begin in the same way.
            let bound = ir!(code, "ashr i{width} {bound}, {}", width - bits);
            code.resized(&bound, width, bits, false)
        } else {
            "-1".to_owned()
        };
        Some(ir!(code, "select i1 {over}, i{bits} {bound}, i{bits} {value}"))
    })
}

/// A quotient rounded down: one less than the truncated one if there is a remainder and the signs differ.
fn floored(code: &mut Code, [a, b]: [&str; 2], bits: u32) -> String {
    let quotient = ir!(code, "sdiv i{bits} {a}, {b}");
    let back = ir!(code, "mul i{bits} {quotient}, {b}");
    let inexact = ir!(code, "icmp ne i{bits} {back}, {a}");
    let signs = ir!(code, "xor i{bits} {a}, {b}");
    let differ = ir!(code, "icmp slt i{bits} {signs}, 0");
    let lower = ir!(code, "and i1 {inexact}, {differ}");
    let less = ir!(code, "sub i{bits} {quotient}, 1");
    ir!(code, "select i1 {lower}, i{bits} {less}, i{bits} {quotient}")
}

/// Divisions and remainders.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Division {
    pub(crate) signed: bool,
    pub(crate) remainder: bool,
}

/// Divisions by powers of two, which LLVM's pass for the others leaves: shifts. In a vector those elements alone.
pub(crate) fn divided(site: &Site<'_>, what: Division) -> Option<String> {
    let bits = site.wide_bits(site.result)?;
    let powers: Vec<Option<(u32, bool)>> =
        (0..site.lanes(site.result)).map(|lane| power_of_two(site, lane, (bits, what.signed))).collect();
    if powers.iter().all(Option::is_none) {
        return None;
    }
    let mut powers = powers.into_iter();
    site.each_one(|code, args| {
        let [a, b] = args else { return None };
        let Some((power, negative)) = powers.next()? else {
            let (sign, kind) =
                (if what.signed { 's' } else { 'u' }, if what.remainder { "rem" } else { "div" });
            return Some(ir!(code, "{sign}{kind} i{bits} {a}, {b}"));
        };
        Some(match (what.signed, what.remainder) {
            (false, false) => ir!(code, "lshr i{bits} {a}, {power}"),
            (false, true) => ir!(code, "and i{bits} {a}, {}", ones(power)),
            (true, remainder) => {
                // Negative numbers are rounded up.
                let sign = code.sign(a, bits);
                let more = ir!(code, "and i{bits} {sign}, {}", ones(power));
                let raised = ir!(code, "add i{bits} {a}, {more}");
                let quotient = ir!(code, "ashr i{bits} {raised}, {power}");
                if remainder {
                    let back = ir!(code, "shl i{bits} {quotient}, {power}");
                    ir!(code, "sub i{bits} {a}, {back}")
                } else if negative {
                    ir!(code, "sub i{bits} 0, {quotient}")
                } else {
                    quotient
                }
            }
        })
    })
}

/// Which power of two the divisor of a lane is, and whether it is the negative of that.
fn power_of_two(site: &Site<'_>, lane: usize, (bits, signed): (u32, bool)) -> Option<(u32, bool)> {
    let (Value::Const(id), ty) = site.args.get(1)? else { return None };
    let id = match (site.view.ty(*ty), site.view.constant(*id)) {
        (Type::Vector { .. }, Constant::Aggregate(elements)) => *elements.get(lane)?,
        (Type::Vector { .. }, _) => return None,
        _ => *id,
    };
    let Constant::Int(words) = site.view.constant(id) else { return None };
    let only = |words: &[u64]| {
        let set: u32 = words.iter().map(|word| word.count_ones()).sum();
        let at = words.iter().position(|word| *word != 0)?;
        (set == 1).then(|| 64 * at as u32 + words[at].trailing_zeros())
    };
    let top = bits - 1;
    let negative = signed && words.get(top as usize / 64).is_some_and(|word| word >> (top % 64) & 1 != 0);
    if !negative {
        return Some((only(words)?, false));
    }
    let mut carry = true;
    let mut size: Vec<u64> = Vec::with_capacity(words.len());
    for word in words {
        let (negated, over) = (!word).overflowing_add(u64::from(carry));
        carry = over;
        size.push(negated);
    }
    if let (Some(last), used @ 1..) = (size.last_mut(), bits % 64) {
        *last &= (1 << used) - 1;
    }
    Some((only(&size)?, true))
}
