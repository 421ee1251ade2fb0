"""What lasts while the window is open: chat, engine, models, processes. No widget, no look;
the window may be made anew around it. Imports ``words`` and what lies below gui.
"""
