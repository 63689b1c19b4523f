//! Random modules with debug information that are linked, until the time is over: `cargo xtask link-fuzz`.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use test_suite::linked::{Program, Tools, Way, judge};

use crate::corpus::oracles;
use crate::random::RandomPrograms;

/// Generates modules and reports those whose debug information is not right after linking.
pub(crate) fn fuzz(arguments: &RandomPrograms) -> Result<()> {
    let mut out = io::stdout().lock();
    if arguments.show {
        return Ok(write!(out, "{}", Program::new(arguments.seed).text())?);
    }
    let tools = Tools::find().context("LLVM's programs are not installed")?;
    let oracles = oracles();
    if let Some(folder) = &arguments.keep {
        std::fs::create_dir_all(folder)?;
    }
    let start = Instant::now();
    let (mut seed, mut bad) = (arguments.seed, 0);
    while start.elapsed() < Duration::from_secs(arguments.seconds)
        && arguments.enough.is_none_or(|enough| bad < enough)
    {
        let program = Program::new(seed);
        for way in Way::ALL {
            let Err(error) = judge(&program, way, &tools, &oracles) else { continue };
            bad += 1;
            writeln!(out, "seed {seed}, {way:?}: {}", error.root_cause())?;
            if let Some(folder) = &arguments.keep {
                std::fs::write(
                    folder.join(format!("{seed}.{way:?}.txt")),
                    format!("{error:#}\n{}", program.text()),
                )?;
            }
        }
        out.flush()?;
        seed += 1;
    }
    writeln!(
        out,
        "{} programs in {} s, {bad} differences; next seed {seed}",
        seed - arguments.seed,
        start.elapsed().as_secs()
    )?;
    ensure!(bad == 0, "{bad} differences");
    Ok(())
}
