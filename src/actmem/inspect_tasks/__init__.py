"""The suites as tasks of Inspect AI (extra ``inspect``): ``inspect eval actmem/week --model X``.

The only place that imports inspect_ai; Inspect finds it by the package's entry point. In reading
order: ``chat`` (a model of Inspect's for our agents), ``episode`` (what a sample is, how one is
played and what the log says of it), ``week`` and ``trials`` (the tasks with their options, scorers and
metrics) and ``log`` (a log as a run folder).
"""

from actmem.inspect_tasks import trials, week

__all__ = ["trials", "week"]
