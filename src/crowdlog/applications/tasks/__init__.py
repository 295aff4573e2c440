"""Search tasks: which searches of a person serve one purpose (Feild 2013, chapter 5)."""
