//! Real clients of CUDA, without a GPU: a few runs of each, in `--all`. Skipped where their packages cannot be installed.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use test_suite::clients::{CLIENTS, Client, Expected, Packages, Tools};

/// Many times what a run takes.
const LIMIT: Duration = Duration::from_secs(600);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let selected = |client: &&Client| {
        arguments.filter.as_ref().is_none_or(|filter| client.name.contains(filter.as_str()))
    };
    // Otherwise they are listed as left out.
    let takes = arguments.list || testing::takes("real clients of CUDA");
    // What only `cargo xtask clients` runs is not installed either.
    let is_small = |client: &&Client| client.runs.iter().any(|run| run.small);
    let clients = CLIENTS.iter().filter(selected).filter(is_small).filter(|_| takes);
    let trials = clients.map(|client| trial(client, arguments.list)).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The test of a client, whose packages are installed first unless it is only listed.
fn trial(client: &'static Client, is_listed: bool) -> Trial {
    let below = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/clients");
    let packages = (!is_listed).then(|| Packages::install(client, &below));
    // A client that cannot be installed is counted as skipped.
    let installed = packages.and_then(Result::ok);
    let is_ignored = installed.is_none();
    Trial::test(client.name, move || {
        installed.map_or_else(
            || Err(Failed::from("its packages are not installed")),
            |packages| runs(client, &packages),
        )
    })
    .with_ignored_flag(is_ignored)
}

/// Runs the small runs of a client.
fn runs(client: &Client, packages: &Packages) -> Result<(), Failed> {
    let built: PathBuf = testing::built(&["ptx-cuda-tool", "ptx-cuda", "ptx-nvjitlink"], &[]);
    let tools = Tools::new(built, LIMIT, |_, _| {});
    let expected = Expected::read()?;
    let mut found = Vec::new();
    for run in client.runs.iter().filter(|run| run.small) {
        let outcome = tools.run(client, run, packages);
        let differences = expected.differences(client.name, run.name, &outcome)?;
        if !differences.is_empty() {
            found.push(format!("{}\n{}", differences.join("\n"), outcome.tail));
        }
    }
    if found.is_empty() { Ok(()) } else { Err(found.join("\n\n").into()) }
}
