"""Our own short statistics, checked in tests against SciPy and statsmodels."""
