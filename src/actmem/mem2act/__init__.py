"""The mem2act suite: tool calls whose arguments stand in a long, interrupted history.

In reading order: ``data`` (tasks and sessions), ``defects`` and ``stats`` (what a data set is worth),
``values`` (when two values are the same), ``history`` (what a memory is given), ``score``, then
``retrieval`` and ``analyse``; ``suite`` and ``record`` (how the runner sees it).
"""
