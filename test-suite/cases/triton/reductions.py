"""Kernels that reduce, scan and sort within rows."""
from common import *


@jit
def softmax_kernel(x, out, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * cols + at, mask=at < cols, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * cols + at, e / tl.sum(e, 0), mask=at < cols)


@case(softmax_kernel, grid=5, targets=ALL, constexprs={"BLOCK": 256})
def softmax(c):
    x = (rng("softmax").normal(size=(5, 200)) * 3).astype(np.float32)
    e = np.exp(x.astype(float) - x.max(1, keepdims=True))
    c.buffer("in", "x", "f32", x); c.buffer("out", "out", "f32", count=1000); c.scalar("i32", 200)
    c.want("out", "f32", (e / e.sum(1, keepdims=True)).astype(np.float32), rtol=1e-5, atol=1e-8)


@jit
def log_softmax_kernel(x, out, COLS: tl.constexpr):
    row = tl.program_id(0)
    at = row * COLS + tl.arange(0, COLS)
    v = tl.load(x + at)
    v = v - tl.max(v, 0)
    tl.store(out + at, v - tl.log(tl.sum(tl.exp(v), 0)))


@case(log_softmax_kernel, grid=3, targets=(80, 90), constexprs={"COLS": 128})
def log_softmax(c):
    x = (rng("logsoftmax").normal(size=(3, 128)) * 3).astype(np.float32)
    v = x.astype(float) - x.max(1, keepdims=True)
    c.buffer("in", "x", "f32", x); c.buffer("out", "out", "f32", count=384)
    c.want("out", "f32", (v - np.log(np.exp(v).sum(1, keepdims=True))).astype(np.float32), rtol=1e-5, atol=1e-5)


@jit
def layer_norm_kernel(x, w, b, out, mean, rstd, eps, COLS: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, COLS)
    v = tl.load(x + row * COLS + at).to(tl.float32)
    mu = tl.sum(v, 0) / COLS
    d = v - mu
    r = 1 / tl.sqrt(tl.sum(d * d, 0) / COLS + eps)
    tl.store(mean + row, mu)
    tl.store(rstd + row, r)
    tl.store(out + row * COLS + at, (d * r * tl.load(w + at) + tl.load(b + at)).to(tl.float16))


@case(layer_norm_kernel, grid=4, targets=(80, 90, 100), constexprs={"COLS": 256})
def layer_norm(c):
    r = rng("layernorm")
    x = r.normal(size=(4, 256)).astype(np.float16)
    w, b = r.normal(size=(2, 256)).astype(np.float32)
    v = x.astype(float)
    mu = v.mean(1, keepdims=True)
    s = 1 / np.sqrt(((v - mu) ** 2).mean(1, keepdims=True) + 1e-5)
    c.buffer("in", "x", "f16", x); c.buffer("in", "w", "f32", w); c.buffer("in", "b", "f32", b); c.buffer("out", "out", "f16", count=1024)
    c.buffer("out", "mean", "f32", count=4); c.buffer("out", "rstd", "f32", count=4); c.scalar("f32", 1e-5)
    c.want("out", "f16", ((v - mu) * s * w + b).astype(np.float16), rtol=2e-3, atol=1e-3)
    c.want("mean", "f32", mu.astype(np.float32), rtol=1e-5, atol=1e-6); c.want("rstd", "f32", s.astype(np.float32), rtol=1e-5)


@jit
def rms_norm_kernel(x, w, out, eps, COLS: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, COLS)
    v = tl.load(x + row * COLS + at)
    tl.store(out + row * COLS + at, v * tl.rsqrt(tl.sum(v * v, 0) / COLS + eps) * tl.load(w + at))


@case(rms_norm_kernel, grid=4, targets=(80, 120), constexprs={"COLS": 128})
def rms_norm(c):
    r = rng("rms")
    x, w = r.normal(size=(4, 128)).astype(np.float32), r.normal(size=128).astype(np.float32)
    v = x.astype(float)
    c.buffer("in", "x", "f32", x); c.buffer("in", "w", "f32", w); c.buffer("out", "out", "f32", count=512); c.scalar("f32", 1e-5)
    c.want("out", "f32", (v / np.sqrt((v * v).mean(1, keepdims=True) + 1e-5) * w).astype(np.float32), rtol=1e-5, atol=1e-6)


@jit
def extremes_kernel(x, out, where, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.arange(0, ROWS)
    v = tl.load(x + r[:, None] * COLS + tl.arange(0, COLS)[None, :])
    tl.store(out + r, tl.max(v, 1))
    tl.store(out + ROWS + r, tl.min(v, 1))
    tl.store(where + r, tl.argmax(v, 1))
    tl.store(where + ROWS + r, tl.argmin(v, 1))


@case(extremes_kernel, targets=(80, 90, 100), constexprs={"ROWS": 16, "COLS": 64})
def extremes(c):
    x = rng("extremes").integers(-50, 50, (16, 64)).astype(np.float32)
    c.buffer("in", "x", "f32", x); c.buffer("out", "out", "f32", count=32); c.buffer("out", "where", "i32", count=32)
    c.want("out", "f32", np.concatenate([x.max(1), x.min(1)]))
    # The first of equal ones.
    c.want("where", "i32", np.concatenate([x.argmax(1), x.argmin(1)]).astype(np.int32))


@jit
def sums_kernel(x, rows, cols, all, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.arange(0, ROWS)
    c = tl.arange(0, COLS)
    v = tl.load(x + r[:, None] * COLS + c[None, :])
    tl.store(rows + r, tl.sum(v, 1))
    tl.store(cols + c, tl.sum(v, 0))
    tl.store(all, tl.sum(v))
    tl.store(all + 1, tl.xor_sum(v))


@case(sums_kernel, targets=(80, 100), num_warps=8, constexprs={"ROWS": 32, "COLS": 32})
def sums(c):
    x = rng("sums").integers(-2 ** 30, 2 ** 30, (32, 32)).astype(np.int32)
    wrap = lambda v: np.asarray(v).astype(np.int64).astype(np.uint64).astype(np.uint32).view(np.int32)
    c.buffer("in", "x", "i32", x); c.buffer("out", "rows", "i32", count=32); c.buffer("out", "cols", "i32", count=32)
    c.buffer("out", "all", "i32", count=2)
    wide = x.astype(np.int64)
    c.want("rows", "i32", wrap(wide.sum(1))); c.want("cols", "i32", wrap(wide.sum(0)))
    c.want("all", "i32", wrap([wide.sum(), np.bitwise_xor.reduce(wide.ravel())]))


@jit
def combine_welford(mean_a, m2_a, n_a, mean_b, m2_b, n_b):
    d = mean_b - mean_a
    n = n_a + n_b
    return mean_a + d * n_b / n, m2_a + m2_b + d * d * n_a * n_b / n, n


@jit
def welford_kernel(x, out, COLS: tl.constexpr):
    row = tl.program_id(0)
    v = tl.load(x + row * COLS + tl.arange(0, COLS))
    mean, m2, n = tl.reduce((v, tl.zeros_like(v), tl.zeros_like(v) + 1), 0, combine_welford)
    tl.store(out + 2 * row, mean)
    tl.store(out + 2 * row + 1, m2 / n)


@case(welford_kernel, grid=3, targets=(80, 90), constexprs={"COLS": 512})
def welford(c):
    x = (rng("welford").normal(size=(3, 512)) + 5).astype(np.float32)
    v = x.astype(float)
    c.buffer("in", "x", "f32", x); c.buffer("out", "out", "f32", count=6)
    c.want("out", "f32", np.stack([v.mean(1), v.var(1)], 1).astype(np.float32), rtol=1e-5)


@jit
def cumsum_kernel(x, out, back, ROWS: tl.constexpr, COLS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :]
    v = tl.load(x + at)
    tl.store(out + at, tl.cumsum(v, 1))
    tl.store(back + at, tl.cumsum(v, 0, reverse=True))


@case(cumsum_kernel, targets=(80, 90, 100), constexprs={"ROWS": 16, "COLS": 64})
def cumsum(c):
    x = rng("cumsum").integers(-99, 99, (16, 64)).astype(np.int32)
    c.buffer("in", "x", "i32", x); c.buffer("out", "out", "i32", count=1024); c.buffer("out", "back", "i32", count=1024)
    c.want("out", "i32", x.cumsum(1).astype(np.int32)); c.want("back", "i32", x[::-1].cumsum(0)[::-1].astype(np.int32))


@jit
def cumprod_kernel(x, out, COLS: tl.constexpr):
    at = tl.program_id(0) * COLS + tl.arange(0, COLS)
    tl.store(out + at, tl.cumprod(tl.load(x + at), 0))


@case(cumprod_kernel, grid=2, constexprs={"COLS": 128})
def cumprod(c):
    x = rng("cumprod").uniform(0.9, 1.1, (2, 128)).astype(np.float32)
    c.buffer("in", "x", "f32", x); c.buffer("out", "out", "f32", count=256)
    c.want("out", "f32", x.astype(float).cumprod(1).astype(np.float32), rtol=1e-4)


@jit
def combine_linear(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@jit
def recurrence_kernel(a, b, out, COLS: tl.constexpr):
    at = tl.program_id(0) * COLS + tl.arange(0, COLS)
    _, h = tl.associative_scan((tl.load(a + at), tl.load(b + at)), 0, combine_linear)
    tl.store(out + at, h)


@case(recurrence_kernel, grid=2, targets=(80, 90), constexprs={"COLS": 256})
def recurrence(c):
    r = rng("recurrence")
    a, b = r.uniform(0.2, 0.9, (2, 256)).astype(np.float32), r.normal(size=(2, 256)).astype(np.float32)
    want = np.zeros((2, 256))
    for row in range(2):
        h = 0.0
        for i in range(256):
            h = h * float(a[row, i]) + float(b[row, i])
            want[row, i] = h
    c.buffer("in", "a", "f32", a); c.buffer("in", "b", "f32", b); c.buffer("out", "out", "f32", count=512)
    c.want("out", "f32", want.astype(np.float32), rtol=1e-4, atol=1e-5)


@jit
def larger(a, b):
    return tl.maximum(a, b)


@jit
def running_max_kernel(x, out, COLS: tl.constexpr):
    at = tl.arange(0, COLS)
    tl.store(out + at, tl.associative_scan(tl.load(x + at), 0, larger))


@case(running_max_kernel, num_warps=2, targets=(80, 120), constexprs={"COLS": 256})
def running_max(c):
    x = rng("runmax").integers(0, 10 ** 6, 256).astype(np.int32)
    c.buffer("in", "x", "i32", x); c.buffer("out", "out", "i32", count=256)
    c.want("out", "i32", np.maximum.accumulate(x))


@jit
def sort_kernel(x, up, down, ROWS: tl.constexpr, COLS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :]
    v = tl.load(x + at)
    tl.store(up + at, tl.sort(v, 1))
    tl.store(down + at, tl.sort(v, 1, descending=True))


@case(sort_kernel, targets=(80, 90, 100), constexprs={"ROWS": 4, "COLS": 128})
def sort(c):
    x = rng("sort").integers(-1000, 1000, (4, 128)).astype(np.int32)
    c.buffer("in", "x", "i32", x); c.buffer("out", "up", "i32", count=512); c.buffer("out", "down", "i32", count=512)
    c.want("up", "i32", np.sort(x, 1)); c.want("down", "i32", np.sort(x, 1)[:, ::-1])


@jit
def top_kernel(x, out, COLS: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0)
    v = tl.topk(tl.load(x + row * COLS + tl.arange(0, COLS)), K)
    tl.store(out + row * K + tl.arange(0, K), v)


@case(top_kernel, grid=3, targets=(80, 90), constexprs={"COLS": 256, "K": 8})
def top(c):
    x = rng("topk").normal(size=(3, 256)).astype(np.float32)
    c.buffer("in", "x", "f32", x); c.buffer("out", "out", "f32", count=24)
    c.want("out", "f32", -np.sort(-x, 1)[:, :8])


@jit
def flip_kernel(x, out, ROWS: tl.constexpr, COLS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :]
    tl.store(out + at, tl.flip(tl.load(x + at), 1))


@case(flip_kernel, constexprs={"ROWS": 8, "COLS": 32})
def flip(c):
    x = np.arange(256, dtype=np.int32).reshape(8, 32)
    c.buffer("in", "x", "i32", x); c.buffer("out", "out", "i32", count=256)
    c.want("out", "i32", x[:, ::-1])


@jit
def histogram_kernel(x, out, COUNT: tl.constexpr, BINS: tl.constexpr):
    v = tl.load(x + tl.arange(0, COUNT))
    tl.store(out + tl.arange(0, BINS), tl.histogram(v, BINS))


@case(histogram_kernel, targets=(80, 90, 100), constexprs={"COUNT": 1024, "BINS": 64})
def histogram(c):
    x = rng("hist").integers(0, 64, 1024).astype(np.int32)
    c.buffer("in", "x", "i32", x); c.buffer("out", "out", "i32", count=64)
    c.want("out", "i32", np.bincount(x, minlength=64).astype(np.int32))


@jit
def cross_entropy_kernel(logits, labels, out, COLS: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, COLS)
    v = tl.load(logits + row * COLS + at).to(tl.float32)
    label = tl.load(labels + row)
    top = tl.max(v, 0)
    chosen = tl.sum(tl.where(at == label, v, 0.0), 0)
    tl.store(out + row, tl.log(tl.sum(tl.exp(v - top), 0)) + top - chosen)


@case(cross_entropy_kernel, grid=6, targets=(80, 90), constexprs={"COLS": 128})
def cross_entropy(c):
    r = rng("xent")
    x, labels = (r.normal(size=(6, 128)) * 2).astype(np.float16), r.integers(0, 128, 6)
    v = x.astype(float)
    want = np.log(np.exp(v).sum(1)) - v[np.arange(6), labels]
    c.buffer("in", "logits", "f16", x); c.buffer("in", "labels", "i64", labels); c.buffer("out", "out", "f32", count=6)
    c.want("out", "f32", want.astype(np.float32), rtol=1e-5)


@jit
def quantize_kernel(x, out, scales, COLS: tl.constexpr):
    row = tl.program_id(0)
    at = row * COLS + tl.arange(0, COLS)
    v = tl.load(x + at)
    scale = tl.max(tl.abs(v), 0) / 127
    q = v / scale
    q = tl.where(q >= 0, q + 0.5, q - 0.5).to(tl.int8)
    tl.store(out + at, q)
    tl.store(scales + row, scale)


@case(quantize_kernel, grid=3, targets=(80, 90), constexprs={"COLS": 128})
def quantize(c):
    x = rng("quantize").normal(size=(3, 128)).astype(np.float32)
    scale = abs(x).max(1).astype(float) / 127
    q = x / scale[:, None]
    c.buffer("in", "x", "f32", x); c.buffer("out", "out", "i8", count=384); c.buffer("out", "scales", "f32", count=3)
    c.want("out", "i8", np.trunc(q + np.copysign(0.5, q)).astype(np.int8)); c.want("scales", "f32", scale.astype(np.float32), rtol=1e-6)


@jit
def distances_kernel(x, y, out, DIM: tl.constexpr, N: tl.constexpr):
    d = tl.arange(0, DIM)
    i = tl.arange(0, N)
    a = tl.load(x + i[:, None] * DIM + d[None, :])
    b = tl.load(y + i[:, None] * DIM + d[None, :])
    diff = a[:, None, :] - b[None, :, :]
    tl.store(out + i[:, None] * N + i[None, :], tl.sqrt(tl.sum(diff * diff, 2)))


@case(distances_kernel, targets=(80, 100), constexprs={"DIM": 8, "N": 16})
def distances(c):
    x, y = rng("distance").normal(size=(2, 16, 8)).astype(np.float32)
    want = np.linalg.norm(x[:, None].astype(float) - y[None], axis=2)
    c.buffer("in", "x", "f32", x); c.buffer("in", "y", "f32", y); c.buffer("out", "out", "f32", count=256)
    c.want("out", "f32", want.astype(np.float32), rtol=1e-5)


@jit
def cosine_kernel(x, y, out, COLS: tl.constexpr):
    row = tl.program_id(0)
    a = tl.load(x + row * COLS + tl.arange(0, COLS))
    b = tl.load(y + row * COLS + tl.arange(0, COLS))
    tl.store(out + row, tl.sum(a * b) / tl.sqrt(tl.sum(a * a) * tl.sum(b * b)))


@case(cosine_kernel, grid=4, num_warps=1, constexprs={"COLS": 128})
def cosine(c):
    x, y = rng("cosine").normal(size=(2, 4, 128)).astype(np.float32)
    a, b = x.astype(float), y.astype(float)
    want = (a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1))
    c.buffer("in", "x", "f32", x); c.buffer("in", "y", "f32", y); c.buffer("out", "out", "f32", count=4)
    c.want("out", "f32", want.astype(np.float32), rtol=1e-4, atol=1e-6)
