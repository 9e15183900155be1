"""What the words mean: frozen values and pure functions, standard library only."""
