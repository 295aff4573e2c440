from crowdlog.privacy.randomness import SeededRandomness, SystemRandomness


def test_system_randomness_is_private_and_never_repeats():
    source = SystemRandomness()
    assert source.private
    assert source.bytes(32) != source.bytes(32)


def test_seeded_randomness_repeats_and_says_it_is_not_private():
    one, two, other = SeededRandomness(7), SeededRandomness(7), SeededRandomness(8)
    first = one.bytes(32)
    assert not one.private
    assert first == two.bytes(32) != other.bytes(32)
    assert one.bytes(32) != first
