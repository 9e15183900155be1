"""Other people's incidents, turned into ours."""
