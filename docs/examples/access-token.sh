#!/bin/sh
# Prints the first 50 devices with a level of at most 20 percent, then sets the fan of the device DSN.
#
#   SILLAGE_URL=https://console.example.com SILLAGE_TOKEN=sillage_… sh access-token.sh DSN
set -eu

# The token comes from standard input, because other users of the machine can read command lines.
call() {
  printf 'header = "Authorization: Bearer %s"\n' "$SILLAGE_TOKEN" |
    curl --config - --fail-with-body --silent --show-error "$@"
}

call "$SILLAGE_URL/api/devices?maxremaining=20&pageSize=50"
call --request PUT --json '{"fan": 3}' "$SILLAGE_URL/api/devices/dsns/$1/settings"
