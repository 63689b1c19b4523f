//! The classes of types.

use std::fmt;

/// A scalar or a vector of scalars.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ty {
    pub(super) element: &'static str,
    /// 0 for a scalar.
    pub(super) lanes: u32,
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes {
            0 => f.write_str(self.element),
            lanes => write!(f, "<{lanes} x {}>", self.element),
        }
    }
}

impl Ty {
    pub(super) const fn scalar(element: &'static str) -> Self {
        Self { element, lanes: 0 }
    }

    pub(super) const fn vector(lanes: u32, element: &'static str) -> Self {
        Self { element, lanes }
    }

    /// A type of as many elements.
    pub(super) const fn of(self, element: &'static str) -> Self {
        Self { element, ..self }
    }
}

/// Integers: those that PTX has, and those it has not.
pub(super) const INTEGERS: [&str; 16] = [
    "i1", "i2", "i3", "i7", "i8", "i13", "i16", "i24", "i32", "i33", "i64", "i65", "i96", "i128", "i129",
    "i256",
];
/// Floating-point numbers.
pub(super) const FLOATS: [&str; 5] = ["half", "bfloat", "float", "double", "fp128"];
/// Pointers.
pub(super) const POINTERS: [&str; 7] = [
    "ptr",
    "ptr addrspace(1)",
    "ptr addrspace(3)",
    "ptr addrspace(4)",
    "ptr addrspace(5)",
    "ptr addrspace(7)",
    "ptr addrspace(101)",
];
/// Lengths of vectors; 0 for a scalar.
pub(super) const LANES: [u32; 7] = [0, 1, 2, 3, 4, 5, 8];

/// Structures and arrays.
pub(super) const AGGREGATES: [&str; 17] = [
    "[2 x i32]",
    "[3 x i8]",
    "[0 x i32]",
    "{}",
    "[2 x {}]",
    "{ i32, i8 }",
    "<{ i8, i32 }>",
    "{ i32, { half, [3 x i8] } }",
    "{ ptr, <3 x float> }",
    "[2 x { i1, i33 }]",
    "{ i128, i1 }",
    "{ <2 x half>, bfloat, double }",
    "[2 x [2 x ptr addrspace(1)]]",
    "<{ i16, double, <{ i8 }> }>",
    "{ fp128, i65 }",
    "[40 x i64]",
    "{ [0 x i8], i32 }",
];

/// These elements at every length.
pub(super) fn all(elements: &[&'static str]) -> Vec<Ty> {
    let longer = |element: &&'static str| LANES.map(|lanes| Ty { element, lanes });
    elements.iter().flat_map(longer).collect()
}

/// These elements as scalars, pairs and triples.
pub(super) fn few(elements: &[&'static str]) -> Vec<Ty> {
    let longer = |element: &&'static str| [0, 2, 3].map(|lanes| Ty { element, lanes });
    elements.iter().flat_map(longer).collect()
}
