"""The trials suite: 234 unit tests of one deferred intention inside an ongoing activity.

In reading order: ``worlds`` (what is played), ``trial`` (a test as data), ``phrases``, ``builders``
and ``make`` (how it is made), ``audit`` (how it is checked), ``released`` (the set), ``world`` and
``agents`` (how it is played), ``score`` and ``stats`` (how it is judged), ``suite`` (how the runner
sees it).
"""

MAX_TOKENS = 4096
"""Most tokens of a model's reply, unless set lower (as in the source, section 4.1)."""
