//! Functions for the vectors that the processor has: one source, compiled for each width.

#[cfg(target_arch = "x86_64")]
use std::sync::LazyLock;

/// What the processor has, of what functions are compiled for.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) enum Width {
    /// SSE2, which each has.
    Narrow,
    /// AVX2 and fused operations.
    Middle,
    /// AVX-512.
    Wide,
}

/// The same, found out once: functions are called for single rows.
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

/// What functions are to use.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn width() -> Width {
    #[cfg(test)]
    if let Some(width) = tests::WANTED.get() {
        return width;
    }
    *WIDTH
}

/// `for_processors!(name<S: Sum>, body, a: &[f64])` makes `name` of `body::<S, FUSED, LANES, SIDE>`: whether products are added by fused operations,
/// the lanes of a warp that are computed together, and the lanes of tensor memory. Each leaves as many sums of two or of four columns as eight
/// registers have room for: more do not stay in registers, fewer wait for each other.
macro_rules! for_processors {
    ($name:ident $(<$sum:ident: $bound:ident>)?, $body:ident, $($argument:ident: $ty:ty),* $(,)?) => {
        pub(super) fn $name $(<$sum: $bound>)? ($($argument: $ty),*) {
            #[cfg(target_arch = "x86_64")]
            {
                use crate::product::processor::{Width, width};
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
                fn wide $(<$sum: $bound>)? ($($argument: $ty),*) {
                    $body::<$($sum,)? true, 32, 16>($($argument),*);
                }
                #[target_feature(enable = "avx2,fma")]
                fn middle $(<$sum: $bound>)? ($($argument: $ty),*) {
                    $body::<$($sum,)? true, 16, 8>($($argument),*);
                }
                match width() {
                    // SAFETY: the processor has these instructions.
                    Width::Wide => return unsafe { wide $(::<$sum>)? ($($argument),*) },
                    // SAFETY: as above.
                    Width::Middle => return unsafe { middle $(::<$sum>)? ($($argument),*) },
                    Width::Narrow => {}
                }
            }
            // 64-bit Arm has fused operations, and twice as many registers as SSE2.
            #[cfg(target_arch = "aarch64")]
            $body::<$($sum,)? true, 16, 8>($($argument),*);
            #[cfg(not(target_arch = "aarch64"))]
            $body::<$($sum,)? false, 8, 4>($($argument),*);
        }
    };
}

pub(super) use for_processors;

/// A product added to a sum. The product is exact, so that both forms round once.
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
        /// What a test has functions use.
        pub(in crate::product) static WANTED: Cell<Option<Width>> = const { Cell::new(None) };
    }

    /// Does something once with each width that the processor has.
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
