"""What recordings hold that is nobody else's business: secrets and people, found and replaced on this machine."""
