#!/usr/bin/env bash
# Install a .deb in a bare Debian 12 and use it there as a person would: start it by its desktop entry, chat with the
# starter model that is inside (dev.py package --with-model), close it, open it again and find the chat.
#
#   sudo packaging/try_deb.sh [DEB] [FOLDER FOR PICTURES AND LOGS]
#
# Needs root, debootstrap, and an apt that knows bookworm (or MIRROR=address). The tree and all that runs in it are gone
# at the end; nothing of this machine is changed. KEEP_TREE=folder keeps the downloaded bare tree for the next time.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
deb=$(realpath "${1:-$(ls -t "$here"/../dist/slipstream_*.deb | head -1)}")
out=$(realpath -m "${2:-$here/../dist/try_deb}")

if [[ -z "${INSIDE:-}" ]]; then
  if [[ $EUID -ne 0 ]] || ! command -v debootstrap >/dev/null; then
    echo "This needs root and the package debootstrap." >&2
    exit 2
  fi
  # Mounts and processes of its own: both end with the script, however it ends.
  INSIDE=1 exec unshare --mount --pid --fork --kill-child bash "${BASH_SOURCE[0]}" "$deb" "$out"
fi

mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' |
  awk '$2 == "bookworm" { print $1; exit }')}
if [[ -z "$mirror" ]]; then
  echo "apt knows no mirror of bookworm: give one as MIRROR=…" >&2
  exit 2
fi

work=$(mktemp -d)
tree=$work/tree
clean() {
  # What is mounted from outside is let go before anything is deleted.
  for place in dev proc; do
    if mountpoint -q "$tree/$place"; then umount --recursive --lazy "$tree/$place"; fi
    if mountpoint -q "$tree/$place"; then echo "$tree stays: its $place could not be let go." >&2; return; fi
  done
  rm -rf --one-file-system "$work"
}
trap clean EXIT
mkdir -p "$out"
started=$SECONDS
step() { printf '%4d s  %s\n' $((SECONDS - started)) "$*"; }

step "a bare Debian 12"
if [[ -n "${KEEP_TREE:-}" && -f "$KEEP_TREE/bare.tar" ]]; then
  mkdir "$tree" && tar -xf "$KEEP_TREE/bare.tar" -C "$tree"
else
  debootstrap --variant=minbase bookworm "$tree" "$mirror" >"$out/debootstrap.log"
  if [[ -n "${KEEP_TREE:-}" ]]; then
    mkdir -p "$KEEP_TREE" && tar -cf "$KEEP_TREE/bare.tar" -C "$tree" .
  fi
fi
mount -t proc proc "$tree/proc"
mount --rbind /dev "$tree/dev"
mount --make-rslave "$tree/dev"
printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d" && chmod 755 "$tree/usr/sbin/policy-rc.d"
cp /etc/resolv.conf "$tree/etc/resolv.conf"
inside() { chroot "$tree" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
inside apt-get update -q >"$out/apt.log"

step "the package and what it asks for"
if inside sh -c 'command -v python3' >/dev/null; then echo "The tree is not bare: it has Python." >&2; exit 1; fi
cp "$deb" "$tree/root/slipstream.deb"
inside apt-get install -q -y /root/slipstream.deb >>"$out/apt.log" 2>&1 ||
  { tail -n 5 "$out/apt.log" >&2; echo "The package cannot be installed." >&2; exit 1; }
rm "$tree/root/slipstream.deb"

step "each library it loads is there (before anything else is installed)"
inside sh -c 'find /usr/lib/slipstream/slipstream /usr/lib/slipstream/_internal/PySide6/Qt/lib \
  /usr/lib/slipstream/_internal/PySide6/Qt/plugins/platforms/libqxcb.so \
  /usr/lib/slipstream/_internal/PySide6/Qt/plugins/platforms/libqwayland*.so \
  /usr/lib/slipstream/_internal/llama_cpp /usr/lib/slipstream/_internal/ik_llama_cpp -type f \
  \( -name "*.so*" -o -name slipstream \) ! -name "libggml-cpu-*" \
  -exec env LD_LIBRARY_PATH=/usr/lib/slipstream/_internal ldd {} + 2>/dev/null' >"$out/libraries.log" || true
# The processor's variants are loaded by ggml when it is there already: they find it by its name.
inside sh -c 'cd /usr/lib/slipstream/_internal/llama_cpp/lib && env LD_LIBRARY_PATH=/usr/lib/slipstream/_internal:. \
  ldd libggml-cpu-*.so' >>"$out/libraries.log" || true
if ! grep -q 'libQt6Core' "$out/libraries.log" || grep -B30 'not found' "$out/libraries.log" | grep -E '^/|not found'; then
  echo "A library is missing; $out/libraries.log says of what." >&2
  exit 1
fi

step "a screen, a window manager, a hand"
inside apt-get install -q -y --no-install-recommends xvfb openbox xdotool sqlite3 scrot desktop-file-utils curl libglib2.0-bin iproute2 \
  >>"$out/apt.log" 2>&1
inside useradd --create-home person
cp "$here/linux/try_as_person.sh" "$tree/usr/local/bin/try_as_person"
chmod 755 "$tree/usr/local/bin/try_as_person"

step "a person uses it, without a network"
mkdir -p "$tree/tmp/.X11-unix" && chmod 1777 "$tree/tmp/.X11-unix"
result=0
# This machine's own address is all there is: the server is tried there.
unshare --net chroot "$tree" /bin/sh -c 'ip link set lo up && exec "$@"' sh /usr/bin/setpriv --reuid=person --regid=person --init-groups --reset-env \
  env LC_ALL=C.UTF-8 PATIENCE_S="${PATIENCE_S:-240}" /usr/local/bin/try_as_person || result=$?
cp -r "$tree/home/person/seen/." "$out/" || true
cp -r "$tree/home/person/.local/state/slipstream" "$out/logs" 2>/dev/null || true

step "removed again"
inside apt-get purge -q -y slipstream >>"$out/apt.log" 2>&1
if inside sh -c 'ls -d /usr/lib/slipstream /usr/bin/slipstream 2>/dev/null'; then
  echo "Something of the package stayed." >&2
  result=1
fi
inside test -s /home/person/.local/share/slipstream/conversations.db || { echo "The chats went with it." >&2; result=1; }
if [[ $result -eq 0 ]]; then step "passed: pictures and logs are in $out"; else step "FAILED: see $out"; fi
exit "$result"
