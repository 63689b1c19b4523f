//! What commands that generate random programs have in common on the command line.

use std::path::PathBuf;

use clap::Args;

/// Which programs are generated, and what is done with those that differ.
#[derive(Args)]
pub(crate) struct RandomPrograms {
    /// Duration in seconds
    #[arg(long, default_value_t = 60)]
    pub(crate) seconds: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Stop after this number of differences
    #[arg(long)]
    pub(crate) enough: Option<u64>,
    /// Report programs as generated, without reducing them
    #[arg(long)]
    pub(crate) whole: bool,
    /// Print the program of the first seed and exit
    #[arg(long)]
    pub(crate) show: bool,
    /// A folder for the programs that differ
    #[arg(long)]
    pub(crate) keep: Option<PathBuf>,
}
