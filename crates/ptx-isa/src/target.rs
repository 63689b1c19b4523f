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

    /// The newest version that this library supports.
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

    /// The architecture with the letter `a`.
    pub const fn arch(number: u16) -> Self {
        Self { number, variant: SmVariant::Arch }
    }

    /// The architecture with the letter `f`.
    pub const fn family(number: u16) -> Self {
        Self { number, variant: SmVariant::Family }
    }

    /// Whether code for `needed` runs when compiled for this target (manual 11.1.2).
    pub fn provides(self, needed: Sm) -> bool {
        match needed.variant {
            SmVariant::Base => self.number >= needed.number,
            SmVariant::Arch => self == needed,
            SmVariant::Family => {
                self.variant != SmVariant::Base
                    && self.number >= needed.number
                    && self.family_of() == needed.family_of()
            }
        }
    }

    /// The first architecture of the family; 101 was renamed to 110 (manual 11.1.2).
    const fn family_of(self) -> u16 {
        match self.number {
            100..=100 | 102..=109 => 100,
            101 | 110..=119 => 110,
            number => number - number % 10,
        }
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

/// The first PTX version and the targets that have something.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Since {
    /// The first PTX ISA version.
    pub ptx: PtxVersion,
    /// The first architecture, by number.
    pub sm: u16,
    /// When not empty, only these targets have it: an `a` target means itself; an `f` target means itself, its `a`
    /// sibling, and the `a` and `f` targets of later architectures of its family (manual 11.1.2).
    pub only: &'static [Sm],
}

impl Since {
    /// The number of the first architecture.
    pub const FIRST_SM: u16 = 10;
    /// Since PTX 1.0 on every architecture.
    pub const ALWAYS: Since = Since::new(1, 0, Self::FIRST_SM);

    /// Since a version on an architecture and all later ones.
    pub const fn new(major: u8, minor: u8, sm: u16) -> Self {
        Self { ptx: PtxVersion::new(major, minor), sm, only: &[] }
    }

    /// Since a version, on the targets listed; the first architecture of the list is its first.
    pub const fn on(major: u8, minor: u8, only: &'static [Sm]) -> Self {
        let sm = if let [first, ..] = only { first.number } else { Self::FIRST_SM };
        Self { ptx: PtxVersion::new(major, minor), sm, only }
    }

    /// Whether it came after another: in its version, and in its architectures.
    pub fn is_after(&self, other: &Since) -> [bool; 2] {
        let both = self.max(*other);
        let is_narrower =
            admitted(both.only) != admitted(other.only) || other.only.is_empty() != both.only.is_empty();
        [self.ptx > other.ptx, both.sm > other.sm || is_narrower]
    }

    /// The later of both, for each of version and architecture. Of two lists of targets the narrower one holds; those
    /// of one row lie within each other.
    pub fn max(self, other: Since) -> Since {
        let only = match (self.only, other.only) {
            ([], only) | (only, []) => only,
            (one, two) if admitted(two) < admitted(one) => two,
            (one, _) => one,
        };
        Since { ptx: self.ptx.max(other.ptx), sm: self.sm.max(other.sm), only }
    }

    /// Whether a target has it, the version aside.
    pub fn admits(&self, target: Sm) -> bool {
        target.number >= self.sm
            && (self.only.is_empty() || self.only.iter().any(|needed| target.provides(*needed)))
    }

    /// The targets that have it, in words: `sm_90 or later`, `sm_90a, sm_100f or sm_110f`.
    pub fn targets(&self) -> String {
        match self.only {
            [] => format!("sm_{} or later", self.sm),
            [one] => one.to_string(),
            [first @ .., last] => {
                let first: Vec<String> = first.iter().map(Sm::to_string).collect();
                format!("{} or {last}", first.join(", "))
            }
        }
    }
}

/// The architectures that have `a` targets; from 100 on they have `f` targets too (manual 11.1.2).
const VARIANTS: &[u16] = &[90, 100, 103, 107, 110, 120, 121];

/// How many targets a list lets pass.
fn admitted(only: &[Sm]) -> usize {
    let variants = [SmVariant::Arch, SmVariant::Family];
    let targets = VARIANTS.iter().flat_map(|&number| variants.map(|variant| Sm { number, variant }));
    targets.filter(|target| only.iter().any(|needed| target.provides(*needed))).count()
}

/// Decimal digits only: no sign, no blanks, no leading plus, which `str::parse` would accept.
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

    #[test]
    fn family_targets_include_later_members_and_no_other_family() {
        const NEEDS: Since = Since::on(8, 6, &[Sm::family(100), Sm::arch(120)]);
        for name in ["sm_100a", "sm_100f", "sm_103a", "sm_107f", "sm_120a"] {
            assert!(Sm::from_text(name).is_some_and(|sm| NEEDS.admits(sm)), "{name}");
        }
        for name in ["sm_90a", "sm_100", "sm_103", "sm_110a", "sm_120f", "sm_121a"] {
            assert!(Sm::from_text(name).is_some_and(|sm| !NEEDS.admits(sm)), "{name}");
        }
        assert_eq!(NEEDS.targets(), "sm_100f or sm_120a");
    }

    #[test]
    fn the_narrower_list_of_targets_holds() {
        const ROW: Since = Since::on(8, 6, &[Sm::family(100), Sm::family(110)]);
        const LATER: Since = Since::on(8, 8, &[Sm::arch(100)]);
        assert_eq!(ROW.max(LATER).only, LATER.only);
        assert_eq!(LATER.max(ROW).only, LATER.only);
        assert_eq!(Since::ALWAYS.max(ROW), ROW);
    }
}
