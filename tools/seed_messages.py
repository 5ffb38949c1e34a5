#!/usr/bin/env python3
"""Makes data/or/sft_seeds/messages.jsonl.zst: the public seeds as questions with their programs.

    zstd -dc data/or/sft_seeds/public_seed.jsonl.zst | tools/seed_messages.py | zstd -19 > messages.jsonl.zst

A row is an id and two messages: the problem, and the answer's program in a python block. Reasoning
and model text are left out. Seeds whose program found no optimum (gurobi.jsonl.zst), or reads data
from files, are left out too.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "data/or/sft_seeds"


def optimal_ids():
    lines = subprocess.run(["zstd", "-dc", FOLDER / "gurobi.jsonl.zst"], capture_output=True, check=True)
    rows = map(json.loads, lines.stdout.decode().splitlines())
    return {row["id"] for row in rows if row["status"] == "optimal"}


def program_of(answer):
    found = re.search(r"<python>(.*?)</python>", answer, re.DOTALL)
    return found.group(1).strip() + "\n" if found else None


def main():
    wanted = optimal_ids()
    for line in sys.stdin:
        seed = json.loads(line)
        program = program_of(seed["answer"])
        if program is None or seed["id"] not in wanted:
            continue
        messages = [
            {"role": "user", "content": seed["problem"]},
            {"role": "assistant", "content": f"```python\n{program}```\n"},
        ]
        print(json.dumps({"id": seed["id"], "messages": messages}, ensure_ascii=False))


main()
