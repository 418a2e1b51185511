#!/bin/sh
# Builds and runs the image with the commands of docs/self-hosting.md, then checks what the guide says: the user isn't
# root, the root file system is read-only, the image has at most 250 MB, the health check passes, the service stops
# cleanly, and data survives a restart.
set -eu
cd "$(dirname "$0")/.."

fail() {
  echo "$1" >&2
  docker logs placard >&2 || true
  exit 1
}

# Repeats the request until it succeeds, for up to half a minute.
read_event() {
  for _ in $(seq 150); do
    curl --silent --fail http://127.0.0.1:3000/api/events && return
    sleep 0.2
  done
  fail 'The service does not answer'
}

# The guide's block of commands. The service has to listen before the last command can publish.
commands=$(sed -n '/^## Container$/,/^## /{/^```sh/,/^```$/{/^```/!p}}' docs/self-hosting.md)
start=$(echo "$commands" | sed '/^docker exec /,$d')
publish=$(echo "$commands" | sed -n '/^docker exec /,$p')
trap 'docker rm --force placard >/dev/null; docker volume rm placard >/dev/null' EXIT
sh -eu -c "$start"
read_event >/dev/null
sh -eu -c "$publish"

size=$(docker image inspect --format '{{.Size}}' placard)
echo "The image has $size bytes"
[ "$size" -le 250000000 ] || fail 'That is more than 250 MB'
docker exec placard node -e '
  const { writeFileSync } = require("node:fs")
  if (process.getuid() !== 65532) throw new Error(`It runs as user ${process.getuid()}`)
  for (const path of ["/app/x", "/usr/x", "/x"]) {
    let written = true
    try { writeFileSync(path, "") } catch { written = false }
    if (written) throw new Error(`It can write ${path}`)
  }' || fail 'The container runs as another user, or can write where it should not'
check=$(docker image inspect --format '{{index .Config.Healthcheck.Test 3}}' placard)
docker exec placard node -e "$check" || fail 'The health check fails'
! docker exec --env PORT=1 placard node -e "$check" || fail 'The health check passes without the service'

docker stop placard
[ "$(docker inspect --format '{{.State.ExitCode}}' placard)" = 0 ] || fail 'The container did not stop cleanly'
docker start placard
read_event | grep 'We wrote about caching' || fail 'The published announcement is gone'
