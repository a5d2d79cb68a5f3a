"""Validates records as a publisher in Python would. Arguments: a schema file. Reads a list of records, prints booleans."""

import json
import sys

from jsonschema import Draft7Validator

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
Draft7Validator.check_schema(schema)
validator = Draft7Validator(schema, format_checker=Draft7Validator.FORMAT_CHECKER)
print(json.dumps([validator.is_valid(record) for record in json.load(sys.stdin)]))
