"""The volunteer's side: join, mine one's own log, see everything that would be sent, send it, leave."""
