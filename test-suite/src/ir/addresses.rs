//! Constant expressions on addresses: every space, several variables, every operation that LLVM has for them, nested.
//!
//! An expression is generated for an address that is known beforehand, a variable and bytes into it, so that for any expression
//! the contents are known too. No program sees the number that an address is, only differences.

use super::generate::Generator;
use super::ty::{Element, Ty};

/// Expressions nested deeper than this use what is there.
const MAX_DEPTH: u32 = 4;

/// A variable of a statement's own.
#[derive(Clone)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) space: u32,
    pub(super) bytes: u32,
}

impl Variable {
    /// The type of pointers to it.
    pub(super) fn pointer(&self) -> String {
        pointer(self.space)
    }

    /// The spaces in which its bytes have addresses. Those of a block's shared memory are also ones of the cluster's, where there are
    /// clusters.
    fn spaces(&self, sm: u16) -> &'static [u32] {
        match self.space {
            0 => &[0],
            1 => &[1, 0],
            3 if sm >= 90 => &[3, 0, 7],
            3 => &[3, 0],
            _ => &[4, 0],
        }
    }
}

/// The type of pointers into a space.
fn pointer(space: u32) -> String {
    if space == 0 { "ptr".to_owned() } else { format!("ptr addrspace({space})") }
}

impl Generator {
    /// One of the statements of this file.
    pub(super) fn constant_address(&mut self) {
        match self.rng.u8(..12) {
            0 | 1 => self.load_of_constant_address(),
            2 | 3 => self.store_to_constant_address(),
            4 => self.atomic_at_constant_address(),
            5 => self.copy_of_constant_address(),
            6 => self.chosen_address(),
            7 => self.vector_of_addresses(),
            8 => self.compared_addresses(),
            9 | 10 => self.number_beside_addresses(),
            _ => self.number_of_addresses(),
        }
    }

    /// A variable whose bytes are known, or one to be written.
    pub(super) fn variable(&mut self, written: bool) -> Variable {
        let bytes = self.rng.u32(16..=40);
        let spaces: &[u32] = if written { &[0, 1, 3] } else { &[0, 1, 4] };
        let space = *self.rng.choice(spaces).unwrap_or(&1);
        self.variable_of(written, space, bytes)
    }

    /// The same of a size in a space.
    pub(super) fn variable_of(&mut self, written: bool, space: u32, bytes: u32) -> Variable {
        let kind = if space == 4 || (!written && self.rng.bool()) { "constant" } else { "global" };
        let value = if space == 3 {
            "undef".to_owned()
        } else {
            format!("c\"{}\"", (0..bytes).map(|_| format!("\\{:02X}", self.rng.u8(..))).collect::<String>())
        };
        let place = if space == 0 { String::new() } else { format!("addrspace({space}) ") };
        let name = self.constant(&format!("internal {place}{kind} [{bytes} x i8] {value}, align 16"));
        Variable { name, space, bytes }
    }

    /// An address `offset` bytes into a variable, as an operand with its type, and its space.
    fn address_of(&mut self, variable: &Variable, offset: u32) -> (String, u32) {
        let space = *self.rng.choice(variable.spaces(self.sm)).unwrap_or(&variable.space);
        let depth = self.rng.u32(..=MAX_DEPTH);
        let text = self.constant_pointer(variable, space, offset, depth);
        (format!("{} {text}", pointer(space)), space)
    }

    /// An address of a place in a space.
    pub(super) fn constant_pointer(
        &mut self,
        variable: &Variable,
        space: u32,
        offset: u32,
        depth: u32,
    ) -> String {
        let Some(depth) = depth.checked_sub(1) else { return Self::plain_pointer(variable, space, offset) };
        let ty = pointer(space);
        match self.rng.u8(..7) {
            0 | 1 => {
                let from = self.rng.u32(..=variable.bytes);
                let step = i64::from(offset) - i64::from(from);
                let base = self.constant_pointer(variable, space, from, depth);
                let width = ["i64", "i32", "i16"][self.rng.usize(..3)];
                format!("getelementptr (i8, {ty} {base}, {width} {step})")
            }
            2 => {
                // A structure of 12 bytes with its array at 4.
                let (whole, element) = (i64::from(self.rng.i8(-2..=2)), i64::from(self.rng.i8(-1..=3)));
                let from = i64::from(offset) - 12 * whole - 4 - 2 * element;
                let Some(from) = u32::try_from(from).ok().filter(|from| *from <= variable.bytes) else {
                    return self.constant_pointer(variable, space, offset, depth);
                };
                let base = self.constant_pointer(variable, space, from, depth);
                format!(
                    "getelementptr ({{ i32, [3 x i16] }}, {ty} {base}, i64 {whole}, i32 1, i64 {element})"
                )
            }
            3 => {
                let from = *self.rng.choice(variable.spaces(self.sm)).unwrap_or(&space);
                if from == space {
                    return self.constant_pointer(variable, space, offset, depth);
                }
                let base = self.constant_pointer(variable, from, offset, depth);
                format!("addrspacecast ({} {base} to {ty})", pointer(from))
            }
            4 => {
                let bits = [64, 64, 96, 128][self.rng.usize(..4)];
                let number = self.constant_number(variable, space, offset, bits, depth);
                format!("inttoptr (i{bits} {number} to {ty})")
            }
            5 => {
                let from = self.rng.u32(..=variable.bytes);
                let base = self.constant_pointer(variable, space, from, depth);
                let step = i64::from(offset) - i64::from(from);
                let bits = [16, 32, 64, 128][self.rng.usize(..4)];
                let step = self.constant_difference(variable, step, bits, depth);
                format!("getelementptr (i8, {ty} {base}, i{bits} {step})")
            }
            _ => {
                // Far away and back; addresses in shared memory have 32 bits.
                let far = i64::from(self.rng.u32(..)) << if space == 3 { 0 } else { self.rng.u32(..8) };
                let base = self.constant_pointer(variable, space, offset, depth);
                format!("getelementptr (i8, {ty} getelementptr (i8, {ty} {base}, i64 {far}), i64 -{far})")
            }
        }
    }

    fn plain_pointer(variable: &Variable, space: u32, offset: u32) -> String {
        let own = pointer(variable.space);
        let place = match offset {
            0 => variable.name.clone(),
            offset => format!("getelementptr (i8, {own} {}, i64 {offset})", variable.name),
        };
        if space == variable.space {
            place
        } else {
            format!("addrspacecast ({own} {place} to {})", pointer(space))
        }
    }

    /// The low bits of the number that an address is in a space.
    fn constant_number(
        &mut self,
        variable: &Variable,
        space: u32,
        offset: u32,
        bits: u32,
        depth: u32,
    ) -> String {
        let ty = format!("i{bits}");
        let shallow = depth.saturating_sub(1);
        match if depth == 0 { 0 } else { self.rng.u8(..9) } {
            1 => {
                let from = self.rng.u32(..=variable.bytes);
                let number = self.constant_number(variable, space, from, bits, shallow);
                let step = i64::from(offset) - i64::from(from);
                format!("add ({ty} {number}, {ty} {step})")
            }
            2 => {
                let from = self.rng.u32(..=variable.bytes);
                let number = self.constant_number(variable, space, from, bits, shallow);
                let step = i64::from(from) - i64::from(offset);
                format!("sub ({ty} {number}, {ty} {step})")
            }
            3 => {
                let number = self.constant_number(variable, space, offset, bits, shallow);
                let mask = self.rng.u8(..128);
                format!("xor ({ty} xor ({ty} {number}, {ty} {mask}), {ty} {mask})")
            }
            4 => {
                let wide = bits + [1, 8, 32, 64][self.rng.usize(..4)];
                let number = self.constant_number(variable, space, offset, wide, shallow);
                format!("trunc (i{wide} {number} to {ty})")
            }
            5 => {
                // There and back from another variable.
                let other = self.variable(false);
                let at = self.rng.u32(..other.bytes);
                let space_of_other = *self.rng.choice(other.spaces(self.sm)).unwrap_or(&other.space);
                let number = self.constant_number(variable, space, offset, bits, shallow);
                let first = self.constant_number(&other, space_of_other, at, bits, shallow);
                let again = self.constant_number(&other, space_of_other, at, bits, shallow);
                format!("sub ({ty} add ({ty} {number}, {ty} {first}), {ty} {again})")
            }
            6 => {
                let step = i64::from(self.rng.u32(..=variable.bytes));
                let from = i64::from(offset) - step;
                let Some(from) = u32::try_from(from).ok() else {
                    return self.constant_number(variable, space, offset, bits, shallow);
                };
                let number = self.constant_number(variable, space, from, bits, shallow);
                let step = self.constant_difference(variable, step, bits, shallow);
                format!("add ({ty} {number}, {ty} {step})")
            }
            7 if matches!(bits, 8 | 16 | 32 | 64) => {
                self.constant_element(variable, space, offset, bits, shallow)
            }
            8 if matches!(bits, 16 | 32 | 64 | 128) => {
                // Its halves side by side.
                let half = bits / 2;
                let halves = [0, 1].map(|at| {
                    let number = self.constant_number(variable, space, offset, bits, shallow);
                    format!("i{half} extractelement (<2 x i{half}> bitcast ({ty} {number} to <2 x i{half}>), i32 {at})")
                });
                format!("bitcast (<2 x i{half}> <{}> to {ty})", halves.join(", "))
            }
            _ => {
                let place = self.constant_pointer(variable, space, offset, shallow);
                format!("ptrtoint ({} {place} to {ty})", pointer(space))
            }
        }
    }

    /// The low bits of the number that an address is, as an element of a vector.
    fn constant_element(
        &mut self,
        variable: &Variable,
        space: u32,
        offset: u32,
        bits: u32,
        depth: u32,
    ) -> String {
        let (ty, vector) = (format!("i{bits}"), format!("<2 x i{bits}>"));
        match self.rng.u8(..6) {
            0 | 1 => {
                let lanes = if bits == 64 { 2 } else { [2, 4][self.rng.usize(..2)] };
                let wide = lanes * bits;
                let number = self.constant_number(variable, space, offset, wide, depth);
                format!(
                    "extractelement (<{lanes} x {ty}> bitcast (i{wide} {number} to <{lanes} x {ty}>), i32 0)"
                )
            }
            2 => {
                let wide = 2 * bits;
                let number = self.constant_number(variable, space, offset, wide, depth);
                let other = self.constant_number(variable, space, offset, bits, depth);
                format!(
                    "extractelement ({vector} shufflevector ({vector} bitcast (i{wide} {number} to {vector}), {vector} <{ty} 1, \
                     {ty} {other}>, <2 x i32> <i32 2, i32 0>), i32 1)"
                )
            }
            3 => {
                let from = self.rng.u32(..=variable.bytes);
                let [other, place] = [from, offset].map(|at| {
                    format!("{} {}", pointer(space), self.constant_pointer(variable, space, at, depth))
                });
                let pointers = format!("<2 x {}>", pointer(space));
                format!(
                    "extractelement ({vector} ptrtoint ({pointers} <{other}, {place}> to {vector}), i32 1)"
                )
            }
            way => {
                // The index is a distance of two addresses.
                let wide = [16, 32, 64, 128][self.rng.usize(..4)];
                let number = self.constant_number(variable, space, offset, bits, depth);
                let [first, second] = [0, 1].map(|_| self.constant_difference(variable, 1, wide, depth + 1));
                let other = self.constant_number(variable, space, offset, bits, depth);
                if way == 4 {
                    return format!("extractelement ({vector} <{ty} 7, {ty} {number}>, i{wide} {first})");
                }
                format!(
                    "extractelement ({vector} insertelement ({vector} <{ty} {other}, {ty} 5>, {ty} {number}, i{wide} {first}), \
                     i{wide} {second})"
                )
            }
        }
    }

    /// The distance of two places in a variable, which is `step`, cut to so many bits.
    fn constant_difference(&mut self, variable: &Variable, step: i64, bits: u32, depth: u32) -> String {
        let Some(depth) = depth.checked_sub(1) else { return step.to_string() };
        let space = *self.rng.choice(variable.spaces(self.sm)).unwrap_or(&variable.space);
        let low = self.rng.u32(..=variable.bytes - step.unsigned_abs().min(u64::from(variable.bytes)) as u32);
        let high = low + step.unsigned_abs() as u32;
        let (to, from) = if step < 0 { (low, high) } else { (high, low) };
        let to = self.constant_number(variable, space, to, bits, depth);
        let from = self.constant_number(variable, space, from, bits, depth);
        format!("sub (i{bits} {to}, i{bits} {from})")
    }

    /// A place in a variable for a type.
    fn place_in(&mut self, variable: &Variable, bytes: u32) -> u32 {
        self.rng.u32(..=variable.bytes - bytes)
    }

    fn load_of_constant_address(&mut self) {
        let variable = self.variable(false);
        let ty = self.small_type();
        let at = self.place_in(&variable, ty.bytes());
        let (place, _) = self.address_of(&variable, at);
        let volatile = if self.rng.u8(..6) == 0 { "volatile " } else { "" };
        self.define(ty, &format!("load {volatile}{}, {place}, align 1", ty.text()));
    }

    /// A type of 16 bytes at most, all of which count.
    fn small_type(&mut self) -> Ty {
        loop {
            let ty = Ty::any_whole(&mut self.rng);
            if ty.bytes() <= 16 && ty.element.is_int() {
                return ty;
            }
        }
    }

    /// All threads write the same to a place, which is then read by another address of it.
    fn store_to_constant_address(&mut self) {
        let variable = self.variable(true);
        let ty = self.small_type();
        let at = self.place_in(&variable, ty.bytes());
        let (to, _) = self.address_of(&variable, at);
        let (from, _) = self.address_of(&variable, at);
        let value = ty.constant(&mut self.rng);
        self.effect(&format!("store {} {value}, {to}, align 1", ty.text()));
        self.define(ty, &format!("load {}, {from}, align 1", ty.text()));
    }

    /// In a variable of whole words: what PTX has no atomic instruction for works on the word around (docs/mapping.md).
    fn atomic_at_constant_address(&mut self) {
        let (space, words) = (*self.rng.choice(&[0, 1, 3]).unwrap_or(&1), self.rng.u32(4..=10));
        let variable = self.variable_of(true, space, 4 * words);
        let ty = Ty::int(*self.rng.choice(&[8, 16, 32, 64]).unwrap_or(&32));
        let (text, size) = (ty.text(), ty.bytes());
        let at = self.place_in(&variable, size) / size * size;
        let value = ty.constant(&mut self.rng);
        let mut place = || {
            // Nothing is atomic through addresses of the cluster's memory in all versions.
            let space = [variable.space, 0][self.rng.usize(..2)];
            let depth = self.rng.u32(..=MAX_DEPTH);
            format!("{} {}", pointer(space), self.constant_pointer(&variable, space, at, depth))
        };
        let (first, second, third) = (place(), place(), place());
        self.effect(&format!("store {text} {value}, {first}, align {size}"));
        let instruction = match self.rng.u8(..3) {
            0 => format!("atomicrmw or {second}, {text} 0 monotonic"),
            1 => format!("load atomic {text}, {second} monotonic, align {size}"),
            _ => {
                let both = self
                    .emit(&format!("cmpxchg {second}, {text} {value}, {text} {value} monotonic monotonic"));
                format!("extractvalue {{ {text}, i1 }} {both}, 0")
            }
        };
        self.define(ty, &instruction);
        self.define(ty, &format!("load {text}, {third}, align {size}"));
    }

    fn copy_of_constant_address(&mut self) {
        let (from, to) = (self.variable(false), self.variable(true));
        let size = self.rng.u32(1..=16);
        let (source, source_space) = {
            let at = self.place_in(&from, size);
            self.address_of(&from, at)
        };
        let at = self.place_in(&to, size);
        let (target, target_space) = self.address_of(&to, at);
        self.effect(&format!(
            "call void @llvm.memcpy.p{target_space}.p{source_space}.i64({target}, {source}, i64 {size}, i1 false)"
        ));
        let last = at + self.rng.u32(..size);
        let (place, _) = self.address_of(&to, last);
        self.define(Ty::int(8), &format!("load i8, {place}"));
    }

    /// One of two addresses by a condition or by way of memory, and steps from it that are known when it runs.
    fn chosen_address(&mut self) {
        let (variable, other) = (self.variable(false), self.variable(false));
        let depth = self.rng.u32(..=MAX_DEPTH);
        let one = self.constant_pointer(&variable, 0, 4, depth);
        let another = self.constant_pointer(&other, 0, 8, depth);
        let which = self.operand(Ty::int(1));
        let chosen = self.emit(&format!("select i1 {which}, ptr {one}, ptr {another}"));
        let chosen = if self.depth == 0 && self.rng.bool() {
            let memory = self.emit("alloca [2 x ptr], align 8");
            self.effect(&format!("store ptr {chosen}, ptr {memory}"));
            let second = self.emit(&format!("getelementptr ptr, ptr {memory}, i64 1"));
            self.effect(&format!("store ptr {another}, ptr {second}"));
            let at = self.index(2);
            let place = self.emit(&format!("getelementptr ptr, ptr {memory}, i32 {at}"));
            self.emit(&format!("load ptr, ptr {place}"))
        } else {
            chosen
        };
        let at = self.index(5);
        let place = self.emit(&format!("getelementptr i8, ptr {chosen}, i32 {at}"));
        self.define(Ty::int(32), &format!("load i32, ptr {place}, align 1"));
    }

    fn vector_of_addresses(&mut self) {
        let (variable, other) = (self.variable(false), self.variable(false));
        let lanes = 2;
        let ty = Ty { element: Element::Int(32), lanes: Some(lanes) };
        let depth = self.rng.u32(..=MAX_DEPTH);
        let one = self.constant_pointer(&variable, 0, 4, depth);
        let another = self.constant_pointer(&other, 0, 8, depth);
        let mut places = format!("<ptr {one}, ptr {another}>");
        if self.rng.bool() {
            let (a, b) = (self.rng.i8(-1..=2), self.rng.i8(-2..=1));
            places = format!("getelementptr (i32, <2 x ptr> {places}, <2 x i64> <i64 {a}, i64 {b}>)");
        }
        if self.rng.bool() {
            places = format!("inttoptr (<2 x i64> ptrtoint (<2 x ptr> {places} to <2 x i64>) to <2 x ptr>)");
        }
        let mask = self.operand(ty.of(Element::Int(1)));
        let rest = self.operand(ty);
        self.define(
            ty,
            &format!(
                "call <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr> align 1 {places}, <2 x i1> {mask}, <2 x i32> {rest})"
            ),
        );
    }

    fn compared_addresses(&mut self) {
        let variable = self.variable(false);
        let space = *self.rng.choice(variable.spaces(self.sm)).unwrap_or(&variable.space);
        let mut place = || {
            let (at, depth) = (self.rng.u32(..4), self.rng.u32(..=MAX_DEPTH));
            self.constant_pointer(&variable, space, at, depth)
        };
        let (a, b) = (place(), place());
        let word = ["eq", "ne", "ult", "uge"][self.rng.usize(..4)];
        self.define(Ty::int(1), &format!("icmp {word} {} {a}, {b}", pointer(space)));
    }

    fn number_of_addresses(&mut self) {
        let variable = self.variable(true);
        let bits = *self.rng.choice(&[1, 8, 13, 16, 24, 32, 48, 64, 65, 96, 128]).unwrap_or(&64);
        let step = i64::from(self.rng.i8(-16..=16));
        let depth = self.rng.u32(1..=MAX_DEPTH);
        let number = self.constant_difference(&variable, step, bits, depth);
        let ty = Ty::int(bits);
        let other = self.operand(ty);
        self.define(ty, &format!("add i{bits} {number}, {other}"));
    }
}
