//! Pages of HTML that show a program: [`View`] has it in all its forms with its graphs, [`Profile`] what its execution took, line by line, and [`Difference`] two programs side by side.
//!
//! The data are plain: texts, which of their lines belong together, graphs, numbers. A page is one file with its style and its script, which
//! loads nothing, so that it can be opened from a disk, sent and printed. Its size and the time to make it are linear in the data, and what cannot be
//! read in a picture is not drawn ([`MOST_BLOCKS`], [`MOST_BLOCKS_OF_PAGE`]).
//!
//! ```
//! use ptx_report::{Column, Line, Place, Section, View};
//!
//! let places = vec![Place { file: 0, line: 1 }];
//! let line = |text: &str| Line { number: Some(1), text: text.to_owned(), places: places.clone(), ..Line::default() };
//! let column = |title: &str, is_input, text: &str| Column {
//!     title: title.to_owned(),
//!     is_input,
//!     sections: vec![Section { name: String::new(), lines: vec![line(text)] }],
//!     ..Column::default()
//! };
//! let view = View {
//!     title: "k.ptx".to_owned(),
//!     columns: vec![column("PTX", true, "add.s32 %r1, %r2, %r3;"), column("LLVM IR", false, "%1 = add i32 %2, %3")],
//!     ..View::default()
//! };
//! assert!(view.to_html().contains("%1 = add i32 %2, %3"));
//! ```

mod curve;
mod difference;
mod flame;
mod graph;
mod html;
mod layout;
mod lines;
mod profile;
mod spot;
mod view;

pub use curve::{Curve, Point};
pub use difference::{Cell, ComparedFunction, Difference, Row, RowKind, SideBySide};
pub use graph::{Edge, EdgeKind, Graph, MOST_BLOCKS, Node};
pub use lines::{Column, Line, Margin, Place, Remark, Section, Weight};
pub use profile::{Profile, SourceText};
pub use spot::{Cost, Spot};
pub use view::{FunctionFigures, MOST_BLOCKS_OF_PAGE, View};
