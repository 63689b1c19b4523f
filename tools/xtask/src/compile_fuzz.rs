//! Random control flow until the time is over, compiled for the host: `cargo xtask compile-fuzz`.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use clap::Args;
use test_suite::control_flow::{Measured, SHAPES, Shape, kernel, measure, mixture};

use crate::random::RandomPrograms;

/// How long a program of ten times the instructions may take to compile, as a multiple.
const MOST_TIMES: f64 = 12.0;
/// How many times as large the larger program is.
const LARGER: usize = 10;
/// Up to so many instructions, a kernel does not have more than are compiled after its calls are inlined; what is reported of one that does.
const FEW: usize = 60_000;
const TOO_MANY: &str = "not compiled: kernels with this many calls are not compiled";
/// Below this, a difference is one of the clock.
const FLOOR: Duration = Duration::from_millis(100);

/// What is generated, and what counts as too long.
#[derive(Args)]
pub(crate) struct CompileFuzzArguments {
    #[command(flatten)]
    random: RandomPrograms,
    /// With `--show`, print a kernel of one kind of control flow, of `--least` instructions
    #[arg(long, value_parser = shape, requires = "show")]
    shape: Option<Shape>,
    /// The least instructions of the smaller program of a pair, which has less than twice as many
    #[arg(long, default_value_t = 1000)]
    least: usize,
    /// The most processor time of compilation, in microseconds for each instruction
    #[arg(long, default_value_t = 4000)]
    microseconds: u64,
}

/// Generates pairs of programs, one ten times as large as the other, and reports wrong results and times that do not grow as the programs do.
pub(crate) fn fuzz(arguments: &CompileFuzzArguments) -> Result<()> {
    let mut out = io::stdout().lock();
    let RandomPrograms { seconds, seed: first, enough, show, ref keep, .. } = arguments.random;
    if show {
        let text = match arguments.shape {
            Some(shape) => kernel(shape, arguments.least),
            None => mixture(first, arguments.least, 1),
        };
        return Ok(write!(out, "{text}")?);
    }
    if let Some(folder) = keep {
        std::fs::create_dir_all(folder)?;
    }
    let start = Instant::now();
    let (mut seed, mut bad, mut refused, mut slowest) = (first, 0, 0, 0.0_f64);
    while start.elapsed() < Duration::from_secs(seconds) && enough.is_none_or(|enough| bad < enough) {
        let size = arguments.least + (seed as usize).wrapping_mul(7919) % arguments.least.max(1);
        let texts = [1, LARGER].map(|times| mixture(seed, size, times));
        match pair(&texts) {
            Ok([small, large]) => {
                let times = large.compiled.as_secs_f64() / small.compiled.max(FLOOR).as_secs_f64();
                let each = large.compiled.as_micros() as u64 / (LARGER * size) as u64;
                slowest = slowest.max(times);
                let is_long = large.compiled > 10 * FLOOR && each > arguments.microseconds;
                if times > MOST_TIMES || is_long || !small.is_right || !large.is_right {
                    bad += 1;
                    let right = small.is_right && large.is_right;
                    writeln!(
                        out,
                        "seed {seed}, {size} instructions: {:?}, ten times as many {:?}; right: {right}",
                        small.compiled, large.compiled
                    )?;
                    save(arguments, seed, &texts[1])?;
                }
            }
            // Calls make more of them than are compiled.
            Err(error) if LARGER * size > FEW && error.to_string() == TOO_MANY => refused += 1,
            Err(error) => {
                bad += 1;
                writeln!(out, "seed {seed}, {size} instructions: {error:#}")?;
                save(arguments, seed, &texts[1])?;
            }
        }
        out.flush()?;
        seed += 1;
    }
    let seconds = start.elapsed().as_secs();
    writeln!(
        out,
        "{} pairs in {seconds} s, {refused} too large to be compiled, {bad} bad; at most {slowest:.1} times the time; next seed {seed}",
        seed - first
    )?;
    ensure!(bad == 0, "{bad} pairs are wrong or slow");
    Ok(())
}

/// The kind of control flow of a name.
fn shape(name: &str) -> Result<Shape, String> {
    let named = SHAPES.into_iter().find(|shape| format!("{shape:?}").eq_ignore_ascii_case(name));
    named.ok_or_else(|| format!("one of {}", SHAPES.map(|shape| format!("{shape:?}")).join(", ")))
}

fn pair(texts: &[String; 2]) -> Result<[Measured; 2]> {
    Ok([measure(&texts[0])?, measure(&texts[1])?])
}

fn save(arguments: &CompileFuzzArguments, seed: u64, text: &str) -> Result<()> {
    if let Some(folder) = &arguments.random.keep {
        std::fs::write(folder.join(format!("{seed}.ptx")), text)?;
    }
    Ok(())
}
