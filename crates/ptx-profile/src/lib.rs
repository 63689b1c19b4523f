//! The profile of launches, as `ptxrun --profile=FILE.json` writes it: read, and brought together with the module that it is of.
//!
//! A profile has an object on each line: one about each launch, then one for each instruction that was executed, with its place and how often warps and threads
//! executed it. [`Profile::parse`] reads it, and [`Profile::place`] finds the instructions in a module. A profile of another text is an error at its line: counts are
//! never given to another instruction than the one that was executed.
//!
//! ```
//! use ptx_diag::SourceFile;
//! use ptx_profile::Profile;
//!
//! let text = SourceFile::new("k.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n");
//! let (module, _) = ptx_syntax::parse(&text);
//! let launch = r#"{"kind":"profile-launch","kernel":"k","grid":[2,1,1],"block":[32,1,1]}"#;
//! let row = |text: &str| format!(
//!     r#"{{"kind":"profile","file":"k.ptx","line":6,"column":1,"function":"k","text":"{text}","warps":2,"threads":64,"divergent":0,"sectors":0,"conflicts":0}}"#
//! );
//! let read = |text: &str| Profile::parse(&SourceFile::new("p.json", format!("{launch}\n{}\n", row(text)))).unwrap();
//! let placed = read("ret").place(&text, &module).unwrap();
//! assert_eq!(placed.total("k").warps, 2);
//! assert!(read("exit").place(&text, &module).is_err());
//! ```

pub mod codes;
mod parse;
mod place;

pub use parse::{Counts, Launch, Profile, Row};
pub use place::Placed;
