"""What the package exports: verbs that take data at the door and give results."""
