"""Four small worlds. Each file holds one: its setup, what it shows, its actions, its goals.

What they share is this contract, and no code::

    World(setup).view() -> View      what the observation shows; View.text() is its wording
    World.act(call) -> Outcome       the next step; call None lets the step pass
    World.goals() -> (met, total)    ongoing goals
    World.SIGNATURES                 its actions; World.EXTRA: those an intention may ask for

An ``Outcome`` is (reply, accepted, demanded): ``accepted`` tells that the call changed the world,
``demanded`` that an open ongoing goal asked for it at that moment.
"""
