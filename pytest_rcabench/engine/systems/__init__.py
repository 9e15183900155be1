"""What answers: programs, services, the built-in heuristic and the naive controls."""
