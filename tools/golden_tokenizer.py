#!/usr/bin/env python3
"""Writes tests/golden/tokenizer/*.jsonl with the `tokenizers` package. Run from the checkout:

    .venv/bin/python tools/golden_tokenizer.py

Each line: name, base64 (the bytes of the text), ids. Texts that are no UTF-8 are encoded after
Python's bytes.decode("utf-8", "replace").
"""
import base64
import json
import random
import subprocess
import sys
import unicodedata
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "tests/golden/tokenizer"


def hand_written():
    b, e, u, a = "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"
    yield "empty", ""
    yield "hello", "Hello! 毕老师！1 + 1 = 2 ĠÑĤÐ²ÑĬÑĢ"
    yield "chat", f"{u}你好{a}<think>推理</think>答案{e}"
    yield "specials in text", f"a{b}{b} b {e}\n{u}{a}</think><think>x<think><｜User|><|User|><｜User"
    yield "dsml", '\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>'
    yield "nested added", "<<think>><｜<｜User｜>｜><dsml:x></dsml:x><｜place▁holder▁no▁12｜><｜place▁holder▁no▁1"
    yield "pad", "<｜▁pad▁｜><|EOT|><｜image｜><｜fim▁hole｜>"
    yield "english", "It's the operator's fault; they'll re-run (probably) at 09:30, won't they?\n\n\tYes -- \"sure\".  "
    yield "code", 'def f(x: int) -> str:\n    """Doc."""\n    return f"{x:>10,.2f}" + \'\\n\'  # comment\n\n\nclass A(B):\n\tpass\n'
    yield "cpp", "template <class T>\nauto f(T&& t) noexcept -> decltype(auto) { return std::forward<T>(t)->*p; }\r\n// ++i; i--; a<<=2; a>>b\r\n"
    yield "html", '<div class="a&amp;b" id=\'x\'><!-- c --><br/></div>&nbsp;&#x1F600;'
    yield "json", '{"a": [1, 2.5e-10, null, true], "b\\u00e9": {"c": "\\"\\\\"}}'
    yield "latex", "\\min_{x \\in \\mathbb{Z}^n_{+}} \\sum_{i=1}^{n} c_i x_i \\quad \\text{s.t.} \\; Ax \\le b"
    yield "numbers", "0 1 12 123 1234 12345 123456 1234567 3.14159 1,000,000 007 1e9 ½ ² ٣٤٥٦ १२३४ Ⅷ 一二三 x1y22z333 10^-9"
    yield "chinese", "运筹学是研究优化问题的学科。某工厂生产A、B两种产品，每件A需要3小时，利润为120元；每件B需要5小时。"
    yield "japanese", "これはテストです。カタカナとひらがな、漢字が混ざる文。ー々〆ヶ ｶﾀｶﾅ"
    yield "korean", "안녕하세요 세계 한국어 문장입니다."
    yield "cjk extension", "𠀀𠀁𪛖 㐀㐁 豈 龥龦龻 鿿"
    yield "emoji", "😀😃 👨‍👩‍👧‍👦 🏳️‍🌈 🇩🇪🇫🇷 👍🏽 ❤️ ☺ ✈︎ 🤷🏾‍♀️ ⌨️1️⃣"
    yield "combining", "e\u0301 n\u0303 Z\u0351\u036b\u0343 \u0301alone \u0928\u092e\u0938\u094d\u0924\u0947 \u0e01\u0e33\u0e41\u0e1e\u0e07"
    yield "arabic", "مرحبا بالعالم، كيف الحال؟ ١٢٣"
    yield "russian", "Привет, мир! Съешь ещё этих мягких французских булок."
    yield "greek", "α + β² ≤ γ ∀x∈ℝ ∃y: x·y ≠ 0 ∑∏∫ ≈ ± ∞"
    yield "spaces", " a  b   c    d     e\t\tf \t g\u00a0h\u2003i\u3000j\u2028k\u0085l\u180em\u200bn"
    yield "line ends", "a\nb\n\nc\r\nd\r\n\r\ne\rf \n g  \n\n  h\n \n \n"
    yield "trailing spaces", "word   "
    yield "only spaces", "          "
    yield "only newlines", "\n\n\n\n"
    yield "long space run", "x" + " " * 3000 + "y"
    yield "long letters", "a" * 5000
    yield "long mixed letters", "".join(chr(97 + (i * i + i // 7) % 26) for i in range(4000))
    yield "long chinese", "优化" * 1200 + "问题"
    yield "long punctuation", "=" * 500 + "-" * 501 + "!?" * 200
    yield "long digits", "1234567890" * 120
    yield "zero bytes", "a\x00b\x00\x00c\x01\x1f\x7f"
    yield "byte order mark", "\ufefftext"
    yield "recent characters", "\u0897\U000323B0\U00031350\u1c89\u2ffc\u31e4\U00010D40\U00010D41\U0001FAE9\U0001CCF0x\u1b4e\U00016D40 \ua7cb\u180e "
    yield "unassigned", "\u0378\U000e0100\U0010fffd\ufffe\uffff"
    yield "punctuation words", "#include @property $var %d &x *p +x ,x -x .x /x :x ;x <x =x >x ?x [x \\x ]x ^x _x `x {x |x }x ~x !x \"x 'x (x )x"
    yield "no space punctuation", "a.b,c;d:e-f_g/h\\i'j\"k(l)m[n]o{p}q"


def ill_formed():
    yield "lone continuation", b"a\x80b\xbfc"
    yield "cut sequences", b"\xe4\xbd \xf0\x9f\x98 \xc3 end\xe4"
    yield "overlong", b"\xc0\x80\xe0\x80\x80\xf0\x80\x80\x80"
    yield "surrogates", b"\xed\xa0\x80\xed\xbf\xbf"
    yield "too high", b"\xf4\x90\x80\x80\xf5\x80\x80\x80\xff\xfe"
    yield "latin-1", "Größe café".encode("latin-1")
    yield "mixed", "你好".encode()[:-1] + b" ok " + "😀".encode()[1:]
    yield "cut special", "<｜User｜>".encode()[:5] + "<｜User｜>".encode()


def random_texts(seed, count):
    """Characters and fragments of many kinds in random order."""
    rng = random.Random(seed)
    letters = [c for c in range(0x20, 0x3000) if unicodedata.category(chr(c)) != "Cs"]
    fragments = [" ", "  ", "\n", "\r\n", "\t", " \n", "the", "Zeit", "def ", "();", "'s", "...", "——", "，", "。", "的", "优化",
                 "カ", "한", "é", "e\u0301", "1", "12", "2024", "99999", "½", "😀", "👍🏽", "<think>", "</think>", "<｜User｜>",
                 "<｜end▁of▁sentence｜>", "<", "｜", "\u00a0", "\u3000", "\u200d", "_", "#", "\\", "Ω", "ß", "İ", "ﬁ"]
    for i in range(count):
        parts = []
        for _ in range(rng.randint(1, 40)):
            kind = rng.random()
            if kind < 0.6:
                parts.append(rng.choice(fragments))
            elif kind < 0.8:
                parts.append("".join(chr(rng.randint(97, 122)) for _ in range(rng.randint(1, 12))))
            elif kind < 0.9:
                parts.append(chr(rng.choice(letters)))
            elif kind < 0.97:
                parts.append(chr(rng.randint(0x4E00, 0x9FFF)) * rng.randint(1, 3))
            else:
                parts.append(chr(rng.choice([rng.randint(0x3000, 0xD7FF), rng.randint(0xE000, 0x10FFFF)])))
        yield f"random {seed} {i}", "".join(parts)


def random_bytes(seed, count):
    rng = random.Random(seed)
    leads = [0x41, 0x20, 0x80, 0xBF, 0xC2, 0xE0, 0xE4, 0xED, 0xF0, 0xF4, 0xFF, 0x9F, 0xA0, 0x90, 0x8F]
    for i in range(count):
        yield f"bytes {seed} {i}", bytes(rng.choice(leads) if rng.random() < 0.8 else rng.randint(0, 255) for _ in range(rng.randint(1, 40)))


def write_corpus():
    """A small corpus with every kind of text above and questions with numbers."""
    rng = random.Random(3)
    nouns = ["factory", "farm", "warehouse", "truck", "machine", "worker", "product", "工厂", "产品", "卡车"]
    verbs = ["makes", "needs", "ships", "stores", "uses", "生产", "需要"]
    lines = [text for _, text in hand_written() if len(text) < 400]
    for _ in range(1500):
        words = [rng.choice(nouns), rng.choice(verbs), str(rng.choice([rng.randint(0, 99), rng.randint(0, 99999)])),
                 rng.choice(["units", "kg", "hours", "€", "小时"]), "of", rng.choice(nouns)]
        lines.append(" ".join(words) + rng.choice([".", "。", ";\n", ", x = m.addVar()\n"]))
    rows = [json.dumps({"text": line}, ensure_ascii=False) for line in lines]
    (OUT / "corpus.jsonl").write_text("\n".join(rows) + "\n")
    return lines


def write_merges(lines, deepseek, count):
    """The merges that the package's own trainer learns, with DeepSeek's pre-tokenizer."""
    learner = Tokenizer(models.BPE())
    learner.pre_tokenizer = deepseek.pre_tokenizer
    trainer = trainers.BpeTrainer(vocab_size=256 + count, min_frequency=2, show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    learner.train_from_iterator(lines, trainer)
    merges = json.loads(learner.to_str())["model"]["merges"]
    merges = [m if isinstance(m, str) else " ".join(m) for m in merges]
    (OUT / "corpus_merges.json").write_text(json.dumps(merges, ensure_ascii=False, indent=0) + "\n")
    print(f"corpus_merges.json: {len(merges)} merges")


def write(name, tokenizer, texts):
    lines = []
    for label, text in texts:
        raw = text if isinstance(text, bytes) else text.encode("utf-8")
        ids = tokenizer.encode(raw.decode("utf-8", "replace"), add_special_tokens=False).ids
        row = {"name": label, "base64": base64.b64encode(raw).decode(), "ids": ids}
        lines.append(json.dumps(row, separators=(",", ":")))
    (OUT / name).write_text("\n".join(lines) + "\n")
    print(f"{name}: {len(lines)} texts, {sum(map(len, lines))} bytes")


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    packed = (ROOT / "data/tokenizer/deepseek-v4.tokenizer.json.zst").read_bytes()
    plain = subprocess.run(["zstd", "-dc"], input=packed, capture_output=True, check=True).stdout
    deepseek = Tokenizer.from_str(plain.decode())
    write("deepseek_v4.jsonl", deepseek, [*hand_written(), *ill_formed(), *random_texts(1, 500), *random_bytes(2, 200)])
    write_merges(write_corpus(), deepseek, 600)
    trained = OUT / "trained.tokenizer.json"
    if trained.exists():  # made by `trex tokenizer train`; the package reads it here
        write("trained.jsonl", Tokenizer.from_file(str(trained)),
              [*(t for t in hand_written() if len(t[1]) < 600), *ill_formed(), *random_texts(4, 200)])


if __name__ == "__main__":
    sys.exit(main())
