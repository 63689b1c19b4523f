//! The kinds of modifiers whose relative order is significant.

use crate::names::{Mod, Reading};

/// Modifiers whose relative order is significant.
#[derive(Clone, Copy)]
pub(super) enum Order {
    Types,
    Layouts,
    Spaces,
    Operations,
}

impl Order {
    pub(super) const COUNT: usize = 4;

    pub(super) fn of(modifier: Mod) -> Option<Self> {
        match modifier.reading() {
            Reading::Type => Some(Order::Types),
            Reading::Layout => Some(Order::Layouts),
            Reading::Space => Some(Order::Spaces),
            Reading::Operation => Some(Order::Operations),
            Reading::Usual | Reading::Name | Reading::Repeats => None,
        }
    }
}

/// The kind of a modifier whose order among its kind means something, as a number.
#[cfg(test)]
pub(crate) fn order_of(modifier: Mod) -> Option<usize> {
    Order::of(modifier).map(|order| order as usize)
}
