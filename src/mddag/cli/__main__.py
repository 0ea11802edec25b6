"""``python -m mddag.cli``."""

from mddag.cli import main

if __name__ == "__main__":
    main()
