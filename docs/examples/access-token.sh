#!/bin/sh
# Prints the first 50 devices with a level of at most 20 percent, then sets the fan of the device DSN.
#
#   CONSOLE_URL=https://console.example.com CONSOLE_TOKEN=sillage_… sh access-token.sh DSN
set -eu

# The token comes from standard input, because other users of the machine can read command lines.
call() {
  printf 'header = "Authorization: Bearer %s"\n' "$CONSOLE_TOKEN" |
    curl --config - --fail-with-body --silent --show-error "$@"
}

call "$CONSOLE_URL/api/devices?maxremaining=20&pageSize=50"
call --request PUT --json '{"fan": 3}' "$CONSOLE_URL/api/devices/dsns/$1/settings"
