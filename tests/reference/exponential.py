"""Twin of the exp of exported code (src/mddag/serving/export/walks): fused operations are
exact sums of fractions, rounded once."""

import math
import struct
from fractions import Fraction

from mddag.serving.export.tables import two_powers


def fma(a, b, c):
    return float(Fraction(a) * Fraction(b) + Fraction(c))


def of_bits(bits):
    return struct.unpack("<d", struct.pack("<Q", bits % 2**64))[0]


def exp(x):
    if not -1024 < x < 1024:
        return math.inf if x > 0 else 0.0
    if abs(x) < 2.0**-54:
        return 1 + x
    k = round(Fraction(float.fromhex("0x1.71547652b82fep7")) * Fraction(x))
    r = fma(k, float.fromhex("-0x1.62e42fefap-8"), x)
    r = fma(k, float.fromhex("-0x1.cf79abc9e3b39p-47"), r)
    tail, scale = (int(bits) for bits in two_powers()[2 * (k % 128) :][:2])
    second = fma(r, float.fromhex("0x1.555555555543cp-3"), float.fromhex("0x1.ffffffffffdbdp-2"))
    fourth = fma(r, float.fromhex("0x1.1111167a4d017p-7"), float.fromhex("0x1.55555cf172b91p-5"))
    rest = fma(r * r, second, of_bits(tail) + r)
    rest = fma((r * r) * (r * r), fourth, rest)
    bits = scale + (k << 45)
    if -512 < x < 512:
        return fma(of_bits(bits), rest, of_bits(bits))
    if k > 0:
        small = of_bits(bits - (1009 << 52))
        return 2.0**1009 * fma(small, rest, small)
    large = of_bits(bits + (1022 << 52))
    part = large * rest
    y = large + part
    if y < 1:
        high = 1 + y
        y = high + (1 - high + y + (large - y + part)) - 1
    return 2.0**-1022 * y
