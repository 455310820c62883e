"""What recorded sessions of coding agents show of edits: success, causes of failure, and the cost of retries."""
