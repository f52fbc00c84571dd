"""How a trial is laid out: ``plot`` chooses cue and course, one file a world sets the stage."""
