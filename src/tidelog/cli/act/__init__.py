"""What the commands do, one file each, without their options."""
