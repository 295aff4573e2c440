"""A node that really forwards: TLS to its neighbours, a search back end behind it, a page to search from."""
