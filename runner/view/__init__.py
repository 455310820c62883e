"""The pages of a database, served on this machine while runs go on."""
