"""What CRTM is measured against."""
