"""The runner that all suites share.

``plan`` says what a run is made of (episodes, manifest), ``store`` keeps it in a folder, ``execute``
plays what is missing, ``coverage`` says how far it came. A suite plugs in with the ``Suite``
protocol; it knows how one episode is played and how a folder is scored. ``agent_suite`` is what
suites share whose episodes are played by ``agents``.
"""
