//! Single statements and operands.

use super::generate::{Generator, OBJECT, result_text};
use super::ty::{Element, Ty, low_ones};

/// The operations of `atomicrmw` on integers.
pub const INTEGER_ATOMICS: &[&str] = &[
    "xchg",
    "add",
    "sub",
    "and",
    "nand",
    "or",
    "xor",
    "max",
    "min",
    "umax",
    "umin",
    "uinc_wrap",
    "udec_wrap",
    "usub_cond",
    "usub_sat",
];

impl Generator {
    /// A value of a type: one that is there, a constant, or one made of others.
    pub(super) fn operand(&mut self, ty: Ty) -> String {
        let fitting: Vec<String> =
            self.values.iter().filter(|(held, _)| *held == ty).map(|(_, name)| name.clone()).collect();
        match self.rng.u8(..10) {
            0..=5 if !fitting.is_empty() => {
                // Late values more often than early ones.
                let at = self.rng.usize(..fitting.len()).max(self.rng.usize(..fitting.len()));
                fitting[at].clone()
            }
            6 => ty.constant(&mut self.rng),
            _ => self.made(ty),
        }
    }

    /// A value of a type made of one of another type.
    fn made(&mut self, ty: Ty) -> String {
        let element = ty.element;
        if let Some(lanes) = ty.lanes {
            let other = self.values.iter().rev().find(|(held, _)| held.lanes == ty.lanes).cloned();
            if let (Some((from, value)), true) = (other, self.rng.bool()) {
                return self.converted(from, &value, ty);
            }
            let scalar = Ty::scalar(element);
            let mut whole = ty.constant(&mut self.rng);
            for at in 0..lanes.min(2) {
                let part = self.pick_scalar(scalar);
                whole = self.emit(&format!(
                    "insertelement {} {whole}, {} {part}, i32 {at}",
                    ty.text(),
                    scalar.text()
                ));
            }
            return whole;
        }
        self.pick_scalar(ty)
    }

    fn pick_scalar(&mut self, ty: Ty) -> String {
        let scalars: Vec<(Ty, String)> =
            self.values.iter().filter(|(held, _)| held.lanes.is_none()).cloned().collect();
        if scalars.is_empty() || self.rng.u8(..4) == 0 {
            return match ty.is_whole() {
                true if !self.objects.is_empty() => self.load(ty),
                _ => ty.constant(&mut self.rng),
            };
        }
        let (from, value) = scalars[self.rng.usize(..scalars.len())].clone();
        self.converted(from, &value, ty)
    }

    /// A value as another type of the same shape, by a conversion that is defined for all values.
    fn converted(&mut self, from: Ty, value: &str, to: Ty) -> String {
        let (a, b) = (from.element.bits(), to.element.bits());
        let cast = |word: &str| format!("{word} {} {value} to {}", from.text(), to.text());
        // Hosts do not convert wider integers.
        let widest = from.of(Element::Int(128));
        if from.element.is_int() != to.element.is_int() && a.max(b) > 128 {
            let value = self.converted(from, value, widest);
            return self.converted(widest, &value, to);
        }
        let instruction = match (from.element.is_int(), to.element.is_int()) {
            _ if from == to => return value.to_owned(),
            (true, true) if a < b => cast(if self.rng.bool() { "zext" } else { "sext" }),
            (true, true) => cast("trunc"),
            (true, false) if a == b && self.rng.u8(..4) == 0 => cast("bitcast"),
            (true, false) => {
                let word = if self.rng.bool() { "uitofp" } else { "sitofp" };
                if b == 16 && a > 24 {
                    // Backends of hosts round twice on the way to 16 bits, so that is written down.
                    let single = from.of(Element::Float);
                    let wide = self.emit(&format!("{word} {} {value} to {}", from.text(), single.text()));
                    return self.converted(single, &wide, to);
                }
                cast(word)
            }
            (false, true) if a == b && self.rng.u8(..4) == 0 => {
                let (_, same) = self.canonical(from, value);
                format!("bitcast {} {same} to {}", from.text(), to.text())
            }
            (false, true) => {
                let word = if self.rng.bool() { "fptosi" } else { "fptoui" };
                format!(
                    "call {} @llvm.{word}.sat.{}.{}({} {value})",
                    to.text(),
                    to.suffix(),
                    from.suffix(),
                    from.text()
                )
            }
            (false, false) if a < b => cast("fpext"),
            (false, false) if from.element == Element::Double && to.element == Element::BFloat => {
                // Hosts have no function for both at once.
                let single = from.of(Element::Float);
                let less = self.emit(&format!("fptrunc {} {value} to {}", from.text(), single.text()));
                return self.converted(single, &less, to);
            }
            (false, false) if a > b => cast("fptrunc"),
            (false, false) => {
                // From one 16-bit format to the other.
                let single = from.of(Element::Float);
                let wide = self.emit(&format!("fpext {} {value} to {}", from.text(), single.text()));
                return self.converted(single, &wide, to);
            }
        };
        self.emit(&instruction)
    }

    /// A type of integers, with its shape.
    pub(super) fn int_type(&mut self) -> Ty {
        loop {
            let ty = Ty::any(&mut self.rng);
            if ty.element.is_int() {
                return ty;
            }
        }
    }

    fn float_type(&mut self) -> Ty {
        loop {
            let ty = Ty::any(&mut self.rng);
            if !ty.element.is_int() {
                return ty;
            }
        }
    }

    /// One statement without control flow.
    pub(super) fn statement(&mut self) {
        match self.rng.u8(..57) {
            46..=48 => self.constant_address(),
            49 | 50 => self.edge(),
            51..=53 => self.special_variable(),
            54.. => self.assembly(),
            38..=41 => self.lanes(),
            42..=45 => self.object(),
            32..=37 => self.compound(),
            0..=4 => self.integer_arithmetic(),
            5 | 6 => self.shift(),
            7 => self.division(),
            8 | 9 => self.comparison(),
            10 | 11 => self.choice(),
            12 | 13 => self.conversion(),
            14..=16 => self.integer_intrinsic(),
            17..=19 => self.float_arithmetic(),
            20 => self.float_intrinsic(),
            21 | 22 => self.vector(),
            23 | 24 if !self.objects.is_empty() => self.access(),
            30 if !self.objects.is_empty() => self.masked(),
            31 if !self.objects.is_empty() => self.structure(),
            25 if !self.objects.is_empty() => self.bulk(),
            26 if !self.objects.is_empty() => self.atomic(),
            27 if !self.helpers.is_empty() => self.call(),
            28 => self.overflow(),
            _ => {
                let ty = Ty::any(&mut self.rng);
                let value = self.operand(ty);
                self.define(ty, &format!("freeze {} {value}", ty.text()));
            }
        }
    }

    fn integer_arithmetic(&mut self) {
        let ty = self.int_type();
        let (a, b) = (self.operand(ty), self.operand(ty));
        let op = ["add", "sub", "mul", "and", "or", "xor", "add", "sub"][self.rng.usize(..8)];
        self.define(ty, &format!("{op} {} {a}, {b}", ty.text()));
    }

    fn shift(&mut self) {
        let ty = self.int_type();
        let bits = ty.element.bits();
        let (a, b) = (self.operand(ty), self.operand(ty));
        let text = ty.text();
        // Amounts not below the width are poison.
        let amount = if bits == 1 {
            ty.splat("false")
        } else if bits.is_power_of_two() {
            let most = ty.splat(&(bits - 1).to_string());
            self.emit(&format!("and {text} {b}, {most}"))
        } else {
            // A width of 3 or 7 does not fit its own type as a signed number; its bits do.
            let width = ty.splat(&bits.to_string());
            if bits < 4 { ty.splat("1") } else { self.emit(&format!("urem {text} {b}, {width}")) }
        };
        let op = ["shl", "lshr", "ashr"][self.rng.usize(..3)];
        self.define(ty, &format!("{op} {text} {a}, {amount}"));
    }

    fn division(&mut self) {
        let ty = self.int_type();
        let bits = ty.element.bits();
        if bits == 1 {
            return;
        }
        let text = ty.text();
        let (a, b) = (self.operand(ty), self.operand(ty));
        let op = ["udiv", "urem", "sdiv", "srem"][self.rng.usize(..4)];
        // Divisors are neither zero nor negative one.
        let b = if op.starts_with('s') {
            let positive = ty.splat(&low_ones(bits - 1));
            self.emit(&format!("and {text} {b}, {positive}"))
        } else {
            b
        };
        let one = ty.splat("1");
        let b = self.emit(&format!("or {text} {b}, {one}"));
        self.define(ty, &format!("{op} {text} {a}, {b}"));
    }

    fn comparison(&mut self) {
        let ty = Ty::any(&mut self.rng);
        let (a, b) = (self.operand(ty), self.operand(ty));
        let instruction = if ty.element.is_int() {
            let all = ["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"];
            format!("icmp {} {} {a}, {b}", all[self.rng.usize(..all.len())], ty.text())
        } else {
            let all = [
                "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
                "uno",
            ];
            format!("fcmp {} {} {a}, {b}", all[self.rng.usize(..all.len())], ty.text())
        };
        self.define(ty.of(Element::Int(1)), &instruction);
    }

    fn choice(&mut self) {
        let ty = Ty::any(&mut self.rng);
        let (a, b) = (self.operand(ty), self.operand(ty));
        let truth = if self.rng.bool() { ty.of(Element::Int(1)) } else { Ty::int(1) };
        let condition = self.operand(truth);
        let text = ty.text();
        self.define(ty, &format!("select {} {condition}, {text} {a}, {text} {b}", truth.text()));
    }

    fn conversion(&mut self) {
        let to = Ty::any(&mut self.rng);
        let shaped: Vec<(Ty, String)> =
            self.values.iter().filter(|(held, _)| held.lanes == to.lanes).cloned().collect();
        if let Some((from, value)) = shaped.get(self.rng.usize(..shaped.len().max(1))).cloned() {
            let value = self.converted(from, &value, to);
            self.values.push((to, value));
        }
    }

    fn integer_intrinsic(&mut self) {
        let ty = self.int_type();
        let (text, suffix, bits) = (ty.text(), ty.suffix(), ty.element.bits());
        let (a, b, c) = (self.operand(ty), self.operand(ty), self.operand(ty));
        let one = |word: &str| format!("call {text} @llvm.{word}.{suffix}({text} {a})");
        let flagged = |word: &str| format!("call {text} @llvm.{word}.{suffix}({text} {a}, i1 false)");
        let two = |word: &str| format!("call {text} @llvm.{word}.{suffix}({text} {a}, {text} {b})");
        let ordered = |word: &str| {
            let truth = ty.of(Element::Int(8));
            let (r, v) = (truth.text(), truth.suffix());
            format!("call {r} @llvm.{word}.{v}.{suffix}({text} {a}, {text} {b})")
        };
        let instruction = match self.rng.u8(..19) {
            16 | 17 => {
                let word = if self.rng.bool() { "scmp" } else { "ucmp" };
                self.define(ty.of(Element::Int(8)), &ordered(word));
                return;
            }
            18 => {
                // Amounts not below the width are poison.
                let amount = ty.splat(if bits == 1 { "false" } else { "1" });
                let word = if self.rng.bool() { "sshl.sat" } else { "ushl.sat" };
                format!("call {text} @llvm.{word}.{suffix}({text} {a}, {text} {amount})")
            }
            0 => one("ctpop"),
            1 => flagged("ctlz"),
            2 => flagged("cttz"),
            3 if bits % 16 == 0 => one("bswap"),
            4 => one("bitreverse"),
            5 => flagged("abs"),
            // Hosts divide the amount by the width, and cannot where both are wider than 128 bits.
            6 | 7 if bits <= 128 || bits.is_power_of_two() => {
                let word = if self.rng.bool() { "fshl" } else { "fshr" };
                format!("call {text} @llvm.{word}.{suffix}({text} {a}, {text} {b}, {text} {c})")
            }
            8 => two("smax"),
            9 => two("smin"),
            10 => two("umax"),
            11 => two("umin"),
            12 => two("sadd.sat"),
            13 => two("uadd.sat"),
            14 => two("ssub.sat"),
            _ => two("usub.sat"),
        };
        self.define(ty, &instruction);
    }

    fn overflow(&mut self) {
        let ty = Ty { lanes: None, ..self.int_type() };
        let (text, suffix) = (ty.text(), ty.suffix());
        let (a, b) = (self.operand(ty), self.operand(ty));
        let words = ["sadd", "uadd", "ssub", "usub", "smul", "umul"];
        let word = words[self.rng.usize(..words.len())];
        let both = self.emit(&format!(
            "call {{ {text}, i1 }} @llvm.{word}.with.overflow.{suffix}({text} {a}, {text} {b})"
        ));
        self.define(ty, &format!("extractvalue {{ {text}, i1 }} {both}, 0"));
        self.define(Ty::int(1), &format!("extractvalue {{ {text}, i1 }} {both}, 1"));
    }

    fn float_arithmetic(&mut self) {
        let ty = self.float_type();
        let text = ty.text();
        let (a, b) = (self.operand(ty), self.operand(ty));
        let op = ["fadd", "fsub", "fmul", "fdiv", "fadd", "fmul", "fneg", "frem"][self.rng.usize(..8)];
        if op == "frem" && ty.element.bits() < 32 {
            return;
        }
        if op == "fneg" {
            self.define(ty, &format!("fneg {text} {a}"));
        } else {
            self.define(ty, &format!("{op} {text} {a}, {b}"));
        }
    }

    fn float_intrinsic(&mut self) {
        let ty = self.float_type();
        let (text, suffix) = (ty.text(), ty.suffix());
        let (a, b, c) = (self.operand(ty), self.operand(ty), self.operand(ty));
        let one = |word: &str| format!("call {text} @llvm.{word}.{suffix}({text} {a})");
        let two = |word: &str| format!("call {text} @llvm.{word}.{suffix}({text} {a}, {text} {b})");
        let instruction = match self.rng.u8(..14) {
            11 => {
                // Zeros of both signs are equal to `minnum`: adding zero leaves one of them.
                let zero = ty.splat("0.0");
                let a = self.emit(&format!("fadd {text} {a}, {zero}"));
                let b = self.emit(&format!("fadd {text} {b}, {zero}"));
                let word = if self.rng.bool() { "minnum" } else { "maxnum" };
                format!("call {text} @llvm.{word}.{suffix}({text} {a}, {text} {b})")
            }
            12 => {
                // Which kind of NaN it is is open, so both are asked for or none.
                let classes = (self.rng.u32(..256) << 2) | if self.rng.bool() { 3 } else { 0 };
                let truth = ty.of(Element::Int(1));
                let call =
                    format!("call {} @llvm.is.fpclass.{suffix}({text} {a}, i32 {classes})", truth.text());
                self.define(truth, &call);
                return;
            }
            13 if ty.lanes.is_none() && ty.element.bits() >= 32 => {
                let power = self.operand(Ty::int(32));
                let power = self.emit(&format!("srem i32 {power}, 300"));
                format!("call {text} @llvm.ldexp.{suffix}.i32({text} {a}, i32 {power})")
            }
            // Backends of hosts round those of 16 bits twice.
            0 if ty.element.bits() > 16 => {
                format!("call {text} @llvm.fma.{suffix}({text} {a}, {text} {b}, {text} {c})")
            }
            0 | 1 => one("sqrt"),
            2 => one("floor"),
            3 => one("ceil"),
            4 => one("trunc"),
            5 => one("rint"),
            6 => one("roundeven"),
            7 => one("fabs"),
            8 => two("minimum"),
            9 => two("maximum"),
            // The sign of a NaN is open.
            _ => {
                let (_, sign) = self.canonical(ty, &b);
                format!("call {text} @llvm.copysign.{suffix}({text} {a}, {text} {sign})")
            }
        };
        self.define(ty, &instruction);
    }

    fn vector(&mut self) {
        let mut ty = Ty::any(&mut self.rng);
        if ty.element.bits() > 64 {
            ty.element = Element::Int(32);
        }
        let lanes = self.rng.u32(2..=5);
        let ty = Ty { lanes: Some(lanes), ..ty };
        let (text, scalar) = (ty.text(), Ty::scalar(ty.element));
        let a = self.operand(ty);
        match self.rng.u8(..6) {
            0 => {
                let at = self.rng.u32(..lanes);
                self.define(scalar, &format!("extractelement {text} {a}, i32 {at}"));
            }
            1 => {
                let at = self.index(lanes);
                self.define(scalar, &format!("extractelement {text} {a}, i32 {at}"));
            }
            2 => {
                let (at, part) = (self.index(lanes), self.operand(scalar));
                self.define(ty, &format!("insertelement {text} {a}, {} {part}, i32 {at}", scalar.text()));
            }
            3 | 4 => {
                let b = self.operand(ty);
                let count = self.rng.u32(2..=5);
                let mask: Vec<String> =
                    (0..count).map(|_| format!("i32 {}", self.rng.u32(..2 * lanes))).collect();
                let result = Ty { lanes: Some(count), ..ty };
                self.define(
                    result,
                    &format!("shufflevector {text} {a}, {text} {b}, <{count} x i32> <{}>", mask.join(", ")),
                );
            }
            _ if ty.element.is_int() => {
                let words = ["add", "mul", "and", "or", "xor", "smax", "smin", "umax", "umin"];
                let word = words[self.rng.usize(..words.len())];
                self.define(
                    scalar,
                    &format!("call {} @llvm.vector.reduce.{word}.{}({text} {a})", scalar.text(), ty.suffix()),
                );
            }
            _ => {
                let start = self.operand(scalar);
                let (s, v) = (scalar.text(), ty.suffix());
                self.define(
                    scalar,
                    &format!("call {s} @llvm.vector.reduce.fadd.{v}({s} {start}, {text} {a})"),
                );
            }
        }
    }

    /// A number below `count` that is known at run time alone.
    pub(super) fn index(&mut self, count: u32) -> String {
        let value = self.operand(Ty::int(32));
        self.emit(&format!("urem i32 {value}, {count}"))
    }

    /// A generic pointer to one of two places, chosen at run time.
    fn either_place(&mut self, size: u32) -> (String, &'static str, u32) {
        let generic = |this: &mut Self| {
            let (place, ty, align) = this.place(true, size);
            let place =
                if ty == "ptr" { place } else { this.emit(&format!("addrspacecast {ty} {place} to ptr")) };
            (place, align)
        };
        let ((a, a_align), (b, b_align)) = (generic(self), generic(self));
        let which = self.operand(Ty::int(1));
        (self.emit(&format!("select i1 {which}, ptr {a}, ptr {b}")), "ptr", a_align.min(b_align))
    }

    /// Loads or stores the elements that a mask names.
    fn masked(&mut self) {
        let lanes = self.rng.u32(2..=4);
        let element =
            *self.rng.choice(&[Element::Int(8), Element::Int(32), Element::Float]).unwrap_or(&Element::Float);
        let ty = Ty { element, lanes: Some(lanes) };
        let mask_ty = ty.of(Element::Int(1));
        let (mask, value) = (self.operand(mask_ty), self.operand(ty));
        let (place, pointer, align) = self.place(true, ty.bytes());
        let space = pointer.strip_prefix("ptr addrspace(").map_or("0", |rest| rest.trim_end_matches(')'));
        let (text, suffix, truth) = (ty.text(), ty.suffix(), mask_ty.text());
        if self.rng.bool() {
            self.define(
                ty,
                &format!(
                    "call {text} @llvm.masked.load.{suffix}.p{space}({pointer} align {align} {place}, {truth} {mask}, {text} {value})"
                ),
            );
            return;
        }
        let (_, value) = self.canonical(ty, &value);
        self.effect(&format!(
            "call void @llvm.masked.store.{suffix}.p{space}({text} {value}, {pointer} align {align} {place}, {truth} {mask})"
        ));
    }

    /// A structure in memory.
    fn structure(&mut self) {
        let fields: Vec<Ty> = (0..self.rng.u32(2..4))
            .map(|_| Ty::int(*self.rng.choice(&[8, 16, 32, 64]).unwrap_or(&32)))
            .collect();
        let packed = self.rng.bool();
        let list: Vec<String> = fields.iter().map(|ty| ty.text()).collect();
        let list = list.join(", ");
        let text = if packed { format!("<{{ {list} }}>") } else { format!("{{ {list} }}") };
        let size = if packed { fields.iter().map(|ty| ty.bytes()).sum() } else { 8 * fields.len() as u32 };
        let (place, pointer, align) = self.place(true, size);
        let align = if packed { 1 } else { align.min(8) };
        if self.rng.bool() && !packed {
            // What lies between the fields is open, so they are stored one by one.
            for (at, &ty) in fields.iter().enumerate() {
                let value = self.operand(ty);
                let field = self.emit(&format!("getelementptr {text}, {pointer} {place}, i32 0, i32 {at}"));
                self.effect(&format!("store {} {value}, {pointer} {field}, align 1", ty.text()));
            }
            return;
        }
        if align < 8 {
            // Of a load of all fields LLVM 22's InstCombine forgets the alignment when it takes one out.
            for (at, &ty) in fields.iter().enumerate() {
                let field = self.emit(&format!("getelementptr {text}, {pointer} {place}, i32 0, i32 {at}"));
                self.define(ty, &format!("load {}, {pointer} {field}, align 1", ty.text()));
            }
            return;
        }
        let whole = self.emit(&format!("load {text}, {pointer} {place}, align {align}"));
        for (at, &ty) in fields.iter().enumerate() {
            self.define(ty, &format!("extractvalue {text} {whole}, {at}"));
        }
    }

    /// A place in an object for so many bytes, with its alignment.
    pub(super) fn place(&mut self, written: bool, size: u32) -> (String, &'static str, u32) {
        let fitting: Vec<_> =
            self.objects.iter().filter(|o| (o.written || !written) && o.bytes >= size).cloned().collect();
        let object = fitting[self.rng.usize(..fitting.len())].clone();
        let room = object.bytes - size;
        // As aligned as a value of the size may be, or by chance.
        let natural = if size.is_power_of_two() { size.min(16) } else { 1 };
        let align = if self.rng.bool() { natural } else { 1 };
        let offset = if self.rng.bool() || room == 0 {
            (self.rng.u32(..=room) / align * align).to_string()
        } else {
            let at = self.index(room / align + 1);
            self.emit(&format!("mul i32 {at}, {align}"))
        };
        let place = self.emit(&format!("getelementptr i8, {} {}, i32 {offset}", object.ty, object.pointer));
        if self.rng.u8(..4) > 0 {
            return (place, object.ty, align);
        }
        // Too far, and back.
        let further = self.rng.u32(1..200);
        let place = self.emit(&format!("getelementptr i8, {} {place}, i64 {further}", object.ty));
        let place = self.emit(&format!("getelementptr i8, {} {place}, i64 -{further}", object.ty));
        (place, object.ty, align)
    }

    fn load(&mut self, ty: Ty) -> String {
        let (place, pointer, align) = self.place(false, ty.bytes());
        self.emit(&format!("load {}, {pointer} {place}, align {align}", ty.text()))
    }

    fn access(&mut self) {
        let ty = Ty::any_whole(&mut self.rng);
        if self.rng.bool() {
            let value = self.load(ty);
            self.values.push((ty, value));
            return;
        }
        let value = self.operand(ty);
        let (ty, value) = self.storable(ty, &value);
        let (place, pointer, align) =
            if self.rng.u8(..4) == 0 { self.either_place(ty.bytes()) } else { self.place(true, ty.bytes()) };
        let volatile = if self.rng.u8(..6) == 0 { "volatile " } else { "" };
        self.effect(&format!("store {volatile}{} {value}, {pointer} {place}, align {align}", ty.text()));
    }

    /// Copies or fills memory.
    fn bulk(&mut self) {
        let size = self.rng.u32(1..=OBJECT / 2);
        let (to, to_ty, to_align) = self.place(true, size);
        let space = |ty: &str| {
            ty.strip_prefix("ptr addrspace(").map_or("0", |rest| rest.trim_end_matches(')')).to_owned()
        };
        if self.rng.bool() {
            let value = self.operand(Ty::int(8));
            self.effect(&format!(
                "call void @llvm.memset.p{}.i64({to_ty} align {to_align} {to}, i8 {value}, i64 {size}, i1 false)",
                space(to_ty)
            ));
            return;
        }
        let (from, from_ty, from_align) = self.place(false, size);
        // The two may overlap.
        self.effect(&format!(
            "call void @llvm.memmove.p{}.p{}.i64({to_ty} align {to_align} {to}, {from_ty} align {from_align} {from}, i64 {size}, i1 false)",
            space(to_ty),
            space(from_ty)
        ));
    }

    /// An atomic operation on memory of the thread's own.
    fn atomic(&mut self) {
        let bits = *self.rng.choice(&[8, 16, 32, 64]).unwrap_or(&32);
        let (ty, size) = (Ty::int(bits), bits / 8);
        let fitting: Vec<_> = self.objects.iter().filter(|o| o.written).cloned().collect();
        let object = fitting[self.rng.usize(..fitting.len())].clone();
        let at = self.index(object.bytes / size);
        let place = self.emit(&format!("getelementptr i{bits}, {} {}, i32 {at}", object.ty, object.pointer));
        let order = ["monotonic", "acquire", "release", "acq_rel", "seq_cst"][self.rng.usize(..5)];
        let value = self.operand(ty);
        if self.rng.u8(..5) == 0 {
            let other = self.operand(ty);
            let old = self.emit(&format!(
                "cmpxchg {} {place}, i{bits} {other}, i{bits} {value} {order} monotonic",
                object.ty
            ));
            self.define(ty, &format!("extractvalue {{ i{bits}, i1 }} {old}, 0"));
            self.define(Ty::int(1), &format!("extractvalue {{ i{bits}, i1 }} {old}, 1"));
            return;
        }
        let op = INTEGER_ATOMICS[self.rng.usize(..INTEGER_ATOMICS.len())];
        self.define(ty, &format!("atomicrmw {op} {} {place}, i{bits} {value} {order}", object.ty));
    }

    fn call(&mut self) {
        let helper = self.helpers[self.rng.usize(..self.helpers.len())].clone();
        let arguments = self.arguments(&helper);
        let result = result_text(&helper.result);
        let callee = match helper.names.as_slice() {
            [one, other] if self.rng.bool() => {
                let which = self.operand(Ty::int(1));
                self.emit(&format!("select i1 {which}, ptr @{one}, ptr @{other}"))
            }
            names => format!("@{}", names[self.rng.usize(..names.len())]),
        };
        let value = self.emit(&format!("call {result} {callee}({arguments})"));
        self.take_result(&helper, &value);
    }
}
