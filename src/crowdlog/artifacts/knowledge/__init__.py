"""KNOW: trees of categories that people made (topic directories, WordNet), and where a query belongs."""
