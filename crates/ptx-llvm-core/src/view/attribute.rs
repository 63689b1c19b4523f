//! Attributes of functions, parameters, results and calls.

use super::id::TypeId;

/// One attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attribute {
    /// An attribute that is there or not, such as `convergent`, or one with a number, such as `align` (bytes).
    /// The number is 0 for those that have none.
    Enum {
        /// LLVM's name of it.
        name: &'static str,
        /// Its number.
        value: u64,
    },
    /// An attribute with a type, such as `byval`.
    Type {
        /// LLVM's name of it.
        name: &'static str,
        /// Its type.
        ty: TypeId,
    },
    /// A string attribute such as `"nvvm.maxntid"="128"`.
    String {
        /// Before the equals sign.
        key: String,
        /// After it; empty when there is none.
        value: String,
    },
}

/// The attributes of one place, in LLVM's order. Attributes unknown to this crate (and ranges, whose value LLVM's C API does
/// not give) are optimization hints and are left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Attributes(pub Vec<Attribute>);

impl Attributes {
    /// Whether the attribute `name` (not a string attribute) is there.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|attribute| match attribute {
            Attribute::Enum { name: candidate, .. } | Attribute::Type { name: candidate, .. } => {
                *candidate == name
            }
            Attribute::String { .. } => false,
        })
    }

    /// The number of the attribute `name`.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.0.iter().find_map(|attribute| match attribute {
            Attribute::Enum { name: candidate, value } if *candidate == name => Some(*value),
            Attribute::Enum { .. } | Attribute::Type { .. } | Attribute::String { .. } => None,
        })
    }

    /// The type of the attribute `name`.
    pub fn ty(&self, name: &str) -> Option<TypeId> {
        self.0.iter().find_map(|attribute| match attribute {
            Attribute::Type { name: candidate, ty } if *candidate == name => Some(*ty),
            Attribute::Enum { .. } | Attribute::Type { .. } | Attribute::String { .. } => None,
        })
    }

    /// The value of the string attribute `key`.
    pub fn string(&self, key: &str) -> Option<&str> {
        self.0.iter().find_map(|attribute| match attribute {
            Attribute::String { key: candidate, value } if candidate == key => Some(value.as_str()),
            Attribute::Enum { .. } | Attribute::Type { .. } | Attribute::String { .. } => None,
        })
    }
}
