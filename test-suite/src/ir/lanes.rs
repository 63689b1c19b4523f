//! Operations on vectors as a whole, and those on numbers that promise something.

use super::generate::Generator;
use super::ty::{Element, Ty};

impl Generator {
    /// One of the statements of this file.
    pub(super) fn lanes(&mut self) {
        match self.rng.u8(..15) {
            0 => self.overflow_of_vectors(),
            1 => self.reduction(),
            2 => self.rearranged(),
            3 => self.joined_and_parted(),
            4 => self.counted_lanes(),
            5 => self.compressed(),
            6 if !self.objects.is_empty() => self.expanded(),
            7 => self.other_lanes(),
            8 => self.promised(),
            9 => self.constrained_conversion(),
            10 => self.fraction(),
            11..=13 => self.bytes_together(),
            _ => self.odd_access(),
        }
    }

    fn int_vector(&mut self, lanes: u32) -> Ty {
        let bits = *self.rng.choice(&[8, 16, 32, 64, 32, 13, 1]).unwrap_or(&32);
        Ty { element: Element::Int(bits), lanes: Some(lanes) }
    }

    fn overflow_of_vectors(&mut self) {
        let lanes = self.rng.u32(2..=4);
        let ty = self.int_vector(lanes);
        let (text, suffix, truth) = (ty.text(), ty.suffix(), ty.of(Element::Int(1)));
        let (a, b) = (self.operand(ty), self.operand(ty));
        let word = ["sadd", "uadd", "ssub", "usub", "smul", "umul"][self.rng.usize(..6)];
        let both = format!("{{ {text}, {} }}", truth.text());
        let value =
            self.emit(&format!("call {both} @llvm.{word}.with.overflow.{suffix}({text} {a}, {text} {b})"));
        self.define(ty, &format!("extractvalue {both} {value}, 0"));
        self.define(truth, &format!("extractvalue {both} {value}, 1"));
    }

    /// One number of all lanes, or of those that a mask and a length name.
    fn reduction(&mut self) {
        let lanes = self.rng.u32(2..=5);
        if self.rng.bool() {
            let element = if self.rng.bool() { Element::Float } else { Element::Double };
            let ty = Ty { element, lanes: Some(lanes) };
            let (text, scalar) = (ty.text(), Ty::scalar(element));
            let a = self.operand(ty);
            let word = if self.rng.bool() { "fmaximum" } else { "fminimum" };
            self.define(
                scalar,
                &format!("call {} @llvm.vector.reduce.{word}.{}({text} {a})", scalar.text(), ty.suffix()),
            );
            return;
        }
        let lanes = lanes.next_power_of_two();
        let ty = Ty { element: Element::Int(32), lanes: Some(lanes) };
        let (text, truth) = (ty.text(), ty.of(Element::Int(1)));
        let (start, a, mask) = (self.operand(Ty::int(32)), self.operand(ty), self.operand(truth));
        let length = self.index(lanes + 1);
        let word = ["add", "xor", "umax", "smin", "or"][self.rng.usize(..5)];
        self.define(
            Ty::int(32),
            &format!(
                "call i32 @llvm.vp.reduce.{word}.{}(i32 {start}, {text} {a}, {} {mask}, i32 {length})",
                ty.suffix(),
                truth.text()
            ),
        );
    }

    /// Lanes in another order, or some of them.
    fn rearranged(&mut self) {
        let ty = Ty { lanes: Some(4), ..self.int_vector(4) };
        let half = Ty { lanes: Some(2), ..ty };
        let (text, a) = (ty.text(), self.operand(ty));
        match self.rng.u8(..3) {
            0 => self.define(ty, &format!("call {text} @llvm.vector.reverse.{}({text} {a})", ty.suffix())),
            1 => {
                let at = 2 * self.rng.u32(..2);
                let (part, v, h) = (half.text(), ty.suffix(), half.suffix());
                self.define(half, &format!("call {part} @llvm.vector.extract.{h}.{v}({text} {a}, i64 {at})"));
            }
            _ => {
                let (part, at) = (self.operand(half), 2 * self.rng.u32(..2));
                let (p, v, h) = (half.text(), ty.suffix(), half.suffix());
                self.define(
                    ty,
                    &format!("call {text} @llvm.vector.insert.{v}.{h}({text} {a}, {p} {part}, i64 {at})"),
                );
            }
        }
    }

    /// Vectors of bytes, which words hold: shuffled, combined, chosen, with another element, as words and back.
    fn bytes_together(&mut self) {
        let lanes = [4, 4, 8, 16][self.rng.usize(..4)];
        let ty = Ty { element: Element::Int(8), lanes: Some(lanes) };
        let (text, a, b) = (ty.text(), self.operand(ty), self.operand(ty));
        match self.rng.u8(..5) {
            0 => {
                let places: Vec<String> =
                    (0..lanes).map(|_| format!("i32 {}", self.rng.u32(..2 * lanes))).collect();
                let mask = places.join(", ");
                self.define(ty, &format!("shufflevector {text} {a}, {text} {b}, <{lanes} x i32> <{mask}>"));
            }
            1 => {
                let (element, at) = (self.operand(Ty::int(8)), self.rng.u32(..lanes));
                self.define(ty, &format!("insertelement {text} {a}, i8 {element}, i64 {at}"));
            }
            2 => {
                let word = ["and", "or", "xor"][self.rng.usize(..3)];
                self.define(ty, &format!("{word} {text} {a}, {b}"));
            }
            3 => {
                let which = self.operand(Ty::int(1));
                self.define(ty, &format!("select i1 {which}, {text} {a}, {text} {b}"));
            }
            _ => {
                let words = Ty { element: Element::Int(32), lanes: Some(lanes / 4) };
                let (words_text, number) = (words.text(), self.operand(words));
                let value = self.emit(&format!("bitcast {text} {a} to {words_text}"));
                let sum = self.emit(&format!("add {words_text} {value}, {number}"));
                self.define(ty, &format!("bitcast {words_text} {sum} to {text}"));
            }
        }
    }

    /// Two vectors lane by lane in one, and one as two.
    fn joined_and_parted(&mut self) {
        let ty = self.int_vector(2);
        let wide = Ty { lanes: Some(4), ..ty };
        let (text, both) = (ty.text(), wide.text());
        if self.rng.bool() {
            let (a, b) = (self.operand(ty), self.operand(ty));
            let suffix = wide.suffix();
            self.define(
                wide,
                &format!("call {both} @llvm.vector.interleave2.{suffix}({text} {a}, {text} {b})"),
            );
            return;
        }
        let a = self.operand(wide);
        let pair = format!("{{ {text}, {text} }}");
        let value =
            self.emit(&format!("call {pair} @llvm.vector.deinterleave2.{}({both} {a})", wide.suffix()));
        for at in 0..2 {
            self.define(ty, &format!("extractvalue {pair} {value}, {at}"));
        }
    }

    /// Masks by numbers, and numbers of masks.
    fn counted_lanes(&mut self) {
        let lanes = 1 << self.rng.u32(1..4);
        let mask = Ty { element: Element::Int(1), lanes: Some(lanes) };
        let text = mask.text();
        match self.rng.u8(..3) {
            0 => {
                let (from, to) = (self.operand(Ty::int(32)), self.operand(Ty::int(32)));
                self.define(
                    mask,
                    &format!("call {text} @llvm.get.active.lane.mask.v{lanes}i1.i32(i32 {from}, i32 {to})"),
                );
            }
            1 => {
                let value = self.operand(mask);
                self.define(
                    Ty::int(32),
                    &format!(
                        "call i32 @llvm.experimental.cttz.elts.i32.v{lanes}i1({text} {value}, i1 false)"
                    ),
                );
            }
            _ => {
                let ty = Ty { element: Element::Int(32), lanes: Some(lanes) };
                self.define(ty, &format!("call {} @llvm.stepvector.{}()", ty.text(), ty.suffix()));
            }
        }
    }

    /// The lanes that a mask names, at the front.
    fn compressed(&mut self) {
        let ty = Ty { element: Element::Int(32), lanes: Some(4) };
        let truth = ty.of(Element::Int(1));
        let (a, mask, rest) = (self.operand(ty), self.operand(truth), self.operand(ty));
        self.define(
            ty,
            &format!(
                "call <4 x i32> @llvm.experimental.vector.compress.v4i32(<4 x i32> {a}, <4 x i1> {mask}, <4 x i32> {rest})"
            ),
        );
    }

    /// As many numbers of memory as a mask has lanes set.
    fn expanded(&mut self) {
        let element = *self
            .rng
            .choice(&[Element::Int(8), Element::Int(16), Element::Int(32)])
            .unwrap_or(&Element::Int(32));
        let ty = Ty { element, lanes: Some(4) };
        let (text, truth, suffix) = (ty.text(), ty.of(Element::Int(1)).text(), ty.suffix());
        let (mask, value) = (self.operand(ty.of(Element::Int(1))), self.operand(ty));
        let (place, pointer, _) = self.place(true, ty.bytes());
        if pointer != "ptr" {
            return;
        }
        if self.rng.bool() {
            self.define(
                ty,
                &format!(
                    "call {text} @llvm.masked.expandload.{suffix}(ptr align 1 {place}, {truth} {mask}, {text} {value})"
                ),
            );
            return;
        }
        self.effect(&format!(
            "call void @llvm.masked.compressstore.{suffix}({text} {value}, ptr align 1 {place}, {truth} {mask})"
        ));
    }

    /// The bits of a vector as one of more or fewer lanes.
    fn other_lanes(&mut self) {
        let forms = [(16, 2), (8, 4), (32, 2), (16, 4), (8, 8), (64, 2), (32, 4), (16, 8)];
        let (bits, lanes) = forms[self.rng.usize(..forms.len())];
        let others: Vec<_> =
            forms.iter().filter(|(b, l)| b * l == bits * lanes && *b != bits).copied().collect();
        let Some(&(to_bits, to_lanes)) = others.get(self.rng.usize(..others.len().max(1))) else { return };
        let of = |bits, lanes| Ty { element: Element::Int(bits), lanes: Some(lanes) };
        let (from, to) = (of(bits, lanes), of(to_bits, to_lanes));
        let value = self.operand(from);
        self.define(to, &format!("bitcast {} {value} to {}", from.text(), to.text()));
    }

    /// Numbers that are small enough for what is said of them.
    fn promised(&mut self) {
        let ty = Ty::int(*self.rng.choice(&[16, 32, 64, 24, 48, 128]).unwrap_or(&32));
        let (text, bits) = (ty.text(), ty.element.bits());
        let (a, b) = (self.operand(ty), self.operand(ty));
        let half = bits / 2 + 1;
        let a = self.emit(&format!("lshr {text} {a}, {half}"));
        let b = self.emit(&format!("lshr {text} {b}, {half}"));
        match self.rng.u8(..7) {
            0 => self.define(ty, &format!("mul nuw nsw {text} {a}, {b}")),
            1 => {
                let less = Ty::int(half);
                self.define(less, &format!("trunc nuw nsw {text} {a} to {}", less.text()));
            }
            2 => {
                let more = Ty::int(bits + 9);
                self.define(more, &format!("zext nneg {text} {a} to {}", more.text()));
            }
            3 => {
                let word = ["ult", "sle", "ugt", "sge"][self.rng.usize(..4)];
                self.define(Ty::int(1), &format!("icmp samesign {word} {text} {a}, {b}"));
            }
            4 => {
                let to = Ty::scalar(Element::Double);
                self.define(to, &format!("uitofp nneg {text} {a} to double"));
            }
            5 => self.define(ty, &format!("call {text} @llvm.abs.{}({text} {a}, i1 true)", ty.suffix())),
            _ => {
                let one = self.emit(&format!("or {text} {a}, 1"));
                let word = if self.rng.bool() { "ctlz" } else { "cttz" };
                self.define(ty, &format!("call {text} @llvm.{word}.{}({text} {one}, i1 true)", ty.suffix()));
            }
        }
    }

    /// Constrained operations beside sums, products and quotients.
    fn constrained_conversion(&mut self) {
        let double = Ty::scalar(Element::Double);
        let float = Ty::scalar(Element::Float);
        let modes = "metadata !\"round.tonearest\", metadata !\"fpexcept.ignore\"";
        let quiet = "metadata !\"fpexcept.ignore\"";
        let start = "@llvm.experimental.constrained";
        match self.rng.u8(..6) {
            0 => {
                let a = self.operand(double);
                self.define(float, &format!("call float {start}.fptrunc.f32.f64(double {a}, {modes})"));
            }
            1 => {
                let a = self.operand(float);
                self.define(double, &format!("call double {start}.fpext.f64.f32(float {a}, {quiet})"));
            }
            2 => {
                let bits = *self.rng.choice(&[8, 16, 32, 64]).unwrap_or(&32);
                let a = self.operand(Ty::int(bits));
                let word = if self.rng.bool() { "sitofp" } else { "uitofp" };
                self.define(float, &format!("call float {start}.{word}.f32.i{bits}(i{bits} {a}, {modes})"));
            }
            3 => {
                let (a, b) = (self.operand(double), self.operand(double));
                let word = ["oeq", "olt", "uge", "une", "ord"][self.rng.usize(..5)];
                self.define(
                    Ty::int(1),
                    &format!(
                        "call i1 {start}.fcmp.f64(double {a}, double {b}, metadata !\"{word}\", {quiet})"
                    ),
                );
            }
            4 => {
                let (a, b, c) = (self.operand(double), self.operand(double), self.operand(double));
                self.define(
                    double,
                    &format!("call double {start}.fma.f64(double {a}, double {b}, double {c}, {modes})"),
                );
            }
            _ => {
                let a = self.operand(double);
                self.define(double, &format!("call double {start}.sqrt.f64(double {a}, {modes})"));
            }
        }
    }

    /// A number, or a vector of them, without its fraction, or as it is. (Hosts have no right `llvm.frexp` of vectors.)
    fn fraction(&mut self) {
        let element = if self.rng.bool() { Element::Float } else { Element::Double };
        let lanes = self.rng.bool().then(|| self.rng.u32(2..=3));
        let ty = Ty { element, lanes };
        let (text, suffix, value) = (ty.text(), ty.suffix(), self.finite(ty));
        let word = ["round", "nearbyint", "canonicalize"][self.rng.usize(..3)];
        self.define(ty, &format!("call {text} @llvm.{word}.{suffix}({text} {value})"));
    }
}
