"""KNOW: trees of categories that people made (a topic directory, WordNet), and where a query belongs in them."""
