//! PTX ISA versions and target architectures.

use std::fmt;

/// A PTX ISA version such as 8.7, ordered by age (manual 11.1.1, `.version`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PtxVersion {
    /// The number before the dot.
    pub major: u8,
    /// The number after the dot.
    pub minor: u8,
}

impl PtxVersion {
    /// Version `major.minor`.
    pub const fn new(major: u8, minor: u8) -> Self {
        Self { major, minor }
    }

    /// The newest version this library knows.
    pub const NEWEST: PtxVersion = PtxVersion::new(9, 5);

    /// Reads `8.7`; `None` unless the text is two decimal numbers joined by a dot.
    pub fn from_text(text: &str) -> Option<Self> {
        let (major, minor) = text.split_once('.')?;
        Some(Self { major: decimal(major)?, minor: decimal(minor)? })
    }
}

impl fmt::Display for PtxVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The letter after an architecture's number (manual 11.1.2, `.target`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SmVariant {
    /// No letter: code runs on this and all later architectures.
    Base,
    /// `f`: the features of a family of architectures.
    Family,
    /// `a`: the features of exactly this architecture.
    Arch,
}

/// A target architecture such as `sm_90a`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sm {
    /// The number, 75 for `sm_75`.
    pub number: u16,
    /// The letter after it.
    pub variant: SmVariant,
}

impl Sm {
    /// The architecture without a letter.
    pub const fn new(number: u16) -> Self {
        Self { number, variant: SmVariant::Base }
    }

    /// Reads `sm_90a` or `compute_90a`; `None` for anything else, known architecture or not.
    pub fn from_text(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("sm_").or_else(|| text.strip_prefix("compute_"))?;
        let (digits, variant) = match rest.as_bytes().last()? {
            b'a' => (&rest[..rest.len() - 1], SmVariant::Arch),
            b'f' => (&rest[..rest.len() - 1], SmVariant::Family),
            _ => (rest, SmVariant::Base),
        };
        Some(Self { number: decimal(digits)?, variant })
    }
}

impl fmt::Display for Sm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.variant {
            SmVariant::Base => "",
            SmVariant::Family => "f",
            SmVariant::Arch => "a",
        };
        write!(f, "sm_{}{letter}", self.number)
    }
}

/// The first PTX version and the first architecture that have something.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Since {
    /// The first PTX ISA version.
    pub ptx: PtxVersion,
    /// The first architecture, by number.
    pub sm: u16,
}

impl Since {
    /// Since PTX 1.0 on every architecture.
    pub const ALWAYS: Since = Since { ptx: PtxVersion::new(1, 0), sm: 10 };

    /// The later of both, for each of version and architecture.
    pub fn max(self, other: Since) -> Since {
        Since { ptx: self.ptx.max(other.ptx), sm: self.sm.max(other.sm) }
    }
}

/// Decimal digits only: no sign, no blanks, no leading plus as `str::parse` would take.
fn decimal<T: std::str::FromStr>(text: &str) -> Option<T> {
    if text.bytes().all(|b| b.is_ascii_digit()) { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_architectures_print_as_they_read() {
        assert_eq!(PtxVersion::from_text("8.7").map(|v| v.to_string()).as_deref(), Some("8.7"));
        assert_eq!(PtxVersion::from_text("+8.7"), None);
        for name in ["sm_75", "sm_90a", "sm_100f"] {
            assert_eq!(Sm::from_text(name).map(|sm| sm.to_string()).as_deref(), Some(name));
        }
        assert_eq!(Sm::from_text("sm_"), None);
        assert_eq!(Sm::from_text("sm_9é"), None);
    }
}
