//! Every modifier of every row changes what is executed, is declared without effect, or is refused.

use std::cell::RefCell;
use std::collections::BTreeSet;

use ptx_diag::Diagnostics;
use ptx_gen::{Density, Home, Instruction, Pin, Seeded, check, instruction, module, uses, valid_instruction};
use ptx_ir::{Item, Module};
use ptx_isa::{
    AsyncSem, BlockSem, ControlSem, Field, FormId, MatrixSem, MemorySem, Mnemonic, Mod, MoveSem, ScalarType,
    Sem, Slot, TextureSem, form, form_ids,
};

use super::modifiers::Modifiers;
use super::{Launches, decode, executes, reach};
use crate::layout::{Ground, VariableAddresses, lay_out};
use crate::memory::LOW_GLOBAL;

thread_local! {
    /// The modifiers that were declared without effect.
    static IGNORED: RefCell<Vec<Mod>> = const { RefCell::new(Vec::new()) };
}

pub(super) fn note_ignored(modifiers: impl Iterator<Item = Mod>) {
    IGNORED.with_borrow_mut(|all| all.extend(modifiers));
}

/// What an instruction is decoded into, and the modifiers without effect.
struct Decoded {
    code: String,
    ignored: Vec<Mod>,
}

/// Decodes a module with one kernel.
fn decoded(module: &Module) -> Result<Decoded, String> {
    let refused = |findings: Diagnostics| findings.iter().next().unwrap().message.clone();
    let (verified, _) = ptx_verify::verify(module).map_err(refused)?;
    let module = &verified.written_out();
    let reached = reach(module, "k", Launches::One).map_err(refused)?;
    // One after the other, where modules with addresses of either size have global memory.
    let mut next = LOW_GLOBAL.start;
    let mut place_global = |_: &str, bytes: u64, align: u64| {
        let base = next.next_multiple_of(align);
        next = base + bytes;
        Some(base)
    };
    let known = VariableAddresses::default();
    let ground = Ground { known: &known, limit: 1 << 30, place_global: &mut place_global };
    let (layout, findings) = lay_out(module, &reached, ground);
    if findings.has_errors() {
        return Err(refused(findings));
    }
    IGNORED.take();
    let program = decode(module, &reached, &layout).map_err(refused)?;
    Ok(Decoded { code: format!("{:?} {:?}", program.code, program.constants), ignored: IGNORED.take() })
}

/// What a slot with a choice may hold; of the many shapes of some matrices every eighth.
fn options(slot: &Slot) -> Option<(Field, Vec<Option<Mod>>)> {
    let some = |set: &'static [Mod]| {
        let step = if set.len() > 20 { 8 } else { 1 };
        set.iter().step_by(step).copied().map(Some)
    };
    match *slot {
        Slot::Lit(_) => None,
        Slot::One(field, set) => Some((field, some(set).collect())),
        Slot::Opt(field, set) => Some((field, std::iter::once(None).chain(some(set)).collect())),
    }
}

type Alike = (&'static [&'static str], Field, &'static [Option<Mod>], &'static str);

/// Modifiers of a slot that mean the same, in rows of these opcodes, and why.
const ALIKE: &[Alike] = &[
    (&["add", "sub", "mul", "mma", "wmma"], Field::Rnd, &[None, Some(Mod::Rn)], "`.rn` is the default"),
    (&["mad"], Field::Ftz, &[None, Some(Mod::Ftz)], "`mad.f32` of sm_1x always flushes (manual 9.7.3.6)"),
    (&["cp"], Field::LoadMode, &[None, Some(Mod::Tile)], "the default (manual 9.7.9.25.5.2)"),
    (&["cp"], Field::CtaGroup, &[None, Some(Mod::CtaGroup1)], "the default (manual 9.7.9.25.5.2)"),
    (&["cp"], Field::Report, &[None, Some(Mod::MbarrierReportDisabled)], "nothing is reported"),
    (&["mbarrier"], Field::Layout, &[None, Some(Mod::LayoutV0)], "the default (manual 9.7.13.15.9)"),
    (&["mma"], Field::ScaleVec, &[None, Some(Mod::ScaleVec2X)], "the only one of `.kind::mxf4`"),
    (&["mma"], Field::ScaleVec, &[None, Some(Mod::ScaleVec1X)], "the only one of `.kind::mxf8f6f4`"),
    (
        &["tcgen05", "cp"],
        Field::Multicast,
        &[Some(Mod::MulticastCluster), Some(Mod::MulticastCluster32b)],
        "the type of the mask determines how many blocks it can name",
    ),
    (&["tcgen05"], Field::ScaleVec, &[None, Some(Mod::Block32)], "the default (manual 9.7.16.10.9.1)"),
    (&["tex"], Field::Mipmap, &[None, Some(Mod::Base)], "the default (manual 9.7.10.3)"),
    (
        &["tex", "tld4"],
        Field::DType,
        &[Some(Mod::U32), Some(Mod::S32), Some(Mod::F32)],
        "the texture determines what the 32 bits of a channel are",
    ),
    (&["ld", "st"], Field::MemOrder, &[None, Some(Mod::Weak)], "the default (manual 9.7.9.8)"),
    (&["st"], Field::MemOrder, &[None, Some(Mod::Weak), Some(Mod::Volatile)], "stores are seen at once"),
    (&["set", "setp"], Field::Cmp, &[Some(Mod::Lt), Some(Mod::Lo)], "the same on unsigned integers"),
    (&["set", "setp"], Field::Cmp, &[Some(Mod::Le), Some(Mod::Ls)], "the same on unsigned integers"),
    (&["set", "setp"], Field::Cmp, &[Some(Mod::Gt), Some(Mod::Hi)], "the same on unsigned integers"),
    (&["set", "setp"], Field::Cmp, &[Some(Mod::Ge), Some(Mod::Hs)], "the same on unsigned integers"),
    (&["set"], Field::DType, &[Some(Mod::U16), Some(Mod::S16)], "true is all ones"),
    (&["set"], Field::DType, &[Some(Mod::U32), Some(Mod::S32)], "true is all ones"),
    (&["shr", "ld", "ldu"], Field::Type, &[Some(Mod::B8), Some(Mod::U8)], ZEROS),
    (&["shr", "ld", "ldu"], Field::Type, &[Some(Mod::B16), Some(Mod::U16)], ZEROS),
    (&["shr", "ld", "ldu"], Field::Type, &[Some(Mod::B32), Some(Mod::U32), Some(Mod::F32)], ZEROS),
    (
        &["shr", "ld", "ldu"],
        Field::Type,
        &[Some(Mod::B64), Some(Mod::U64), Some(Mod::S64), Some(Mod::F64)],
        ZEROS,
    ),
    (
        SHARED,
        Field::Space,
        &[Some(Mod::Shared), Some(Mod::SharedCta)],
        "`.shared` is that of the block (manual 5.1.8)",
    ),
    (
        &["cvta"],
        Field::Space,
        &[Some(Mod::Shared), Some(Mod::SharedCta), Some(Mod::SharedCluster)],
        "the window of the block is in that of the cluster",
    ),
    (
        &["ld", "st", "cvta", "isspacep"],
        Field::Space,
        &[Some(Mod::Param), Some(Mod::ParamEntry)],
        "`.param` in a kernel is that of the kernel",
    ),
    (
        &["ld", "st"],
        Field::Space,
        &[Some(Mod::Local), Some(Mod::Param), Some(Mod::ParamFunc)],
        "parameters of calls lie in the frame",
    ),
];
const ZEROS: &str = "the upper bits become zeros";
const SHARED: &[&str] =
    &["atom", "red", "cp", "cvta", "isspacep", "ld", "st", "ldmatrix", "stmatrix", "wmma", "mbarrier"];

#[test]
fn every_modifier_changes_the_program_or_is_declared_without_effect() {
    let (mut compared, mut used, mut dropped) = (0, BTreeSet::new(), BTreeSet::new());
    for id in form_ids().filter(|&id| executes(form(id))) {
        for (at, slot) in form(id).slots.iter().enumerate() {
            let Some((field, options)) = options(slot) else { continue };
            for (n, &one) in options.iter().enumerate() {
                for &other in &options[..n] {
                    let Some(is_seen) = compare(id, at, field, [one, other]) else { continue };
                    compared += 1;
                    if is_seen {
                        continue;
                    }
                    let opcode = form(id).opcode.as_str();
                    let known = ALIKE.iter().position(|(opcodes, of, alike, _)| {
                        opcodes.contains(&opcode)
                            && *of == field
                            && alike.contains(&one)
                            && alike.contains(&other)
                    });
                    match known {
                        Some(known) => drop(used.insert(known)),
                        None => drop(dropped.insert(format!("{}: {one:?} for {other:?}", form(id).syntax()))),
                    }
                }
            }
        }
    }
    assert!(dropped.is_empty(), "these change nothing: {dropped:#?}");
    let stale: Vec<_> = ALIKE.iter().enumerate().filter(|(at, _)| !used.contains(at)).collect();
    assert!(stale.is_empty(), "these are not alike any more: {stale:#?}");
    // The others are of other types and so with other operands, refused, or ruled out by what they are beside.
    assert!(compared > 4500, "{compared} pairs of modifiers compared");
}

/// Whether another modifier in a slot changes the program that an instruction is decoded into, or both are declared without
/// effect; `None` when no instruction was found that is valid and decoded with either.
fn compare(id: FormId, at: usize, field: Field, pair: [Option<Mod>; 2]) -> Option<bool> {
    let modifier = pair[0].or(pair[1])?;
    let mut choices = Seeded::new(at as u64);
    let mut is_seen = None;
    // Most addresses are of variables or of 32 bits, which a generic access does not take.
    let attempts = if field == Field::Space { 32 } else { 8 };
    for attempt in 0..attempts {
        let density = if attempt % 2 == 0 { Density::Sparse } else { Density::Dense };
        let Some(generated) = instruction(&mut choices, id, Some(Pin { slot: at, modifier }), density) else {
            continue;
        };
        let [Some(a), Some(b)] = pair.map(|modifier| with(&generated, field, modifier)) else { continue };
        let homes = [&a, &b].map(|one| Home::any_of(&mut choices, &one.mnemonic));
        let both = |home| Some([decoded_at(home, &a)?.ok()?, decoded_at(home, &b)?.ok()?]);
        let Some([a, b]) = homes.into_iter().flatten().find_map(both) else { continue };
        let declared = |modifier: Option<Mod>, decoded: &Decoded| {
            modifier.is_none_or(|modifier| decoded.ignored.contains(&modifier))
        };
        if a.code != b.code || (declared(pair[0], &a) && declared(pair[1], &b)) {
            return Some(true);
        }
        is_seen = Some(false);
    }
    is_seen
}

/// The instruction with something else in a slot.
fn with(generated: &Instruction, field: Field, modifier: Option<Mod>) -> Option<Instruction> {
    let mnemonic = generated.mnemonic.with(field, modifier)?;
    let text = generated.text.replacen(&generated.mnemonic.to_string(), &mnemonic.to_string(), 1);
    Some(Instruction { mnemonic, text, ..generated.clone() })
}

/// `None` when the instruction is not valid there.
fn decoded_at(home: Home, instruction: &Instruction) -> Option<Result<Decoded, String>> {
    let mut text = module(home, [instruction]).text;
    if instruction.mnemonic.sem() == Sem::Move(MoveSem::Cvta)
        && instruction.mnemonic.scalar_type() == Some(ScalarType::U32)
    {
        text = text.replacen(".address_size 64", ".address_size 32", 1);
    }
    let read = check(&text).ok()?;
    uses(&read, instruction.mnemonic.form_id()).then(|| decoded(&read))
}

/// What rows of an opcode that is executed may hold and is refused: the opcode, and a part of the message.
const REFUSED: &[(&str, &str)] = &[
    ("mbarrier", "arrivals at several barriers have no one state"),
    ("cp", "how sizes and strides in registers replace those of the map is not documented"),
    ("cp", "which elements of a tensor a report inspects is not documented"),
    ("ldmatrix", "machine code of `.x8` loads one matrix"),
];

#[test]
fn everything_an_executed_row_may_hold_is_decoded() {
    let (mut used, mut refused, mut untried) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for id in form_ids().filter(|&id| executes(form(id))) {
        let mut is_tried = false;
        let slots = form(id).slots.iter().enumerate().filter_map(|(at, slot)| Some((at, options(slot)?.1)));
        let pins = slots.flat_map(|(slot, options)| {
            options.into_iter().flatten().map(move |modifier| Some(Pin { slot, modifier }))
        });
        for pin in std::iter::once(None).chain(pins) {
            let mut choices = Seeded::new(1);
            let generated = (0..20).find_map(|_| {
                let (generated, home) = valid_instruction(&mut choices, id, pin, 4)?;
                decoded_at(home, &generated)
            });
            is_tried |= generated.is_some();
            let Some(Err(why)) = generated else { continue };
            let known = REFUSED
                .iter()
                .position(|(opcode, text)| *opcode == form(id).opcode.as_str() && why.contains(text));
            match known {
                Some(known) => drop(used.insert(known)),
                None => drop(refused.insert(why)),
            }
        }
        if !is_tried {
            untried.insert(form(id).syntax());
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
    assert!(untried.is_empty(), "no instruction was generated of {untried:#?}");
    let stale: Vec<_> = REFUSED.iter().enumerate().filter(|(at, _)| !used.contains(at)).collect();
    assert!(stale.is_empty(), "these are executed: {stale:?}");
}

#[test]
fn a_row_is_called_executed_when_some_of_its_instructions_are() {
    let mut wrong = BTreeSet::new();
    for id in form_ids() {
        let mut choices = Seeded::new(2);
        let generated = (0..12).filter_map(|_| valid_instruction(&mut choices, id, None, 2));
        let results: Vec<bool> = generated
            .filter_map(|(generated, home)| decoded_at(home, &generated))
            .map(|result| result.is_ok())
            .collect();
        if !results.is_empty() && results.contains(&true) != executes(form(id)) {
            wrong.insert((executes(form(id)), form(id).syntax()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_modifier_that_no_one_queries_is_left_over() {
    let m = Modifiers::new(Mnemonic::from_text("add.rn.ftz.sat.f32").unwrap());
    assert_eq!(m.untaken(), Some(Mod::Rn));
    assert_eq!((m.get(Field::Rnd), m.scalar_type()), (Some(Mod::Rn), Some(ScalarType::F32)));
    // Querying another modifier of the slot does not take what is in it.
    assert!(!m.has(Mod::Satfinite));
    assert!(m.has(Mod::Ftz));
    assert_eq!(m.untaken(), Some(Mod::Sat));
    m.ignore(&[Field::Sat], "a test");
    assert_eq!(m.untaken(), None);
}

#[test]
fn literals_that_tell_rows_apart_must_be_taken() {
    // All rows of a shuffle have `.b32`; `.sync` only the current ones.
    let m = Modifiers::new(Mnemonic::from_text("shfl.sync.up.b32").unwrap());
    assert_eq!(m.get(Field::Mode), Some(Mod::Up));
    assert_eq!(m.untaken(), Some(Mod::Sync));
    // `multimem.cp.async.bulk` means a bulk copy as `cp.async.bulk` does, to several places.
    let m =
        Modifiers::new(Mnemonic::from_text("multimem.cp.async.bulk.global.shared::cta.bulk_group").unwrap());
    m.ignore_words(&[Mod::Global, Mod::SharedCta, Mod::BulkGroup], "a test");
    assert_eq!(m.untaken(), Some(Mod::Cp));
}

/// Operands that change nothing, and why.
const UNREAD: &[(&[Sem], &[&str], &str)] = &[
    (&[], &["cache-policy"], "there are no caches"),
    (
        &[
            Sem::Memory(MemorySem::Prefetch),
            Sem::Memory(MemorySem::ApplyPriority),
            Sem::Memory(MemorySem::Discard),
        ],
        &["a", "size"],
        "there are no caches",
    ),
    (
        &[Sem::Async(AsyncSem::BulkPrefetch), Sem::Async(AsyncSem::TensorPrefetch)],
        &["srcMem", "size", "tensor"],
        "there are no caches",
    ),
    (
        &[Sem::Memory(MemorySem::CreatePolicy)],
        &["a", "access-property", "fraction", "primary-size", "total-size"],
        "policies are opaque, and all the same",
    ),
    (&[Sem::Block(BlockSem::FenceProxy)], &["addr", "size"], "the fence is for all memory"),
    (&[Sem::Matrix(MatrixSem::Stmatrix)], &["r"], "of `.x8` machine code stores the first register"),
    (&[Sem::Async(AsyncSem::MbarrierWait)], &["suspendTimeHint"], "a wait may give up at once"),
    (&[Sem::Control(ControlSem::Nanosleep)], &["t"], "a sleep may be short (manual 9.7.19.2)"),
    (
        &[
            Sem::Texture(TextureSem::Tex),
            Sem::Texture(TextureSem::Tld4),
            Sem::Texture(TextureSem::SurfaceLoad),
            Sem::Texture(TextureSem::SurfaceStore),
            Sem::Texture(TextureSem::SurfaceReduce),
        ],
        &["at", "e", "dPdx", "dPdy"],
        "what fills three values up to four is ignored, and beside a unified texture a sampler",
    ),
];

#[test]
fn every_operand_changes_the_program_or_is_declared_unread() {
    let (mut changed, mut unread) = (0, BTreeSet::new());
    for id in form_ids().filter(|&id| executes(form(id))) {
        let mut choices = Seeded::new(3);
        for density in [Density::Sparse, Density::Dense, Density::Sparse, Density::Dense] {
            let Some(generated) = instruction(&mut choices, id, None, density) else { continue };
            let Some(home) = Home::any_of(&mut choices, &generated.mnemonic) else { continue };
            let generated = with_others_mentioned(generated);
            let Some(Ok(base)) = decoded_at(home, &generated) else { continue };
            for register in registers(&generated.text) {
                let other = Instruction { text: register.other_in(&generated.text), ..generated.clone() };
                match decoded_at(home, &other) {
                    Some(Ok(other)) if other.code == base.code => {
                        let name = operand_at(home, &generated, register.from);
                        let is_known = UNREAD.iter().any(|(meanings, names, _)| {
                            (meanings.is_empty() || meanings.contains(&form(id).sem)) && names.contains(&name)
                        });
                        if !is_known {
                            unread.insert(format!("{name} of {}", generated.text));
                        }
                    }
                    _ => changed += 1,
                }
            }
        }
    }
    assert!(unread.is_empty(), "another register is the same for {unread:#?}");
    assert!(changed > 8000, "{changed} operands");
}

/// A register in the text of an instruction.
struct Named {
    from: usize,
    to: usize,
    ty: ScalarType,
    number: u32,
}

impl Named {
    /// What the number of the other register is more.
    const OTHER: u32 = 40;

    fn name(&self, more: u32) -> String {
        ptx_gen::register(self.ty, self.number + more)
    }

    /// The text with another register of the type in its place.
    fn other_in(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.from], self.name(Self::OTHER), &text[self.to..])
    }
}

fn registers(text: &str) -> Vec<Named> {
    let named = |(from, _)| {
        let rest: &str = &text[from + 1..];
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (ty, number) = rest[..length].rsplit_once('_')?;
        Some(Named {
            from,
            to: from + 1 + length,
            ty: ScalarType::from_ptx(ty)?,
            number: number.parse().ok()?,
        })
    };
    text.match_indices('%').filter_map(named).collect()
}

/// The instruction after moves that name its registers and the others that may be in their places, so that rows are given to
/// all of them in one order.
fn with_others_mentioned(mut generated: Instruction) -> Instruction {
    for register in registers(&generated.text) {
        generated.registers.reserve(register.ty, 2 * Named::OTHER);
        let ty = if register.ty == ScalarType::Pred {
            "pred".to_owned()
        } else {
            format!("b{}", register.ty.bits())
        };
        generated.before += &format!(" mov.{ty} {}, {};", register.name(0), register.name(Named::OTHER));
    }
    generated
}

/// The name of the operand at a place of the text of an instruction.
fn operand_at(home: Home, generated: &Instruction, from: usize) -> &'static str {
    let id = generated.mnemonic.form_id();
    let text = module(home, [generated]).text;
    let at = text.find(&generated.text).unwrap() + from;
    let read = check(&text).unwrap();
    let bodies = read.items.iter().filter_map(|item| match item {
        Item::Function(function) => read.function(*function).body.as_ref(),
        _ => None,
    });
    let mut places = bodies.flat_map(|body| {
        let inst = body.instructions().map(|(_, inst)| inst).find(|inst| inst.mnemonic.form_id() == id)?;
        body.operand_spans(inst).iter().position(|span| (span.lo as usize..span.hi as usize).contains(&at))
    });
    places.next().and_then(|place| form(id).operands.get(place)).map_or("a guard", |operand| operand.name)
}
