"""Who plays: one perfect player of the ongoing tasks, and the floors that are built on it."""
