//! `tcgen05`: tensor memory and what is done with it (manual 9.7.16).

mod access;
mod case;
mod copy;
mod image;
mod launches;
mod multiply;
mod order;
mod pair;

use launches::{END, START, launch, launch_as, launch_blocks, list, stops, words, words_of, words_of_pair};
