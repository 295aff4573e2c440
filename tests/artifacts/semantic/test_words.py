import pyarrow as pa

from crowdlog.artifacts.semantic.words import split_words


def test_words_stand_between_blanks():
    words = split_words(pa.array(["cell phone case", "phone", "case  cell"]))
    spelled = [words.text[i].as_py() for i in words.word]
    assert spelled == ["cell", "phone", "case", "phone", "case", "cell"]
    assert words.start.tolist() == [0, 3, 4, 6]


def test_chunks_are_one_log():
    chunked = pa.chunked_array([["a b"], ["b"]])
    assert split_words(chunked).word.tolist() == [0, 1, 1]
