"""Print the standard set's file: run it when content or generator have changed, and raise VERSION."""

from __future__ import annotations

from actmem.week.make import Knobs, make_week

print("# The standard set, version 1: ten full weeks and one paper week.\n")
for knobs, seeds in ((Knobs(profile="full"), range(1, 11)), (Knobs(profile="paper"), range(1, 2))):
    for seed in seeds:
        print("[[weeks]]")
        print(
            f'profile = "{knobs.profile}"\nseed = {seed}\ndigest = "{make_week(seed, knobs).digest}"\n'
        )
