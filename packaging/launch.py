"""What the frozen program starts with; ``python -m app`` in a checkout."""

import sys

from app.__main__ import main

sys.exit(main())
