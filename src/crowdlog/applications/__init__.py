"""APPLY: what crowd logs are for. Each application joins what the crowd shares with what one person's own
computer knows (Feild 2013, chapters 4 to 7).
"""
