"""Codev-Bench (Lingma, October 2024) as it is: its files, its parsing, its checks and its scores, defects included.

Its questions are a suite; its files in and out, its tests and its tables are made around that run (`program`).
"""
