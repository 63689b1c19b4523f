//! The ends of objects, and memory that is read before it is written.

use super::addresses::Variable;
use super::generate::Generator;
use super::ty::{Element, Ty};

impl Generator {
    /// One of the statements of this file.
    pub(super) fn edge(&mut self) {
        match self.rng.u8(..6) {
            0 | 1 => self.masked_at_the_end(),
            2 => self.neighbours_at_the_end(),
            3 if self.depth == 0 => self.unwritten_number(),
            4 if self.depth == 0 => self.partly_written(),
            _ => self.masked_store_at_the_end(),
        }
    }

    /// A vector type and a variable that ends within it: how many lanes are inside.
    fn short_variable(&mut self, written: bool) -> (Ty, Variable, u32) {
        let lanes = [2, 4, 8][self.rng.usize(..3)];
        let bits = [8, 16, 32, 64][self.rng.usize(..4)];
        let ty = Ty { element: Element::Int(bits), lanes: Some(lanes) };
        let inside = self.rng.u32(1..lanes);
        let spaces: &[u32] = if written { &[0, 1, 3] } else { &[0, 1, 4] };
        let space = *self.rng.choice(spaces).unwrap_or(&1);
        (ty, self.variable_of(written, space, inside * bits / 8), inside)
    }

    /// A mask, known or not, of lanes inside alone.
    fn mask_inside(&mut self, lanes: u32, inside: u32) -> String {
        let most: Vec<&str> = (0..lanes).map(|at| if at < inside { "i1 true" } else { "i1 false" }).collect();
        let most = format!("<{}>", most.join(", "));
        if self.rng.bool() {
            return most;
        }
        let truth = Ty { element: Element::Int(1), lanes: Some(lanes) };
        let mask = self.operand(truth);
        self.emit(&format!("and {} {mask}, {most}", truth.text()))
    }

    fn alignment_of(&mut self, ty: Ty) -> u32 {
        if self.rng.bool() { ty.element.bits() / 8 } else { 16 }
    }

    fn masked_at_the_end(&mut self) {
        let (ty, variable, inside) = self.short_variable(false);
        let mask = self.mask_inside(ty.lanes.unwrap_or(1), inside);
        let rest = self.operand(ty);
        let align = self.alignment_of(ty);
        let (text, suffix, space) = (ty.text(), ty.suffix(), variable.space);
        let pointer = variable.pointer();
        let truth = ty.of(Element::Int(1)).text();
        self.define(
            ty,
            &format!(
                "call {text} @llvm.masked.load.{suffix}.p{space}({pointer} align {align} {}, {truth} {mask}, {text} {rest})",
                variable.name
            ),
        );
    }

    /// All threads store the same, and each reads what was stored.
    fn masked_store_at_the_end(&mut self) {
        let (ty, variable, inside) = self.short_variable(true);
        let lanes = ty.lanes.unwrap_or(1);
        let most: Vec<&str> = (0..lanes).map(|at| if at < inside { "i1 true" } else { "i1 false" }).collect();
        let align = self.alignment_of(ty);
        let (text, suffix, space) = (ty.text(), ty.suffix(), variable.space);
        let (pointer, truth) = (variable.pointer(), ty.of(Element::Int(1)).text());
        let value = ty.constant(&mut self.rng);
        self.effect(&format!(
            "call void @llvm.masked.store.{suffix}.p{space}({text} {value}, {pointer} align {align} {}, {truth} <{}>)",
            variable.name,
            most.join(", ")
        ));
        let element = Ty::scalar(ty.element);
        let last = inside - 1;
        let place = format!("getelementptr ({}, {pointer} {}, i64 {last})", element.text(), variable.name);
        self.define(element, &format!("load {}, {pointer} {place}, align 1", element.text()));
    }

    /// Neighbouring loads up to the end of a variable, of which optimizers make one by a mask.
    fn neighbours_at_the_end(&mut self) {
        let (ty, variable, inside) = self.short_variable(false);
        let element = Ty::scalar(ty.element);
        let bytes = element.bytes();
        let left_out = self.rng.u32(..inside + 3);
        for at in (0..inside).filter(|at| *at != left_out) {
            let align = if at == 0 { 16 } else { 1 << (at * bytes).trailing_zeros().min(4) };
            let pointer = variable.pointer();
            let place = self.emit(&format!(
                "getelementptr {}, {pointer} {}, i64 {at}",
                element.text(),
                variable.name
            ));
            self.define(element, &format!("load {}, {pointer} {place}, align {align}", element.text()));
        }
    }

    /// A number from memory that was never written: branched on, compared and computed with, without a trace in the end.
    fn unwritten_number(&mut self) {
        let ty = Ty::int(*self.rng.choice(&[8, 16, 32, 64]).unwrap_or(&32));
        let text = ty.text();
        let (memory, pointer) = if self.rng.bool() {
            (self.emit("alloca [4 x i64], align 8"), "ptr")
        } else {
            (self.variable_of(true, 3, 32).name, "ptr addrspace(3)")
        };
        let at = self.index(32 / ty.bytes());
        let place = self.emit(&format!("getelementptr {text}, {pointer} {memory}, i32 {at}"));
        let value = self.emit(&format!("load {text}, {pointer} {place}"));
        let value = self.emit(&format!("freeze {text} {value}"));
        match self.rng.u8(..4) {
            0 => self.define(ty, &format!("and {text} {value}, 0")),
            1 => self.define(ty, &format!("sub {text} {value}, {value}")),
            2 => {
                let known = self.operand(ty);
                let low = self.emit(&format!("icmp ult {text} {value}, {known}"));
                let high = self.emit(&format!("icmp uge {text} {value}, {known}"));
                self.define(Ty::int(1), &format!("xor i1 {low}, {high}"));
            }
            _ => {
                let (then, end) = (self.fresh_label("then"), self.fresh_label("end"));
                let (known, from) = (self.operand(ty), self.label.clone());
                let stored = self.variable_of(true, 1, 16).name;
                let condition = self.emit(&format!("icmp eq {text} {value}, {known}"));
                self.effect(&format!("store i32 5, ptr addrspace(1) {stored}"));
                self.effect(&format!("br i1 {condition}, label %{then}, label %{end}"));
                self.start_block(&then);
                let other = self.emit(&format!("xor {text} {known}, 0"));
                self.effect(&format!("br label %{end}"));
                self.start_block(&end);
                self.define(ty, &format!("phi {text} [ {other}, %{then} ], [ {known}, %{from} ]"));
                self.define(Ty::int(32), &format!("load i32, ptr addrspace(1) {stored}"));
            }
        }
    }

    /// An object of which some bytes are written: copied, loaded and stored as a whole, and read where it was written.
    fn partly_written(&mut self) {
        let memory = self.emit("alloca [4 x i32], align 16");
        let ty = Ty::int(32);
        let at = self.rng.u32(..4);
        let value = self.operand(ty);
        let place = self.emit(&format!("getelementptr i32, ptr {memory}, i64 {at}"));
        self.effect(&format!("store i32 {value}, ptr {place}"));
        let copy = self.emit("alloca [4 x i32], align 16");
        match self.rng.u8(..3) {
            0 => self.effect(&format!(
                "call void @llvm.memcpy.p0.p0.i64(ptr {copy}, ptr {memory}, i64 16, i1 false)"
            )),
            1 => {
                let whole = self.emit(&format!("load <4 x i32>, ptr {memory}"));
                self.effect(&format!("store <4 x i32> {whole}, ptr {copy}"));
            }
            _ => {
                let whole = self.emit(&format!("load i128, ptr {memory}"));
                self.effect(&format!("store i128 {whole}, ptr {copy}"));
            }
        }
        let place = self.emit(&format!("getelementptr i32, ptr {copy}, i64 {at}"));
        self.define(ty, &format!("load i32, ptr {place}"));
    }
}
