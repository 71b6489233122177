"""What one row adds to each sum: functions from a batch to a column, one entry (or one line) per row."""
