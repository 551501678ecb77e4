"""What must not leave this machine is masked, and the rest of the code stays as it is."""

from __future__ import annotations

import socket
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.errors import UserError
from gitgoodbench.feedback import secrets
from gitgoodbench.feedback.secrets import MASK, mask, merged_spans

TOKENS = [
    b"AKIA" + b"IOSFODNN7EXAMPLQ",
    b"ghp_" + b"16C7e42F292c6912E7710c838347Ae178B4a",
    b"sk-ant-" + b"api03-Zq9x7Lm2Kp4Rt6Wv8Yb1Nc3",
    b"sk-proj-" + b"Z9sQ2mW3T3BlbkFJabcdefghij",
    b"hf_" + b"QwErTyUiOpAsDfGhJkLzXcVbNmQwErTyUi",
    b"glpat-" + b"Zq9x7Lm2Kp4Rt6Wv8Yb1",
    b"xoxb-" + b"123456789012-1234567890123-Zq9x7Lm2Kp4Rt6Wv8Yb1Nc3D",
]


@pytest.mark.parametrize("token", TOKENS, ids=lambda token: token[:6].decode())
@pytest.mark.parametrize("line", [b'client = Client("%s")\n', b"export KEY=%s\n", b"# use %s here\n"])
def test_a_token_is_masked_wherever_it_stands(token: bytes, line: bytes) -> None:
    masked, count = mask(b"before = 1\n" + line % token + b"after = 2\n")
    assert token not in masked
    assert token[8:] not in masked
    assert masked.startswith(b"before = 1\n")
    assert masked.endswith(b"after = 2\n")
    assert count == 1


def test_a_password_is_masked_and_its_name_stays() -> None:
    assert mask(b'password = "hunter2hunter2"\n') == (b'password = "[masked]"\n', 1)


def test_credentials_in_a_url_are_masked() -> None:
    masked, count = mask(b'url = "postgres://ada:s3cretpw@db.internal/main"\n')
    assert (b"s3cretpw" in masked, count) == (False, 1)


def test_a_private_key_is_masked_to_its_end() -> None:
    key = b"-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc/+=\n-----END RSA PRIVATE KEY-----"
    assert mask(b"x = '''\n" + key + b"\n'''\ny = 2\n") == (b"x = '''\n[masked]\n'''\ny = 2\n", 1)


def test_a_private_key_without_an_end_is_masked_as_far_as_the_piece_goes() -> None:
    assert mask(b"a\n-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\n") == (b"a\n[masked]", 1)


def test_addresses_are_masked() -> None:
    masked, count = mask(b"Mail ada@example.org or <b.c+d@sub.host.co.uk>; @decorator and a@b stay.\n")
    assert masked == b"Mail [masked] or <[masked]>; @decorator and a@b stay.\n"
    assert count == 2


def test_common_code_stays_as_it_is() -> None:
    code = (
        b"@app.route('/users/<int:user_id>')\n"
        b"def show(user_id: int) -> str:\n"
        b"    token = request.headers.get('Authorization')\n"
        b"    return render('user.html', token=token, color='#ff8800')\n"
        b"VERSION = '1.24.0'\r\n"
    )
    assert mask(code) == (code, 0)


def test_bytes_that_are_no_text_stay() -> None:
    content = b"\xff\xfe\x00caf\xc3\xa9\x0c\x1c\xe2\x80\xa8 end\n"
    assert mask(content) == (content, 0)


def test_an_endless_line_is_masked_as_a_whole() -> None:
    assert mask(b"a\n" + b"x" * 20_000 + b"\nb\n") == (b"a\n[masked]\nb\n", 1)


def test_nobody_is_asked_whether_a_token_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert mask(b"\n".join(TOKENS))[1] == len(TOKENS)


def test_without_the_detector_nothing_is_let_through(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets._plugins.cache_clear()
    monkeypatch.setitem(sys.modules, "detect_secrets.core.plugins.util", None)
    with pytest.raises(UserError, match="pip install bc-detect-secrets"):
        mask(b"x = 1\n")


@given(st.binary(max_size=300))
def test_masking_twice_masks_no_more(content: bytes) -> None:
    masked, count = mask(content)
    assert (masked == content) == (count == 0) or MASK in content
    assert masked.count(MASK) >= count


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30))))
def test_merged_spans_cover_the_same_and_do_not_touch(spans: list[tuple[int, int]]) -> None:
    merged = merged_spans(spans)
    covered = {position for start, end in spans for position in range(start, end)}
    assert {position for start, end in merged for position in range(start, end)} == covered
    assert all(first[1] < second[0] for first, second in pairwise(merged))
