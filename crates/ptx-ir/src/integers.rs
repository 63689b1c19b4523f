//! Tables of integers, which can be the largest part of a file.

use crate::operand::{Immediate, Literal};

/// Integers in order, each in as few bytes as the widest of them needs, and which of them are spelled in hexadecimal.
///
/// Two lists are equal if and only if their integers and spellings are: the width depends only on the integers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Integers {
    values: Packed,
    /// A bit for each integer up to the last one in hexadecimal.
    hexadecimal: Vec<u64>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Packed {
    Bytes(Vec<i8>),
    Halves(Vec<i16>),
    Words(Vec<i32>),
    Longs(Vec<i64>),
}

impl Integers {
    /// An empty list, with capacity for a number of integers that fit into bytes.
    pub fn with_capacity(count: usize) -> Self {
        Self { values: Packed::Bytes(Vec::with_capacity(count)), hexadecimal: Vec::new() }
    }

    /// Adds a constant if it is a signed integer in decimal or hexadecimal; returns whether it is.
    pub fn push_constant(&mut self, constant: Immediate) -> bool {
        match constant {
            Immediate::S64(value, Literal::Plain) => self.push(value),
            Immediate::S64(value, Literal::Hex) => {
                let at = self.len();
                self.push(value);
                self.hexadecimal.resize(at / 64 + 1, 0);
                if let Some(word) = self.hexadecimal.last_mut() {
                    *word |= 1 << (at % 64);
                }
            }
            Immediate::S64(_, Literal::Text(_))
            | Immediate::U64(..)
            | Immediate::F32(..)
            | Immediate::F64(..) => {
                return false;
            }
        }
        true
    }

    /// The integers as constants, spelled as they were, in order.
    pub fn constants(&self) -> impl Iterator<Item = Immediate> + '_ {
        self.iter().enumerate().map(|(at, value)| {
            let is_hexadecimal = self.hexadecimal.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1);
            Immediate::S64(value, if is_hexadecimal { Literal::Hex } else { Literal::Plain })
        })
    }

    /// The number of integers.
    pub fn len(&self) -> usize {
        match &self.values {
            Packed::Bytes(values) => values.len(),
            Packed::Halves(values) => values.len(),
            Packed::Words(values) => values.len(),
            Packed::Longs(values) => values.len(),
        }
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The integer at an index, from 0.
    pub fn get(&self, at: usize) -> Option<i64> {
        match &self.values {
            Packed::Bytes(values) => values.get(at).map(|value| i64::from(*value)),
            Packed::Halves(values) => values.get(at).map(|value| i64::from(*value)),
            Packed::Words(values) => values.get(at).map(|value| i64::from(*value)),
            Packed::Longs(values) => values.get(at).copied(),
        }
    }

    /// All integers in order.
    pub fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        (0..self.len()).map_while(|at| self.get(at))
    }

    /// Appends an integer in decimal; if it is wider than the others, they are widened.
    pub fn push(&mut self, value: i64) {
        loop {
            match &mut self.values {
                Packed::Bytes(values) => match i8::try_from(value) {
                    Ok(value) => return values.push(value),
                    Err(_) => {
                        self.values = Packed::Halves(values.iter().map(|value| i16::from(*value)).collect());
                    }
                },
                Packed::Halves(values) => match i16::try_from(value) {
                    Ok(value) => return values.push(value),
                    Err(_) => {
                        self.values = Packed::Words(values.iter().map(|value| i32::from(*value)).collect());
                    }
                },
                Packed::Words(values) => match i32::try_from(value) {
                    Ok(value) => return values.push(value),
                    Err(_) => {
                        self.values = Packed::Longs(values.iter().map(|value| i64::from(*value)).collect());
                    }
                },
                Packed::Longs(values) => return values.push(value),
            }
        }
    }

    /// Releases unused capacity.
    pub fn shrink_to_fit(&mut self) {
        match &mut self.values {
            Packed::Bytes(values) => values.shrink_to_fit(),
            Packed::Halves(values) => values.shrink_to_fit(),
            Packed::Words(values) => values.shrink_to_fit(),
            Packed::Longs(values) => values.shrink_to_fit(),
        }
        self.hexadecimal.shrink_to_fit();
    }
}

impl FromIterator<i64> for Integers {
    fn from_iter<I: IntoIterator<Item = i64>>(values: I) -> Self {
        let mut all = Self::with_capacity(0);
        values.into_iter().for_each(|value| all.push(value));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_every_width_come_back() {
        let values = [1, -128, 127, 128, -32769, 65535, i64::from(i32::MIN), i64::MAX, i64::MIN, 0];
        let packed: Integers = values.into_iter().collect();
        assert_eq!(packed.iter().collect::<Vec<i64>>(), values);
        assert_eq!((packed.len(), packed.get(3), packed.get(values.len())), (values.len(), Some(128), None));
    }

    #[test]
    fn spellings_come_back_and_count() {
        let constants: Vec<Immediate> = (0..200)
            .map(|value| {
                Immediate::S64(value * 999, if value % 67 == 3 { Literal::Hex } else { Literal::Plain })
            })
            .collect();
        let mut packed = Integers::with_capacity(0);
        assert!(constants.iter().all(|&constant| packed.push_constant(constant)));
        assert_eq!(packed.constants().collect::<Vec<_>>(), constants);
        let decimal: Integers = packed.iter().collect();
        assert_ne!(decimal, packed);
        assert!(!packed.push_constant(Immediate::U64(1, Literal::Plain)));
        assert_eq!(packed.len(), 200);
    }

    #[test]
    fn the_same_integers_are_equal_in_whatever_order_they_were_widened() {
        let narrow: Integers = [1, 2].into_iter().collect();
        let roomy = [1, 2].into_iter().fold(Integers::with_capacity(100), |mut all, value| {
            all.push(value);
            all
        });
        assert_eq!(narrow, roomy);
        assert_ne!(narrow, [1, 300].into_iter().collect());
    }
}
