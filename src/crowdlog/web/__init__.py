"""Pages that people run crowdlog from: the owner's dashboard, and the public half as a static folder."""
