"""The parts of check-program: a module for each theme; `parts` lists them, `runner` runs them."""
