//! Instructions on registers.

use fastrand::Rng;

/// An instruction of which operands are to be generated: `R` a register of 32 bits, `U` one of 32 bits or a special one, `Q` of 64, `F`
/// and `D` of floating-point numbers, `H` of 16 bits, `#` a small number, `P` a predicate of the statement.
const FORMS: [&str; 100] = [
    "add.u32 R, U, U",
    "sub.u32 R, U, U",
    "add.s32 R, U, #",
    "mul.lo.u32 R, U, U",
    "mul.lo.s32 R, U, #",
    "mul.hi.u32 R, U, U",
    "mul.hi.s32 R, U, U",
    "mad.lo.u32 R, U, #, U",
    "mad.hi.s32 R, U, U, U",
    "mad24.lo.u32 R, U, #, U",
    "mul24.hi.s32 R, U, U",
    "sad.s32 R, U, U, U",
    "and.b32 R, U, #",
    "and.b32 R, U, U",
    "or.b32 R, U, #",
    "xor.b32 R, U, U",
    "xor.b32 R, U, #",
    "not.b32 R, U",
    "cnot.b32 R, U",
    "shl.b32 R, U, #",
    "shl.b32 R, U, U",
    "shr.u32 R, U, #",
    "shr.s32 R, U, #",
    "shr.u32 R, U, U",
    "shf.l.wrap.b32 R, U, U, U",
    "shf.r.clamp.b32 R, U, U, #",
    "min.u32 R, U, U",
    "max.s32 R, U, U",
    "min.s32 R, U, #",
    "abs.s32 R, U",
    "neg.s32 R, U",
    "popc.b32 R, U",
    "clz.b32 R, U",
    "brev.b32 R, U",
    "bfind.u32 R, U",
    "bfind.shiftamt.s32 R, U",
    "bfe.u32 R, U, #, #",
    "bfe.s32 R, U, U, #",
    "bfi.b32 R, U, U, #, #",
    "prmt.b32 R, U, U, U",
    "prmt.b32 R, U, U, 0x5140",
    "lop3.b32 R, U, U, U, 0x96",
    "lop3.b32 R, U, U, U, 0xca",
    "dp4a.u32.s32 R, U, U, U",
    "dp2a.lo.s32.u32 R, U, U, U",
    "mov.b32 R, U",
    "mov.b32 R, #",
    "add.sat.s32 R, U, U",
    "vadd4.u32.u32.u32.sat R, U, U, U",
    "add.cc.u32 R, U, U;addc.u32 R, U, U",
    "sub.cc.u32 R, U, U;subc.u32 R, U, U",
    "or.b32 T, U, 1;div.u32 R, U, T",
    "or.b32 T, U, 1;rem.s32 R, U, T",
    "or.b32 T, U, 5;rem.u32 R, U, T",
    "div.s32 R, U, 7",
    "rem.u32 R, U, 10",
    "cvt.u32.u8 R, U",
    "cvt.s32.s16 R, U",
    "cvt.u32.u16 R, H",
    "cvt.u32.u64 R, Q",
    "cvt.u16.u32 H, U",
    "cvt.u64.u32 Q, U",
    "cvt.s64.s32 Q, U",
    "mul.wide.u32 Q, U, U",
    "mul.wide.s32 Q, U, #",
    "mad.wide.s32 Q, U, U, Q",
    "add.s64 Q, Q, Q",
    "sub.s64 Q, Q, #",
    "mul.lo.s64 Q, Q, Q",
    "mul.hi.u64 Q, Q, Q",
    "shl.b64 Q, Q, #",
    "shr.s64 Q, Q, U",
    "min.s64 Q, Q, Q",
    "popc.b64 R, Q",
    "or.b64 A, Q, 1;rem.u64 Q, Q, A",
    "add.u16 H, H, H",
    "mul.lo.u16 H, H, H",
    "mul.wide.u16 R, H, H",
    "shr.s16 H, H, #",
    "add.rn.f32 F, F, F",
    "mul.rn.f32 F, F, F",
    "fma.rn.f32 F, F, F, F",
    "sub.ftz.f32 F, F, F",
    "div.rn.f32 F, F, F",
    "abs.f32 G, F;sqrt.rn.f32 F, G",
    "rcp.approx.ftz.f32 F, F",
    "ex2.approx.f32 F, F",
    "max.f32 F, F, F",
    "min.NaN.f32 F, F, F",
    "neg.f32 F, F",
    "cvt.rn.f32.s32 F, U",
    "cvt.rn.f32.u64 F, Q",
    "cvt.rzi.s32.f32 R, F",
    "cvt.rni.u64.f32 Q, F",
    "mov.b32 R, F",
    "mov.b32 F, U",
    "cvt.f64.f32 D, F",
    "fma.rn.f64 D, D, D, D",
    "add.rn.f64 D, D, D",
    "cvt.rn.f32.f64 F, D",
];

/// Numbers of registers that statements have for themselves.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Own {
    pub(super) predicates: u32,
    pub(super) words: u32,
    pub(super) addresses: u32,
    pub(super) floats: u32,
}

/// Generates operands, and keeps count of registers.
#[derive(Debug)]
pub(super) struct Instructions {
    pub(super) rng: Rng,
    pub(super) own: Own,
}

/// The numbers of the registers `%v` that kernels and functions set, beside those of what only kernels have.
const SPECIALS: [u32; 7] = [0, 3, 4, 5, 6, 7, 8];

impl Instructions {
    pub(super) fn predicate(&mut self) -> String {
        self.own.predicates += 1;
        format!("%p{}", self.own.predicates)
    }

    /// A register of 32 bits that nothing else writes.
    pub(super) fn word(&mut self) -> String {
        self.own.words += 1;
        format!("%t{}", self.own.words)
    }

    /// One of 64 bits.
    pub(super) fn address(&mut self) -> String {
        self.own.addresses += 1;
        format!("%a{}", self.own.addresses)
    }

    fn float(&mut self) -> String {
        self.own.floats += 1;
        format!("%g{}", self.own.floats)
    }

    pub(super) fn register(&mut self) -> String {
        format!("%r{}", self.rng.u32(..8))
    }

    /// A value of 32 bits.
    pub(super) fn value(&mut self) -> String {
        if self.rng.u32(..4) == 0 {
            return format!("%v{}", SPECIALS[self.rng.usize(..SPECIALS.len())]);
        }
        self.register()
    }

    pub(super) fn small(&mut self) -> u32 {
        const NUMBERS: [u32; 14] = [0, 1, 2, 3, 4, 5, 7, 8, 13, 16, 24, 31, 32, 33];
        NUMBERS[self.rng.usize(..NUMBERS.len())]
    }

    /// One or two instructions, sometimes with a guard.
    pub(super) fn arithmetic(&mut self) -> String {
        let form = FORMS[self.rng.usize(..FORMS.len())];
        let [word, address, float] = [self.word(), self.address(), self.float()];
        let (mut text, guard) = match self.rng.u32(..5) {
            0 => {
                let (condition, predicate) = self.comparison();
                (condition, format!("@{}{predicate} ", if self.rng.bool() { "!" } else { "" }))
            }
            _ => (String::new(), String::new()),
        };
        for instruction in form.split(';') {
            let (mnemonic, operands) = instruction.split_once(' ').unwrap_or((instruction, ""));
            let operands = operands.split(", ").map(|operand| match operand {
                "R" => self.register(),
                "U" => self.value(),
                "Q" => format!("%q{}", self.rng.u32(..3)),
                "F" => format!("%f{}", self.rng.u32(..4)),
                "D" => format!("%d{}", self.rng.u32(..2)),
                "H" => format!("%h{}", self.rng.u32(..2)),
                "#" => self.small().to_string(),
                "T" => word.clone(),
                "A" => address.clone(),
                "G" => float.clone(),
                constant => constant.to_owned(),
            });
            let operands: Vec<String> = operands.collect();
            text += &format!("{guard}{mnemonic} {};\n", operands.join(", "));
        }
        text
    }

    /// Lines that set a predicate of the statement, in which lanes may differ.
    pub(super) fn comparison(&mut self) -> (String, String) {
        let (predicate, word) = (self.predicate(), self.word());
        let [left, right] = [self.value(), self.value()];
        let float = self.rng.u32(..4);
        let text = match self.rng.u32(..9) {
            0 => format!("setp.lt.u32 {predicate}, {left}, {right};"),
            1 => format!("setp.ge.s32 {predicate}, {left}, {};", self.small()),
            2 => format!(
                "and.b32 {word}, {left}, {}; setp.eq.u32 {predicate}, {word}, 0;",
                1 << self.rng.u32(..6)
            ),
            3 => format!("setp.lt.u32 {predicate}, %v6, {};", self.rng.u32(1..33)),
            4 => format!(
                "shr.u32 {word}, {left}, {}; setp.ne.u32 {predicate}, {word}, {right};",
                self.rng.u32(..32)
            ),
            5 => format!("setp.lt.f32 {predicate}, %f{float}, %f{};", self.rng.u32(..4)),
            6 => format!("setp.gtu.f32 {predicate}, %f{float}, 0f3F800000;"),
            7 => format!("rem.u32 {word}, {left}, 3; setp.eq.u32 {predicate}, {word}, 1;"),
            _ => {
                let other = self.predicate();
                format!(
                    "setp.eq.s32 {other}, {left}, {right}; setp.gt.and.s32 {predicate}, {right}, 5, {other};"
                )
            }
        };
        (text.replace("; ", ";\n") + "\n", predicate)
    }
}
