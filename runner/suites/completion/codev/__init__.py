"""Codev-Bench (Lingma, October 2024) as it is: its files, its parsing, its checks and its scores, defects included.

A package and not one module because it is five ideas: tasks, rules, tests, asking, files.
"""
