"""Cases from the commits of any git repository: lines to find, edits to make, commits to replay."""
