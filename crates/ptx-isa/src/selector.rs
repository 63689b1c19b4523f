//! Parts of registers that video instructions pick (manual 9.7.18).

use std::fmt;

/// The selectors that an operand accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Selection {
    /// None: all of the register.
    Whole,
    /// `.b0` to `.b3`, `.h0`, `.h1`: one byte or half, as a source or as the destination of the result.
    One,
    /// `.hxy`: two halves out of the four of both sources.
    Halves,
    /// `.bxyzw`: four bytes out of the eight of both sources.
    Bytes,
    /// `.h0`, `.h1`, `.h10`: the halves of the result that are written.
    HalfMask,
    /// `.b0` to `.b3210`: the bytes of the result that are written, the highest first.
    ByteMask,
}

impl Selection {
    /// Whether the selector is accepted.
    pub fn takes(self, selector: Selector) -> bool {
        let digits = selector.digits();
        let below = |limit: u8| digits.iter().all(|&digit| digit < limit);
        let descending = digits.windows(2).all(|pair| pair[0] > pair[1]);
        match (self, selector.unit) {
            (Selection::One, Unit::Byte) => digits.len() == 1 && below(4),
            (Selection::One, Unit::Half) => digits.len() == 1 && below(2),
            (Selection::Halves, Unit::Half) => digits.len() == 2 && below(4),
            (Selection::Bytes, Unit::Byte) => digits.len() == 4 && below(8),
            (Selection::HalfMask, Unit::Half) => descending && below(2),
            (Selection::ByteMask, Unit::Byte) => descending && below(4),
            (Selection::Whole, _)
            | (Selection::Halves | Selection::HalfMask, Unit::Byte)
            | (Selection::Bytes | Selection::ByteMask, Unit::Half) => false,
        }
    }
}

/// The unit that a selector counts in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unit {
    /// 8 bits, written `b`.
    Byte,
    /// 16 bits, written `h`.
    Half,
}

/// A selector after a register: `.b0`, `.h10`, `.b3210`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Selector {
    /// The unit of its position.
    pub unit: Unit,
    len: u8,
    digits: [u8; 4],
}

impl Selector {
    /// Reads `b3210`, without the dot; `None` for anything but `b` or `h` and one to four digits up to 7.
    pub fn from_ptx(text: &str) -> Option<Self> {
        let (unit, rest) = match text.as_bytes() {
            [b'b', rest @ ..] => (Unit::Byte, rest),
            [b'h', rest @ ..] => (Unit::Half, rest),
            _ => return None,
        };
        if rest.is_empty() || rest.len() > 4 {
            return None;
        }
        let mut digits = [0; 4];
        for (place, byte) in digits.iter_mut().zip(rest) {
            *place = byte.checked_sub(b'0').filter(|digit| *digit < 8)?;
        }
        Some(Self { unit, len: rest.len() as u8, digits })
    }

    /// The numbers of the parts, the highest part of the result first.
    pub fn digits(&self) -> &[u8] {
        &self.digits[..usize::from(self.len)]
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.unit {
            Unit::Byte => "b",
            Unit::Half => "h",
        })?;
        self.digits().iter().try_for_each(|digit| write!(f, "{digit}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_print_as_they_read_and_fit_their_selection() {
        let cases = [
            ("b3", Selection::One),
            ("h1", Selection::One),
            ("h32", Selection::Halves),
            ("b7654", Selection::Bytes),
            ("h10", Selection::HalfMask),
            ("b320", Selection::ByteMask),
        ];
        for (text, selection) in cases {
            let selector = Selector::from_ptx(text);
            assert_eq!(selector.map(|s| s.to_string()).as_deref(), Some(text));
            assert!(selector.is_some_and(|s| selection.takes(s)), "{text}");
        }
    }

    #[test]
    fn selectors_out_of_range_fit_nothing() {
        for text in ["b", "b8", "b43210", "x0", ""] {
            assert_eq!(Selector::from_ptx(text), None, "{text}");
        }
        let cases = [("b4", Selection::One), ("h2", Selection::One), ("h44", Selection::Halves)];
        for (text, selection) in
            cases.into_iter().chain([("h01", Selection::HalfMask), ("b012", Selection::ByteMask)])
        {
            assert!(Selector::from_ptx(text).is_some_and(|s| !selection.takes(s)), "{text}");
        }
    }
}
