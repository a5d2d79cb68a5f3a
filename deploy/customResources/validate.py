"""Validates custom resources by their definitions; unknown fields are errors.

validate.py <folder of definitions> <manifest>...
"""

import pathlib
import sys

import yaml
from jsonschema import Draft202012Validator

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def close(schema):
    """Rewrites a definition's schema in place as JSON Schema that rejects fields that the API server would drop."""
    for keyword in ("properties",):
        for child in schema.get(keyword, {}).values():
            close(child)
    for keyword in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(keyword), dict):
            close(schema[keyword])
    if schema.pop("x-kubernetes-int-or-string", False):
        schema["type"] = ["integer", "string"]
        schema.pop("anyOf", None)
    if schema.pop("nullable", False) and "type" in schema:
        schema["type"] = [schema["type"], "null"]
    open_ended = schema.get("x-kubernetes-preserve-unknown-fields", False)
    if "properties" in schema and "additionalProperties" not in schema and not open_ended:
        schema["additionalProperties"] = False
    return schema


def definitions(folder):
    found = {}
    for file in sorted(pathlib.Path(folder).glob("*.yaml")):
        spec = yaml.load(file.read_text(), Loader)["spec"]
        for version in spec["versions"]:
            schema = close(version["schema"]["openAPIV3Schema"])
            # The API server knows these fields of every object.
            schema["properties"]["metadata"] = {"type": "object"}
            key = f"{spec['group']}/{version['name']}", spec["names"]["kind"]
            found[key] = Draft202012Validator(schema)
    return found


def main(folder, *manifests):
    known = definitions(folder)
    groups = {version.split("/")[0] for version, _ in known}
    checked, problems = 0, []
    for manifest in manifests:
        for document in yaml.load_all(pathlib.Path(manifest).read_text(), Loader):
            version, kind = document["apiVersion"], document["kind"]
            name = f"{manifest}: {kind} {document['metadata']['name']}"
            validator = known.get((version, kind))
            if validator:
                checked += 1
                problems += [f"{name}: {error.json_path}: {error.message}" for error in validator.iter_errors(document)]
            elif "." in version.split("/")[0].removesuffix(".k8s.io") or version.split("/")[0] in groups:
                problems.append(f"{name}: no definition of {version} {kind}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{checked} custom resources fit their definitions")


main(*sys.argv[1:])
