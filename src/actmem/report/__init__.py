"""What a person reads: tables in the terminal, and reports."""
