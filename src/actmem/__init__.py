"""ActMem: does an AI agent act on what it remembers?"""

__version__ = "0.1.0"
