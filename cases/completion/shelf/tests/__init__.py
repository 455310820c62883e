"""Tests of the warehouse."""
