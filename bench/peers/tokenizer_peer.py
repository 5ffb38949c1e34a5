#!/usr/bin/env python3
"""Measures `tokenizers` and our tokenizer_bench on the same documents in one run, one thread each.

    .venv/bin/python bench/peers/tokenizer_peer.py build/release/bench/tokenizer_bench TEXT_FILE...

Token counts must agree. Prints JSON lines as tokenizer_bench does, then the ratio of each file.
"""
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

os.environ["TOKENIZERS_PARALLELISM"] = "false"
import tokenizers  # noqa: E402  (reads the variable when it is imported)

TOKENIZER = Path(__file__).resolve().parents[2] / "data/tokenizer/deepseek-v4.tokenizer.json.zst"
DOCUMENT_BYTES = 16 << 10
PASSES = 3


def documents_of(data):
    begin = 0
    while begin < len(data):
        newline = data.find(b"\n", min(begin + DOCUMENT_BYTES, len(data)))
        end = len(data) if newline < 0 else newline + 1
        yield data[begin:end].decode("utf-8", "replace")
        begin = end


def measure(tokenizer, path):
    data = Path(path).read_bytes()
    documents = list(documents_of(data))
    encode = tokenizer.encode
    tokens = sum(len(encode(d, add_special_tokens=False).ids) for d in documents)  # warms its cache
    seconds = []
    for _ in range(PASSES):
        start = time.perf_counter()
        for document in documents:
            encode(document, add_special_tokens=False)
        seconds.append(time.perf_counter() - start)
    median = statistics.median(seconds)
    return {"bench": "tokenizer_encode", "who": f"tokenizers {tokenizers.__version__}", "file": Path(path).name,
            "megabytes": len(data) / 1e6, "tokens": tokens, "seconds": median,
            "spread": (max(seconds) - min(seconds)) / median, "megabytes_per_second": len(data) / 1e6 / median}


def main(program, *files):
    plain = subprocess.run(["zstd", "-dc", TOKENIZER], capture_output=True, check=True).stdout.decode()
    tokenizer = tokenizers.Tokenizer.from_str(plain)
    ours = subprocess.run([program, TOKENIZER, *files], capture_output=True, check=True, text=True).stdout
    for line, path in zip(map(json.loads, ours.splitlines()), files):
        peer = measure(tokenizer, path)
        print(json.dumps(line))
        print(json.dumps(peer))
        if line["tokens"] != peer["tokens"]:
            sys.exit(f"{path}: expected {peer['tokens']} tokens; got {line['tokens']}")
        print(json.dumps({"file": line["file"], "times_as_fast": line["megabytes_per_second"] / peer["megabytes_per_second"]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
