"""Ways to spoil a file: byte by byte, line by line, value by value. All are functions of a seeded generator."""

import json
from random import Random

TOKENS = (
    *("", "0", "-0", "-1", "1e999999999", "1e-999999999", "NaN", "nan", "inf", "-Infinity", "9" * 60, "9" * 5_000),
    *("true", "null", "Null", "{}", "[]", '""', "''", '"', "'", '"""', "'''", "\\", "\\u0000", "\\ud800"),
    *("0x" + "f" * 99, "'; drop table persons; --", "{{ 7 * 7 }}", "{% for x in y %}", "$persons", "$$"),
    *("$tag$x$tag$", "/*", "--", "e'", "\x1b[31m", "\x1b]0;title\x07", "\u202e", "\u200b", "\u212a", "ТАВ", "\ufeff"),
    *("\x00", "\x7f", "\r", "\r\n", "\t", "|", "||||", ",", "=", ".", "#", "[", "]", "{", "}", "[[", "[a.b.c]"),
    *("a.a.a.a.a", "../../etc/passwd", "*", "?", "select * from read_text('/etc/passwd')", "getenv('HOME')"),
    *("<script>alert(1)</script>", "1/0", "1/3", "1979-05-27"),
)
ODD_BYTES = (b"\xff", b"\xfe\xff", b"\xc3", b"\xed\xa0\x80", b"\x00", b"\n", b"\r\n", b"\x1b[2J", b"\xf0\x9f\x92\xa9")
VALUES: tuple[object, ...] = (
    *(None, True, False, 0, -1, 2**63, 2**64, 10**60, 0.5, -0.0, 1e308, "", "x", "1", "0.5", "1/0", "-1"),
    *("1e999999999", [], {}, [[]], [{}], [None], ["01", "01"], {"a": {"b": {}}}, [1, 2, 3], "\x1b[31m", "\u202e"),
    *("{{ 7 }}", "'"),
)


def spoilt(random: Random, content: bytes) -> bytes:
    """`content` after one to four changes."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        content = random.choice((_bytes, _bytes, _token, _token, _lines, _slice))(random, content)
    return content


def spoilt_json(random: Random, content: bytes) -> bytes:
    """As `spoilt`; half the time a value, a key or an element of what the JSON holds is another one."""
    if random.random() < 0.5:
        return spoilt(random, content)
    whole = json.loads(content)
    for _ in range(random.choice((1, 1, 2))):
        _spoil_part(random, whole)
    return json.dumps(whole).encode("utf-8", "surrogatepass")


def _spoil_part(random: Random, whole: object) -> None:
    """Change something somewhere below `whole`, in place."""
    part = whole
    while isinstance(part, dict | list) and part:
        places = list(part) if isinstance(part, dict) else list(range(len(part)))
        place = random.choice(places)
        below = part[place]
        if isinstance(below, dict | list) and below and random.random() < 0.8:
            part = below
            continue
        _change(random, part, place)
        return


def _change(random: Random, part: "dict[str, object] | list[object]", place: "str | int") -> None:
    kind = random.randrange(4)
    if kind == 0:
        del part[place]
    elif kind == 1 and isinstance(part, dict):
        part[random.choice(TOKENS)] = part.pop(str(place))
    else:
        part[place] = random.choice((*VALUES, *TOKENS))


def _bytes(random: Random, content: bytes) -> bytes:
    place = random.randrange(len(content) + 1)
    new = random.choice((b"", bytes([random.randrange(256)]), random.choice(ODD_BYTES)))
    return content[:place] + new + content[place + random.choice((0, 1, 1, 3)) :]


def _token(random: Random, content: bytes) -> bytes:
    """A word, number or sign in the place of another one."""
    place = random.randrange(len(content) + 1)
    end = place
    while end < len(content) and content[end : end + 1].isalnum():
        end += 1
    return content[:place] + random.choice(TOKENS).encode() + content[end:]


def _lines(random: Random, content: bytes) -> bytes:
    lines = content.split(b"\n")
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    kind = random.randrange(4)
    if kind == 0:
        del lines[one]
    elif kind == 1:
        lines.insert(other, lines[one])
    elif kind == 2:
        lines[one], lines[other] = lines[other], lines[one]
    else:
        lines[one] = lines[one] * random.choice((2, 40))
    return b"\n".join(lines)


def _slice(random: Random, content: bytes) -> bytes:
    """A stretch cut out, or said again, or all that follows cut off."""
    one, other = sorted(random.randrange(len(content) + 1) for _ in range(2))
    return random.choice((content[:one] + content[other:], content[:other] + content[one:], content[:one]))
