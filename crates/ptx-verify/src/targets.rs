//! Versions and targets: which exist, which go together, and what needs which (manual 11.1, 13).

use ptx_diag::{Diagnostic, Span, nearest};
use ptx_ir::{Item, Module, TargetSpec};
use ptx_isa::{Construct, PtxVersion, Since, Sm, SmVariant};

use crate::codes;
use crate::context::Checker;

/// The versions of the PTX ISA: the last minor number of each major one; 7.9 and 8.9 were never given out.
const MINORS: &[(u8, &[u8])] = &[
    (1, &[0, 1, 2, 3, 4, 5]),
    (2, &[0, 1, 2, 3]),
    (3, &[0, 1, 2]),
    (4, &[0, 1, 2, 3]),
    (5, &[0, 1]),
    (6, &[0, 1, 2, 3, 4, 5]),
    (7, &[0, 1, 2, 3, 4, 5, 6, 7, 8]),
    (8, &[0, 1, 2, 3, 4, 5, 6, 7, 8]),
    (9, &[0, 1, 2, 3, 4, 5]),
];

/// An architecture: its number, the first version that has it, and that of its `a` and `f` variants.
struct Architecture {
    number: u16,
    base: PtxVersion,
    arch: Option<PtxVersion>,
    family: Option<PtxVersion>,
}

const fn plain(number: u16, major: u8, minor: u8) -> Architecture {
    Architecture { number, base: PtxVersion::new(major, minor), arch: None, family: None }
}

const fn with_variants(number: u16, base: (u8, u8), arch: (u8, u8), family: (u8, u8)) -> Architecture {
    Architecture {
        number,
        base: PtxVersion::new(base.0, base.1),
        arch: Some(PtxVersion::new(arch.0, arch.1)),
        family: Some(PtxVersion::new(family.0, family.1)),
    }
}

/// The architectures, with the versions that `ptxas` requires (manual 13, release notes of each version).
const ARCHITECTURES: &[Architecture] = &[
    plain(10, 1, 0),
    plain(11, 1, 0),
    plain(12, 1, 2),
    plain(13, 1, 2),
    plain(20, 2, 0),
    plain(21, 2, 0),
    plain(30, 3, 0),
    plain(32, 4, 0),
    plain(35, 3, 1),
    plain(37, 4, 1),
    plain(50, 4, 0),
    plain(52, 4, 1),
    plain(53, 4, 2),
    plain(60, 5, 0),
    plain(61, 5, 0),
    plain(62, 5, 0),
    plain(70, 6, 0),
    plain(72, 6, 1),
    plain(75, 6, 3),
    plain(80, 7, 0),
    plain(86, 7, 1),
    plain(87, 7, 4),
    plain(88, 9, 0),
    plain(89, 7, 8),
    Architecture { number: 90, base: PtxVersion::new(7, 8), arch: Some(PtxVersion::new(8, 0)), family: None },
    with_variants(100, (8, 6), (8, 6), (8, 8)),
    with_variants(101, (8, 6), (8, 6), (8, 8)),
    with_variants(103, (8, 8), (8, 8), (8, 8)),
    with_variants(107, (9, 4), (9, 4), (9, 4)),
    with_variants(110, (9, 0), (9, 0), (9, 0)),
    with_variants(120, (8, 7), (8, 7), (8, 8)),
    with_variants(121, (8, 8), (8, 8), (8, 8)),
];

/// The options of `.target` besides the architecture (manual 11.1.2).
const OPTIONS: &[&str] = &["texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"];

/// The version and architecture that instructions are checked against.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    version: PtxVersion,
    /// `None` after it was reported: nothing is checked against an unknown architecture.
    sm: Option<Sm>,
    maps_doubles: bool,
    has_samplers: bool,
    has_debug_information: bool,
    /// The `.version` directive.
    version_at: Option<Span>,
    /// The `.target` directive, if it names an architecture and nothing else.
    target_at: Option<Span>,
}

impl Default for Target {
    fn default() -> Self {
        Self {
            version: PtxVersion::NEWEST,
            sm: None,
            maps_doubles: false,
            has_samplers: false,
            has_debug_information: false,
            version_at: None,
            target_at: None,
        }
    }
}

impl Target {
    /// Whether the version is at least `major.minor`.
    pub(crate) fn version_at_least(self, major: u8, minor: u8) -> bool {
        self.version >= PtxVersion::new(major, minor)
    }

    /// Whether the version is below another.
    pub(crate) fn is_older(self, version: PtxVersion) -> bool {
        self.version < version
    }

    /// Whether the architecture is at least the number; an unknown one counts as new.
    pub(crate) fn sm_at_least(self, number: u16) -> bool {
        self.sm.is_none_or(|sm| sm.number >= number)
    }

    /// Whether the module has debug information for a debugger (`debug`).
    pub(crate) const fn has_debug_information(self) -> bool {
        self.has_debug_information
    }

    /// The architecture, if it is known.
    pub(crate) const fn sm(self) -> Option<Sm> {
        self.sm
    }

    /// Whether samplers are declared apart from textures (`texmode_independent`).
    pub(crate) const fn has_samplers(self) -> bool {
        self.has_samplers
    }

    /// Whether the version and architecture have something; see [`Target::lacks`] for which.
    pub(crate) fn has(self, since: Since) -> bool {
        self.version >= since.ptx && self.sm.is_none_or(|sm| since.admits(sm))
    }

    /// Whether the version, and whether the architecture, do not have something.
    pub(crate) fn lacks(self, since: Since) -> [bool; 2] {
        // With `map_f64_to_f32` architectures without double precision execute it as single precision (manual 11.1.2).
        let mapped = self.maps_doubles && since.sm == 13;
        let is_elsewhere = self.sm.is_some_and(|sm| !since.admits(sm));
        [self.version < since.ptx, is_elsewhere && !mapped]
    }

    /// The finding that `what` came later than the version.
    pub(crate) fn needs_version(self, since: Since, span: Span, what: &str) -> Diagnostic {
        let text = format!("{what} needs PTX ISA {} or later", since.ptx);
        let help = format!("the module has `.version {}`", self.version);
        let error = Diagnostic::error(codes::NEEDS_VERSION, span, text).with_help(help);
        match self.version_at {
            Some(at) => error.with_fix(at, format!(".version {}", since.ptx)),
            None => error,
        }
    }

    /// The finding that the architecture does not have `what`.
    pub(crate) fn needs_target(self, since: Since, span: Span, what: &str) -> Diagnostic {
        let text = format!("{what} needs {}", since.targets());
        let error = Diagnostic::error(codes::NEEDS_TARGET, span, text);
        let Some(sm) = self.sm else { return error };
        let error = error.with_help(format!("the module has `.target {sm}`"));
        let needed = since.only.first().copied().unwrap_or(Sm::new(since.sm));
        match self.target_at {
            Some(at) => error.with_fix(at, format!(".target {needed}")),
            None => error,
        }
    }
}

/// The first version that has a target (manual 11.1.2), `None` when none does.
pub fn first_version(sm: Sm) -> Option<PtxVersion> {
    let row = ARCHITECTURES.iter().find(|row| row.number == sm.number)?;
    match sm.variant {
        SmVariant::Base => Some(row.base),
        SmVariant::Arch => row.arch,
        SmVariant::Family => row.family,
    }
}

/// All target architectures, by number, each with the first PTX version that has it (manual 11.1.2).
pub fn known_targets() -> impl Iterator<Item = (Sm, PtxVersion)> {
    let variants = [SmVariant::Base, SmVariant::Family, SmVariant::Arch];
    let all =
        ARCHITECTURES.iter().flat_map(move |row| variants.map(|variant| Sm { number: row.number, variant }));
    all.filter_map(|sm| first_version(sm).map(|version| (sm, version)))
}

/// Whether such a version of the PTX ISA exists (manual 13).
pub fn is_known_version(version: PtxVersion) -> bool {
    MINORS.iter().any(|(major, minors)| *major == version.major && minors.contains(&version.minor))
}

/// The known target name that is nearest to a text: one of the nearest number, where nothing else differs.
pub fn nearest_target(text: &str) -> Option<String> {
    if let Some(wrong) = Sm::from_text(text) {
        let distance = |sm: Sm| (sm.number.abs_diff(wrong.number), sm.variant != wrong.variant);
        let near = known_targets().map(|(sm, _)| sm).min_by_key(|sm| distance(*sm));
        return near.filter(|sm| distance(*sm).0 <= wrong.number / 10).map(|sm| sm.to_string());
    }
    let mut known: Vec<String> = known_targets().map(|(sm, _)| sm.to_string()).collect();
    known.extend(OPTIONS.iter().map(|&option| option.to_owned()));
    nearest(text, known.iter().map(String::as_str)).map(str::to_owned)
}

/// Checks `.version`, `.target` and `.address_size`: each once, in this order, before all else (manual 11.1).
pub(crate) fn check_header(cx: &mut Checker<'_>) {
    let module = cx.module;
    let mut directives = module
        .items
        .iter()
        .filter(|item| !matches!(item, Item::Comment(_) | Item::TrailingComment(_) | Item::DwarfLine(_)))
        .peekable();
    let Some(Item::Version(version, at)) = directives.next() else {
        let text = "a module must begin with `.version`";
        // Default: an empty module has no place but its start.
        let span = first_place(cx).unwrap_or_default();
        let help = "write `.version 8.0` as the first directive";
        let finding = Diagnostic::error(codes::VERSION_MISSING, span, text).with_help(help);
        return cx.report(finding.with_fix(Span::new(span.lo, span.lo), ".version 8.0\n"));
    };
    cx.target.version_at = Some(at.0);
    check_version(cx, *version, at.0);
    let mut header;
    match directives.peek() {
        Some(Item::Target(target, at)) => {
            header = at.0;
            cx.target.target_at = (target.names.len() == 1).then_some(at.0);
            check_target(cx, target, at.0);
        }
        _ => {
            let text = "`.version` must be followed by `.target`";
            let help = "write `.target sm_80` as the second directive";
            let finding = Diagnostic::error(codes::TARGET_MISSING, at.0, text).with_help(help);
            return cx.report(finding.with_fix(Span::new(at.0.hi, at.0.hi), "\n.target sm_80"));
        }
    }
    directives.next();
    while let Some(Item::Target(target, at)) = directives.peek() {
        (header, cx.target.target_at) = (at.0, None);
        check_target(cx, target, at.0);
        directives.next();
    }
    let version = at.0;
    if let Some(Item::AddressSize(bits, at)) = directives.peek() {
        check_size_of_addresses(cx, *bits, at.0);
        directives.next();
    } else if cx.target.version_at_least(2, 3) {
        let (text, directive) = match cx.address_size {
            32 => (
                "without `.address_size`, 32 bits are inferred from the addresses that the module uses",
                ".address_size 32",
            ),
            _ => ("without `.address_size`, 64 bits are assumed", ".address_size 64"),
        };
        let finding = Diagnostic::warning(codes::ADDRESS_SIZE, version, text);
        let after = Span::new(header.hi, header.hi);
        let finding = finding.with_fix(after, format!("\n{directive}"));
        cx.report(finding.with_help(format!("write `{directive}`")));
    }
    for item in directives {
        let (what, code, at) = match item {
            Item::Version(_, at) => (".version", codes::VERSION_MISSING, at),
            Item::Target(_, at) => (".target", codes::TARGET_MISSING, at),
            Item::AddressSize(_, at) => (".address_size", codes::ADDRESS_SIZE, at),
            _ => continue,
        };
        let text = format!("`{what}` must be given once, at the start of the module");
        cx.report(
            Diagnostic::error(code, at.0, text)
                .with_help("the order is `.version`, `.target`, `.address_size`"),
        );
    }
}

fn first_place(cx: &Checker<'_>) -> Option<Span> {
    cx.module.items.iter().find_map(|item| match item {
        Item::Version(_, at) | Item::Target(_, at) | Item::AddressSize(_, at) => Some(at.0),
        Item::Variable(id) => Some(cx.module.variable(*id).at.0),
        Item::Registers(first, ..) => cx.module.registers.get(first.0 as usize).map(|decl| decl.at.0),
        Item::Function(id) => Some(cx.module.function(*id).at.0),
        Item::File(_, at) | Item::Pragma(_, at) | Item::Alias(_, at) => Some(at.0),
        Item::Section(section) => Some(section.at.0),
        Item::Location(location) => Some(location.at.0),
        Item::DwarfLine(_) | Item::Comment(_) | Item::TrailingComment(_) => None,
    })
}

fn check_version(cx: &mut Checker<'_>, version: PtxVersion, span: Span) {
    if is_known_version(version) {
        // 5.1, which the manual passes over, has what the manual gives to 6.0, sm_70 included.
        let preview = version == PtxVersion::new(5, 1);
        cx.target.version = if preview { PtxVersion::new(6, 0) } else { version };
        return;
    }
    let text = if version > PtxVersion::NEWEST {
        format!("PTX ISA {version} is newer than {}, the newest known", PtxVersion::NEWEST)
    } else {
        format!("there is no PTX ISA {version}")
    };
    let finding = Diagnostic::error(codes::VERSION_UNKNOWN, span, text);
    let below =
        MINORS.iter().flat_map(|(major, minors)| minors.iter().map(|minor| PtxVersion::new(*major, *minor)));
    cx.report(match below.filter(|known| *known < version).max() {
        Some(known) => finding
            .with_help(format!("the previous version is {known}"))
            .with_fix(span, format!(".version {known}")),
        None => finding,
    });
}

/// Checks a `.target` and puts it in force (manual 11.1.2). Of several architectures the first counts; it must run what the
/// others do.
fn check_target(cx: &mut Checker<'_>, target: &TargetSpec, span: Span) {
    let module = cx.module;
    let mut sms: Vec<Sm> = Vec::new();
    let mut unknown = false;
    for &name in &target.names {
        let text = module.name(name);
        match Sm::from_text(text).filter(|&sm| first_version(sm).is_some()) {
            Some(sm) => sms.push(sm),
            None if OPTIONS.contains(&text) => check_option(cx, target, text, span),
            None => {
                unknown = true;
                let finding =
                    Diagnostic::error(codes::TARGET_UNKNOWN, span, format!("unknown target `{text}`"));
                cx.report(match nearest_target(text) {
                    Some(near) => {
                        let help = format!("did you mean `{near}`?");
                        let is_only = target.names.len() == 1;
                        let finding = finding.with_help(help);
                        if is_only { finding.with_fix(span, format!(".target {near}")) } else { finding }
                    }
                    None => finding,
                });
            }
        }
    }
    match sms.as_slice() {
        [] if unknown || cx.target.sm.is_some() => {}
        [] => {
            let text = "`.target` does not specify an architecture";
            cx.report(
                Diagnostic::error(codes::TARGET_MISSING, span, text).with_help("add one, such as `sm_80`"),
            );
        }
        [first, rest @ ..] => {
            let (first, others) = match cx.target.sm {
                Some(earlier) => (earlier, sms.as_slice()),
                None => {
                    put_in_force(cx, *first, span);
                    (*first, rest)
                }
            };
            if let Some(other) = others.iter().find(|&&other| !runs(first, other)) {
                let text =
                    format!("`.target` specifies `{first}` first, which cannot run code for `{other}`");
                cx.report(Diagnostic::error(codes::TARGET_OPTION, span, text));
            }
        }
    }
}

/// Whether an architecture runs what another one does.
fn runs(sm: Sm, other: Sm) -> bool {
    match other.variant {
        SmVariant::Base => other.number <= sm.number,
        SmVariant::Arch => other == sm,
        SmVariant::Family => other.number <= sm.number && other.number / 10 == sm.number / 10,
    }
}

fn put_in_force(cx: &mut Checker<'_>, sm: Sm, span: Span) {
    cx.target.sm = Some(sm);
    if let Some(first) = first_version(sm)
        && cx.target.version < first
    {
        let text = format!("PTX ISA {} does not support `{sm}`", cx.target.version);
        let help = format!("`{sm}` needs PTX ISA {first} or later");
        let finding = Diagnostic::error(codes::TARGET_TOO_NEW, span, text).with_help(help);
        cx.report(match cx.target.version_at {
            Some(at) => finding.with_fix(at, format!(".version {first}")),
            None => finding,
        });
        // One finding reports it; instructions are not checked against the version again for what the target has.
        cx.target.version = first;
    }
}

fn check_option(cx: &mut Checker<'_>, target: &TargetSpec, option: &str, span: Span) {
    let module = cx.module;
    let has = |wanted: &str| target.names.iter().any(|&name| module.name(name) == wanted);
    match option {
        "texmode_independent" if has("texmode_unified") => {
            let text = "`texmode_unified` and `texmode_independent` are mutually exclusive";
            cx.report(Diagnostic::error(codes::TARGET_OPTION, span, text));
        }
        "texmode_independent" => cx.target.has_samplers = true,
        "debug" if !has_debug_information(cx) => {
            let text = "`.target debug` requires debug information, but the module has none";
            let help = "remove `debug`, or add `.section .debug_info`";
            cx.report(Diagnostic::error(codes::TARGET_OPTION, span, text).with_help(help));
        }
        "debug" => cx.target.has_debug_information = true,
        "map_f64_to_f32" if module_sm(module, target).is_some_and(|sm| sm.number >= 13) => {
            let text = "`map_f64_to_f32` is for architectures before sm_13, which do not support `.f64`";
            cx.report(Diagnostic::error(codes::TARGET_OPTION, span, text).with_help("remove it"));
        }
        "map_f64_to_f32" => cx.target.maps_doubles = true,
        _ => {}
    }
}

/// The architecture among the names of a `.target`.
fn module_sm(module: &Module, target: &TargetSpec) -> Option<Sm> {
    target.names.iter().find_map(|&name| Sm::from_text(module.name(name)))
}

fn has_debug_information(cx: &Checker<'_>) -> bool {
    cx.module.items.iter().any(|item| matches!(item, Item::Section(_) | Item::DwarfLine(_)))
}

/// Checks an `.address_size` (manual 11.1.3). `ptxas` reads the 32-bit mode that CUDA has dropped, and so do we.
fn check_size_of_addresses(cx: &mut Checker<'_>, bits: u32, span: Span) {
    cx.require_construct(Construct::AddressSize, span);
    if !matches!(bits, 32 | 64) {
        let text = format!("addresses must have 32 or 64 bits, not {bits}");
        cx.report(Diagnostic::error(codes::ADDRESS_SIZE, span, text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_that_were_never_given_out_are_unknown() {
        for (major, minor) in [(1, 6), (2, 4), (7, 9), (8, 9), (9, 6), (10, 0), (0, 9)] {
            assert!(!is_known_version(PtxVersion::new(major, minor)), "{major}.{minor}");
        }
        assert!(is_known_version(PtxVersion::new(6, 5)) && is_known_version(PtxVersion::NEWEST));
    }

    #[test]
    fn only_some_architectures_have_variants() {
        let first = |text: &str| Sm::from_text(text).and_then(first_version);
        assert_eq!(first("sm_90a"), Some(PtxVersion::new(8, 0)));
        assert_eq!(first("sm_100f"), Some(PtxVersion::new(8, 8)));
        for name in ["sm_90f", "sm_80a", "sm_99"] {
            assert_eq!(first(name), None, "{name}");
        }
        assert_eq!(nearest_target("sm_8O").as_deref(), Some("sm_80"));
        assert_eq!(nearest_target("texmode_unifed").as_deref(), Some("texmode_unified"));
        assert_eq!(nearest_target("gfx906"), None);
    }
}
