"""Twin of native/exits/quit_cuts.hpp: the cuts of QWYC, tried cell by cell for one histogram."""


def cut(there, wrong, budget, shares):
    """Cells up to low and from high on quit, and the weight that does: (low, high, weight)."""
    n_cells, slack = len(there), budget * (1 + 1e-12)
    best, most = (0, 0), 0.0
    for share in shares:
        n_low = most_cells(wrong, share * slack)
        n_high = most_cells(wrong[::-1], slack - running(wrong[:n_low]))
        n_high = min(n_high, n_cells - n_low)
        weight = running(there[:n_low]) + running(there[::-1][:n_high])
        if weight > most:
            best, most = (n_low, n_high), weight
    n_low, n_high = best
    last = last_filled(there[::-1][:n_high])
    return last_filled(there[:n_low]), n_cells - 1 - last, most


def most_cells(wrong, budget):
    """The most cells, from the first on, that together lose no more than the budget."""
    return max(n for n in range(len(wrong) + 1) if n == 0 or running(wrong[:n]) <= budget)


def running(numbers):
    """Their sum, added one by one."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def last_filled(there):
    """The last cell with rows; -1 where there is none."""
    return max((c for c, weight in enumerate(there) if weight > 0), default=-1)
