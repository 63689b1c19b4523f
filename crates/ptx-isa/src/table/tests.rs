//! Properties of every row.

use super::*;
use crate::{Field, Mnemonic, Mod, OperandKind, Role, Slot, candidates};

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
        for slot in row.slots {
            let set = match slot {
                Slot::Lit(modifier) => std::slice::from_ref(modifier),
                Slot::One(_, set) | Slot::Opt(_, set) => set,
            };
            let kept = |modifier: &Mod| slot.number_of(*modifier).and_then(|number| slot.modifier(number));
            assert!(set.iter().all(|modifier| kept(modifier) == Some(*modifier)), "{}", row.syntax());
            assert_eq!(slot.modifier(0), None);
        }
    }
}

#[test]
fn pairs_follow_a_destination_and_lists_stand_where_the_reader_looks() {
    for row in all_forms() {
        for (at, operand) in row.operands.iter().enumerate() {
            if operand.role == Role::DefPair {
                assert_eq!(row.operands[at - 1].role, Role::Def, "{}", row.syntax());
            }
            if operand.kind == OperandKind::CachePolicy {
                assert!(row.slots.iter().any(|s| s.takes(Mod::L2CacheHint)), "{}", row.syntax());
            }
        }
    }
}

/// The possible contents of a slot, including none.
fn options(slot: &Slot) -> Vec<Option<Mod>> {
    match slot {
        Slot::Lit(modifier) => vec![Some(*modifier)],
        Slot::One(_, set) => set.iter().copied().map(Some).collect(),
        Slot::Opt(_, set) => std::iter::once(None).chain(set.iter().copied().map(Some)).collect(),
    }
}

/// A mnemonic of the row with a modifier in a slot, the other slots as near to their first options as the rules let.
fn with_modifier(id: FormId, row: &Form, at: usize, modifier: Mod) -> Option<Mnemonic> {
    let mut slots: Vec<Vec<Option<Mod>>> = row.slots.iter().map(options).collect();
    slots[at] = vec![Some(modifier)];
    let chosen: Vec<Option<Mod>> = slots.iter().map(|options| options[0]).collect();
    (0..4).find_map(|changes| varied(id, &slots, chosen.clone(), changes)).filter(|m| m.has(modifier))
}

/// A mnemonic that differs from the choice in this number of slots.
fn varied(
    id: FormId,
    slots: &[Vec<Option<Mod>>],
    chosen: Vec<Option<Mod>>,
    changes: usize,
) -> Option<Mnemonic> {
    if changes == 0 {
        let modifiers: Vec<Mod> = chosen.into_iter().flatten().collect();
        return Mnemonic::choose(id, &modifiers);
    }
    slots.iter().enumerate().find_map(|(at, options)| {
        options.iter().skip(1).find_map(|option| {
            let mut changed = chosen.clone();
            changed[at] = *option;
            varied(id, slots, changed, changes - 1)
        })
    })
}

#[test]
fn every_modifier_of_every_row_can_be_chosen_and_reads_back() {
    for (index, row) in all_forms().iter().enumerate() {
        let id = FormId(index as u16);
        for (at, slot) in row.slots.iter().enumerate() {
            for modifier in options(slot).into_iter().flatten() {
                let chosen = with_modifier(id, row, at, modifier);
                let chosen = chosen.unwrap_or_else(|| panic!("{}: .{}", row.syntax(), modifier.as_str()));
                let found = candidates(&chosen.to_string()).unwrap_or_else(|e| panic!("{chosen}: {e:?}"));
                assert!(found.contains(&chosen), "{chosen}");
            }
        }
    }
}

#[test]
fn limits_of_single_modifiers_lie_within_those_of_the_row() {
    let targets =
        ["sm_90a", "sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_107a", "sm_107f", "sm_110a", "sm_110f"];
    let targets = targets.into_iter().chain(["sm_120a", "sm_120f", "sm_121a", "sm_121f"]);
    let targets: Vec<_> = targets.filter_map(crate::Sm::from_text).collect();
    for row in all_forms().iter().filter(|row| !row.since.only.is_empty()) {
        for (modifier, later) in row.later.iter().filter(|(_, later)| !later.only.is_empty()) {
            if !row.slots.iter().any(|slot| slot.takes(*modifier)) {
                continue;
            }
            for target in targets.iter().filter(|target| later.admits(**target)) {
                assert!(row.since.admits(*target), "{} .{} {target}", row.syntax(), modifier.as_str());
            }
        }
    }
}

#[test]
fn fragments_have_the_registers_that_the_manual_draws() {
    // manual 9.7.14.4.1, 9.7.14.5.1 to 9.7.14.5.13, 9.7.14.6.2, 9.7.15.5.1: registers of D, A, B and C.
    let cases: [(&str, &[u8]); 12] = [
        ("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", &[8, 2, 2, 8]),
        ("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", &[2, 4, 2, 2]),
        ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", &[4, 4, 2, 4]),
        ("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", &[4, 8, 4, 4]),
        ("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32", &[4, 4, 2, 4]),
        ("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", &[4, 4, 2, 4]),
        ("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", &[4, 4, 4, 4]),
        ("wmma.mma.sync.aligned.row.col.m8n32k16.f32.f16", &[8, 8, 8, 4]),
        ("wmma.mma.sync.aligned.row.col.m8n32k16.s32.u8.u8.s32", &[8, 1, 4, 8]),
        ("wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64", &[2, 1, 1, 2]),
        ("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16", &[128]),
        ("wgmma.mma_async.sync.aligned.m64n24k32.f16.e4m3.e5m2", &[6]),
    ];
    for (text, expected) in cases {
        let mnemonic = Mnemonic::from_text(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let lengths = mnemonic.form().operands.iter().filter_map(|operand| match operand.kind {
            OperandKind::Vector(_, length) => Some(mnemonic.vector_length(length)),
            _ => None,
        });
        assert_eq!(lengths.take(expected.len()).collect::<Vec<_>>(), expected, "{text}");
    }
}

#[test]
fn rules_between_modifiers_refuse_what_ptxas_refuses() {
    let refused = [
        "multimem.red.relaxed.add.u32",
        "mbarrier.arrive.release.b64",
        "cp.async.bulk.tensor.2d.global.shared::cta.im2col_no_offs.bulk_group",
        "sured.b.and.1d.u32.trap",
    ];
    for text in refused {
        assert!(matches!(candidates(text), Err(crate::MnemonicError::Modifiers(_))), "{text}");
    }
}

#[test]
fn written_values_find_their_places() {
    let copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
    let places = |text: String, written| {
        let mnemonic = Mnemonic::from_text(&text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let operands = mnemonic.form().operands;
        let placement = mnemonic.place_values(operands, written)?;
        Some(placement.spread(operands.len(), 0..written).collect::<Vec<_>>())
    };
    let four = [Some(0), Some(1), Some(2), Some(3)];
    assert_eq!(places(copy.to_owned(), 4), Some([&four[..], &[None, None, None]].concat()));
    assert_eq!(places(copy.to_owned(), 5), None);
    let both = format!("{copy}.multicast::cluster.L2::cache_hint");
    assert_eq!(places(both.clone(), 6), Some([&four[..], &[Some(4), None, Some(5)]].concat()));
    assert_eq!(places(both, 5), None);
}

#[test]
fn kinds_of_operands_choose_among_rows() {
    use crate::{Candidate, Shape, choose_row};
    let rows: Vec<Candidate> =
        candidates("cp.async.ca.shared.global").unwrap_or_default().into_iter().map(Candidate::new).collect();
    let last = |shape: Shape| {
        let written = [Shape::Address, Shape::Address, Shape::Immediate, shape];
        let (at, placement) = choose_row(&rows, &written, |_| false, |shape| *shape)?;
        let place = rows[at].mnemonic.form().operands.iter().enumerate().rfind(|(at, _)| placement.has(*at));
        place.map(|(_, place)| place.kind)
    };
    assert!(matches!(last(Shape::Predicate), Some(OperandKind::Predicate)));
    assert!(last(Shape::Register).is_some_and(|kind| kind != OperandKind::Predicate));
}

#[test]
fn second_results_are_those_after_a_bar() {
    let shuffle = Mnemonic::from_text("shfl.sync.bfly.b32").unwrap();
    let places = shuffle.form().operands;
    let place = |pairs: &[bool]| shuffle.place(places, pairs, |pair| *pair, |_| crate::Shape::Register);
    assert!(place(&[false, true, false, false, false, false]).is_some_and(|placement| placement.has(1)));
    assert!(place(&[false, false, false, false, false]).is_some_and(|placement| !placement.has(1)));
    assert_eq!(place(&[false, false, false, false, false, false]), None);
}

#[test]
fn places_are_few() {
    for form in all_forms() {
        assert!(form.operands.len() <= crate::mnemonic::MOST_PLACES, "{}", form.syntax());
        for place in form.operands {
            if let OperandKind::Bracketed(parts) = place.kind {
                assert!(parts.len() <= crate::mnemonic::MOST_PLACES, "{}", form.syntax());
            }
        }
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
        cvt.map(|m| (m.type_of(Field::DType), m.type_of(Field::AType))),
        Ok((Some(crate::ScalarType::F16), Some(crate::ScalarType::F32)))
    );
}

#[test]
fn modifiers_that_ptxas_lets_stand_twice_mean_one() {
    let twice = Mnemonic::from_text("bar.sync.sync").map(|m| m.to_string());
    assert_eq!(twice.as_deref(), Ok("bar.sync"));
    for (text, once) in [
        ("cvt.rn.satfinite.relu.e4m3x2.f32.relu.satfinite", "cvt.rn.satfinite.relu.e4m3x2.f32"),
        ("max.NaN.f16.NaN", "max.NaN.f16"),
        ("bfind.shiftamt.u32.shiftamt", "bfind.shiftamt.u32"),
    ] {
        assert_eq!(Mnemonic::from_text(text).map(|m| m.to_string()).as_deref(), Ok(once));
    }
    assert!(Mnemonic::from_text("ld.global.global.u32").is_err());
}

#[test]
fn memory_mapped_accesses_keep_their_order() {
    let text = "ld.mmio.relaxed.sys.global.u32";
    let read = Mnemonic::from_text("ld.relaxed.mmio.sys.global.u32");
    assert_eq!(read.as_ref().map(ToString::to_string).as_deref(), Ok(text));
    assert_eq!(read.map(|m| m.get(Field::MemOrder)), Ok(Some(Mod::Relaxed)));
}

#[test]
fn words_of_names_stand_first_and_in_their_order() {
    let refused = [
        "bar.popc.red.u32",
        "bar.sync.warp",
        "barrier.arrive.cluster.aligned",
        "cp.async.commit_group.bulk",
        "createpolicy.L2::evict_last.fractional.b64",
        "cvt.sat.pack.u16.s32",
        "cvta.shared.to.u64",
        "div.ftz.full.f32",
        "dp2a.u32.lo.u32",
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.popc.and",
        "setmaxnreg.sync.inc.aligned.u32",
        "suld.1d.b.b32.trap",
        "tex.2d.base.v4.f32.f32",
        "tcgen05.cta_group::1.mma.kind::f16",
        "wmma.load.sync.a.aligned.row.m16n16k16.global.f16",
    ];
    for text in refused {
        assert!(candidates(text).is_err(), "{text}");
    }
    for text in ["bar.sync.cta", "div.ftz.approx.f32", "mbarrier.arrive.shared.release.cta.b64"] {
        let taken = candidates(text).is_ok();
        assert_eq!(taken, text != "bar.sync.cta", "{text}");
    }
}

#[test]
fn the_two_words_of_xorsign_abs_stand_in_any_order() {
    for text in ["min.abs.xorsign.bf16", "max.NaN.xorsign.bf16.abs", "max.xorsign.NaN.abs.bf16"] {
        let written = text.split_once('.').map_or(text, |(opcode, _)| opcode);
        let read = Mnemonic::from_text(text).map(|m| (m.opcode().as_str(), m.has(Mod::XorsignAbs)));
        assert_eq!(read, Ok((written, true)), "{text}");
    }
    for text in ["min.xorsign.bf16", "min.xorsign.abs.abs.bf16", "min.abs.bf16"] {
        assert!(Mnemonic::from_text(text).is_err(), "{text}");
    }
}

/// Literals that come first after an opcode or its name and that `ptxas` also accepts in other positions. A new one is added here or to
/// the words of names (`name.rs`), depending on `ptxas`.
const MODIFIERS: &[Mod] = &[
    Mod::Acquire,
    Mod::Alias,
    Mod::AsyncGeneric,
    Mod::CtaGroup1,
    Mod::GetFirstCtaid,
    Mod::IsCanceled,
    Mod::L2,
    Mod::MaskMod,
    Mod::MbarrierInit,
    Mod::Multimem,
    Mod::NoComplete,
    Mod::PhaseTypePrimary,
    Mod::Release,
    Mod::Relu,
    Mod::Sat,
    Mod::Sp,
    Mod::SpOrderedMetadata,
    Mod::Sync,
    Mod::SyncRestrictRead,
    Mod::SyncRestrictReads,
    Mod::TensormapGeneric,
    Mod::Tile,
];

#[test]
fn literals_after_an_opcode_are_words_of_its_name_or_known_modifiers() {
    let mut unknown = std::collections::BTreeSet::new();
    for row in all_forms() {
        let named = |slot: &&Slot| matches!(slot, Slot::Lit(modifier) if crate::name::is_word(*modifier));
        if let Some(Slot::Lit(modifier)) = row.slots.iter().find(|slot| !named(slot))
            && !MODIFIERS.contains(modifier)
            && crate::mnemonic::order_of(*modifier).is_none()
        {
            unknown.insert(format!("{modifier:?}"));
        }
    }
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn what_decides_a_type_keeps_its_place_among_types() {
    let mut wrong = std::collections::BTreeSet::new();
    for slot in all_forms().iter().flat_map(|row| row.slots) {
        let (Slot::One(field, set) | Slot::Opt(field, set)) = slot else { continue };
        let kind = match field {
            Field::Type | Field::AType | Field::BType | Field::CType | Field::DType | Field::SType => 0,
            Field::ALayout | Field::BLayout => 1,
            Field::Space => 2,
            _ => continue,
        };
        for modifier in set.iter().filter(|modifier| crate::mnemonic::order_of(**modifier) != Some(kind)) {
            // The type that `istypep` tests is the only type of its row.
            if !matches!(modifier, Mod::Texref | Mod::Samplerref | Mod::Surfref) {
                wrong.insert(format!("{field:?} {modifier:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

// What ptxas 13.5 accepts `_` for: first results of instructions that have another result or are executed for their effect, and second
// results except these.
#[test]
fn some_results_may_be_discarded() {
    let opcodes = |role: Role, discardable: bool| {
        let is_such =
            |operand: &&crate::Operand| operand.role == role && operand.discardable.is_some() == discardable;
        let rows = all_forms().iter().filter(|row| row.operands.iter().any(|operand| is_such(&operand)));
        rows.map(|row| row.opcode.as_str()).collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    };
    let first: Vec<&str> = opcodes(Role::Def, true);
    assert_eq!(first, ["atom", "elect", "lop3", "match", "mbarrier", "setp"]);
    let kept: Vec<&str> = opcodes(Role::DefPair, false);
    assert_eq!(kept, ["elect", "lop3", "tex", "tld4"]);
    let any = Mnemonic::from_text("match.any.sync.b32").unwrap();
    assert!(any.form().operands.iter().all(|operand| operand.discardable.is_none()));
}

#[test]
fn constraints_are_about_modifiers_of_their_row() {
    use crate::Constraint;
    for row in all_forms() {
        let takes =
            |list: &[Mod]| list.iter().any(|modifier| row.slots.iter().any(|slot| slot.takes(*modifier)));
        for constraint in row.constraints {
            let fits = match constraint {
                Constraint::Never(modifier, _) => takes(&[*modifier]),
                Constraint::Needs(with, others)
                | Constraint::Excludes(with, others)
                | Constraint::Misplaced(with, others, _) => takes(with) && takes(others),
            };
            assert!(fits, "{}: {constraint:?}", row.syntax());
        }
    }
}

#[test]
fn combinations_have_later_versions_than_their_modifiers() {
    let version = |since: crate::Since| format!("PTX {}, sm_{}", since.ptx, since.sm);
    let since = |text: &str| Mnemonic::from_text(text).map(|mnemonic| version(mnemonic.since()));
    // manual 9.7.9.21, notes, and 9.7.13.5.
    assert_eq!(since("cvt.f32.bf16").as_deref(), Ok("PTX 7.1, sm_80"));
    assert_eq!(since("cvt.rn.f16.bf16").as_deref(), Ok("PTX 7.8, sm_90"));
    assert_eq!(since("cvt.rna.tf32.f32").as_deref(), Ok("PTX 7.0, sm_80"));
    assert_eq!(since("cvt.rn.tf32.f32").as_deref(), Ok("PTX 7.8, sm_90"));
    assert_eq!(since("atom.and.b32").as_deref(), Ok("PTX 1.1, sm_11"));
    assert_eq!(since("atom.and.b64").as_deref(), Ok("PTX 3.1, sm_32"));
}

#[test]
fn modifiers_that_name_a_type_or_a_space_keep_their_order() {
    use crate::{ScalarType, StateSpace};
    for &modifier in Mod::ALL {
        let order = crate::mnemonic::order_of(modifier);
        assert!(ScalarType::holder(modifier).is_none() || order == Some(0), "{modifier:?}");
        assert_eq!(StateSpace::from_mod(modifier).is_some(), order == Some(2), "{modifier:?}");
    }
}
