//! `tcgen05.mma`.

#[path = "../../../ptx-exec/tests/it/tcgen05/case.rs"]
pub mod case;
#[path = "../../../ptx-exec/tests/it/tcgen05/image.rs"]
#[allow(dead_code, reason = "its own test uses the rest")]
pub mod image;
#[path = "../../../ptx-exec/tests/it/tcgen05/launches.rs"]
#[allow(dead_code, reason = "its own test uses the rest")]
mod launches;
#[path = "../../../ptx-exec/tests/it/tcgen05/multiply.rs"]
mod multiply;
#[path = "../../../ptx-exec/tests/it/tcgen05/pair.rs"]
mod pair;

use launches::{END, START, launch_blocks, list, stops, words, words_of_pair};
