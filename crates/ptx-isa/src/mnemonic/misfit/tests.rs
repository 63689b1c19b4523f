//! Each row's mnemonic with one word removed, misspelled, added or of another type: the message must name it, and the
//! suggestion must be accepted.

use std::collections::BTreeSet;

use super::*;
use crate::{MnemonicError, candidates, form_ids, misfit_today};

/// A mnemonic of the row, with the needed modifiers alone.
fn shortest(id: FormId) -> Option<Mnemonic> {
    let slots = form(id).slots;
    let needed: Vec<usize> = (0..slots.len()).filter(|at| !slots[*at].is_optional()).collect();
    let nothing = [SlotContents::Empty; MAX_SLOTS];
    let with =
        |more: &[usize]| fillings(id, &nothing, &[needed.as_slice(), more].concat(), &[]).into_iter().next();
    // Rules of the row require one or two more.
    let spare: Vec<usize> = (0..slots.len()).filter(|at| slots[*at].is_optional()).collect();
    let one = || spare.iter().find_map(|at| with(&[*at]));
    let two = || spare.iter().find_map(|at| spare.iter().find_map(|other| with(&[*at, *other])));
    with(&[]).or_else(one).or_else(two)
}

fn misfit_of(text: &str) -> Option<Misfit> {
    match candidates(text) {
        // Old versions leave the modifier out: the verifier reports that in others.
        Ok(found) if found.iter().all(|one| one.form().implied.is_some()) => Some(misfit_today(&found[0])),
        Ok(_) => None,
        Err(MnemonicError::Modifiers(misfit)) => Some(*misfit),
        Err(other) => panic!("{text}: {other:?}"),
    }
}

/// The findings are short, without lines twice, and all that is offered is accepted.
fn check(text: &str, misfit: &Misfit) {
    let lines: Vec<&str> = misfit.help.lines().collect();
    assert!(lines.len() <= SHOWN_LINES + 2, "{text}: {}", misfit.help);
    assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), lines.len(), "{text}: {}", misfit.help);
    assert!(!misfit.message.contains(".rnd") && !misfit.help.contains(".part"), "{text}: {misfit:?}");
    assert!(misfit.message.len() < 400 && misfit.help.len() < 600, "{text}: {misfit:?}");
    let first =
        misfit.suggestions.first().unwrap_or_else(|| panic!("{text}: nothing is offered: {misfit:?}"));
    assert!(misfit.help.contains(&format!("write `{first}`")), "{text}: {misfit:?}");
    for offered in misfit.suggestions.iter().take(4) {
        let found = candidates(offered).unwrap_or_else(|error| panic!("{text}: `{offered}`: {error:?}"));
        assert_eq!(found[0].to_string(), *offered, "{text}");
    }
}

fn all_rows() -> impl Iterator<Item = Mnemonic> {
    let today = form_ids().filter(|id| form(*id).implied.is_none());
    today.map(|id| shortest(id).unwrap_or_else(|| panic!("no mnemonic of {}", form(id).syntax())))
}

/// The text without the word of this index, counted from 0 after the opcode.
fn without(words: &[&str], number: usize) -> String {
    let rest = words.iter().enumerate().filter(|(at, _)| *at != number + 1);
    rest.map(|(_, word)| *word).collect::<Vec<_>>().join(".")
}

#[test]
fn a_missing_modifier_is_named_and_offered() {
    let (mut tried, mut named) = (0, 0);
    for mnemonic in all_rows() {
        let full = mnemonic.to_string();
        let words: Vec<&str> = full.split('.').collect();
        for number in 0..words.len() - 1 {
            let text = without(&words, number);
            let Some(misfit) = misfit_of(&text) else { continue };
            tried += 1;
            check(&text, &misfit);
            assert_eq!(misfit.range, None, "{text}: {misfit:?}");
            let word = words[number + 1];
            let slots = mnemonic.form().slots.iter();
            let roles: Vec<String> = slots
                .filter(|slot| modifiers_in(slot).iter().any(|modifier| modifier.as_str() == word))
                .map(role_of)
                .collect();
            let is_named = misfit.message.contains(&format!("`{}` needs ", shortened(&text)))
                || misfit.message.starts_with("`.") && misfit.message.contains("` needs ");
            assert!(is_named, "{full} without .{word}: {misfit:?}");
            // Of several types it is the last that is missing, whichever was taken out.
            let typed = Mod::from_ptx(word).is_some_and(is_type) && misfit.message.contains("type");
            let role = typed || roles.iter().any(|role| misfit.message.contains(role.as_str()));
            let offered = misfit.suggestions.contains(&full);
            assert!(role || offered, "{full} without .{word}: {misfit:?}");
            named += usize::from(role && offered);
        }
    }
    assert!(tried > 1500, "{tried}");
    assert!(named * 10 > tried * 9, "only {named} of {tried} name the role and offer the very mnemonic");
}

#[test]
fn a_misspelled_modifier_is_pointed_at_and_its_right_spelling_offered() {
    let (mut tried, mut offered) = (0, 0);
    for mnemonic in all_rows() {
        let full = mnemonic.to_string();
        let words: Vec<&str> = full.split('.').collect();
        for number in 1..words.len() {
            let wrong = format!("{}q", words[number]);
            let mut words: Vec<&str> = words.clone();
            words[number] = &wrong;
            let text = words.join(".");
            let misfit = misfit_of(&text).unwrap_or_else(|| panic!("{text} is accepted"));
            tried += 1;
            check(&text, &misfit);
            let range = misfit.range.clone().unwrap_or_else(|| panic!("{text}: {misfit:?}"));
            assert_eq!(&text[range], format!(".{wrong}"), "{misfit:?}");
            assert!(misfit.message.contains(&format!("`.{wrong}`")), "{misfit:?}");
            offered += usize::from(misfit.suggestions.contains(&full));
        }
    }
    assert!(tried > 2000, "{tried}");
    assert!(offered * 100 > tried * 97, "{offered} of {tried}");
}

#[test]
fn a_modifier_too_many_is_pointed_at_and_left_out() {
    for mnemonic in all_rows() {
        let full = mnemonic.to_string();
        let text = format!("{full}.zzzzzzzz");
        let misfit = misfit_of(&text).unwrap_or_else(|| panic!("{text} is accepted"));
        check(&text, &misfit);
        assert_eq!(misfit.range, Some(full.len()..text.len()), "{misfit:?}");
        // Rows that newer targets have no longer are not what is offered first.
        let is_first = misfit.suggestions.first() == Some(&full);
        assert!(is_first || mnemonic.form().removed.is_some(), "{misfit:?}");
    }
}

#[test]
fn a_wrong_type_is_pointed_at_and_a_right_one_offered() {
    let (mut tried, mut pointed) = (0, 0);
    for mnemonic in all_rows() {
        let full = mnemonic.to_string();
        let words: Vec<&str> = full.split('.').collect();
        for number in 1..words.len() {
            if !Mod::from_ptx(words[number]).is_some_and(is_type) {
                continue;
            }
            for wrong in ["pred", "u8"] {
                let mut words = words.clone();
                words[number] = wrong;
                let text = words.join(".");
                let Some(misfit) = misfit_of(&text) else { continue };
                tried += 1;
                check(&text, &misfit);
                // With another type something else may be missing: `cvt.u8.f32` needs a rounding.
                let Some(range) = misfit.range.clone() else { continue };
                pointed += 1;
                // One of several types may be the wrong one.
                let named = Mod::from_ptx(&text[range.start + 1..range.end]);
                assert!(named.is_some_and(|named| words.contains(&named.as_str())), "{text}: {misfit:?}");
                let types =
                    |text: &str| text.split('.').filter_map(Mod::from_ptx).filter(|m| is_type(*m)).count();
                assert!(
                    misfit.suggestions.iter().any(|offered| types(offered) + 1 >= types(&full)),
                    "{text}: {misfit:?}"
                );
            }
        }
    }
    assert!(tried > 600 && pointed * 10 > tried * 9, "{pointed} of {tried}");
}

/// Words by which the manual tells operations of one opcode apart.
const OPERATIONS: &str = include_str!("operation_words.txt");

fn operations_in(text: &str) -> Vec<&str> {
    let mut all: Vec<&str> = text
        .split('.')
        .skip(1)
        .filter(|word| OPERATIONS.lines().any(|operation| operation == *word))
        .collect();
    all.sort_unstable();
    all
}

#[test]
fn a_suggestion_keeps_the_operation_where_another_word_is_wrong() {
    const TYPES: &[&str] = &[
        "b16", "b32", "b64", "b128", "u16", "u32", "u64", "s16", "s32", "s64", "f16", "f16x2", "bf16",
        "bf16x2", "f32", "f64", "pred",
    ];
    const OTHERS: &[&str] =
        &["rn", "ftz", "sat", "global", "const", "v2", "relaxed", "gpu", "uni", "approx", "qq"];
    let (mut tried, mut wrong) = (0, Vec::new());
    for mnemonic in all_rows() {
        let full = mnemonic.to_string();
        let operations = operations_in(&full);
        if operations.is_empty() {
            continue;
        }
        let words: Vec<&str> = full.split('.').collect();
        let typed = |number: &usize| Mod::from_ptx(words[*number]).is_some_and(is_type);
        let with = |number: usize, word: &str| {
            let mut words = words.clone();
            words[number] = word;
            words.join(".")
        };
        let retyped =
            (1..words.len()).filter(typed).flat_map(|number| TYPES.iter().map(move |ty| (number, *ty)));
        let retyped = retyped.map(|(number, ty)| with(number, ty));
        for text in retyped.chain(OTHERS.iter().map(|word| format!("{full}.{word}"))) {
            let Some(misfit) = misfit_of(&text) else { continue };
            tried += 1;
            let lost = misfit.suggestions.iter().find(|offered| operations_in(offered) != operations);
            wrong.extend(lost.map(|lost| format!("{text}: {lost}")));
        }
    }
    assert!(wrong.is_empty(), "{} of {tried}\n{}", wrong.len(), wrong.join("\n"));
    assert!(tried > 5000, "{tried}");
}

#[test]
fn common_mistakes_are_told_as_a_person_would() {
    let cases = [
        ("fma.f32", "`fma.f32` needs a rounding modifier", "write `fma.rn.f32` (or `.rz`, `.rm`, `.rp`)"),
        (
            "div.f32",
            "`div.f32` needs a rounding modifier",
            "write `div.rn.f32` (or `.rz`, `.rm`, `.rp`, `.approx`, `.full`)",
        ),
        (
            "cvt.f32.s32",
            "`cvt.f32.s32` needs a rounding modifier",
            "write `cvt.rn.f32.s32` (or `.rz`, `.rm`, `.rp`)",
        ),
        (
            "mul.s32",
            "`mul.s32` needs the part of the product to keep",
            "write `mul.lo.s32` (or `.hi`, `.wide`)",
        ),
        ("brev", "`brev` needs a type", "write `brev.b32` (or `.b64`)"),
        ("mul.lo.f32", "`.lo` cannot be combined with the other modifiers of `mul`", "write `mul.f32`"),
        ("ld.shard.f32", "`ld` has no modifier `.shard`", "did you mean `.shared`? write `ld.shared.f32`"),
        ("ld.F32", "`ld` has no modifier `.F32`", "modifiers are in lower case: write `ld.f32`"),
        ("bar.snyc", "`bar` has no modifier `.snyc`", "did you mean `.sync`? write `bar.sync`"),
        ("mul.f32.f32", "`.f32` is given twice", "write `mul.f32`"),
        ("max.xorsign.f32", "`.xorsign` needs `.abs`", "write `max.xorsign.abs.f32`"),
        (
            "atom.global.add.s64",
            "`.s64` cannot be combined with the other modifiers of `atom`",
            "write `atom.global.add.u64` (or `.f64`, `.s32`, `.u32`, `.f32`)",
        ),
        (
            "atom.global.and.u32",
            "`.u32` cannot be combined with the other modifiers of `atom`",
            "write `atom.global.and.b32` (or `.b64`)",
        ),
        (
            "atom.sub.s32",
            "`atom` has no operation `.sub`",
            "the operations of `atom` are `.and`, `.or`, `.xor`, `.exch`, `.add`, `.inc`, `.dec`, `.min`, `.max` and `.cas`",
        ),
        (
            "st.const.u32",
            "`st` has no state space `.const`",
            "the state spaces of `st` are `.global`, `.local`, `.param`, `.param::func`, `.shared`, `.shared::cta` and `.shared::cluster`",
        ),
        (
            "ld.release.gpu.u32",
            "`ld` has no memory ordering `.release`",
            "the memory orderings of `ld` are `.weak`, `.volatile`, `.relaxed` and `.acquire`",
        ),
        ("membar.gpu", "`membar` has no modifier `.gpu`", "did you mean `.gl`? write `membar.gl`"),
        (
            "mul.hi.f32",
            "`.f32` cannot be combined with the other modifiers of `mul`",
            "write `mul.hi.s32` (or `.u32`, `.u16`, `.u64`, `.s16`, `.s64`)",
        ),
        (
            "setp.lt.b64",
            "`.b64` cannot be combined with the other modifiers of `setp`",
            "write `setp.lt.s64` (or `.s32`, `.s16`, `.u64`, `.u32`, `.u16`, `.f64`, `.f32`, `.f16x2`, `.bf16x2` and 2 more)",
        ),
        (
            "redux.sync.add.f32",
            "`.f32` cannot be combined with the other modifiers of `redux`",
            "write `redux.sync.add.s32` (or `.u32`)",
        ),
        ("add..s32", "expected a modifier after `.`", "write `add.s32`"),
    ];
    for (text, message, help) in cases {
        let misfit = misfit_of(text).unwrap_or_else(|| panic!("{text} is accepted"));
        assert_eq!((misfit.message.as_str(), misfit.help.as_str()), (message, help), "{text}");
        if !misfit.suggestions.is_empty() {
            check(text, &misfit);
        }
    }
    let add = misfit_of("add").expect("no type");
    assert_eq!(add.message, "`add` needs a type");
    assert!(add.help.starts_with("write `add.s32` (or `.u32`, "), "{}", add.help);
}

#[test]
fn long_and_odd_texts_end_quickly() {
    let texts = [
        format!("cvt{}", ".f32".repeat(23)),
        format!("mma{}", ".f16".repeat(5000)),
        format!("tcgen05.mma{}", ".zzzzzz".repeat(22)),
        format!("ld.{}", "é".repeat(5000)),
        "tcgen05.mma.foo.bar.baz.a.b.c.d.e.f".to_owned(),
        "wgmma.mma_async.sync.aligned.f16.f16.f16.f16.f16.f16".to_owned(),
        "mma.f16.f16.f16.f16.f16.f16.f16.row.row.row.col".to_owned(),
    ];
    for text in texts {
        let start = std::time::Instant::now();
        let misfit = misfit_of(&text).expect("no instruction");
        assert!(misfit.message.len() < 1000, "{misfit:?}");
        assert!(start.elapsed().as_secs() < 5, "{text}: {:?}", start.elapsed());
    }
}
