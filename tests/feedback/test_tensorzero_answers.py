"""Our TensorZero gateway says what the real one said (`tests/tensorzero` asks that one the same)."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
import requests

from tests.support.tensorzero_rows import ARGUMENTS, GIVEN, LISTED, TOOL, Target, version7
from tests.support.tensorzero_server import TensorZeroServer


@pytest.fixture
def gateway() -> Iterator[TensorZeroServer]:
    with TensorZeroServer() as gateway:
        yield gateway


@pytest.fixture
def target(gateway: TensorZeroServer) -> Target:
    call = {"type": "tool_call", "id": "1", "name": "write_file", "raw_name": "write_file", "arguments": ARGUMENTS}
    inference = gateway.add_inference("coder", [call], tools=[TOOL], tags={"n": "1"})
    return Target(inference, gateway.inferences[0]["episode_id"])


def test_every_request_gets_the_answer_of_the_real_gateway(gateway: TensorZeroServer, target: Target) -> None:
    for row in (*GIVEN, *LISTED):
        response = requests.post(f"{gateway.url}{row.path}", json=row.body(target), timeout=10)
        assert response.status_code == row.status, (row.name, response.text)
        assert row.says in response.text.replace('\\"', '"'), row.name
        if row.finds is not None:
            ids = [one["inference_id"] for one in response.json()["inferences"]]
            assert ids == [target.inference] * row.finds, row.name
    assert gateway.stored("ted_reward") == [0.75, 0.5, 1, -3.5, 0.25, 0.125]
    assert len(gateway.stored("demonstration")) == 5


@pytest.mark.parametrize(("age", "waited"), [(0.0, 0.3), (3600.0, 0.1)])
def test_an_unknown_inference_is_waited_for_the_longer_the_fresher_it_would_be(age: float, waited: float) -> None:
    with TensorZeroServer(waits=(0.3, 0.1)) as gateway:
        began = time.monotonic()
        body = {"inference_id": version7(age), "metric_name": "ted_reward", "value": 1}
        response = requests.post(f"{gateway.url}/feedback", json=body, timeout=10)
        assert time.monotonic() - began >= waited
        assert (response.status_code, response.json()["error"].split()[-3:]) == (400, ["does", "not", "exist"])


@pytest.mark.parametrize("value", ["NaN", "Infinity"])
def test_what_is_no_json_number_is_refused(gateway: TensorZeroServer, target: Target, value: str) -> None:
    body = f'{{"inference_id": "{target.inference}", "metric_name": "ted_reward", "value": {value}}}'
    response = requests.post(
        f"{gateway.url}/feedback", data=body, headers={"Content-Type": "application/json"}, timeout=10
    )
    assert response.status_code == 400
    assert response.json()["error"].startswith("Failed to parse the request body as JSON")


def test_a_store_of_the_other_kind_sees_the_latest_value_and_the_first_demonstration(
    gateway: TensorZeroServer, target: Target
) -> None:
    gateway.store = "clickhouse"
    for metric, value in (("ted_reward", 0.5), ("ted_reward", 1.0), ("demonstration", "a"), ("demonstration", "b")):
        body = {"inference_id": target.inference, "metric_name": metric, "value": value}
        assert requests.post(f"{gateway.url}/feedback", json=body, timeout=10).ok
    listing = f"{gateway.url}/v1/inferences/list_inferences"
    is_half = {"type": "float_metric", "metric_name": "ted_reward", "value": 0.5, "comparison_operator": "="}
    assert requests.post(listing, json={"filters": is_half}, timeout=10).json() == {"inferences": []}
    (shown,) = requests.post(listing, json={"output_source": "demonstration"}, timeout=10).json()["inferences"]
    assert shown["output"] == [{"type": "text", "text": "a"}]
