"""What a person reads: results in, text out."""
