"""The parts of the generator, in reading order.

``draw`` chance; ``schedule`` when steps are; ``draft`` a week being filled; ``tasks`` what has to be
done; ``changes`` updates and dependencies; ``noise`` lures and scenes that mean nothing; ``weave``
puts them together into days. ``actmem.week.make`` draws until a week passes the checks.
"""
