//! Types of generated values, and their constants.

use fastrand::Rng;

/// What one element is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Element {
    Int(u32),
    Half,
    BFloat,
    Float,
    Double,
}

/// A scalar, or a vector of so many elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ty {
    pub(super) element: Element,
    pub(super) lanes: Option<u32>,
}

/// Widths of integers; the ones that hardware has are generated most often.
const WIDTHS: &[u32] = &[
    1, 8, 16, 32, 64, 8, 16, 32, 64, 32, 64, 32, 1, 8, 16, 32, 64, 32, 3, 7, 13, 24, 31, 33, 48, 63, 65, 96,
    128, 129, 192, 256,
];

impl Element {
    pub(super) fn bits(self) -> u32 {
        match self {
            Element::Int(bits) => bits,
            Element::Half | Element::BFloat => 16,
            Element::Float => 32,
            Element::Double => 64,
        }
    }

    pub(super) fn is_int(self) -> bool {
        matches!(self, Element::Int(_))
    }

    fn word(self) -> String {
        match self {
            Element::Int(bits) => format!("i{bits}"),
            Element::Half => "half".into(),
            Element::BFloat => "bfloat".into(),
            Element::Float => "float".into(),
            Element::Double => "double".into(),
        }
    }

    /// The word in names of intrinsics.
    fn suffix(self) -> String {
        match self {
            Element::Int(bits) => format!("i{bits}"),
            Element::Half => "f16".into(),
            Element::BFloat => "bf16".into(),
            Element::Float => "f32".into(),
            Element::Double => "f64".into(),
        }
    }

    fn constant(self, rng: &mut Rng) -> String {
        match self {
            Element::Int(1) => (if rng.bool() { "true" } else { "false" }).into(),
            Element::Int(bits) => integer(bits, rng),
            Element::Half => format!("0xH{:04X}", half::f16::from_f64(real(rng)).to_bits()),
            Element::BFloat => format!("0xR{:04X}", half::bf16::from_f64(real(rng)).to_bits()),
            Element::Float => format!("0x{:016X}", f64::from(real(rng) as f32).to_bits()),
            Element::Double => format!("0x{:016X}", real(rng).to_bits()),
        }
    }

    fn not_a_number(self) -> &'static str {
        match self {
            Element::Int(_) => "0",
            Element::Half => "0xH7E00",
            Element::BFloat => "0xR7FC0",
            Element::Float | Element::Double => "0x7FF8000000000000",
        }
    }
}

/// An integer of that width: small, on an edge, or any.
fn integer(bits: u32, rng: &mut Rng) -> String {
    if bits > 128 {
        let (low, high) = (rng.u128(..), rng.u128(..) >> (256 - bits));
        return match rng.u8(..6) {
            0 => "0".into(),
            1 => "-1".into(),
            2 => low_ones(bits - 1),
            3 => format!("u0x{:X}{:032X}", 1u128 << (bits - 129), 0),
            4 => rng.u8(..).to_string(),
            _ => format!("u0x{high:X}{low:032X}"),
        };
    }
    let unused = 128 - bits;
    let cut = |x: i128| x << unused >> unused;
    let number = match rng.u8(..8) {
        0 => 0,
        1 => 1.min(cut(1)),
        2 => -1,
        3 => cut(1 << (bits - 1)),
        4 => i128::MAX >> unused,
        5 => cut(i128::from(rng.u8(..))),
        _ => cut(rng.i128(..)),
    };
    number.to_string()
}

/// The number whose `count` lowest bits are set, at least one and less than 256.
pub(super) fn low_ones(count: u32) -> String {
    match count.checked_sub(128) {
        None => format!("u0x{:X}", u128::MAX >> (128 - count)),
        Some(0) => format!("u0x{:X}", u128::MAX),
        Some(above) => format!("u0x{:X}{:X}", u128::MAX >> (128 - above), u128::MAX),
    }
}

fn real(rng: &mut Rng) -> f64 {
    const SOME: &[f64] = &[
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        3.0,
        -7.25,
        0.1,
        1e-8,
        65504.0,
        1e9,
        -3e38,
        1e-40,
        4e18,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    match rng.u8(..4) {
        0 => (rng.f64() - 0.5) * 1000.0,
        1 => f64::from(rng.i8(..)),
        _ => rng.choice(SOME).copied().unwrap_or(1.0),
    }
}

impl Ty {
    pub(super) const fn int(bits: u32) -> Self {
        Self { element: Element::Int(bits), lanes: None }
    }

    pub(super) const fn scalar(element: Element) -> Self {
        Self { element, lanes: None }
    }

    /// Any type.
    pub(super) fn any(rng: &mut Rng) -> Self {
        let element = match rng.u8(..10) {
            0 => Element::Half,
            1 | 2 => Element::Float,
            3 => Element::Double,
            4 if rng.bool() => Element::BFloat,
            _ => Element::Int(rng.choice(WIDTHS).copied().unwrap_or(32)),
        };
        let lanes = (rng.u8(..5) == 0 && element.bits() <= 64).then(|| match rng.u8(..12) {
            0 if element.bits() <= 32 => 8,
            1 if element.bits() <= 8 => 16,
            _ => rng.u32(2..=5),
        });
        Self { element, lanes }
    }

    /// A type whose bytes in memory all count, 32 at most.
    pub(super) fn any_whole(rng: &mut Rng) -> Self {
        loop {
            let ty = Self::any(rng);
            if ty.is_whole() && ty.bytes() <= 32 {
                return ty;
            }
        }
    }

    /// Whether it is an integer that registers extend.
    pub(super) fn is_short(self) -> bool {
        self.lanes.is_none() && self.element.is_int() && self.element.bits() < 32
    }

    /// Whether all of its bytes in memory count.
    pub(super) fn is_whole(self) -> bool {
        self.element.bits().is_multiple_of(8)
            && (self.lanes.is_none() || self.element.bits().is_power_of_two())
    }

    pub(super) fn bytes(self) -> u32 {
        self.element.bits() / 8 * self.lanes.unwrap_or(1)
    }

    /// The same shape with another element.
    pub(super) fn of(self, element: Element) -> Self {
        Self { element, lanes: self.lanes }
    }

    pub(super) fn text(self) -> String {
        match self.lanes {
            None => self.element.word(),
            Some(lanes) => format!("<{lanes} x {}>", self.element.word()),
        }
    }

    pub(super) fn suffix(self) -> String {
        match self.lanes {
            None => self.element.suffix(),
            Some(lanes) => format!("v{lanes}{}", self.element.suffix()),
        }
    }

    pub(super) fn constant(self, rng: &mut Rng) -> String {
        self.each(|| self.element.constant(rng))
    }

    pub(super) fn splat(self, element: &str) -> String {
        self.each(|| element.to_owned())
    }

    pub(super) fn not_a_number(self) -> String {
        self.splat(self.element.not_a_number())
    }

    fn each(self, mut element: impl FnMut() -> String) -> String {
        match self.lanes {
            None => element(),
            Some(lanes) => {
                let all: Vec<String> =
                    (0..lanes).map(|_| format!("{} {}", self.element.word(), element())).collect();
                format!("<{}>", all.join(", "))
            }
        }
    }
}
