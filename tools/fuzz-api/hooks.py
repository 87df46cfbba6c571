"""Lets a part of the generated requests name things that exist; all others would end in 404.

SILLAGE_FUZZ_VALUES is JSON: values of path parameters by a part of the path and the parameter's name.
"""

import json
import os
import zlib

import schemathesis

VALUES = json.loads(os.environ["SILLAGE_FUZZ_VALUES"])
# Of three requests, two name something that exists.
PARTS = 3


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    for name, value in (path_parameters or {}).items():
        known = known_values(context.operation.path, name)
        # The choice depends on the generated value only, so that a failure can be repeated.
        chance = zlib.crc32(repr(value).encode())
        if known and chance % PARTS:
            path_parameters[name] = known[chance // PARTS % len(known)]
    return path_parameters


def known_values(path, name):
    for part, values in VALUES.items():
        if part in path and name in values:
            return values[name]
    return []
