"""Engines: evidence to a stage-1 output, records to drafts. They see values, never the store, Git or the home."""
