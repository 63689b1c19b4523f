//! The work of an execution as text.

use std::fmt::Write as _;

use super::tables::{Table, number, shown, work};
use crate::executed::{Bound, ExecutedRoofline, ExecutedWork};

/// Appends a table of the functions; `name` gives the name by which one is shown. Writing to a string does not fail.
pub(super) fn write_executed(out: &mut String, roofline: &ExecutedRoofline, name: &impl Fn(&str) -> String) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str("work that was executed\n");
    let total = Some(&roofline.total).filter(|_| roofline.functions.len() != 1);
    let rows = || {
        let functions = roofline.functions.iter().map(|one| (name(&one.name), one));
        functions.chain(total.map(|total| ("total".to_owned(), total)))
    };
    let mut table = Table::new([
        "function",
        "flops",
        "integer",
        "bytes read",
        "written",
        "flops/byte",
        "bytes of sectors",
        "flops/byte",
    ]);
    let intensity = |of: Option<f64>| shown(of.map(number), "-");
    for (name, one) in rows() {
        let [float, integer, read, written] = work(&one.work);
        let sectors = number(one.sector_bytes);
        let (own, of_sectors) = (intensity(one.intensity), intensity(one.sector_intensity));
        table.row([name, float, integer, read, written, own, sectors, of_sectors]);
    }
    table.write(out);
    if let Some(peak) = roofline.peak {
        let (flops, bytes) = (rounded(peak.flops), rounded(peak.bytes));
        let _ = writeln!(out, "  attainable with {flops}flops/s and {bytes}bytes/s");
        let mut table = Table::new(["function", "flops/s", "bound by", "seconds at least"]);
        for (name, one) in rows() {
            table.row(attainable(name, one));
        }
        table.write(out);
    }
    if roofline.total.unknown > 0 {
        let _ = writeln!(out, "    without {} accesses whose size is not known", roofline.total.unknown);
    }
    for one in roofline.functions.iter().filter(|one| one.is_too_large) {
        let _ = writeln!(out, "    without the accesses of {}, which is too large", name(&one.name));
    }
}

fn attainable(name: String, one: &ExecutedWork) -> [String; 4] {
    let Some(own) = one.attainable else { return [name, "-".to_owned(), "-".to_owned(), "-".to_owned()] };
    let bound = match own.bound {
        Bound::Memory => "memory",
        Bound::Compute => "operations",
    };
    [name, rounded(own.flops).trim_end().to_owned(), bound.to_owned(), format!("{:.3e}", own.seconds)]
}

/// `3.35 T`.
fn rounded(value: f64) -> String {
    let units = [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M")];
    match units.into_iter().find(|(unit, _)| value >= *unit) {
        Some((unit, name)) => format!("{} {name}", number(value / unit)),
        None => format!("{} ", number(value)),
    }
}
