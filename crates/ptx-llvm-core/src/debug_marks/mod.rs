//! What lowering writes as metadata about debug information, and raising reads: the contents of [`DEBUG`](crate::marks::DEBUG),
//! [`DEBUG_END`](crate::marks::DEBUG_END), [`FILE`](crate::marks::FILE) and [`SECTION`](crate::marks::SECTION).

mod debug_line;
mod sections;

pub use debug_line::{Call, DebugLine, Location, label, label_name};
pub use sections::{File, Section, SectionPart, SectionUnit, local, section_units};
