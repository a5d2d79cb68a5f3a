"""Checks vectors.json against Python's own hmac: python3 check_vectors.py

`verify` is all that a receiver in Python needs; it may be copied.
"""

import base64
import hashlib
import hmac
import json
import pathlib
import re
import sys


def verify(body, header, secret):
    """Why the header does not sign these bytes, or None if it does."""
    if not header:
        return "missing"
    # fullmatch: "$" would let a newline at the end pass.
    if not re.fullmatch("sha256=[0-9a-f]{64}", header):
        return "malformed"
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return None if hmac.compare_digest(expected, header) else "mismatch"


def main():
    path = pathlib.Path(__file__).with_name("vectors.json")
    vectors = json.loads(path.read_text(encoding="utf-8"))
    failed = 0
    for vector in vectors:
        body = base64.b64decode(vector["body"], validate=True)
        reason = verify(body, vector["header"], vector["secret"])
        agrees = (reason is None) == vector["valid"] and reason == vector.get("reason")
        text = vector.get("body_utf8")
        if not agrees or (text is not None and text.encode() != body):
            failed += 1
            print(f"{vector['name']}: {reason or 'valid'}", file=sys.stderr)
    print(f"{len(vectors) - failed} vectors hold, {failed} do not")
    return 1 if failed or not vectors else 0


if __name__ == "__main__":
    sys.exit(main())
