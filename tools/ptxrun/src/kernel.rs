//! Which kernel of a program is launched, and its names.

use ptx_cli::Failure;
use ptx_demangle::{demangled, named};
use ptx_ir::{Function, FunctionKind, Module};

use crate::plan::usage;

/// The kernels of a module that have a body.
pub fn kernels(module: &Module) -> impl Iterator<Item = &Function> {
    module
        .functions
        .iter()
        .filter(|function| function.kind == FunctionKind::Kernel && function.body.is_some())
}

/// The name in the module of the kernel that `wanted` names: by its name in the module, or by one in the source that only it has. Without a name it is the only
/// kernel. A name that no kernel has is returned as it is; the launch is refused then.
///
/// # Errors
/// Wrong usage: there are several such kernels.
pub fn selected(module: &Module, wanted: Option<&str>) -> Result<String, Failure> {
    let all: Vec<&str> = kernels(module).map(|function| module.name(function.name)).collect();
    let Some(wanted) = wanted else {
        return match all.as_slice() {
            [only] => Ok((*only).to_owned()),
            [] => Err(usage("--entry is missing, and the module defines no kernel".to_owned())),
            several => Err(usage(format!(
                "--entry is missing, on the command line and in a launch file; the module has the kernels {}",
                listed(several)
            ))),
        };
    };
    match named(&all, wanted).as_slice() {
        [] => Ok(wanted.to_owned()),
        [only] => Ok((*only).to_owned()),
        several => {
            Err(usage(format!("--entry {wanted}: several kernels have this name: {}", listed(several))))
        }
    }
}

/// Names in a message, each with the one in the source if that is another.
fn listed(all: &[&str]) -> String {
    /// More kernels than these are not shown.
    const MOST: usize = 12;
    let one = |name: &&str| match demangled(name) {
        Some(source) => format!("`{name}` ({source})"),
        None => format!("`{name}`"),
    };
    let shown: Vec<String> = all.iter().take(MOST).map(one).collect();
    let more = all.len().saturating_sub(MOST);
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}

#[cfg(test)]
mod tests {
    use ptx_diag::SourceFile;
    use ptx_driver::{Comments, Program, TargetChoice, read_executable};

    use super::*;

    fn module(kernels: &[&str]) -> Module {
        let kernels: Vec<String> =
            kernels.iter().map(|name| format!(".visible .entry {name}() {{ ret; }}\n")).collect();
        let text = format!(".version 8.0\n.target sm_80\n.address_size 64\n{}", kernels.concat());
        let inputs = vec![SourceFile::new("k.ptx", text)];
        let Ok(Program { module, .. }) = read_executable(inputs, TargetChoice::default(), Comments::Dropped)
        else {
            panic!("valid PTX")
        };
        module
    }

    #[test]
    fn kernels_are_named_as_in_the_module_or_in_the_source() {
        let module =
            module(&["_Z5saxpyif", "_ZN2ns3addIfEEvPT_S2_", "_ZN2ns3addIiEEvPT_S2_", "add", "plain"]);
        for (wanted, found) in [
            ("_Z5saxpyif", "_Z5saxpyif"),
            ("saxpy", "_Z5saxpyif"),
            ("saxpy(int,float)", "_Z5saxpyif"),
            ("saxpy(int, float)", "_Z5saxpyif"),
            ("ns::add<int>", "_ZN2ns3addIiEEvPT_S2_"),
            ("void ns::add<float>(float*, float*)", "_ZN2ns3addIfEEvPT_S2_"),
            ("add", "add"),
            ("nothing", "nothing"),
        ] {
            let name = selected(&module, Some(wanted));
            assert_eq!(name.ok().as_deref(), Some(found), "{wanted}");
        }
        let text = format!("{:?}", selected(&module, Some("ns::add")).expect_err("two kernels"));
        assert!(text.contains("`_ZN2ns3addIfEEvPT_S2_` (void ns::add<float>(float*, float*))"), "{text}");
    }

    #[test]
    fn an_only_kernel_needs_no_name() {
        assert_eq!(selected(&module(&["k"]), None).ok().as_deref(), Some("k"));
        assert!(selected(&module(&["k", "l"]), None).is_err());
        assert!(selected(&module(&[]), None).is_err());
    }
}
