//! The rows, one chapter a file, and how to find them.

use std::ops::Range;
use std::sync::LazyLock;

use crate::form::{Form, FormId};
use crate::names::Opcode;

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

struct Table {
    forms: Vec<Form>,
    ranges: Vec<Range<usize>>,
}

/// All rows, those of an opcode next to each other, chapters in order within an opcode.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut forms: Vec<Form> = CHAPTERS.iter().flat_map(|chapter| chapter.iter().copied()).collect();
    forms.sort_by_key(|form| form.opcode);
    let of = |op: Opcode| {
        let start = forms.partition_point(|form| form.opcode < op);
        start..forms.partition_point(|form| form.opcode <= op)
    };
    let ranges = Opcode::ALL.iter().map(|&op| of(op)).collect();
    Table { forms, ranges }
});

/// Every row; a [`FormId`] is an index into this slice.
pub fn all_forms() -> &'static [Form] {
    &TABLE.forms
}

/// The id of every row, in the order of [`all_forms`].
pub fn form_ids() -> impl ExactSizeIterator<Item = FormId> {
    (0..TABLE.forms.len()).map(|at| FormId(at as u16))
}

/// The row of an id.
pub fn form(id: FormId) -> &'static Form {
    &TABLE.forms[id.index()]
}

/// The rows of an opcode and the id of the first; the others follow it.
pub fn forms_of(opcode: Opcode) -> (u16, &'static [Form]) {
    let range = TABLE.ranges[opcode as usize].clone();
    (range.start as u16, &TABLE.forms[range])
}

#[cfg(test)]
mod tests;
