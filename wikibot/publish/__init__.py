"""From approved to published: plan, outbox, one request, the outcome; and back again."""
