"""Texts, numbers and collections, without Flink.

Ported by kafkastream port from Texts.java.
"""

from __future__ import annotations

import sys

from kafkastream.util.java_values import java_quotient, java_remainder, java_rounded, java_text

calls = 0


def gcd(a: int, b: int) -> int:
    while b != 0:
        rest = java_remainder(a, b)
        a = b
        b = rest
    return a


def describe(number: int) -> str:
    global calls
    calls += 1
    match java_remainder(number, 3):
        case 0:
            return "fizz"
        case 1 | -1:
            return "one"
        case _:
            return "two"


def size(word: str) -> str:
    match len(word):
        case 0:
            return "empty"
        case 1 | 2:
            return "short"
        case _:
            upper = word.upper()
            return f"{upper[0]}..."


def half(value: int) -> float:
    return java_quotient(value, 2) + float(value) / 4


def main(args: list[str]) -> None:
    words = ["pear", "fig", "apple", "fig"]
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
        counts["all"] = counts.get("all", 0) + 1
    once = set(words)
    words.insert(0, "kiwi")
    words.sort(key=len)
    words.reverse()
    words.remove("fig")
    builder = ""
    for i in range(len(words)):
        builder += f"{i}={java_text(words[i])}"
        if i < len(words) - 1:
            builder += ", "
    print(java_text(builder))
    joined = "|".join(map(str.upper, filter(lambda word: len(word) > 3, iter(words))))
    lengths = list(map(lambda word: len(word), iter(words)))
    print(f"{java_text(joined)} {java_text(lengths)} {len(once)}")
    print(f"{java_rounded(half(7), 1):5.1f}|{'ab':<5}|{gcd(12, 18):03d}|{java_text(counts.get('fig'))}")
    print(f"50% of {java_text(describe(-4))}")
    total = 0
    for i in range(10, 0, -3):
        if i == 4:
            continue
        total += i
    big = 1 << 40
    print(
        f"{total} {big} {java_quotient(-7, 2)} {java_remainder(-7, 3)} {java_text(1.0 / 4)} {java_text(10000000000.0)} {java_text(True)}"
    )
    iterator = iter(words)
    for word in iterator:
        print(java_text(size(word)))
    for entry in counts.items():
        if entry[1] > 1:
            print(f"{java_text(entry[0])} -> {entry[1]}")
    squares = [0] * 4
    for i in range(len(squares)):
        squares[i] = i * i
    try:
        int(f"x{squares[3]}")
    except ValueError:
        print("not a number")
    finally:
        print(f"calls: {calls}")
    if len(args) > 5:
        raise ValueError(f"too many arguments: {len(args)}")


if __name__ == "__main__":
    main(sys.argv[1:])
