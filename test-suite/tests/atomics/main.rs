//! Every atomic instruction of LLVM: each operation, type, order, scope and address space, for targets of each kind.
//!
//! - The fences and ordered accesses of the PTX are what the memory model asks for ([`order`]), worked out from the
//!   manual; what libnvvm makes of the same instructions (`libnvvm.tsv`, written by `libnvvm.py`) agrees with that.
//! - ptxas takes all of it.
//! - Executed, every operation gives the values that LLVM's language reference says ([`value`]).
#![allow(clippy::print_stdout)] // a test program reports to the terminal

mod matrix;
mod order;
mod value;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};
use test_suite::oracle::{Oracles, nvidia_folder};
use test_suite::sampled::sampled;
use test_suite::skip::Skips;

fn main() -> ExitCode {
    let oracles = Arc::new(Oracles::find(&nvidia_folder(), Path::new("")));
    let skips = Arc::new(Skips::default());
    let mut trials = Vec::new();
    for (sm, space, name) in order::PLACES {
        let (oracles, skips) = (Arc::clone(&oracles), Arc::clone(&skips));
        trials.push(Trial::test(format!("order/sm_{sm}/{name}"), move || {
            order::everything_is_ordered(*sm, *space, &oracles, &skips)
        }));
    }
    trials.push(Trial::test("order/libnvvm", order::wanted_orders_are_those_of_libnvvm));
    trials.push(Trial::test("order/wide", order::wide_operations_before_their_targets_name_them));
    for (memory, name) in value::MEMORIES {
        for sm in [60, 70, 90] {
            trials.push(Trial::test(format!("value/sm_{sm}/{name}"), move || {
                value::operations_give_what_llvm_says(sm, *memory)
            }));
        }
    }
    trials.push(Trial::test("value/together", value::threads_that_meet_lose_nothing));
    let arguments = Arguments::from_args();
    let trials = sampled(&arguments, "kinds of atomic operations", trials, 5);
    let conclusion = libtest_mimic::run(&arguments, trials);
    println!("{}", skips.summary());
    conclusion.exit_code()
}
