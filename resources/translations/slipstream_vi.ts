<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="vi" sourcelanguage="en">
<context>
    <name>AnswerView</name>
    <message>
        <source>Answer</source>
        <translation>Câu trả lời</translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation>Trả lời lại</translation>
    </message>
    <message>
        <source>Let the model go on with this answer</source>
        <translation>Để mô hình viết tiếp câu trả lời này</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Tiếp tục</translation>
    </message>
    <message>
        <source>Copy the answer</source>
        <translation>Sao chép câu trả lời</translation>
    </message>
    <message>
        <source>Go on with what is known; it is measured again when there is time</source>
        <translation>Tiếp tục với những gì đã biết; sẽ đo lại khi có thời gian</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Bỏ qua</translation>
    </message>
    <message>
        <source>Start again</source>
        <translation>Bắt đầu lại</translation>
    </message>
    <message>
        <source>Answer stopped</source>
        <translation>Câu trả lời đã dừng</translation>
    </message>
    <message>
        <source>Answer finished</source>
        <translation>Đã trả lời xong</translation>
    </message>
    <message>
        <source>The answer failed. {reason}</source>
        <translation>Không trả lời được. {reason}</translation>
    </message>
</context>
<context>
    <name>AnswerWords</name>
    <message>
        <source>Tokens/s: tokens written ÷ time of writing, without reading the prompt.</source>
        <translation>Token/giây: số token đã viết ÷ thời gian viết, không tính lúc đọc lời nhắc.</translation>
    </message>
    <message>
        <source>First after: from the start of reading the prompt to the first token.</source>
        <translation>Chờ: từ lúc bắt đầu đọc lời nhắc đến token đầu tiên.</translation>
    </message>
    <message>
        <source>Accepted: {accepted} of {drafted} guessed tokens that the target kept.</source>
        <translation>Được chấp nhận: mô hình chính giữ lại {accepted} trong {drafted} token đoán trước.</translation>
    </message>
    <message>
        <source>Per step: tokens that one pass of the target yields, 1 without drafting.</source>
        <translation>Mỗi bước: số token thu được từ một lượt chạy của mô hình chính; không có nháp thì là 1.</translation>
    </message>
    <message>
        <source>Speed-up: against this model&apos;s own speed without drafting, as measured here.</source>
        <translation>Tăng tốc: so với tốc độ của chính mô hình này khi không dùng nháp, đo trên máy này.</translation>
    </message>
    <message>
        <source>Speed-up: not known until this model has written some tokens without drafting.</source>
        <translation>Tăng tốc: chưa biết, cho đến khi mô hình này đã viết một số token không dùng nháp.</translation>
    </message>
    <message>
        <source>Other programs are using {used} of {cores} cores, so answers come slower.</source>
        <translation>Các chương trình khác đang dùng {used} trên {cores} nhân, nên câu trả lời đến chậm hơn.</translation>
    </message>
    <message>
        <source>Nothing was drafted: speculation was off for this answer, or no draft model was loaded for it.</source>
        <translation>Không có token nháp nào: câu trả lời này tắt suy đoán, hoặc chưa nạp mô hình nháp cho nó.</translation>
    </message>
    <message>
        <source>Nothing was drafted: by what was measured here, it would not have been faster.</source>
        <translation>Không có token nháp nào: theo kết quả đo trên máy này, dùng nháp sẽ không nhanh hơn.</translation>
    </message>
    <message>
        <source>Nothing was drafted: the method found nothing in this text to guess from.</source>
        <translation>Không có token nháp nào: phương pháp này không tìm thấy gì trong văn bản để đoán.</translation>
    </message>
    <message>
        <source>Drafting gained little: the target kept only {share} of the guesses. Another draft or shorter drafts may do better.</source>
        <translation>Dùng nháp ít có lợi: mô hình chính chỉ giữ lại {share} số token đoán trước. Một mô hình nháp khác hoặc nháp ngắn hơn có thể tốt hơn.</translation>
    </message>
    <message>
        <source>Drafting gained little although most guesses stood: checking them costs about as much time here as it saves. Auto leaves it where that is so.</source>
        <translation>Dùng nháp ít có lợi dù phần lớn token đoán đúng: trên máy này, việc kiểm tra chúng tốn gần bằng thời gian tiết kiệm được. Ở chế độ Tự động, nháp sẽ bị bỏ khi như vậy.</translation>
    </message>
</context>
<context>
    <name>AttachmentChips</name>
    <message>
        <source>Attached files</source>
        <translation>Tệp đính kèm</translation>
    </message>
    <message>
        <source>Reading the file…</source>
        <translation>Đang đọc tệp…</translation>
    </message>
    <message>
        <source>{n} tokens</source>
        <translation>{n} token</translation>
    </message>
    <message>
        <source>counting…</source>
        <translation>đang đếm…</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>Gỡ {name}</translation>
    </message>
</context>
<context>
    <name>AttachmentFold</name>
    <message>
        <source>{n} tokens</source>
        <translation>{n} token</translation>
    </message>
    <message>
        <source>Show the attached file {name}</source>
        <translation>Hiện tệp đính kèm {name}</translation>
    </message>
    <message>
        <source>… and {n} characters more</source>
        <translation>… và {n} ký tự nữa</translation>
    </message>
</context>
<context>
    <name>AttachmentReader</name>
    <message>
        <source>{name} is long: only its beginning was attached.</source>
        <translation>{name} quá dài: chỉ phần đầu được đính kèm.</translation>
    </message>
</context>
<context>
    <name>Background</name>
    <message>
        <source>A file could not be read ({reason}).</source>
        <translation>Không đọc được một tệp ({reason}).</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Details to copy for a report</source>
        <translation>Chi tiết để sao chép vào báo cáo</translation>
    </message>
    <message>
        <source>Close this message</source>
        <translation>Đóng thông báo này</translation>
    </message>
</context>
<context>
    <name>BuildStrip</name>
    <message>
        <source>Progress of the build</source>
        <translation>Tiến độ biên dịch</translation>
    </message>
    <message>
        <source>Show log</source>
        <translation>Xem nhật ký</translation>
    </message>
    <message>
        <source>Answers come from ik_llama.cpp meanwhile.</source>
        <translation>Trong lúc đó ik_llama.cpp trả lời.</translation>
    </message>
    <message>
        <source>llama.cpp is built. Start the program again to use both engines.</source>
        <translation>Đã biên dịch xong llama.cpp. Hãy khởi động lại chương trình để dùng cả hai bộ máy.</translation>
    </message>
    <message>
        <source>Restart now</source>
        <translation>Khởi động lại ngay</translation>
    </message>
    <message>
        <source>The build of llama.cpp was stopped before it was done. ik_llama.cpp goes on answering; close the window and run “python3 dev.py run” again to go on with it.</source>
        <translation>Việc biên dịch llama.cpp bị dừng khi chưa xong. ik_llama.cpp vẫn tiếp tục trả lời; hãy đóng cửa sổ và chạy lại “python3 dev.py run” để biên dịch tiếp.</translation>
    </message>
    <message>
        <source>How far the build of llama.cpp is cannot be read any more. ik_llama.cpp goes on answering; the terminal says when both engines are there.</source>
        <translation>Không còn đọc được tiến độ biên dịch llama.cpp. ik_llama.cpp vẫn tiếp tục trả lời; khi có đủ hai bộ máy, cửa sổ dòng lệnh sẽ báo.</translation>
    </message>
    <message>
        <source>The build of llama.cpp, the first engine, begins.</source>
        <translation>Bắt đầu biên dịch llama.cpp, bộ máy thứ nhất.</translation>
    </message>
    <message>
        <source>Fetching the source of llama.cpp, the first engine: {share}.</source>
        <translation>Đang tải mã nguồn của llama.cpp, bộ máy thứ nhất: {share}.</translation>
    </message>
    <message>
        <source>Trying llama.cpp, the first engine, on this processor: {share}.</source>
        <translation>Đang chạy thử llama.cpp, bộ máy thứ nhất, trên bộ xử lý này: {share}.</translation>
    </message>
    <message>
        <source>Installing llama.cpp, the first engine: {share}.</source>
        <translation>Đang cài đặt llama.cpp, bộ máy thứ nhất: {share}.</translation>
    </message>
    <message>
        <source>Building llama.cpp, the first engine: {share}.</source>
        <translation>Đang biên dịch llama.cpp, bộ máy thứ nhất: {share}.</translation>
    </message>
    <message>
        <source>Building llama.cpp, the first engine: {share}, about a minute left.</source>
        <translation>Đang biên dịch llama.cpp, bộ máy thứ nhất: {share}, còn khoảng một phút.</translation>
    </message>
    <message>
        <source>Building llama.cpp, the first engine: {share}, about {count} minutes left.</source>
        <translation>Đang biên dịch llama.cpp, bộ máy thứ nhất: {share}, còn khoảng {count} phút.</translation>
    </message>
    <message>
        <source>ik_llama.cpp goes on answering; the next start tries to build llama.cpp again.</source>
        <translation>ik_llama.cpp vẫn tiếp tục trả lời; lần khởi động sau sẽ thử biên dịch lại llama.cpp.</translation>
    </message>
    <message>
        <source>llama.cpp could not be built.</source>
        <translation>Không biên dịch được llama.cpp.</translation>
    </message>
    <message>
        <source>When the answer or the comparison is done</source>
        <translation>Khi câu trả lời hoặc phép so sánh đã xong</translation>
    </message>
    <message>
        <source>No program here opens the log. It is in {path}.</source>
        <translation>Trên máy này không có chương trình nào mở được nhật ký. Nhật ký nằm ở {path}.</translation>
    </message>
</context>
<context>
    <name>Chart</name>
    <message>
        <source>Save this picture</source>
        <translation>Lưu hình này</translation>
    </message>
    <message>
        <source>Save the picture “{title}”</source>
        <translation>Lưu hình “{title}”</translation>
    </message>
    <message>
        <source>As PNG…</source>
        <translation>Dạng PNG…</translation>
    </message>
    <message>
        <source>As SVG…</source>
        <translation>Dạng SVG…</translation>
    </message>
</context>
<context>
    <name>ChatController</name>
    <message>
        <source>The context is full: the oldest {count} messages were left out.</source>
        <translation>Ngữ cảnh đã đầy: {count} tin nhắn cũ nhất không được gửi đi.</translation>
    </message>
</context>
<context>
    <name>ChatHeader</name>
    <message>
        <source>Choose target and draft (Ctrl+M)</source>
        <translation>Chọn mô hình chính và mô hình nháp (Ctrl+M)</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Bỏ qua</translation>
    </message>
    <message>
        <source>Go on with what is known; it is measured again when there is time</source>
        <translation>Tiếp tục với những gì đã biết; sẽ đo lại khi có thời gian</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Hủy</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Cuộc trò chuyện mới</translation>
    </message>
    <message>
        <source>Start an empty chat (Ctrl+N)</source>
        <translation>Bắt đầu một cuộc trò chuyện trống (Ctrl+N)</translation>
    </message>
    <message>
        <source>Speed panel</source>
        <translation>Bảng tốc độ</translation>
    </message>
    <message>
        <source>Show or hide the speed panel (Ctrl+Shift+S)</source>
        <translation>Hiện hoặc ẩn bảng tốc độ (Ctrl+Shift+S)</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Cuộc trò chuyện</translation>
    </message>
    <message>
        <source>Show or hide the conversations (Ctrl+Shift+L)</source>
        <translation>Hiện hoặc ẩn các cuộc trò chuyện (Ctrl+Shift+L)</translation>
    </message>
    <message>
        <source>Loading the target…</source>
        <translation>Đang nạp mô hình chính…</translation>
    </message>
    <message>
        <source>Loading the draft…</source>
        <translation>Đang nạp mô hình nháp…</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Sẵn sàng</translation>
    </message>
    <message>
        <source>Answering</source>
        <translation>Đang trả lời</translation>
    </message>
    <message>
        <source>Not loaded</source>
        <translation>Chưa nạp</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>Chọn mô hình</translation>
    </message>
    <message>
        <source>Comparing two engines…</source>
        <translation>Đang so sánh hai bộ máy…</translation>
    </message>
    <message>
        <source>Comparing two engines: {time} left</source>
        <translation>Đang so sánh hai bộ máy: còn {time}</translation>
    </message>
</context>
<context>
    <name>ChatPage</name>
    <message>
        <source>{used} of {whole} tokens of the context used</source>
        <translation>Đã dùng {used} trong {whole} token của ngữ cảnh</translation>
    </message>
    <message>
        <source>{used} of {whole} tokens of the context used: the oldest {count} messages are left out</source>
        <translation>Đã dùng {used} trong {whole} token của ngữ cảnh: {count} tin nhắn cũ nhất không được gửi</translation>
    </message>
    <message>
        <source>{used} of {whole} tokens of the context used: soon the oldest messages are left out</source>
        <translation>Đã dùng {used} trong {whole} token của ngữ cảnh: sắp phải bỏ các tin nhắn cũ nhất</translation>
    </message>
    <message>
        <source>{name} was not attached: {count} files go with one message at most.</source>
        <translation>Không đính kèm {name}: mỗi tin nhắn chỉ kèm được nhiều nhất {count} tệp.</translation>
    </message>
</context>
<context>
    <name>Code</name>
    <message>
        <source>code</source>
        <translation>mã</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Sao chép</translation>
    </message>
    <message>
        <source>[image, not loaded: {name}]</source>
        <translation>[hình ảnh, không tải: {name}]</translation>
    </message>
</context>
<context>
    <name>Compare</name>
    <message>
        <source>“{name}” is too large for a file of prompts.</source>
        <translation>“{name}” quá lớn đối với tệp lời nhắc.</translation>
    </message>
    <message>
        <source>Choose a file of less than 10 MB.</source>
        <translation>Hãy chọn tệp nhỏ hơn 10 MB.</translation>
    </message>
    <message>
        <source>it is not text in UTF-8</source>
        <translation>đó không phải văn bản UTF-8</translation>
    </message>
    <message>
        <source>“{name}” could not be read: {reason}.</source>
        <translation>Không đọc được “{name}”: {reason}.</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <translation>Hãy chọn tệp khác.</translation>
    </message>
    <message>
        <source>No kind of prompt is chosen.</source>
        <translation>Chưa chọn loại lời nhắc nào.</translation>
    </message>
    <message>
        <source>Choose at least one kind.</source>
        <translation>Hãy chọn ít nhất một loại.</translation>
    </message>
    <message>
        <source>No file is chosen.</source>
        <translation>Chưa chọn tệp nào.</translation>
    </message>
    <message>
        <source>Choose one.</source>
        <translation>Hãy chọn một tệp.</translation>
    </message>
    <message>
        <source>The chat has no question yet.</source>
        <translation>Cuộc trò chuyện chưa có câu hỏi nào.</translation>
    </message>
    <message>
        <source>Ask one there, or type a prompt here.</source>
        <translation>Hãy đặt câu hỏi ở đó, hoặc nhập lời nhắc tại đây.</translation>
    </message>
    <message>
        <source>There is no prompt yet.</source>
        <translation>Chưa có lời nhắc nào.</translation>
    </message>
    <message>
        <source>Type one, or choose the shipped prompts.</source>
        <translation>Hãy nhập một lời nhắc, hoặc chọn bộ lời nhắc có sẵn.</translation>
    </message>
    <message>
        <source>Side {letter} has no model.</source>
        <translation>Bên {letter} chưa có mô hình.</translation>
    </message>
    <message>
        <source>Choose a target for it.</source>
        <translation>Hãy chọn mô hình chính cho bên này.</translation>
    </message>
    <message>
        <source>Side {letter} drafts with a model, but has none.</source>
        <translation>Bên {letter} dùng mô hình nháp nhưng chưa có mô hình nào.</translation>
    </message>
    <message>
        <source>Choose a draft for it, or a method that needs none.</source>
        <translation>Hãy chọn mô hình nháp cho bên này, hoặc một phương pháp không cần mô hình nháp.</translation>
    </message>
    <message>
        <source>No model is chosen.</source>
        <translation>Chưa chọn mô hình nào.</translation>
    </message>
    <message>
        <source>Choose a target.</source>
        <translation>Hãy chọn một mô hình chính.</translation>
    </message>
    <message>
        <source>{n} shipped prompts of {kinds} kinds</source>
        <translation>{n} lời nhắc có sẵn thuộc {kinds} loại</translation>
    </message>
    <message>
        <source>Shipped prompts: {kinds}</source>
        <translation>Lời nhắc có sẵn: {kinds}</translation>
    </message>
    <message>
        <source>{n} prompts of {file}</source>
        <translation>{n} lời nhắc trong {file}</translation>
    </message>
    <message>
        <source>{method}, drafted by {draft}</source>
        <translation>{method}, nháp bằng {draft}</translation>
    </message>
    <message>
        <source>draft’s {name}</source>
        <translation>{name} của mô hình nháp</translation>
    </message>
    <message>
        <source>{value} tokens</source>
        <translation>{value} token</translation>
    </message>
    <message>
        <source>{value} engine</source>
        <translation>bộ máy {value}</translation>
    </message>
    <message>
        <source>context {value}</source>
        <translation>ngữ cảnh {value}</translation>
    </message>
    <message>
        <source>{value} threads</source>
        <translation>{value} luồng</translation>
    </message>
    <message>
        <source>{value} GPU layers</source>
        <translation>{value} lớp trên GPU</translation>
    </message>
    <message>
        <source>K cache {value}</source>
        <translation>bộ đệm K {value}</translation>
    </message>
    <message>
        <source>V cache {value}</source>
        <translation>bộ đệm V {value}</translation>
    </message>
    <message>
        <source>flash attention {value}</source>
        <translation>flash attention {value}</translation>
    </message>
    <message>
        <source>Speculation off</source>
        <translation>Tắt suy đoán</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Tự động</translation>
    </message>
    <message>
        <source>Fixed K={n}</source>
        <translation>Cố định K={n}</translation>
    </message>
    <message>
        <source>at least {n}</source>
        <translation>ít nhất {n}</translation>
    </message>
    <message>
        <source>p ≥ {p}</source>
        <translation>p ≥ {p}</translation>
    </message>
    <message>
        <source>The file “{path}” could not be written: {reason}.</source>
        <translation>Không ghi được tệp “{path}”: {reason}.</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>Hãy chọn thư mục khác.</translation>
    </message>
    <message>
        <source>The picture “{path}” could not be written.</source>
        <translation>Không ghi được hình “{path}”.</translation>
    </message>
</context>
<context>
    <name>CompareAnswers</name>
    <message>
        <source>Answers</source>
        <translation>Câu trả lời</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Lời nhắc</translation>
    </message>
    <message>
        <source>The prompt whose answers are shown</source>
        <translation>Lời nhắc có các câu trả lời được hiển thị</translation>
    </message>
    <message>
        <source>Answer of {letter}</source>
        <translation>Câu trả lời của {letter}</translation>
    </message>
    <message>
        <source>No answer was finished.</source>
        <translation>Chưa có câu trả lời nào hoàn thành.</translation>
    </message>
    <message>
        <source>Where they part (the target’s own scores): {lines}</source>
        <translation>Chỗ khác nhau (điểm do chính mô hình chính chấm): {lines}</translation>
    </message>
    <message>
        <source>They wrote different texts.</source>
        <translation>Hai bên viết khác nhau.</translation>
    </message>
    <message>
        <source>Both wrote the same text.</source>
        <translation>Hai bên viết giống hệt nhau.</translation>
    </message>
    <message>
        <source>All wrote the same text.</source>
        <translation>Tất cả viết giống hệt nhau.</translation>
    </message>
</context>
<context>
    <name>CompareCharts</name>
    <message>
        <source>Speed, tokens/s</source>
        <translation>Tốc độ, token/giây</translation>
    </message>
    <message>
        <source>Accepted, by place in the draft</source>
        <translation>Được chấp nhận, theo vị trí trong bản nháp</translation>
    </message>
    <message>
        <source>place</source>
        <translation>vị trí</translation>
    </message>
    <message>
        <source>Drafts, by accepted tokens</source>
        <translation>Số bản nháp, theo token được chấp nhận</translation>
    </message>
    <message>
        <source>accepted</source>
        <translation>được chấp nhận</translation>
    </message>
    <message>
        <source>Time per token, ms</source>
        <translation>Thời gian mỗi token, ms</translation>
    </message>
    <message>
        <source>Memory, GB</source>
        <translation>Bộ nhớ, GB</translation>
    </message>
    <message>
        <source>Speed-up by draft length K</source>
        <translation>Tăng tốc theo độ dài nháp K</translation>
    </message>
    <message>
        <source>Speed-up by method</source>
        <translation>Tăng tốc theo phương pháp</translation>
    </message>
    <message>
        <source>Nothing was drafted.</source>
        <translation>Không có token nháp nào.</translation>
    </message>
</context>
<context>
    <name>CompareController</name>
    <message>
        <source>An answer is being written, and the two would slow each other down.</source>
        <translation>Đang viết một câu trả lời, và hai việc sẽ làm chậm lẫn nhau.</translation>
    </message>
    <message>
        <source>Start when it is finished, or stop it.</source>
        <translation>Hãy bắt đầu khi viết xong, hoặc dừng câu trả lời.</translation>
    </message>
    <message>
        <source>Stopped before the first answer was finished, so there is no result.</source>
        <translation>Đã dừng trước khi câu trả lời đầu tiên hoàn thành nên không có kết quả.</translation>
    </message>
</context>
<context>
    <name>ComparePage</name>
    <message>
        <source>Compare</source>
        <translation>So sánh</translation>
    </message>
    <message>
        <source>New comparison</source>
        <translation>Lần so sánh mới</translation>
    </message>
    <message>
        <source>Sweep: {title}</source>
        <translation>Quét: {title}</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>Lưu dạng</translation>
    </message>
    <message>
        <source>Write this result to a {form} file</source>
        <translation>Ghi kết quả này vào tệp {form}</translation>
    </message>
    <message>
        <source>The chat’s models are unloaded while this runs, and come back afterwards.</source>
        <translation>Trong khi chạy, các mô hình của cuộc trò chuyện được gỡ khỏi bộ nhớ và sẽ được nạp lại sau đó.</translation>
    </message>
    <message>
        <source>Both sides are the same, so this shows how much the machine itself scatters.</source>
        <translation>Hai bên giống nhau, nên kết quả cho thấy bản thân máy dao động bao nhiêu.</translation>
    </message>
    <message>
        <source>The sides need different models and are loaded in turns, which takes longer.</source>
        <translation>Các bên cần mô hình khác nhau và được nạp lần lượt, nên mất nhiều thời gian hơn.</translation>
    </message>
    <message>
        <source>The models of all sides fit into memory together and stay loaded.</source>
        <translation>Mô hình của mọi bên cùng vừa trong bộ nhớ và luôn được nạp sẵn.</translation>
    </message>
    <message>
        <source>{n} answers at least</source>
        <translation>ít nhất {n} câu trả lời</translation>
    </message>
    <message>
        <source>{sides} settings on {prompts}: {n} answers, then the fastest again</source>
        <translation>{sides} cấu hình trên {prompts}: {n} câu trả lời, rồi đo lại các cấu hình nhanh nhất</translation>
    </message>
    <message>
        <source>one prompt</source>
        <translation>một lời nhắc</translation>
    </message>
    <message>
        <source>{n} prompts</source>
        <translation>{n} lời nhắc</translation>
    </message>
    <message>
        <source>; the time is known after the first.</source>
        <translation>; thời gian sẽ rõ sau câu trả lời đầu tiên.</translation>
    </message>
    <message>
        <source>, about {time}.</source>
        <translation>, khoảng {time}.</translation>
    </message>
    <message>
        <source>{n} answers failed and are left out. {reason}</source>
        <translation>{n} câu trả lời bị lỗi và không được tính. {reason}</translation>
    </message>
    <message>
        <source>The same prompt, answered by all sides in turns: is B faster than A, by how much, and how sure is that? Choose the sides and a prompt, then press Start.</source>
        <translation>Cùng một lời nhắc, mọi bên lần lượt trả lời: B có nhanh hơn A không, nhanh hơn bao nhiêu và chắc chắn đến mức nào? Chọn các bên và một lời nhắc, rồi nhấn Bắt đầu.</translation>
    </message>
    <message>
        <source>Written to {path}.</source>
        <translation>Đã ghi vào {path}.</translation>
    </message>
    <message>
        <source>“{title}” was deleted.</source>
        <translation>Đã xóa “{title}”.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Hoàn tác</translation>
    </message>
    <message>
        <source>Save the comparison</source>
        <translation>Lưu kết quả so sánh</translation>
    </message>
</context>
<context>
    <name>CompareSetup</name>
    <message>
        <source>Side by side</source>
        <translation>Cạnh nhau</translation>
    </message>
    <message>
        <source>Two to four configurations against each other</source>
        <translation>So sánh hai đến bốn cấu hình với nhau</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Quét</translation>
    </message>
    <message>
        <source>Every draft length and method of one pair, to find the best</source>
        <translation>Thử mọi độ dài nháp và phương pháp của một cặp để tìm cách tốt nhất</translation>
    </message>
    <message>
        <source>What to compare</source>
        <translation>So sánh những gì</translation>
    </message>
    <message>
        <source>What is compared with</source>
        <translation>Mốc để so sánh</translation>
    </message>
    <message>
        <source>What may be faster</source>
        <translation>Bên có thể nhanh hơn</translation>
    </message>
    <message>
        <source>Another one</source>
        <translation>Một bên nữa</translation>
    </message>
    <message>
        <source>Add a side</source>
        <translation>Thêm một bên</translation>
    </message>
    <message>
        <source>Up to four configurations can be compared at once</source>
        <translation>Có thể so sánh nhiều nhất bốn cấu hình cùng lúc</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Bắt đầu</translation>
    </message>
    <message>
        <source>Measure all sides in turns (Ctrl+Return)</source>
        <translation>Đo lần lượt mọi bên (Ctrl+Return)</translation>
    </message>
    <message>
        <source>The pair whose draft lengths and methods are tried</source>
        <translation>Cặp được thử các độ dài nháp và phương pháp</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Write a message</source>
        <translation>Viết tin nhắn</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Tin nhắn</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter starts a new line</source>
        <translation>Enter để gửi, Shift+Enter để xuống dòng</translation>
    </message>
    <message>
        <source>Attach text, code or PDF files (Ctrl+Shift+A)</source>
        <translation>Đính kèm tệp văn bản, mã nguồn hoặc PDF (Ctrl+Shift+A)</translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation>Đính kèm tệp</translation>
    </message>
    <message>
        <source>Editing an earlier message. It stays as another version.</source>
        <translation>Đang sửa một tin nhắn trước đó. Tin nhắn cũ vẫn được giữ như một phiên bản khác.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Hủy</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Dừng</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Gửi</translation>
    </message>
    <message>
        <source>Stop the answer (Esc)</source>
        <translation>Dừng trả lời (Esc)</translation>
    </message>
    <message>
        <source>Send (Enter)</source>
        <translation>Gửi (Enter)</translation>
    </message>
</context>
<context>
    <name>ConnectionDialog</name>
    <message>
        <source>Model hub</source>
        <translation>Kho mô hình</translation>
    </message>
    <message>
        <source>Offline: ask nothing of the network</source>
        <translation>Ngoại tuyến: không hỏi gì qua mạng</translation>
    </message>
    <message>
        <source>Address of the hub</source>
        <translation>Địa chỉ của kho</translation>
    </message>
    <message>
        <source>hf_…</source>
        <translation>hf_…</translation>
    </message>
    <message>
        <source>Access token</source>
        <translation>Mã truy cập</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Địa chỉ</translation>
    </message>
    <message>
        <source>A mirror of the hub, if you use one. Empty: HF_ENDPOINT, or {hub}. Proxies are those of the system.</source>
        <translation>Địa chỉ máy chủ nhân bản của kho, nếu bạn dùng. Để trống: HF_ENDPOINT, hoặc {hub}. Proxy theo thiết lập của hệ thống.</translation>
    </message>
    <message>
        <source>Only for models whose publisher asks for your agreement: accept the terms on the model’s page, make a token with the right to read on {hub}/settings/tokens, and paste it here. It is kept in the system’s keyring and sent to this hub alone; a token of the hub’s own program or of HF_TOKEN is used as well.</source>
        <translation>Chỉ cần cho các mô hình mà nhà phát hành yêu cầu bạn đồng ý điều khoản: chấp nhận điều khoản trên trang của mô hình, tạo mã có quyền đọc tại {hub}/settings/tokens rồi dán vào đây. Mã được giữ trong kho khóa của hệ thống và chỉ gửi đến kho mô hình này; mã của chương trình riêng của kho hoặc của HF_TOKEN cũng được dùng.</translation>
    </message>
    <message>
        <source>The address must begin with https:// (or http:// inside your own network).</source>
        <translation>Địa chỉ phải bắt đầu bằng https:// (hoặc http:// trong mạng của chính bạn).</translation>
    </message>
</context>
<context>
    <name>ConversationList</name>
    <message>
        <source>Search conversations</source>
        <translation>Tìm cuộc trò chuyện</translation>
    </message>
    <message>
        <source>New chat (Ctrl+N)</source>
        <translation>Cuộc trò chuyện mới (Ctrl+N)</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Cuộc trò chuyện mới</translation>
    </message>
    <message>
        <source>Import and export</source>
        <translation>Nhập và xuất</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Cuộc trò chuyện</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Hoàn tác</translation>
    </message>
    <message>
        <source>Nothing found. Try fewer or shorter words.</source>
        <translation>Không tìm thấy gì. Hãy thử ít từ hơn hoặc từ ngắn hơn.</translation>
    </message>
    <message>
        <source>Your conversations will be listed here. Write a message to begin one.</source>
        <translation>Các cuộc trò chuyện của bạn sẽ có ở đây. Hãy viết một tin nhắn để bắt đầu.</translation>
    </message>
    <message>
        <source>Other conversations</source>
        <translation>Các cuộc trò chuyện khác</translation>
    </message>
    <message>
        <source>{name} ({count})</source>
        <translation>{name} ({count})</translation>
    </message>
    <message>
        <source>folded</source>
        <translation>đang gập</translation>
    </message>
    <message>
        <source>open</source>
        <translation>đang mở</translation>
    </message>
    <message>
        <source>Folder {name}, {state}</source>
        <translation>Thư mục {name}, {state}</translation>
    </message>
    <message>
        <source>Deleted “{title}”</source>
        <translation>Đã xóa “{title}”</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>Đổi tên…</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Bỏ ghim</translation>
    </message>
    <message>
        <source>Pin to the top</source>
        <translation>Ghim lên đầu</translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation>Sao chép dạng Markdown</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Xuất…</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>Xóa…</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Thư mục</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Không có</translation>
    </message>
    <message>
        <source>New folder…</source>
        <translation>Thư mục mới…</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>Thư mục mới</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Tên</translation>
    </message>
    <message>
        <source>Import conversations…</source>
        <translation>Nhập cuộc trò chuyện…</translation>
    </message>
    <message>
        <source>Export all conversations…</source>
        <translation>Xuất mọi cuộc trò chuyện…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Xuất</translation>
    </message>
    <message>
        <source>Markdown, to read (*.md)</source>
        <translation>Markdown, để đọc (*.md)</translation>
    </message>
    <message>
        <source>JSON, to keep (*.json)</source>
        <translation>JSON, để lưu giữ (*.json)</translation>
    </message>
    <message>
        <source>Import conversations</source>
        <translation>Nhập cuộc trò chuyện</translation>
    </message>
    <message>
        <source>Exports of Slipstream, ChatGPT and LM Studio (*.json)</source>
        <translation>Tệp xuất từ Slipstream, ChatGPT và LM Studio (*.json)</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Đổi tên</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>Tiêu đề</translation>
    </message>
    <message>
        <source>Delete this conversation?</source>
        <translation>Xóa cuộc trò chuyện này?</translation>
    </message>
    <message>
        <source>Delete “{title}”?</source>
        <translation>Xóa “{title}”?</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Xóa</translation>
    </message>
</context>
<context>
    <name>ConversationsPresenter</name>
    <message>
        <source>The chat that {name} was for took it no longer. Attach it again where you want it.</source>
        <translation>Cuộc trò chuyện mà {name} thuộc về không nhận tệp được nữa. Hãy đính kèm lại ở nơi bạn cần.</translation>
    </message>
</context>
<context>
    <name>DeviceTable</name>
    <message>
        <source>The engine has not been asked yet. Load a model and open the settings again.</source>
        <translation>Bộ máy chưa được hỏi. Hãy nạp một mô hình rồi mở lại cài đặt.</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Bộ xử lý</translation>
    </message>
    <message>
        <source>Graphics card</source>
        <translation>Card đồ họa</translation>
    </message>
    <message>
        <source>Built-in graphics</source>
        <translation>Đồ họa tích hợp</translation>
    </message>
    <message>
        <source>Accelerator</source>
        <translation>Bộ tăng tốc</translation>
    </message>
    <message>
        <source>{free} of {total} free</source>
        <translation>còn trống {free} trong {total}</translation>
    </message>
</context>
<context>
    <name>DownloadRow</name>
    <message>
        <source>Use</source>
        <translation>Dùng</translation>
    </message>
    <message>
        <source>Access token…</source>
        <translation>Mã truy cập…</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Tạm dừng</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Tiếp tục</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Hủy</translation>
    </message>
    <message>
        <source>Take off the list</source>
        <translation>Bỏ khỏi danh sách</translation>
    </message>
    <message>
        <source>Cancel and remove what arrived</source>
        <translation>Hủy và xóa phần đã tải</translation>
    </message>
    <message>
        <source>Pause {name}</source>
        <translation>Tạm dừng {name}</translation>
    </message>
    <message>
        <source>Resume {name}</source>
        <translation>Tiếp tục {name}</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} trong {total}</translation>
    </message>
    <message>
        <source>{total}, whole and checked</source>
        <translation>{total}, đầy đủ và đã kiểm tra</translation>
    </message>
    <message>
        <source>waits for its turn</source>
        <translation>đang chờ đến lượt</translation>
    </message>
    <message>
        <source>checking what is there</source>
        <translation>đang kiểm tra phần đã có</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>đã tạm dừng</translation>
    </message>
    <message>
        <source>{speed}/s</source>
        <translation>{speed}/giây</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>còn {time}</translation>
    </message>
</context>
<context>
    <name>EarlierCard</name>
    <message>
        <source>Beside an earlier result</source>
        <translation>Đặt cạnh một kết quả trước</translation>
    </message>
    <message>
        <source>An earlier result whose figures are shown beside these</source>
        <translation>Kết quả trước có số liệu được đặt cạnh kết quả này</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Không có</translation>
    </message>
    <message>
        <source>“Now/then” holds for the prompts that both have. The two were not measured in turns, so the machine’s own ups and downs are in it.</source>
        <translation>“Nay/trước” tính trên các lời nhắc mà cả hai đều có. Hai lần không được đo xen kẽ nên kết quả có cả dao động của bản thân máy.</translation>
    </message>
    <message>
        <source>now, tokens/s</source>
        <translation>nay, token/giây</translation>
    </message>
    <message>
        <source>then</source>
        <translation>trước</translation>
    </message>
    <message>
        <source>now/then</source>
        <translation>nay/trước</translation>
    </message>
    <message>
        <source>speed-up now</source>
        <translation>tăng tốc nay</translation>
    </message>
    <message>
        <source>speed-up then</source>
        <translation>tăng tốc trước</translation>
    </message>
</context>
<context>
    <name>EmptyChat</name>
    <message>
        <source>Welcome to Slipstream</source>
        <translation>Chào mừng đến với Slipstream</translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation>Đang tìm mô hình…</translation>
    </message>
    <message>
        <source>What shall we work on?</source>
        <translation>Hôm nay ta làm gì nào?</translation>
    </message>
    <message>
        <source>Your messages stay on this computer.</source>
        <translation>Tin nhắn của bạn chỉ ở trên máy này.</translation>
    </message>
    <message>
        <source>No model was found on this computer. Get one here to begin: it is kept on this computer, and so is all that you write. (From a source folder, “python3 dev.py models” gets the same.)</source>
        <translation>Không tìm thấy mô hình nào trên máy này. Hãy tải một mô hình ở đây để bắt đầu: mô hình và mọi điều bạn viết đều được giữ trên máy này. (Từ thư mục mã nguồn, “python3 dev.py models” cũng tải như vậy.)</translation>
    </message>
</context>
<context>
    <name>EngineController</name>
    <message>
        <source>No model is loaded.</source>
        <translation>Chưa nạp mô hình nào.</translation>
    </message>
    <message>
        <source>Choose a model first.</source>
        <translation>Hãy chọn một mô hình trước.</translation>
    </message>
    <message>
        <source>Stopped before the model was loaded.</source>
        <translation>Đã dừng trước khi nạp xong mô hình.</translation>
    </message>
</context>
<context>
    <name>EngineRow</name>
    <message>
        <source>Measure again</source>
        <translation>Đo lại</translation>
    </message>
    <message>
        <source>Load a model to see which engine runs it, and why.</source>
        <translation>Hãy nạp một mô hình để xem bộ máy nào chạy nó, và vì sao.</translation>
    </message>
    <message>
        <source>Measuring…</source>
        <translation>Đang đo…</translation>
    </message>
</context>
<context>
    <name>ErrorReporter</name>
    <message>
        <source>Slipstream crashed the last time it ran</source>
        <translation>Slipstream đã gặp sự cố trong lần chạy trước</translation>
    </message>
    <message>
        <source>The window ended by a fault of its own. Your chats are kept, but for the last half second of text.</source>
        <translation>Cửa sổ đã đóng do lỗi của chính chương trình. Các cuộc trò chuyện vẫn được giữ, có thể trừ nửa giây văn bản cuối.</translation>
    </message>
    <message>
        <source>You can go on working. If it happens again, please send the report to the developers.</source>
        <translation>Bạn có thể làm việc tiếp. Nếu lỗi lặp lại, hãy gửi báo cáo cho nhà phát triển.</translation>
    </message>
    <message>
        <source>Something went wrong</source>
        <translation>Đã xảy ra lỗi</translation>
    </message>
    <message>
        <source>Slipstream made a mistake</source>
        <translation>Slipstream đã gặp lỗi</translation>
    </message>
    <message>
        <source>Something in the program did not work as it should. Your chats are kept, and the window goes on.</source>
        <translation>Một phần của chương trình không hoạt động như mong muốn. Các cuộc trò chuyện vẫn được giữ và cửa sổ vẫn chạy tiếp.</translation>
    </message>
    <message>
        <source>If something looks wrong, start the program again, and please send the report to the developers.</source>
        <translation>Nếu có gì đó không ổn, hãy khởi động lại chương trình và gửi báo cáo cho nhà phát triển.</translation>
    </message>
</context>
<context>
    <name>FailureDialog</name>
    <message>
        <source>Slipstream</source>
        <translation>Slipstream</translation>
    </message>
    <message>
        <source>The report holds versions, devices, settings and the last log lines. It holds no chat text, and it leaves this computer only if you paste it somewhere.</source>
        <translation>Báo cáo gồm phiên bản, thiết bị, cài đặt và những dòng nhật ký cuối. Báo cáo không chứa nội dung trò chuyện, và chỉ rời máy này nếu bạn dán nó ở nơi khác.</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Báo cáo</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>Sao chép báo cáo</translation>
    </message>
    <message>
        <source>Show report</source>
        <translation>Hiện báo cáo</translation>
    </message>
    <message>
        <source>Open log folder</source>
        <translation>Mở thư mục nhật ký</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Đóng</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Đã sao chép</translation>
    </message>
    <message>
        <source>Hide report</source>
        <translation>Ẩn báo cáo</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>{n} tokens/s</source>
        <translation>{n} token/giây</translation>
    </message>
    <message>
        <source>{n} ms</source>
        <translation>{n} ms</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} giây</translation>
    </message>
    <message>
        <source>{m} min</source>
        <translation>{m} phút</translation>
    </message>
    <message>
        <source>ended at a stop text</source>
        <translation>kết thúc ở chuỗi dừng</translation>
    </message>
    <message>
        <source>cut at the length limit</source>
        <translation>bị cắt ở giới hạn độ dài</translation>
    </message>
    <message>
        <source>context full</source>
        <translation>ngữ cảnh đã đầy</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>đã dừng</translation>
    </message>
    <message>
        <source>cut off when the program ended</source>
        <translation>bị cắt khi chương trình kết thúc</translation>
    </message>
    <message>
        <source>Waiting for the engine…</source>
        <translation>Đang chờ bộ máy…</translation>
    </message>
    <message>
        <source>Reading the prompt: {done} of {total} tokens</source>
        <translation>Đang đọc lời nhắc: {done} trong {total} token</translation>
    </message>
    <message>
        <source>1 token</source>
        <translation>1 token</translation>
    </message>
    <message>
        <source>{n} tokens</source>
        <translation>{n} token</translation>
    </message>
    <message>
        <source>first after {time}</source>
        <translation>chờ {time}</translation>
    </message>
    <message>
        <source>{share} accepted</source>
        <translation>chấp nhận {share}</translation>
    </message>
    <message>
        <source>{n} per step</source>
        <translation>{n}/bước</translation>
    </message>
    <message>
        <source>{gain} speed-up</source>
        <translation>tăng tốc {gain}</translation>
    </message>
    <message>
        <source>other programs: {used} of {cores} cores</source>
        <translation>chương trình khác: {used} trên {cores} nhân</translation>
    </message>
    <message>
        <source>unnamed model</source>
        <translation>mô hình không tên</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Find in this chat</source>
        <translation>Tìm trong cuộc trò chuyện này</translation>
    </message>
    <message>
        <source>Previous (Shift+Enter)</source>
        <translation>Trước (Shift+Enter)</translation>
    </message>
    <message>
        <source>Next (Enter)</source>
        <translation>Tiếp (Enter)</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>Đóng (Esc)</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Không tìm thấy</translation>
    </message>
    <message>
        <source>{n} of {all}</source>
        <translation>{n} trong {all}</translation>
    </message>
</context>
<context>
    <name>FoldersButton</name>
    <message>
        <source>Folders</source>
        <translation>Thư mục</translation>
    </message>
    <message>
        <source>Folders that are searched for models; add one of your own</source>
        <translation>Các thư mục được tìm mô hình; có thể thêm thư mục của bạn</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>Thêm thư mục…</translation>
    </message>
    <message>
        <source>Remove {folder}</source>
        <translation>Bỏ {folder}</translation>
    </message>
    <message>
        <source>Always searched: {folder}</source>
        <translation>Luôn được tìm: {folder}</translation>
    </message>
    <message>
        <source>Found as well: {programs}</source>
        <translation>Cũng tìm thấy: {programs}</translation>
    </message>
    <message>
        <source>Add a folder with models</source>
        <translation>Thêm một thư mục chứa mô hình</translation>
    </message>
</context>
<context>
    <name>GpuHowTo</name>
    <message>
        <source>{kind} ({makers})</source>
        <translation>{kind} ({makers})</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Sao chép</translation>
    </message>
    <message>
        <source>Copy the command for {kind}</source>
        <translation>Sao chép lệnh cho {kind}</translation>
    </message>
</context>
<context>
    <name>IntervalBars</name>
    <message>
        <source>{letter}: {factor} times as fast as A, 95% interval {low} to {high}</source>
        <translation>{letter}: nhanh gấp {factor} lần A, khoảng tin cậy 95% từ {low} đến {high}</translation>
    </message>
    <message>
        <source>faster than A</source>
        <translation>nhanh hơn A</translation>
    </message>
    <message>
        <source>B faster</source>
        <translation>B nhanh hơn</translation>
    </message>
    <message>
        <source>A faster</source>
        <translation>A nhanh hơn</translation>
    </message>
    <message>
        <source>1×, as fast</source>
        <translation>1×, bằng nhau</translation>
    </message>
</context>
<context>
    <name>KeptList</name>
    <message>
        <source>Earlier comparisons</source>
        <translation>Các lần so sánh trước</translation>
    </message>
    <message>
        <source>Results are kept here.</source>
        <translation>Kết quả được giữ ở đây.</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Xóa</translation>
    </message>
    <message>
        <source>Delete the chosen result; it can be brought back right afterwards</source>
        <translation>Xóa kết quả đã chọn; có thể khôi phục ngay sau đó</translation>
    </message>
</context>
<context>
    <name>LengthChart</name>
    <message>
        <source>There was no draft model to try lengths with.</source>
        <translation>Không có mô hình nháp để thử các độ dài.</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>đo được</translation>
    </message>
    <message>
        <source>theory</source>
        <translation>lý thuyết</translation>
    </message>
    <message>
        <source>best: K={n}, {factor}×</source>
        <translation>tốt nhất: K={n}, {factor}×</translation>
    </message>
    <message>
        <source>  ·  theory {n}×</source>
        <translation>  ·  lý thuyết {n}×</translation>
    </message>
</context>
<context>
    <name>Link</name>
    <message>
        <source>Open this link?</source>
        <translation>Mở liên kết này?</translation>
    </message>
    <message>
        <source>The model wrote this link. It leads to {host}.</source>
        <translation>Liên kết này do mô hình viết. Nó dẫn đến {host}.</translation>
    </message>
    <message>
        <source>Copy address</source>
        <translation>Sao chép địa chỉ</translation>
    </message>
    <message>
        <source>Open in the browser</source>
        <translation>Mở trong trình duyệt</translation>
    </message>
    <message>
        <source>an unknown place</source>
        <translation>một nơi không rõ</translation>
    </message>
</context>
<context>
    <name>MarkdownView</name>
    <message>
        <source>Copied</source>
        <translation>Đã sao chép</translation>
    </message>
</context>
<context>
    <name>Memory</name>
    <message>
        <source>graphics memory</source>
        <translation>bộ nhớ đồ họa</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>bộ nhớ</translation>
    </message>
    <message>
        <source>Target and draft need {needed} of {place} and only {free} are free, so the draft was left out. N-gram lookup needs no memory.</source>
        <translation>Mô hình chính và mô hình nháp cần {needed} {place} mà chỉ còn trống {free}, nên mô hình nháp không được nạp. Tra cứu N-gram không cần bộ nhớ.</translation>
    </message>
    <message>
        <source>The target alone needs {alone} of {place}, with the draft {needed}, and only {free} are free. It may be slow or stop. N-gram lookup needs no memory.</source>
        <translation>Riêng mô hình chính cần {alone} {place}, thêm mô hình nháp là {needed}, mà chỉ còn trống {free}. Có thể chậm hoặc bị dừng. Tra cứu N-gram không cần bộ nhớ.</translation>
    </message>
</context>
<context>
    <name>MemoryBanner</name>
    <message>
        <source>Other ways</source>
        <translation>Cách khác</translation>
    </message>
    <message>
        <source>Use N-gram lookup</source>
        <translation>Dùng tra cứu N-gram</translation>
    </message>
    <message>
        <source>Load anyway</source>
        <translation>Vẫn nạp</translation>
    </message>
</context>
<context>
    <name>MemoryBar</name>
    <message>
        <source>Memory: the engine holds {engine}; {used} of {total} are in use on this computer</source>
        <translation>Bộ nhớ: bộ máy giữ {engine}; máy này đang dùng {used} trong {total}</translation>
    </message>
</context>
<context>
    <name>MemoryChart</name>
    <message>
        <source>Memory, GB</source>
        <translation>Bộ nhớ, GB</translation>
    </message>
    <message>
        <source>Memory of the process, GB</source>
        <translation>Bộ nhớ của tiến trình, GB</translation>
    </message>
    <message>
        <source>process</source>
        <translation>tiến trình</translation>
    </message>
    <message>
        <source>Nothing is known of the memory.</source>
        <translation>Không biết gì về bộ nhớ.</translation>
    </message>
    <message>
        <source>Measured at most: {sizes}.</source>
        <translation>Đo được nhiều nhất: {sizes}.</translation>
    </message>
    <message>
        <source>Measured: {size} at most, in one process for all sides.</source>
        <translation>Đo được: nhiều nhất {size}, trong một tiến trình cho mọi bên.</translation>
    </message>
    <message>
        <source>target</source>
        <translation>mô hình chính</translation>
    </message>
    <message>
        <source>its cache</source>
        <translation>bộ đệm của nó</translation>
    </message>
    <message>
        <source>work</source>
        <translation>tính toán</translation>
    </message>
    <message>
        <source>draft</source>
        <translation>mô hình nháp</translation>
    </message>
    <message>
        <source>draft’s cache</source>
        <translation>bộ đệm của mô hình nháp</translation>
    </message>
</context>
<context>
    <name>MemoryStack</name>
    <message>
        <source>target</source>
        <translation>mô hình chính</translation>
    </message>
    <message>
        <source>its cache</source>
        <translation>bộ đệm của nó</translation>
    </message>
    <message>
        <source>its buffers</source>
        <translation>vùng tính toán</translation>
    </message>
    <message>
        <source>draft</source>
        <translation>mô hình nháp</translation>
    </message>
    <message>
        <source>engine</source>
        <translation>bộ máy</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Bộ nhớ</translation>
    </message>
    <message>
        <source>about {needed} of {free} free</source>
        <translation>khoảng {needed} trong {free} còn trống</translation>
    </message>
    <message>
        <source>about {needed} needed, {free} free</source>
        <translation>cần khoảng {needed}, còn trống {free}</translation>
    </message>
</context>
<context>
    <name>MemoryWays</name>
    <message>
        <source>What helps, the least loss first:</source>
        <translation>Cách khắc phục, ít mất mát nhất ở trước:</translation>
    </message>
</context>
<context>
    <name>Messages</name>
    <message>
        <source>No model is loaded.</source>
        <translation>Chưa nạp mô hình nào.</translation>
    </message>
    <message>
        <source>Choose a model first.</source>
        <translation>Hãy chọn một mô hình trước.</translation>
    </message>
    <message>
        <source>Choose another model.</source>
        <translation>Hãy chọn mô hình khác.</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <translation>Hãy chọn tệp khác.</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>Hãy chọn thư mục khác.</translation>
    </message>
    <message>
        <source>Choose another folder for models.</source>
        <translation>Hãy chọn thư mục khác cho mô hình.</translation>
    </message>
    <message>
        <source>Check the file.</source>
        <translation>Hãy kiểm tra tệp.</translation>
    </message>
    <message>
        <source>Check the folder.</source>
        <translation>Hãy kiểm tra thư mục.</translation>
    </message>
    <message>
        <source>Check the path.</source>
        <translation>Hãy kiểm tra đường dẫn.</translation>
    </message>
    <message>
        <source>Check the path, or choose another model.</source>
        <translation>Hãy kiểm tra đường dẫn, hoặc chọn mô hình khác.</translation>
    </message>
    <message>
        <source>Check the path and the file.</source>
        <translation>Hãy kiểm tra đường dẫn và tệp.</translation>
    </message>
    <message>
        <source>Try again.</source>
        <translation>Hãy thử lại.</translation>
    </message>
    <message>
        <source>Try again later.</source>
        <translation>Hãy thử lại sau.</translation>
    </message>
    <message>
        <source>Try again in a moment.</source>
        <translation>Hãy thử lại sau giây lát.</translation>
    </message>
    <message>
        <source>Try again in a few minutes.</source>
        <translation>Hãy thử lại sau vài phút.</translation>
    </message>
    <message>
        <source>Install Slipstream again.</source>
        <translation>Hãy cài lại Slipstream.</translation>
    </message>
    <message>
        <source>Install the program again.</source>
        <translation>Hãy cài lại chương trình.</translation>
    </message>
    <message>
        <source>Load the model again.</source>
        <translation>Hãy nạp lại mô hình.</translation>
    </message>
    <message>
        <source>Load the model again when you need it.</source>
        <translation>Hãy nạp lại mô hình khi bạn cần.</translation>
    </message>
    <message>
        <source>Start it again if you like.</source>
        <translation>Hãy bắt đầu lại nếu bạn muốn.</translation>
    </message>
    <message>
        <source>It was stopped.</source>
        <translation>Đã dừng.</translation>
    </message>
    <message>
        <source>Loading was stopped.</source>
        <translation>Đã dừng việc nạp.</translation>
    </message>
    <message>
        <source>The model file {name} is not there.</source>
        <translation>Tệp mô hình {name} không có ở đó.</translation>
    </message>
    <message>
        <source>The model file {name} could not be loaded.</source>
        <translation>Không nạp được tệp mô hình {name}.</translation>
    </message>
    <message>
        <source>The model file {name} could not be loaded by ik_llama.cpp.</source>
        <translation>ik_llama.cpp không nạp được tệp mô hình {name}.</translation>
    </message>
    <message>
        <source>The file may be damaged or of a kind this version cannot read; the log says more.</source>
        <translation>Tệp có thể bị hỏng hoặc thuộc loại mà phiên bản này không đọc được; nhật ký có thêm chi tiết.</translation>
    </message>
    <message>
        <source>Take the first engine for it, or another file; the log says more.</source>
        <translation>Hãy dùng bộ máy thứ nhất, hoặc một tệp khác; nhật ký có thêm chi tiết.</translation>
    </message>
    <message>
        <source>There is no file “{name}”.</source>
        <translation>Không có tệp “{name}”.</translation>
    </message>
    <message>
        <source>The file “{name}” cannot be read: {reason}.</source>
        <translation>Không đọc được tệp “{name}”: {reason}.</translation>
    </message>
    <message>
        <source>The file “{name}” could not be read: {reason}.</source>
        <translation>Không đọc được tệp “{name}”: {reason}.</translation>
    </message>
    <message>
        <source>The file {name} could not be read ({reason}).</source>
        <translation>Không đọc được tệp {name} ({reason}).</translation>
    </message>
    <message>
        <source>The file “{name}” cannot be read as a model: {reason}.</source>
        <translation>Không đọc được tệp “{name}” như một mô hình: {reason}.</translation>
    </message>
    <message>
        <source>Check that it is a file and that you may read it.</source>
        <translation>Hãy kiểm tra rằng đó là tệp và bạn được phép đọc.</translation>
    </message>
    <message>
        <source>Download it again, or choose another file.</source>
        <translation>Hãy tải lại, hoặc chọn tệp khác.</translation>
    </message>
    <message>
        <source>The file “{name}” could not be written: {reason}.</source>
        <translation>Không ghi được tệp “{name}”: {reason}.</translation>
    </message>
    <message>
        <source>The file {name} could not be written ({reason}).</source>
        <translation>Không ghi được tệp {name} ({reason}).</translation>
    </message>
    <message>
        <source>A value cache of type {type} needs flash attention.</source>
        <translation>Bộ đệm V kiểu {type} cần flash attention.</translation>
    </message>
    <message>
        <source>Switch flash attention on, or take f16 for the value cache.</source>
        <translation>Hãy bật flash attention, hoặc chọn f16 cho bộ đệm V.</translation>
    </message>
    <message>
        <source>There is no room for a context of {count} tokens with these cache types.</source>
        <translation>Không đủ chỗ cho ngữ cảnh {count} token với các kiểu bộ đệm này.</translation>
    </message>
    <message>
        <source>Take a smaller context or a smaller cache type, or close other programs.</source>
        <translation>Hãy dùng ngữ cảnh nhỏ hơn hoặc kiểu bộ đệm nhỏ hơn, hoặc đóng các chương trình khác.</translation>
    </message>
    <message>
        <source>Take a smaller context or a smaller model, or close other programs.</source>
        <translation>Hãy dùng ngữ cảnh nhỏ hơn hoặc mô hình nhỏ hơn, hoặc đóng các chương trình khác.</translation>
    </message>
    <message>
        <source>The model could not process the text (llama_decode gave {status}).</source>
        <translation>Mô hình không xử lý được văn bản (llama_decode trả về {status}).</translation>
    </message>
    <message>
        <source>Try again; if it happens again, load the model anew with a smaller context.</source>
        <translation>Hãy thử lại; nếu lỗi lặp lại, hãy nạp lại mô hình với ngữ cảnh nhỏ hơn.</translation>
    </message>
    <message>
        <source>The context of {count} tokens is full.</source>
        <translation>Ngữ cảnh {count} token đã đầy.</translation>
    </message>
    <message>
        <source>The context has no room left.</source>
        <translation>Ngữ cảnh không còn chỗ.</translation>
    </message>
    <message>
        <source>Start a new chat, or load the model with a larger context.</source>
        <translation>Hãy bắt đầu cuộc trò chuyện mới, hoặc nạp mô hình với ngữ cảnh lớn hơn.</translation>
    </message>
    <message>
        <source>The prompt is empty.</source>
        <translation>Lời nhắc trống.</translation>
    </message>
    <message>
        <source>Write something first.</source>
        <translation>Hãy viết gì đó trước.</translation>
    </message>
    <message>
        <source>The prompt has {count} tokens, but the context holds {room}.</source>
        <translation>Lời nhắc có {count} token, nhưng ngữ cảnh chỉ chứa được {room}.</translation>
    </message>
    <message>
        <source>Shorten it, start a new chat, or load the model with a larger context.</source>
        <translation>Hãy rút ngắn, bắt đầu cuộc trò chuyện mới, hoặc nạp mô hình với ngữ cảnh lớn hơn.</translation>
    </message>
    <message>
        <source>The model&apos;s chat template {trouble}, so it was stopped.</source>
        <translation>Mẫu trò chuyện của mô hình {trouble} nên đã bị dừng.</translation>
    </message>
    <message>
        <source>The model&apos;s chat template does not take this conversation:</source>
        <translation>Mẫu trò chuyện của mô hình không nhận cuộc trò chuyện này:</translation>
    </message>
    <message>
        <source>Some models take no system prompt, or want question and answer in turn: change that or the model.</source>
        <translation>Một số mô hình không nhận lời nhắc hệ thống, hoặc muốn hỏi và đáp luân phiên: hãy đổi điều đó hoặc đổi mô hình.</translation>
    </message>
    <message>
        <source>The model computes values that are no numbers, so its file is damaged.</source>
        <translation>Mô hình tính ra các giá trị không phải là số, nên tệp của nó bị hỏng.</translation>
    </message>
    <message>
        <source>Download the file again, or choose another model.</source>
        <translation>Hãy tải lại tệp, hoặc chọn mô hình khác.</translation>
    </message>
    <message>
        <source>This method needs a draft model, and none is loaded.</source>
        <translation>Phương pháp này cần mô hình nháp, mà chưa nạp mô hình nào.</translation>
    </message>
    <message>
        <source>Choose a draft, or another method.</source>
        <translation>Hãy chọn mô hình nháp, hoặc phương pháp khác.</translation>
    </message>
    <message>
        <source>This model cannot draft for {name}:</source>
        <translation>Mô hình này không nháp được cho {name}:</translation>
    </message>
    <message>
        <source>Choose a draft of the same family.</source>
        <translation>Hãy chọn mô hình nháp cùng họ.</translation>
    </message>
    <message>
        <source>The draft could not be loaded:</source>
        <translation>Không nạp được mô hình nháp:</translation>
    </message>
    <message>
        <source>The target is still there; go on without a draft, or choose another one.</source>
        <translation>Mô hình chính vẫn còn; hãy tiếp tục không dùng nháp, hoặc chọn mô hình nháp khác.</translation>
    </message>
    <message>
        <source>The engine ran out of memory.</source>
        <translation>Bộ máy đã hết bộ nhớ.</translation>
    </message>
    <message>
        <source>The engine made a mistake ({kind}).</source>
        <translation>Bộ máy đã gặp lỗi ({kind}).</translation>
    </message>
    <message>
        <source>Try again; the log has the details for a report.</source>
        <translation>Hãy thử lại; nhật ký có chi tiết để báo lỗi.</translation>
    </message>
    <message>
        <source>The engine stopped because the memory ran out.</source>
        <translation>Bộ máy đã dừng vì hết bộ nhớ.</translation>
    </message>
    <message>
        <source>The engine was killed, which is what the system does when memory runs short.</source>
        <translation>Bộ máy đã bị hệ thống kết thúc, thường là khi thiếu bộ nhớ.</translation>
    </message>
    <message>
        <source>The engine was ended by another program.</source>
        <translation>Bộ máy đã bị chương trình khác kết thúc.</translation>
    </message>
    <message>
        <source>The engine crashed ({signal}).</source>
        <translation>Bộ máy đã gặp sự cố ({signal}).</translation>
    </message>
    <message>
        <source>The engine stopped itself (assertion).</source>
        <translation>Bộ máy đã tự dừng (lỗi kiểm tra nội bộ).</translation>
    </message>
    <message>
        <source>The engine was closed before it had answered.</source>
        <translation>Bộ máy đã bị đóng trước khi trả lời.</translation>
    </message>
    <message>
        <source>The engine ended unexpectedly (exit status {status}).</source>
        <translation>Bộ máy đã kết thúc bất ngờ (trạng thái {status}).</translation>
    </message>
    <message>
        <source>The engine could not start (exit status {status}).</source>
        <translation>Bộ máy không khởi động được (trạng thái {status}).</translation>
    </message>
    <message>
        <source>The engine could not be started: {reason}.</source>
        <translation>Không khởi động được bộ máy: {reason}.</translation>
    </message>
    <message>
        <source>The engine met an instruction that this processor cannot carry out.</source>
        <translation>Bộ máy gặp một lệnh mà bộ xử lý này không thực hiện được.</translation>
    </message>
    <message>
        <source>Take the other engine for this model (--engine, or Engine under Loading in the settings).</source>
        <translation>Hãy dùng bộ máy kia cho mô hình này (--engine, hoặc mục Bộ máy trong phần Nạp của cài đặt).</translation>
    </message>
    <message>
        <source>The model file changed or went away while it was in use.</source>
        <translation>Tệp mô hình đã thay đổi hoặc biến mất khi đang được dùng.</translation>
    </message>
    <message>
        <source>Check that its disk is still there and the file whole, then load the model again.</source>
        <translation>Hãy kiểm tra rằng ổ đĩa còn đó và tệp còn nguyên, rồi nạp lại mô hình.</translation>
    </message>
    <message>
        <source>The disk is full, so the conversation is not saved.</source>
        <translation>Đĩa đã đầy nên cuộc trò chuyện không được lưu.</translation>
    </message>
    <message>
        <source>Make room on the disk.</source>
        <translation>Hãy giải phóng chỗ trên đĩa.</translation>
    </message>
    <message>
        <source>The conversations in {path} cannot be used ({reason}).</source>
        <translation>Không dùng được các cuộc trò chuyện trong {path} ({reason}).</translation>
    </message>
    <message>
        <source>Check the folder, or whether another program holds the file.</source>
        <translation>Hãy kiểm tra thư mục, hoặc xem chương trình khác có đang giữ tệp không.</translation>
    </message>
    <message>
        <source>The settings could not be saved in {path} ({reason}).</source>
        <translation>Không lưu được cài đặt vào {path} ({reason}).</translation>
    </message>
    <message>
        <source>Check that the folder can be written and the disk has room.</source>
        <translation>Hãy kiểm tra rằng thư mục ghi được và đĩa còn chỗ.</translation>
    </message>
    <message>
        <source>These settings were outside their ranges and are now the nearest value: {names}.</source>
        <translation>Những thiết lập sau nằm ngoài phạm vi và nay là giá trị gần nhất: {names}.</translation>
    </message>
    <message>
        <source>The settings in {name} were not taken: {reason}.</source>
        <translation>Không nhận cài đặt trong {name}: {reason}.</translation>
    </message>
    <message>
        <source>Take a file that “Export…” in the settings has written.</source>
        <translation>Hãy dùng tệp do “Xuất…” trong cài đặt đã ghi.</translation>
    </message>
    <message>
        <source>The settings could not be written to {name} ({reason}).</source>
        <translation>Không ghi được cài đặt vào {name} ({reason}).</translation>
    </message>
    <message>
        <source>No conversation could be taken from {name}: {reason}.</source>
        <translation>Không lấy được cuộc trò chuyện nào từ {name}: {reason}.</translation>
    </message>
    <message>
        <source>Choose a JSON file exported by Slipstream, ChatGPT or LM Studio.</source>
        <translation>Hãy chọn tệp JSON được xuất từ Slipstream, ChatGPT hoặc LM Studio.</translation>
    </message>
    <message>
        <source>{name} was not attached: {reason}.</source>
        <translation>Không đính kèm {name}: {reason}.</translation>
    </message>
    <message>
        <source>Offline mode is on, so the model hub is not asked.</source>
        <translation>Chế độ ngoại tuyến đang bật nên không hỏi kho mô hình.</translation>
    </message>
    <message>
        <source>Switch offline mode off (HF_HUB_OFFLINE) to search and download.</source>
        <translation>Hãy tắt chế độ ngoại tuyến (HF_HUB_OFFLINE) để tìm và tải.</translation>
    </message>
    <message>
        <source>{host} cannot be reached.</source>
        <translation>Không kết nối được với {host}.</translation>
    </message>
    <message>
        <source>{host} cannot be reached{reason}.</source>
        <translation>Không kết nối được với {host}{reason}.</translation>
    </message>
    <message>
        <source>Check the connection and the proxy; a mirror can be set in HF_ENDPOINT.</source>
        <translation>Hãy kiểm tra kết nối và proxy; có thể đặt máy nhân bản trong HF_ENDPOINT.</translation>
    </message>
    <message>
        <source>Models on disk work without it.</source>
        <translation>Các mô hình trên đĩa vẫn dùng được.</translation>
    </message>
    <message>
        <source>{host} answered with status {status}.</source>
        <translation>{host} trả lời với trạng thái {status}.</translation>
    </message>
    <message>
        <source>{host} asks to wait: too many requests came from here.</source>
        <translation>{host} yêu cầu chờ: có quá nhiều yêu cầu từ đây.</translation>
    </message>
    <message>
        <source>Try again in a few minutes; signing in with a token raises the limit.</source>
        <translation>Hãy thử lại sau vài phút; dùng mã truy cập sẽ nâng giới hạn.</translation>
    </message>
    <message>
        <source>{host} does not have “{name}”.</source>
        <translation>{host} không có “{name}”.</translation>
    </message>
    <message>
        <source>Check the name, or search for it.</source>
        <translation>Hãy kiểm tra tên, hoặc tìm nó.</translation>
    </message>
    <message>
        <source>The publisher of {name} asks for your agreement before the first download.</source>
        <translation>Nhà phát hành {name} yêu cầu bạn đồng ý điều khoản trước lần tải đầu tiên.</translation>
    </message>
    <message>
        <source>“{name}” needs {needed} on the disk of {folder}, and {free} are free.</source>
        <translation>“{name}” cần {needed} trên đĩa của {folder}, mà chỉ còn trống {free}.</translation>
    </message>
    <message>
        <source>Free some space, or choose a smaller quantisation.</source>
        <translation>Hãy giải phóng chỗ, hoặc chọn mức lượng tử hóa nhỏ hơn.</translation>
    </message>
    <message>
        <source>The disk is full; “{name}” stopped at {done} of {total} bytes.</source>
        <translation>Đĩa đã đầy; “{name}” dừng ở {done} trong {total} byte.</translation>
    </message>
    <message>
        <source>Free some space, then resume the download.</source>
        <translation>Hãy giải phóng chỗ, rồi tiếp tục tải.</translation>
    </message>
    <message>
        <source>“{name}” stopped at {done}: {reason}.</source>
        <translation>“{name}” dừng ở {done}: {reason}.</translation>
    </message>
    <message>
        <source>Resume it when the connection is better; what has arrived is kept.</source>
        <translation>Hãy tiếp tục khi kết nối tốt hơn; phần đã tải được giữ lại.</translation>
    </message>
    <message>
        <source>“{name}” arrived damaged: its SHA-256 is not what the hub states.</source>
        <translation>“{name}” tải về bị hỏng: SHA-256 không khớp với kho.</translation>
    </message>
    <message>
        <source>Start the download again; if it fails again, the file on the hub or the connection is at fault.</source>
        <translation>Hãy tải lại từ đầu; nếu vẫn lỗi thì do tệp trên kho hoặc do kết nối.</translation>
    </message>
    <message>
        <source>“{name}” is being downloaded by another window already.</source>
        <translation>“{name}” đang được một cửa sổ khác tải.</translation>
    </message>
    <message>
        <source>Wait until it is done.</source>
        <translation>Hãy chờ đến khi xong.</translation>
    </message>
    <message>
        <source>The server at {url} cannot be reached.</source>
        <translation>Không kết nối được với máy chủ tại {url}.</translation>
    </message>
    <message>
        <source>Check that it runs, and the address and port.</source>
        <translation>Hãy kiểm tra xem nó có chạy không, cùng địa chỉ và cổng.</translation>
    </message>
    <message>
        <source>The server at {url} did not answer in time.</source>
        <translation>Máy chủ tại {url} không trả lời kịp.</translation>
    </message>
    <message>
        <source>The connection to the server at {url} broke off.</source>
        <translation>Kết nối với máy chủ tại {url} bị ngắt.</translation>
    </message>
    <message>
        <source>“{text}” is not the address of a server.</source>
        <translation>“{text}” không phải địa chỉ máy chủ.</translation>
    </message>
    <message>
        <source>The server offers no model.</source>
        <translation>Máy chủ không có mô hình nào.</translation>
    </message>
    <message>
        <source>Load one there.</source>
        <translation>Hãy nạp một mô hình ở đó.</translation>
    </message>
    <message>
        <source>The server cannot listen on {host} port {port}: {reason}.</source>
        <translation>Máy chủ không nghe được trên {host} cổng {port}: {reason}.</translation>
    </message>
    <message>
        <source>Another program may use that port: choose another one.</source>
        <translation>Có thể chương trình khác đang dùng cổng đó: hãy chọn cổng khác.</translation>
    </message>
    <message>
        <source>There is no prompt in “{name}”.</source>
        <translation>Không có lời nhắc nào trong “{name}”.</translation>
    </message>
    <message>
        <source>Choose a file with prompts.</source>
        <translation>Hãy chọn tệp có lời nhắc.</translation>
    </message>
    <message>
        <source>Line {number} of “{name}” is not a prompt: {reason}.</source>
        <translation>Dòng {number} của “{name}” không phải lời nhắc: {reason}.</translation>
    </message>
    <message>
        <source>A line is a JSON object with id, kind and messages.</source>
        <translation>Mỗi dòng là một đối tượng JSON có id, kind và messages.</translation>
    </message>
    <message>
        <source>Same vocabulary of {count} tokens.</source>
        <translation>Cùng bộ từ vựng {count} token.</translation>
    </message>
    <message>
        <source>Same vocabulary; only {count} padding tokens differ ({target} and {draft}).</source>
        <translation>Cùng bộ từ vựng; chỉ {count} token đệm khác nhau ({target} và {draft}).</translation>
    </message>
    <message>
        <source>The target&apos;s tokenizer is of the {target} kind and the draft&apos;s of the {draft} kind.</source>
        <translation>Bộ tách token của mô hình chính thuộc loại {target}, của mô hình nháp thuộc loại {draft}.</translation>
    </message>
    <message>
        <source>The target&apos;s vocabulary has {target} tokens and the draft&apos;s {draft}; they may differ by {count} at most.</source>
        <translation>Bộ từ vựng của mô hình chính có {target} token, của mô hình nháp có {draft}; chỉ được lệch nhau tối đa {count}.</translation>
    </message>
    <message>
        <source>Token {id} is `{there}` in the target and `{here}` in the draft.</source>
        <translation>Token {id} là `{there}` ở mô hình chính và `{here}` ở mô hình nháp.</translation>
    </message>
    <message>
        <source>It needs {needed} and {free} are free beside the target.</source>
        <translation>Nó cần {needed}, mà bên cạnh mô hình chính chỉ còn trống {free}.</translation>
    </message>
    <message>
        <source>It is no smaller than the target, so it cannot save time.</source>
        <translation>Nó không nhỏ hơn mô hình chính nên không thể tiết kiệm thời gian.</translation>
    </message>
    <message>
        <source>It is only {ratio} times smaller than the target, too large to save time.</source>
        <translation>Chỉ nhỏ hơn mô hình chính {ratio} lần, quá lớn để tiết kiệm thời gian.</translation>
    </message>
    <message>
        <source>It is {ratio} times smaller than the target; 10 to 20 times gains most.</source>
        <translation>Nhỏ hơn mô hình chính {ratio} lần; từ 10 đến 20 lần là lợi nhất.</translation>
    </message>
    <message>
        <source>It is {ratio} times smaller than the target.</source>
        <translation>Nhỏ hơn mô hình chính {ratio} lần.</translation>
    </message>
    <message>
        <source>It is {ratio} times smaller than the target and may often guess wrong.</source>
        <translation>Nhỏ hơn mô hình chính {ratio} lần và có thể hay đoán sai.</translation>
    </message>
    <message>
        <source>Its weights are not quantised ({kind}), so each guess takes long.</source>
        <translation>Trọng số chưa được lượng tử hóa ({kind}) nên mỗi lần đoán tốn thời gian.</translation>
    </message>
    <message>
        <source>One of the two is tuned for chat and the other is not, so they agree less often.</source>
        <translation>Một trong hai được tinh chỉnh để trò chuyện còn mô hình kia thì không, nên ít khi trùng nhau.</translation>
    </message>
    <message>
        <source>Its state cannot be rolled back freely, which makes drafting dearer.</source>
        <translation>Trạng thái của nó không thể lùi lại tùy ý nên dùng nháp tốn kém hơn.</translation>
    </message>
    <message>
        <source>Its vocabulary could not be read.</source>
        <translation>Không đọc được bộ từ vựng của nó.</translation>
    </message>
    <message>
        <source>The catalog knows this pair.</source>
        <translation>Danh mục biết cặp này.</translation>
    </message>
    <message>
        <source>This is an image projector that belongs to another model, not a model of its own.</source>
        <translation>Đây là bộ chiếu hình ảnh thuộc một mô hình khác, không phải một mô hình.</translation>
    </message>
    <message>
        <source>This is a LoRA adapter, which changes another model, not a model of its own.</source>
        <translation>Đây là bộ điều chỉnh LoRA thay đổi một mô hình khác, không phải một mô hình.</translation>
    </message>
    <message>
        <source>This model makes embeddings and writes no text.</source>
        <translation>Mô hình này tạo vector nhúng, không viết văn bản.</translation>
    </message>
    <message>
        <source>This file holds a vocabulary and no weights.</source>
        <translation>Tệp này chỉ có bộ từ vựng, không có trọng số.</translation>
    </message>
    <message>
        <source>This is a later part of a split model; choose its first part.</source>
        <translation>Đây là phần sau của một mô hình bị chia; hãy chọn phần đầu.</translation>
    </message>
    <message>
        <source>This is not a model that writes text.</source>
        <translation>Đây không phải mô hình viết văn bản.</translation>
    </message>
    <message>
        <source>The target is small already, so a draft seldom saves time.</source>
        <translation>Mô hình chính vốn đã nhỏ nên dùng nháp hiếm khi tiết kiệm thời gian.</translation>
    </message>
    <message>
        <source>No small model with its vocabulary is known; N-gram lookup works with it.</source>
        <translation>Chưa biết mô hình nhỏ nào có cùng bộ từ vựng; tra cứu N-gram vẫn dùng được.</translation>
    </message>
    <message>
        <source>Checking several tokens at once reads more of its experts, which often costs as much as drafting saves.</source>
        <translation>Kiểm tra nhiều token cùng lúc phải đọc thêm chuyên gia, thường tốn bằng phần mà nháp tiết kiệm được.</translation>
    </message>
    <message>
        <source>Its recurrent state cannot be rolled back freely, so a rejected draft costs more than in other models.</source>
        <translation>Trạng thái hồi quy không thể lùi lại tùy ý, nên bản nháp bị loại tốn kém hơn so với mô hình khác.</translation>
    </message>
    <message>
        <source>With drafting it keeps its sliding-window layers&apos; whole cache, which takes more memory.</source>
        <translation>Khi dùng nháp, mô hình giữ toàn bộ bộ đệm của các lớp cửa sổ trượt nên tốn thêm bộ nhớ.</translation>
    </message>
    <message>
        <source>Drafting up to {count} tokens with {name}: {gain} here.</source>
        <translation>Nháp tối đa {count} token bằng {name}: {gain} trên máy này.</translation>
    </message>
    <message>
        <source>Drafting from the text so far: {gain} here.</source>
        <translation>Nháp từ văn bản đã có: {gain} trên máy này.</translation>
    </message>
    <message>
        <source>Drafting is {gain} times as fast as plain decoding here, so Auto keeps it on.</source>
        <translation>Trên máy này dùng nháp nhanh gấp {gain} lần giải mã thường, nên Tự động giữ nháp.</translation>
    </message>
    <message>
        <source>Off: this draft costs more than it saves here.</source>
        <translation>Tắt: trên máy này nháp tốn hơn phần tiết kiệm được.</translation>
    </message>
    <message>
        <source>Off: nothing to repeat, and no draft model is loaded.</source>
        <translation>Tắt: không có gì để lặp lại, và chưa nạp mô hình nháp.</translation>
    </message>
    <message>
        <source>Measuring llama.cpp and ik_llama.cpp with this model on this machine, once.</source>
        <translation>Đang đo llama.cpp và ik_llama.cpp với mô hình này trên máy này, chỉ một lần.</translation>
    </message>
    <message>
        <source>It was measured while other programs were busy, and is measured again when they rest.</source>
        <translation>Đã đo khi các chương trình khác đang bận, và sẽ đo lại khi chúng nghỉ.</translation>
    </message>
    <message>
        <source>Measuring was skipped; it is measured again when other programs rest.</source>
        <translation>Đã bỏ qua việc đo; sẽ đo lại khi các chương trình khác nghỉ.</translation>
    </message>
    <message>
        <source>It was chosen anew while other programs rested.</source>
        <translation>Đã chọn lại khi các chương trình khác nghỉ.</translation>
    </message>
    <message>
        <source>llama.cpp, since measuring was skipped; it is measured when other programs rest.</source>
        <translation>llama.cpp, vì đã bỏ qua việc đo; sẽ đo khi các chương trình khác nghỉ.</translation>
    </message>
    <message>
        <source>Other programs are busy, so what is measured now will be rough.</source>
        <translation>Các chương trình khác đang bận, nên những gì đo bây giờ chỉ là gần đúng.</translation>
    </message>
    <message>
        <source>Other programs were busy meanwhile, so these figures are rough.</source>
        <translation>Trong lúc đó các chương trình khác bận, nên các số liệu này chỉ là gần đúng.</translation>
    </message>
    <message>
        <source>llama.cpp, since ik_llama.cpp crashed while it ran this model.</source>
        <translation>llama.cpp, vì ik_llama.cpp gặp sự cố khi chạy mô hình này.</translation>
    </message>
    <message>
        <source>llama.cpp, since it computes on the graphics card.</source>
        <translation>llama.cpp, vì nó tính toán trên card đồ họa.</translation>
    </message>
    <message>
        <source>{name}, since {other} is not installed.</source>
        <translation>{name}, vì {other} chưa được cài.</translation>
    </message>
    <message>
        <source>{name}, as was asked for.</source>
        <translation>{name}, như đã yêu cầu.</translation>
    </message>
    <message>
        <source>But it computes this model differently in long passes and in short ones: its answers may be wrong.</source>
        <translation>Nhưng nó tính mô hình này khác nhau ở lượt dài và lượt ngắn: câu trả lời của nó có thể sai.</translation>
    </message>
    <message>
        <source>llama.cpp runs it as it should be.</source>
        <translation>llama.cpp chạy nó đúng cách.</translation>
    </message>
    <message>
        <source>{name}, measured here with this model: {plain} tokens/s plain where {other} has {rate}, and four tokens checked in {mine} ms where it takes {theirs} ms.</source>
        <translation>{name}, đo trên máy này với mô hình này: {plain} token/giây khi giải mã thường, {other} đạt {rate}; kiểm tra bốn token trong {mine} ms, còn bộ kia mất {theirs} ms.</translation>
    </message>
    <message>
        <source>The context of {count} tokens is nearly full: in {left} tokens the oldest part of the chat behind the system prompt is dropped.</source>
        <translation>Ngữ cảnh {count} token gần đầy: sau {left} token nữa, phần cũ nhất của cuộc trò chuyện sau lời nhắc hệ thống sẽ bị bỏ.</translation>
    </message>
    <message>
        <source>The context of {count} tokens is nearly full: in {left} tokens the answer ends.</source>
        <translation>Ngữ cảnh {count} token gần đầy: sau {left} token nữa, câu trả lời sẽ kết thúc.</translation>
    </message>
    <message>
        <source>Use N-gram lookup, which needs no draft: {size}.</source>
        <translation>Dùng tra cứu N-gram, không cần mô hình nháp: {size}.</translation>
    </message>
    <message>
        <source>Draft {count} tokens at most: {size}.</source>
        <translation>Nháp tối đa {count} token: {size}.</translation>
    </message>
    <message>
        <source>Shorten the context to {count} tokens: {size}.</source>
        <translation>Rút ngữ cảnh còn {count} token: {size}.</translation>
    </message>
    <message>
        <source>Keep the cache in 8 bits (q8_0): {size}.</source>
        <translation>Giữ bộ đệm ở 8 bit (q8_0): {size}.</translation>
    </message>
    <message>
        <source>Put {some} of the target&apos;s {all} layers on the graphics card: {size} there.</source>
        <translation>Đặt {some} trong {all} lớp của mô hình chính lên card đồ họa: {size} ở đó.</translation>
    </message>
    <message>
        <source>Take {name} ({kind}) as the draft: {size}.</source>
        <translation>Dùng {name} ({kind}) làm mô hình nháp: {size}.</translation>
    </message>
    <message>
        <source>{b} against {a} tokens/s</source>
        <translation>{b} so với {a} token/giây</translation>
    </message>
    <message>
        <source>the draft costs more than it saves</source>
        <translation>nháp tốn hơn phần tiết kiệm được</translation>
    </message>
    <message>
        <source>the draft saves no more than it costs</source>
        <translation>nháp không tiết kiệm hơn phần nó tốn</translation>
    </message>
    <message>
        <source>{share} of drafted tokens accepted</source>
        <translation>{share} số token nháp được chấp nhận</translation>
    </message>
    <message>
        <source>same text</source>
        <translation>cùng văn bản</translation>
    </message>
    <message>
        <source>same text in {share} of answers</source>
        <translation>cùng văn bản ở {share} số câu trả lời</translation>
    </message>
    <message>
        <source>other texts</source>
        <translation>văn bản khác</translation>
    </message>
    <message>
        <source>same text in {share} of answers, parting where two candidates&apos; logits are at most {gap} apart</source>
        <translation>cùng văn bản ở {share} số câu trả lời, khác nhau ở chỗ logit của hai ứng viên cách nhau không quá {gap}</translation>
    </message>
    <message>
        <source>other texts, parting where two candidates&apos; logits are at most {gap} apart</source>
        <translation>văn bản khác, khác nhau ở chỗ logit của hai ứng viên cách nhau không quá {gap}</translation>
    </message>
    <message>
        <source>{name} would gain about {share}</source>
        <translation>{name} sẽ nhanh hơn khoảng {share}</translation>
    </message>
    <message>
        <source>“{name}” gains about {share}</source>
        <translation>“{name}” nhanh hơn khoảng {share}</translation>
    </message>
    <message>
        <source>Nothing to compare</source>
        <translation>Chưa có gì để so sánh</translation>
    </message>
    <message>
        <source>{factor} times as fast in the only pair</source>
        <translation>nhanh gấp {factor} lần ở cặp duy nhất</translation>
    </message>
    <message>
        <source>{factor} times as fast ({low} to {high})</source>
        <translation>nhanh gấp {factor} lần ({low} đến {high})</translation>
    </message>
    <message>
        <source>Not sure: {factor} times as fast ({low} to {high})</source>
        <translation>Chưa chắc: nhanh gấp {factor} lần ({low} đến {high})</translation>
    </message>
    <message>
        <source>No faster: {factor} times as fast ({low} to {high})</source>
        <translation>Không nhanh hơn: bằng {factor} lần ({low} đến {high})</translation>
    </message>
    <message>
        <source>Slower: {factor} times as fast ({low} to {high})</source>
        <translation>Chậm hơn: bằng {factor} lần ({low} đến {high})</translation>
    </message>
    <message>
        <source>Close other programs, choose a smaller model or context, or load without a draft.</source>
        <translation>Hãy đóng bớt chương trình khác, chọn mô hình hoặc ngữ cảnh nhỏ hơn, hoặc nạp mà không dùng nháp.</translation>
    </message>
    <message>
        <source>Its last words were: “{words}”.</source>
        <translation>Lời cuối của nó: “{words}”.</translation>
    </message>
    <message>
        <source>The engine stopped itself at start (assertion).</source>
        <translation>Bộ máy tự dừng khi khởi động (assertion).</translation>
    </message>
    <message>
        <source>The engine crashed (status {status}).</source>
        <translation>Bộ máy đã gặp lỗi nặng (mã {status}).</translation>
    </message>
    <message>
        <source>This system has no keyring that is open, so the key is kept until the program ends and no longer.</source>
        <translation>Hệ thống này không có kho khóa nào đang mở, nên khóa chỉ được giữ đến khi chương trình kết thúc.</translation>
    </message>
    <message>
        <source>Install or unlock one (GNOME Keyring, KWallet, KeePassXC), or give the key anew each time.</source>
        <translation>Hãy cài hoặc mở khóa một kho (GNOME Keyring, KWallet, KeePassXC), hoặc nhập lại khóa mỗi lần.</translation>
    </message>
    <message>
        <source>The server at {url} refused with status {status}: “{words}”.</source>
        <translation>Máy chủ tại {url} từ chối với mã {status}: “{words}”.</translation>
    </message>
    <message>
        <source>The server at {url} refused with status {status}.</source>
        <translation>Máy chủ tại {url} từ chối với mã {status}.</translation>
    </message>
    <message>
        <source>The server&apos;s own log says more.</source>
        <translation>Nhật ký của chính máy chủ có thêm chi tiết.</translation>
    </message>
    <message>
        <source>What answers at {url} does not speak OpenAI&apos;s protocol.</source>
        <translation>Bên trả lời tại {url} không dùng giao thức của OpenAI.</translation>
    </message>
    <message>
        <source>Check the address and the port.</source>
        <translation>Hãy kiểm tra địa chỉ và cổng.</translation>
    </message>
    <message>
        <source>Use a model on this computer for that.</source>
        <translation>Hãy dùng một mô hình trên máy này cho việc đó.</translation>
    </message>
    <message>
        <source>A draft is chosen where the server is started.</source>
        <translation>Mô hình nháp được chọn ở nơi khởi động máy chủ.</translation>
    </message>
    <message>
        <source>The server does not tell what it thinks of given tokens.</source>
        <translation>Máy chủ không cho biết nó đánh giá các token cho trước ra sao.</translation>
    </message>
    <message>
        <source>The server does not tell how its passes round.</source>
        <translation>Máy chủ không cho biết các lượt chạy của nó làm tròn ra sao.</translation>
    </message>
    <message>
        <source>The server does not tell tokens.</source>
        <translation>Máy chủ không cho biết các token.</translation>
    </message>
    <message>
        <source>The server tells no figures of speculative decoding.</source>
        <translation>Máy chủ không cho biết số liệu về giải mã suy đoán.</translation>
    </message>
    <message>
        <source>Start it with --per-request-spec-decode-metrics summary to see figures for each answer.</source>
        <translation>Hãy khởi động nó với --per-request-spec-decode-metrics summary để thấy số liệu của từng câu trả lời.</translation>
    </message>
    <message>
        <source>The server tells tokens per pass alone, not how many were drafted.</source>
        <translation>Máy chủ chỉ cho biết số token mỗi lượt, không cho biết bao nhiêu token là nháp.</translation>
    </message>
    <message>
        <source>The server drafted although it was asked not to: this is chosen where it is started.</source>
        <translation>Máy chủ vẫn dùng nháp dù được yêu cầu không dùng: điều này được chọn ở nơi khởi động máy chủ.</translation>
    </message>
    <message>
        <source>The server at {url} refused the key: “{words}”.</source>
        <translation>Máy chủ tại {url} từ chối khóa: “{words}”.</translation>
    </message>
    <message>
        <source>The server at {url} refused the key.</source>
        <translation>Máy chủ tại {url} từ chối khóa.</translation>
    </message>
    <message>
        <source>Give the key that it was started with.</source>
        <translation>Hãy nhập khóa đã dùng khi khởi động nó.</translation>
    </message>
    <message>
        <source>At {url} there is no OpenAI-compatible server, or not this model: “{words}”.</source>
        <translation>Tại {url} không có máy chủ tương thích OpenAI, hoặc không có mô hình này: “{words}”.</translation>
    </message>
    <message>
        <source>At {url} there is no OpenAI-compatible server, or not this model.</source>
        <translation>Tại {url} không có máy chủ tương thích OpenAI, hoặc không có mô hình này.</translation>
    </message>
    <message>
        <source>Check the address and the model.</source>
        <translation>Hãy kiểm tra địa chỉ và mô hình.</translation>
    </message>
    <message>
        <source>The server at {url} is busy: “{words}”.</source>
        <translation>Máy chủ tại {url} đang bận: “{words}”.</translation>
    </message>
    <message>
        <source>The server at {url} is busy.</source>
        <translation>Máy chủ tại {url} đang bận.</translation>
    </message>
    <message>
        <source>The server does not offer the model “{name}”.</source>
        <translation>Máy chủ không có mô hình “{name}”.</translation>
    </message>
    <message>
        <source>It offers: {names}.</source>
        <translation>Nó có: {names}.</translation>
    </message>
    <message>
        <source>The server at {url} has no certificate that is trusted here.</source>
        <translation>Máy chủ tại {url} không có chứng chỉ được tin cậy ở đây.</translation>
    </message>
    <message>
        <source>Check the address; a certificate of your own can be added to the system&apos;s store.</source>
        <translation>Hãy kiểm tra địa chỉ; chứng chỉ của riêng bạn có thể được thêm vào kho của hệ thống.</translation>
    </message>
    <message>
        <source>Give one such as http://127.0.0.1:8000 or https://example.com/v1.</source>
        <translation>Hãy nhập địa chỉ như http://127.0.0.1:8000 hoặc https://example.com/v1.</translation>
    </message>
    <message>
        <source>The server broke the answer off: “{words}”.</source>
        <translation>Máy chủ đã ngắt câu trả lời: “{words}”.</translation>
    </message>
    <message>
        <source>The engine sent a line that is too long to be an answer, so it was ended.</source>
        <translation>Bộ máy gửi một dòng quá dài, không thể là câu trả lời, nên đã bị kết thúc.</translation>
    </message>
    <message>
        <source>The engine did not come up in time, so it was ended.</source>
        <translation>Bộ máy không khởi động kịp, nên đã bị kết thúc.</translation>
    </message>
    <message>
        <source>Try again; restart the computer if it stays so.</source>
        <translation>Hãy thử lại; nếu vẫn vậy, hãy khởi động lại máy.</translation>
    </message>
    <message>
        <source>The engine answered with “{name}”, which is no answer to this command.</source>
        <translation>Bộ máy trả lời bằng “{name}”, không phải câu trả lời cho lệnh này.</translation>
    </message>
    <message>
        <source>Install the program again: its parts do not fit each other.</source>
        <translation>Hãy cài lại chương trình: các phần của nó không khớp nhau.</translation>
    </message>
    <message>
        <source>The engine speaks version {theirs} of the protocol and this program speaks version {ours}.</source>
        <translation>Bộ máy dùng phiên bản {theirs} của giao thức, còn chương trình này dùng phiên bản {ours}.</translation>
    </message>
    <message>
        <source>The engine did not stop when it was told to, so it was ended.</source>
        <translation>Bộ máy không dừng khi được yêu cầu, nên đã bị kết thúc.</translation>
    </message>
    <message>
        <source>The engine gave no sign of life for {seconds} seconds, so it was ended.</source>
        <translation>Bộ máy không có dấu hiệu hoạt động trong {seconds} giây, nên đã bị kết thúc.</translation>
    </message>
    <message>
        <source>The engine is not running.</source>
        <translation>Bộ máy không chạy.</translation>
    </message>
    <message>
        <source>The text is too long to be sent to the engine.</source>
        <translation>Văn bản quá dài để gửi cho bộ máy.</translation>
    </message>
    <message>
        <source>Send less at once.</source>
        <translation>Hãy gửi ít hơn mỗi lần.</translation>
    </message>
    <message>
        <source>The system library {name} is missing, which the engine needs.</source>
        <translation>Thiếu thư viện hệ thống {name} mà bộ máy cần.</translation>
    </message>
    <message>
        <source>Install it.</source>
        <translation>Hãy cài đặt nó.</translation>
    </message>
    <message>
        <source>Install it (on Debian and Ubuntu: {command}).</source>
        <translation>Hãy cài đặt nó (trên Debian và Ubuntu: {command}).</translation>
    </message>
    <message>
        <source>This computer&apos;s processor has no AVX2 instructions, which this build of the engine needs.</source>
        <translation>Bộ xử lý của máy này không có tập lệnh AVX2 mà bản dựng này của bộ máy cần.</translation>
    </message>
    <message>
        <source>Install a build for older processors, or run Slipstream from its source, which fits the engine to the processor.</source>
        <translation>Hãy cài bản dựng cho bộ xử lý cũ hơn, hoặc chạy Slipstream từ mã nguồn để bộ máy được dựng hợp với bộ xử lý.</translation>
    </message>
    <message>
        <source>The engine&apos;s library cannot be loaded: {reason}.</source>
        <translation>Không nạp được thư viện của bộ máy: {reason}.</translation>
    </message>
    <message>
        <source>Drafting pauses: the draft&apos;s context of {count} tokens is full.</source>
        <translation>Tạm ngừng dùng nháp: ngữ cảnh {count} token của mô hình nháp đã đầy.</translation>
    </message>
    <message>
        <source>Off: this kind of model cannot take back a wrong guess.</source>
        <translation>Tắt: loại mô hình này không thể rút lại một lần đoán sai.</translation>
    </message>
    <message>
        <source>Off: the context has no room left to measure in.</source>
        <translation>Tắt: ngữ cảnh không còn chỗ để đo.</translation>
    </message>
    <message>
        <source>The engine {name} is not installed.</source>
        <translation>Chưa cài bộ máy {name}.</translation>
    </message>
    <message>
        <source>Take the other engine, or leave the choice to the program.</source>
        <translation>Hãy dùng bộ máy kia, hoặc để chương trình tự chọn.</translation>
    </message>
    <message>
        <source>Take the other engine, or install the program again.</source>
        <translation>Hãy dùng bộ máy kia, hoặc cài lại chương trình.</translation>
    </message>
    <message>
        <source>The library of {name} cannot be loaded: {reason}.</source>
        <translation>Không nạp được thư viện của {name}: {reason}.</translation>
    </message>
    <message>
        <source>Check that the file is whole and that the disk has room.</source>
        <translation>Hãy kiểm tra tệp có nguyên vẹn và đĩa còn chỗ trống.</translation>
    </message>
    <message>
        <source>It gave no figures.</source>
        <translation>Nó không cho ra số liệu nào.</translation>
    </message>
    <message>
        <source>Take the other engine.</source>
        <translation>Hãy dùng bộ máy kia.</translation>
    </message>
    <message>
        <source>Its library cannot be loaded: {reason}.</source>
        <translation>Không nạp được thư viện của nó: {reason}.</translation>
    </message>
    <message>
        <source>It did not answer within {seconds} seconds.</source>
        <translation>Nó không trả lời trong {seconds} giây.</translation>
    </message>
    <message>
        <source>It ended while it tried the model ({reason}).</source>
        <translation>Nó kết thúc khi đang thử mô hình ({reason}).</translation>
    </message>
    <message>
        <source>Trying {name} on this processor, once.</source>
        <translation>Đang thử {name} trên bộ xử lý này, chỉ một lần.</translation>
    </message>
    <message>
        <source>{name} does not run on this processor: {reason}.</source>
        <translation>{name} không chạy được trên bộ xử lý này: {reason}.</translation>
    </message>
    <message>
        <source>{name}, since {other} does not run on this processor: {reason}.</source>
        <translation>{name}, vì {other} không chạy được trên bộ xử lý này: {reason}.</translation>
    </message>
    <message>
        <source>{name}, since {other} computes {kind} weights wrongly on this processor ({reason}).</source>
        <translation>{name}, vì {other} tính sai các trọng số {kind} trên bộ xử lý này ({reason}).</translation>
    </message>
    <message>
        <source>It runs without extra buffers, since with them {reason}.</source>
        <translation>Nó chạy không có bộ đệm phụ, vì khi có chúng thì {reason}.</translation>
    </message>
    <message>
        <source>But it computes {kind} weights wrongly on this processor ({reason}): its answers may be wrong.</source>
        <translation>Nhưng nó tính sai các trọng số {kind} trên bộ xử lý này ({reason}): câu trả lời có thể sai.</translation>
    </message>
    <message>
        <source>From a source folder, “dev.py setup” builds it for this processor; otherwise install the program again.</source>
        <translation>Từ thư mục mã nguồn, “dev.py setup” dựng nó cho bộ xử lý này; nếu không, hãy cài lại chương trình.</translation>
    </message>
    <message>
        <source>The engine&apos;s process holds the other engine and has to be started anew.</source>
        <translation>Tiến trình đang giữ bộ máy kia và phải được khởi động lại.</translation>
    </message>
    <message>
        <source>Measuring how exact a pass over many tokens is, at position {position}.</source>
        <translation>Đang đo độ chính xác của lượt tính nhiều token, tại vị trí {position}.</translation>
    </message>
    <message>
        <source>Preparing was stopped; nothing was written.</source>
        <translation>Việc chuẩn bị đã bị dừng; chưa ghi gì.</translation>
    </message>
    <message>
        <source>Writing the draft as {form}, which cannot be interrupted.</source>
        <translation>Đang ghi mô hình nháp dạng {form}, việc này không thể ngắt.</translation>
    </message>
    <message>
        <source>Measuring the draft {form}.</source>
        <translation>Đang đo mô hình nháp {form}.</translation>
    </message>
    <message>
        <source>Use it without a draft.</source>
        <translation>Hãy dùng nó không kèm nháp.</translation>
    </message>
    <message>
        <source>Letting the target answer alone, to measure drafts by: {what}.</source>
        <translation>Cho mô hình chính trả lời một mình để làm mốc đo nháp: {what}.</translation>
    </message>
    <message>
        <source>Writing the file.</source>
        <translation>Đang ghi tệp.</translation>
    </message>
    <message>
        <source>The draft cannot be written as {form}; going on without that form.</source>
        <translation>Không ghi được mô hình nháp dạng {form}; tiếp tục không có dạng đó.</translation>
    </message>
    <message>
        <source>Some of the tokens to be scored are none of this model.</source>
        <translation>Một số token cần chấm không thuộc mô hình này.</translation>
    </message>
    <message>
        <source>Score what the same model wrote.</source>
        <translation>Hãy chấm những gì chính mô hình này đã viết.</translation>
    </message>
    <message>
        <source>Measuring this model on this machine, once.</source>
        <translation>Đang đo mô hình này trên máy này, chỉ một lần.</translation>
    </message>
    <message>
        <source>The file {path} is damaged.</source>
        <translation>Tệp {path} bị hỏng.</translation>
    </message>
    <message>
        <source>The file {path} is no file of n-gram statistics.</source>
        <translation>Tệp {path} không phải tệp thống kê n-gram.</translation>
    </message>
    <message>
        <source>The file {path} holds n-grams that cannot be from this model.</source>
        <translation>Tệp {path} chứa n-gram không thể thuộc mô hình này.</translation>
    </message>
    <message>
        <source>Name another file, or delete this one.</source>
        <translation>Hãy chỉ tệp khác, hoặc xóa tệp này.</translation>
    </message>
    <message>
        <source>The n-gram statistics could not be saved as {path} ({reason}).</source>
        <translation>Không lưu được thống kê n-gram vào {path} ({reason}).</translation>
    </message>
    <message>
        <source>Name a file in a folder that can be written.</source>
        <translation>Hãy chỉ một tệp trong thư mục ghi được.</translation>
    </message>
    <message>
        <source>The n-gram statistics {path} could not be read ({reason}).</source>
        <translation>Không đọc được thống kê n-gram {path} ({reason}).</translation>
    </message>
    <message>
        <source>Check the file, or name another one.</source>
        <translation>Hãy kiểm tra tệp, hoặc chỉ tệp khác.</translation>
    </message>
    <message>
        <source>Not bit-exact in this configuration: passes over many tokens change a logit by up to {gap} (at {place}); choices that close together can fall either way, and both are the model&apos;s own.</source>
        <translation>Không khớp từng bit với thiết lập này: lượt tính nhiều token làm một logit lệch tới {gap} (tại {place}); những lựa chọn sát nhau đến vậy có thể ngả về bên nào cũng được, và cả hai đều là của chính mô hình.</translation>
    </message>
    <message>
        <source>Checked: {strange} of {count} tokens are none that the target alone would have written, the first at {place}.</source>
        <translation>Đã kiểm tra: {strange} trong {count} token không phải là token mà mô hình chính một mình sẽ viết, token đầu tiên ở {place}.</translation>
    </message>
    <message>
        <source>That is a defect: please report it.</source>
        <translation>Đó là lỗi: xin hãy báo lại.</translation>
    </message>
    <message>
        <source>Exactness could not be measured: the context is too short for it.</source>
        <translation>Không đo được độ chính xác: ngữ cảnh quá ngắn.</translation>
    </message>
    <message>
        <source>Bit-exact in this configuration: passes over many tokens give the very logits of one (at {places}).</source>
        <translation>Khớp từng bit với thiết lập này: lượt tính nhiều token cho đúng logit của lượt tính một token (tại {places}).</translation>
    </message>
    <message>
        <source>There is nothing to check.</source>
        <translation>Không có gì để kiểm tra.</translation>
    </message>
    <message>
        <source>Checked: all {count} tokens are what the target alone would have written.</source>
        <translation>Đã kiểm tra: cả {count} token đều là những gì mô hình chính một mình sẽ viết.</translation>
    </message>
    <message>
        <source>Checked: {own} of {count} tokens are what the target alone would have written; the other {others} are within the rounding measured here (up to {gap} between two logits).</source>
        <translation>Đã kiểm tra: {own} trong {count} token là những gì mô hình chính một mình sẽ viết; {others} token còn lại nằm trong mức làm tròn đo được ở đây (tới {gap} giữa hai logit).</translation>
    </message>
    <message>
        <source>This engine cannot hold an answer to a grammar or a JSON schema.</source>
        <translation>Bộ máy này không buộc được câu trả lời theo ngữ pháp hay lược đồ JSON.</translation>
    </message>
    <message>
        <source>Ask without one, or load the model with the engine “llama”.</source>
        <translation>Hãy hỏi không kèm chúng, hoặc nạp mô hình bằng bộ máy “llama”.</translation>
    </message>
    <message>
        <source>The grammar leaves no token that could come next.</source>
        <translation>Ngữ pháp không để lại token nào có thể đứng tiếp.</translation>
    </message>
    <message>
        <source>Ask with a simpler schema.</source>
        <translation>Hãy hỏi với lược đồ đơn giản hơn.</translation>
    </message>
    <message>
        <source>The grammar cannot be read.</source>
        <translation>Không đọc được ngữ pháp.</translation>
    </message>
    <message>
        <source>It must be GBNF with a rule called “root”.</source>
        <translation>Ngữ pháp phải là GBNF có luật tên “root”.</translation>
    </message>
    <message>
        <source>Take the first engine for it.</source>
        <translation>Hãy dùng bộ máy thứ nhất cho việc này.</translation>
    </message>
    <message>
        <source>The JSON schema asks for what the answer cannot be held to: {what}.</source>
        <translation>Lược đồ JSON đòi điều không thể buộc câu trả lời theo: {what}.</translation>
    </message>
    <message>
        <source>Use types, properties, items, enum, const, anyOf and references within the schema.</source>
        <translation>Hãy dùng types, properties, items, enum, const, anyOf và tham chiếu trong lược đồ.</translation>
    </message>
    <message>
        <source>Answers cannot be held to a JSON schema without llama-cpp-python.</source>
        <translation>Không có llama-cpp-python thì không buộc được câu trả lời theo lược đồ JSON.</translation>
    </message>
    <message>
        <source>Ask without a schema, or give a grammar.</source>
        <translation>Hãy hỏi không kèm lược đồ, hoặc đưa ngữ pháp.</translation>
    </message>
    <message>
        <source>No other form is clearly faster than the draft as it is: {step} ms a step, {share} of its guesses right, {rate} tokens/s expected.</source>
        <translation>Không dạng nào nhanh hơn rõ rệt so với mô hình nháp hiện có: {step} ms mỗi bước, đoán đúng {share}, dự kiến {rate} token/giây.</translation>
    </message>
    <message>
        <source>A context of {count} tokens is too small to measure in.</source>
        <translation>Ngữ cảnh {count} token quá nhỏ để đo.</translation>
    </message>
    <message>
        <source>Load the model with a larger context.</source>
        <translation>Hãy nạp mô hình với ngữ cảnh lớn hơn.</translation>
    </message>
    <message>
        <source>The engine cannot read {what}.</source>
        <translation>Bộ máy không đọc được {what}.</translation>
    </message>
    <message>
        <source>This model&apos;s chat template knows no tools.</source>
        <translation>Mẫu trò chuyện của mô hình này không biết công cụ.</translation>
    </message>
    <message>
        <source>Ask without tools, or load a model that was trained to use them.</source>
        <translation>Hãy hỏi không kèm công cụ, hoặc nạp mô hình được huấn luyện để dùng chúng.</translation>
    </message>
    <message>
        <source>Choose another model: the template in this file is broken, or made to do harm.</source>
        <translation>Hãy chọn mô hình khác: mẫu trong tệp này bị hỏng, hoặc được tạo ra để gây hại.</translation>
    </message>
    <message>
        <source>This engine was built without the RPC backend, so other machines cannot be used.</source>
        <translation>Bộ máy này được dựng không có phần RPC nên không dùng được máy khác.</translation>
    </message>
    <message>
        <source>Build llama-cpp-python from source with CMAKE_ARGS=-DGGML_RPC=on to have it.</source>
        <translation>Hãy dựng llama-cpp-python từ mã nguồn với CMAKE_ARGS=-DGGML_RPC=on để có phần đó.</translation>
    </message>
    <message>
        <source>No rpc-server answers at {address}; its memory is not used.</source>
        <translation>Không có rpc-server nào trả lời tại {address}; bộ nhớ của nó không được dùng.</translation>
    </message>
    <message>
        <source>The rpc-server at {address} is of another version; its memory is not used.</source>
        <translation>rpc-server tại {address} thuộc phiên bản khác; bộ nhớ của nó không được dùng.</translation>
    </message>
    <message>
        <source>Give a number {range}.</source>
        <translation>Hãy cho một số {range}.</translation>
    </message>
    <message>
        <source>The model catalog “{path}” is faulty: {reason}.</source>
        <translation>Danh mục mô hình “{path}” có lỗi: {reason}.</translation>
    </message>
    <message>
        <source>Correct the entry, or install the program again.</source>
        <translation>Hãy sửa mục đó, hoặc cài lại chương trình.</translation>
    </message>
    <message>
        <source>Choose another quantisation or repository.</source>
        <translation>Hãy chọn mức lượng tử hóa hoặc kho khác.</translation>
    </message>
    <message>
        <source>The folder “{path}” cannot be used: {reason}.</source>
        <translation>Không dùng được thư mục “{path}”: {reason}.</translation>
    </message>
    <message>
        <source>The folder “{path}” cannot be written: {reason}.</source>
        <translation>Không ghi được thư mục “{path}”: {reason}.</translation>
    </message>
    <message>
        <source>Check that you may write into the folder, then resume the download.</source>
        <translation>Hãy kiểm tra rằng bạn được ghi vào thư mục, rồi tải tiếp.</translation>
    </message>
    <message>
        <source>The name of the file, or of a folder above it, is not valid text; rename it.</source>
        <translation>Tên của tệp, hoặc của thư mục chứa nó, không phải văn bản hợp lệ; hãy đổi tên.</translation>
    </message>
    <message>
        <source>The file cannot be read: {reason}.</source>
        <translation>Không đọc được tệp: {reason}.</translation>
    </message>
    <message>
        <source>The repository {repository} has no file “{name}” any more.</source>
        <translation>Kho {repository} không còn tệp “{name}”.</translation>
    </message>
    <message>
        <source>Search the hub for the model, or choose another quantisation.</source>
        <translation>Hãy tìm mô hình trên kho chung, hoặc chọn mức lượng tử hóa khác.</translation>
    </message>
    <message>
        <source>Accept the terms on {address}, make an access token on {tokens}, and store it with “hf auth login” or in HF_TOKEN.</source>
        <translation>Hãy chấp nhận điều khoản tại {address}, tạo mã truy cập tại {tokens}, rồi lưu bằng “hf auth login” hoặc trong HF_TOKEN.</translation>
    </message>
    <message>
        <source>Names look like publisher/model.</source>
        <translation>Tên có dạng nhà-phát-hành/mô-hình.</translation>
    </message>
    <message>
        <source>The hub has no repository “{name}”, or it is private.</source>
        <translation>Kho chung không có kho “{name}”, hoặc kho đó là riêng tư.</translation>
    </message>
    <message>
        <source>Check the name; for a private one, store an access token.</source>
        <translation>Hãy kiểm tra tên; với kho riêng tư, hãy lưu mã truy cập.</translation>
    </message>
    <message>
        <source>Try again later; if a mirror is set (HF_ENDPOINT), try without it.</source>
        <translation>Hãy thử lại sau; nếu có đặt máy chủ nhân bản (HF_ENDPOINT), hãy thử không dùng nó.</translation>
    </message>
    <message>
        <source>One of its {count} parts is missing: {name}.</source>
        <translation>Thiếu một trong {count} phần của nó: {name}.</translation>
    </message>
    <message>
        <source>It is part {number} of {count}, but its name does not end in “{ending}”, so the others are not found.</source>
        <translation>Đây là phần {number} trong {count}, nhưng tên không kết thúc bằng “{ending}” nên không tìm được các phần khác.</translation>
    </message>
    <message>
        <source>Its parts do not belong together: their names and their contents disagree.</source>
        <translation>Các phần của nó không thuộc về nhau: tên và nội dung không khớp.</translation>
    </message>
    <message>
        <source>Target and draft need {needed} of memory and {free} are free; N-gram lookup speeds up answers without a draft and needs no memory.</source>
        <translation>Mô hình chính và mô hình nháp cần {needed} bộ nhớ mà chỉ còn {free}; tra cứu n-gram làm câu trả lời nhanh hơn mà không cần nháp và không tốn bộ nhớ.</translation>
    </message>
    <message>
        <source>A value cache of type {kind} needs flash attention; switch it on, or take f16 for the values.</source>
        <translation>Bộ đệm giá trị kiểu {kind} cần flash attention; hãy bật nó, hoặc dùng f16 cho giá trị.</translation>
    </message>
    <message>
        <source>The target puts a {token} token around every prompt and the draft does not.</source>
        <translation>Mô hình chính thêm token {token} quanh mọi lời nhắc còn mô hình nháp thì không.</translation>
    </message>
    <message>
        <source>The draft puts a {token} token around every prompt and the target does not.</source>
        <translation>Mô hình nháp thêm token {token} quanh mọi lời nhắc còn mô hình chính thì không.</translation>
    </message>
    <message>
        <source>The {token} token is {target} in the target and {draft} in the draft.</source>
        <translation>Token {token} là {target} ở mô hình chính và {draft} ở mô hình nháp.</translation>
    </message>
    <message>
        <source>This is the drafting head of one certain target, not a model of its own; it needs the method {method}, which this program does not have yet.</source>
        <translation>Đây là đầu nháp của một mô hình chính nhất định, không phải mô hình riêng; nó cần phương pháp {method} mà chương trình này chưa có.</translation>
    </message>
    <message>
        <source>Name a file in another folder.</source>
        <translation>Hãy chỉ một tệp trong thư mục khác.</translation>
    </message>
    <message>
        <source>Join the parts, or take a smaller draft.</source>
        <translation>Hãy ghép các phần, hoặc dùng mô hình nháp nhỏ hơn.</translation>
    </message>
    <message>
        <source>Name a file in it.</source>
        <translation>Hãy chỉ một tệp trong đó.</translation>
    </message>
    <message>
        <source>Name another file, or remove that one.</source>
        <translation>Hãy chỉ tệp khác, hoặc bỏ tệp đó đi.</translation>
    </message>
    <message>
        <source>There is no folder “{path}”.</source>
        <translation>Không có thư mục “{path}”.</translation>
    </message>
    <message>
        <source>Make it, or name another one.</source>
        <translation>Hãy tạo nó, hoặc chỉ thư mục khác.</translation>
    </message>
    <message>
        <source>The disk of “{path}” has {free} MB left, and {needed} MB are needed.</source>
        <translation>Đĩa chứa “{path}” còn {free} MB, mà cần {needed} MB.</translation>
    </message>
    <message>
        <source>Make room, or name a file on another disk.</source>
        <translation>Hãy dọn chỗ, hoặc chỉ tệp trên đĩa khác.</translation>
    </message>
    <message>
        <source>The disk is full, so “{path}” was not written.</source>
        <translation>Đĩa đã đầy nên “{path}” chưa được ghi.</translation>
    </message>
    <message>
        <source>The disk is full.</source>
        <translation>Đĩa đã đầy.</translation>
    </message>
    <message>
        <source>Free some space and start again; what has arrived is kept.</source>
        <translation>Hãy giải phóng dung lượng rồi khởi động lại; phần đã tải về được giữ lại.</translation>
    </message>
    <message>
        <source>The system refused: {reason}.</source>
        <translation>Hệ thống từ chối: {reason}.</translation>
    </message>
    <message>
        <source>llama-cpp-python could not be built: {reason}.</source>
        <translation>Không biên dịch được llama-cpp-python: {reason}.</translation>
    </message>
    <message>
        <source>llama-cpp-python could not be installed.</source>
        <translation>Không cài đặt được llama-cpp-python.</translation>
    </message>
    <message>
        <source>{count} system package is missing: {names}.</source>
        <translation>Thiếu {count} gói hệ thống: {names}.</translation>
    </message>
    <message>
        <source>{count} system packages are missing: {names}.</source>
        <translation>Thiếu {count} gói hệ thống: {names}.</translation>
    </message>
    <message>
        <source>Run this, then start again: {line}</source>
        <translation>Hãy chạy lệnh sau rồi khởi động lại: {line}</translation>
    </message>
    <message>
        <source>{name} could not be downloaded: {reason}.</source>
        <translation>Không tải được {name}: {reason}.</translation>
    </message>
    <message>
        <source>What has arrived is kept; start again when the network is there.</source>
        <translation>Phần đã tải về được giữ lại; hãy khởi động lại khi có mạng.</translation>
    </message>
    <message>
        <source>{name} arrived with other content than expected, so it was thrown away.</source>
        <translation>{name} tải về có nội dung khác với dự kiến nên đã bị bỏ.</translation>
    </message>
    <message>
        <source>Start again; if it happens twice, the source has changed.</source>
        <translation>Hãy khởi động lại; nếu lặp lại lần nữa thì nguồn đã thay đổi.</translation>
    </message>
    <message>
        <source>Check that you may write into the folder, or choose another one.</source>
        <translation>Hãy kiểm tra rằng bạn được ghi vào thư mục, hoặc chọn thư mục khác.</translation>
    </message>
    <message>
        <source>Look the repository up again and download it anew.</source>
        <translation>Hãy tra lại kho và tải lại từ đầu.</translation>
    </message>
    <message>
        <source>The file “{name}” has a tokenizer of the unknown kind “{kind}”.</source>
        <translation>Tệp “{name}” có bộ tách token thuộc loại chưa biết “{kind}”.</translation>
    </message>
    <message>
        <source>The file “{name}” has no vocabulary.</source>
        <translation>Tệp “{name}” không có bộ từ vựng.</translation>
    </message>
    <message>
        <source>Text, code and PDF files can be attached.</source>
        <translation>Có thể đính kèm tệp văn bản, mã nguồn và PDF.</translation>
    </message>
    <message>
        <source>Attach a part of it.</source>
        <translation>Hãy đính kèm một phần của nó.</translation>
    </message>
    <message>
        <source>Attach another one.</source>
        <translation>Hãy đính kèm tệp khác.</translation>
    </message>
    <message>
        <source>Attach the files in it.</source>
        <translation>Hãy đính kèm các tệp trong đó.</translation>
    </message>
    <message>
        <source>The file of conversations was damaged.</source>
        <translation>Tệp các cuộc trò chuyện bị hỏng.</translation>
    </message>
    <message>
        <source>It is kept as {name}, and a new one was begun.</source>
        <translation>Nó được giữ lại với tên {name}, và một tệp mới đã được tạo.</translation>
    </message>
    <message>
        <source>The conversations were written by a newer version of this program.</source>
        <translation>Các cuộc trò chuyện được ghi bởi phiên bản mới hơn của chương trình này.</translation>
    </message>
    <message>
        <source>Install that version, or move {name} away to start afresh.</source>
        <translation>Hãy cài phiên bản đó, hoặc dời {name} đi để bắt đầu lại.</translation>
    </message>
    <message>
        <source>The folder {path} cannot be used ({reason}).</source>
        <translation>Không dùng được thư mục {path} ({reason}).</translation>
    </message>
    <message>
        <source>Check that it can be written.</source>
        <translation>Hãy kiểm tra rằng có thể ghi vào đó.</translation>
    </message>
    <message>
        <source>They have no prompt in common, so speeds cannot be compared.</source>
        <translation>Chúng không có lời nhắc nào chung nên không so được tốc độ.</translation>
    </message>
    <message>
        <source>They have {shared} of {count} prompts in common.</source>
        <translation>Chúng có chung {shared} trong {count} lời nhắc.</translation>
    </message>
    <message>
        <source>Stopped before the models were loaded.</source>
        <translation>Đã dừng trước khi nạp mô hình.</translation>
    </message>
    <message>
        <source>There is no such comparison.</source>
        <translation>Không có lần so sánh như vậy.</translation>
    </message>
    <message>
        <source>Choose one from the list.</source>
        <translation>Hãy chọn một mục trong danh sách.</translation>
    </message>
    <message>
        <source>This comparison could not be read: its file is damaged or of another version.</source>
        <translation>Không đọc được lần so sánh này: tệp của nó bị hỏng hoặc thuộc phiên bản khác.</translation>
    </message>
    <message>
        <source>Kept comparisons in “{path}” could not be used: {reason}.</source>
        <translation>Không dùng được các lần so sánh đã lưu trong “{path}”: {reason}.</translation>
    </message>
    <message>
        <source>It was stopped before the first answer.</source>
        <translation>Nó bị dừng trước câu trả lời đầu tiên.</translation>
    </message>
    <message>
        <source>There are no prompts to run.</source>
        <translation>Không có lời nhắc nào để chạy.</translation>
    </message>
    <message>
        <source>There are no prompts of the kind “{kind}”.</source>
        <translation>Không có lời nhắc thuộc loại “{kind}”.</translation>
    </message>
    <message>
        <source>The kinds are: {kinds}.</source>
        <translation>Các loại là: {kinds}.</translation>
    </message>
    <message>
        <source>Line {number} of “{name}” has no messages.</source>
        <translation>Dòng {number} của “{name}” không có tin nhắn.</translation>
    </message>
    <message>
        <source>Line {number} of “{name}” has the id “{id}” of an earlier line.</source>
        <translation>Dòng {number} của “{name}” có mã “{id}” của một dòng trước.</translation>
    </message>
    <message>
        <source>Mend that line.</source>
        <translation>Hãy sửa dòng đó.</translation>
    </message>
    <message>
        <source>The model file “{name}” could not be read: {reason}.</source>
        <translation>Không đọc được tệp mô hình “{name}”: {reason}.</translation>
    </message>
    <message>
        <source>The file “{name}” could not be used: {reason}.</source>
        <translation>Không dùng được tệp “{name}”: {reason}.</translation>
    </message>
</context>
<context>
    <name>MethodBox</name>
    <message>
        <source>Method</source>
        <translation>Phương pháp</translation>
    </message>
    <message>
        <source>What guesses the next tokens, which the target then checks</source>
        <translation>Cách đoán các token tiếp theo để mô hình chính kiểm tra</translation>
    </message>
</context>
<context>
    <name>Methods</name>
    <message>
        <source>Draft model</source>
        <translation>Mô hình nháp</translation>
    </message>
    <message>
        <source>N-gram lookup</source>
        <translation>Tra cứu N-gram</translation>
    </message>
    <message>
        <source>N-gram map</source>
        <translation>Ánh xạ N-gram</translation>
    </message>
    <message>
        <source>N-gram map, 4 ways</source>
        <translation>Ánh xạ N-gram, 4 nhánh</translation>
    </message>
    <message>
        <source>N-gram statistics</source>
        <translation>Thống kê N-gram</translation>
    </message>
    <message>
        <source>N-gram pool</source>
        <translation>Kho N-gram</translation>
    </message>
    <message>
        <source>Suffix automaton</source>
        <translation>Automat hậu tố</translation>
    </message>
    <message>
        <source>Lookahead</source>
        <translation>Nhìn trước</translation>
    </message>
    <message>
        <source>A small model of the same family guesses, the target checks.</source>
        <translation>Một mô hình nhỏ cùng họ đoán, mô hình chính kiểm tra.</translation>
    </message>
    <message>
        <source>Copies what followed the last time the same words stood in the text. Good for editing and quoting.</source>
        <translation>Chép lại phần đã theo sau lần gần nhất có cùng các từ trong văn bản. Tốt khi sửa và trích dẫn văn bản.</translation>
    </message>
    <message>
        <source>As N-gram lookup, by an index of long phrases of this chat.</source>
        <translation>Như Tra cứu N-gram, dùng chỉ mục các cụm dài của cuộc trò chuyện này.</translation>
    </message>
    <message>
        <source>As N-gram map, with up to four continuations of a phrase.</source>
        <translation>Như Ánh xạ N-gram, mỗi cụm có tối đa bốn phần tiếp theo.</translation>
    </message>
    <message>
        <source>Guesses by how often words followed each other, in this and earlier answers.</source>
        <translation>Đoán theo tần suất các từ đi liền nhau, trong câu trả lời này và các câu trước.</translation>
    </message>
    <message>
        <source>Looks phrases up in a pool that all answers share. Only long drafts are used.</source>
        <translation>Tra các cụm trong một kho chung cho mọi câu trả lời. Chỉ dùng các bản nháp dài.</translation>
    </message>
    <message>
        <source>Follows the longest repeat in the text and how often each word came next.</source>
        <translation>Dựa vào đoạn lặp dài nhất trong văn bản và tần suất của từng từ theo sau.</translation>
    </message>
    <message>
        <source>The target guesses its own next words beside its work. Needs spare computing power.</source>
        <translation>Mô hình chính tự đoán các từ tiếp theo của mình song song với việc viết. Cần dư sức tính toán.</translation>
    </message>
    <message>
        <source>Max draft tokens</source>
        <translation>Số token nháp tối đa</translation>
    </message>
    <message>
        <source>Min draft tokens</source>
        <translation>Số token nháp tối thiểu</translation>
    </message>
    <message>
        <source>Draft probability</source>
        <translation>Xác suất nháp</translation>
    </message>
    <message>
        <source>Draft sampling</source>
        <translation>Lấy mẫu nháp</translation>
    </message>
    <message>
        <source>Ask first</source>
        <translation>Hỏi trước</translation>
    </message>
    <message>
        <source>Phrase length</source>
        <translation>Độ dài cụm</translation>
    </message>
    <message>
        <source>Least repeats</source>
        <translation>Số lần lặp ít nhất</translation>
    </message>
    <message>
        <source>Statistics file</source>
        <translation>Tệp thống kê</translation>
    </message>
    <message>
        <source>Tokens per repeat</source>
        <translation>Token mỗi lần lặp</translation>
    </message>
    <message>
        <source>Earlier answers</source>
        <translation>Câu trả lời trước</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Cửa sổ</translation>
    </message>
    <message>
        <source>Without a draft</source>
        <translation>Không có mô hình nháp</translation>
    </message>
    <message>
        <source>At most this many guessed tokens per step</source>
        <translation>Nhiều nhất bấy nhiêu token đoán trước trong mỗi bước</translation>
    </message>
    <message>
        <source>Shorter drafts are not used</source>
        <translation>Không dùng bản nháp ngắn hơn</translation>
    </message>
    <message>
        <source>Guessing stops when the draft is less sure than this</source>
        <translation>Ngừng đoán khi mô hình nháp kém chắc chắn hơn mức này</translation>
    </message>
    <message>
        <source>Greedy gives the same text as without a draft; exact draws as the target would, and accepts more at high temperatures</source>
        <translation>Tham lam cho ra đúng văn bản như khi không có nháp; chính xác thì chọn như mô hình chính chọn và giữ được nhiều hơn ở nhiệt độ cao</translation>
    </message>
    <message>
        <source>A method without a model that is asked before the draft model</source>
        <translation>Một phương pháp không cần mô hình, được hỏi trước mô hình nháp</translation>
    </message>
    <message>
        <source>How many tokens must repeat before what followed is copied</source>
        <translation>Bao nhiêu token phải lặp lại thì phần theo sau mới được chép</translation>
    </message>
    <message>
        <source>How often the phrase must have stood in the text</source>
        <translation>Cụm phải từng xuất hiện bao nhiêu lần trong văn bản</translation>
    </message>
    <message>
        <source>Statistics of earlier answers, read and kept up in this file; empty for none</source>
        <translation>Thống kê của các câu trả lời trước, đọc từ tệp này và cập nhật vào đó; để trống là không dùng</translation>
    </message>
    <message>
        <source>How many tokens are guessed for each token of the repeat</source>
        <translation>Đoán bao nhiêu token cho mỗi token của đoạn lặp</translation>
    </message>
    <message>
        <source>Whether earlier answers are looked into, too</source>
        <translation>Có tra cả các câu trả lời trước hay không</translation>
    </message>
    <message>
        <source>How many guesses are worked on behind the draft</source>
        <translation>Bao nhiêu token đoán được chuẩn bị thêm sau bản nháp</translation>
    </message>
    <message>
        <source>The method without a draft model that is used where it pays</source>
        <translation>Phương pháp không cần mô hình nháp, được dùng khi có lợi</translation>
    </message>
    <message>
        <source>Greedy</source>
        <translation>Tham lam</translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>Chính xác</translation>
    </message>
    <message>
        <source>On</source>
        <translation>Bật</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Tắt</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>Không</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Tự động</translation>
    </message>
    <message>
        <source>By lookup</source>
        <translation>Theo tra cứu</translation>
    </message>
</context>
<context>
    <name>ModelDetails</name>
    <message>
        <source>Its page and terms</source>
        <translation>Trang và điều khoản</translation>
    </message>
    <message>
        <source>Opens the model’s page on the hub in your browser</source>
        <translation>Mở trang của mô hình trên kho bằng trình duyệt</translation>
    </message>
    <message>
        <source>Files of this model</source>
        <translation>Các tệp của mô hình này</translation>
    </message>
    <message>
        <source>Check before downloading</source>
        <translation>Kiểm tra trước khi tải</translation>
    </message>
    <message>
        <source>Reads the file’s header on the hub, a few megabytes: whether it is a chat model, what it costs in memory, and what fits with it</source>
        <translation>Đọc phần đầu của tệp trên kho, vài megabyte: có phải mô hình trò chuyện không, tốn bao nhiêu bộ nhớ, hợp với mô hình nào</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Tải xuống</translation>
    </message>
    <message>
        <source>{count} parameters</source>
        <translation>{count} tham số</translation>
    </message>
    <message>
        <source>licence {licence}</source>
        <translation>giấy phép {licence}</translation>
    </message>
    <message>
        <source>gated: its publisher asks for your agreement</source>
        <translation>có điều kiện: nhà phát hành yêu cầu bạn đồng ý điều khoản</translation>
    </message>
    <message>
        <source>Drafting heads were made for it, but need methods that this program does not have yet: {heads}.</source>
        <translation>Có các đầu nháp được làm riêng cho mô hình này, nhưng cần phương pháp mà chương trình chưa có: {heads}.</translation>
    </message>
    <message>
        <source>size told by the hub</source>
        <translation>kích thước do kho cho biết</translation>
    </message>
    <message>
        <source>with its draft {name} ({size})</source>
        <translation>kèm mô hình nháp {name} ({size})</translation>
    </message>
    <message>
        <source>Its draft {name}: {caution}</source>
        <translation>Mô hình nháp {name} của nó: {caution}</translation>
    </message>
    <message>
        <source>no licence named</source>
        <translation>không ghi giấy phép</translation>
    </message>
    <message>
        <source>Reading its header on the hub…</source>
        <translation>Đang đọc phần đầu của tệp trên kho…</translation>
    </message>
    <message>
        <source>It may draft for {target}: {reason}</source>
        <translation>Có thể làm mô hình nháp cho {target}: {reason}</translation>
    </message>
    <message>
        <source>It may not draft for {target}: {reason}</source>
        <translation>Không thể làm mô hình nháp cho {target}: {reason}</translation>
    </message>
    <message>
        <source>Drafts for it that are here: {names}. {notes}</source>
        <translation>Mô hình nháp có sẵn trên máy cho mô hình này: {names}. {notes}</translation>
    </message>
    <message>
        <source>{count} tokens in its vocabulary</source>
        <translation>{count} token trong bộ từ vựng</translation>
    </message>
</context>
<context>
    <name>ModelPicker</name>
    <message>
        <source>Choose models</source>
        <translation>Chọn mô hình</translation>
    </message>
    <message>
        <source>Use these models</source>
        <translation>Dùng các mô hình này</translation>
    </message>
    <message>
        <source>Browse for a file…</source>
        <translation>Chọn tệp…</translation>
    </message>
    <message>
        <source>Get more…</source>
        <translation>Tải thêm…</translation>
    </message>
    <message>
        <source>Server…</source>
        <translation>Máy chủ…</translation>
    </message>
    <message>
        <source>Use a model of a server that runs elsewhere</source>
        <translation>Dùng mô hình của một máy chủ ở nơi khác</translation>
    </message>
    <message>
        <source>Choose a model file</source>
        <translation>Chọn tệp mô hình</translation>
    </message>
    <message>
        <source>GGUF models (*.gguf);;All files (*)</source>
        <translation>Mô hình GGUF (*.gguf);;Mọi tệp (*)</translation>
    </message>
</context>
<context>
    <name>Models</name>
    <message>
        <source>It continues text and was not made to chat.</source>
        <translation>Mô hình này viết tiếp văn bản, không được làm để trò chuyện.</translation>
    </message>
    <message>
        <source>It is not quantised, so it is slower than its quantised forms.</source>
        <translation>Mô hình này chưa được lượng tử hóa nên chậm hơn các dạng đã lượng tử hóa.</translation>
    </message>
    <message>
        <source>It keeps a recurrent state, so drafting often gains little with it.</source>
        <translation>Mô hình này giữ trạng thái hồi quy nên dùng nháp thường ít có lợi.</translation>
    </message>
    <message>
        <source>It is a mixture of experts, so drafting often gains little with it.</source>
        <translation>Mô hình này gồm nhiều chuyên gia (MoE) nên dùng nháp thường ít có lợi.</translation>
    </message>
    <message>
        <source>{count} context</source>
        <translation>ngữ cảnh {count}</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Models</source>
        <translation>Mô hình</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>Trên máy này</translation>
    </message>
    <message>
        <source>What is here, and which model may draft for which</source>
        <translation>Những gì có trên máy, và mô hình nào nháp được cho mô hình nào</translation>
    </message>
    <message>
        <source>Get more</source>
        <translation>Tải thêm</translation>
    </message>
    <message>
        <source>The catalog and the model hub</source>
        <translation>Danh mục và kho mô hình</translation>
    </message>
    <message>
        <source>Which models</source>
        <translation>Mô hình nào</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Tìm lại</translation>
    </message>
    <message>
        <source>Read the model folders afresh; changes are noticed by themselves as well</source>
        <translation>Đọc lại các thư mục mô hình; các thay đổi cũng được tự nhận ra</translation>
    </message>
    <message>
        <source>The access token is kept in the system’s keyring.</source>
        <translation>Mã truy cập được giữ trong kho khóa của hệ thống.</translation>
    </message>
    <message>
        <source>There is no keyring on this system, so the access token is kept until the program ends.</source>
        <translation>Hệ thống này không có kho khóa nên mã truy cập chỉ được giữ đến khi chương trình kết thúc.</translation>
    </message>
    <message>
        <source>Use with this draft</source>
        <translation>Dùng với mô hình nháp này</translation>
    </message>
    <message>
        <source>Use this model</source>
        <translation>Dùng mô hình này</translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation>Đang tìm mô hình…</translation>
    </message>
    <message>
        <source>{count} models from {places}</source>
        <translation>{count} mô hình từ {places}</translation>
    </message>
    <message>
        <source>One model from {places}</source>
        <translation>Một mô hình từ {places}</translation>
    </message>
</context>
<context>
    <name>MoreBox</name>
    <message>
        <source>{name} of the draft</source>
        <translation>{name} của mô hình nháp</translation>
    </message>
    <message>
        <source>As set</source>
        <translation>Như đã đặt</translation>
    </message>
</context>
<context>
    <name>MoreView</name>
    <message>
        <source>Filter the catalog; Enter searches the model hub</source>
        <translation>Lọc danh mục; nhấn Enter để tìm trong kho mô hình</translation>
    </message>
    <message>
        <source>Search for models</source>
        <translation>Tìm mô hình</translation>
    </message>
    <message>
        <source>Search the hub</source>
        <translation>Tìm trong kho</translation>
    </message>
    <message>
        <source>How the hub is reached: mirror, access token, offline</source>
        <translation>Cách kết nối với kho: máy nhân bản, mã truy cập, ngoại tuyến</translation>
    </message>
    <message>
        <source>Model hub settings</source>
        <translation>Cài đặt kho mô hình</translation>
    </message>
    <message>
        <source>Models that can be had</source>
        <translation>Các mô hình có thể tải</translation>
    </message>
    <message>
        <source>Asking {host}…</source>
        <translation>Đang hỏi {host}…</translation>
    </message>
    <message>
        <source>{count} models in the catalog. Offline: nothing is asked of the network.</source>
        <translation>{count} mô hình trong danh mục. Ngoại tuyến: không hỏi gì qua mạng.</translation>
    </message>
    <message>
        <source>{count} models in the catalog that comes with the program. The network is asked only when you search, check or download.</source>
        <translation>{count} mô hình trong danh mục đi kèm chương trình. Chỉ dùng mạng khi bạn tìm, kiểm tra hoặc tải xuống.</translation>
    </message>
    <message>
        <source>The catalog has no such model. Press Enter to search the model hub.</source>
        <translation>Danh mục không có mô hình này. Nhấn Enter để tìm trong kho mô hình.</translation>
    </message>
    <message>
        <source>here</source>
        <translation>có sẵn</translation>
    </message>
    <message>
        <source>too large here</source>
        <translation>quá lớn cho máy này</translation>
    </message>
    <message>
        <source>gated</source>
        <translation>có điều kiện</translation>
    </message>
    <message>
        <source>{count} downloads</source>
        <translation>{count} lượt tải</translation>
    </message>
    <message>
        <source>{count} likes</source>
        <translation>{count} lượt thích</translation>
    </message>
    <message>
        <source>{count} repositories on {host}, the most downloaded first. Clear the field to see the catalog.</source>
        <translation>{count} kho trên {host}, tải nhiều nhất ở trước. Xóa ô tìm để xem danh mục.</translation>
    </message>
    <message>
        <source>{host} has no GGUF repository for these words. Try fewer, or the model’s plain name.</source>
        <translation>{host} không có kho GGUF nào cho các từ này. Hãy thử ít từ hơn, hoặc tên đơn giản của mô hình.</translation>
    </message>
    <message>
        <source>Asking {host} for its files…</source>
        <translation>Đang hỏi {host} về các tệp…</translation>
    </message>
    <message>
        <source>incomplete on the hub</source>
        <translation>không đầy đủ trên kho</translation>
    </message>
    <message>
        <source>goes with another model, is none itself</source>
        <translation>đi kèm mô hình khác, tự nó không phải mô hình</translation>
    </message>
    <message>
        <source>in {count} parts</source>
        <translation>gồm {count} phần</translation>
    </message>
    <message>
        <source>It holds no GGUF file.</source>
        <translation>Không chứa tệp GGUF nào.</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Tải xuống</translation>
    </message>
    <message>
        <source>Download again</source>
        <translation>Tải lại</translation>
    </message>
    <message>
        <source>asking the hub</source>
        <translation>đang hỏi kho</translation>
    </message>
    <message>
        <source>downloading</source>
        <translation>đang tải</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>đã tạm dừng</translation>
    </message>
    <message>
        <source>The button beside the search takes the token.</source>
        <translation>Nút bên cạnh ô tìm nhận mã truy cập.</translation>
    </message>
</context>
<context>
    <name>Network</name>
    <message>
        <source>The program made a mistake while it asked the model hub.</source>
        <translation>Chương trình đã gặp lỗi khi hỏi kho mô hình.</translation>
    </message>
</context>
<context>
    <name>Pager</name>
    <message>
        <source>Earlier version</source>
        <translation>Phiên bản trước</translation>
    </message>
    <message>
        <source>Later version</source>
        <translation>Phiên bản sau</translation>
    </message>
    <message>
        <source>{n} of {all}</source>
        <translation>{n} trong {all}</translation>
    </message>
</context>
<context>
    <name>PairChooser</name>
    <message>
        <source>Target models</source>
        <translation>Các mô hình chính</translation>
    </message>
    <message>
        <source>Draft models</source>
        <translation>Các mô hình nháp</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>Mô hình chính</translation>
    </message>
    <message>
        <source>The model that answers.</source>
        <translation>Mô hình đưa ra câu trả lời.</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>Mô hình nháp</translation>
    </message>
    <message>
        <source>A small model that guesses ahead, so that answers come faster. It never changes them.</source>
        <translation>Một mô hình nhỏ đoán trước để có câu trả lời nhanh hơn. Nó không bao giờ làm thay đổi câu trả lời.</translation>
    </message>
    <message>
        <source>No model that can chat was found on this computer. Get one from the catalog, or add a folder that holds GGUF files.</source>
        <translation>Không tìm thấy mô hình trò chuyện nào trên máy này. Hãy lấy một mô hình từ danh mục, hoặc thêm một thư mục có tệp GGUF.</translation>
    </message>
    <message>
        <source>unreadable</source>
        <translation>không đọc được</translation>
    </message>
    <message>
        <source>No draft</source>
        <translation>Không dùng nháp</translation>
    </message>
    <message>
        <source>Answers come without a draft model.</source>
        <translation>Trả lời không cần mô hình nháp.</translation>
    </message>
    <message>
        <source>recommended</source>
        <translation>khuyên dùng</translation>
    </message>
    <message>
        <source>{gain} here</source>
        <translation>{gain} trên máy này</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>không hợp</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Tải xuống</translation>
    </message>
    <message>
        <source>No draft for this target is on this computer, and the catalog names none.</source>
        <translation>Trên máy này không có mô hình nháp cho mô hình chính này, và danh mục cũng không có.</translation>
    </message>
    <message>
        <source>Search the hub</source>
        <translation>Tìm trong kho</translation>
    </message>
    <message>
        <source>size told by the hub</source>
        <translation>kích thước do kho cho biết</translation>
    </message>
    <message>
        <source>Fits and is not here: {name} ({size}, licence {licence}).</source>
        <translation>Hợp nhưng chưa có trên máy: {name} ({size}, giấy phép {licence}).</translation>
    </message>
    <message>
        <source>Downloading</source>
        <translation>Đang tải</translation>
    </message>
    <message>
        <source>graphics memory</source>
        <translation>bộ nhớ đồ họa</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>bộ nhớ</translation>
    </message>
    <message>
        <source>Needs about {needed} of {place}; {free} are free.</source>
        <translation>Cần khoảng {needed} {place}; còn trống {free}.</translation>
    </message>
    <message>
        <source>Needs about {needed} of {place}, but only {free} are free. You can try it anyway.</source>
        <translation>Cần khoảng {needed} {place}, nhưng chỉ còn trống {free}. Bạn vẫn có thể thử.</translation>
    </message>
</context>
<context>
    <name>PairController</name>
    <message>
        <source>On this computer, answers with it were {gain} as fast as without ({count} answers).</source>
        <translation>Trên máy này, trả lời với nháp nhanh bằng {gain} so với không có nháp ({count} câu trả lời).</translation>
    </message>
    <message>
        <source>On this computer, the one answer with it was {gain} as fast as without.</source>
        <translation>Trên máy này, câu trả lời duy nhất có nháp nhanh bằng {gain} so với không có nháp.</translation>
    </message>
</context>
<context>
    <name>PairTitle</name>
    <message>
        <source>{target}, drafted by {draft}</source>
        <translation>{target}, nháp bằng {draft}</translation>
    </message>
</context>
<context>
    <name>PhaseChart</name>
    <message>
        <source>plain decoding</source>
        <translation>giải mã thường</translation>
    </message>
    <message>
        <source>plain decoding, as measured earlier</source>
        <translation>giải mã thường, theo lần đo trước</translation>
    </message>
    <message>
        <source>draft</source>
        <translation>nháp</translation>
    </message>
    <message>
        <source>target</source>
        <translation>chính</translation>
    </message>
    <message>
        <source>sampling</source>
        <translation>lấy mẫu</translation>
    </message>
    <message>
        <source>other</source>
        <translation>khác</translation>
    </message>
    <message>
        <source>prompt</source>
        <translation>lời nhắc</translation>
    </message>
</context>
<context>
    <name>PlaceTable</name>
    <message>
        <source>Open</source>
        <translation>Mở</translation>
    </message>
    <message>
        <source>Open the folder: {name}</source>
        <translation>Mở thư mục: {name}</translation>
    </message>
    <message>
        <source>Conversations and measurements</source>
        <translation>Cuộc trò chuyện và kết quả đo</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Cài đặt</translation>
    </message>
    <message>
        <source>Models that were downloaded</source>
        <translation>Mô hình đã tải</translation>
    </message>
    <message>
        <source>Kept states of chats</source>
        <translation>Trạng thái đã lưu của cuộc trò chuyện</translation>
    </message>
    <message>
        <source>Log, without prompts and answers</source>
        <translation>Nhật ký, không có lời nhắc và câu trả lời</translation>
    </message>
</context>
<context>
    <name>PresetRow</name>
    <message>
        <source>Preset</source>
        <translation>Bộ thiết lập</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Lưu thành…</translation>
    </message>
    <message>
        <source>Keep the values below under a name</source>
        <translation>Giữ các giá trị bên dưới với một tên</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Xóa</translation>
    </message>
    <message>
        <source>Remove this preset; values that were set with it stay</source>
        <translation>Xóa bộ thiết lập này; các giá trị đã đặt theo nó vẫn giữ nguyên</translation>
    </message>
    <message>
        <source>Own values</source>
        <translation>Giá trị riêng</translation>
    </message>
    <message>
        <source>Save as a preset</source>
        <translation>Lưu thành bộ thiết lập</translation>
    </message>
    <message>
        <source>Name of the preset</source>
        <translation>Tên bộ thiết lập</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>Cân bằng</translation>
    </message>
    <message>
        <source>Precise</source>
        <translation>Chuẩn xác</translation>
    </message>
    <message>
        <source>Creative</source>
        <translation>Sáng tạo</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>Viết mã</translation>
    </message>
    <message>
        <source>Repeatable</source>
        <translation>Lặp lại được</translation>
    </message>
</context>
<context>
    <name>ProblemBanner</name>
    <message>
        <source>A comparison is running, so the chat&apos;s models are unloaded. They come back when it ends; messages wait until then.</source>
        <translation>Đang chạy so sánh nên các mô hình của cuộc trò chuyện đã được gỡ khỏi bộ nhớ. Chúng sẽ trở lại khi so sánh xong; tin nhắn sẽ chờ đến lúc đó.</translation>
    </message>
    <message>
        <source>Show it</source>
        <translation>Xem so sánh</translation>
    </message>
    <message>
        <source>The draft could not be loaded, so the target answers alone. {reason}</source>
        <translation>Không nạp được mô hình nháp nên mô hình chính trả lời một mình. {reason}</translation>
    </message>
    <message>
        <source>The draft {name} is not there any more, so the target answers alone.</source>
        <translation>Mô hình nháp {name} không còn nữa nên mô hình chính trả lời một mình.</translation>
    </message>
    <message>
        <source>Choose models…</source>
        <translation>Chọn mô hình…</translation>
    </message>
    <message>
        <source>The engine stopped. It starts again with your next message.</source>
        <translation>Bộ máy đã dừng. Nó sẽ khởi động lại khi bạn gửi tin nhắn tiếp theo.</translation>
    </message>
    <message>
        <source>Start again</source>
        <translation>Bắt đầu lại</translation>
    </message>
    <message>
        <source>The conversations are saved again.</source>
        <translation>Các cuộc trò chuyện lại được lưu.</translation>
    </message>
    <message>
        <source>{count} conversations were written to {name}.</source>
        <translation>Đã ghi {count} cuộc trò chuyện vào {name}.</translation>
    </message>
    <message>
        <source>{count} conversations were brought in.</source>
        <translation>Đã nhập {count} cuộc trò chuyện.</translation>
    </message>
</context>
<context>
    <name>ProgressCard</name>
    <message>
        <source>Stop</source>
        <translation>Dừng</translation>
    </message>
    <message>
        <source>End now and keep what is finished</source>
        <translation>Kết thúc ngay và giữ phần đã xong</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Đang bắt đầu…</translation>
    </message>
    <message>
        <source>Loading {names}…</source>
        <translation>Đang nạp {names}…</translation>
    </message>
    <message>
        <source> and </source>
        <translation> và </translation>
    </message>
    <message>
        <source>Looking at where the texts part: {done} of {total}</source>
        <translation>Đang xem các văn bản khác nhau ở đâu: {done} trên {total}</translation>
    </message>
    <message>
        <source>No side is faster, so drafting from the text alone is tried: {done} of {total}</source>
        <translation>Không bên nào nhanh hơn nên đang thử chỉ nháp từ văn bản: {done} trong {total}</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>còn {time}</translation>
    </message>
    <message>
        <source>{done} of {total} answers</source>
        <translation>{done} trong {total} câu trả lời</translation>
    </message>
    <message>
        <source>now {side}, round {n}</source>
        <translation>đang chạy {side}, vòng {n}</translation>
    </message>
    <message>
        <source>, prompt “{prompt}”</source>
        <translation>, lời nhắc “{prompt}”</translation>
    </message>
    <message>
        <source>Stopping; what is finished is kept.</source>
        <translation>Đang dừng; phần đã xong được giữ lại.</translation>
    </message>
</context>
<context>
    <name>PromptCard</name>
    <message>
        <source>My prompt</source>
        <translation>Lời nhắc của tôi</translation>
    </message>
    <message>
        <source>One prompt, typed in</source>
        <translation>Một lời nhắc tự nhập</translation>
    </message>
    <message>
        <source>Shipped prompts</source>
        <translation>Lời nhắc có sẵn</translation>
    </message>
    <message>
        <source>Prompts of eight kinds that come with Slipstream</source>
        <translation>Lời nhắc thuộc tám loại đi kèm Slipstream</translation>
    </message>
    <message>
        <source>Open chat</source>
        <translation>Cuộc trò chuyện đang mở</translation>
    </message>
    <message>
        <source>The open chat up to its last question</source>
        <translation>Cuộc trò chuyện đang mở, đến câu hỏi cuối</translation>
    </message>
    <message>
        <source>My file</source>
        <translation>Tệp của tôi</translation>
    </message>
    <message>
        <source>Prompts of a file: JSON lines, or plain text</source>
        <translation>Các lời nhắc trong một tệp: dòng JSON hoặc văn bản thường</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>Lời nhắc</translation>
    </message>
    <message>
        <source>Ask what you would ask in a chat, such as: Write a function that merges overlapping intervals.</source>
        <translation>Hãy hỏi như khi trò chuyện, ví dụ: Viết một hàm gộp các khoảng chồng lên nhau.</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Lời nhắc</translation>
    </message>
    <message>
        <source>The open chat has no question yet.</source>
        <translation>Cuộc trò chuyện đang mở chưa có câu hỏi nào.</translation>
    </message>
    <message>
        <source>{file}: {n} prompts</source>
        <translation>{file}: {n} lời nhắc</translation>
    </message>
    <message>
        <source>{file}: one prompt</source>
        <translation>{file}: một lời nhắc</translation>
    </message>
    <message>
        <source> of the kinds {kinds}</source>
        <translation> thuộc các loại {kinds}</translation>
    </message>
    <message>
        <source>Token limit</source>
        <translation>Giới hạn token</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Đo</translation>
    </message>
    <message>
        <source>Minutes at most</source>
        <translation>Số phút tối đa</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>Lấy mẫu</translation>
    </message>
    <message>
        <source>Answers end after this many tokens</source>
        <translation>Câu trả lời kết thúc sau chừng này token</translation>
    </message>
    <message>
        <source>Prompts for which there is no time are left out</source>
        <translation>Những lời nhắc không đủ thời gian sẽ được bỏ qua</translation>
    </message>
    <message>
        <source>Behind the first six pairs no round begins that would take longer</source>
        <translation>Sau sáu cặp đầu, không bắt đầu vòng nào sẽ kéo dài hơn</translation>
    </message>
    <message>
        <source>Until the speed-up is known to ±5%</source>
        <translation>Đến khi biết mức tăng tốc với sai số ±5%</translation>
    </message>
    <message>
        <source>Two rounds, for a quick look</source>
        <translation>Hai vòng, để xem nhanh</translation>
    </message>
    <message>
        <source>How long to measure</source>
        <translation>Đo trong bao lâu</translation>
    </message>
    <message>
        <source>Most likely token</source>
        <translation>Token có khả năng nhất</translation>
    </message>
    <message>
        <source>As in chats</source>
        <translation>Như trong trò chuyện</translation>
    </message>
    <message>
        <source>How the target chooses tokens; all sides use the same random numbers</source>
        <translation>Cách mô hình chính chọn token; mọi bên dùng cùng các số ngẫu nhiên</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Chọn tệp…</translation>
    </message>
    <message>
        <source>JSON lines of {id, kind, messages}, or plain text whose prompts stand apart by an empty line or by “---”.</source>
        <translation>Các dòng JSON dạng {id, kind, messages}, hoặc văn bản thường có các lời nhắc cách nhau bằng dòng trống hay “---”.</translation>
    </message>
    <message>
        <source>The first so many prompts of each kind</source>
        <translation>Chừng này lời nhắc đầu tiên của mỗi loại</translation>
    </message>
    <message>
        <source>Prompts of each kind</source>
        <translation>Số lời nhắc mỗi loại</translation>
    </message>
    <message>
        <source>Prompts (*.jsonl *.json *.txt *.md);;All files (*)</source>
        <translation>Lời nhắc (*.jsonl *.json *.txt *.md);;Mọi tệp (*)</translation>
    </message>
    <message>
        <source>Choose a file of prompts</source>
        <translation>Chọn tệp lời nhắc</translation>
    </message>
</context>
<context>
    <name>QPlatformTheme</name>
    <message>
        <source>OK</source>
        <translation>OK</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Hủy</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Đóng</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Lưu</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Mở</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>Áp dụng</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Bỏ</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Đặt lại</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Trợ giúp</translation>
    </message>
    <message>
        <source>&amp;Yes</source>
        <translation>&amp;Có</translation>
    </message>
    <message>
        <source>&amp;No</source>
        <translation>&amp;Không</translation>
    </message>
</context>
<context>
    <name>QuestionView</name>
    <message>
        <source>You</source>
        <translation>Bạn</translation>
    </message>
    <message>
        <source>Edit and ask again</source>
        <translation>Sửa và hỏi lại</translation>
    </message>
    <message>
        <source>No longer sent: the context has no room for it</source>
        <translation>Không còn được gửi: ngữ cảnh không đủ chỗ</translation>
    </message>
</context>
<context>
    <name>Rail</name>
    <message>
        <source>Chat</source>
        <translation>Chat</translation>
    </message>
    <message>
        <source>Chat (Ctrl+1)</source>
        <translation>Trò chuyện (Ctrl+1)</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>So sánh</translation>
    </message>
    <message>
        <source>What is faster, measured on this computer (Ctrl+2)</source>
        <translation>Cách nào nhanh hơn, đo trên máy này (Ctrl+2)</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Mô hình</translation>
    </message>
    <message>
        <source>Models on this computer (Ctrl+3)</source>
        <translation>Các mô hình trên máy này (Ctrl+3)</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Cài đặt</translation>
    </message>
    <message>
        <source>Settings (Ctrl+,)</source>
        <translation>Cài đặt (Ctrl+,)</translation>
    </message>
</context>
<context>
    <name>RemoteDialog</name>
    <message>
        <source>Model of a server</source>
        <translation>Mô hình của máy chủ</translation>
    </message>
    <message>
        <source>Ask a server that runs elsewhere and speaks OpenAI&apos;s protocol. What you write is sent there.</source>
        <translation>Hỏi một máy chủ ở nơi khác dùng giao thức của OpenAI. Những gì bạn viết được gửi đến đó.</translation>
    </message>
    <message>
        <source>Only if the server wants one</source>
        <translation>Chỉ khi máy chủ yêu cầu</translation>
    </message>
    <message>
        <source>List models</source>
        <translation>Liệt kê mô hình</translation>
    </message>
    <message>
        <source>Models of the server</source>
        <translation>Các mô hình của máy chủ</translation>
    </message>
    <message>
        <source>Give the address and list the models.</source>
        <translation>Hãy nhập địa chỉ rồi liệt kê mô hình.</translation>
    </message>
    <message>
        <source>Use this model</source>
        <translation>Dùng mô hình này</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Loại</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Địa chỉ</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Khóa</translation>
    </message>
    <message>
        <source>Asking {address} …</source>
        <translation>Đang hỏi {address} …</translation>
    </message>
    <message>
        <source>The server offers no model. Load one there.</source>
        <translation>Máy chủ không có mô hình nào. Hãy nạp một mô hình ở đó.</translation>
    </message>
    <message>
        <source>{trouble} Start the program with SLIPSTREAM_REMOTE_KEY set to the key, then use the model.</source>
        <translation>{trouble} Hãy khởi động chương trình với SLIPSTREAM_REMOTE_KEY đặt bằng khóa này, rồi dùng mô hình.</translation>
    </message>
</context>
<context>
    <name>RpcServers</name>
    <message>
        <source>Addresses of rpc-server programs</source>
        <translation>Địa chỉ của các chương trình rpc-server</translation>
    </message>
</context>
<context>
    <name>ScopedRows</name>
    <message>
        <source>as for every model</source>
        <translation>như mọi mô hình</translation>
    </message>
    <message>
        <source>from the model file</source>
        <translation>theo tệp mô hình</translation>
    </message>
    <message>
        <source>as this model</source>
        <translation>như mô hình này</translation>
    </message>
    <message>
        <source>as the target</source>
        <translation>như mô hình chính</translation>
    </message>
    <message>
        <source>Back to what holds elsewhere</source>
        <translation>Trở về giá trị đang áp dụng ở nơi khác</translation>
    </message>
</context>
<context>
    <name>ServerProcess</name>
    <message>
        <source>The server ended (status {status}).</source>
        <translation>Máy chủ đã kết thúc (trạng thái {status}).</translation>
    </message>
</context>
<context>
    <name>ServerSettings</name>
    <message>
        <source>Off</source>
        <translation>Tắt</translation>
    </message>
    <message>
        <source>No other program can ask</source>
        <translation>Không chương trình nào khác hỏi được</translation>
    </message>
    <message>
        <source>On</source>
        <translation>Bật</translation>
    </message>
    <message>
        <source>Other programs can ask through an address</source>
        <translation>Chương trình khác hỏi được qua một địa chỉ</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>Máy chủ</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>Máy này</translation>
    </message>
    <message>
        <source>Only programs on this computer can connect</source>
        <translation>Chỉ chương trình trên máy này kết nối được</translation>
    </message>
    <message>
        <source>My network</source>
        <translation>Mạng của tôi</translation>
    </message>
    <message>
        <source>Whoever reaches this computer and has the key</source>
        <translation>Bất cứ ai đến được máy này và có khóa</translation>
    </message>
    <message>
        <source>Who may connect</source>
        <translation>Ai được kết nối</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>Cổng</translation>
    </message>
    <message>
        <source>Address for other programs</source>
        <translation>Địa chỉ cho chương trình khác</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Sao chép</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>Sao chép địa chỉ</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Không có</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Khóa</translation>
    </message>
    <message>
        <source>Copy the key</source>
        <translation>Sao chép khóa</translation>
    </message>
    <message>
        <source>New key</source>
        <translation>Khóa mới</translation>
    </message>
    <message>
        <source>Make another key; programs with the old one can no longer connect</source>
        <translation>Tạo khóa khác; chương trình giữ khóa cũ sẽ không kết nối được nữa</translation>
    </message>
    <message>
        <source>Log of the server</source>
        <translation>Nhật ký máy chủ</translation>
    </message>
    <message>
        <source>Requests are listed here: when, by whom, what for. Never what was said.</source>
        <translation>Các yêu cầu được ghi ở đây: lúc nào, do ai, để làm gì. Không bao giờ ghi nội dung.</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Địa chỉ</translation>
    </message>
    <message>
        <source>Off. Editors and agents that speak OpenAI&apos;s protocol can use the model in this window.</source>
        <translation>Đang tắt. Trình soạn thảo và tác tử dùng giao thức của OpenAI có thể dùng mô hình trong cửa sổ này.</translation>
    </message>
    <message>
        <source>Starting …</source>
        <translation>Đang khởi động …</translation>
    </message>
    <message>
        <source>On. Other computers use this computer&apos;s name or address in place of 0.0.0.0, and the key. What is sent is not encrypted: trust the network.</source>
        <translation>Đang bật. Các máy khác dùng tên hoặc địa chỉ của máy này thay cho 0.0.0.0, cùng với khóa. Dữ liệu gửi đi không được mã hóa: hãy chắc rằng mạng đáng tin.</translation>
    </message>
    <message>
        <source>On. It answers with the model of this window, in turn with the chat; the model is held in memory once.</source>
        <translation>Đang bật. Máy chủ trả lời bằng mô hình của cửa sổ này, luân phiên với cuộc trò chuyện; mô hình chỉ nằm trong bộ nhớ một lần.</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>Cài đặt</translation>
    </message>
    <message>
        <source>Search the settings</source>
        <translation>Tìm trong cài đặt</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>Máy chủ</translation>
    </message>
    <message>
        <source>Server, OpenAI, API, address, port, key, who may connect, log</source>
        <translation>Máy chủ, server, OpenAI, API, địa chỉ, cổng, khóa, ai được kết nối, nhật ký</translation>
    </message>
    <message>
        <source>Lets editors, agents and scripts ask the model through an address, by OpenAI&apos;s protocol.</source>
        <translation>Cho phép trình soạn thảo, tác tử và tập lệnh hỏi mô hình qua một địa chỉ, bằng giao thức của OpenAI.</translation>
    </message>
    <message>
        <source>Groups of settings</source>
        <translation>Các nhóm cài đặt</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Nhập…</translation>
    </message>
    <message>
        <source>Take settings from a file</source>
        <translation>Lấy cài đặt từ một tệp</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Xuất…</translation>
    </message>
    <message>
        <source>Write the settings to a file</source>
        <translation>Ghi cài đặt vào một tệp</translation>
    </message>
    <message>
        <source>Every model</source>
        <translation>Mọi mô hình</translation>
    </message>
    <message>
        <source>What holds where model and chat say nothing else</source>
        <translation>Áp dụng khi mô hình và cuộc trò chuyện không đặt khác</translation>
    </message>
    <message>
        <source>Only for {name}</source>
        <translation>Chỉ cho {name}</translation>
    </message>
    <message>
        <source>This chat</source>
        <translation>Cuộc trò chuyện này</translation>
    </message>
    <message>
        <source>Only for the chat on the screen</source>
        <translation>Chỉ cho cuộc trò chuyện đang mở</translation>
    </message>
    <message>
        <source>Settings for</source>
        <translation>Cài đặt cho</translation>
    </message>
    <message>
        <source>Speculative decoding</source>
        <translation>Giải mã suy đoán</translation>
    </message>
    <message>
        <source>Off, Auto, Fixed, Max draft tokens, Min draft tokens, Draft probability, N-gram lookup, Suffix automaton, Lookahead</source>
        <translation>Tắt, Tự động, Cố định, Số token nháp tối đa, Số token nháp tối thiểu, Xác suất nháp, Tra cứu N-gram, Automat hậu tố, Nhìn trước, speculative decoding</translation>
    </message>
    <message>
        <source>A small draft model guesses ahead and the target checks the guesses: the same text, sooner.</source>
        <translation>Một mô hình nháp nhỏ đoán trước, mô hình chính kiểm tra: vẫn văn bản đó, nhưng sớm hơn.</translation>
    </message>
    <message>
        <source>This is the switch of this chat alone.</source>
        <translation>Đây là công tắc của riêng cuộc trò chuyện này.</translation>
    </message>
    <message>
        <source>This is how new chats with {name} start.</source>
        <translation>Các cuộc trò chuyện mới với {name} bắt đầu như thế này.</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Giao diện</translation>
    </message>
    <message>
        <source>System</source>
        <translation>Hệ thống</translation>
    </message>
    <message>
        <source>As the system is set</source>
        <translation>Theo thiết lập của hệ thống</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Sáng</translation>
    </message>
    <message>
        <source>Always light</source>
        <translation>Luôn sáng</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Tối</translation>
    </message>
    <message>
        <source>Always dark</source>
        <translation>Luôn tối</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Chủ đề</translation>
    </message>
    <message>
        <source>Light, dark, or as the system is set</source>
        <translation>Sáng, tối, hoặc theo thiết lập của hệ thống</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Theo hệ thống</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Ngôn ngữ</translation>
    </message>
    <message>
        <source>Of this window; changes at once</source>
        <translation>Của cửa sổ này; đổi ngay</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Tắt</translation>
    </message>
    <message>
        <source>On</source>
        <translation>Bật</translation>
    </message>
    <message>
        <source>Mark drafted text</source>
        <translation>Đánh dấu phần văn bản nháp</translation>
    </message>
    <message>
        <source>Tint the words that the draft guessed and the target accepted</source>
        <translation>Tô màu những từ do mô hình nháp đoán và mô hình chính chấp nhận</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Thiết bị</translation>
    </message>
    <message>
        <source>Graphics card, GPU, processor, memory</source>
        <translation>Card đồ họa, GPU, bộ xử lý, bộ nhớ</translation>
    </message>
    <message>
        <source>What the engine can compute on, and the memory that is free there.</source>
        <translation>Những thiết bị bộ máy có thể dùng để tính toán, và bộ nhớ còn trống ở đó.</translation>
    </message>
    <message>
        <source>Engine, llama.cpp, ik_llama.cpp</source>
        <translation>Bộ máy, llama.cpp, ik_llama.cpp</translation>
    </message>
    <message>
        <source>Which engine runs the model in use. Where the choice is automatic, it was measured once on this computer; measure again when something has changed here.</source>
        <translation>Bộ máy nào chạy mô hình đang dùng. Khi để tự động chọn, việc này được đo một lần trên máy này; hãy đo lại khi máy có thay đổi.</translation>
    </message>
    <message>
        <source>CUDA, Vulkan, ROCm, Metal</source>
        <translation>CUDA, Vulkan, ROCm, Metal</translation>
    </message>
    <message>
        <source>A graphics card is only used by an engine that was built for it. From a source folder, one of these builds one and starts the program; docs/gpu.md says what each needs.</source>
        <translation>Chỉ bộ máy được biên dịch cho card đồ họa mới dùng được card. Từ thư mục mã nguồn, một trong các lệnh này sẽ biên dịch bộ máy như vậy và khởi động chương trình; docs/gpu.md cho biết mỗi loại cần gì.</translation>
    </message>
    <message>
        <source>Other machines, RPC, rpc-server</source>
        <translation>Máy khác, RPC, rpc-server</translation>
    </message>
    <message>
        <source>Other machines that run llama.cpp&apos;s rpc-server can lend their memory, if the engine was built with RPC (docs/server.md says how). Counts when the program is started next. Only in a network of your own: RPC is neither locked nor encrypted.</source>
        <translation>Các máy khác chạy rpc-server của llama.cpp có thể cho mượn bộ nhớ, nếu bộ máy được biên dịch với RPC (xem docs/server.md). Có hiệu lực từ lần khởi động sau. Chỉ dùng trong mạng của riêng bạn: RPC không có khóa và không mã hóa.</translation>
    </message>
    <message>
        <source>Data on this computer</source>
        <translation>Dữ liệu trên máy này</translation>
    </message>
    <message>
        <source>Folders: conversations, settings, models, states, log</source>
        <translation>Thư mục: cuộc trò chuyện, cài đặt, mô hình, trạng thái, nhật ký</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>Đặt lại tất cả</translation>
    </message>
    <message>
        <source>Answers and loading as the program comes</source>
        <translation>Việc trả lời và nạp mô hình trở về mặc định của chương trình</translation>
    </message>
    <message>
        <source>Reset this model</source>
        <translation>Đặt lại mô hình này</translation>
    </message>
    <message>
        <source>Back to the model file&apos;s own defaults, and to what holds for every model</source>
        <translation>Trở về mặc định của chính tệp mô hình, và những gì áp dụng cho mọi mô hình</translation>
    </message>
    <message>
        <source>Reset this chat</source>
        <translation>Đặt lại cuộc trò chuyện này</translation>
    </message>
    <message>
        <source>This chat then follows its model</source>
        <translation>Sau đó cuộc trò chuyện này theo mô hình của nó</translation>
    </message>
    <message>
        <source>Import settings</source>
        <translation>Nhập cài đặt</translation>
    </message>
    <message>
        <source>Settings (*.json)</source>
        <translation>Cài đặt (*.json)</translation>
    </message>
    <message>
        <source>Export settings</source>
        <translation>Xuất cài đặt</translation>
    </message>
    <message>
        <source>The settings of {name} hold now.</source>
        <translation>Cài đặt trong {name} đã có hiệu lực.</translation>
    </message>
    <message>
        <source>The settings were written to {name}.</source>
        <translation>Đã ghi cài đặt vào {name}.</translation>
    </message>
</context>
<context>
    <name>SettingsForm</name>
    <message>
        <source>No setting matches. Try another word, such as “context” or “theme”.</source>
        <translation>Không có cài đặt nào khớp. Hãy thử từ khác, như “ngữ cảnh” hoặc “chủ đề”.</translation>
    </message>
</context>
<context>
    <name>SettingsGroups</name>
    <message>
        <source>Answers</source>
        <translation>Câu trả lời</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>Bộ thiết lập</translation>
    </message>
    <message>
        <source>Preset: sets the values below at once, in the scope chosen above</source>
        <translation>Bộ thiết lập: đặt ngay các giá trị bên dưới, trong phạm vi đã chọn ở trên</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Nhiệt độ</translation>
    </message>
    <message>
        <source>0 always takes the likeliest word</source>
        <translation>0 luôn chọn từ có khả năng nhất</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Choose among the k likeliest; 0 is off</source>
        <translation>Chọn trong k từ có khả năng nhất; 0 là tắt</translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>Choose among the likeliest with this share; 1 is off</source>
        <translation>Chọn trong những từ có khả năng nhất chiếm phần này; 1 là tắt</translation>
    </message>
    <message>
        <source>Min-p</source>
        <translation>Min-p</translation>
    </message>
    <message>
        <source>Leave out what is less likely than this share of the best</source>
        <translation>Bỏ những từ kém hơn phần này của từ tốt nhất</translation>
    </message>
    <message>
        <source>Repeat penalty</source>
        <translation>Phạt lặp lại</translation>
    </message>
    <message>
        <source>Above 1 makes repetition less likely; 1 is off</source>
        <translation>Trên 1 thì ít lặp lại hơn; 1 là tắt</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>Phạt xuất hiện</translation>
    </message>
    <message>
        <source>Above 0 makes tokens that the answer has used less likely; 0 is off</source>
        <translation>Trên 0 khiến các token mà câu trả lời đã dùng ít khả năng hơn; 0 là tắt</translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation>Phạt tần suất</translation>
    </message>
    <message>
        <source>Above 0 makes tokens less likely the more often the answer has used them; 0 is off</source>
        <translation>Trên 0 khiến token càng được câu trả lời dùng nhiều càng ít khả năng; 0 là tắt</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Hạt giống</translation>
    </message>
    <message>
        <source>The same seed gives the same answer; empty draws a new one</source>
        <translation>Cùng hạt giống cho cùng câu trả lời; để trống thì lấy số mới</translation>
    </message>
    <message>
        <source>random</source>
        <translation>ngẫu nhiên</translation>
    </message>
    <message>
        <source>Answer length</source>
        <translation>Độ dài câu trả lời</translation>
    </message>
    <message>
        <source>An answer is cut after this many tokens</source>
        <translation>Câu trả lời bị cắt sau chừng này token</translation>
    </message>
    <message>
        <source>Whether models that can think do so before they answer</source>
        <translation>Mô hình biết suy nghĩ có suy nghĩ trước khi trả lời hay không</translation>
    </message>
    <message>
        <source>Kept states of chats</source>
        <translation>Trạng thái đã lưu của cuộc trò chuyện</translation>
    </message>
    <message>
        <source>Disk space for what models have computed of recent chats, so that these go on at once</source>
        <translation>Dung lượng đĩa cho những gì mô hình đã tính của các cuộc trò chuyện gần đây, để có thể tiếp tục ngay</translation>
    </message>
    <message>
        <source>none</source>
        <translation>không</translation>
    </message>
    <message>
        <source>GB</source>
        <translation>GB</translation>
    </message>
    <message>
        <source>The model in use has no switch for it.</source>
        <translation>Mô hình đang dùng không có công tắc này.</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>Suy nghĩ</translation>
    </message>
    <message>
        <source>On</source>
        <translation>Bật</translation>
    </message>
    <message>
        <source>Model&apos;s own way</source>
        <translation>Theo mô hình</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Tắt</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>When the context is full</source>
        <translation>Khi ngữ cảnh đầy</translation>
    </message>
    <message>
        <source>End the answer, or forget the oldest part of the chat and go on</source>
        <translation>Kết thúc câu trả lời, hoặc quên phần cũ nhất của cuộc trò chuyện rồi viết tiếp</translation>
    </message>
    <message>
        <source>End the answer</source>
        <translation>Kết thúc câu trả lời</translation>
    </message>
    <message>
        <source>Forget the oldest</source>
        <translation>Quên phần cũ nhất</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>Lời nhắc hệ thống</translation>
    </message>
    <message>
        <source>System prompt: said to the model before every chat</source>
        <translation>Lời nhắc hệ thống: nói với mô hình trước mỗi cuộc trò chuyện</translation>
    </message>
    <message>
        <source>Instructions that every chat begins with</source>
        <translation>Chỉ dẫn mở đầu mọi cuộc trò chuyện</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>Nạp mô hình</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Ngữ cảnh</translation>
    </message>
    <message>
        <source>Tokens that target and draft see at once</source>
        <translation>Số token mà mô hình chính và mô hình nháp thấy cùng lúc</translation>
    </message>
    <message>
        <source>the longest</source>
        <translation>dài nhất</translation>
    </message>
    <message>
        <source>Flash attention</source>
        <translation>Flash attention</translation>
    </message>
    <message>
        <source>Faster with long contexts, where supported</source>
        <translation>Nhanh hơn khi ngữ cảnh dài, nếu được hỗ trợ</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Tự động</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Bộ máy</translation>
    </message>
    <message>
        <source>What runs the models; Auto takes the faster one that is installed</source>
        <translation>Phần chạy các mô hình; Tự động dùng bộ máy nhanh hơn trong số đã cài</translation>
    </message>
    <message>
        <source>Loading of the draft</source>
        <translation>Nạp mô hình nháp</translation>
    </message>
    <message>
        <source>GPU layers</source>
        <translation>Lớp trên GPU</translation>
    </message>
    <message>
        <source>Layers on the graphics card; Auto takes as many as fit</source>
        <translation>Số lớp trên card đồ họa; Tự động lấy nhiều nhất có thể</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Luồng</translation>
    </message>
    <message>
        <source>Processor cores to use; Auto takes all physical ones</source>
        <translation>Số nhân bộ xử lý được dùng; Tự động dùng mọi nhân vật lý</translation>
    </message>
    <message>
        <source>Key cache</source>
        <translation>Bộ đệm K</translation>
    </message>
    <message>
        <source>Smaller types save memory on long chats</source>
        <translation>Kiểu nhỏ hơn tiết kiệm bộ nhớ khi trò chuyện dài</translation>
    </message>
    <message>
        <source>Value cache</source>
        <translation>Bộ đệm V</translation>
    </message>
    <message>
        <source>Smaller types need flash attention</source>
        <translation>Kiểu nhỏ hơn cần flash attention</translation>
    </message>
</context>
<context>
    <name>Shortcuts</name>
    <message>
        <source>Chats</source>
        <translation>Cuộc trò chuyện</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Cửa sổ</translation>
    </message>
    <message>
        <source>This list</source>
        <translation>Danh sách này</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Cuộc trò chuyện mới</translation>
    </message>
    <message>
        <source>Go to the message</source>
        <translation>Đến ô tin nhắn</translation>
    </message>
    <message>
        <source>Find in this chat</source>
        <translation>Tìm trong cuộc trò chuyện này</translation>
    </message>
    <message>
        <source>Search all conversations</source>
        <translation>Tìm trong mọi cuộc trò chuyện</translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation>Đính kèm tệp</translation>
    </message>
    <message>
        <source>Stop the answer, or stop editing</source>
        <translation>Dừng trả lời, hoặc thôi sửa</translation>
    </message>
    <message>
        <source>Go on with a cut answer</source>
        <translation>Viết tiếp câu trả lời bị cắt</translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation>Trả lời lại</translation>
    </message>
    <message>
        <source>Copy the last answer</source>
        <translation>Sao chép câu trả lời cuối</translation>
    </message>
    <message>
        <source>Mark drafted text</source>
        <translation>Đánh dấu phần văn bản nháp</translation>
    </message>
    <message>
        <source>Choose target and draft</source>
        <translation>Chọn mô hình chính và mô hình nháp</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Trò chuyện</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>So sánh</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Mô hình</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Cài đặt</translation>
    </message>
    <message>
        <source>Show or hide the conversations</source>
        <translation>Hiện hoặc ẩn các cuộc trò chuyện</translation>
    </message>
    <message>
        <source>Show or hide the speed panel</source>
        <translation>Hiện hoặc ẩn bảng tốc độ</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Thoát</translation>
    </message>
    <message>
        <source>Writing</source>
        <translation>Soạn thảo</translation>
    </message>
    <message>
        <source>List of conversations</source>
        <translation>Danh sách cuộc trò chuyện</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Gửi</translation>
    </message>
    <message>
        <source>New line</source>
        <translation>Xuống dòng</translation>
    </message>
    <message>
        <source>Edit the last message (when nothing is written)</source>
        <translation>Sửa tin nhắn cuối (khi ô soạn trống)</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Mở</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Đổi tên</translation>
    </message>
    <message>
        <source>Delete (asks first)</source>
        <translation>Xóa (hỏi trước)</translation>
    </message>
    <message>
        <source>Pin, move to a folder, export</source>
        <translation>Ghim, chuyển vào thư mục, xuất</translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Phím tắt</translation>
    </message>
</context>
<context>
    <name>SideCard</name>
    <message>
        <source>Side {letter}</source>
        <translation>Bên {letter}</translation>
    </message>
    <message>
        <source>Take side {letter} away</source>
        <translation>Bỏ bên {letter}</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>Mô hình chính</translation>
    </message>
    <message>
        <source>The model that decides every token</source>
        <translation>Mô hình quyết định mọi token</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>Mô hình nháp</translation>
    </message>
    <message>
        <source>The small model that guesses tokens</source>
        <translation>Mô hình nhỏ đoán các token</translation>
    </message>
    <message>
        <source>Engine, context, caches, sampling and length of this side alone</source>
        <translation>Bộ máy, ngữ cảnh, bộ đệm, lấy mẫu và độ dài của riêng bên này</translation>
    </message>
    <message>
        <source>More settings</source>
        <translation>Cài đặt khác</translation>
    </message>
    <message>
        <source>More settings ({n} set)</source>
        <translation>Cài đặt khác (đã đặt {n})</translation>
    </message>
    <message>
        <source>The server’s own, if any</source>
        <translation>Của chính máy chủ, nếu có</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Không có</translation>
    </message>
    <message>
        <source>This side asks no draft model</source>
        <translation>Bên này không dùng mô hình nháp</translation>
    </message>
    <message>
        <source>A draft is chosen where the server is started</source>
        <translation>Mô hình nháp được chọn ở nơi khởi động máy chủ</translation>
    </message>
    <message>
        <source>{name} of side {letter}</source>
        <translation>{name} của bên {letter}</translation>
    </message>
</context>
<context>
    <name>SpeculationControls</name>
    <message>
        <source>Off</source>
        <translation>Tắt</translation>
    </message>
    <message>
        <source>The target writes alone</source>
        <translation>Mô hình chính viết một mình</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Tự động</translation>
    </message>
    <message>
        <source>Drafts while that is faster, measured in every answer</source>
        <translation>Dùng nháp khi như vậy nhanh hơn, đo trong từng câu trả lời</translation>
    </message>
    <message>
        <source>Fixed</source>
        <translation>Cố định</translation>
    </message>
    <message>
        <source>Always drafts with the method and numbers below</source>
        <translation>Luôn dùng nháp với phương pháp và các số bên dưới</translation>
    </message>
    <message>
        <source>Speculative decoding</source>
        <translation>Giải mã suy đoán</translation>
    </message>
    <message>
        <source>Guess with</source>
        <translation>Đoán bằng</translation>
    </message>
    <message>
        <source>What guesses the next tokens</source>
        <translation>Cách đoán các token tiếp theo</translation>
    </message>
    <message>
        <source>The target writes alone, one token at a time.</source>
        <translation>Mô hình chính viết một mình, từng token một.</translation>
    </message>
    <message>
        <source>Drafts while that makes the answer faster, and stops when it does not.</source>
        <translation>Dùng nháp khi giúp trả lời nhanh hơn, và ngừng khi không.</translation>
    </message>
    <message>
        <source>Always drafts this way, faster or not.</source>
        <translation>Luôn dùng nháp theo cách này, dù nhanh hơn hay không.</translation>
    </message>
</context>
<context>
    <name>SpeedChart</name>
    <message>
        <source>Speed within the last answer, tokens/s</source>
        <translation>Tốc độ trong câu trả lời cuối, token/giây</translation>
    </message>
    <message>
        <source>Speed of every answer, tokens/s</source>
        <translation>Tốc độ của từng câu trả lời, token/giây</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} giây</translation>
    </message>
</context>
<context>
    <name>SpeedPanel</name>
    <message>
        <source>Speculative decoding</source>
        <translation>Giải mã suy đoán</translation>
    </message>
    <message>
        <source>Settings of this chat…</source>
        <translation>Cài đặt của cuộc trò chuyện…</translation>
    </message>
    <message>
        <source>System prompt, preset, sampling and more, for this chat alone</source>
        <translation>Lời nhắc hệ thống, bộ thiết lập, lấy mẫu và hơn nữa, chỉ cho cuộc trò chuyện này</translation>
    </message>
    <message>
        <source>Mark drafted text</source>
        <translation>Đánh dấu phần văn bản nháp</translation>
    </message>
    <message>
        <source>Tint the words that the draft guessed and the target accepted</source>
        <translation>Tô màu những từ do mô hình nháp đoán và mô hình chính chấp nhận</translation>
    </message>
    <message>
        <source>Measure exactness</source>
        <translation>Đo độ trùng khớp</translation>
    </message>
    <message>
        <source>Find out whether drafting can change a word with this model and settings; takes some seconds</source>
        <translation>Kiểm tra xem dùng nháp có thể làm đổi từ nào với mô hình và cài đặt này không; mất vài giây</translation>
    </message>
    <message>
        <source>guessed by the draft</source>
        <translation>do nháp đoán</translation>
    </message>
    <message>
        <source>rest: target</source>
        <translation>còn lại: mô hình chính</translation>
    </message>
    <message>
        <source>No draft model is loaded, so nothing is drafted. Choose one, or guess with N-gram lookup.</source>
        <translation>Chưa nạp mô hình nháp nên không có token nháp. Hãy chọn một mô hình nháp, hoặc đoán bằng tra cứu N-gram.</translation>
    </message>
    <message>
        <source>Measuring how exact drafting is …</source>
        <translation>Đang đo độ trùng khớp khi dùng nháp …</translation>
    </message>
    <message>
        <source>Bit-exact in this configuration: drafting changes no word.</source>
        <translation>Trùng khớp từng bit trong cấu hình này: dùng nháp không làm đổi từ nào.</translation>
    </message>
    <message>
        <source>Not bit-exact in this configuration: where two words are nearly equally likely (logits within {gap} of each other), drafting can take the other one. Both are the model&apos;s own.</source>
        <translation>Không trùng khớp từng bit trong cấu hình này: khi hai từ có khả năng gần bằng nhau (logit cách nhau không quá {gap}), dùng nháp có thể chọn từ kia. Cả hai đều là của chính mô hình.</translation>
    </message>
    <message>
        <source>The context is too short to measure how exact drafting is.</source>
        <translation>Ngữ cảnh quá ngắn để đo độ trùng khớp khi dùng nháp.</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tốc độ</translation>
    </message>
    <message>
        <source>Tokens written per second of decoding</source>
        <translation>Số token viết được trong mỗi giây giải mã</translation>
    </message>
    <message>
        <source>Without drafting</source>
        <translation>Khi không dùng nháp</translation>
    </message>
    <message>
        <source>What this model did here when nothing was drafted</source>
        <translation>Tốc độ của mô hình này trên máy này khi không dùng nháp</translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation>Tăng tốc</translation>
    </message>
    <message>
        <source>Speed divided by the speed without drafting</source>
        <translation>Tốc độ chia cho tốc độ khi không dùng nháp</translation>
    </message>
    <message>
        <source>Drafts accepted</source>
        <translation>Nháp được chấp nhận</translation>
    </message>
    <message>
        <source>Share of the guessed tokens that the target kept</source>
        <translation>Phần token đoán trước mà mô hình chính giữ lại</translation>
    </message>
    <message>
        <source>Tokens per step</source>
        <translation>Token mỗi bước</translation>
    </message>
    <message>
        <source>Mean tokens that one pass of the target yields</source>
        <translation>Số token trung bình thu được từ một lượt chạy của mô hình chính</translation>
    </message>
    <message>
        <source>First token after</source>
        <translation>Token đầu sau</translation>
    </message>
    <message>
        <source>Time from sending to the first token</source>
        <translation>Thời gian từ lúc gửi đến token đầu tiên</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Số token</translation>
    </message>
    <message>
        <source>Tokens in this answer</source>
        <translation>Số token trong câu trả lời này</translation>
    </message>
</context>
<context>
    <name>SpeedPlot</name>
    <message>
        <source>Tokens per second over time, and the accepted share</source>
        <translation>Số token mỗi giây theo thời gian, và phần được chấp nhận</translation>
    </message>
    <message>
        <source>at {t} s: {rate} tokens/s</source>
        <translation>lúc {t} giây: {rate} token/giây</translation>
    </message>
    <message>
        <source>, {share}% accepted</source>
        <translation>, chấp nhận {share}%</translation>
    </message>
    <message>
        <source>Speed, tokens/s</source>
        <translation>Tốc độ, token/giây</translation>
    </message>
    <message>
        <source>Accepted drafts, %</source>
        <translation>Nháp được chấp nhận, %</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} giây</translation>
    </message>
    <message>
        <source>without drafting</source>
        <translation>khi không dùng nháp</translation>
    </message>
</context>
<context>
    <name>ThinkingFold</name>
    <message>
        <source>Thinking…</source>
        <translation>Đang suy nghĩ…</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>Suy nghĩ</translation>
    </message>
    <message>
        <source>Show the thinking</source>
        <translation>Hiện phần suy nghĩ</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Conversation</source>
        <translation>Nội dung trò chuyện</translation>
    </message>
    <message>
        <source>Latest</source>
        <translation>Mới nhất</translation>
    </message>
    <message>
        <source>Go to the end and follow the answer</source>
        <translation>Đến cuối và theo dõi câu trả lời</translation>
    </message>
</context>
<context>
    <name>Translations</name>
    <message>
        <source>en</source>
        <translation>vi</translation>
    </message>
    <message>
        <source>dd MMM, HH:mm</source>
        <translation>d MMM, HH:mm</translation>
    </message>
</context>
<context>
    <name>VerdictCard</name>
    <message>
        <source>In use now: {name}</source>
        <translation>Đang dùng: {name}</translation>
    </message>
    <message>
        <source>Best: speculation off. Nothing that was tried is faster for sure</source>
        <translation>Tốt nhất: tắt suy đoán. Không cách nào đã thử chắc chắn nhanh hơn</translation>
    </message>
    <message>
        <source>Best: {name}, {factor} times as fast as without</source>
        <translation>Tốt nhất: {name}, nhanh gấp {factor} lần so với không dùng nháp</translation>
    </message>
    <message>
        <source>{best} against {plain} tokens/s; {n} settings were tried.</source>
        <translation>{best} so với {plain} token/giây; đã thử {n} cấu hình.</translation>
    </message>
    <message>
        <source> A drafted token is accepted with {share} and costs {cost} plain steps.</source>
        <translation> Một token nháp được chấp nhận với xác suất {share} và tốn bằng {cost} bước thường.</translation>
    </message>
    <message>
        <source>Use {name}</source>
        <translation>Dùng {name}</translation>
    </message>
    <message>
        <source>Stay with {name}</source>
        <translation>Vẫn dùng {name}</translation>
    </message>
    <message>
        <source>This model’s chats use it from now on</source>
        <translation>Các cuộc trò chuyện của mô hình này sẽ dùng cách này từ nay</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>token/giây</translation>
    </message>
    <message>
        <source>speed-up</source>
        <translation>tăng tốc</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>token đầu</translation>
    </message>
    <message>
        <source>accepted</source>
        <translation>được chấp nhận</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>bộ nhớ</translation>
    </message>
    <message>
        <source>one prompt</source>
        <translation>một lời nhắc</translation>
    </message>
    <message>
        <source>{n} prompts</source>
        <translation>{n} lời nhắc</translation>
    </message>
    <message>
        <source>{answers} answers to {prompts}, the leading settings in {rounds} rounds; up to {tokens} tokens each.</source>
        <translation>{answers} câu trả lời cho {prompts}, các cấu hình dẫn đầu qua {rounds} vòng; mỗi câu tối đa {tokens} token.</translation>
    </message>
    <message>
        <source>{answers} answers to {prompts}, in {rounds} rounds by turns; up to {tokens} tokens each.</source>
        <translation>{answers} câu trả lời cho {prompts}, {rounds} vòng luân phiên; mỗi câu tối đa {tokens} token.</translation>
    </message>
    <message>
        <source>Stopped early; this is what was finished.</source>
        <translation>Đã dừng sớm; đây là phần đã xong.</translation>
    </message>
    <message>
        <source>Brackets are intervals that hold together with 95%.</source>
        <translation>Trong ngoặc là các khoảng cùng đúng với độ tin cậy 95%.</translation>
    </message>
    <message>
        <source>Brackets and bar are the 95% interval.</source>
        <translation>Ngoặc và thanh là khoảng tin cậy 95%.</translation>
    </message>
    <message>
        <source>faster</source>
        <translation>nhanh hơn</translation>
    </message>
    <message>
        <source>fastest</source>
        <translation>nhanh nhất</translation>
    </message>
    <message>
        <source>Nothing to compare yet: no pair of answers was finished.</source>
        <translation>Chưa có gì để so sánh: chưa cặp câu trả lời nào hoàn thành.</translation>
    </message>
    <message>
        <source>B is {factor} times as fast as A</source>
        <translation>B nhanh gấp {factor} lần A</translation>
    </message>
    <message>
        <source>B is slower: {factor} times as fast as A</source>
        <translation>B chậm hơn: chỉ nhanh bằng {factor} lần A</translation>
    </message>
    <message>
        <source>B is no faster: {factor} times as fast as A</source>
        <translation>B không nhanh hơn: bằng {factor} lần A</translation>
    </message>
    <message>
        <source>Not sure: B is about {factor} times as fast as A</source>
        <translation>Chưa chắc: B nhanh khoảng {factor} lần A</translation>
    </message>
    <message>
        <source>{letter} is fastest: {factor} times as fast as A</source>
        <translation>{letter} nhanh nhất: gấp {factor} lần A</translation>
    </message>
    <message>
        <source>A is fastest; every other side is slower</source>
        <translation>A nhanh nhất; mọi bên khác đều chậm hơn</translation>
    </message>
    <message>
        <source>Not sure: no side is faster than A beyond doubt</source>
        <translation>Chưa chắc: không bên nào chắc chắn nhanh hơn A</translation>
    </message>
    <message>
        <source>No side is faster than A</source>
        <translation>Không bên nào nhanh hơn A</translation>
    </message>
    <message>
        <source> Against {letter}, the next, it is {factor} times as fast{interval}</source>
        <translation> So với {letter}, bên kế tiếp, nó nhanh gấp {factor} lần{interval}</translation>
    </message>
    <message>
        <source>.</source>
        <translation>.</translation>
    </message>
    <message>
        <source>: the two cannot be told apart.</source>
        <translation>: không thể phân biệt hai bên.</translation>
    </message>
    <message>
        <source> ({low} to {high})</source>
        <translation> ({low} đến {high})</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>Look for others…</source>
        <translation>Tìm mô hình khác…</translation>
    </message>
    <message>
        <source>I have a model file…</source>
        <translation>Tôi có tệp mô hình…</translation>
    </message>
    <message>
        <source>Recommended: the small model drafts for the large one, so answers come sooner.</source>
        <translation>Khuyên dùng: mô hình nhỏ nháp cho mô hình lớn nên câu trả lời đến sớm hơn.</translation>
    </message>
    <message>
        <source>To look around: very small, quick to get, and it knows little.</source>
        <translation>Để xem thử: rất nhỏ, tải nhanh, và biết ít.</translation>
    </message>
    <message>
        <source>{size} to download</source>
        <translation>cần tải {size}</translation>
    </message>
    <message>
        <source>licence {name}</source>
        <translation>giấy phép {name}</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Tải xuống</translation>
    </message>
</context>
<context>
    <name>_Delegate</name>
    <message>
        <source>New chat</source>
        <translation>Cuộc trò chuyện mới</translation>
    </message>
    <message>
        <source>Pinned · {when}</source>
        <translation>Đã ghim · {when}</translation>
    </message>
</context>
</TS>
