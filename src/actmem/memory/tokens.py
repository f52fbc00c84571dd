"""Tokens by one rule, the same for every system and model.

Budgets must not depend on a model's tokenizer, or systems would be compared on unequal texts. The
rule splits as common tokenizers do on average: words in pieces of at most six letters, digits in
groups of at most three, one token for each other sign; white space is free.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"  # scripts without spaces: one a sign
    r"|[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,6}|\d{1,3}|[^\w\s]|_"
)


def count_tokens(text: str) -> int:
    """Return the number of tokens of ``text``."""
    return sum(1 for _ in _TOKEN.finditer(text))


def cut_end(text: str, budget: int) -> str:
    """Return the longest beginning of ``text`` that has at most ``budget`` tokens."""
    last = 0
    for number, match in enumerate(_TOKEN.finditer(text), start=1):
        if number > budget:
            return text[:last].rstrip()
        last = match.end()
    return text


def cut_start(text: str, budget: int) -> str:
    """Return the longest end of ``text`` that has at most ``budget`` tokens."""
    starts = [match.start() for match in _TOKEN.finditer(text)]
    if len(starts) <= budget:
        return text
    kept = text[starts[-budget] :] if budget > 0 else ""
    # Cutting inside of a word moves the pieces, and with them the count.
    while count_tokens(kept) > budget:
        kept = kept[1:]
    return kept
