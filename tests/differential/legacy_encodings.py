"""read and grep on legacy encodings beside Python's codecs: sentences of a language, in code or alone, in each encoding of it."""

import re
from pathlib import Path

import grep
import read

# For each language: its encodings in Python, and sentences that all of them can encode.
LANGUAGES = {
    "French": (["cp1252", "iso8859-1", "iso8859-15"], [
        "Les élèves français étaient très fatigués après l'été.", "Où est le café, à côté de l'hôtel ?", "Ça dépend de la météo.",
        "Le fichier n'a pas été trouvé : vérifiez le répertoire.", "Noël approche et la fête sera célébrée à l'école.",
    ]),
    "German": (["cp1252", "iso8859-1"], [
        "Die Straße führt über die Brücke nach München.", "Äpfel und Birnen schmecken süß.", "Öffnen Sie die Datei für die Prüfung.",
        "Größere Änderungen müssen geprüft werden.", "Die Übersetzung wäre schöner ohne Fehler.",
    ]),
    "Czech": (["cp1250", "iso8859-2"], [
        "Příliš žluťoučký kůň úpěl ďábelské ódy.", "Když přišel večer, všichni šli domů.", "Soubor nebyl nalezen, zkontrolujte složku.",
        "Děti si hrály na hřišti za školou.", "Řekni mi, kde končí tahle cesta.",
    ]),
    "Russian": (["cp1251", "koi8-r", "iso8859-5", "cp866"], [
        "Быстрая лиса прыгает через ленивую собаку.", "Ошибка: файл не найден.", "Проверьте путь и повторите попытку.",
        "Сегодня хорошая погода, и дети играют во дворе.", "Эта строка описывает работу программы.",
    ]),
    "Greek": (["cp1253", "iso8859-7"], [
        "Η γρήγορη αλεπού πηδάει πάνω από τον τεμπέλη σκύλο.", "Το αρχείο δεν βρέθηκε στον φάκελο.", "Σήμερα ο καιρός είναι καλός.",
        "Τα παιδιά παίζουν στην αυλή του σχολείου.", "Ελέγξτε τη διαδρομή και δοκιμάστε ξανά.",
    ]),
    "Hebrew": (["cp1255"], [
        "השועל המהיר קופץ מעל הכלב העצלן.", "הקובץ לא נמצא בתיקייה.", "בדקו את הנתיב ונסו שוב.", "היום מזג האוויר טוב.", "הילדים משחקים בחצר.",
    ]),
    "Arabic": (["cp1256"], [
        "الثعلب السريع يقفز فوق الكلب الكسول.", "لم يتم العثور على الملف في المجلد.", "تحقق من المسار وحاول مرة أخرى.", "الطقس جميل اليوم.", "يلعب الأطفال في الحديقة.",
    ]),
    "Thai": (["cp874"], [
        "สุนัขจิ้งจอกสีน้ำตาลกระโดดข้ามสุนัขขี้เกียจ", "ไม่พบไฟล์ในโฟลเดอร์นี้", "ตรวจสอบเส้นทางแล้วลองอีกครั้ง", "วันนี้อากาศดีมาก", "เด็กๆ เล่นอยู่ในสนาม",
    ]),
    "Japanese": (["shift_jis", "euc_jp"], [
        "これは日本語のテキストです。", "表示とソースの能力を確認します。", "ファイルが見つかりませんでした。", "今日は天気がいいですね。", "子供たちは庭で遊んでいます。",
    ]),
    "Korean": (["euc_kr", "cp949"], [
        "안녕하세요. 이것은 한국어 문장입니다.", "파일을 찾을 수 없습니다.", "경로를 확인하고 다시 시도하세요.", "오늘은 날씨가 좋습니다.", "아이들이 마당에서 놀고 있습니다.",
    ]),
    "Chinese": (["gbk", "gb2312"], [
        "这是一个简体中文的文件，内容很短。", "没有找到文件，请检查路径。", "今天天气很好，孩子们在院子里玩。", "我们需要重新编译这个程序。", "函数返回所有的结果。",
    ]),
    "Chinese, traditional": (["big5"], [
        "這是一個繁體中文的檔案，內容很短。", "沒有找到檔案，請檢查路徑。", "今天天氣很好，孩子們在院子裡玩。", "我們需要重新編譯這個程式。", "函數傳回所有的結果。",
    ]),
}  # fmt: skip
CODE = ["int main(void) {", "    return 0;", "}", "", "# settings", "key = value", "<p>", "foo_bar(1, 2);"]


def text_of(random, sentences):
    """Returns a text with each of the sentences."""
    code = random.choice([0, 0, 1, 10, 200])
    lines = random.choices(CODE, k=code * len(sentences)) + random.choices(sentences, k=random.choice([0, 10, 300])) + sentences
    random.shuffle(lines)
    mark = random.choice(["", "// ", "* "]) if code else ""
    ending = random.choice(["\n", "\n", "\r\n"])
    return "".join((mark if line in sentences else "") + line + ending for line in lines)


def compare(random, report, setting, round_):
    language = random.choice(sorted(LANGUAGES))
    encodings, sentences = LANGUAGES[language]
    encoding = random.choice(encodings)
    text = text_of(random, sentences)
    raw = text.encode(encoding)
    if random.random() < 0.2:
        # After more bytes than are read at once.
        text = "ascii line\n" * random.choice([2_000, 30_000, 60_000]) + text
        raw = text.encode(encoding)
    name = f"{encoding}-{round_}.txt"
    Path(setting.work, name).write_bytes(raw)
    shown = text.replace("\r\n", "\n")
    total = len(read.lines_of(shown)[0])
    for _ in range(4):
        report.check_time()
        offset = random.choice([1, 2, total, total // 2, -1, -3, random.randint(1, total)])
        limit = random.choice([None, 1, 7, random.randint(1, total)])
        read.one_page(report, setting, round_, name, raw, shown, offset, limit)
    if total < 3000:
        read.all_pages(random, report, setting, round_, name, raw, shown, total)
    for _ in range(4):
        report.check_time()
        one_search(random, report, setting, round_, name, raw, shown, sentences)


def one_search(random, report, setting, round_, name, raw, text, sentences):
    word = random.choice(re.findall(r"\w{2,}", random.choice(sentences)))
    ignore_case, multiline = random.random() < 0.4, random.random() < 0.3
    if ignore_case:
        word = random.choice([word.lower(), word.upper(), word])
    pattern = random.choice([word, word, f"{word}.*$", f"^.*{word}", f"{word[:-1]}."])
    if multiline:
        pattern = f"{word}[^\\n]*\\n"
    flags = (re.IGNORECASE if ignore_case else 0) | re.MULTILINE
    lines = read.lines_of(text)[0]
    matching = [n for n, line in enumerate(lines, 1) if re.search(pattern, line + "\n", flags)]
    expected = [(name, n, True, lines[n - 1]) for n in matching]
    case = {"round": round_, "pattern": pattern, "path": name, "limit": max(1, len(expected))}
    case |= {"ignoreCase": True} if ignore_case else {}
    case |= {"multiline": True} if multiline else {}
    report.compare(case, *grep.agreeing(grep.all_pages(setting, case), expected), [(name, raw)])
