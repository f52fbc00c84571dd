"""``python -m actmem``."""

from actmem.cli import main

if __name__ == "__main__":
    main()
