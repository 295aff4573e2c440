import sys
from types import ModuleType

import numpy as np
import pyarrow as pa

from crowdlog.artifacts.semantic.words import split_words
from crowdlog.attacks import attack
from crowdlog.attacks.token_hashes import match, most_frequent
from crowdlog.mechanisms import MECHANISMS, parse
from crowdlog.mechanisms.hashed_tokens import HashedTokens
from crowdlog.release.publish import publish
from tests.support.logs import crowd_rows, make_log

TEXTS = ["new york hotels", "new york", "cheap hotels", "cheap cars", "used cars"]
TIMES = np.array([50, 40, 30, 20, 5])


def vocabulary(texts, times):
    words = split_words(pa.array(texts))
    return words, most_frequent(words, times, 10)


def test_frequencies_and_neighbours_by_hand():
    words, found = vocabulary(TEXTS, TIMES)
    spelled = [words.text[int(code)].as_py() for code in found.code]
    assert spelled == ["new", "york", "hotels", "cheap", "cars", "used"]
    assert found.share.tolist() == [90 / 145, 90 / 145, 80 / 145, 50 / 145, 25 / 145, 5 / 145]
    hotels = dict(zip(spelled, found.beside[2].tolist(), strict=True))
    assert hotels == {"new": 50 / 80, "york": 50 / 80, "hotels": 0, "cheap": 30 / 80, "cars": 0, "used": 0}


def test_renamed_words_are_found_again():
    plain, known = vocabulary(TEXTS, TIMES)
    renamed = [" ".join(word[::-1] for word in text.split()) for text in TEXTS]
    hashed, released = vocabulary(renamed, TIMES + 1)
    guess = known.code[match(released, known)]
    pairs = {
        hashed.text[int(h)].as_py(): plain.text[int(w)].as_py()
        for h, w in zip(released.code, guess, strict=True)
    }
    assert {h: w for h, w in pairs.items() if w not in ("new", "york")} == {
        w[::-1]: w for w in ("hotels", "cheap", "cars", "used")
    }


def test_a_mechanism_of_another_name_that_hashes_words_is_attacked_too(tmp_path, monkeypatch):
    class Coded(HashedTokens):
        """The same under a name that no attack knows."""

    own = ModuleType("crowdlog.mechanisms.coded")
    own.Coded = Coded
    monkeypatch.setitem(sys.modules, "crowdlog.mechanisms.coded", own)
    monkeypatch.setitem(MECHANISMS, "Coded", "coded")
    log = make_log(tmp_path, crowd_rows(20, ["weather boston", "used cars"]))
    released = publish(parse("Coded()"), log, tmp_path / "out", i_know=True)
    (result,) = attack(released, log, ["token_hashes"])
    assert result.success is not None
    plain = publish(parse("Pseudonyms()"), log, tmp_path / "plain", i_know=True)
    (refused,) = attack(plain, log, ["token_hashes"])
    assert refused.note == "Words are not hashed."
