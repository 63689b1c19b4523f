//! The modes of subnormal numbers that functions have (LangRef, `denormal-fp-math`).

use std::fmt;

/// What happens to the inputs, or to the outputs, of floating-point operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Denormal {
    /// They are numbers like others; also where the environment decides, which on GPUs has no such mode.
    Ieee,
    /// They count as zeros of their sign.
    PreserveSign,
    /// They count as zeros without a sign.
    PositiveZero,
}

/// The value of the attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DenormalMode {
    /// For results.
    pub output: Denormal,
    /// For operands.
    pub input: Denormal,
}

impl DenormalMode {
    /// Reads the attribute: `output,input`, or one word for both. `None` of anything else, which LLVM's verifier refuses.
    pub fn of(text: &str) -> Option<Self> {
        let word = |word: &str| match word {
            "" | "ieee" | "dynamic" => Some(Denormal::Ieee),
            "preserve-sign" => Some(Denormal::PreserveSign),
            "positive-zero" => Some(Denormal::PositiveZero),
            _ => None,
        };
        let (output, input) = text.split_once(',').unwrap_or((text, text));
        Some(Self { output: word(output)?, input: word(input)? })
    }

    /// Whether operations take subnormal inputs as zeros.
    pub fn flushes_inputs(self) -> bool {
        self.input != Denormal::Ieee
    }

    /// Whether `.ftz` is what single precision needs.
    pub fn is_ftz(self) -> bool {
        self.output == Denormal::PreserveSign && self.input == Denormal::PreserveSign
    }
}

impl fmt::Display for DenormalMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |mode| match mode {
            Denormal::Ieee => "ieee",
            Denormal::PreserveSign => "preserve-sign",
            Denormal::PositiveZero => "positive-zero",
        };
        write!(f, "{},{}", word(self.output), word(self.input))
    }
}

#[cfg(test)]
mod tests {
    use super::{Denormal, DenormalMode};

    #[test]
    fn modes_are_read_as_output_and_input() {
        let mode = |output, input| Some(DenormalMode { output, input });
        assert_eq!(DenormalMode::of("preserve-sign"), mode(Denormal::PreserveSign, Denormal::PreserveSign));
        assert_eq!(DenormalMode::of("preserve-sign,ieee"), mode(Denormal::PreserveSign, Denormal::Ieee));
        assert_eq!(DenormalMode::of("dynamic,positive-zero"), mode(Denormal::Ieee, Denormal::PositiveZero));
        assert_eq!(DenormalMode::of("flush"), None);
    }
}
