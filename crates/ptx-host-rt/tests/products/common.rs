//! Launches with the products of this crate, in place of those that the tests of the interpreter have.

use std::cell::Cell;

use ptx_diag::SourceFile;
use ptx_exec::engine::Interpretation;
use ptx_exec::{Completion, DecodedLaunch, ExecError, Launch, Outcome};
use ptx_host_rt::{Computed, vector_products};

thread_local! {
    static IS_PLAIN: Cell<bool> = const { Cell::new(false) };
}

/// Does something with the interpreter's own products.
pub fn plain<T>(action: impl FnOnce() -> T) -> T {
    IS_PLAIN.set(true);
    let done = action();
    IS_PLAIN.set(false);
    done
}

/// Launches a kernel of a text, which has to be valid. All of its products are computed with vectors where each is computed at once.
pub fn execute(text: &str, launch: &Launch) -> Result<Outcome, ExecError> {
    let source = SourceFile::new("test.ptx", text);
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}\n{text}");
    let (verified, _) = ptx_verify::verify(&module).unwrap_or_else(|findings| panic!("{findings:?}\n{text}"));
    // On the thread whose products are counted.
    let launch = Launch { threads: std::num::NonZeroUsize::new(1), ..launch.clone() };
    let loaded = DecodedLaunch::new(verified, &launch)?.load();
    if IS_PLAIN.get() {
        return loaded.launch().map(|executed| loaded.outcome(executed));
    }
    let before = Computed::on_this_thread();
    let setup = loaded.set_up_with(|spec| spec.products = Some(vector_products()))?;
    let executed = Interpretation::new(setup).run().executed()?;
    let after = Computed::on_this_thread();
    let count = |text: &str, of: fn(&Computed) -> u64, opcode: &str| {
        let has_products = text.contains(opcode) && launch.completion == Completion::Eager;
        assert!(!has_products || of(&after) > of(&before), "none is computed with vectors: {text}");
    };
    count(text, |computed| computed.warpgroup, "wgmma.mma_async");
    count(text, |computed| computed.tensor, "tcgen05.mma");
    assert_eq!(after.others, before.others, "{text}");
    Ok(loaded.outcome(executed))
}
