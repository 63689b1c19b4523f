//! The integer constants that an operand may have.

/// The integer constants that an operand accepts, in addition to the limits of its type; registers are not restricted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constants {
    /// All of the type.
    Any,
    /// Those from the first to the second value, both included.
    Range(i64, i64),
    /// The multiples of the first value, from the second to the third value, both included.
    Multiple(i64, i64, i64),
    /// The powers of two from the first to the second value, both included.
    PowerOfTwo(i64, i64),
    /// These two alone.
    Either(i64, i64),
    /// Those whose lower 32 bits are among these: `ptxas` does not look at the others.
    LowWord(&'static Constants),
    /// The elements of a vector, each in its position.
    Elements(&'static [Constants]),
    /// The bytes of a register that hold the scales of a block, by the first of them: from 0 to 3, with fewer choices if a row
    /// of the matrix has several scales (manual 9.7.14.3.1).
    ScaleBytes,
    /// The threads of four, or pairs of them, that hold which elements of a sparse matrix are kept: from 0 to one less than
    /// there are choices for shape and type (manual 9.7.14.6.1, 9.7.15.6).
    SparsitySelector,
}

impl Constants {
    /// The values in words that are allowed for all instructions of a row; `None` if there are no limits.
    pub(crate) fn text_of_all(self) -> Option<String> {
        Some(match self {
            Constants::Any => return None,
            Constants::Range(low, high) if low == high => low.to_string(),
            Constants::Range(low, high) if high - low == 1 => format!("{low} or {high}"),
            Constants::Range(low, high) => format!("from {low} to {high}"),
            Constants::Multiple(step, low, high) => format!("a multiple of {step} from {low} to {high}"),
            Constants::PowerOfTwo(low, high) => format!("a power of two from {low} to {high}"),
            Constants::Either(one, other) => format!("{one} or {other}"),
            Constants::LowWord(constants) => return constants.text_of_all(),
            Constants::Elements(elements) => {
                let texts = elements.iter().map(|element| element.text_or_any());
                texts.collect::<Vec<_>>().join(", then ")
            }
            Constants::ScaleBytes => "from 0 to 3, or fewer depending on the modifiers".to_owned(),
            Constants::SparsitySelector => "from 0 on, depending on the shape and the types".to_owned(),
        })
    }

    /// The same in words where there are no limits.
    pub(crate) fn text_or_any(self) -> String {
        // Default: as above.
        self.text_of_all().unwrap_or_else(|| "any integer".to_owned())
    }

    /// The constants of an element of a vector.
    pub fn of_element(self, at: usize) -> Self {
        match self {
            Constants::Elements(elements) => elements.get(at).copied().unwrap_or(Constants::Any),
            constants => constants,
        }
    }
}
