"""What a week is made of, counted as in Table 1 of the PM-Bench paper."""

from __future__ import annotations

from actmem.week.scenario import Scenario


def stats(scenario: Scenario) -> dict[str, int | str]:
    """Return the rows of Table 1 for a week, by the paper's names."""
    days = scenario.days
    tasks = [task for day in days for task in day.tasks]
    updates = [update for day in days for step in day.steps for update in step.updates]
    actions = [update.action for update in updates]
    steps = [len(day.steps) for day in days]
    timed = sum(task.type != "event" for task in tasks)
    regular = sum(task.regular for task in tasks)
    return {
        "Days": len(days),
        "Steps per day (range)": f"{min(steps)}–{max(steps)}",
        "Total steps": sum(steps),
        "Task definitions (total)": len(tasks),
        "Scored executable tasks": len(tasks) - actions.count("cancel"),
        "Event-based tasks": len(tasks) - timed,
        "Time-based tasks": timed,
        "Regular tasks": regular,
        "Non-regular tasks": len(tasks) - regular,
        "Channel-triggered tasks": sum(task.cue_channel is not None for task in tasks),
        "Cross-day tasks": sum(task.cross_day for task in tasks),
        "Update events (total)": len(updates),
        "Cancel / Override / Reschedule": " / ".join(
            str(actions.count(action)) for action in ("cancel", "override", "reschedule")
        ),
        "State channels": len(scenario.state_channels),
        "Lures (total)": sum(len(day.lures) for day in days),
    }
