"""Results told: pages and plots made from JSON alone, and two runs compared."""
