<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="vi" sourcelanguage="en">
<context>
    <name>AnswerView</name>
    <message>
        <source>Answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let the model go on with this answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start again</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AnswerWords</name>
    <message>
        <source>Tokens/s: tokens written ÷ time of writing, without reading the prompt.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First after: from the start of reading the prompt to the first token.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accepted: {accepted} of {drafted} guessed tokens that the target kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Per step: tokens that one pass of the target yields, 1 without drafting.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed-up: against this model&apos;s own speed without drafting, as measured here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed-up: not known until this model has written some tokens without drafting.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was drafted: speculation was off for this answer, or no draft model was loaded for it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was drafted: by what was measured here, it would not have been faster.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was drafted: the method found nothing in this text to guess from.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafting gained little: the target kept only {share} of the guesses. Another draft or shorter drafts may do better.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafting gained little although most guesses stood: checking them costs about as much time here as it saves. Auto leaves it where that is so.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AttachmentChips</name>
    <message>
        <source>Attached files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>counting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AttachmentFold</name>
    <message>
        <source>{n} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the attached file {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>… and {n} characters more</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AttachmentReader</name>
    <message>
        <source>{name} is long: only its beginning was attached.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Background</name>
    <message>
        <source>A file could not be read ({reason}).</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Details to copy for a report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close this message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Chart</name>
    <message>
        <source>Save this picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the picture “{title}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As PNG…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As SVG…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatController</name>
    <message>
        <source>The context is full: the oldest {count} messages were left out.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatHeader</name>
    <message>
        <source>Choose target and draft (Ctrl+M)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start an empty chat (Ctrl+N)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed panel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show or hide the speed panel (Ctrl+Shift+S)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show or hide the conversations (Ctrl+Shift+L)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatPage</name>
    <message>
        <source>{used} of {whole} tokens of the context used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{used} of {whole} tokens of the context used: the oldest {count} messages are left out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{used} of {whole} tokens of the context used: soon the oldest messages are left out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} was not attached: {count} files go with one message at most.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Code</name>
    <message>
        <source>code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>[image, not loaded: {name}]</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Compare</name>
    <message>
        <source>“{name}” is too large for a file of prompts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a file of less than 10 MB.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No kind of prompt is chosen.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose at least one kind.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No file is chosen.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The chat has no question yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask one there, or type a prompt here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no prompt yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type one, or choose the shipped prompts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Side {letter} has no model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a target for it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Side {letter} drafts with a model, but has none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a draft for it, or a method that needs none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model is chosen.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a target.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} shipped prompts of {kinds} kinds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shipped prompts: {kinds}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} prompts of {file}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{method}, drafted by {draft}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft’s {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{value} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speculation off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Auto</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fixed K={n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at least {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>p ≥ {p}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CompareAnswers</name>
    <message>
        <source>Answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The prompt whose answers are shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer of {letter}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No answer was finished.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where they part (the target’s own scores): {lines}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>They wrote different texts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Both wrote the same text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All wrote the same text.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CompareCharts</name>
    <message>
        <source>Speed, tokens/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accepted, by place in the draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>place</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafts, by accepted tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>accepted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time per token, ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory, GB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed-up by draft length K</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed-up by method</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was drafted.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CompareController</name>
    <message>
        <source>An answer is being written, and the two would slow each other down.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start when it is finished, or stop it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped before the first answer was finished, so there is no result.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ComparePage</name>
    <message>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New comparison</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sweep: {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write this result to a {form} file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The chat’s models are unloaded while this runs, and come back afterwards.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Both sides are the same, so this shows how much the machine itself scatters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The sides need different models and are loaded in turns, which takes longer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The models of all sides fit into memory together and stay loaded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} answers at least</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{sides} settings on {prompts}: {n} answers, then the fastest again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} prompts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>; the time is known after the first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, about {time}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} answers failed and are left out. {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The same prompt, answered by all sides in turns: is B faster than A, by how much, and how sure is that? Choose the sides and a prompt, then press Start.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Written to {path}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{title}” was deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the comparison</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CompareSetup</name>
    <message>
        <source>Side by side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Two to four configurations against each other</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every draft length and method of one pair, to find the best</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What to compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is compared with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What may be faster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Up to four configurations can be compared at once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure all sides in turns (Ctrl+Return)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The pair whose draft lengths and methods are tried</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Write a message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter starts a new line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attach text, code or PDF files (Ctrl+Shift+A)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Editing an earlier message. It stays as another version.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop the answer (Esc)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send (Enter)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ConnectionDialog</name>
    <message>
        <source>Model hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Offline: ask nothing of the network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address of the hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hf_…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Access token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A mirror of the hub, if you use one. Empty: HF_ENDPOINT, or {hub}. Proxies are those of the system.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only for models whose publisher asks for your agreement: accept the terms on the model’s page, make a token with the right to read on {hub}/settings/tokens, and paste it here. It is kept in the system’s keyring and sent to this hub alone; a token of the hub’s own program or of HF_TOKEN is used as well.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The address must begin with https:// (or http:// inside your own network).</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ConversationList</name>
    <message>
        <source>Search conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New chat (Ctrl+N)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import and export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing found. Try fewer or shorter words.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your conversations will be listed here. Write a message to begin one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted “{title}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin to the top</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import conversations…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export all conversations…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Markdown, to read (*.md)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>JSON, to keep (*.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exports of Slipstream, ChatGPT and LM Studio (*.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Title</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete this conversation?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete “{title}”?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DeviceTable</name>
    <message>
        <source>The engine has not been asked yet. Load a model and open the settings again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Processor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Graphics card</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Built-in graphics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accelerator</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{free} of {total} free</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DownloadRow</name>
    <message>
        <source>Use</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Access token…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take off the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel and remove what arrived</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{total}, whole and checked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waits for its turn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>checking what is there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{speed}/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>EarlierCard</name>
    <message>
        <source>Beside an earlier result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An earlier result whose figures are shown beside these</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“Now/then” holds for the prompts that both have. The two were not measured in turns, so the machine’s own ups and downs are in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>now, tokens/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>then</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>now/then</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>speed-up now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>speed-up then</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>EngineController</name>
    <message>
        <source>No model is loaded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a model first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped before the model was loaded.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FailureDesk</name>
    <message>
        <source>Slipstream crashed the last time it ran</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The window ended by a fault of its own. Your chats are kept, but for the last half second of text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You can go on working. If it happens again, please send the report to the developers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Something went wrong</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Slipstream made a mistake</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Something in the program did not work as it should. Your chats are kept, and the window goes on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>If something looks wrong, start the program again, and please send the report to the developers.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FailureDialog</name>
    <message>
        <source>Slipstream</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The report holds versions, devices, settings and the last log lines. It holds no chat text, and it leaves this computer only if you paste it somewhere.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open log folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide report</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>{n} tokens/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{m} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ended at a stop text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cut at the length limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>context full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cut off when the program ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for the engine…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the prompt: {done} of {total} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>first after {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{share} accepted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} per step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{gain} speed-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unnamed model</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FoldersButton</name>
    <message>
        <source>Folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders that are searched for models; add one of your own</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove {folder}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Always searched: {folder}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Found as well: {programs}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a folder with models</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>GpuHowTo</name>
    <message>
        <source>{kind} ({makers})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the command for {kind}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>IntervalBars</name>
    <message>
        <source>{letter}: {factor} times as fast as A, 95% interval {low} to {high}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>faster than A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>B faster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1×, as fast</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>KeptList</name>
    <message>
        <source>Earlier comparisons</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Results are kept here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete the chosen result; it can be brought back right afterwards</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LengthChart</name>
    <message>
        <source>There was no draft model to try lengths with.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>theory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>best: K={n}, {factor}×</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>  ·  theory {n}×</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Link</name>
    <message>
        <source>Open this link?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model wrote this link. It leads to {host}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open in the browser</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an unknown place</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>The conversations are saved again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No draft model is loaded, so nothing is drafted. Choose one, or guess with N-gram lookup.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading the target…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading the draft…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answering</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your messages stay on this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What shall we work on?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Welcome to Slipstream</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model was found on this computer. “python3 dev.py models” fetches SmolLM2-135M (98 MB) and the pair Qwen2.5-Coder 1.5B and 0.5B (1.6 GB), all under the Apache 2.0 licence. Or get one here: the catalog says what fits this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Get a model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The draft could not be loaded, so the target answers alone. {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The draft {name} is not there any more, so the target answers alone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} conversations were written to {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} conversations were brought in.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine stopped. It starts again with your next message.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A comparison is running, so the chat&apos;s models are unloaded. They come back when it ends; messages wait until then.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use N-gram lookup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load anyway</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MarkdownView</name>
    <message>
        <source>Copied</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Memory</name>
    <message>
        <source>graphics memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Target and draft need {needed} of {place} and only {free} are free, so the draft was left out. N-gram lookup needs no memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The target alone needs {alone} of {place}, with the draft {needed}, and only {free} are free. It may be slow or stop. N-gram lookup needs no memory.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MemoryBanner</name>
    <message>
        <source>Other ways</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MemoryBar</name>
    <message>
        <source>Memory: the engine holds {engine}; {used} of {total} are in use on this computer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MemoryChart</name>
    <message>
        <source>Memory, GB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory of the process, GB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>process</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is known of the memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measured at most: {sizes}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measured: {size} at most, in one process for all sides.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>work</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft’s cache</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MemoryStack</name>
    <message>
        <source>target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its buffers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {needed} of {free} free</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {needed} needed, {free} free</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MemoryWays</name>
    <message>
        <source>What helps, the least loss first:</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MethodBox</name>
    <message>
        <source>Method</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What guesses the next tokens, which the target then checks</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Methods</name>
    <message>
        <source>Draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>N-gram lookup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>N-gram map</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>N-gram map, 4 ways</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>N-gram statistics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>N-gram pool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Suffix automaton</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lookahead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A small model of the same family guesses, the target checks.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copies what followed the last time the same words stood in the text. Good for editing and quoting.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As N-gram lookup, by an index of long phrases of this chat.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As N-gram map, with up to four continuations of a phrase.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Guesses by how often words followed each other, in this and earlier answers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looks phrases up in a pool that all answers share. Only long drafts are used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follows the longest repeat in the text and how often each word came next.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The target guesses its own next words beside its work. Needs spare computing power.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Max draft tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Min draft tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft probability</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft sampling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Phrase length</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Least repeats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Statistics file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens per repeat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Earlier answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At most this many guessed tokens per step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shorter drafts are not used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Guessing stops when the draft is less sure than this</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Greedy gives the same text as without a draft; exact draws as the target would, and accepts more at high temperatures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A method without a model that is asked before the draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many tokens must repeat before what followed is copied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How often the phrase must have stood in the text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Statistics of earlier answers, read and kept up in this file; empty for none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many tokens are guessed for each token of the repeat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whether earlier answers are looked into, too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many guesses are worked on behind the draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Greedy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Auto</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelDetails</name>
    <message>
        <source>Its page and terms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opens the model’s page on the hub in your browser</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files of this model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check before downloading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reads the file’s header on the hub, a few megabytes: whether it is a chat model, what it costs in memory, and what fits with it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>licence {licence}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gated: its publisher asks for your agreement</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>size told by the hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>with its draft {name} ({size})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no licence named</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading its header on the hub…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It may draft for {target}: {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It may not draft for {target}: {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafts for it that are here: {names}. {notes}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} tokens in its vocabulary</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelPicker</name>
    <message>
        <source>Choose models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use these models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Browse for a file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Get more…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a model file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GGUF models (*.gguf);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Models</name>
    <message>
        <source>It continues text and was not made to chat.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is not quantised, so it is slower than its quantised forms.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It keeps a recurrent state, so drafting often gains little with it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is a mixture of experts, so drafting often gains little with it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} context</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is here, and which model may draft for which</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Get more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The catalog and the model hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read the model folders afresh; changes are noticed by themselves as well</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The access token is kept in the system’s keyring.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no keyring on this system, so the access token is kept until the program ends.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use with this draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use this model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} models from {places}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One model from {places}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MoreBox</name>
    <message>
        <source>Engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Threads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>K cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>V cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flash attention</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft’s K cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft’s V cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Token limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MoreView</name>
    <message>
        <source>Filter the catalog; Enter searches the model hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search for models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search the hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How the hub is reached: mirror, access token, offline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model hub settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models that can be had</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Asking {host}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} models in the catalog. Offline: nothing is asked of the network.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} models in the catalog that comes with the program. The network is asked only when you search, check or download.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The catalog has no such model. Press Enter to search the model hub.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>too large here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} downloads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} likes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} repositories on {host}, the most downloaded first. Clear the field to see the catalog.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{host} has no GGUF repository for these words. Try fewer, or the model’s plain name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Asking {host} for its files…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>incomplete on the hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>goes with another model, is none itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in {count} parts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It holds no GGUF file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>asking the hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>downloading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>paused</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Network</name>
    <message>
        <source>The program made a mistake while it asked the model hub.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Pager</name>
    <message>
        <source>Earlier version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Later version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} of {all}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PairChooser</name>
    <message>
        <source>Target models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model that answers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A small model that guesses ahead, so that answers come faster. It never changes them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model that can chat was found on this computer. Get one from the catalog, or add a folder that holds GGUF files. “python3 dev.py models” fetches the starter models.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unreadable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answers come without a draft model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recommended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{gain} here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No draft for this target is on this computer, and the catalog names none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search the hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>size told by the hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fits and is not here: {name} ({size}, licence {licence}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>graphics memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Needs about {needed} of {place}; {free} are free.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Needs about {needed} of {place}, but only {free} are free. You can try it anyway.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PairController</name>
    <message>
        <source>On this computer, answers with it were {gain} as fast as without ({count} answers).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On this computer, the one answer with it was {gain} as fast as without.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PairTitle</name>
    <message>
        <source>{target}, drafted by {draft}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PhaseChart</name>
    <message>
        <source>plain decoding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plain decoding, as measured earlier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sampling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>prompt</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PlaceTable</name>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the folder: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conversations and measurements</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models that were downloaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept states of chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log, without prompts and answers</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PresetRow</name>
    <message>
        <source>Preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep the values below under a name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove this preset; values that were set with it stay</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Own values</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as a preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of the preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Precise</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Creative</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repeatable</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ProgressCard</name>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>End now and keep what is finished</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading {names}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> and </source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No side is faster, so drafting from the text alone is tried: {done} of {total}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{done} of {total} answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>now {side}, round {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, prompt “{prompt}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping; what is finished is kept.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PromptCard</name>
    <message>
        <source>My prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One prompt, typed in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shipped prompts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompts of eight kinds that come with Slipstream</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The open chat up to its last question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>My file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompts of a file: JSON lines, or plain text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask what you would ask in a chat, such as: Write a function that merges overlapping intervals.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The open chat has no question yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: {n} prompts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: one prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> of the kinds {kinds}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Token limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Minutes at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answers end after this many tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompts for which there is no time are left out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Until the speed-up is known to ±5%</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Two rounds, for a quick look</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How long to measure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most likely token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As in chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How the target chooses tokens; all sides use the same random numbers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>JSON lines of {id, kind, messages}, or plain text whose prompts stand apart by an empty line or by “---”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first so many prompts of each kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompts of each kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompts (*.jsonl *.json *.txt *.md);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a file of prompts</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QuestionView</name>
    <message>
        <source>You</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit and ask again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No longer sent: the context has no room for it</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Rail</name>
    <message>
        <source>Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat (Ctrl+1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is faster, measured on this computer (Ctrl+2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models on this computer (Ctrl+3)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings (Ctrl+,)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ScopedRows</name>
    <message>
        <source>random</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The same seed gives the same answer; empty draws a new one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as for every model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from the model file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as this model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as the target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to what holds elsewhere</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ServerProcess</name>
    <message>
        <source>The server ended (status {status}).</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ServerSettings</name>
    <message>
        <source>Off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No other program can ask</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other programs can ask through an address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only programs on this computer can connect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>My network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whoever reaches this computer and has the key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Who may connect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Port</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address for other programs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None: open to this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make another key; programs with the old one can no longer connect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log of the server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests are listed here: when, by whom, what for. Never what was said.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off. Editors and agents that speak OpenAI&apos;s protocol can use the model in this window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starting …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On. Other computers use this computer&apos;s name or address in place of 0.0.0.0, and the key. What is sent is not encrypted: trust the network.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On. It answers with the model of this window, in turn with the chat; the model is held in memory once.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search the settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Server, OpenAI, API, address, port, key, who may connect, log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lets editors, agents and scripts ask the model through an address, by OpenAI&apos;s protocol.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Groups of settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take settings from a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write the settings to a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What holds where model and chat say nothing else</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only for {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only for the chat on the screen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speculative decoding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off, Auto, Fixed, Max draft tokens, Min draft tokens, Draft probability, N-gram lookup, Suffix automaton, Lookahead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A small draft model guesses ahead and the target checks the guesses: the same text, sooner.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is the switch of this chat alone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is how new chats with {name} start.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>System</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the system is set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Always light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Always dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light, dark, or as the system is set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of this window; changes at once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mark drafted text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tint the words that the draft guessed and the target accepted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Graphics card, GPU, processor, memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the engine can compute on, and the memory that is free there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CUDA, Vulkan, ROCm, Metal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A graphics card is only used by an engine that was built for it. From a source folder, one of these builds one and starts the program; docs/gpu.md says what each needs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Data on this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> GB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept states of chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Disk space for what models have computed of recent chats, so that these go on at once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders: conversations, settings, models, states, log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answers and loading as the program comes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset this model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the model file&apos;s own defaults, and to what holds for every model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset this chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This chat then follows its model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings (*.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The settings of {name} hold now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The settings were written to {name}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingsForm</name>
    <message>
        <source>No setting matches. Try another word, such as “context” or “theme”.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingsGroups</name>
    <message>
        <source>Answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preset: sets the values below at once, in the scope chosen above</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>0 always takes the likeliest word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose among the k likeliest; 0 is off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose among the likeliest with this share; 1 is off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Min-p</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave out what is less likely than this share of the best</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repeat penalty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Above 1 makes repetition less likely; 1 is off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer length</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An answer is cut after this many tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whether models that can think do so before they answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model in use has no switch for it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the model has it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When the context is full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>End the answer, or forget the oldest part of the chat and go on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>End the answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forget the oldest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>System prompt: said to the model before every chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Instructions that every chat begins with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens that target and draft see at once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the longest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flash attention</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Faster with long contexts, where supported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Auto</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What runs the models; Auto takes the faster one that is installed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading of the draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layers on the graphics card; Auto takes as many as fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Threads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Processor cores to use; Auto takes all physical ones</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smaller types save memory on long chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Value cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smaller types need flash attention</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SideCard</name>
    <message>
        <source>Side {letter}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take side {letter} away</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model that decides every token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The small model that guesses tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine, context, caches, sampling and length of this side alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More settings ({n} set)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This side asks no draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} of side {letter}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SpeculationControls</name>
    <message>
        <source>Off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The target writes alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Auto</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafts while that is faster, measured in every answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fixed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Always drafts with the method and numbers below</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speculative decoding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Guess with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What guesses the next tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The target writes alone, one token at a time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafts while that makes the answer faster, and stops when it does not.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Always drafts this way, faster or not.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SpeedChart</name>
    <message>
        <source>Speed within the last answer, tokens/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed of every answer, tokens/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SpeedPanel</name>
    <message>
        <source>Speculative decoding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings of this chat…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>System prompt, preset, sampling and more, for this chat alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mark drafted text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tint the words that the draft guessed and the target accepted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>guessed by the draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rest: target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens written per second of decoding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Without drafting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What this model did here when nothing was drafted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed divided by the speed without drafting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafts accepted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of the guessed tokens that the target kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens per step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mean tokens that one pass of the target yields</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First token after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time from sending to the first token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens in this answer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SpeedPlot</name>
    <message>
        <source>Tokens per second over time, and the accepted share</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at {t} s: {rate} tokens/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, {share}% accepted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed, tokens/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accepted drafts, %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>without drafting</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ThinkingFold</name>
    <message>
        <source>Thinking…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the thinking</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Latest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to the end and follow the answer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>VerdictCard</name>
    <message>
        <source>In use now: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Best: speculation off. Nothing that was tried is faster for sure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Best: {name}, {factor} times as fast as without</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{best} against {plain} tokens/s; {n} settings were tried.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> A drafted token is accepted with {share} and costs {cost} plain steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stay with {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This model’s chats use it from now on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>speed-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>first token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>accepted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} prompts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{answers} answers to {prompts}, the leading settings in {rounds} rounds; up to {tokens} tokens each.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{answers} answers to {prompts}, in {rounds} rounds by turns; up to {tokens} tokens each.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped early; this is what was finished.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Brackets are intervals that hold together with 95%.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Brackets and bar are the 95% interval.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>faster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fastest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing to compare yet: no pair of answers was finished.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>B is {factor} times as fast as A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>B is slower: {factor} times as fast as A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>B is no faster: {factor} times as fast as A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not sure: B is about {factor} times as fast as A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{letter} is fastest: {factor} times as fast as A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A is fastest; every other side is slower</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not sure: no side is faster than A beyond doubt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No side is faster than A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> Against {letter}, the next, it is {factor} times as fast{interval}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>: the two cannot be told apart.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> ({low} to {high})</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>_Delegate</name>
    <message>
        <source>New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pinned · {when}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
