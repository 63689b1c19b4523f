//! What becomes of every construct of LLVM's language reference: `cargo xtask langref`.

use std::io::Write as _;

use anyhow::{Context as _, Result};
use clap::Args;
use test_suite::langref::{self, Peer};

use crate::cargo::workspace;
use crate::corpus::oracles;

/// Which constructs are judged.
#[derive(Args)]
pub(crate) struct LangrefArguments {
    /// Only titles that contain this text
    #[arg(long)]
    only: Option<String>,
    /// Only every so many
    #[arg(long, default_value_t = 1)]
    step: usize,
    /// Write the modules of what fails, too
    #[arg(long)]
    modules: bool,
    /// Rewrite test-suite/refused-constructs.tsv; review the difference
    #[arg(long)]
    write: bool,
    /// Do not run ptxas
    #[arg(long)]
    no_ptxas: bool,
    /// Do not run llc on rejected constructs
    #[arg(long)]
    no_llc: bool,
}

/// Judges the pieces and prints what is refused in groups, with what LLVM's backend makes of the first of each.
pub(crate) fn measure(arguments: &LangrefArguments) -> Result<()> {
    let mut out = std::io::stdout().lock();
    for (title, complaint) in langref::mistakes()? {
        writeln!(out, "mistake\t{title}\t{}", complaint.replace(['\n', '\t'], " | "))?;
    }
    let mut pieces = langref::pieces()?;
    pieces.retain(|piece| arguments.only.as_ref().is_none_or(|only| piece.title.contains(only)));
    let pieces: Vec<langref::Piece> = pieces.into_iter().step_by(arguments.step.max(1)).collect();
    let mut oracles = oracles();
    if arguments.no_ptxas {
        oracles.ptxas = None;
    }
    let verdicts = langref::judge(&pieces, &oracles)?;
    let groups = langref::groups(&pieces, &verdicts);
    let refused: usize = groups.iter().map(|group| group.pieces.len()).sum();
    for group in &groups {
        let Some(piece) = group.pieces.first().and_then(|at| pieces.get(*at)) else { continue };
        let peer = match oracles.llc {
            Some(_) if !arguments.no_llc => Some(langref::peer(piece, &oracles)?),
            _ => None,
        };
        let theirs = match &peer {
            Some(Peer::Taken(how)) => format!("llc takes it: {how}"),
            Some(Peer::Refused(why)) => why.replace(['\n', '\t'], " | "),
            None => String::new(),
        };
        writeln!(out, "{}\t{}\t{}\t{theirs}", group.key(), group.pieces.len(), piece.title)?;
        if arguments.modules {
            writeln!(out, "{}", piece.text())?;
        }
    }
    writeln!(out, "{:6} raised\n{refused:6} refused", pieces.len() - refused)?;
    if arguments.write {
        let path = workspace().join("test-suite/refused-constructs.tsv");
        std::fs::write(&path, langref::table(&groups)).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
