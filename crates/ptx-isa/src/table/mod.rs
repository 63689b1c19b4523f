//! The rows, one chapter a file, and how to find them.

use std::ops::Range;

use crate::families::Opcode;
use crate::form::{Form, FormId};

mod async_copy;
mod atomic;
mod bits;
mod bulk;
mod cluster;
mod compare;
mod control;
mod convert;
mod fabric;
mod fence;
mod float;
mod integer;
mod matrix;
mod mbarrier;
mod memory;
mod mma;
mod moves;
mod multimem;
mod policy;
mod sync;
mod tcgen05;
mod tensor;
mod texture;
mod video;
mod vocabulary;
mod warp;
mod wgmma;
mod wmma;

/// The chapters in the manual's order (9.7.1 ff.).
static CHAPTERS: &[&[Form]] = &[
    integer::FORMS,
    float::FORMS,
    compare::FORMS,
    bits::FORMS,
    moves::FORMS,
    convert::FORMS,
    memory::FORMS,
    policy::FORMS,
    async_copy::FORMS,
    bulk::FORMS,
    tensor::FORMS,
    multimem::FORMS,
    fabric::FORMS,
    texture::FORMS,
    control::FORMS,
    sync::FORMS,
    fence::FORMS,
    mbarrier::FORMS,
    atomic::FORMS,
    cluster::FORMS,
    warp::FORMS,
    wmma::FORMS,
    mma::FORMS,
    matrix::FORMS,
    wgmma::FORMS,
    tcgen05::FORMS,
    video::FORMS,
];

/// How many rows there are.
const COUNT: usize = {
    let (mut count, mut chapter) = (0, 0);
    while chapter < CHAPTERS.len() {
        count += CHAPTERS[chapter].len();
        chapter += 1;
    }
    count
};

/// All rows, those of an opcode next to each other, chapters in order within an opcode.
static FORMS: [Form; COUNT] = sorted();

/// Where the rows of each opcode begin; those of the last end at the last entry.
static STARTS: [u16; Opcode::ALL.len() + 1] = starts();

const fn starts() -> [u16; Opcode::ALL.len() + 1] {
    let mut starts = [0; Opcode::ALL.len() + 1];
    let mut chapter = 0;
    while chapter < CHAPTERS.len() {
        let mut at = 0;
        while at < CHAPTERS[chapter].len() {
            starts[CHAPTERS[chapter][at].opcode as usize + 1] += 1;
            at += 1;
        }
        chapter += 1;
    }
    let mut opcode = 0;
    while opcode < Opcode::ALL.len() {
        starts[opcode + 1] += starts[opcode];
        opcode += 1;
    }
    starts
}

const fn sorted() -> [Form; COUNT] {
    let mut next = starts();
    let mut forms = [CHAPTERS[0][0]; COUNT];
    let mut chapter = 0;
    while chapter < CHAPTERS.len() {
        let mut at = 0;
        while at < CHAPTERS[chapter].len() {
            let form = CHAPTERS[chapter][at];
            let place = &mut next[form.opcode as usize];
            forms[*place as usize] = form;
            *place += 1;
            at += 1;
        }
        chapter += 1;
    }
    forms
}

/// Every row; a [`FormId`] is an index into this slice.
pub const fn all_forms() -> &'static [Form] {
    &FORMS
}

/// The id of every row, in the order of [`all_forms`].
pub fn form_ids() -> impl ExactSizeIterator<Item = FormId> {
    (0..FORMS.len()).map(|at| FormId(at as u16))
}

/// The row of an id.
pub const fn form(id: FormId) -> &'static Form {
    &FORMS[id.index()]
}

/// The rows of an opcode and the id of the first; the others follow it.
pub fn forms_of(opcode: Opcode) -> (u16, &'static [Form]) {
    let Range { start, end } = ids_of(opcode);
    (start, &FORMS[usize::from(start)..usize::from(end)])
}

/// The ids of the rows of an opcode.
pub(crate) const fn ids_of(opcode: Opcode) -> Range<u16> {
    STARTS[opcode as usize]..STARTS[opcode as usize + 1]
}

#[cfg(test)]
mod tests;
