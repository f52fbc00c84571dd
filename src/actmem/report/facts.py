"""What moves the numbers of runs, as lines that a person reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from actmem import __version__
from actmem.hashing import digest
from actmem.report.same import some
from actmem.run.store import RunFolder


def run_facts(
    folders: Sequence[RunFolder], what: str, options: Sequence[str], listed: bool = False
) -> dict[str, str]:
    """Return the facts of runs of the same units, called ``what``; ``listed`` names some of them.

    ``options`` are settings of the suite; those that a run does not have are left out.
    """
    settings = [folder.manifest.settings for folder in folders]
    units = folders[0].manifest.units
    facts = {
        what: f"{len(units)}: {some(list(units))}" if listed else str(len(units)),
        f"set of {what}": digest(units),
        "scored by": f"actmem {__version__}",
        "run by": _all(f"actmem {folder.manifest.versions.get('actmem')}" for folder in folders),
        "runs": ", ".join(folder.path.name for folder in folders),
        "created": _all(folder.manifest.created for folder in folders),
    }
    for name in ("seed", "repeats", *options):
        if found := _all(str(one[name]) for one in settings if name in one):
            facts[name.replace("_", " ")] = found
    if found := _all(_embedder(one["embedder"]) for one in settings if "embedder" in one):
        facts["embedder"] = found
    for one in settings:
        models = one.get("models")
        for model, own in models.items() if isinstance(models, dict) else ():
            told = ", ".join(f"{k} {v}" for k, v in dict(own).items()) or "no settings"
            known = facts.setdefault(f"model {model}", told)
            if told != known:
                facts[f"model {model}"] = f"{known}; {told}"
    if found := _all(digest(one["prompts"]) for one in settings if "prompts" in one):
        facts["prompts"] = found
    return facts


def _embedder(settings: Mapping[str, str]) -> str:
    """Return an embedder in words: its name, and where it is or which weights it has."""
    where = settings.get("endpoint") or f"weights {settings.get('sha256', 'unknown')[:12]}"
    return f"{settings.get('model')}, {where}"


def _all(values: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(values))
