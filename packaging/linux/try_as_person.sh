#!/bin/sh
# What packaging/try_deb.sh does in the bare tree as an ordinary user: two sessions with the window, by keys alone.
set -u
seen=$HOME/seen
mkdir -p "$seen"
database=$HOME/.local/share/slipstream/conversations.db
entry=/usr/share/applications/slipstream.desktop
question="Say hello in one short sentence."
patience=${PATIENCE_S:-240}
export DISPLAY=:42

say() { echo "        $*"; }
fail() { say "FAILED: $*"; picture failed; exit 1; }
picture() { scrot --overwrite "$seen/$1.png" 2>/dev/null || scrot "$seen/$1.png"; }
ask() { sqlite3 -cmd '.timeout 2000' "$database" "$1" 2>/dev/null; }
# wait_for SECONDS CONDITION…: whether the condition came true in time
wait_for() {
  left=$(($1 * 4))
  shift
  until "$@"; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || return 1
    sleep 0.25
  done
}
window_is_there() { xdotool search --onlyvisible --name Slipstream >/dev/null 2>&1; }
# Ended, though this shell may not have taken note of it yet.
program_is_gone() { [ ! -e "/proc/$program/stat" ] || grep -q ') Z' "/proc/$program/stat"; }
was_sent() { [ "$(ask "SELECT count(*) FROM nodes WHERE role = 'user'")" = 1 ]; }
was_answered() { [ "$(ask "SELECT count(*) FROM nodes WHERE role = 'assistant' AND facts IS NOT NULL AND content <> ''")" = 1 ]; }
engine_has() { grep -qs "$1" /proc/[0-9]*/maps; }
send() { xdotool key Return; wait_for 5 was_sent; }

start() {
  began=$(date +%s%N)
  # As a desktop does it: the command of the entry, without the place for files.
  command=$(sed -n 's/^Exec=//p' "$entry" | sed 's/ *%[a-zA-Z]//g')
  $command "$@" >"$seen/output.log" 2>&1 &
  program=$!
  wait_for "$patience" window_is_there || fail "no window after $patience s: $(cat "$seen/output.log")"
  say "window after $((($(date +%s%N) - began) / 1000000)) ms"
}

close() {
  xdotool key --clearmodifiers alt+F4
  wait_for 30 program_is_gone || fail "it does not end when its window is closed"
  wait "$program" || fail "it ended with status $?"
  if grep -ls slipstream /proc/[0-9]*/comm >/dev/null; then fail "a process was left behind"; fi
}

desktop-file-validate "$entry" || fail "the desktop entry is not valid"
[ "$(sed -n 's/^application\/x-gguf=//p' /usr/share/applications/mimeinfo.cache)" = "slipstream.desktop;" ] ||
  fail "no file association"
Xvfb "$DISPLAY" -screen 0 1280x800x24 >"$seen/xvfb.log" 2>&1 &
screen=$!
trap 'kill $screen 2>/dev/null' EXIT
wait_for 20 xdotool getmouselocation >/dev/null 2>&1 || fail "no screen"
openbox >"$seen/openbox.log" 2>&1 &

say "first start"
start
wait_for "$patience" engine_has '\.gguf' || fail "the starter model was not loaded"
sleep 5
picture first-start
xdotool key ctrl+l
xdotool type --delay 30 "$question"
sleep 1
picture question
# Nothing is sent while the engine is still being got ready.
wait_for "$patience" send || fail "the message was not sent"
wait_for "$patience" was_answered || fail "no answer after $patience s"
answer=$(ask "SELECT content FROM nodes WHERE role = 'assistant'")
say "answer: $answer"
sleep 1
picture answer
[ "$(stat -c %a "$database")" = 600 ] || fail "others may read the chats"
close

say "second start"
start
sleep 6
picture again
[ "$(ask "SELECT content FROM nodes WHERE role = 'assistant'")" = "$answer" ] || fail "the chat is not the same"
close

say "a model file, by double click"
model=$(find /usr/lib/slipstream/models -name '*.gguf' | head -1)
cp "$model" "$HOME/by-hand.gguf"
start "$HOME/by-hand.gguf"
wait_for "$patience" engine_has 'by-hand\.gguf' || fail "the file was not opened"
sleep 3
picture by-hand
close
