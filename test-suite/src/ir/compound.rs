//! Statements of several instructions: aggregates, pieces of memory passed by value, recursion, variable arguments, addresses in
//! vectors, operations whose results are defined on part of their range alone.

use super::generate::{Generator, OBJECT};
use super::ty::{Element, Ty};

/// Functions of fixed text that every program can call; `NAME` stands for its name.
///
/// The first changes the copy that it gets by value and returns through memory, the second calls itself, the third reads as many
/// arguments as its first says.
pub(super) const FIXED: &str = "\
define internal void @NAME_copy(ptr sret([2 x i64]) align 8 %to, ptr byval([4 x i32]) align 4 %from, i32 %x) noinline {
  %at = and i32 %x, 3
  %place = getelementptr i32, ptr %from, i32 %at
  %old = load i32, ptr %place
  store i32 %x, ptr %place
  %low = load i64, ptr %from, align 4
  %next = getelementptr i8, ptr %from, i64 8
  %high = load i64, ptr %next, align 4
  %wide = zext i32 %old to i64
  %sum = add i64 %high, %wide
  store i64 %low, ptr %to
  %second = getelementptr i8, ptr %to, i64 8
  store i64 %sum, ptr %second
  ret void
}
define internal i32 @NAME_again(i32 %n, i32 %a) noinline {
  %last = icmp eq i32 %n, 0
  br i1 %last, label %end, label %more
more:
  %less = sub i32 %n, 1
  %triple = mul i32 %a, 3
  %one = call i32 @NAME_again(i32 %less, i32 %triple)
  %odd = and i32 %n, 1
  %is.odd = icmp ne i32 %odd, 0
  br i1 %is.odd, label %twice, label %once
twice:
  %mixed = xor i32 %one, %n
  %two = call i32 @NAME_again(i32 %less, i32 %mixed)
  br label %once
once:
  %result = phi i32 [ %one, %more ], [ %two, %twice ]
  ret i32 %result
end:
  ret i32 %a
}
define internal i64 @NAME_list(i32 %count, ...) noinline {
  %list = alloca [32 x i8], align 16
  call void @llvm.va_start.p0(ptr %list)
  br label %head
head:
  %at = phi i32 [ 0, %0 ], [ %next, %body ]
  %sum = phi i64 [ 1, %0 ], [ %more, %body ]
  %goes.on = icmp ult i32 %at, %count
  br i1 %goes.on, label %body, label %end
body:
  %one = va_arg ptr %list, i64
  %turned = call i64 @llvm.fshl.i64(i64 %sum, i64 %sum, i64 7)
  %more = add i64 %turned, %one
  %next = add i32 %at, 1
  br label %head
end:
  call void @llvm.va_end.p0(ptr %list)
  ret i64 %sum
}
";

impl Generator {
    /// One of the statements of this file.
    pub(super) fn compound(&mut self) {
        match self.rng.u8(..12) {
            0 | 1 => self.aggregate(),
            2 => self.same_bits(),
            3 => self.flagged(),
            4 => self.constrained(),
            5 => self.exponent(),
            6 => self.fixed_point(),
            7 if !self.objects.is_empty() => self.scattered(),
            8 if !self.objects.is_empty() => self.copy_of_any_length(),
            9 if !self.objects.is_empty() => self.float_atomic(),
            10 if !self.objects.is_empty() => self.atomic_access(),
            _ => self.fixed_call(),
        }
    }

    /// Two aggregates, one of them chosen, taken apart again.
    fn aggregate(&mut self) {
        let (a, b) = (Ty::any(&mut self.rng), Ty::any(&mut self.rng));
        let text = format!("{{ {}, [2 x {}] }}", a.text(), b.text());
        let whole = |this: &mut Self| {
            let mut whole = "poison".to_owned();
            for (place, ty) in [("0", a), ("1, 0", b), ("1, 1", b)] {
                let value = this.operand(ty);
                whole = this.emit(&format!("insertvalue {text} {whole}, {} {value}, {place}", ty.text()));
            }
            whole
        };
        let (one, other) = (whole(self), whole(self));
        let which = self.operand(Ty::int(1));
        let chosen = self.emit(&format!("select i1 {which}, {text} {one}, {text} {other}"));
        self.define(a, &format!("extractvalue {text} {chosen}, 0"));
        let array = self.emit(&format!("extractvalue {text} {chosen}, 1"));
        let at = self.rng.u8(..2);
        self.define(b, &format!("extractvalue [2 x {}] {array}, {at}", b.text()));
    }

    /// A vector as an integer, and an integer as a vector.
    fn same_bits(&mut self) {
        let mut ty = Ty::any(&mut self.rng);
        let lanes = self.rng.u32(2..=4);
        if ty.element.bits() > 32 || !ty.element.bits().is_multiple_of(8) {
            ty.element = Element::Int(32);
        }
        let ty = Ty { lanes: Some(lanes), ..ty };
        let whole = Ty::int(lanes * ty.element.bits());
        if self.rng.bool() && ty.element.is_int() {
            let value = self.operand(whole);
            self.define(ty, &format!("bitcast {} {value} to {}", whole.text(), ty.text()));
            return;
        }
        let value = self.operand(ty);
        let (_, value) = self.canonical(ty, &value);
        self.define(whole, &format!("bitcast {} {value} to {}", ty.text(), whole.text()));
    }

    /// Arithmetic that promises not to overflow, on numbers that are small enough.
    fn flagged(&mut self) {
        let ty = self.int_type();
        if ty.element.bits() < 7 {
            return;
        }
        let (text, two) = (ty.text(), ty.splat("2"));
        let (a, b) = (self.operand(ty), self.operand(ty));
        let a = self.emit(&format!("lshr {text} {a}, {two}"));
        let b = self.emit(&format!("lshr {text} {b}, {two}"));
        let one = ty.splat("1");
        let instruction = match self.rng.u8(..6) {
            0 => format!("add nuw nsw {text} {a}, {b}"),
            1 => format!("sub nsw {text} {a}, {b}"),
            2 => format!("shl nuw nsw {text} {a}, {one}"),
            3 => {
                let even = self.emit(&format!("shl nuw nsw {text} {a}, {one}"));
                format!("lshr exact {text} {even}, {one}")
            }
            4 => {
                let even = self.emit(&format!("shl nuw nsw {text} {b}, {one}"));
                let low = self.emit(&format!("and {text} {a}, {one}"));
                format!("or disjoint {text} {even}, {low}")
            }
            _ => {
                let even = self.emit(&format!("shl nuw nsw {text} {a}, {one}"));
                format!("udiv exact {text} {even}, {two}")
            }
        };
        self.define(ty, &instruction);
    }

    /// Arithmetic that names its rounding.
    fn constrained(&mut self) {
        let element = if self.rng.bool() { Element::Float } else { Element::Double };
        let ty = Ty { element, lanes: None };
        let (text, suffix) = (ty.text(), ty.suffix());
        let (a, b) = (self.operand(ty), self.operand(ty));
        let word = ["fadd", "fsub", "fmul", "fdiv"][self.rng.usize(..4)];
        self.define(
            ty,
            &format!(
                "call {text} @llvm.experimental.constrained.{word}.{suffix}({text} {a}, {text} {b}, \
                 metadata !\"round.tonearest\", metadata !\"fpexcept.ignore\")"
            ),
        );
    }

    /// The value, or one where it is infinite or no number.
    pub(super) fn finite(&mut self, ty: Ty) -> String {
        let (text, value) = (ty.text(), self.operand(ty));
        let truth = ty.of(Element::Int(1)).text();
        // Not one of the NaNs and infinities.
        let finite =
            self.emit(&format!("call {truth} @llvm.is.fpclass.{}({text} {value}, i32 504)", ty.suffix()));
        let one = ty.splat("1.0");
        self.emit(&format!("select {truth} {finite}, {text} {value}, {text} {one}"))
    }

    fn exponent(&mut self) {
        let element = if self.rng.bool() { Element::Float } else { Element::Double };
        let ty = Ty { element, lanes: None };
        let value = self.finite(ty);
        let (text, suffix) = (ty.text(), ty.suffix());
        if self.rng.bool() {
            let other = self.finite(ty);
            let word = if self.rng.bool() { "minimumnum" } else { "maximumnum" };
            self.define(ty, &format!("call {text} @llvm.{word}.{suffix}({text} {value}, {text} {other})"));
            return;
        }
        let both = self.emit(&format!("call {{ {text}, i32 }} @llvm.frexp.{suffix}.i32({text} {value})"));
        self.define(ty, &format!("extractvalue {{ {text}, i32 }} {both}, 0"));
        self.define(Ty::int(32), &format!("extractvalue {{ {text}, i32 }} {both}, 1"));
    }

    fn fixed_point(&mut self) {
        let bits = *self.rng.choice(&[8, 16, 32]).unwrap_or(&32);
        let ty = Ty::int(bits);
        let (a, b) = (self.operand(ty), self.operand(ty));
        // Without saturation what does not fit is undefined.
        let word = if self.rng.bool() { "smul.fix.sat" } else { "umul.fix.sat" };
        let scale = self.rng.u32(1..bits);
        self.define(ty, &format!("call i{bits} @llvm.{word}.i{bits}(i{bits} {a}, i{bits} {b}, i32 {scale})"));
    }

    /// Loads or stores at addresses in a vector. Of stores to one place the last element's stays.
    fn scattered(&mut self) {
        let lanes = self.rng.u32(2..=4);
        let ty = Ty { element: Element::Int(32), lanes: Some(lanes) };
        let mask = self.operand(ty.of(Element::Int(1)));
        let (indices, value) = (self.operand(ty), self.operand(ty));
        let gathers = self.rng.bool();
        let fitting: Vec<_> = self.objects.iter().filter(|o| o.written || gathers).cloned().collect();
        let Some(object) = fitting.get(self.rng.usize(..fitting.len().max(1))).cloned() else { return };
        let most = ty.splat(&(object.bytes / 4 - 1).to_string());
        let indices = self.emit(&format!("and {} {indices}, {most}", ty.text()));
        let places = self.emit(&format!(
            "getelementptr i32, {} {}, {} {indices}",
            object.ty,
            object.pointer,
            ty.text()
        ));
        let space = space_of(object.ty);
        let (text, truth) = (ty.text(), ty.of(Element::Int(1)).text());
        if gathers {
            self.define(
                ty,
                &format!(
                    "call {text} @llvm.masked.gather.v{lanes}i32.v{lanes}p{space}(<{lanes} x {}> align 4 {places}, {truth} {mask}, {text} {value})",
                    object.ty
                ),
            );
            return;
        }
        self.effect(&format!(
            "call void @llvm.masked.scatter.v{lanes}i32.v{lanes}p{space}({text} {value}, <{lanes} x {}> align 4 {places}, {truth} {mask})",
            object.ty
        ));
    }

    /// Moves or fills as many bytes as a value says.
    fn copy_of_any_length(&mut self) {
        let half = OBJECT / 2;
        let (to, to_ty, _) = self.place(true, half);
        let (from, from_ty, _) = self.place(false, half);
        let size = self.operand(Ty::int(64));
        let size = self.emit(&format!("urem i64 {size}, {}", half + 1));
        if self.rng.u8(..3) == 0 {
            let value = self.operand(Ty::int(8));
            let space = space_of(to_ty);
            self.effect(&format!(
                "call void @llvm.memset.p{space}.i64({to_ty} {to}, i8 {value}, i64 {size}, i1 false)"
            ));
            return;
        }
        self.effect(&format!(
            "call void @llvm.memmove.p{}.p{}.i64({to_ty} {to}, {from_ty} {from}, i64 {size}, i1 false)",
            space_of(to_ty),
            space_of(from_ty)
        ));
    }

    /// A place of a size within an object that can be written, as aligned as a value of the size.
    fn aligned_place(&mut self, size: u32) -> (String, &'static str) {
        let fitting: Vec<_> = self.objects.iter().filter(|o| o.written).cloned().collect();
        let object = fitting[self.rng.usize(..fitting.len())].clone();
        let at = self.index(object.bytes / size);
        let at = self.emit(&format!("mul i32 {at}, {size}"));
        (self.emit(&format!("getelementptr i8, {} {}, i32 {at}", object.ty, object.pointer)), object.ty)
    }

    /// An atomic operation on a number, after which no NaN is in memory. (PTX adds `.f32` with subnormals flushed.)
    fn float_atomic(&mut self) {
        let ty = Ty { element: Element::Double, lanes: None };
        // Zeros of both signs are equal to `fmin` and `fmax`: adding zero leaves one of them.
        let no_sign = |this: &mut Self| {
            let value = this.finite(ty);
            this.emit(&format!("fadd double {value}, 0.0"))
        };
        let (a, b) = (no_sign(self), no_sign(self));
        let (place, pointer) = self.aligned_place(8);
        let op = ["fadd", "fsub", "fmax", "fmin", "xchg"][self.rng.usize(..5)];
        self.effect(&format!("store double {a}, {pointer} {place}"));
        self.define(ty, &format!("atomicrmw {op} {pointer} {place}, double {b} monotonic"));
        self.define(ty, &format!("load double, {pointer} {place}"));
    }

    /// An atomic or volatile load or store.
    fn atomic_access(&mut self) {
        let bits = *self.rng.choice(&[8, 16, 32, 64]).unwrap_or(&32);
        let (ty, size) = (Ty::int(bits), bits / 8);
        let (place, pointer) = self.aligned_place(size);
        let text = ty.text();
        match self.rng.u8(..3) {
            0 => self.define(ty, &format!("load volatile {text}, {pointer} {place}")),
            1 => {
                let order = ["unordered", "monotonic", "acquire", "seq_cst"][self.rng.usize(..4)];
                self.define(ty, &format!("load atomic {text}, {pointer} {place} {order}, align {size}"));
            }
            _ => {
                let value = self.operand(ty);
                let order = ["unordered", "monotonic", "release", "seq_cst"][self.rng.usize(..4)];
                self.effect(&format!("store atomic {text} {value}, {pointer} {place} {order}, align {size}"));
            }
        }
    }

    /// A call of one of [`FIXED`].
    fn fixed_call(&mut self) {
        let name = self.name.clone();
        match self.rng.u8(..3) {
            // In a loop the stack would grow.
            0 if self.depth == 0 => {
                let copied = self.emit("alloca [4 x i32], align 4");
                let result = self.emit("alloca [2 x i64], align 8");
                let ty = Ty { element: Element::Int(32), lanes: Some(4) };
                let (value, x) = (self.operand(ty), self.operand(Ty::int(32)));
                self.effect(&format!("store <4 x i32> {value}, ptr {copied}, align 4"));
                self.effect(&format!(
                    "call void @{name}_copy(ptr sret([2 x i64]) align 8 {result}, ptr byval([4 x i32]) align 4 {copied}, i32 {x})"
                ));
                self.define(ty, &format!("load <4 x i32>, ptr {copied}, align 4"));
                let both = Ty { element: Element::Int(64), lanes: Some(2) };
                self.define(both, &format!("load <2 x i64>, ptr {result}, align 8"));
            }
            1 => {
                let (n, a) = (self.operand(Ty::int(32)), self.operand(Ty::int(32)));
                let n = self.emit(&format!("and i32 {n}, 5"));
                self.define(Ty::int(32), &format!("call i32 @{name}_again(i32 {n}, i32 {a})"));
            }
            _ => {
                let count = self.rng.u32(..5);
                let mut list = String::new();
                for _ in 0..count {
                    list += &format!(", i64 {}", self.operand(Ty::int(64)));
                }
                self.define(Ty::int(64), &format!("call i64 (i32, ...) @{name}_list(i32 {count}{list})"));
            }
        }
    }
}

/// The number of a pointer type's address space.
pub(super) fn space_of(ty: &str) -> &str {
    ty.strip_prefix("ptr addrspace(").map_or("0", |rest| rest.trim_end_matches(')'))
}
