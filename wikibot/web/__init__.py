"""The local review page: one proposal at a time, on this machine only."""
