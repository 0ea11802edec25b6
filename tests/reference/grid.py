"""Twin of native/mdp/grid.hpp and state.hpp: the cell of one score vector, written to be read."""


def state(f):
    """(row of cells, number that is placed among the edges) of a score vector."""
    if len(f) == 1:
        return 0, f[0]
    top = f.index(max(f))  # the first of equals
    return top, f[top] - max(f[:top] + f[top + 1 :])


def cell(grid, f):
    row, s = state([float(score) for score in f])
    return row * (len(grid.edges) + 1) + sum(1 for edge in grid.edges if edge < s)
