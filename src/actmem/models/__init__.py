"""Models: the chat protocol, its backends, structured replies and the dialogue of an episode.

``chat`` says what a model is; ``registry.open_model`` makes one by name; ``structured`` reads its
replies; ``tape`` records and restores them; ``dialogue`` keeps a history and asks again.
"""
