//! Observation of a launch: what is counted for `--profile`, and `--trace`.

use std::fmt::Write as _;
use std::str::FromStr;
use std::sync::Arc;

use ptx_cli::Output;
use ptx_diag::{Format, Span};
use ptx_driver::Sources;
use ptx_exec::{Observation, SourceLine, Trace, TraceEvent, Value};
use serde_json::json;

/// Which instructions `--trace` shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TraceFilter {
    block: Option<[u32; 3]>,
    thread: Option<[u32; 3]>,
    /// Ranges of lines of the PTX, one of which must contain the instruction; all instructions match if there are none.
    lines: Vec<(u32, u32)>,
    /// Suffixes of file names, each with a line of the source, in the same sense.
    sources: Vec<(String, u32)>,
}

impl FromStr for TraceFilter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut filter = Self::default();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let wrong = || {
                format!(
                    "expected block=X[:Y[:Z]], thread=X[:Y[:Z]], line=N[-M] or source=FILE:LINE, not `{part}`"
                )
            };
            let (key, value) = part.split_once('=').ok_or_else(wrong)?;
            match key {
                // An instruction belongs to one block and one thread.
                "block" if filter.block.is_some() => return Err("`block=` is given twice".to_owned()),
                "thread" if filter.thread.is_some() => return Err("`thread=` is given twice".to_owned()),
                "block" => filter.block = Some(index(value).ok_or_else(wrong)?),
                "thread" => filter.thread = Some(index(value).ok_or_else(wrong)?),
                "line" => {
                    let (first, last) = value.split_once('-').unwrap_or((value, value));
                    let lines = first.parse().ok().zip(last.parse().ok());
                    filter.lines.push(lines.filter(|(first, last)| first <= last).ok_or_else(wrong)?);
                }
                "source" => {
                    let (file, line) = value.rsplit_once(':').ok_or_else(wrong)?;
                    filter.sources.push((file.to_owned(), line.parse().map_err(|_| wrong())?));
                }
                _ => return Err(wrong()),
            }
        }
        Ok(filter)
    }
}

/// `X`, `X:Y` or `X:Y:Z`.
fn index(text: &str) -> Option<[u32; 3]> {
    let mut index = [0; 3];
    let parts: Vec<&str> = text.split(':').collect();
    if parts.len() > index.len() {
        return None;
    }
    for (place, part) in index.iter_mut().zip(parts) {
        *place = part.parse().ok()?;
    }
    Some(index)
}

impl TraceFilter {
    fn wants(&self, sources: &Sources, span: Span, source: Option<&SourceLine>) -> bool {
        let is_line = || {
            let place = sources.place(span);
            let fits = |line: u32| self.lines.iter().any(|(first, last)| (*first..=*last).contains(&line));
            place.is_some_and(|(_, position)| fits(position.line))
        };
        let is_source = || {
            let fits = |at: &SourceLine| {
                self.sources.iter().any(|(file, line)| at.line == *line && at.file.ends_with(file.as_str()))
            };
            source.is_some_and(fits)
        };
        (self.lines.is_empty() || is_line()) && (self.sources.is_empty() || is_source())
    }
}

/// The observation of a launch. A trace is written to standard output during the launch.
pub fn observation(
    profile: bool,
    filter: Option<&TraceFilter>,
    sources: &Sources,
    format: Format,
) -> Observation {
    let trace = filter.map(|filter| {
        let (wanted, known, shown) = (filter.clone(), sources.clone(), sources.clone());
        Trace {
            block: filter.block,
            thread: filter.thread,
            instructions: Some(Arc::new(move |span, source| wanted.wants(&known, span, source))),
            sink: Arc::new(move |event| {
                // The launch continues even if the reader of the trace has closed it.
                let _ = Output::Stdout.write(event_line(event, &shown, format).as_bytes());
            }),
        }
    });
    Observation { profile, trace }
}

/// The file and line of an instruction.
fn place(sources: &Sources, span: Span) -> (String, u32) {
    let place = sources.place(span);
    place.map_or_else(|| ("?".to_owned(), 0), |(file, position)| (file.name().to_owned(), position.line))
}

fn event_line(event: &TraceEvent, sources: &Sources, format: Format) -> String {
    let (file, line) = place(sources, event.span);
    let text = sources.text(event.span).split_whitespace().collect::<Vec<_>>().join(" ");
    if format == Format::Json {
        let values = |values: &[Value]| -> Vec<_> {
            let value = |value: &Value| {
                let (register, ty) = (value.register.as_ref(), value.ty.as_str());
                json!({"register": register, "type": ty, "bits": format!("{:#x}", value.bits), "value": shown(value)})
            };
            values.iter().map(value).collect()
        };
        let object = json!({
            "kind": "trace", "block": event.block, "thread": event.thread, "file": file, "line": line,
            "source": event.source.as_ref().map(ToString::to_string), "instruction": text,
            "reads": values(&event.reads), "writes": values(&event.writes),
        });
        return format!("{object}\n");
    }
    let ([bx, by, bz], [tx, ty, tz]) = (event.block, event.thread);
    let values = |values: &[Value]| {
        let value = |value: &Value| format!(" {} = {}", value.register, shown(value));
        values.iter().map(value).collect::<Vec<_>>().join(",")
    };
    let mut shown = format!("({bx},{by},{bz}) ({tx},{ty},{tz}) {file}:{line}: {text};");
    shown.push_str(&values(&event.reads));
    if !event.writes.is_empty() {
        let _ = write!(shown, " ->{}", values(&event.writes));
    }
    if let Some(source) = &event.source {
        let _ = write!(shown, " [{source}]");
    }
    shown.push('\n');
    shown
}

/// A value in the form of its type; bits in hexadecimal.
fn shown(value: &Value) -> String {
    use ptx_isa::ScalarType as Type;
    let bits = value.bits;
    match value.ty {
        Type::Pred => (bits & 1 == 1).to_string(),
        Type::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        Type::F64 => format!("{:?}", f64::from_bits(bits as u64)),
        Type::S16 => (bits as i16).to_string(),
        Type::S32 => (bits as i32).to_string(),
        Type::S64 => (bits as i64).to_string(),
        Type::U16 | Type::U32 | Type::U64 => bits.to_string(),
        _ => format!("{bits:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_read() {
        let filter: TraceFilter = "block=1:2,thread=33,line=12-20,source=k.cu:7".parse().unwrap();
        assert_eq!((filter.block, filter.thread), (Some([1, 2, 0]), Some([33, 0, 0])));
        assert_eq!((filter.lines, filter.sources), (vec![(12, 20)], vec![("k.cu".to_owned(), 7)]));
        let filter: TraceFilter = "line=7,line=9-11,source=a:1,source=b:2".parse().unwrap();
        assert_eq!(filter.lines, [(7, 7), (9, 11)], "each of them is shown");
        assert_eq!(filter.sources, [("a".to_owned(), 1), ("b".to_owned(), 2)]);
        assert_eq!("".parse(), Ok(TraceFilter::default()));
        for wrong in ["block", "block=a", "thread=1:2:3:4", "line=5-4", "source=k.cu", "warp=1"] {
            let error = wrong.parse::<TraceFilter>().unwrap_err();
            assert!(error.ends_with(&format!("not `{wrong}`")), "{error}");
        }
    }

    #[test]
    fn values_are_shown_as_their_types_have_them() {
        use ptx_isa::ScalarType as Type;
        let show = |ty, bits| shown(&Value { register: "%r".into(), ty, bits });
        assert_eq!(show(Type::S32, 0xffff_ffff), "-1");
        assert_eq!(show(Type::U32, 0xffff_ffff), "4294967295");
        assert_eq!(show(Type::B32, 0xff), "0xff");
        assert_eq!(show(Type::F32, 0x3fc0_0000), "1.5");
        assert_eq!(show(Type::Pred, 1), "true");
    }
}
