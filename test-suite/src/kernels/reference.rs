//! What each kernel has to leave, from its definition: sums and functions in double precision where results only have to be near, and one
//! rounding for each operation that the kernel rounds where they have to be exact.

use super::{Given, Workload};

/// The written buffers after one launch, in the order of the arguments.
pub(super) fn compute(work: &Workload) -> Vec<Vec<u32>> {
    let numbers: Vec<u32> = work.arguments.iter().filter_map(number).collect();
    let buffers: Vec<&[u32]> = work.arguments.iter().filter_map(buffer).collect();
    let (n, first, second) = (numbers.first().map_or(0, |n| *n as usize), buffers[0], buffers.get(1));
    let second = second.copied().unwrap_or_default();
    match work.kernel {
        "saxpy" => vec![saxpy(f(numbers[1]), first, second)],
        "stencil2d" => vec![stencil(n, numbers[1] as usize, first)],
        "matmul_naive" | "matmul_tiled" => vec![product(n, first, second)],
        "reduce_smem" | "reduce_shfl" => vec![first.chunks(512).map(sum).collect()],
        "scan_block" => vec![first.chunks(512).flat_map(prefix_sums).collect()],
        "transpose" => vec![(0..n * n).map(|at| first[at % n * n + at / n]).collect()],
        "histogram" => vec![
            (0..256).map(|byte| first.iter().filter(|word| **word % 256 == byte).count() as u32).collect(),
        ],
        "nbody" => vec![accelerations(first)],
        "blackscholes" => options(f(numbers[1]), f(numbers[2]), &buffers),
        "mandelbrot" => vec![escapes(n, &numbers)],
        "bitonic" => vec![first.chunks(1024).flat_map(sorted).collect()],
        "spmv_csr" => vec![sparse_product(&buffers)],
        "sha256" => vec![(0..n as u32).map(|own| digest(first, own)).collect()],
        _ => vec![product_of_halves(n, first, second)],
    }
}

fn number(given: &Given) -> Option<u32> {
    match given {
        Given::Integer(value) => Some(*value),
        Given::Float(value) => Some(value.to_bits()),
        Given::Buffer { .. } => None,
    }
}

fn buffer(given: &Given) -> Option<&[u32]> {
    match given {
        Given::Buffer { words, .. } => Some(words),
        Given::Integer(_) | Given::Float(_) => None,
    }
}

fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

fn d(bits: u32) -> f64 {
    f64::from(f(bits))
}

fn rounded(value: f64) -> u32 {
    (value as f32).to_bits()
}

fn saxpy(scale: f32, x: &[u32], y: &[u32]) -> Vec<u32> {
    x.iter().zip(y).map(|(x, y)| scale.mul_add(f(*x), f(*y)).to_bits()).collect()
}

fn stencil(width: usize, height: usize, from: &[u32]) -> Vec<u32> {
    let cell = |at: usize| {
        let (column, row) = (at % width, at / width);
        if column == 0 || row == 0 || column + 1 == width || row + 1 == height {
            return from[at];
        }
        let [left, right, above, below] = [at - 1, at + 1, at - width, at + width].map(|at| f(from[at]));
        0.125f32.mul_add((left + right) + (above + below), 0.5 * f(from[at])).to_bits()
    };
    (0..width * height).map(cell).collect()
}

fn product(n: usize, a: &[u32], b: &[u32]) -> Vec<u32> {
    let element = |at: usize| {
        let (row, column) = (at / n, at % n);
        (0..n).fold(0f32, |sum, k| f(a[row * n + k]).mul_add(f(b[k * n + column]), sum)).to_bits()
    };
    (0..n * n).map(element).collect()
}

fn product_of_halves(n: usize, a: &[u32], transposed: &[u32]) -> Vec<u32> {
    let half =
        |words: &[u32], at: usize| half::f16::from_bits((words[at / 2] >> (at % 2 * 16)) as u16).to_f64();
    let element = |at: usize| {
        let (row, column) = (at / n, at % n);
        rounded((0..n).map(|k| half(a, row * n + k) * half(transposed, column * n + k)).sum())
    };
    (0..n * n).map(element).collect()
}

fn sum(part: &[u32]) -> u32 {
    rounded(part.iter().map(|word| d(*word)).sum())
}

fn prefix_sums(part: &[u32]) -> Vec<u32> {
    let mut sum = 0u32;
    part.iter()
        .map(|word| {
            sum = sum.wrapping_add(*word);
            sum
        })
        .collect()
}

fn accelerations(bodies: &[u32]) -> Vec<u32> {
    let of = |body: &[u32]| {
        let mut sum = [0f64; 4];
        for other in bodies.chunks(4) {
            let way: [f64; 3] = std::array::from_fn(|axis| d(other[axis]) - d(body[axis]));
            let square = way.iter().map(|x| x * x).sum::<f64>() + 1e-3;
            let pull = d(other[3]) / (square * square.sqrt());
            (0..3).for_each(|axis| sum[axis] += way[axis] * pull);
        }
        sum.map(rounded)
    };
    bodies.chunks(4).flat_map(of).collect()
}

/// Call and put by the formula, with the normal distribution as the error function's integral, which the kernel only approximates within 7.5e-8.
fn options(rate: f32, volatility: f32, buffers: &[&[u32]]) -> Vec<Vec<u32>> {
    let (rate, volatility) = (f64::from(rate), f64::from(volatility));
    let of = |at: usize| {
        let [price, strike, time] = [0, 1, 2].map(|buffer: usize| d(buffers[buffer][at]));
        let deviation = volatility * time.sqrt();
        let d1 = ((price / strike).ln() + (rate + volatility * volatility / 2.0) * time) / deviation;
        let discounted = strike * (-rate * time).exp();
        let call = price * normal(d1) - discounted * normal(d1 - deviation);
        // The parity of puts and calls.
        [call, call - price + discounted].map(rounded)
    };
    let all: Vec<[u32; 2]> = (0..buffers[0].len()).map(of).collect();
    [0, 1].map(|which| all.iter().map(|pair: &[u32; 2]| pair[which]).collect()).to_vec()
}

/// The normal distribution: half, plus the density times `x + x^3/3 + x^5/15 + ..`, which converges for every `x`.
fn normal(x: f64) -> f64 {
    if x.abs() > 8.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term.abs() > 1e-18 {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    0.5 + sum * (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

fn escapes(width: usize, numbers: &[u32]) -> Vec<u32> {
    let (height, most, step) = (numbers[1] as usize, numbers[2], f(numbers[5]));
    let of = |at: usize| {
        let real = ((at % width) as f32).mul_add(step, f(numbers[3]));
        let imaginary = ((at / width) as f32).mul_add(step, f(numbers[4]));
        let (mut x, mut y, mut taken) = (0f32, 0f32, 0);
        while taken < most && x * x + y * y <= 4.0 {
            (x, y) = (x * x - y * y + real, (2.0 * x).mul_add(y, imaginary));
            taken += 1;
        }
        taken
    };
    (0..width * height).map(of).collect()
}

fn sorted(part: &[u32]) -> Vec<u32> {
    let mut part = part.to_vec();
    part.sort_unstable();
    part
}

fn sparse_product(buffers: &[&[u32]]) -> Vec<u32> {
    let (starts, columns, values, x) = (buffers[0], buffers[1], buffers[2], buffers[3]);
    let row = |ends: &[u32]| {
        let elements = ends[0] as usize..ends[1] as usize;
        rounded(elements.map(|at| d(values[at]) * d(x[columns[at] as usize])).sum())
    };
    starts.windows(2).map(row).collect()
}

/// The eight words of the hash of one block, combined.
fn digest(seed: &[u32], own: u32) -> u32 {
    let word = |j: usize| seed[j] ^ own.wrapping_mul(0x9e37_79b9).wrapping_add(j as u32);
    compressed(std::array::from_fn(word)).iter().fold(0, |all, word| all ^ word)
}

/// SHA-256 of one block that is padded already (FIPS 180-4, 6.2.2). Its constants are the first bits of the fractions of roots
/// of primes (4.2.2, 5.3.3).
fn compressed(block: [u32; 16]) -> [u32; 8] {
    let primes = || (2u64..).filter(|n| (2..*n).all(|k| n % k != 0));
    let initial: Vec<u32> = primes().take(8).map(|p| root(p, 2)).collect();
    let mut w = block.to_vec();
    for t in 16..64 {
        let [early, late] = [w[t - 15], w[t - 2]];
        let s0 = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
        let s1 = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
        w.push(w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1));
    }
    let mut s = initial.clone();
    for (word, k) in w.into_iter().zip(primes().map(|p| root(p, 3))) {
        let [a, b, c, e, f, g] = [0, 1, 2, 4, 5, 6].map(|at| s[at]);
        let sum1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let sum0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let terms = [s[7], sum1, if_else(e, f, g), k, word];
        let first = terms.into_iter().fold(0u32, u32::wrapping_add);
        let second = sum0.wrapping_add((a & b) | (a & c) | (b & c));
        s.rotate_right(1);
        s[0] = first.wrapping_add(second);
        s[4] = s[4].wrapping_add(first);
    }
    std::array::from_fn(|at| s[at].wrapping_add(initial[at]))
}

fn if_else(bits: u32, yes: u32, no: u32) -> u32 {
    (bits & yes) | (!bits & no)
}

/// The first 32 bits of the fraction of a root.
fn root(number: u64, power: u32) -> u32 {
    let wanted = u128::from(number) << (32 * power);
    let (mut low, mut high) = (0u128, 1u128 << 40);
    while low + 1 < high {
        let middle = (low + high) / 2;
        if middle.pow(power) <= wanted { low = middle } else { high = middle }
    }
    low as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of FIPS 180-2, appendix B.1, and of tables of the normal distribution.
    #[test]
    fn references_meet_published_values() {
        let mut block = [0; 16];
        block[0] = u32::from_be_bytes(*b"abc\x80");
        block[15] = 24;
        let hash = [
            0xba78_16bf,
            0x8f01_cfea,
            0x4141_40de,
            0x5dae_2223,
            0xb003_61a3,
            0x9617_7a9c,
            0xb410_ff61,
            0xf200_15ad,
        ];
        assert_eq!(compressed(block), hash);
        assert!((normal(1.0) - 0.841_344_746_068_543).abs() < 1e-12);
        assert!((normal(-2.5) - 0.006_209_665_325_776).abs() < 1e-12);
    }
}
