//! Multiversioned functions: one source, compiled for each vector width of the processor.

#[cfg(target_arch = "x86_64")]
use std::sync::LazyLock;

/// The vector extensions for which functions are compiled.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) enum Width {
    /// SSE2, the baseline.
    Narrow,
    /// AVX2 and FMA.
    Middle,
    /// AVX-512.
    Wide,
}

/// The width of this processor, detected once: functions are called for single rows.
#[cfg(target_arch = "x86_64")]
static WIDTH: LazyLock<Width> = LazyLock::new(|| {
    let has_wide = std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("avx512vl");
    match std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        false => Width::Narrow,
        true if has_wide => Width::Wide,
        true => Width::Middle,
    }
});

/// The width that functions are to use.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn width() -> Width {
    #[cfg(test)]
    if let Some(width) = tests::WANTED.get() {
        return width;
    }
    *WIDTH
}

/// `for_processors!(name<S: Sum>, body, a: &[f64])` defines `name` as `body::<S, FUSED, LANES>`: whether products are added
/// with FMA, and how many lanes, of a warp or of tensor memory, are computed together: as many as make the sums of two
/// columns occupy eight registers. More would spill, fewer would expose the latency of additions.
macro_rules! for_processors {
    ($name:ident $(<$sum:ident: $bound:ident>)?, $body:ident, $($argument:ident: $ty:ty),* $(,)?) => {
        pub(super) fn $name $(<$sum: $bound>)? ($($argument: $ty),*) {
            #[cfg(target_arch = "x86_64")]
            {
                use crate::product::processor::{Width, width};
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
                fn wide $(<$sum: $bound>)? ($($argument: $ty),*) {
                    $body::<$($sum,)? true, 32>($($argument),*);
                }
                #[target_feature(enable = "avx2,fma")]
                fn middle $(<$sum: $bound>)? ($($argument: $ty),*) {
                    $body::<$($sum,)? true, 16>($($argument),*);
                }
                match width() {
                    // SAFETY: the processor has these instructions.
                    Width::Wide => return unsafe { wide $(::<$sum>)? ($($argument),*) },
                    // SAFETY: as above.
                    Width::Middle => return unsafe { middle $(::<$sum>)? ($($argument),*) },
                    Width::Narrow => {}
                }
            }
            // 64-bit Arm has FMA, and twice as many registers as SSE2.
            #[cfg(target_arch = "aarch64")]
            $body::<$($sum,)? true, 16>($($argument),*);
            #[cfg(not(target_arch = "aarch64"))]
            $body::<$($sum,)? false, 8>($($argument),*);
        }
    };
}

pub(super) use for_processors;

/// Adds a product to a sum. The product is exact, so that both forms round once.
#[inline(always)]
pub(super) fn fused<const FUSED: bool>(a: f64, b: f64, sum: f64) -> f64 {
    if FUSED { a.mul_add(b, sum) } else { sum + a * b }
}

#[cfg(test)]
pub(super) mod tests {
    #[cfg(target_arch = "x86_64")]
    use std::cell::Cell;

    #[cfg(target_arch = "x86_64")]
    use super::*;

    #[cfg(target_arch = "x86_64")]
    thread_local! {
        /// The width that a test forces.
        pub(in crate::product) static WANTED: Cell<Option<Width>> = const { Cell::new(None) };
    }

    /// Runs an action once with each width that the processor supports.
    pub(in crate::product) fn each_width(action: impl Fn()) {
        #[cfg(target_arch = "x86_64")]
        for width in [Width::Narrow, Width::Middle, Width::Wide].into_iter().take(*WIDTH as usize + 1) {
            WANTED.set(Some(width));
            action();
            WANTED.set(None);
        }
        #[cfg(not(target_arch = "x86_64"))]
        action();
    }
}
