//! The launches of `test-suite/cases` as launch files, but for those that have to fail or delay asynchronous operations.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use ptx_exec::Completion;
use serde_json::{Value, json};
use test_suite::directive::{Argument, Ending, Launch, Role};
use test_suite::trial::collect;

use super::Real;
use crate::cargo::workspace;

/// The launches of these names that have to finish, `copies` times as many blocks in z.
pub(super) fn cases(folder: &Path, is_wanted: impl Fn(&str) -> bool, copies: u32) -> Result<Vec<Real>> {
    let (cases, _) = collect(&workspace().join("test-suite/cases"))?;
    let mut all = Vec::new();
    for case in cases.iter().filter(|case| case.name.ends_with(".ptx")) {
        let finish = case
            .directives
            .launches
            .iter()
            .filter(|launch| launch.ending == Ending::Finish && launch.completion == Completion::Eager);
        for (at, launch) in finish.enumerate() {
            let name = format!("{}/{}", case.name.trim_end_matches(".ptx"), launch.entry);
            if is_wanted(&name) {
                let place = folder.join(&name).join(at.to_string());
                prepare(launch, copies, &place).with_context(|| name.clone())?;
                all.push(Real { name, ptx: case.path.clone(), place });
            }
        }
    }
    Ok(all)
}

fn prepare(launch: &Launch, copies: u32, place: &Path) -> Result<()> {
    fs::create_dir_all(place)?;
    let arguments = launch.arguments.iter().enumerate().map(|(at, argument)| spec(at, argument, place));
    let [x, y, z] = launch.grid;
    let mut file = json!({
        "entry": launch.entry, "grid": [x, y, z * copies], "block": launch.block, "shared": launch.shared, "cooperative": launch.cooperative, "args": arguments.collect::<Result<Vec<_>>>()?,
    });
    if let Some(cluster) = launch.cluster {
        file["cluster"] = json!(cluster);
    }
    Ok(fs::write(place.join("launch.json"), format!("{file}\n"))?)
}

fn spec(at: usize, argument: &Argument, place: &Path) -> Result<Value> {
    if argument.role == Role::Value {
        let hex: String = argument.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        return Ok(json!({"bytes": argument.bytes.len(), "hex": hex}));
    }
    let name = format!("{at}.bin");
    fs::write(place.join(&name), &argument.bytes)?;
    Ok(json!(format!("in={name}")))
}
