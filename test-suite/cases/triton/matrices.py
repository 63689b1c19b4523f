"""Kernels that multiply matrices."""
from common import *


@jit
def matmul_kernel(a, b, out, K, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr, ACC: tl.constexpr, PRECISION: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    cols = tl.program_id(1) * N + tl.arange(0, N)
    width = tl.num_programs(1) * N
    acc = tl.zeros([M, N], ACC)
    for k in range(0, K, STEP):
        at = k + tl.arange(0, STEP)
        x = tl.load(a + rows[:, None] * K + at[None, :])
        y = tl.load(b + at[:, None] * width + cols[None, :])
        acc = tl.dot(x, y, acc, input_precision=PRECISION, out_dtype=ACC)
    tl.store(out + rows[:, None] * width + cols[None, :], acc)


def product(c, name, ty, values, bits, out="f32", k=64, m=64, n=64, **judgement):
    """Inputs whose products and sums are exact, if nothing is said of how near the result has to be."""
    a, b = values(rng(name), (m, k)), values(rng(name + "b"), (k, n))
    c.buffer("in", "a", ty, bits(a)); c.buffer("in", "b", ty, bits(b)); c.buffer("out", "out", out, count=m * n); c.scalar("i32", k)
    want = a.astype(float) @ b.astype(float)
    c.want("out", out, want.astype(np.float32 if out == "f32" else np.int32), **judgement)


eighths = lambda r, shape: (r.integers(-16, 17, shape) / 8).astype(np.float32)
half = lambda x: x.astype(np.float16)
blocks = lambda acc="tl.float32", precision="tf32", m=64, n=64, step=32: {"M": m, "N": n, "STEP": step, "ACC": acc, "PRECISION": precision}


@case(matmul_kernel, grid=(2, 2), targets=ALL, constexprs=blocks())
def matmul_f16(c):
    product(c, "f16", "f16", eighths, half, m=128, n=128)


@case(matmul_kernel, grid=(1, 1), targets=ALL, constexprs=blocks())
def matmul_bf16(c):
    product(c, "bf16", "bf16", eighths, bf16)


@case(matmul_kernel, grid=(1, 1), targets=ALL, constexprs=blocks())
def matmul_tf32(c):
    product(c, "tf32", "f32", eighths, lambda x: x)


@case(matmul_kernel, grid=(1, 1), targets=(80, 90), constexprs=blocks(precision="ieee"))
def matmul_f32(c):
    product(c, "f32", "f32", lambda r, shape: r.normal(size=shape).astype(np.float32), lambda x: x, rtol=1e-4, atol=1e-4)


@case(matmul_kernel, grid=(1, 1), targets=(80, 90), constexprs=blocks(precision="tf32x3"))
def matmul_tf32x3(c):
    product(c, "tf32x3", "f32", lambda r, shape: r.normal(size=shape).astype(np.float32), lambda x: x, rtol=1e-4, atol=1e-4)


@case(matmul_kernel, grid=(1, 1), targets=ALL, constexprs=blocks("tl.int32", None))
def matmul_i8(c):
    product(c, "i8", "i8", lambda r, shape: r.integers(-128, 128, shape), lambda x: x.astype(np.int8), out="i32")


def eighths_of_one(r, shape):
    """Numbers that an 8-bit float has, whose products are exact."""
    return r.integers(-8, 9, shape) * 0.125


@case(matmul_kernel, grid=(1, 1), targets=(90, 100, 120), constexprs=blocks(step=64))
def matmul_e4m3(c):
    product(c, "e4m3", "e4m3", eighths_of_one, lambda x: codes_of(E4M3, x))


@case(matmul_kernel, grid=(1, 1), targets=(90, 100, 120), constexprs=blocks(step=64))
def matmul_e5m2(c):
    product(c, "e5m2", "e5m2", lambda r, shape: r.choice([-2.0, -1.5, -1, -0.5, 0, 0.25, 0.75, 1, 1.25], shape), lambda x: codes_of(E5M2, x))


@case(matmul_kernel, grid=(1, 1), targets=ALL, num_warps=8, constexprs=blocks(m=128, n=128, step=64))
def matmul_eight_warps(c):
    product(c, "eight", "f16", eighths, half, m=128, n=128)


@case(matmul_kernel, grid=(1, 1), targets=ALL, num_stages=4, constexprs=blocks(step=32))
def matmul_pipelined(c):
    product(c, "pipelined", "f16", eighths, half, k=256)


@jit
def linear_kernel(x, w, bias, out, K: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    r, k, n = tl.arange(0, M), tl.arange(0, K), tl.arange(0, N)
    # The weights are stored by output, and read transposed.
    acc = tl.dot(tl.load(x + r[:, None] * K + k[None, :]), tl.load(w + n[None, :] * K + k[:, None]))
    acc += tl.load(bias + n)[None, :]
    tl.store(out + r[:, None] * N + n[None, :], tl.maximum(acc, 0.0).to(tl.float16))


@case(linear_kernel, targets=ALL, constexprs={"K": 64, "M": 64, "N": 32})
def linear_relu(c):
    r = rng("linear")
    x, w = half(eighths(r, (64, 64))), half(eighths(r, (32, 64)))
    bias = eighths(r, 32)
    c.buffer("in", "x", "f16", x); c.buffer("in", "w", "f16", w); c.buffer("in", "bias", "f32", bias); c.buffer("out", "out", "f16", count=64 * 32)
    c.want("out", "f16", np.maximum(x.astype(float) @ w.T.astype(float) + bias, 0).astype(np.float16))


@jit
def batched_kernel(a, b, out, S: tl.constexpr):
    base = tl.program_id(0) * S * S
    i = tl.arange(0, S)
    at = base + i[:, None] * S + i[None, :]
    tl.store(out + at, tl.dot(tl.load(a + at), tl.load(b + at)))


@case(batched_kernel, grid=3, targets=ALL, constexprs={"S": 32})
def batched(c):
    r = rng("batched")
    a, b = half(eighths(r, (3, 32, 32))), half(eighths(r, (3, 32, 32)))
    c.buffer("in", "a", "f16", a); c.buffer("in", "b", "f16", b); c.buffer("out", "out", "f32", count=3 * 1024)
    c.want("out", "f32", (a.astype(float) @ b.astype(float)).astype(np.float32))


@jit
def split_kernel(a, b, out, K, S: tl.constexpr, PART: tl.constexpr):
    i = tl.arange(0, S)
    k = tl.program_id(0) * PART + tl.arange(0, PART)
    acc = tl.dot(tl.load(a + i[:, None] * K + k[None, :]), tl.load(b + k[:, None] * S + i[None, :]))
    tl.atomic_add(out + i[:, None] * S + i[None, :], acc)


@case(split_kernel, grid=4, targets=ALL, constexprs={"S": 32, "PART": 32})
def split_k(c):
    r = rng("split")
    a, b = half(eighths(r, (32, 128))), half(eighths(r, (128, 32)))
    c.buffer("in", "a", "f16", a); c.buffer("in", "b", "f16", b)
    c.buffer("inout", "out", "f32", np.zeros(1024, np.float32)); c.scalar("i32", 128)
    c.want("out", "f32", (a.astype(float) @ b.astype(float)).astype(np.float32))


@jit
def double_dot_kernel(a, b, out, S: tl.constexpr):
    i = tl.arange(0, S)
    at = i[:, None] * S + i[None, :]
    tl.store(out + at, tl.dot(tl.load(a + at), tl.load(b + at), out_dtype=tl.float64))


@case(double_dot_kernel, targets=(80, 90), constexprs={"S": 16})
def matmul_f64(c):
    r = rng("f64dot")
    a, b = r.normal(size=(2, 16, 16))
    c.buffer("in", "a", "f64", a); c.buffer("in", "b", "f64", b); c.buffer("out", "out", "f64", count=256)
    c.want("out", "f64", a @ b, rtol=1e-13, atol=1e-13)


@jit
def attention_kernel(q, k, v, out, scale, COUNT: tl.constexpr, BLOCK: tl.constexpr, DIM: tl.constexpr, CAUSAL: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    rows = first + tl.arange(0, BLOCK)
    d = tl.arange(0, DIM)
    query = tl.load(q + rows[:, None] * DIM + d[None, :])
    top = tl.full([BLOCK], -float("inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    acc = tl.zeros([BLOCK, DIM], tl.float32)
    end = first + BLOCK if CAUSAL else COUNT
    for start in range(0, end, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        keys = tl.load(k + cols[None, :] * DIM + d[:, None])
        scores = tl.dot(query, keys) * scale
        if CAUSAL:
            scores = tl.where(rows[:, None] >= cols[None, :], scores, -float("inf"))
        higher = tl.maximum(top, tl.max(scores, 1))
        p = tl.exp(scores - higher[:, None])
        shrink = tl.exp(top - higher)
        total = total * shrink + tl.sum(p, 1)
        acc = acc * shrink[:, None] + tl.dot(p.to(tl.float16), tl.load(v + cols[:, None] * DIM + d[None, :]))
        top = higher
    tl.store(out + rows[:, None] * DIM + d[None, :], acc / total[:, None])


def attend(c, name, causal):
    q, k, v = rng(name).normal(size=(3, 128, 32)).astype(np.float16)
    scores = q.astype(float) @ k.T.astype(float) * 0.17677669529663687
    if causal:
        scores = np.where(np.tril(np.ones((128, 128))) > 0, scores, -np.inf)
    p = np.exp(scores - scores.max(1, keepdims=True))
    want = p / p.sum(1, keepdims=True) @ v.astype(float)
    for n, x in zip("qkv", (q, k, v)):
        c.buffer("in", n, "f16", x)
    c.buffer("out", "out", "f32", count=128 * 32); c.scalar("f32", 0.17677669529663687)
    c.want("out", "f32", want.astype(np.float32), rtol=1e-2, atol=2e-3)


@case(attention_kernel, grid=2, targets=ALL, constexprs={"COUNT": 128, "BLOCK": 64, "DIM": 32, "CAUSAL": False})
def attention(c):
    attend(c, "attention", False)


@case(attention_kernel, grid=2, targets=ALL, constexprs={"COUNT": 128, "BLOCK": 64, "DIM": 32, "CAUSAL": True})
def attention_causal(c):
    attend(c, "causal", True)


@jit
def convolution_kernel(x, w, out, SIZE: tl.constexpr, CIN: tl.constexpr, COUT: tl.constexpr):
    """3x3 without padding, as one product over the channels for each place of the filter."""
    row = tl.program_id(0)
    cols = tl.arange(0, SIZE)
    ci, co = tl.arange(0, CIN), tl.arange(0, COUT)
    acc = tl.zeros([SIZE, COUT], tl.float32)
    for dy in tl.static_range(3):
        for dx in tl.static_range(3):
            at = cols + dx
            a = tl.load(x + ((row + dy) * SIZE + at[:, None]) * CIN + ci[None, :], mask=(at < SIZE)[:, None], other=0.0)
            b = tl.load(w + ((dy * 3 + dx) * CIN + ci[:, None]) * COUT + co[None, :])
            acc += tl.dot(a, b)
    tl.store(out + (row * SIZE + cols[:, None]) * COUT + co[None, :], acc, mask=(cols < SIZE - 2)[:, None])


@case(convolution_kernel, grid=4, targets=(80, 90, 120), constexprs={"SIZE": 16, "CIN": 16, "COUT": 16})
def convolution(c):
    r = rng("conv")
    x, w = half(eighths(r, (6, 16, 16))), half(eighths(r, (3, 3, 16, 16)))
    want = np.full((4, 16, 16), np.frombuffer(b"\xa5" * 4, np.float32)[0], np.float32)
    want[:, :14] = sum(np.einsum("yxc,cd->yxd", x[dy:dy + 4, dx:dx + 14].astype(float), w[dy, dx].astype(float)) for dy in range(3) for dx in range(3))
    c.buffer("in", "x", "f16", x); c.buffer("in", "w", "f16", w); c.buffer("out", "out", "f32", count=want.size)
    c.want("out", "f32", want)


@jit
def persistent_kernel(a, b, out, tiles, S: tl.constexpr, K: tl.constexpr):
    i, k = tl.arange(0, S), tl.arange(0, K)
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        acc = tl.dot(tl.load(a + (tile * S + i[:, None]) * K + k[None, :]), tl.load(b + k[:, None] * S + i[None, :]))
        tl.store(out + (tile * S + i[:, None]) * S + i[None, :], acc)


@case(persistent_kernel, grid=2, targets=ALL, constexprs={"S": 64, "K": 32})
def persistent(c):
    r = rng("persistent")
    a, b = half(eighths(r, (3 * 64, 32))), half(eighths(r, (32, 64)))
    c.buffer("in", "a", "f16", a); c.buffer("in", "b", "f16", b); c.buffer("out", "out", "f32", count=3 * 64 * 64); c.scalar("i32", 3)
    c.want("out", "f32", (a.astype(float) @ b.astype(float)).astype(np.float32))


@jit
def descriptor_matmul_kernel(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    result = tl.make_tensor_descriptor(out, [M, N], [N, 1], [BM, BN])
    row, col = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(left.load([row, k]), right.load([k, col]), acc)
    result.store([row, col], acc.to(tl.float16))


@case(descriptor_matmul_kernel, grid=(2, 2), targets=(90, 100, 120), constexprs={"BM": 64, "BN": 64, "BK": 64})
def matmul_descriptors(c):
    r = rng("descriptors")
    # 100 rows, 96 columns: the last blocks are partly outside of the tensors.
    a, b = half(eighths(r, (100, 160))), half(eighths(r, (160, 96)))
    c.buffer("in", "a", "f16", a); c.buffer("in", "b", "f16", b); c.buffer("out", "out", "f16", count=100 * 96)
    for n in (100, 96, 160):
        c.scalar("i32", n)
    c.want("out", "f16", (a.astype(float) @ b.astype(float)).astype(np.float16))


@jit
def scaled_kernel(a, sa, b, sb, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    s = tl.arange(0, K // 32)
    x = tl.load(a + m[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * N + n[None, :])
    acc = tl.dot_scaled(x, tl.load(sa + m[:, None] * (K // 32) + s[None, :]), "e4m3", y, tl.load(sb + n[:, None] * (K // 32) + s[None, :]), "e4m3")
    tl.store(out + m[:, None] * N + n[None, :], acc)


@case(scaled_kernel, targets=(90, 100, 120), constexprs={"M": 128, "N": 64, "K": 128})
def matmul_scaled(c):
    r = rng("scaled")
    a, b = eighths_of_one(r, (128, 128)), eighths_of_one(r, (128, 64))
    sa, sb = r.integers(125, 130, (128, 4)).astype(np.uint8), r.integers(125, 130, (64, 4)).astype(np.uint8)
    x = a * np.repeat(2.0 ** (sa.astype(int) - 127), 32, 1)
    y = b * np.repeat(2.0 ** (sb.astype(int) - 127), 32, 1).T
    c.buffer("in", "a", "e4m3", codes_of(E4M3, a)); c.buffer("in", "sa", "u8", sa)
    c.buffer("in", "b", "e4m3", codes_of(E4M3, b)); c.buffer("in", "sb", "u8", sb); c.buffer("out", "out", "f32", count=128 * 64)
    c.want("out", "f32", (x @ y).astype(np.float32), rtol=1e-6, atol=1e-6)
