"""Kernels that move data, and those whose blocks work together."""
from common import *


@jit
def transpose_kernel(x, out, ROWS: tl.constexpr, COLS: tl.constexpr):
    r, c = tl.arange(0, ROWS), tl.arange(0, COLS)
    v = tl.load(x + r[:, None] * COLS + c[None, :])
    tl.store(out + c[:, None] * ROWS + r[None, :], tl.trans(v))


@case(transpose_kernel, targets=ALL, constexprs={"ROWS": 64, "COLS": 32})
def transpose(c):
    x = rng("transpose").integers(0, 10 ** 6, (64, 32)).astype(np.int32)
    c.buffer("in", "x", "i32", x); c.buffer("out", "out", "i32", count=2048)
    c.want("out", "i32", x.T)


@jit
def permute_kernel(x, out, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    v = tl.load(x + tl.arange(0, A * B * C))
    v = tl.permute(tl.reshape(v, [A, B, C]), [2, 0, 1])
    tl.store(out + tl.arange(0, A * B * C), tl.reshape(v, [A * B * C]))


@case(permute_kernel, targets=(80, 90), constexprs={"A": 8, "B": 4, "C": 16})
def permute(c):
    x = rng("permute").integers(0, 2 ** 15, (8, 4, 16)).astype(np.int16)
    c.buffer("in", "x", "i16", x); c.buffer("out", "out", "i16", count=512)
    c.want("out", "i16", x.transpose(2, 0, 1))


@jit
def join_kernel(x, y, out, sums, COUNT: tl.constexpr):
    at = tl.arange(0, COUNT)
    pair = tl.join(tl.load(x + at), tl.load(y + at))
    tl.store(out + tl.arange(0, 2 * COUNT), tl.reshape(pair, [2 * COUNT]))
    a, b = tl.split(pair)
    tl.store(sums + at, a - b)


@case(join_kernel, targets=(80, 100), constexprs={"COUNT": 256})
def join(c):
    x, y = rng("join").integers(-1000, 1000, (2, 256)).astype(np.int32)
    c.buffer("in", "x", "i32", x); c.buffer("in", "y", "i32", y); c.buffer("out", "out", "i32", count=512); c.buffer("out", "sums", "i32", count=256)
    c.want("out", "i32", np.stack([x, y], 1)); c.want("sums", "i32", x - y)


@jit
def embedding_kernel(ids, table, out, DIM: tl.constexpr):
    row = tl.load(ids + tl.program_id(0))
    at = tl.arange(0, DIM)
    tl.store(out + tl.program_id(0) * DIM + at, tl.load(table + row * DIM + at))


@case(embedding_kernel, grid=7, num_warps=1, targets=(80, 90), constexprs={"DIM": 64})
def embedding(c):
    r = rng("embedding")
    ids, table = r.integers(0, 20, 7), r.normal(size=(20, 64)).astype(np.float16)
    c.buffer("in", "ids", "i64", ids); c.buffer("in", "table", "f16", table); c.buffer("out", "out", "f16", count=7 * 64)
    c.want("out", "f16", table[ids])


@jit
def gather_kernel(x, index, out, ROWS: tl.constexpr, COLS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :]
    tl.store(out + at, tl.gather(tl.load(x + at), tl.load(index + at), 1))


@case(gather_kernel, targets=(80, 90), constexprs={"ROWS": 8, "COLS": 32})
def gather(c):
    r = rng("gather")
    x, index = r.integers(0, 999, (8, 32)).astype(np.int32), r.integers(0, 32, (8, 32)).astype(np.int32)
    c.buffer("in", "x", "i32", x); c.buffer("in", "index", "i32", index); c.buffer("out", "out", "i32", count=256)
    c.want("out", "i32", np.take_along_axis(x, index, 1))


@jit
def scatter_kernel(x, index, out, COUNT: tl.constexpr):
    at = tl.program_id(0) * COUNT + tl.arange(0, COUNT)
    tl.store(out + tl.load(index + at), tl.load(x + at))


@case(scatter_kernel, grid=2, targets=(80, 120), constexprs={"COUNT": 128})
def scatter(c):
    r = rng("scatter")
    x, index = r.normal(size=256).astype(np.float32), r.permutation(256).astype(np.int32)
    want = np.zeros(256, np.float32)
    want[index] = x
    c.buffer("in", "x", "f32", x); c.buffer("in", "index", "i32", index); c.buffer("out", "out", "f32", count=256)
    c.want("out", "f32", want)


@jit
def pool_kernel(x, largest, mean, SIZE: tl.constexpr, OUT: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, OUT)
    top = tl.full([OUT], -float("inf"), tl.float32)
    total = tl.zeros([OUT], tl.float32)
    for dy in range(2):
        for dx in range(2):
            v = tl.load(x + (2 * row + dy) * SIZE + 2 * at + dx)
            top = tl.maximum(top, v)
            total += v
    tl.store(largest + row * OUT + at, top)
    tl.store(mean + row * OUT + at, total * 0.25)


@case(pool_kernel, grid=8, num_warps=1, targets=(80, 90), constexprs={"SIZE": 32, "OUT": 16})
def pool(c):
    x = (rng("pool").integers(-64, 64, (16, 32)) / 8).astype(np.float32)
    blocks = x.reshape(8, 2, 16, 2)
    c.buffer("in", "x", "f32", x); c.buffer("out", "largest", "f32", count=128); c.buffer("out", "mean", "f32", count=128)
    c.want("largest", "f32", blocks.max((1, 3))); c.want("mean", "f32", blocks.mean((1, 3)).astype(np.float32))


@jit
def upsample_kernel(x, out, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, 2 * WIDTH)
    tl.store(out + row * 2 * WIDTH + at, tl.load(x + (row // 2) * WIDTH + at // 2))


@case(upsample_kernel, grid=8, num_warps=1, constexprs={"WIDTH": 32})
def upsample(c):
    x = rng("upsample").integers(0, 255, (4, 32)).astype(np.uint8)
    c.buffer("in", "x", "u8", x); c.buffer("out", "out", "u8", count=512)
    c.want("out", "u8", x.repeat(2, 0).repeat(2, 1))


@jit
def convolution_1d_kernel(x, w, out, n, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    for k in tl.static_range(TAPS):
        acc += tl.load(x + at + k, mask=at + k < n, other=0.0) * tl.load(w + k)
    tl.store(out + at, acc, mask=at < n)


@case(convolution_1d_kernel, grid=2, targets=(80, 90), constexprs={"TAPS": 5, "BLOCK": 256})
def convolution_1d(c):
    r = rng("conv1d")
    x, w = (r.integers(-64, 64, 500) / 8).astype(np.float32), (r.integers(-8, 8, 5) / 4).astype(np.float32)
    padded = np.concatenate([x, np.zeros(4)])
    c.buffer("in", "x", "f32", x); c.buffer("in", "w", "f32", w); c.buffer("out", "out", "f32", count=500); c.scalar("i32", 500)
    c.want("out", "f32", sum(padded[k:k + 500] * float(w[k]) for k in range(5)).astype(np.float32))


@jit
def atomics_kernel(x, counts, most, least, bits, BLOCK: tl.constexpr):
    v = tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.atomic_add(counts + v % 16, 1)
    tl.atomic_max(most + v % 8, v)
    tl.atomic_min(least + v % 8, v)
    tl.atomic_xor(bits + v % 4, v)


@case(atomics_kernel, grid=4, targets=ALL, constexprs={"BLOCK": 128})
def atomics(c):
    x = rng("atomics").integers(0, 10 ** 6, 512).astype(np.int32)
    most = np.array([x[x % 8 == i].max() for i in range(8)], np.int32)
    least = np.array([x[x % 8 == i].min() for i in range(8)], np.int32)
    bits = np.array([np.bitwise_xor.reduce(x[x % 4 == i]) for i in range(4)], np.int32)
    c.buffer("in", "x", "i32", x); c.buffer("inout", "counts", "i32", np.zeros(16, np.int32)); c.buffer("inout", "most", "i32", np.zeros(8, np.int32))
    c.buffer("inout", "least", "i32", np.full(8, 2 ** 31 - 1, np.int32)); c.buffer("inout", "bits", "i32", np.zeros(4, np.int32))
    c.want("counts", "i32", np.bincount(x % 16, minlength=16).astype(np.int32)); c.want("most", "i32", most); c.want("least", "i32", least)
    c.want("bits", "i32", bits)


@jit
def lock_kernel(lock, out, BLOCK: tl.constexpr):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(out + at) * 2 + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@case(lock_kernel, grid=6, targets=(80, 90, 100), constexprs={"BLOCK": 64})
def lock(c):
    c.buffer("inout", "lock", "i32", np.zeros(1, np.int32)); c.buffer("inout", "out", "i32", np.arange(64, dtype=np.int32))
    c.want("lock", "i32", np.zeros(1, np.int32)); c.want("out", "i32", (np.arange(64) * 64 + 63).astype(np.int32))


@jit
def chained_scan_kernel(x, out, sums, flags, BLOCK: tl.constexpr):
    """A scan over all blocks: each waits for the sum of those before it."""
    block = tl.program_id(0)
    at = block * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    before = 0
    if block > 0:
        while tl.atomic_add(flags + block - 1, 0, sem="acquire") == 0:
            pass
        before = tl.load(sums + block - 1, volatile=True)
    tl.store(sums + block, before + tl.sum(v, 0))
    tl.debug_barrier()
    tl.atomic_xchg(flags + block, 1, sem="release")
    tl.store(out + at, before + tl.cumsum(v, 0))


@case(chained_scan_kernel, grid=8, targets=(80, 90), constexprs={"BLOCK": 128})
def chained_scan(c):
    x = rng("chained").integers(-100, 100, 1024).astype(np.int32)
    ends = x.cumsum()
    c.buffer("in", "x", "i32", x); c.buffer("out", "out", "i32", count=1024)
    c.buffer("inout", "sums", "i32", np.zeros(8, np.int32)); c.buffer("inout", "flags", "i32", np.zeros(8, np.int32))
    c.want("out", "i32", ends.astype(np.int32)); c.want("sums", "i32", ends[127::128].astype(np.int32)); c.want("flags", "i32", np.ones(8, np.int32))


@jit
def segment_kernel(x, ids, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.load(ids + at), tl.load(x + at), sem="relaxed")


@case(segment_kernel, grid=2, targets=(80, 90, 100), constexprs={"BLOCK": 128})
def segment_sum(c):
    r = rng("segment")
    x, ids = (r.integers(-64, 64, 256) / 8).astype(np.float32), np.sort(r.integers(0, 10, 256)).astype(np.int32)
    c.buffer("in", "x", "f32", x); c.buffer("in", "ids", "i32", ids); c.buffer("inout", "out", "f32", np.zeros(10, np.float32))
    c.want("out", "f32", np.bincount(ids, x.astype(float), 10).astype(np.float32))


@jit
def sparse_kernel(starts, columns, values, x, out, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    first, last = tl.load(starts + row), tl.load(starts + row + 1)
    acc = tl.zeros([BLOCK], tl.float32)
    for at in range(first, last, BLOCK):
        place = at + tl.arange(0, BLOCK)
        mask = place < last
        acc += tl.load(values + place, mask=mask, other=0.0) * tl.load(x + tl.load(columns + place, mask=mask, other=0), mask=mask, other=0.0)
    tl.store(out + row, tl.sum(acc, 0))


@case(sparse_kernel, grid=12, num_warps=1, targets=(80, 90), constexprs={"BLOCK": 32})
def sparse(c):
    r = rng("sparse")
    lengths = r.integers(0, 80, 12)
    starts = np.concatenate([[0], lengths.cumsum()]).astype(np.int32)
    columns, values = r.integers(0, 100, starts[-1]).astype(np.int32), (r.integers(-16, 16, starts[-1]) / 4).astype(np.float32)
    x = (r.integers(-16, 16, 100) / 4).astype(np.float32)
    want = [float((values[a:b].astype(float) * x[columns[a:b]]).sum()) for a, b in zip(starts, starts[1:])]
    c.buffer("in", "starts", "i32", starts); c.buffer("in", "columns", "i32", columns); c.buffer("in", "values", "f32", values)
    c.buffer("in", "x", "f32", x); c.buffer("out", "out", "f32", count=12)
    c.want("out", "f32", np.array(want, np.float32))


@jit
def descriptor_copy_kernel(x, out, ROWS, COLS, BR: tl.constexpr, BC: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [ROWS, COLS], [COLS, 1], [BR, BC])
    target = tl.make_tensor_descriptor(out, [ROWS, COLS], [COLS, 1], [BR, BC])
    r, c = tl.program_id(0) * BR, tl.program_id(1) * BC
    target.store([r, c], source.load([r, c]) * 2)


@case(descriptor_copy_kernel, grid=(3, 2), targets=(90, 100, 120), constexprs={"BR": 32, "BC": 32})
def descriptor_copy(c):
    x = rng("desccopy").integers(0, 1000, (80, 48)).astype(np.int32)
    c.buffer("in", "x", "i32", x); c.buffer("out", "out", "i32", count=80 * 48); c.scalar("i32", 80); c.scalar("i32", 48)
    c.want("out", "i32", x * 2)


@jit
def descriptor_gather_kernel(x, rows, out, COUNT: tl.constexpr, ROWS, COLS: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [ROWS, COLS], [COLS, 1], [1, COLS])
    picked = source.gather(tl.load(rows + tl.arange(0, COUNT)), 0)
    tl.store(out + tl.arange(0, COUNT)[:, None] * COLS + tl.arange(0, COLS)[None, :], picked)


@case(descriptor_gather_kernel, targets=(100,), constexprs={"COUNT": 32, "COLS": 64})
def descriptor_gather(c):
    r = rng("descgather")
    x, rows = r.normal(size=(50, 64)).astype(np.float16), r.integers(0, 50, 32).astype(np.int32)
    c.buffer("in", "x", "f16", x); c.buffer("in", "rows", "i32", rows); c.buffer("out", "out", "f16", count=32 * 64); c.scalar("i32", 50)
    c.want("out", "f16", x[rows])


@jit
def descriptor_add_kernel(out, ROWS, COLS, BR: tl.constexpr, BC: tl.constexpr):
    target = tl.make_tensor_descriptor(out, [ROWS, COLS], [COLS, 1], [BR, BC])
    r = tl.arange(0, BR)[:, None] * BC + tl.arange(0, BC)[None, :]
    target.atomic_add([0, 0], r)


@case(descriptor_add_kernel, grid=3, targets=(90, 100), constexprs={"BR": 16, "BC": 32})
def descriptor_add(c):
    c.buffer("inout", "out", "i32", np.ones(16 * 32, np.int32)); c.scalar("i32", 16); c.scalar("i32", 32)
    c.want("out", "i32", (np.arange(512) * 3 + 1).astype(np.int32))
