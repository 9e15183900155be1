"""What makes an incident fair: checks that run over incident files, never over answers."""
