"""Reading rollout files: find them, decode them to items, tell who speaks, select evidence, judge eligibility."""
