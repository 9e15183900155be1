"""pytest entry point."""
