//! What holds for every row.

use super::*;
use crate::{Kind, Mnemonic, Mod, Role, Slot, candidates};

#[test]
fn syntax_lines_read_like_the_manual() {
    let lines: Vec<_> = forms_of(Opcode::Shfl).1.iter().map(Form::syntax).collect();
    assert_eq!(lines, ["shfl.sync.mode.b32  d{|p}, a, b, c, membermask", "shfl.mode.b32  d{|p}, a, b, c"]);
    let lines: Vec<_> = forms_of(Opcode::Cvta).1.iter().map(Form::syntax).collect();
    assert_eq!(lines, ["cvta.space.type  p, a", "cvta.to.space.type  p, a"]);
}

#[test]
fn every_row_has_a_section_and_fits_the_mnemonic() {
    for row in all_forms() {
        assert!(!row.section.is_empty() && row.doc.ends_with('.'), "{}", row.syntax());
        assert!(row.slots.len() <= crate::mnemonic::MAX_SLOTS, "{}", row.syntax());
    }
}

#[test]
fn pairs_follow_a_destination_and_lists_stand_where_the_reader_looks() {
    for row in all_forms() {
        for (at, operand) in row.operands.iter().enumerate() {
            if operand.role == Role::DefPair {
                assert_eq!(row.operands[at - 1].role, Role::Def, "{}", row.syntax());
            }
            if operand.kind == Kind::CachePolicy {
                assert!(row.slots.iter().any(|s| s.takes(Mod::L2CacheHint)), "{}", row.syntax());
            }
        }
    }
}

#[test]
fn the_first_choice_of_every_slot_reads_back() {
    for (at, row) in all_forms().iter().enumerate() {
        let first = |slot: &Slot| match slot {
            Slot::Lit(modifier) => Some(*modifier),
            Slot::One(_, set) | Slot::Opt(_, set) => set.first().copied(),
        };
        let modifiers: Vec<Mod> = row.slots.iter().filter_map(first).collect();
        let chosen = Mnemonic::choose(FormId(at as u16), &modifiers);
        let chosen = chosen.unwrap_or_else(|| panic!("{} does not take {modifiers:?}", row.syntax()));
        let found = candidates(&chosen.to_string()).unwrap_or_else(|e| panic!("{chosen}: {e:?}"));
        assert!(found.contains(&chosen), "{chosen}");
    }
}

#[test]
fn modifiers_may_stand_in_almost_any_order() {
    let odd = Mnemonic::from_text("ld.u32.global.v2").map(|m| m.to_string());
    assert_eq!(odd.as_deref(), Ok("ld.global.v2.u32"));
    let text = "min.ftz.NaN.xorsign.abs.f32";
    assert_eq!(Mnemonic::from_text(text).map(|m| m.to_string()).as_deref(), Ok(text));
    let cvt = Mnemonic::from_text("cvt.rn.f16.f32");
    assert_eq!(
        cvt.map(|m| (m.type_of(crate::Field::DType), m.type_of(crate::Field::AType))),
        Ok((Some(crate::ScalarType::F16), Some(crate::ScalarType::F32)))
    );
}
