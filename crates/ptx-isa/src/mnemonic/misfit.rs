//! Diagnoses modifiers that match no instruction, and suggests the instructions that were probably meant.
//!
//! The words are compared with each row of the opcode. A word may be kept, corrected to one with a similar spelling, used in
//! place of another one of its kind, or dropped; required slots that stay empty are missing. Each of these has a cost, and the
//! rows of least cost determine the suggestions.

use std::ops::Range;

use crate::constraint::Constraint;
use crate::families::Opcode;
use crate::form::{Form, FormId, Rule, Slot};
use crate::names::{Field, Mod};
use crate::types::ScalarType;
use crate::{form, forms_of};

use super::assign::ids_of;
use super::chosen::{MAX_SLOTS, Mnemonic};
use super::order::Order;
use super::role::{is_type, role_of};

mod operation;

use operation::Listed;

/// The mistake in the modifiers of a mnemonic, and a suggestion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misfit {
    /// The bytes of the mnemonic text that the first wrong word has, with its dot; nothing when something is missing.
    pub range: Option<Range<usize>>,
    /// The mistake, as a sentence in lower case.
    pub message: String,
    /// The suggestion, as a sentence in lower case.
    pub help: String,
    /// Complete mnemonics that the table accepts, the likeliest first.
    pub suggestions: Vec<String>,
}

/// The maximum number of words that are compared with rows; no mnemonic of PTX has that many.
const MOST_WORDS: usize = 24;
/// The most assignments of modifiers to the empty slots of a row that are tried.
const MOST_FILLINGS: usize = 2000;
/// The most steps of a search; beyond it what was found by then has to do.
const MOST_STEPS: usize = 20_000;
/// The most words that are read as something else.
const MOST_EDITS: usize = 3;
/// How many alternatives of one word are named.
const SHOWN_WORDS: usize = 9;
/// How many mnemonics are named when more than one word differs, and how many syntax lines.
const SHOWN_LINES: usize = 3;

mod cost {
    /// A word in another case, `.F32`.
    pub(super) const CASE: u32 = 1;
    /// A word that is spelled nearly as another.
    pub(super) const SPELLING: u32 = 2;
    /// A required slot, or one that a rule requires.
    pub(super) const MISSING: u32 = 3;
    /// A word in place of another one of its kind.
    pub(super) const REPLACED: u32 = 3;
    /// A type in place of another: the type is the part of a mnemonic that is most likely intended.
    pub(super) const REPLACED_TYPE: u32 = 4;
    /// A word too many.
    pub(super) const DROPPED: u32 = 3;
    /// A type too many that the opcode does not have at all.
    pub(super) const UNKNOWN_TYPE: u32 = 5;
    /// A word that decides what the instruction does; more than all else that a suggestion may change.
    pub(super) const ANOTHER_OPERATION: u32 = 64;
}

/// A word of the mnemonic text after the opcode.
struct Word<'t> {
    text: &'t str,
    range: Range<usize>,
    /// The modifier, when the table has it at all.
    modifier: Option<Mod>,
    /// Whether a row of the opcode accepts it.
    is_known: bool,
    /// Whether it is one of the operations that the opcode has.
    is_operation: bool,
    /// How it may be read, and at what cost.
    readings: Vec<(Reading, u32)>,
}

/// How a written word is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reading {
    Kept(Mod),
    /// As a modifier that is spelled nearly so.
    Misspelled(Mod),
    /// As a wrong modifier of the kind that is expected there.
    Replaced,
    Dropped,
}

/// The contents of a slot while words are assigned to slots.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SlotContents {
    Empty,
    Filled(Mod),
    /// The word with this index, for a modifier of the slot.
    Hole(usize),
}

/// A row with the modifiers that are closest to the words.
struct Solution {
    id: FormId,
    cost: u32,
    readings: Vec<Reading>,
    /// The slots that the words leave empty and that must be filled.
    missing: Vec<usize>,
    /// The rule that the words violate, when they fill all slots.
    broken: Option<Rule>,
    /// The word that is not an operation of the opcode, where one is expected.
    no_operation: Option<usize>,
    /// Mnemonics that the row accepts, the likeliest first.
    mnemonics: Vec<Mnemonic>,
}

/// Describes what is wrong with a text that names an opcode but matches none of its rows.
pub(super) fn misfit(opcode: Opcode, text: &str) -> Misfit {
    let words = words_of(opcode, text);
    let mut found = if words.len() <= MOST_WORDS { nearest_rows(opcode, &words) } else { Vec::new() };
    if operation::may_all_be_kept(opcode, &words) {
        found.retain(|solution| solution.keeps_operations(&words));
    }
    found.sort_by_cached_key(|solution| solution.rank(&words));
    if found.is_empty() { unlike_any(opcode, &words) } else { report(opcode, text, &words, &found) }
}

/// The rows with the least cost; solutions of low cost are searched first, since the others take much longer.
fn nearest_rows(opcode: Opcode, words: &[Word<'_>]) -> Vec<Solution> {
    let mut search = Search { words, best: 0, steps: 0, found: Vec::new() };
    for most in [cost::REPLACED_TYPE, 2 * cost::REPLACED_TYPE, 4 * cost::REPLACED_TYPE, u32::MAX] {
        search.best = most;
        // Rows that leave a modifier out are of old versions alone.
        ids_of(opcode).filter(|id| form(*id).implied.is_none()).for_each(|id| search.row(id));
        if !search.found.is_empty() {
            break;
        }
    }
    search.found
}

fn words_of(opcode: Opcode, text: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut at = text.find('.').unwrap_or(text.len());
    // `.xorsign.abs` is one modifier of two words.
    let written = |wanted: &str| text.split('.').skip(1).any(|word| word == wanted);
    let mut awaits_abs = written("xorsign") && written("abs");
    for word in text.split('.').skip(1) {
        let range = at..at + 1 + word.len();
        at = range.end;
        if awaits_abs && word == "abs" {
            awaits_abs = false;
            continue;
        }
        let half = word == "xorsign" && !written("abs");
        let modifier = Mod::from_ptx(word).filter(|_| !half);
        let is_known = modifier.is_some_and(|modifier| {
            forms_of(opcode).1.iter().any(|form| form.slots.iter().any(|slot| slot.takes(modifier)))
        });
        let is_operation = is_known && modifier.is_some_and(|one| operation::is_operation(opcode, one));
        let readings = readings_of(opcode, word, modifier, is_known);
        words.push(Word { text: word, range, modifier, is_known, is_operation, readings });
    }
    words
}

fn readings_of(opcode: Opcode, word: &str, modifier: Option<Mod>, is_known: bool) -> Vec<(Reading, u32)> {
    let mut readings = Vec::new();
    let typed = modifier.is_some_and(is_type);
    let is_operation = |one: Mod| operation::is_operation(opcode, one);
    let mut names_operation = is_known && modifier.is_some_and(is_operation);
    match modifier {
        Some(modifier) if is_known => readings.push((Reading::Kept(modifier), 0)),
        // A word that is a type elsewhere is not a misspelling.
        Some(_) if typed => {}
        _ => {
            let near = nearest_modifiers(opcode, word);
            names_operation = near.iter().any(|(modifier, _)| is_operation(*modifier));
            readings.extend(near.into_iter().map(|(modifier, cost)| (Reading::Misspelled(modifier), cost)));
        }
    }
    let (replaced, dropped) = match modifier {
        _ if typed && is_known => (cost::REPLACED_TYPE, cost::REPLACED_TYPE),
        _ if typed => (cost::REPLACED_TYPE, cost::UNKNOWN_TYPE),
        _ if names_operation => (cost::ANOTHER_OPERATION, cost::ANOTHER_OPERATION),
        _ => (cost::REPLACED, cost::DROPPED),
    };
    readings.push((Reading::Replaced, replaced));
    readings.push((Reading::Dropped, dropped));
    readings
}

/// The modifiers of the opcode that are spelled nearly as a word, all those at the least distance.
fn nearest_modifiers(opcode: Opcode, word: &str) -> Vec<(Mod, u32)> {
    const LONGEST: usize = 64;
    if word.is_empty() || word.len() > LONGEST {
        return Vec::new();
    }
    let lower = match word {
        "int" => "s32".to_owned(),
        "float" => "f32".to_owned(),
        "double" => "f64".to_owned(),
        "half" => "f16".to_owned(),
        // All threads of the GPU are one level of `membar` and one scope of others.
        "gpu" if modifiers_of(opcode).any(|one| one == Mod::Gl) => "gl".to_owned(),
        _ => word.to_ascii_lowercase(),
    };
    let allowed = (word.len() / 3).clamp(1, 3);
    let distance = |modifier: Mod| match modifier.as_str().to_ascii_lowercase() {
        name if name == lower => 0,
        name if name.len().abs_diff(lower.len()) > allowed => usize::MAX,
        name if is_transposed(&lower, &name) => 1,
        name => strsim::levenshtein(&lower, &name).max(1),
    };
    let mut all: Vec<(usize, Mod)> =
        modifiers_of(opcode).map(|modifier| (distance(modifier), modifier)).collect();
    all.sort_unstable();
    all.dedup();
    let Some(&(least, _)) = all.first().filter(|(least, _)| *least <= allowed) else { return Vec::new() };
    let price = if least == 0 { cost::CASE } else { cost::SPELLING };
    all.into_iter()
        .take_while(|(distance, _)| *distance == least)
        .map(|(_, modifier)| (modifier, price))
        .collect()
}

/// Whether two neighbouring letters are swapped.
fn is_transposed(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let Some(at) = one.iter().zip(other).position(|(a, b)| a != b) else { return false };
    let swapped = one.get(at).zip(one.get(at + 1)) == other.get(at + 1).zip(other.get(at));
    one.len() == other.len() && swapped && one.get(at + 2..) == other.get(at + 2..)
}

fn modifiers_of(opcode: Opcode) -> impl Iterator<Item = Mod> {
    forms_of(opcode).1.iter().flat_map(|form| form.slots).flat_map(modifiers_in).copied()
}

fn modifiers_in(slot: &Slot) -> &[Mod] {
    match slot {
        Slot::Lit(modifier) => std::slice::from_ref(modifier),
        Slot::One(_, set) | Slot::Opt(_, set) => set,
    }
}

/// The search for the rows at the least cost.
struct Search<'w> {
    words: &'w [Word<'w>],
    best: u32,
    steps: usize,
    found: Vec<Solution>,
}

/// The words of a row that are placed so far.
#[derive(Clone)]
struct Placed {
    contents: [SlotContents; MAX_SLOTS],
    first_free: [usize; Order::COUNT],
    cost: u32,
    edits: usize,
    readings: Vec<Reading>,
    no_operation: Option<usize>,
}

impl Search<'_> {
    fn row(&mut self, id: FormId) {
        let nothing = Placed {
            contents: [SlotContents::Empty; MAX_SLOTS],
            first_free: [0; Order::COUNT],
            cost: 0,
            edits: 0,
            readings: Vec::new(),
            no_operation: None,
        };
        self.place(id, nothing);
    }

    /// Places the next word in each way that is not dearer than the best so far.
    fn place(&mut self, id: FormId, placed: Placed) {
        self.steps += 1;
        if placed.cost > self.best || self.steps > MOST_STEPS {
            return;
        }
        let at = placed.readings.len();
        let Some(word) = self.words.get(at) else { return self.complete(id, &placed) };
        for &(reading, price) in &word.readings {
            let mut next = placed.clone();
            next.cost += price;
            next.readings.push(reading);
            let is_edited = !matches!(reading, Reading::Kept(_));
            next.edits += usize::from(is_edited);
            if next.cost <= self.best && next.edits <= MOST_EDITS && next.take(form(id), at, word, reading) {
                self.place(id, next);
            }
        }
    }

    /// Fills the slots that the words leave empty.
    fn complete(&mut self, id: FormId, placed: &Placed) {
        let slots = form(id).slots;
        let is_empty = |at: &usize| !slots[*at].is_optional() && placed.contents[*at] == SlotContents::Empty;
        let missing: Vec<usize> = (0..slots.len()).filter(is_empty).collect();
        let cost = placed.cost + cost::MISSING * missing.len() as u32;
        if cost > self.best {
            return;
        }
        let solution = |missing, cost, broken, mnemonics| Solution {
            id,
            cost,
            readings: placed.readings.clone(),
            missing,
            broken,
            no_operation: placed.no_operation,
            mnemonics,
        };
        let mnemonics = fillings(id, &placed.contents, &missing, self.words);
        if !mnemonics.is_empty() {
            return self.push(solution(missing, cost, None, mnemonics));
        }
        // The words fill the slots and break a rule that another modifier keeps.
        let broken = form(id).rules.iter().find(|rule| is_broken(form(id), rule, &placed.contents)).copied();
        for asked in broken.iter().flat_map(|rule| asked_by(form(id), rule, &placed.contents)) {
            let mut missing = missing.clone();
            missing.push(asked);
            let mnemonics = fillings(id, &placed.contents, &missing, self.words);
            let cost = cost + cost::MISSING;
            if !mnemonics.is_empty() && cost <= self.best {
                self.push(solution(missing, cost, broken, mnemonics));
            }
        }
    }

    fn push(&mut self, solution: Solution) {
        if solution.cost < self.best {
            self.found.clear();
            self.best = solution.cost;
        }
        self.found.push(solution);
    }
}

impl Placed {
    /// Puts a word into its slot; `false` when there is none.
    fn take(&mut self, form: &Form, number: usize, word: &Word<'_>, reading: Reading) -> bool {
        let (modifier, contents) = match reading {
            Reading::Dropped => return true,
            Reading::Kept(modifier) | Reading::Misspelled(modifier) => {
                (Some(modifier), SlotContents::Filled(modifier))
            }
            Reading::Replaced => (None, SlotContents::Hole(number)),
        };
        let order = modifier.or(word.modifier).and_then(Order::of);
        // Default: a modifier without an order may be in any slot.
        let from = order.map_or(0, |order| self.first_free[order as usize]);
        let fits = |slot: &Slot| match modifier {
            Some(modifier) => slot.takes(modifier),
            None => !slot.is_optional() && word.may_stand_for(form.opcode, slot),
        };
        let slots = form.slots;
        let found =
            (from..slots.len()).find(|&at| self.contents[at] == SlotContents::Empty && fits(&slots[at]));
        let Some(at) = found else { return false };
        self.contents[at] = contents;
        if modifier.is_none()
            && !word.is_operation
            && slots[at].field().is_some_and(operation::decides_operation)
        {
            self.no_operation = Some(number);
        }
        if let Some(order) = order {
            self.first_free[order as usize] = at + 1;
        }
        true
    }
}

impl Word<'_> {
    /// Whether the word may have been written in place of one that the slot accepts: a type for a type, a modifier of the
    /// opcode for one that decides the same, an unknown word for any.
    fn may_stand_for(&self, opcode: Opcode, slot: &Slot) -> bool {
        let Some(wrong) = self.modifier else { return true };
        let decides_the_same = || {
            let rows = forms_of(opcode).1.iter().flat_map(|form| form.slots);
            rows.filter(|other| other.takes(wrong))
                .any(|other| other.field().is_some() && other.field() == slot.field())
        };
        !slot.takes(wrong)
            && match is_type(wrong) {
                true => modifiers_in(slot).iter().any(|modifier| is_type(*modifier)),
                false => !self.is_known || decides_the_same(),
            }
    }
}

/// The mnemonics that a row accepts with the words in their slots and the missing slots and holes filled: first the
/// likeliest, then those that differ from it in one slot.
fn fillings(
    id: FormId,
    contents: &[SlotContents; MAX_SLOTS],
    missing: &[usize],
    words: &[Word<'_>],
) -> Vec<Mnemonic> {
    let slots = form(id).slots;
    let mut chosen: [Option<Mod>; MAX_SLOTS] = [None; MAX_SLOTS];
    let mut open: Vec<(usize, Vec<Mod>)> = Vec::new();
    for (at, slot) in slots.iter().enumerate() {
        match contents[at] {
            SlotContents::Filled(modifier) => chosen[at] = Some(modifier),
            SlotContents::Hole(word) => open.push((at, likeliest(slot, words[word].modifier))),
            SlotContents::Empty if missing.contains(&at) => open.push((at, likeliest(slot, None))),
            SlotContents::Empty => {}
        }
    }
    let Some(first) = first_filling(id, &mut chosen, &open) else { return Vec::new() };
    let mut all = vec![first];
    for (at, values) in &open {
        let before = chosen[*at];
        for value in values {
            chosen[*at] = Some(*value);
            all.extend(accepted(id, &chosen).filter(|other| !all.contains(other)));
        }
        chosen[*at] = before;
    }
    all
}

/// The first assignment that the row accepts, in the order of the values; it is left in `chosen`.
fn first_filling(
    id: FormId,
    chosen: &mut [Option<Mod>; MAX_SLOTS],
    open: &[(usize, Vec<Mod>)],
) -> Option<Mnemonic> {
    let count = open.iter().fold(1usize, |count, (_, values)| count.saturating_mul(values.len()));
    for number in 0..count.min(MOST_FILLINGS) {
        let mut rest = number;
        for (at, values) in open {
            chosen[*at] = values.get(rest % values.len()).copied();
            rest /= values.len();
        }
        if let Some(mnemonic) = accepted(id, chosen) {
            return Some(mnemonic);
        }
    }
    None
}

/// The mnemonic with these modifiers, if the parser accepts its text.
fn accepted(id: FormId, chosen: &[Option<Mod>; MAX_SLOTS]) -> Option<Mnemonic> {
    let form = form(id);
    let never = |modifier: Mod| {
        form.constraints
            .iter()
            .any(|one| matches!(one, Constraint::Never(refused, _) if *refused == modifier))
    };
    let mut mnemonic = Mnemonic { form: id, chosen: [0; MAX_SLOTS] };
    for ((slot, modifier), number) in form.slots.iter().zip(chosen).zip(&mut mnemonic.chosen) {
        *number =
            modifier.map_or(Some(0), |modifier| slot.number_of(modifier).filter(|_| !never(modifier)))?;
    }
    let modifiers: Vec<Mod> = mnemonic.modifiers().collect();
    (mnemonic.keeps_rules() && Mnemonic::choose(id, &modifiers).is_some()).then_some(mnemonic)
}

/// The modifiers that a slot accepts, the likeliest first: for a wrong type those of its size and kind.
fn likeliest(slot: &Slot, wrong: Option<Mod>) -> Vec<Mod> {
    let mut all = modifiers_in(slot).to_vec();
    all.sort_by_key(|modifier| usual(*modifier));
    if let Some(wrong) = wrong.and_then(ScalarType::from_mod) {
        all.sort_by_key(|modifier| distance_of_types(wrong, *modifier));
    }
    all
}

/// The rank of a modifier among those that programs use most; all others come after them.
fn usual(modifier: Mod) -> usize {
    const USUAL: &[Mod] = &[Mod::S32, Mod::B32, Mod::U32, Mod::F32, Mod::Global, Mod::Lo, Mod::Rn];
    USUAL.iter().position(|one| *one == modifier).unwrap_or(USUAL.len())
}

fn distance_of_types(wrong: ScalarType, modifier: Mod) -> u32 {
    let Some(other) = ScalarType::from_mod(modifier) else { return u32::MAX };
    let size = wrong.bits().ilog2().abs_diff(other.bits().ilog2());
    let kind = match (wrong.kind(), other.kind()) {
        (one, two) if one == two => 0,
        (_, crate::TypeKind::Bits) => 1,
        _ => 2,
    };
    4 * size + kind
}

fn is_broken(form: &Form, rule: &Rule, contents: &[SlotContents; MAX_SLOTS]) -> bool {
    let has = |modifier: Mod| contents.contains(&SlotContents::Filled(modifier));
    let is_filled = |field| form.slot_of(field).is_some_and(|at| contents[at] != SlotContents::Empty);
    match rule {
        Rule::Together(one, other) => is_filled(*one) != is_filled(*other),
        Rule::Needs(modifier, needed) => has(*modifier) && !needed.iter().any(|one| has(*one)),
        Rule::Excludes(..) => false,
    }
}

/// The empty slots that would keep a rule when they were filled.
fn asked_by(form: &Form, rule: &Rule, contents: &[SlotContents; MAX_SLOTS]) -> Vec<usize> {
    let asks = |slot: &Slot| match rule {
        Rule::Together(one, other) => slot.field().is_some_and(|field| field == *one || field == *other),
        Rule::Needs(_, needed) => needed.iter().any(|one| slot.takes(*one)),
        Rule::Excludes(..) => false,
    };
    (0..form.slots.len()).filter(|&at| contents[at] == SlotContents::Empty && asks(&form.slots[at])).collect()
}

impl Solution {
    /// The likeliest of those at the same cost come first: rows that are still there, roundings before what is not rounded
    /// as IEEE has it, types like the wrong one, rows that came early.
    fn rank(&self, words: &[Word<'_>]) -> impl Ord + use<> {
        let form = form(self.id);
        let rounds = |at: &usize| form.slots[*at].field() == Some(Field::Rnd);
        let chooses = |at: &usize| modifiers_in(&form.slots[*at]).len() > 1;
        let unrounded = !self.missing.iter().any(|at| rounds(at) && chooses(at));
        let spelled: usize = self
            .readings
            .iter()
            .filter_map(|reading| match reading {
                Reading::Misspelled(modifier) => Some(usual(*modifier)),
                _ => None,
            })
            .sum();
        let replaced = self.readings.iter().zip(words).filter(|(reading, _)| **reading == Reading::Replaced);
        let wrong = replaced.filter_map(|(_, word)| word.modifier.and_then(ScalarType::from_mod)).next();
        let likeness = wrong.zip(self.mnemonics.first()).map(|(wrong, mnemonic)| {
            mnemonic
                .modifiers()
                .filter(|modifier| is_type(*modifier))
                .map(|ty| distance_of_types(wrong, ty))
                .min()
        });
        let stands_for = self.readings.iter().filter(|reading| **reading == Reading::Replaced).count();
        let edited = self.readings.iter().filter(|reading| !matches!(reading, Reading::Kept(_))).count();
        (
            form.removed.is_some(),
            edited,
            unrounded,
            stands_for,
            self.missing.len(),
            spelled,
            likeness,
            form.since.ptx,
            self.id,
        )
    }

    /// The kind of a word of which the opcode has others, none of which can be told to be meant.
    fn not_had(&self, opcode: Opcode, words: &[Word<'_>], at: usize) -> Option<Listed> {
        let is_unread = matches!(self.readings[at], Reading::Replaced | Reading::Dropped);
        if words[at].is_known || words[at].text.is_empty() || !is_unread {
            return None;
        }
        let expects_operation = self.no_operation == Some(at);
        let elsewhere = || words[at].modifier.and_then(|one| operation::kind_elsewhere(opcode, one));
        expects_operation.then_some(Listed::Operations).or_else(elsewhere)
    }

    /// Whether no word that is an operation of the opcode is read as something else.
    fn keeps_operations(&self, words: &[Word<'_>]) -> bool {
        let mut read = self.readings.iter().zip(words);
        read.all(|(reading, word)| !word.is_operation || matches!(reading, Reading::Kept(_)))
    }

    /// The number of slots left open by the words that have a choice.
    fn choices(&self) -> usize {
        let slots = form(self.id).slots;
        let missing = self.missing.iter().filter(|at| modifiers_in(&slots[**at]).len() > 1).count();
        missing + self.readings.iter().filter(|reading| **reading == Reading::Replaced).count()
    }

    /// Whether the words are read in the same way, except for the corrections of misspelled ones.
    fn reads_as(&self, other: &Solution) -> bool {
        self.readings.iter().zip(&other.readings).all(|(one, two)| match (one, two) {
            (Reading::Misspelled(_), Reading::Misspelled(_)) => true,
            _ => one == two,
        })
    }
}

/// The sentences about the solutions at the least cost.
fn report(opcode: Opcode, text: &str, words: &[Word<'_>], found: &[Solution]) -> Misfit {
    let Some(first) = found.first() else { return unlike_any(opcode, words) };
    let alike: Vec<&Solution> = found.iter().filter(|other| other.reads_as(first)).collect();
    let mut suggestions: Vec<String> = Vec::new();
    for mnemonic in alike.iter().flat_map(|solution| &solution.mnemonics) {
        let shown = mnemonic.to_string();
        if !suggestions.contains(&shown) {
            suggestions.push(shown);
        }
    }
    let wrong = (0..words.len()).find(|&at| !matches!(first.readings[at], Reading::Kept(_)));
    let not_had = words.iter().enumerate().find_map(|(at, _)| first.not_had(opcode, words, at));
    if not_had.is_some() {
        suggestions.clear();
    }
    let mut clauses: Vec<String> = Vec::new();
    let mut known: Vec<&str> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if !matches!(first.readings[at], Reading::Kept(_)) && !known.contains(&word.text) {
            known.push(word.text);
            if known.len() <= SHOWN_LINES {
                clauses.push(match first.not_had(opcode, words, at) {
                    Some(kind) => kind.message(opcode, &shortened(word.text)),
                    None => wrong_word(opcode, words, at),
                });
            }
        }
    }
    if let Some(missing) = missing_roles(&alike) {
        let subject =
            if clauses.is_empty() { format!("`{}` needs", shortened(text)) } else { "needs".to_owned() };
        clauses.push(match first.broken {
            Some(Rule::Needs(modifier, _)) => format!("`.{}` needs {missing}", modifier.as_str()),
            _ => format!("{subject} {missing}"),
        });
    }
    if clauses.is_empty() {
        clauses.push(format!("the modifiers of `{}` are expected in another order", shortened(text)));
    }
    Misfit {
        range: wrong.map(|at| words[at].range.clone()),
        message: clauses.join(", and "),
        help: match not_had {
            Some(kind) => kind.help(opcode),
            None => what_to_write(opcode, first, words, &suggestions),
        },
        suggestions,
    }
}

/// The mistake in a word that no row of the opcode accepts, or none together with the others.
fn wrong_word(opcode: Opcode, words: &[Word<'_>], at: usize) -> String {
    let (word, opcode) = (&words[at], opcode.as_str());
    let shown = shortened(word.text);
    let twice = words[..at].iter().any(|earlier| earlier.text == word.text);
    match (word.is_known, word.modifier) {
        _ if word.text.is_empty() => "expected a modifier after `.`".to_owned(),
        (true, _) if twice => format!("`.{shown}` is given twice"),
        (true, _) if words.len() == 1 => {
            format!("`{opcode}` does not accept `.{shown}` as its only modifier")
        }
        (true, _) => format!("`.{shown}` cannot be combined with the other modifiers of `{opcode}`"),
        (false, Some(modifier)) if is_type(modifier) => format!("`{opcode}` has no type `.{shown}`"),
        (false, _) if word.text == "xorsign" => "`.xorsign` needs `.abs`".to_owned(),
        (false, _) => format!("`{opcode}` has no modifier `.{shown}`"),
    }
}

/// The missing modifiers of all the rows that are equally close and miss one, else of the likeliest row.
fn missing_roles(alike: &[&Solution]) -> Option<String> {
    const MOST: usize = 4;
    let (first, others) = alike.split_first()?;
    let mut texts = vec![missing_in(first)?];
    if first.missing.len() == 1 {
        for text in
            others.iter().filter(|other| other.missing.len() == 1).filter_map(|other| missing_in(other))
        {
            // Single modifiers beside a kind of them are among the alternatives.
            let is_single = text.starts_with('`') && !texts[0].starts_with('`');
            if !texts.contains(&text) && !is_single {
                texts.push(text);
            }
        }
    }
    if texts.len() > 1 && texts.iter().all(|text| text == "a type" || text.starts_with("the type ")) {
        return Some("a type".to_owned());
    }
    texts.truncate(MOST);
    Some(listed(&texts, "or"))
}

/// `a, b or c`.
fn listed(texts: &[String], word: &str) -> String {
    match texts {
        [before @ .., last] if !before.is_empty() => format!("{} {word} {last}", before.join(", ")),
        _ => texts.concat(),
    }
}

/// The missing modifiers of a row; `None` when all slots are filled.
fn missing_in(solution: &Solution) -> Option<String> {
    let mut roles: Vec<String> = Vec::new();
    for at in &solution.missing {
        let role = role_of(&form(solution.id).slots[*at]);
        if !roles.contains(&role) {
            roles.push(role);
        }
    }
    (!roles.is_empty()).then(|| listed(&roles, "and"))
}

/// The likeliest mnemonic, and the others: by the one word that differs, or whole.
fn what_to_write(opcode: Opcode, first: &Solution, words: &[Word<'_>], suggestions: &[String]) -> String {
    let Some((best, others)) = suggestions.split_first() else { return String::new() };
    let misspelled = first.readings.iter().zip(words).find_map(|(reading, word)| match reading {
        Reading::Misspelled(modifier) if word.text == modifier.as_str() => None,
        Reading::Misspelled(modifier) if word.text.eq_ignore_ascii_case(modifier.as_str()) => {
            Some("modifiers are in lower case: ".to_owned())
        }
        Reading::Misspelled(modifier) => Some(format!("did you mean `.{}`? ", modifier.as_str())),
        _ => None,
    });
    // Default: what is not misspelled has no such remark.
    let mut text = misspelled.unwrap_or_default();
    text.push_str(&format!("write `{best}`"));
    if others.is_empty() {
        return text;
    }
    if first.choices() > 1 {
        text.push_str(&format!(", for example; `--explain {}` shows what else there is", opcode.as_str()));
        return text;
    }
    let by_word: Vec<Option<&str>> = others.iter().map(|other| differing_word(best, other)).collect();
    let short: Vec<&str> = by_word.iter().copied().flatten().collect();
    if short.is_empty() {
        for other in others.iter().take(SHOWN_LINES) {
            text.push_str(&format!("\n   or `{other}`"));
        }
        if let more @ 1.. = others.len().saturating_sub(SHOWN_LINES) {
            text.push_str(&format!("\n   or one of {more} more"));
        }
        return text;
    }
    let list: Vec<String> = short.iter().take(SHOWN_WORDS).map(|word| format!("`.{word}`")).collect();
    text.push_str(&format!(" (or {}", list.join(", ")));
    match short.len().saturating_sub(SHOWN_WORDS) {
        0 => text.push(')'),
        more => text.push_str(&format!(" and {more} more)")),
    }
    text
}

/// The one word in which a mnemonic differs from another that has as many.
fn differing_word<'m>(best: &str, other: &'m str) -> Option<&'m str> {
    if best.split('.').count() != other.split('.').count() {
        return None;
    }
    let mut differing = best.split('.').zip(other.split('.')).filter(|(one, two)| one != two);
    let (_, word) = differing.next()?;
    differing.next().is_none().then_some(word)
}

/// Words that are far from every row.
fn unlike_any(opcode: Opcode, words: &[Word<'_>]) -> Misfit {
    let unknown = words.iter().position(|word| !word.is_known);
    let message = match unknown {
        Some(at) => wrong_word(opcode, words, at),
        None => format!("no form of `{}` has these modifiers together", opcode.as_str()),
    };
    let mut lines: Vec<String> = Vec::new();
    for line in forms_of(opcode).1.iter().map(Form::syntax) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let more = lines.len().saturating_sub(SHOWN_LINES);
    lines.truncate(SHOWN_LINES);
    let mut help = format!("the forms are:\n  {}", lines.join("\n  "));
    if more > 0 {
        help.push_str(&format!("\n  and {more} more, which `--explain {}` shows", opcode.as_str()));
    }
    Misfit { range: unknown.map(|at| words[at].range.clone()), message, help, suggestions: Vec::new() }
}

/// A text that is shown in a message, cut where it is too long.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 80;
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
