#!/usr/bin/env python3
"""Finds the characters that PCRE2 and the `tokenizers` package class differently, for the table in
src/tokenizer/recent_characters.cpp. Run from the checkout:

    .venv/bin/python tools/unicode_differences.py
"""
import ctypes

from tokenizers import Regex, pre_tokenizers

CLASSES = {"L": r"\p{L}", "M": r"\p{M}", "N": r"\p{N}", "P": r"\p{P}", "S": r"\p{S}", "C": r"\s"}
UTF, UCP = 0x00080000, 0x00020000  # pcre2.h
POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def matched_by_package(pattern):
    left = set()
    for piece, _ in pre_tokenizers.Split(Regex(pattern), "removed").pre_tokenize_str("".join(map(chr, POINTS))):
        left.update(map(ord, piece))
    return set(POINTS) - left


def matched_by_pcre2(pattern):
    pcre2 = ctypes.CDLL("libpcre2-8.so.0")
    for name in ("pcre2_compile_8", "pcre2_match_data_create_8"):
        getattr(pcre2, name).restype = ctypes.c_void_p
    error, offset = ctypes.c_int(), ctypes.c_size_t()
    code = pcre2.pcre2_compile_8(pattern.encode(), ctypes.c_size_t(len(pattern)), UTF | UCP, ctypes.byref(error), ctypes.byref(offset), None)
    match = ctypes.c_void_p(pcre2.pcre2_match_data_create_8(1, None))
    found = set()
    for c in POINTS:
        text = chr(c).encode()
        if pcre2.pcre2_match_8(ctypes.c_void_p(code), text, ctypes.c_size_t(len(text)), ctypes.c_size_t(0), 0, match, None) > 0:
            found.add(c)
    return found


def main():
    rows = []
    for category, pattern in CLASSES.items():
        start = None
        different = matched_by_package(pattern) ^ matched_by_pcre2(pattern)
        for c in sorted(different):
            start = c if start is None else start
            if c + 1 not in different:
                rows.append((start, c, category))
                start = None
    for first, last, category in sorted(rows):
        print(f"{{0x{first:X}, 0x{last:X}, '{category}'}},")


if __name__ == "__main__":
    main()
