"""The functions, one folder each; they never import one another.

A cold start makes a few hundred thousand objects, none of them garbage: looking for some every few hundred objects
takes a tenth of its time. Once warm, a request makes little that reference counts do not free.
"""

import gc

gc.set_threshold(250_000, 20, 20)
