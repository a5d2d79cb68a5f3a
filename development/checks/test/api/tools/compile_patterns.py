"""Compiles each of the patterns in a JSON list, as validators in Python do."""

import json
import re
import sys

for pattern in json.load(sys.stdin):
    re.compile(pattern)
print("ok")
