"""The experiments of the papers, run again next to the numbers that were published.

``kgroups reproduce`` runs them. This package uses public names of :mod:`kgroups` alone, and
``kgroups`` knows it by the name of the command only. Nothing is imported here, so that the options
of the command are read at once; the modules, from the top:

- ``command`` and ``options``: ``kgroups reproduce``.
- ``page``, ``text``, ``wording``: a document as Markdown and for the terminal.
- ``document``, ``summary``: an outcome as plain numbers, and what these say together.
- ``monte_carlo``, ``cache``, ``fingerprint``: the runs, each with its own seed, none done twice.
- ``catalog``, ``experiments``: one module for each subject; ``recipes`` compute, ``figures`` draw.
- ``experiment``, ``row``, ``verdict``, ``published``, ``role``: what an experiment is and gives.
- ``data``: the data sets, where they lie and how to get them.
"""
