"""usage: validate.py SCHEMA YAML...   Prints each violation; no output means
success."""

import json
import sys

import jsonschema
import yaml

with open(sys.argv[1]) as f:
    schema = json.load(f)
validator = jsonschema.validators.validator_for(schema)
validator.check_schema(schema)
bad = 0
for name in sys.argv[2:]:
    with open(name) as f:
        document = yaml.safe_load(f)
    # YAML 1.1 reads the key `on` as a boolean, unlike GitHub.
    if True in document:
        document["on"] = document.pop(True)
    for error in validator(schema).iter_errors(document):
        print(f"{name}: {error.json_path}: {error.message[:300]}")
        bad += 1
sys.exit(1 if bad else 0)
