"""A tournament's report: plots, and one page that holds everything."""
