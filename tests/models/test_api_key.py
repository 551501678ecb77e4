"""An API key is hidden however a server spells it."""

from __future__ import annotations

import base64
import html
import json
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.models.api_key import ApiKey

KEY = "sk-proj-Zq8_4/Xy+7=b"


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(character):04x}" for character in text)


@pytest.mark.parametrize(
    "spelling",
    [
        KEY,
        KEY.replace("/", "\\/"),
        escaped(KEY),
        escaped(KEY).upper().replace("\\U", "\\u"),
        json.dumps(json.dumps(escaped(KEY)))[3:-3],
        json.dumps(json.dumps(KEY.replace("/", "\\/")))[3:-3],
        urllib.parse.quote(KEY, safe=""),
        urllib.parse.quote(urllib.parse.quote(KEY, safe=""), safe=""),
        "".join(f"%{ord(character):02x}" for character in KEY),
        "".join(f"\\x{ord(character):02x}" for character in KEY),
        "".join(f"&#{ord(character)};" for character in KEY),
        "".join(f"&#x{ord(character):X};" for character in KEY),
        html.escape("".join(f"&#0{ord(character)};" for character in KEY)),
        KEY.encode().hex(),
        KEY.encode().hex().upper(),
    ],
)
def test_every_spelling_of_the_key_is_hidden(spelling: str) -> None:
    assert ApiKey(KEY).hide(f"key <{spelling}>!".encode()) == b"key <[API key]>!"


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("before", [b"", b"x", b"xy", b"Bearer "])
@pytest.mark.parametrize("after", [b"", b"\n", b"\0\xff"])
def test_base64_of_the_key_within_anything_is_hidden(encode: object, before: bytes, after: bytes) -> None:
    assert callable(encode)
    hidden = ApiKey(KEY).hide(encode(before + KEY.encode() + after))

    assert b"[API key]" in hidden
    assert 6 * len(hidden.replace(b"[API key]", b"").rstrip(b"=")) <= 8 * (len(before) + len(after)) + 4 * 6


@given(st.text(), st.text(), st.sampled_from(["utf-8", "utf-16", "utf-16-le", "utf-32-be"]), st.data())
def test_no_json_brings_the_key_back(before: str, after: str, encoding: str, data: st.DataObject) -> None:
    spelled = "".join(data.draw(st.sampled_from([character, escaped(character)])) for character in KEY)
    document = f'{{"error": {json.dumps(before)[:-1]}{spelled}{json.dumps(after)[1:]}}}'

    message = json.loads(ApiKey(KEY).hide(document.encode(encoding)))["error"]

    assert message == before.replace(KEY, "[API key]") + "[API key]" + after.replace(KEY, "[API key]")


@pytest.mark.parametrize("key", ["", "none", "EMPTY"])
def test_a_placeholder_is_no_key(key: str) -> None:
    assert ApiKey(key).hide(b"none, EMPTY") == b"none, EMPTY"


def test_what_holds_no_key_comes_back_byte_for_byte() -> None:
    body = b"<html>" + bytes(range(256)) + b"\\" * 100_000

    assert ApiKey(KEY).hide(body) == body
