"""Loading modules that need an extra: ``actmem.extra``, by its former name."""

from __future__ import annotations

from actmem.extra import load

__all__ = ["load"]
