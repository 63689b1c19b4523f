//! Tables of integers, which can be most of a file.

/// Integers in order, each in as few bytes as the widest of them needs.
///
/// Two of them are equal exactly when their integers are: the width follows from the integers alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Integers(Packed);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Packed {
    Bytes(Vec<i8>),
    Halves(Vec<i16>),
    Words(Vec<i32>),
    Longs(Vec<i64>),
}

impl Integers {
    /// None, with room for so many that fit into bytes.
    pub fn with_capacity(count: usize) -> Self {
        Self(Packed::Bytes(Vec::with_capacity(count)))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Packed::Bytes(values) => values.len(),
            Packed::Halves(values) => values.len(),
            Packed::Words(values) => values.len(),
            Packed::Longs(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The integer at a place, counted from 0.
    pub fn get(&self, at: usize) -> Option<i64> {
        match &self.0 {
            Packed::Bytes(values) => values.get(at).map(|value| i64::from(*value)),
            Packed::Halves(values) => values.get(at).map(|value| i64::from(*value)),
            Packed::Words(values) => values.get(at).map(|value| i64::from(*value)),
            Packed::Longs(values) => values.get(at).copied(),
        }
    }

    /// All of them in order.
    pub fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        (0..self.len()).map_while(|at| self.get(at))
    }

    /// Adds one behind the others; when it is wider than they are, they are widened.
    pub fn push(&mut self, value: i64) {
        loop {
            match &mut self.0 {
                Packed::Bytes(values) => match i8::try_from(value) {
                    Ok(value) => return values.push(value),
                    Err(_) => self.0 = Packed::Halves(values.iter().map(|value| i16::from(*value)).collect()),
                },
                Packed::Halves(values) => match i16::try_from(value) {
                    Ok(value) => return values.push(value),
                    Err(_) => self.0 = Packed::Words(values.iter().map(|value| i32::from(*value)).collect()),
                },
                Packed::Words(values) => match i32::try_from(value) {
                    Ok(value) => return values.push(value),
                    Err(_) => self.0 = Packed::Longs(values.iter().map(|value| i64::from(*value)).collect()),
                },
                Packed::Longs(values) => return values.push(value),
            }
        }
    }

    /// Gives back the memory that nothing lies in.
    pub fn shrink_to_fit(&mut self) {
        match &mut self.0 {
            Packed::Bytes(values) => values.shrink_to_fit(),
            Packed::Halves(values) => values.shrink_to_fit(),
            Packed::Words(values) => values.shrink_to_fit(),
            Packed::Longs(values) => values.shrink_to_fit(),
        }
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
