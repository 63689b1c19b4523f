"""Programs with tinygrad, compared with NumPy: `python tinygrad_programs.py NAME..`; prints a line for each."""

import sys

import numpy as np
from tinygrad import Context, Device, Tensor, TinyJit, dtypes, nn


def random(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape, dtype=np.float32)


def same(found, wanted, tolerance=0.0):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance)


def elementwise():
    x, y = random(5000), random(5000)
    same((Tensor(x) * 2 + Tensor(y)).relu().numpy(), np.maximum(x * 2 + y, 0), 1e-6)


def reduce():
    x = random(64, 300)
    same(Tensor(x).sum(axis=1).numpy(), x.astype(np.float64).sum(axis=1), 1e-4)
    same(Tensor(x).max(axis=0).numpy(), x.max(axis=0))
    same(Tensor(x).argmax(axis=1).numpy(), x.argmax(axis=1))


def matmul():
    a, b = random(70, 90), random(90, 50)
    same((Tensor(a) @ Tensor(b)).numpy(), a.astype(np.float64) @ b.astype(np.float64), 1e-4)


def half():
    a, b = random(32, 48), random(48, 64)
    wanted = a.astype(np.float16).astype(np.float64) @ b.astype(np.float16).astype(np.float64)
    same((Tensor(a).half().matmul(Tensor(b).half(), dtype=dtypes.float)).numpy(), wanted, 1e-3)


def convolution():
    x, w = random(1, 3, 9, 9), random(4, 3, 3, 3)
    wanted = np.zeros((1, 4, 7, 7))
    for row in range(7):
        for column in range(7):
            part = x[0, :, row : row + 3, column : column + 3].astype(np.float64)
            wanted[0, :, row, column] = (w.astype(np.float64) * part).sum(axis=(1, 2, 3))
    same(Tensor(x).conv2d(Tensor(w)).numpy(), wanted, 1e-4)


def integers():
    x = np.arange(-500, 500, dtype=np.int32)
    same((Tensor(x) // 7 + Tensor(x) % 5).numpy(), x // 7 + x % 5)
    same((Tensor(x) * 3 << 2).cumsum().numpy(), (x * 12).cumsum())


def sort():
    x = random(200)
    same(Tensor(x).sort()[0].numpy(), np.sort(x))


def graphs():
    """A function that becomes a graph of launches when it is called again."""

    @TinyJit
    def step(x):
        return ((x + 1) * 2).sum(axis=0).realize()

    for start in range(5):
        x = np.arange(start, start + 24, dtype=np.float32).reshape(4, 6)
        same(step(Tensor(x).realize()).numpy(), ((x + 1) * 2).sum(axis=0))


def training():
    """The loss of a small network falls."""
    Tensor.manual_seed(1)
    x, y = Tensor(random(64, 8)), Tensor((random(64, 8).sum(axis=1) > 0).astype(np.int32))
    first, second = nn.Linear(8, 16), nn.Linear(16, 2)
    optimizer = nn.optim.SGD([first.weight, first.bias, second.weight, second.bias], lr=0.5)
    losses = []
    with Context(TRAINING=1):
        for _ in range(10):
            optimizer.zero_grad()
            loss = second(first(x).relu()).sparse_categorical_crossentropy(y).backward()
            optimizer.step()
            losses.append(loss.item())
    assert losses[-1] < 0.7 * losses[0], losses


class Transformer:
    """A block with attention of two heads and a network after it, and a sum over positions."""

    def __init__(self, width=16, heads=2, words=11, classes=3):
        weights = {
            "embedding": (words, width),
            "query": (width, width),
            "key": (width, width),
            "value": (width, width),
            "out": (width, width),
            "up": (width, 2 * width),
            "down": (2 * width, width),
            "head": (width, classes),
        }
        self.heads = heads
        self.numpy = {name: random(*shape) * np.float32(0.3) for name, shape in weights.items()}
        self.weights = {name: Tensor(value) for name, value in self.numpy.items()}

    def __call__(self, words):
        w = self.weights
        x = w["embedding"][words]
        batch, length, width = x.shape
        split = lambda y: y.reshape(batch, length, self.heads, width // self.heads).transpose(1, 2)
        query, key, value = (split(x @ w[name]) for name in ("query", "key", "value"))
        mixed = query.scaled_dot_product_attention(key, value, is_causal=True)
        x = (x + mixed.transpose(1, 2).reshape(batch, length, width) @ w["out"]).layernorm()
        x = (x + (x @ w["up"]).relu() @ w["down"]).layernorm()
        return x.mean(axis=1) @ w["head"]

    def wanted(self, words):
        """The same by NumPy."""
        w = {name: value.astype(np.float64) for name, value in self.numpy.items()}
        norm = lambda y: (y - y.mean(-1, keepdims=True)) / np.sqrt(y.var(-1, keepdims=True) + 1e-5)
        x = w["embedding"][words]
        batch, length, width = x.shape
        split = lambda y: y.reshape(batch, length, self.heads, width // self.heads).transpose(0, 2, 1, 3)
        query, key, value = (split(x @ w[name]) for name in ("query", "key", "value"))
        score = query @ key.transpose(0, 1, 3, 2) / np.sqrt(width // self.heads)
        score = np.where(np.tril(np.ones((length, length), bool)), score, -np.inf)
        score = np.exp(score - score.max(-1, keepdims=True))
        mixed = (score / score.sum(-1, keepdims=True)) @ value
        x = norm(x + mixed.transpose(0, 2, 1, 3).reshape(batch, length, width) @ w["out"])
        x = norm(x + np.maximum(x @ w["up"], 0) @ w["down"])
        return x.mean(axis=1) @ w["head"]


def transformer():
    """A small transformer computes what NumPy does, and learns; as a graph of launches it does so with the same digits."""
    words = np.random.default_rng(7).integers(0, 11, (8, 6)).astype(np.int32)
    labels = (words.sum(axis=1) % 3).astype(np.int32)
    same(Transformer()(Tensor(words)).numpy(), Transformer().wanted(words), 1e-4)

    def losses(as_graph):
        model = Transformer()
        optimizer = nn.optim.Adam(list(model.weights.values()), lr=0.02)

        def step(words, labels):
            optimizer.zero_grad()
            loss = model(words).sparse_categorical_crossentropy(labels).backward()
            optimizer.step()
            return loss.realize()

        step = TinyJit(step) if as_graph else step
        with Context(TRAINING=1):
            return [step(Tensor(words).realize(), Tensor(labels).realize()).item() for _ in range(8)]

    found = losses(as_graph=True)
    assert found == losses(as_graph=False), found
    assert found[-1] < 0.8 * found[0], found


def main():
    assert Device.DEFAULT.startswith("CUDA"), Device.DEFAULT
    tests = {test.__name__: test for test in (elementwise, reduce, matmul, half, convolution, integers, sort, graphs, training, transformer)}
    for name in sys.argv[1:] or tests:
        tests[name]()
        print(f"passed {name}", flush=True)


main()
