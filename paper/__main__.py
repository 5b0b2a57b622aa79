"""python -m paper: the tables and figures of the paper."""

from paper.commands import main

if __name__ == "__main__":
    main()
