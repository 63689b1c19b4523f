//! Facts about PTX that decide how fast it is, without executing or compiling it.
//!
//! [`inspect`] gives them for each function of a module, at lines of the PTX: which values are the same for the threads of a warp ([`DivergenceFacts`]), what memory is
//! accessed how ([`Access`]), the sectors ([`Coalescing`]) and conflicts of banks ([`BankConflicts`]) that a warp causes, live registers ([`Registers`]), calls
//! ([`CallGraph`]), control flow ([`Flow`]) and the work of a thread ([`Roofline`]). A [`Report`] has them as plain data; it is serialized as it is, and
//! [`Report::to_text`] and [`Report::to_dot`] are for people.
//!
//! What is not known is left out and never guessed: an address that depends on loaded data has no sectors. What is taken for granted is that index arithmetic does
//! not overflow, that threads of a warp which parted go on together where their ways meet, that a pointer in a kernel's parameters is aligned as memory is that the
//! host allocates, and, where the shape of a block is not known, that a warp is 32 threads that follow each other in the first dimension.
//!
//! ```
//! use ptx_diag::SourceFile;
//! use ptx_inspect::{Analysis, inspect};
//!
//! let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b32 %r<2>;\n.reg .b64 %rd<4>;\n\
//!     ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 8;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], 0;\nret;\n}";
//! let (module, _) = ptx_syntax::parse(&SourceFile::new("k.ptx", text));
//! let report = inspect(&module, &[Analysis::Coalescing], None, &|spans| vec![1; spans.len()], &|_| "k.ptx".to_owned());
//! let sectors = report.functions[0].coalescing.as_ref().unwrap()[0].sectors.unwrap();
//! assert_eq!((sectors.most, sectors.ideal, sectors.stride), (8, 4, Some(8)));
//! ```

mod banks;
mod calls;
mod coalescing;
mod code;
mod divergence;
mod dot;
mod executed;
mod facts;
mod flow;
mod loops;
mod memory;
mod operation;
mod polynomial;
mod registers;
mod report;
mod roofline;
mod ssa;
mod text;
mod trips;
mod values;

pub use banks::{ArrayLayout, BankAccess, BankConflicts, Conflicts, LayoutAccess, Padding, Swizzle};
pub use calls::{Call, CallGraph, FunctionCalls};
pub use coalescing::{Coalescing, Sectors};
pub use divergence::Level;
pub use executed::{Attainable, Bound, ExecutedRoofline, ExecutedWork, Executions, Peak, executed_roofline};
pub use facts::{BranchFact, Class, DivergenceFacts, ValueFact, Why};
pub use flow::{Block, Edge, EdgeKind, Flow, LoopFacts};
pub use memory::{Access, AccessKind, AddressForm};
pub use registers::{LiveRegister, Pressure, PressurePoint, Registers};
pub use report::{Analysis, FunctionReport, Report, inspect};
pub use roofline::{LoopWork, Roofline, Work, WorkTerm};
