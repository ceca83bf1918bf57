#!/bin/sh
# Starts the service with the options that the Supervisor wrote. /data is what Home Assistant keeps and backs up.
set -eu
data=${WAYMARK_ADDON_DATA:-/data}
# A flat object with one text that has neither quotes nor backslashes: the Supervisor has checked that it is a URL.
public_url=$(tr -d '\n' <"$data/options.json" | sed -n 's/.*"public_url" *: *"\([^"\\]*\)".*/\1/p')
[ -n "$public_url" ] || { echo "public_url is missing in the options of the add-on." >&2; exit 2; }
install -d -m 700 -o waymark -g waymark "$data/waymark" "$data/cache"
export WAYMARK_DATABASE="$data/waymark/waymark.db" WAYMARK_CACHE="$data/cache"
exec setpriv --reuid waymark --regid waymark --clear-groups \
    waymark serve --host 0.0.0.0 --port "${WAYMARK_ADDON_PORT:-8080}" --trusted-proxy --public-url "$public_url"
