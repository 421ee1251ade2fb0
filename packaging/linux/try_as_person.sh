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
# was_sent NUMBER, was_answered NUMBER: so many messages, and so many finished answers, are in the database
was_sent() { [ "$(ask "SELECT count(*) FROM nodes WHERE role = 'user'")" = "$1" ]; }
was_answered() { [ "$(ask "SELECT count(*) FROM nodes WHERE role = 'assistant' AND facts IS NOT NULL AND content <> ''")" = "$1" ]; }
send() { xdotool key Return; wait_for 5 was_sent "$1"; }
last_answer() { ask "SELECT content FROM nodes WHERE role = 'assistant' ORDER BY number DESC LIMIT 1"; }

# chat NUMBER QUESTION: write it, send it as soon as the engine takes it, wait for the answer
chat() {
  xdotool key ctrl+l
  xdotool type --delay 30 "$2"
  sleep 1
  picture "question-$1"
  asked=$(date +%s%N)
  # Nothing is sent while the engine is still being got ready.
  wait_for "$patience" send "$1" || fail "the message was not sent"
  wait_for "$patience" was_answered "$1" || fail "no answer after $patience s"
  say "answer after $((($(date +%s%N) - asked) / 1000000)) ms: $(last_answer | head -c 200)"
  sleep 1
  picture "answer-$1"
}

# The window's process: not the engine's, nor the window's helper.
find_program() {
  for process in /proc/[0-9]*; do
    if [ "$(cat "$process/comm" 2>/dev/null)" = slipstream ] && ! grep -qs -e --worker -e --helper "$process/cmdline"; then
      program=${process#/proc/}
      return 0
    fi
  done
  return 1
}

# start COMMAND…: what a desktop does when its menu entry or a file is clicked
start() {
  began=$(date +%s%N)
  "$@" >"$seen/output.log" 2>&1 || fail "$*: $(cat "$seen/output.log")"
  wait_for "$patience" window_is_there || fail "no window after $patience s: $(cat "$seen/output.log")"
  say "window after $((($(date +%s%N) - began) / 1000000)) ms"
  find_program || fail "a window without a program"
}

close() {
  xdotool key --clearmodifiers alt+F4
  was_closed
}

# It ended well, and nothing of it is left.
was_closed() {
  wait_for 30 program_is_gone || fail "it does not end when its window is closed"
  if grep -ls slipstream /proc/[0-9]*/comm >/dev/null; then fail "a process was left behind"; fi
  [ ! -s "$HOME/.local/state/slipstream/window-crash.txt" ] || fail "it crashed when it ended"
  if grep -qi -e traceback -e error "$seen/output.log"; then fail "it complained: $(cat "$seen/output.log")"; fi
}

desktop-file-validate "$entry" || fail "the desktop entry is not valid"
Xvfb "$DISPLAY" -screen 0 1280x800x24 >"$seen/xvfb.log" 2>&1 &
screen=$!
trap 'kill $screen 2>/dev/null' EXIT
wait_for 20 xdotool getmouselocation >/dev/null 2>&1 || fail "no screen"
openbox >"$seen/openbox.log" 2>&1 &

say "first start"
start gio launch "$entry"
sleep 5
picture first-start
chat 1 "$question"
answer=$(last_answer)
[ "$(stat -c %a "$database")" = 600 ] || fail "others may read the chats"
close

say "second start"
start gio launch "$entry"
sleep 6
picture again
[ "$(last_answer)" = "$answer" ] || fail "the chat is not the same"
close

say "a model file, by double click"
model=$(find /usr/lib/slipstream/models -name '*.gguf' | head -1)
cp "$model" "$HOME/by-hand.gguf"
start gio open "$HOME/by-hand.gguf"
sleep 5
xdotool key ctrl+n
chat 2 "What is the capital of France?"
grep -q '"target_path": "[^"]*/by-hand.gguf"' "$HOME/.config/slipstream/settings.json" || fail "the file was not opened"
picture by-hand
# The other way to end it.
xdotool key --clearmodifiers ctrl+q
was_closed

say "from a terminal, with each engine"
for engine in llama ik; do
  slipstream generate --model "$model" --engine $engine --prompt "Say hello." --max-tokens 16 >"$seen/$engine.log" 2>&1 ||
    fail "generate --engine $engine: $(tail -3 "$seen/$engine.log")"
done
slipstream inspect --json "$model" >"$seen/inspect.json" || fail "inspect does not work"
slipstream serve --model "$model" --port 8099 >"$seen/serve.log" 2>&1 &
server=$!
wait_for "$patience" curl -fsS http://127.0.0.1:8099/v1/models -o "$seen/models.json" 2>/dev/null || fail "no server"
curl -fsS http://127.0.0.1:8099/v1/chat/completions -o "$seen/served.json" \
  -d '{"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 8}' || fail "the server does not answer"
kill -INT $server
wait $server || fail "the server ended with status $?"
say "generate (llama, ik), inspect and serve work"
