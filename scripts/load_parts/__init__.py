"""What scripts/load consists of: a world, the service under load, the people, what goes on beside them, and the report."""
