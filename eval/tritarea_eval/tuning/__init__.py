"""Tuning an agent's parameters by an evolution strategy over duplicate matches.

``subject`` is what is tuned, ``strategy`` the search, ``contest`` what candidates are measured by, ``run`` all of it
from a config to the file with the tuned values.
"""
