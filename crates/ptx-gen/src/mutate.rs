//! Changes to a text that leave most of it as it was.

use ptx_isa::{Mod, Opcode};

use crate::choices::Choices;

/// Changes one thing: a modifier, an opcode, a number, a mark, or a piece that is left out, doubled or moved.
pub fn mutate(choices: &mut dyn Choices, text: &mut Vec<u8>) {
    let words = words(text);
    let Some(&(start, end)) = words.get(choices.below(words.len())) else { return };
    let Some(piece) = text.get(start..end).map(<[u8]>::to_vec) else { return };
    match choices.below(8) {
        0 => {
            let Some(word) = choices.pick(Mod::ALL) else { return };
            replace(text, (start, end), word.as_str().as_bytes());
        }
        1 => {
            let Some(word) = choices.pick(Opcode::ALL) else { return };
            replace(text, (start, end), word.as_str().as_bytes());
        }
        2 => {
            let number = choices.between(i64::MIN, i64::MAX).to_string();
            replace(text, (start, end), number.as_bytes());
        }
        3 => {
            const MARKS: &[u8] = b".,;:(){}[]<>+-*/!~|&^%$@#\"\\?= \n\0\x7f\xff";
            if let Some(place) = text.get_mut(start) {
                *place = choices.pick(MARKS).unwrap_or(b';');
            }
        }
        4 => replace(text, (start, end), b""),
        5 => {
            text.splice(start..start, piece);
        }
        6 => {
            let other = words.get(choices.below(words.len())).copied().unwrap_or((start, end));
            replace(text, other, &piece);
        }
        _ => text.truncate(start),
    }
}

fn replace(text: &mut Vec<u8>, (start, end): (usize, usize), piece: &[u8]) {
    if start <= end && end <= text.len() {
        text.splice(start..end, piece.iter().copied());
    }
}

/// Runs of letters, digits, `_`, `$` and `%`, and every other byte that is not a blank.
fn words(text: &[u8]) -> Vec<(usize, usize)> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%');
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, &byte) in text.iter().enumerate() {
        match found.last_mut() {
            Some((start, end))
                if *end == at && is_word(byte) && text.get(*start).is_some_and(|b| is_word(*b)) =>
            {
                *end = at + 1;
            }
            _ if byte.is_ascii_whitespace() => {}
            _ => found.push((at, at + 1)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choices::Seeded;

    #[test]
    fn words_and_marks_are_told_apart() {
        assert_eq!(words(b"ld.u32 %r1;"), [(0, 2), (2, 3), (3, 6), (7, 10), (10, 11)]);
    }

    #[test]
    fn most_changes_change_something() {
        let mut choices = Seeded::new(5);
        let original = b"ld.global.u32 %r1, [%rd2+4];".to_vec();
        let changed = (0..100).filter(|_| {
            let mut text = original.clone();
            mutate(&mut choices, &mut text);
            text != original
        });
        assert!(changed.count() > 80);
    }
}
