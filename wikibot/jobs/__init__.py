"""What the service does by itself: one scheduler, whose jobs and their fates are in the database."""
