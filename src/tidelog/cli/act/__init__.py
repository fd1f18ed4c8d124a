"""What commands do, one file each, apart from their options."""
