"""What the package exports: functions from data to results."""
