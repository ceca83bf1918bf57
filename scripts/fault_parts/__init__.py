"""What scripts/faults consists of: a world, a load with a journal of what was acknowledged, and what is done to them."""
