"""Label vectors as classes: of all, of random groups, of irreducible factors (Gasse 2015)."""
