"""One method of guessing a file, all behind ``interface``. Knows ``backend`` and ``sampling``, not who asks."""
