//! Descriptions of the property that each modifier slot decides.

use crate::form::Slot;
use crate::names::{Field, Mod};

use super::order::Order;

/// The missing modifier if a slot stays empty: "a rounding modifier", or the only modifier that the slot accepts.
pub(super) fn role_of(slot: &Slot) -> String {
    match slot {
        Slot::Lit(only) | Slot::One(_, [only]) | Slot::Opt(_, [only]) => match Order::of(*only) {
            Some(Order::Types) => format!("the type `.{}`", only.as_str()),
            _ => format!("`.{}`", only.as_str()),
        },
        Slot::One(field, set) | Slot::Opt(field, set) => role_of_field(*field, set).to_owned(),
    }
}

fn role_of_field(field: Field, set: &[Mod]) -> &'static str {
    match field {
        Field::Rnd => "a rounding modifier",
        Field::Part if set.contains(&Mod::Wide) || set.contains(&Mod::Lo) => {
            "the part of the product to keep"
        }
        Field::Approx if set.contains(&Mod::Full) => "`.approx` or `.full`",
        Field::Cmp => "a comparison operator",
        Field::Bool => "a Boolean operator",
        Field::Op | Field::Action => "an operation",
        Field::Type | Field::SType => "a type",
        Field::DType if set.iter().all(|modifier| is_type(*modifier)) => "a destination type",
        Field::AType => "a source type",
        Field::BType => "a type of `b`",
        Field::CType => "a type of `c`",
        _ => role_of_rarer_field(field),
    }
}

fn role_of_rarer_field(field: Field) -> &'static str {
    match field {
        Field::Space => "a state space",
        Field::MemOrder => "a memory ordering",
        Field::Scope => "a scope",
        Field::Vec => "a vector length",
        Field::Num => "a count",
        Field::Shape => "a shape",
        Field::Geometry => "a geometry",
        Field::Dim => "a number of dimensions",
        Field::ALayout => "a layout of `a`",
        Field::BLayout => "a layout of `b`",
        Field::Layout => "a layout",
        Field::Mode => "a mode",
        Field::Direction => "a direction",
        Field::Clamp => "what happens out of bounds",
        Field::Query => "what is asked for",
        Field::Property => "the property that is tested",
        Field::Component => "a component",
        Field::Completion => "a completion mechanism",
        Field::Cop => "a cache operator",
        Field::EvictL1 | Field::EvictL2 | Field::Primary | Field::Secondary => "an eviction priority",
        Field::Level => "a cache level",
        Field::ProxyKind => "a kind of proxy",
        Field::MapField => "a field of the tensor map",
        Field::ScaleVec => "a size of the scale vectors",
        Field::DstFmt => "a destination format",
        Field::SrcFmt => "a source format",
        Field::Kind => "a kind of multiplication",
        Field::CtaGroup => "a group of blocks",
        Field::Trans => "`.trans`",
        _ => "a modifier",
    }
}

/// Whether a modifier is a type, also one that no register has.
pub(super) fn is_type(modifier: Mod) -> bool {
    matches!(Order::of(modifier), Some(Order::Types))
}
