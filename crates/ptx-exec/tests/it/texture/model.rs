//! The CUDA C++ Programming Guide's appendix "Texture Fetching" in plain code: `T` is the texture, `N` its size, `x` a coordinate.

use ptx_exec::texture::{AddressMode, Filter};

/// How an axis of a texture is read.
#[derive(Clone, Copy)]
pub(crate) struct Axis {
    pub n: i64,
    pub mode: AddressMode,
    pub normalized: bool,
    pub offset: i64,
}

impl Axis {
    fn mode(self) -> AddressMode {
        // "cudaAddressModeWrap and cudaAddressModeMirror are only supported for normalized texture coordinates", and "will be
        // switched to cudaAddressModeClamp".
        match self.mode {
            AddressMode::Wrap | AddressMode::Mirror if !self.normalized => AddressMode::Clamp,
            mode => mode,
        }
    }

    /// The coordinate in texels. "Wrap: x is converted to frac(x). Mirror: x is converted to frac(x) if floor(x) is even and 1-frac(x)
    /// if floor(x) is odd." Coordinates of clamp and border stay.
    fn in_texels(self, x: f32) -> f64 {
        let n = self.n as f64;
        let x = f64::from(x) + if self.normalized { self.offset as f64 / n } else { self.offset as f64 };
        if !self.normalized {
            return x;
        }
        let frac = x - x.floor();
        match self.mode() {
            AddressMode::Wrap => frac * n,
            AddressMode::Mirror if x.floor() as i64 % 2 == 0 => frac * n,
            AddressMode::Mirror => (1.0 - frac) * n,
            _ => x * n,
        }
    }

    /// The texel with number i; `None` is the border.
    fn texel(self, i: i64) -> Option<i64> {
        match self.mode() {
            AddressMode::Wrap => Some(((i % self.n) + self.n) % self.n),
            AddressMode::Clamp | AddressMode::Mirror => Some(i.max(0).min(self.n - 1)),
            AddressMode::Border | AddressMode::ClampOgl if i >= 0 && i < self.n => Some(i),
            AddressMode::Border | AddressMode::ClampOgl => None,
        }
    }

    /// The texels and their weights: "tex(x) = T[i], i = floor(x)" and "tex(x) = (1-α) T[i] + α T[i+1], i = floor(x_B), α = frac(x_B),
    /// x_B = x - 0.5", α "in 9-bit fixed point format with 8 bits of fractional value".
    pub(crate) fn parts(self, x: f32, filter: Filter) -> Vec<(Option<i64>, f64)> {
        let mut x = self.in_texels(x);
        if self.mode() == AddressMode::ClampOgl {
            // OpenGL's GL_CLAMP: to [0, N].
            x = x.max(0.0).min(self.n as f64);
        }
        match filter {
            Filter::Point => {
                let mut i = x.floor() as i64;
                if self.mode() == AddressMode::ClampOgl && i == self.n {
                    i -= 1;
                }
                vec![(self.texel(i), 1.0)]
            }
            Filter::Linear => {
                let b = x - 0.5;
                let alpha = ((b - b.floor()) * 256.0).round() / 256.0;
                let i = b.floor() as i64;
                vec![(self.texel(i), 1.0 - alpha), (self.texel(i + 1), alpha)]
            }
        }
    }
}

/// The sum of the texels around a point: `t` gives a texel by its numbers, `None` being the border.
pub(crate) fn sample(axes: &[Axis], at: &[f32], filter: Filter, t: &dyn Fn(Option<Vec<i64>>) -> f64) -> f32 {
    let mut all: Vec<(Option<Vec<i64>>, f64)> = vec![(Some(Vec::new()), 1.0)];
    for (axis, &x) in axes.iter().zip(at) {
        let mut next = Vec::new();
        for (numbers, weight) in &all {
            for (part, share) in axis.parts(x, filter) {
                let joined = numbers.clone().zip(part).map(|(mut numbers, part)| {
                    numbers.push(part);
                    numbers
                });
                next.push((joined, weight * share));
            }
        }
        all = next;
    }
    all.into_iter()
        .map(|(numbers, weight)| if weight == 0.0 { 0.0 } else { weight * t(numbers) })
        .sum::<f64>() as f32
}
