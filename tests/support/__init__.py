"""What the tests share: readable builders of rollouts and trees, and the closed environment."""
