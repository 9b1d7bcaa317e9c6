"""Where standard errors come from: covariance methods that need no random numbers."""
