"""Twin of native/solvers/random.hpp: xoshiro256** (Blackman & Vigna), on Python's own integers."""

MASK = 2**64 - 1


def rotated(x, k):
    return (x << k | x >> (64 - k)) & MASK


class Random:
    """state : four integers below 2^64, not all 0."""

    def __init__(self, state):
        self.state = [int(word) for word in state]

    def bits(self):
        a, b, c, d = self.state
        result = rotated(b * 5 & MASK, 7) * 9 & MASK
        c, d = c ^ a, d ^ b
        self.state = [a ^ d, b ^ c, c ^ (b << 17 & MASK), rotated(d, 45)]
        return result

    def uniform(self):
        """In [0, 1)."""
        return (self.bits() >> 11) / 2**53

    def below(self, n):
        """In 0 .. n-1."""
        return int(self.uniform() * n)
