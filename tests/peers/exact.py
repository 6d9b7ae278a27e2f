#!/usr/bin/env python3
"""How far decant's logits are from the exact model, and llama.cpp's beside them.

The exact model is the forward pass in f64 on the dequantised weights of a GGUF file: no quantised activations, no f16
cache. Reported are the mean of KL(exact || other) in nats and the share of positions whose most likely token agrees.

  exact.py MODEL.gguf --text docs/determinism.md --positions 2100 [--llama]   # decant from build/release/bin
  exact.py MODEL.gguf --ids IDS --logits LOGITS [--llama]   # LOGITS: what logits_hash MODEL IDS --dump wrote

Needs numpy and gguf; --llama needs llama-cpp-python. Fails when decant misses its targets.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
from gguf import GGMLQuantizationType, GGUFReader

MAX_KL = 2e-6
MIN_TOP1 = 0.995
MIN_POSITIONS = 2000


def dequantized(tensor):
    """The tensor as f64, rows x columns; d*q + m is exact in f64."""
    columns = int(tensor.shape[0])
    raw = np.asarray(tensor.data)
    kind = tensor.tensor_type
    if kind in (GGMLQuantizationType.F32, GGMLQuantizationType.F16):
        return raw.astype(np.float64).reshape(-1, columns)
    if kind == GGMLQuantizationType.Q8_0:
        blocks = raw.reshape(-1, 34)
        d = blocks[:, :2].copy().view(np.float16).astype(np.float64)
        return (d * blocks[:, 2:].copy().view(np.int8)).reshape(-1, columns)
    if kind == GGMLQuantizationType.Q4_1:
        blocks = raw.reshape(-1, 20)
        d = blocks[:, :2].copy().view(np.float16).astype(np.float64)
        m = blocks[:, 2:4].copy().view(np.float16).astype(np.float64)
        q = np.concatenate([blocks[:, 4:] & 15, blocks[:, 4:] >> 4], axis=1)
        return (d * q + m).reshape(-1, columns)
    raise SystemExit(f"exact.py: tensor {tensor.name} is {kind.name}; expected F32, F16, Q8_0 or Q4_1")


class Exact:
    def __init__(self, path):
        reader = GGUFReader(path)
        self.tensors = {t.name: t for t in reader.tensors}

        def field(name, default=None):
            entry = reader.get_field(name)
            return default if entry is None else entry.contents()

        if field("general.architecture") != "llama":
            raise SystemExit("exact.py: only architecture llama")
        self.layers = field("llama.block_count")
        self.width = field("llama.embedding_length")
        self.heads = field("llama.attention.head_count")
        self.kv_heads = field("llama.attention.head_count_kv", self.heads)
        self.head = field("llama.attention.key_length", self.width // self.heads)
        self.rope = field("llama.rope.dimension_count", self.head)
        self.base = float(field("llama.rope.freq_base", 10000.0))
        self.eps = float(field("llama.attention.layer_norm_rms_epsilon"))

    def weight(self, name):
        return dequantized(self.tensors[name])

    def norm(self, x, name):
        return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + self.eps) * self.weight(name)[0]

    def rotate(self, x):
        """x: positions x heads x head width; pairs (2i, 2i+1)."""
        inverse = self.base ** (-np.arange(0, self.rope, 2) / self.rope)
        angle = np.arange(x.shape[0])[:, None] * inverse
        c, s = np.cos(angle)[:, None, :], np.sin(angle)[:, None, :]
        a, b = x[..., 0:self.rope:2].copy(), x[..., 1:self.rope:2].copy()
        x[..., 0:self.rope:2] = a * c - b * s
        x[..., 1:self.rope:2] = a * s + b * c
        return x

    def attention(self, y, at):
        n = y.shape[0]
        q = self.rotate((y @ self.weight(at + "attn_q.weight").T).reshape(n, self.heads, self.head))
        k = self.rotate((y @ self.weight(at + "attn_k.weight").T).reshape(n, self.kv_heads, self.head))
        v = (y @ self.weight(at + "attn_v.weight").T).reshape(n, self.kv_heads, self.head)
        out = np.empty((n, self.heads, self.head))
        mask = np.triu(np.full((n, n), -np.inf), 1)
        for h in range(self.heads):
            g = h * self.kv_heads // self.heads
            s = q[:, h] @ k[:, g].T / np.sqrt(self.head) + mask
            w = np.exp(s - s.max(axis=1, keepdims=True))
            out[:, h] = w @ v[:, g] / w.sum(axis=1, keepdims=True)
        return out.reshape(n, -1) @ self.weight(at + "attn_output.weight").T

    def hidden(self, ids):
        x = self.weight("token_embd.weight")[np.asarray(ids)]
        for layer in range(self.layers):
            at = f"blk.{layer}."
            x = x + self.attention(self.norm(x, at + "attn_norm.weight"), at)
            y = self.norm(x, at + "ffn_norm.weight")
            gate = y @ self.weight(at + "ffn_gate.weight").T
            up = y @ self.weight(at + "ffn_up.weight").T
            x = x + (gate / (1 + np.exp(-gate)) * up) @ self.weight(at + "ffn_down.weight").T
        return self.norm(x, "output_norm.weight")

    def head_weight(self):
        return self.weight("output.weight" if "output.weight" in self.tensors else "token_embd.weight")


def log_softmax(logits):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def compare(exact, others):
    """exact: f64 rows; others: {name: f32 rows}. Sums of KL and of agreeing positions."""
    p = log_softmax(exact)
    top = exact.argmax(axis=-1)
    sums = {}
    for name, rows in others.items():
        q = log_softmax(rows.astype(np.float64))
        kl = (np.exp(p) * (p - q)).sum(axis=-1)
        sums[name] = np.array([kl.sum(), (rows.argmax(axis=-1) == top).sum(), kl.max()])
    return sums


def llama_logits(path, ids, batch):
    from llama_cpp import Llama
    model = Llama(path, n_ctx=len(ids) + 8, n_batch=batch, n_ubatch=batch, logits_all=True, verbose=False)
    for i in range(0, len(ids), batch):
        model.eval(ids[i:i + batch])
    return np.array(model.scores[:len(ids)], dtype=np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--text", help="a text of one's own, tokenised by decant")
    parser.add_argument("--positions", type=int, default=2100, help="how many of its tokens, in one sequence")
    parser.add_argument("--ids", help="a prompt a line, token ids between spaces")
    parser.add_argument("--logits", help="raw f32 rows for every position of IDS")
    parser.add_argument("--bin", default=str(pathlib.Path(__file__).resolve().parents[2] / "build/release/bin"))
    parser.add_argument("--llama", action="store_true", help="llama.cpp beside, batch 512 and one by one")
    args = parser.parse_args()
    if args.text:
        with tempfile.TemporaryDirectory() as folder:
            return judge(args, *decant_logits(args, pathlib.Path(folder)))
    if not args.ids or not args.logits:
        parser.error("give --text, or --ids and --logits")
    return judge(args, [[int(w) for w in line.split()] for line in open(args.ids, encoding="ascii") if line.strip()], args.logits)


def decant_logits(args, folder):
    """The first tokens of the text as one prompt, and the file of decant's logits for them."""
    # Six characters a token are always enough, and keep within the context.
    (folder / "text").write_text(pathlib.Path(args.text).read_text("utf-8")[:6 * args.positions], encoding="utf-8")
    run = subprocess.run([f"{args.bin}/decant", "run", "-m", args.model, "-f", str(folder / "text"), "-n", "0", "--seed", "0",
                          "--output", "json"], check=True, capture_output=True, text=True)
    ids = json.loads(run.stdout)["prompt_ids"][:args.positions]
    (folder / "ids").write_text(" ".join(map(str, ids)) + "\n", encoding="ascii")
    subprocess.run([f"{args.bin}/logits_hash", args.model, str(folder / "ids"), "--threads", "2", "--dump",
                    str(folder / "logits")], check=True, stdout=subprocess.DEVNULL)
    return [ids], str(folder / "logits")


def judge(args, prompts, logits):
    start = time.time()
    model = Exact(args.model)
    head = model.head_weight()
    vocabulary = head.shape[0]
    ours = np.memmap(logits, dtype="<f4", mode="r").reshape(-1, vocabulary)
    positions = sum(map(len, prompts))
    if ours.shape[0] != positions:
        raise SystemExit(f"exact.py: {ours.shape[0]} rows of logits for {positions} positions")
    totals, at = {}, 0
    for ids in prompts:
        hidden = model.hidden(ids)
        rows = {"decant": ours[at:at + len(ids)]}
        if args.llama:
            rows["llama.cpp, batch 512"] = llama_logits(args.model, ids, 512)
            rows["llama.cpp, one by one"] = llama_logits(args.model, ids, 1)
        for i in range(0, len(ids), 256):
            part = compare(hidden[i:i + 256] @ head.T, {name: r[i:i + 256] for name, r in rows.items()})
            for name, sums in part.items():
                old = totals.get(name, np.zeros(3))
                totals[name] = np.array([old[0] + sums[0], old[1] + sums[1], max(old[2], sums[2])])
        at += len(ids)
    print(f"{positions} positions, {time.time() - start:.0f} s")
    for name, (kl, agree, worst) in totals.items():
        print(f"{name:24} mean KL(exact||it) {kl / positions:.3e}  max {worst:.3e}  top-1 {agree / positions:.4%}")
    kl, top1 = totals["decant"][0] / positions, totals["decant"][1] / positions
    if positions >= MIN_POSITIONS and (kl > MAX_KL or top1 < MIN_TOP1):
        print(f"decant misses its target: mean KL at most {MAX_KL}, top-1 at least {MIN_TOP1:.1%}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
