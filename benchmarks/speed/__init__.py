"""How fast is mddag, compared with what one would use instead? One command, everything in one run.

    python -m benchmarks.speed [--only full exit one curves machine] [--quick]

    full     every base classifier of five shapes of ensembles: ns per row, rivals / mddag
    exit     early exit: compared with our own full evaluation, and at equal error on real data
    one      one row through Python, hot and cold
    curves   cost per row against evaluations, base classifiers, classes, leaves and rows
    machine  what was measured on

A module per table, each with its fields and `measure`; start with `full` and `contest`. The first
run installs rivals into build/rivals and trains models into out/speed, which takes some minutes
more; delete out/speed to train them again. Policies are learned by the code as it is. --quick has
few rows and repeats, and keeps its results in out/speed. Contestants take turns: read the ratios,
median (range) over the repeats; times are the best, and the machine's. Tables and pictures go to
benchmarks/results/speed. One more command measures mddag alone:

    python -m benchmarks.speed.builds <python>  two builds of mddag take turns
"""
