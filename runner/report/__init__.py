"""Reports: what a run shows, as numbers, tables and pages."""
