//! Numbers as generic addresses, null among them, beside addresses of variables in a `select`, a `phi` or a comparison.
//!
//! No program sees the number that a variable's address is, only differences from it, and the number where that was chosen.

use super::generate::Generator;
use super::ty::Ty;

/// The numbers. None is the address of something: all are in the first pages or beyond what 64-bit machines address.
const NUMBERS: &[u64] = &[0, 0, 16, 4096, 4112, 0x7000_0000_0000_0000];

impl Generator {
    /// Chooses between an address and a number, and observes what was chosen.
    pub(super) fn number_beside_addresses(&mut self) {
        let space = *self.rng.choice(&[3, 3, 1, 4, 0]).unwrap_or(&3);
        let variable = self.variable_of(space == 3, space, 32);
        let number = *self.rng.choice(NUMBERS).unwrap_or(&0);
        let constant = match number {
            0 => "null".to_owned(),
            number => format!("inttoptr (i64 {number} to ptr)"),
        };
        let depth = self.rng.u32(..3);
        let place = self.constant_pointer(&variable, 0, 0, depth);
        let which = self.operand(Ty::int(1));
        let mut chosen = self.one_of(&which, &place, &constant);
        let mut base = place;
        let mut wanted = number;
        match self.rng.u8(..4) {
            0 => {
                let step = self.rng.u32(..32);
                chosen = self.emit(&format!("getelementptr i8, ptr {chosen}, i64 {step}"));
                base = self.emit(&format!("getelementptr i8, ptr {base}, i64 {step}"));
                wanted += u64::from(step);
            }
            1 => {
                // The variable is aligned by 16, and all numbers are.
                let mask = *self.rng.choice(&[-1i64, -8, -16]).unwrap_or(&-1);
                chosen = self.emit(&format!("call ptr @llvm.ptrmask.p0.i64(ptr {chosen}, i64 {mask})"));
            }
            2 => {
                // Beside the address once more, and accessed where that is certain.
                let again = self.emit(&format!("select i1 {which}, ptr {chosen}, ptr {base}"));
                if space != 3 {
                    self.define(Ty::int(8), &format!("load i8, ptr {again}"));
                }
            }
            _ => {
                let word = ["eq", "ne"][self.rng.usize(..2)];
                self.define(Ty::int(1), &format!("icmp {word} ptr {chosen}, {constant}"));
            }
        }
        let chosen = self.emit(&format!("ptrtoint ptr {chosen} to i64"));
        let base = self.emit(&format!("ptrtoint ptr {base} to i64"));
        let expected = self.emit(&format!("select i1 {which}, i64 {base}, i64 {wanted}"));
        self.define(Ty::int(64), &format!("sub i64 {chosen}, {expected}"));
    }

    /// One of two pointers, by a `select` or by a `phi`.
    fn one_of(&mut self, which: &str, one: &str, other: &str) -> String {
        if self.rng.bool() {
            return self.emit(&format!("select i1 {which}, ptr {one}, ptr {other}"));
        }
        let [left, right, end] = ["left", "right", "end"].map(|word| self.fresh_label(word));
        self.effect(&format!("br i1 {which}, label %{left}, label %{right}"));
        for label in [&left, &right] {
            self.start_block(label);
            self.effect(&format!("br label %{end}"));
        }
        self.start_block(&end);
        self.emit(&format!("phi ptr [ {one}, %{left} ], [ {other}, %{right} ]"))
    }
}
