"""CodRep: given one line of code and a file, which line of the file does it replace?"""
