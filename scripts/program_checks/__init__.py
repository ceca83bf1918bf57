"""What check-program and others that talk to a running service share."""
