from hypothesis import given
from hypothesis import strategies as st

from crowdlog.applications.tasks.levenshtein import distance
from crowdlog.applications.tasks.texts import encode_texts


def slow_distance(a, b):
    row = list(range(len(a) + 1))
    for y in b:
        diagonal, row[0] = row[0], row[0] + 1
        for i, x in enumerate(a):
            diagonal, row[i + 1] = row[i + 1], min(diagonal + (x != y), row[i] + 1, row[i + 1] + 1)
    return row[-1]


@given(st.text("abé ", max_size=90), st.text("abé ", max_size=90))
def test_levenshtein(a, b):
    texts = encode_texts([a, b])
    found = distance(texts.points, texts.at[0], texts.at[1], texts.at[1], texts.at[2])
    assert found == slow_distance(a, b)


def test_sets_of_a_text():
    texts = encode_texts(["the best recipes of recipe.com", "ab", ""])
    sizes = [[int(x) for x in at[1:] - at[:-1]] for at in (texts.words_at, texts.stems_at, texts.grams_at)]
    assert sizes[0] == [5, 1, 0]
    assert sizes[1] == [2, 1, 0]  # best, recip; com, of and the say nothing
    assert sizes[2][1:] == [1, 0]
