"""`python -m gitgoodbench` is the command `gitgoodbench`."""

from gitgoodbench.cli import main

if __name__ == "__main__":
    main()
