"""What asks a system for an answer: the plan, who is asked, and when."""
