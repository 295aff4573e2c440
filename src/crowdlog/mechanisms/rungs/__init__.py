"""The steps of the ladder: words, then what words name, then what those name; then people and small
histograms. Proof: proofs/ladder.md.
"""
