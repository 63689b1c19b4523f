//! The constraints of inline assembly (NVPTX guide, "Inline Assembly").

use crate::error::{ASSEMBLY, RaiseError, Result};
use crate::types::Class;

/// The constraint of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Constraint {
    /// Written: a register of the class.
    Output(Class),
    /// Read: a register of the class.
    Input(Class),
    /// Read, in the register of an output.
    Tied(usize),
    /// A constant.
    Immediate,
}

/// The class of registers of a constraint letter.
pub(crate) fn register_class(letters: &str) -> Option<Class> {
    Some(match letters {
        "b" => Class::Pred,
        "h" | "c" => Class::B16,
        "r" => Class::B32,
        "l" => Class::B64,
        "q" => Class::B128,
        "f" => Class::F32,
        "d" => Class::F64,
        _ => return None,
    })
}

/// The operands that a constraint string describes, in order.
pub(crate) fn parse_constraints(text: &str) -> Result<Vec<Constraint>> {
    let mut list = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        if part.starts_with('~') {
            continue;
        }
        let output = part.starts_with('=');
        let letters = part.trim_start_matches(['=', '&', '%']);
        if let Ok(number) = letters.parse::<usize>() {
            list.push(Constraint::Tied(number));
            continue;
        }
        if matches!(letters, "n" | "i" | "s") && !output {
            list.push(Constraint::Immediate);
            continue;
        }
        let class = register_class(letters).ok_or_else(|| {
            let message = format!("the constraint \"{letters}\" of inline assembly is unknown");
            RaiseError::new(ASSEMBLY, message).with_help("use one of b, c, h, r, l, q, f, d, n")
        })?;
        list.push(if output { Constraint::Output(class) } else { Constraint::Input(class) });
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_name_classes_ties_and_constants() {
        let found = parse_constraints("=r,=&l,0,f,n,~{memory}").expect("known");
        let expected = [
            Constraint::Output(Class::B32),
            Constraint::Output(Class::B64),
            Constraint::Tied(0),
            Constraint::Input(Class::F32),
            Constraint::Immediate,
        ];
        assert_eq!(found, expected);
        assert!(parse_constraints("=*m").is_err());
    }
}
