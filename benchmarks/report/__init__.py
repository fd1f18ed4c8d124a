"""Results as text: pages and plots made from JSON alone, and two runs compared."""
