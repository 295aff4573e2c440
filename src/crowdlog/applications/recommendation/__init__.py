"""Task-aware query recommendation: what to ask next, given what was asked before (Feild 2013, chapter 6)."""
