//! What was measured, for people and for programs.

use serde_json::{Value, json};

use super::Measured;
use super::engine::{Engine, Sample};

/// The value in the middle.
pub(crate) fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    match (values.get(values.len() / 2), values.get((values.len().max(1) - 1) / 2)) {
        (Some(upper), Some(lower)) => f64::midpoint(*upper, *lower),
        _ => f64::NAN,
    }
}

fn milliseconds(samples: &[Sample]) -> f64 {
    middle(samples.iter().map(|sample| sample.cpu as f64 / 1e6).collect())
}

/// Multiples of the first engine, round by round.
fn multiples(measured: &Measured, at: usize) -> Vec<f64> {
    let pairs = measured.samples[0].iter().zip(&measured.samples[at]);
    pairs.map(|(first, own)| own.cpu as f64 / first.cpu.max(1) as f64).collect()
}

/// The least and the most of some numbers.
fn spread(values: &[f64]) -> [f64; 2] {
    [values.iter().copied().fold(f64::INFINITY, f64::min), values.iter().copied().fold(0.0, f64::max)]
}

/// Three digits that count.
pub(crate) fn short(value: f64) -> String {
    let digits = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$}")
}

/// One line while measuring goes on.
pub(crate) fn line(measured: &Measured, engines: &[Engine]) -> String {
    let of = |at: usize| format!("{} {} ms", engines[at].name(), short(milliseconds(&measured.samples[at])));
    let all: Vec<String> = (0..engines.len()).map(of).collect();
    format!("{}: {}", measured.kernel, all.join(", "))
}

/// The table, with a geometric mean of each engine's multiples of the first.
pub(crate) fn table(all: &[Measured], engines: &[Engine]) -> String {
    let Some((first, others)) = engines.split_first() else { return String::new() };
    let mut text = format!("| kernel | {}, ms |", first.name());
    let mut rule = "|---|---:|".to_owned();
    for other in others {
        text +=
            &format!(" {0}, ms | compiling, ms | {0} / {1} | least to most |", other.name(), first.name());
        rule += "---:|---:|---:|---:|";
    }
    text += &format!("\n{rule}\n");
    for measured in all {
        text += &format!("| {} | {} |", measured.kernel, short(milliseconds(&measured.samples[0])));
        for at in 1..engines.len() {
            let compile =
                middle(measured.samples[at].iter().map(|sample| sample.compile as f64 / 1e6).collect());
            let multiples = multiples(measured, at);
            let [least, most] = spread(&multiples).map(short);
            let (time, middle) = (short(milliseconds(&measured.samples[at])), short(middle(multiples)));
            text += &format!(" {time} | {} | {middle} | {least} to {most} |", short(compile));
        }
        text.push('\n');
    }
    text += "| geometric mean | |";
    for at in 1..engines.len() {
        let sum: f64 = all.iter().map(|measured| middle(multiples(measured, at)).ln()).sum();
        text += &format!(" | | {} | |", short((sum / all.len().max(1) as f64).exp()));
    }
    text.push('\n');
    text
}

/// Every sample.
pub(crate) fn objects(all: &[Measured], engines: &[Engine]) -> Value {
    let sample = |sample: &Sample| json!({"cpu_ns": sample.cpu, "compile_ns": sample.compile});
    let kernel = |measured: &Measured| {
        let samples = engines.iter().zip(&measured.samples);
        let samples: serde_json::Map<String, Value> =
            samples.map(|(engine, own)| (engine.name(), own.iter().map(sample).collect())).collect();
        json!({"kernel": measured.kernel, "samples": samples})
    };
    all.iter().map(kernel).collect()
}
