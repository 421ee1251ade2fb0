"""What ``dev.py`` is made of.

Its own modules import the standard library and, of app, ``building``, ``errors``, ``machine.processor``, ``paths`` and
``sentences`` alone, since they run before anything is installed. The packages in it run after that and may import all
of app.
"""
