"""What touches the disk: incident files, run records, results and git."""
