"""Kernels on one element at a time."""
from common import *


@jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


@case(add_kernel, grid=4, targets=ALL, constexprs={"BLOCK": 256})
def add(c):
    x, y = rng("add").normal(size=(2, 1000)).astype(np.float32)
    c.buffer("in", "x", "f32", x); c.buffer("in", "y", "f32", y); c.buffer("out", "out", "f32", count=1024); c.scalar("i32", 1000)
    untouched = np.frombuffer(b"\xa5" * 96, np.float32)
    c.want("out", "f32", np.concatenate([x + y, untouched]))


@jit
def activations_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at)
    sigmoid = 1.0 / (1.0 + tl.exp(-v))
    tl.store(out + at, tl.maximum(v, 0.0))
    tl.store(out + n + at, sigmoid)
    tl.store(out + 2 * n + at, v * sigmoid)
    tl.store(out + 3 * n + at, 0.5 * v * (1.0 + tl.erf(v * 0.7071067811865476)))
    tl.store(out + 4 * n + at, tl.where(v > 0, v, tl.exp(v) - 1.0))


@case(activations_kernel, targets=(80, 90), num_warps=2, constexprs={"BLOCK": 256})
def activations(c):
    x = rng("act").normal(size=256).astype(np.float32) * 3
    v = x.astype(float)
    s = 1 / (1 + np.exp(-v))
    erf = np.array([math.erf(a) for a in v / math.sqrt(2)])
    want = np.concatenate([np.maximum(v, 0), s, v * s, 0.5 * v * (1 + erf), np.where(v > 0, v, np.expm1(v))])
    c.buffer("in", "x", "f32", x); c.buffer("out", "out", "f32", count=want.size); c.scalar("i32", 256)
    c.want("out", "f32", want.astype(np.float32), rtol=1e-5, atol=1e-6)


@jit
def math_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at)
    tl.store(out + at, tl.exp2(v))
    tl.store(out + n + at, tl.log2(v))
    tl.store(out + 2 * n + at, tl.sin(v))
    tl.store(out + 3 * n + at, tl.cos(v))
    tl.store(out + 4 * n + at, tl.sqrt_rn(v))
    tl.store(out + 5 * n + at, tl.rsqrt(v))
    tl.store(out + 6 * n + at, tl.floor(v) + tl.ceil(v))
    tl.store(out + 7 * n + at, tl.div_rn(1.0, v))
    tl.store(out + 8 * n + at, tl.fma(v, v, 0.5))


@case(math_kernel, targets=(80, 120), constexprs={"BLOCK": 128})
def math_functions(c):
    x = rng("math").uniform(0.01, 6, 128).astype(np.float32)
    v = x.astype(float)
    want = np.concatenate([np.exp2(v), np.log2(v), np.sin(v), np.cos(v), np.sqrt(v), v ** -0.5, np.floor(v) + np.ceil(v), 1 / v, v * v + 0.5])
    c.buffer("in", "x", "f32", x); c.buffer("out", "out", "f32", count=want.size); c.scalar("i32", 128)
    c.want("out", "f32", want.astype(np.float32), rtol=3e-6, atol=2e-6)


@jit
def libdevice_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at)
    tl.store(out + at, libdevice.tanh(v))
    tl.store(out + n + at, libdevice.pow(v, 1.5))
    tl.store(out + 2 * n + at, libdevice.atan2(v, 0.5))
    tl.store(out + 3 * n + at, libdevice.expm1(v))
    tl.store(out + 4 * n + at, libdevice.log1p(v))
    tl.store(out + 5 * n + at, libdevice.cbrt(v))
    tl.store(out + 6 * n + at, libdevice.lgamma(v))


@case(libdevice_kernel, targets=(80, 100), constexprs={"BLOCK": 128})
def libdevice_functions(c):
    x = rng("libdevice").uniform(0.05, 8, 128).astype(np.float32)
    v = x.astype(float)
    lgamma = np.array([math.lgamma(a) for a in v])
    want = np.concatenate([np.tanh(v), v ** 1.5, np.arctan2(v, 0.5), np.expm1(v), np.log1p(v), np.cbrt(v), lgamma])
    c.buffer("in", "x", "f32", x); c.buffer("out", "out", "f32", count=want.size); c.scalar("i32", 128)
    c.want("out", "f32", want.astype(np.float32), rtol=2e-6, atol=2e-6)


@jit
def double_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at)
    tl.store(out + at, tl.exp(v))
    tl.store(out + n + at, tl.log(tl.abs(v) + 1.0))
    tl.store(out + 2 * n + at, libdevice.sin(v))
    tl.store(out + 3 * n + at, tl.sqrt(tl.abs(v)))


@case(double_kernel, constexprs={"BLOCK": 64})
def doubles(c):
    v = rng("double").normal(size=64) * 4
    want = np.concatenate([np.exp(v), np.log(abs(v) + 1), np.sin(v), np.sqrt(abs(v))])
    c.buffer("in", "x", "f64", v); c.buffer("out", "out", "f64", count=want.size); c.scalar("i32", 64)
    c.want("out", "f64", want, rtol=1e-14, atol=1e-15)


@jit
def integers_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at)
    b = tl.load(y + at)
    tl.store(out + at, a // b)
    tl.store(out + n + at, a % b)
    tl.store(out + 2 * n + at, a * b)
    tl.store(out + 3 * n + at, (a << 3) ^ (b >> 2))
    tl.store(out + 4 * n + at, tl.minimum(a, b) - tl.maximum(a, b))


@case(integers_kernel, targets=(80, 100), constexprs={"BLOCK": 128})
def integers(c):
    r = rng("int")
    a, b = r.integers(-2 ** 62, 2 ** 62, 128), r.integers(1, 2 ** 40, 128) * r.choice([-1, 1], 128)
    # Triton's division of integers truncates.
    q = np.array([abs(int(m)) // abs(int(d)) * (1 if (m < 0) == (d < 0) else -1) for m, d in zip(a, b)])
    wrapped = lambda v: np.array([(int(i) + 2 ** 63) % 2 ** 64 - 2 ** 63 for i in v])
    rest = np.array([int(m) - int(d) * int(t) for m, d, t in zip(a, b, q)])
    product = wrapped([int(m) * int(d) for m, d in zip(a, b)])
    shifted = wrapped([int(m) << 3 for m in a]) ^ (b >> 2)
    want = np.concatenate([q, rest, product, shifted, np.minimum(a, b) - np.maximum(a, b)])
    c.buffer("in", "x", "i64", a); c.buffer("in", "y", "i64", b); c.buffer("out", "out", "i64", count=want.size); c.scalar("i32", 128)
    c.want("out", "i64", want)


@jit
def unsigned_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at)
    b = tl.load(y + at)
    tl.store(out + at, a // b)
    tl.store(out + n + at, a % b)
    tl.store(out + 2 * n + at, tl.umulhi(a, b))
    tl.store(out + 3 * n + at, (a >> 5) + (b < a).to(tl.uint32))


@case(unsigned_kernel, constexprs={"BLOCK": 128})
def unsigned(c):
    r = rng("unsigned")
    a, b = r.integers(0, 2 ** 32, 128, np.uint32), r.integers(1, 2 ** 20, 128).astype(np.uint32)
    high = (a.astype(np.uint64) * b >> np.uint64(32)).astype(np.uint32)
    want = np.concatenate([a // b, a % b, high, (a >> 5) + (b < a)]).astype(np.uint32)
    c.buffer("in", "x", "u32", a); c.buffer("in", "y", "u32", b); c.buffer("out", "out", "u32", count=want.size); c.scalar("i32", 128)
    c.want("out", "u32", want)


@jit
def half_kernel(x, y, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) * tl.load(y + at) + 0.25)


@case(half_kernel, targets=(80, 90), constexprs={"BLOCK": 256})
def halves(c):
    # Multiples of 1/8 whose products and sums are exact.
    x, y = (rng("half").integers(-32, 33, (2, 256)) / 8).astype(np.float16)
    c.buffer("in", "x", "f16", x); c.buffer("in", "y", "f16", y); c.buffer("out", "out", "f16", count=256)
    c.want("out", "f16", (x.astype(float) * y + 0.25).astype(np.float16))


@case(half_kernel, targets=(80, 90), constexprs={"BLOCK": 256})
def bfloats(c):
    x, y = (rng("bfloat").integers(-7, 8, (2, 256)) / 8).astype(np.float32)
    c.buffer("in", "x", "bf16", bf16(x)); c.buffer("in", "y", "bf16", bf16(y)); c.buffer("out", "out", "bf16", count=256)
    c.want("out", "bf16", bf16(x * y + 0.25))


@jit
def to_fp8_kernel(x, out, back, BLOCK: tl.constexpr, TYPE: tl.constexpr):
    at = tl.arange(0, BLOCK)
    narrow = tl.load(x + at).to(TYPE)
    tl.store(out + at, narrow)
    tl.store(back + at, narrow.to(tl.float32))


@case(to_fp8_kernel, targets=(90, 100), constexprs={"BLOCK": 256, "TYPE": "tl.float8e4nv"})
def to_e4m3(c):
    x = (rng("e4m3").normal(size=256) * 20).astype(np.float32)
    codes = nearest(E4M3, x)
    c.buffer("in", "x", "f32", x); c.buffer("out", "out", "e4m3", count=256); c.buffer("out", "back", "f32", count=256)
    c.want("out", "e4m3", codes); c.want("back", "f32", E4M3[codes].astype(np.float32))


@case(to_fp8_kernel, targets=(80, 90), constexprs={"BLOCK": 256, "TYPE": "tl.float8e5"})
def to_e5m2(c):
    x = (rng("e5m2").normal(size=256) * 20).astype(np.float32)
    codes = nearest(E5M2, x)
    c.buffer("in", "x", "f32", x); c.buffer("out", "out", "e5m2", count=256); c.buffer("out", "back", "f32", count=256)
    c.want("out", "e5m2", codes); c.want("back", "f32", E5M2[codes].astype(np.float32))


@jit
def dropout_kernel(x, out, seed, p, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(keep, tl.load(x + at) / (1 - p), 0.0))


def philox(seed, offset):
    """The first word of Philox 4x32 with ten rounds, for each counter (offset, 0, 0, 0)."""
    low = lambda v: v & 0xFFFFFFFF
    words = []
    for counter in offset:
        c0, c1, c2, c3, k0, k1 = int(counter), 0, 0, 0, low(seed), seed >> 32
        for _ in range(10):
            a, b = c0 * 0xD2511F53, c2 * 0xCD9E8D57
            c0, c1, c2, c3 = (b >> 32) ^ c1 ^ k0, low(b), (a >> 32) ^ c3 ^ k1, low(a)
            k0, k1 = low(k0 + 0x9E3779B9), low(k1 + 0xBB67AE85)
        words.append(c0)
    return np.array(words, np.uint32)


@case(dropout_kernel, grid=2, targets=(80, 90), constexprs={"BLOCK": 256})
def dropout(c):
    x = rng("dropout").normal(size=512).astype(np.float32)
    drawn = philox(123, np.arange(512)).view(np.int32).astype(np.int64)
    unit = np.where(drawn < 0, -drawn - 1, drawn) * 4.6566127342e-10
    c.buffer("in", "x", "f32", x); c.buffer("out", "out", "f32", count=512); c.scalar("i32", 123); c.scalar("f32", 0.5)
    c.want("out", "f32", np.where(unit > 0.5, x * 2, 0).astype(np.float32))


@jit
def randint_kernel(out, seed, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.randint(seed, at))


@case(randint_kernel, constexprs={"BLOCK": 256})
def randint(c):
    c.buffer("out", "out", "u32", count=256); c.scalar("i32", 99)
    c.want("out", "u32", philox(99, np.arange(256)))


@jit
def adam_kernel(w, g, m, v, lr, beta1, beta2, eps, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    grad = tl.load(g + at)
    first = beta1 * tl.load(m + at) + (1 - beta1) * grad
    second = beta2 * tl.load(v + at) + (1 - beta2) * grad * grad
    tl.store(m + at, first)
    tl.store(v + at, second)
    tl.store(w + at, tl.load(w + at) - lr * first / (tl.sqrt(second) + eps))


@case(adam_kernel, grid=2, targets=(80, 90), constexprs={"BLOCK": 128})
def adam(c):
    r = rng("adam")
    w, g, m = r.normal(size=(3, 256)).astype(np.float32)
    v = r.uniform(0.1, 1, 256).astype(np.float32)
    lr, b1, b2, eps = 0.125, 0.875, 0.984375, 1e-8
    c.buffer("inout", "w", "f32", w); c.buffer("in", "g", "f32", g); c.buffer("inout", "m", "f32", m); c.buffer("inout", "v", "f32", v)
    for value in (lr, b1, b2, eps):
        c.scalar("f32", value)
    m1, v1 = b1 * m.astype(float) + (1 - b1) * g, b2 * v.astype(float) + (1 - b2) * g.astype(float) ** 2
    near = {"rtol": 1e-5, "atol": 1e-6}
    c.want("m", "f32", m1.astype(np.float32), **near); c.want("v", "f32", v1.astype(np.float32), **near)
    c.want("w", "f32", (w - lr * m1 / (np.sqrt(v1) + eps)).astype(np.float32), **near)


@jit
def mandelbrot_kernel(out, limit, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    cr = -2.0 + col.to(tl.float32) * 0.046875
    ci = -1.0 + row.to(tl.float32) * 0.125
    zr = tl.zeros([BLOCK], tl.float32)
    zi = tl.zeros([BLOCK], tl.float32)
    steps = tl.zeros([BLOCK], tl.int32)
    i = 0
    while i < limit:
        inside = zr * zr + zi * zi <= 4.0
        steps += inside.to(tl.int32)
        next_r = zr * zr - zi * zi + cr
        zi = tl.where(inside, 2.0 * zr * zi + ci, zi)
        zr = tl.where(inside, next_r, zr)
        i += 1
    tl.store(out + row * BLOCK + col, steps)


@case(mandelbrot_kernel, grid=16, num_warps=2, targets=(80, 120), constexprs={"BLOCK": 64})
def mandelbrot(c):
    c.buffer("out", "out", "i32", count=16 * 64); c.scalar("i32", 24)
    want = np.zeros((16, 64), np.int32)
    for row in range(16):
        for col in range(64):
            point, z = complex(-2 + col * 0.046875, -1 + row * 0.125), 0j
            for _ in range(24):
                if abs(z) ** 2 > 4:
                    break
                want[row, col] += 1
                z = z * z + point
    # Rounding decides near the edge of the set.
    c.want("out", "i32", want, mismatch=0.02)


@jit
def collatz_kernel(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at)
    steps = tl.zeros([BLOCK], tl.int32)
    while tl.max(v, 0) > 1:
        going = v > 1
        steps += going.to(tl.int32)
        v = tl.where(going, tl.where(v % 2 == 0, v // 2, 3 * v + 1), v)
    tl.store(out + at, steps)


@case(collatz_kernel, num_warps=1, targets=(80, 100), constexprs={"BLOCK": 64})
def collatz(c):
    x = np.arange(1, 65, dtype=np.int32)
    steps = []
    for v in x.tolist():
        n = 0
        while v > 1:
            v, n = (v // 2 if v % 2 == 0 else 3 * v + 1), n + 1
        steps.append(n)
    c.buffer("in", "x", "i32", x); c.buffer("out", "out", "i32", count=64)
    c.want("out", "i32", np.array(steps, np.int32))


@jit
def inline_kernel(x, y, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = tl.inline_asm_elementwise("popc.b32 $0, $1; lop3.b32 $0, $0, $2, $1, 0x96;", "=&r,r,r", [tl.load(x + at), tl.load(y + at)],
                                  dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out + at, v)


@case(inline_kernel, targets=(80, 120), constexprs={"BLOCK": 128})
def inline_assembly(c):
    x, y = rng("inline").integers(-2 ** 31, 2 ** 31, (2, 128)).astype(np.int32)
    ones = np.array([bin(int(v) & 0xFFFFFFFF).count("1") for v in x], np.int32)
    c.buffer("in", "x", "i32", x); c.buffer("in", "y", "i32", y); c.buffer("out", "out", "i32", count=128)
    c.want("out", "i32", ones ^ x ^ y)


@jit
def unpack_int4_kernel(packed, scale, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    byte = tl.load(packed + at).to(tl.int32)
    low = ((byte & 15) - 8).to(tl.float32)
    high = ((byte >> 4 & 15) - 8).to(tl.float32)
    values = tl.interleave(low, high)
    pair = tl.arange(0, 2 * BLOCK)
    tl.store(out + pair, values * tl.load(scale + pair // 32))


@case(unpack_int4_kernel, targets=(80, 90), constexprs={"BLOCK": 128})
def unpack_int4(c):
    r = rng("int4")
    packed, scale = r.integers(0, 256, 128).astype(np.uint8), (r.integers(1, 9, 8) / 4).astype(np.float32)
    values = np.stack([(packed & 15).astype(int) - 8, (packed >> 4).astype(int) - 8], 1).ravel()
    c.buffer("in", "packed", "u8", packed); c.buffer("in", "scale", "f32", scale); c.buffer("out", "out", "f32", count=256)
    c.want("out", "f32", (values * np.repeat(scale, 32)).astype(np.float32))


@jit
def rope_kernel(q, cos, sin, out, HALF: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, HALF)
    a = tl.load(q + row * 2 * HALF + at)
    b = tl.load(q + row * 2 * HALF + HALF + at)
    c = tl.load(cos + row * HALF + at)
    s = tl.load(sin + row * HALF + at)
    tl.store(out + row * 2 * HALF + at, a * c - b * s)
    tl.store(out + row * 2 * HALF + HALF + at, b * c + a * s)


@case(rope_kernel, grid=4, num_warps=1, targets=(80, 90), constexprs={"HALF": 32})
def rope(c):
    q = rng("rope").normal(size=(4, 64)).astype(np.float32)
    angle = np.arange(4)[:, None] * 10000.0 ** (-np.arange(32) / 32)
    cos, sin = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
    a, b = q[:, :32].astype(float), q[:, 32:].astype(float)
    c.buffer("in", "q", "f32", q); c.buffer("in", "cos", "f32", cos); c.buffer("in", "sin", "f32", sin); c.buffer("out", "out", "f32", count=256)
    c.want("out", "f32", np.hstack([a * cos - b * sin, b * cos + a * sin]).astype(np.float32), rtol=1e-5, atol=1e-6)
