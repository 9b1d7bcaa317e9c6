"""The command line as ``python -m pauci``."""

from pauci.cli import main

if __name__ == "__main__":
    main()
