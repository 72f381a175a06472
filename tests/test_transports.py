"""The three ways to the models: exact URLs, headers and bodies; and how the way is chosen."""

import json
import sys
from pathlib import Path

import pytest

from gemcli.api.connect import connect
from gemcli.api.http import user_agent
from gemcli.errors import AuthError, ConfigError
from gemcli.events import TurnEnd, TurnFinished
from gemcli.wire import Content, GenerateRequest
from tests.fake_clock import FakeClock
from tests.fake_gemini import FakeGemini, chunk, fails, json_body, says, text, thought, turn, usage
from tests.support import KEY, around, gemcli, open_session, program_env, said

BODY = {
    "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
    "systemInstruction": {"role": "user", "parts": [{"text": "Be good."}]},
    "generationConfig": {
        "temperature": 0,
        "topP": 1,
        "thinkingConfig": {"thinkingBudget": -1, "includeThoughts": True},
    },
}
GEMINI_3 = {
    "temperature": 1,
    "topP": 0.95,
    "topK": 64,
    "thinkingConfig": {"includeThoughts": True, "thinkingLevel": "HIGH"},
}
TOKEN = "ya29.test-access-token"
CODE_ASSIST = {"GOOGLE_GENAI_USE_GCA": "true", "GOOGLE_CLOUD_ACCESS_TOKEN": TOKEN}


def vertex(fake: FakeGemini, **more: str) -> dict[str, str]:
    return {"GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_VERTEX_BASE_URL": fake.url, **more}


def external_account(fake: FakeGemini) -> str:
    """A credentials file whose tokens come from the fake."""
    subject = Path.home() / "subject.txt"
    subject.write_text("subject-token")
    path = Path.home() / "adc.json"
    pool = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q"
    path.write_text(
        json.dumps(
            {
                "type": "external_account",
                "audience": pool,
                "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
                "token_url": f"{fake.url}/token",
                "credential_source": {"file": str(subject)},
                "quota_project_id": "quota-project",
            }
        )
    )
    return str(path)


def unframed(headers: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in ("host", "content-length", "connection")}


COMMON = {
    "accept": "*/*",
    "accept-encoding": "identity",
    "content-type": "application/json",
    "user-agent": user_agent(),
}
TOKEN_ANSWER = {
    "access_token": "adc-access-token",
    "expires_in": 3600,
    "token_type": "Bearer",
    "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
}


def test_the_user_agent() -> None:
    import re

    assert re.fullmatch(rf"gemcli/\d+\.\d+\.\d+ \({sys.platform}; \w+\)", user_agent())


# --- the Gemini API -------------------------------------------------------------------------


async def test_the_gemini_api() -> None:
    with FakeGemini(turn(text("hello"))) as fake:
        async with open_session(fake, system_prompt="Be good.") as session:
            await said(session, "hi")
        [request] = fake.requests
    assert (request.method, request.path) == ("POST", "/v1beta/models/gemini-2.5-pro:streamGenerateContent")
    assert request.query == {"alt": "sse"}
    assert unframed(request.headers) == COMMON | {"x-goog-api-key": KEY}
    assert request.body == BODY


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("models/gemini-2.5-pro", "/v1beta/models/gemini-2.5-pro:streamGenerateContent"),
        ("tunedModels/mine-1", "/v1beta/tunedModels/mine-1:streamGenerateContent"),
        ("../../x?y#z a", "/v1beta/models/..%2F..%2Fx%3Fy%23z%20a:streamGenerateContent"),
    ],
)
async def test_model_names_in_the_path(model: str, path: str) -> None:
    with FakeGemini(turn(text("hello"))) as fake:
        async with open_session(fake, model=model) as session:
            await said(session, "hi")
        assert fake.requests[0].path == path


@pytest.mark.parametrize(
    ("model", "config"),
    [
        ("gemini-2.5-flash", BODY["generationConfig"]),
        ("gemini-3-pro-preview", GEMINI_3),
        ("gemini-3.1-flash-lite", GEMINI_3),
        ("gemini-2.0-flash", {"temperature": 0, "topP": 1}),
        ("somebody-elses-model", {}),
    ],
)
async def test_generation_config_by_family(model: str, config: object) -> None:
    with FakeGemini(turn(text("hello"))) as fake:
        async with open_session(fake, model=model) as session:
            await said(session, "hi")
        assert fake.requests[0].body["generationConfig"] == config


async def test_versions_headers_and_mechanism_from_the_environment() -> None:
    with FakeGemini(turn(text("hello"))) as fake:
        env = {
            "GEMINI_API_KEY": f"  {KEY}\n",
            "GOOGLE_GEMINI_BASE_URL": fake.url + "/gateway/",
            "GOOGLE_GENAI_API_VERSION": "v1alpha",
            "GEMINI_API_KEY_AUTH_MECHANISM": "bearer",
            "GEMINI_CLI_CUSTOM_HEADERS": "X-Team: a, b, X-Trace:1, User-Agent: mine, Content-Type: text/plain",
        }
        async with open_session(fake, env=env) as session:
            await said(session, "hi")
        [request] = fake.requests
    assert request.path == "/gateway/v1alpha/models/gemini-2.5-pro:streamGenerateContent"
    assert unframed(request.headers) == COMMON | {"authorization": f"Bearer {KEY}", "x-team": "a, b", "x-trace": "1"}


async def test_generate_and_count_tokens() -> None:
    thinking = Content.model_validate({"role": "model", "parts": [thought("Plan", "x"), text("said")]})
    with FakeGemini(
        json_body(chunk(text("whole"), finish="STOP", use=usage())), countTokens={"totalTokens": 7}
    ) as fake:
        env = {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": fake.url}
        client = connect("s", around(env))
        request = GenerateRequest("gemini-2.5-flash", [thinking.to_bytes()], "p")
        answer = await client.generate(request)
        total = await client.count_tokens("gemini-2.5-flash", [thinking])
        await client.aclose()
        fake.violations.clear()  # this is no conversation
    assert answer.candidate is not None and answer.candidate.content is not None
    assert (answer.candidate.content.text, total) == ("whole", 7)
    assert [request.path for request in fake.requests] == [
        "/v1beta/models/gemini-2.5-flash:generateContent",
        "/v1beta/models/gemini-2.5-flash:countTokens",
    ]
    counted = {"contents": [{"role": "model", "parts": [{"text": "**Plan**\n\nx"}, {"text": "said"}]}]}
    assert fake.requests[1].body == counted


# --- Vertex AI ------------------------------------------------------------------------------


async def test_vertex_express() -> None:
    with FakeGemini(turn(text("hello"))) as fake:
        env = vertex(fake, GOOGLE_API_KEY=KEY, GOOGLE_CLOUD_PROJECT="p", GOOGLE_CLOUD_LOCATION="l")
        async with open_session(fake, env=env, system_prompt="Be good.") as session:
            await said(session, "hi")
        [request] = fake.requests
    assert request.path == "/v1beta1/publishers/google/models/gemini-2.5-pro:streamGenerateContent"
    assert unframed(request.headers) == COMMON | {"x-goog-api-key": KEY}
    assert request.body == BODY


async def test_vertex_with_project_and_default_credentials() -> None:
    with FakeGemini(turn(text("hello")), token=TOKEN_ANSWER) as fake:
        env = vertex(
            fake,
            GOOGLE_CLOUD_PROJECT="my-project",
            GOOGLE_CLOUD_LOCATION="us-central1",
            GOOGLE_APPLICATION_CREDENTIALS=external_account(fake),
        )
        async with open_session(fake, env=env, system_prompt="Be good.") as session:
            assert (await said(session, "hi"))[-1] == TurnFinished(TurnEnd.DONE)
        [request] = fake.generated
    assert request.path == (
        "/v1beta1/projects/my-project/locations/us-central1/publishers/google/models/"
        "gemini-2.5-pro:streamGenerateContent"
    )
    assert unframed(request.headers) == COMMON | {
        "authorization": "Bearer adc-access-token",
        "x-goog-user-project": "quota-project",
    }
    assert request.body == BODY


async def test_gclouds_own_file_is_found_and_needs_no_switch() -> None:
    with FakeGemini(turn(text("hello")), token=TOKEN_ANSWER) as fake:
        kept = Path.home() / ".config" / "gcloud" / "application_default_credentials.json"
        kept.parent.mkdir(parents=True)
        Path(external_account(fake)).rename(kept)
        env = {
            "GOOGLE_VERTEX_BASE_URL": fake.url,
            "GOOGLE_CLOUD_PROJECT": "my-project",
            "GOOGLE_CLOUD_LOCATION": "global",
        }
        async with open_session(fake, env=env) as session:
            assert (await said(session, "hi"))[-1] == TurnFinished(TurnEnd.DONE)


def test_the_metadata_server_is_asked_only_when_allowed() -> None:
    """In a process of its own: google-auth reads the address of the metadata server when it is imported."""
    machine = {"email": "machine@example.com", "scopes": ["cloud-platform"]}
    with FakeGemini(turn(text("hello")), default=machine, token=TOKEN_ANSWER) as fake:
        env = program_env(None, GCE_METADATA_HOST=f"127.0.0.1:{fake.port}") | vertex(
            fake, GOOGLE_CLOUD_PROJECT="p", GOOGLE_CLOUD_LOCATION="l"
        )
        refused = gemcli("-p", "hi", env=env)
        assert (refused.code, fake.requests) == (41, [])
        answered = gemcli("-p", "hi", env=env | {"GEMINI_CLI_USE_COMPUTE_ADC": "true"})
        assert (answered.code, answered.out) == (0, "hello\n")
        assert fake.generated[0].headers["authorization"] == "Bearer adc-access-token"


@pytest.mark.parametrize(
    ("location", "host"),
    [
        ("us-central1", "us-central1-aiplatform.googleapis.com"),
        ("global", "aiplatform.googleapis.com"),
        ("eu", "aiplatform.eu.rep.googleapis.com"),
        (None, "aiplatform.googleapis.com"),
    ],
)
def test_vertex_hosts(location: str | None, host: str) -> None:
    from gemcli.api.endpoints import vertex_url

    assert vertex_url({}, location) == f"https://{host}"


@pytest.mark.parametrize(
    ("extra", "named"),
    [
        ({}, "GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION"),
        ({"GOOGLE_CLOUD_PROJECT": "p"}, "needs GOOGLE_CLOUD_LOCATION"),
        ({"GOOGLE_CLOUD_PROJECT_ID": "p", "GOOGLE_CLOUD_LOCATION": "l"}, "GEMINI_CLI_USE_COMPUTE_ADC"),
        (
            {"GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "l", "GOOGLE_APPLICATION_CREDENTIALS": "/nowhere"},
            "/nowhere holds no usable credentials",
        ),
    ],
)
def test_what_vertex_lacks_is_named(extra: dict[str, str], named: str) -> None:
    with pytest.raises(AuthError) as caught:
        connect("s", around({"GOOGLE_GENAI_USE_VERTEXAI": "1", **extra}))
    assert named in caught.value.hint


# --- Code Assist ----------------------------------------------------------------------------


async def test_code_assist_envelope() -> None:
    wrapped = [
        {"response": each, "traceId": "t"} for each in (chunk(thought("T")), chunk(text("hello"), finish="STOP"))
    ]
    with FakeGemini(says(*wrapped), says(*wrapped)) as fake:
        env = CODE_ASSIST | {"CODE_ASSIST_ENDPOINT": fake.url, "GOOGLE_CLOUD_PROJECT": "my-project"}
        async with open_session(fake, env=env, system_prompt="Be good.") as session:
            await said(session, "hi")
            await said(session, "more")
        first, second = fake.requests
    assert (first.path, first.query) == ("/v1internal:streamGenerateContent", {"alt": "sse"})
    assert unframed(first.headers) == COMMON | {"authorization": f"Bearer {TOKEN}"}
    assert first.body == {
        "model": "gemini-2.5-pro",
        "project": "my-project",
        "user_prompt_id": "session-1#1",
        "request": BODY | {"session_id": "session-1"},
    }
    assert (second.body["user_prompt_id"], second.inner["session_id"]) == ("session-1#2", "session-1")
    assert second.contents[1] == {"role": "model", "parts": [{"text": "hello"}]}


LOAD = {"metadata": {"ideType": "IDE_UNSPECIFIED", "platform": "PLATFORM_UNSPECIFIED", "pluginType": "GEMINI"}}


async def test_code_assist_asks_once_for_its_project() -> None:
    known = {"currentTier": {"id": "standard-tier"}, "cloudaicompanionProject": "found-project"}
    with FakeGemini(turn(text("a")), turn(text("b")), loadCodeAssist=known) as fake:
        env = CODE_ASSIST | {"CODE_ASSIST_ENDPOINT": fake.url, "CODE_ASSIST_API_VERSION": "v2internal"}
        async with open_session(fake, env=env) as session:
            await said(session, "one")
            await said(session, "two")
    assert [request.path for request in fake.requests] == [
        "/v2internal:loadCodeAssist",
        "/v2internal:streamGenerateContent",
        "/v2internal:streamGenerateContent",
    ]
    assert fake.requests[0].body == LOAD
    assert [request.body["project"] for request in fake.generated] == ["found-project"] * 2


async def test_code_assist_onboards_whoever_has_no_tier() -> None:
    clock = FakeClock()
    pending = {"name": "operations/op-1", "done": False}
    done = {"name": "operations/op-1", "done": True, "response": {"cloudaicompanionProject": {"id": "new-project"}}}
    tiers = {"allowedTiers": [{"id": "other"}, {"id": "free-tier", "isDefault": True}]}
    endpoints = {"loadCodeAssist": tiers, "onboardUser": pending, "op-1": [pending, done]}
    with FakeGemini(turn(text("a")), **endpoints) as fake:
        env = CODE_ASSIST | {"CODE_ASSIST_ENDPOINT": fake.url}
        async with open_session(fake, clock, env=env) as session:
            await said(session, "one")
    assert [(request.method, request.path) for request in fake.requests[:-1]] == [
        ("POST", "/v1internal:loadCodeAssist"),
        ("POST", "/v1internal:onboardUser"),
        ("GET", "/v1internal/operations/op-1"),
        ("GET", "/v1internal/operations/op-1"),
    ]
    assert fake.requests[1].body == LOAD | {"tierId": "free-tier"}
    assert (clock.slept, fake.generated[0].body["project"]) == ([5.0, 5.0], "new-project")


async def test_code_assist_without_any_project_names_none() -> None:
    with FakeGemini(turn(text("a")), loadCodeAssist={"currentTier": {"id": "free-tier"}}) as fake:
        async with open_session(fake, env=CODE_ASSIST | {"CODE_ASSIST_ENDPOINT": fake.url}) as session:
            await said(session, "one")
    assert set(fake.generated[0].body) == {"model", "user_prompt_id", "request"}


async def test_code_assist_that_cannot_onboard_says_why() -> None:
    refused = {"name": "operations/x", "done": True, "error": {"message": "not in your country"}}
    with FakeGemini(loadCodeAssist={}, onboardUser=refused) as fake:
        async with open_session(fake, env=CODE_ASSIST | {"CODE_ASSIST_ENDPOINT": fake.url}) as session:
            end = (await said(session, "one"))[-1]
    assert isinstance(end, TurnFinished) and end.error is not None
    assert (end.error.exit_code, end.error.message) == (
        41,
        "Code Assist could not set up this account: not in your country",
    )


async def test_code_assist_counts_tokens() -> None:
    with FakeGemini(countTokens={"totalTokens": 3}) as fake:
        env = CODE_ASSIST | {"CODE_ASSIST_ENDPOINT": fake.url, "GOOGLE_CLOUD_PROJECT": "p"}
        client = connect("s", around(env))
        assert (
            await client.count_tokens(
                "gemini-2.5-pro", [Content.model_validate({"role": "user", "parts": [text("x")]})]
            )
            == 3
        )
        await client.aclose()
    contents = [{"role": "user", "parts": [{"text": "x"}]}]
    assert fake.requests[0].body == {"request": {"model": "models/gemini-2.5-pro", "contents": contents}}


def test_a_stored_token_is_used_while_it_holds() -> None:
    path = Path.home() / ".gemini" / "oauth_creds.json"
    path.parent.mkdir()
    now = FakeClock().today().timestamp() * 1000
    env = {"GOOGLE_GENAI_USE_GCA": "1"}
    path.write_text(json.dumps({"access_token": TOKEN, "expiry_date": now + 3_600_000}))
    connect("s", around(env))
    for content, words in (
        (json.dumps({"access_token": TOKEN, "expiry_date": now + 30_000}), "has expired"),
        (json.dumps({"expiry_date": now}), "no access_token"),
        ("{", "cannot be read"),
    ):
        path.write_text(content)
        with pytest.raises(AuthError) as caught:
            connect("s", around(env))
        assert words in caught.value.hint and TOKEN not in caught.value.hint


# --- which kind -----------------------------------------------------------------------------

KINDS = {
    "gemini": "GeminiTransport",
    "vertex": "VertexTransport",
    "code assist": "CodeAssistTransport",
}


@pytest.mark.parametrize(
    ("selected", "env", "kind"),
    [
        (None, {"GEMINI_API_KEY": KEY}, "gemini"),
        (None, {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": "https://gateway.example"}, "gemini"),
        (None, {"GEMINI_API_KEY": KEY, "GOOGLE_API_KEY": KEY}, "gemini"),
        (None, {"GOOGLE_API_KEY": KEY}, "vertex"),
        (None, {"GEMINI_API_KEY": KEY, "GOOGLE_API_KEY": KEY, "GOOGLE_GENAI_USE_VERTEXAI": "TRUE"}, "vertex"),
        (None, {"GOOGLE_API_KEY": KEY, "GOOGLE_GENAI_USE_VERTEXAI": "true", **CODE_ASSIST}, "code assist"),
        ("gemini-api-key", {"GEMINI_API_KEY": KEY, **CODE_ASSIST}, "gemini"),
        ("vertex-ai", {"GEMINI_API_KEY": KEY, "GOOGLE_API_KEY": KEY}, "vertex"),
        ("oauth-personal", {"GEMINI_API_KEY": KEY, "GOOGLE_CLOUD_ACCESS_TOKEN": TOKEN}, "code assist"),
        ("compute-default-credentials", {"GEMINI_CLI_USE_COMPUTE_ADC": "true"}, "code assist"),
        ("cloud-shell", {"GEMINI_CLI_USE_COMPUTE_ADC": "true"}, "code assist"),
        (None, {"GEMINI_CLI_USE_COMPUTE_ADC": "true"}, "code assist"),
    ],
)
def test_the_kind_of_sign_in(selected: str | None, env: dict[str, str], kind: str) -> None:
    settings = {"security": {"auth": {"selectedType": selected}}} if selected else {}
    client = connect("s", around(env, **settings))
    assert type(client._transport).__name__ == KINDS[kind]  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    ("selected", "env"),
    [
        (None, {}),
        (None, {"GOOGLE_GEMINI_BASE_URL": "https://gateway.example"}),
        ("gemini-api-key", {"GOOGLE_API_KEY": KEY}),
        ("oauth-personal", {"GEMINI_API_KEY": KEY}),
        ("compute-default-credentials", {}),
        ("gateway", {"GEMINI_API_KEY": KEY}),
        (None, {"GEMINI_API_KEY": "kéy-with-accent"}),
        (None, {"GEMINI_API_KEY": "two\nlines-of-key"}),
    ],
)
def test_missing_or_unusable_credentials(selected: str | None, env: dict[str, str]) -> None:
    settings = {"security": {"auth": {"selectedType": selected}}} if selected else {}
    with pytest.raises(AuthError) as caught:
        connect("s", around(env, **settings))
    assert (caught.value.message, caught.value.exit_code) == ("Not authenticated.", 41)
    assert not any(value in caught.value.hint for name, value in env.items() if name.endswith("KEY"))


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com",
        "ftp://127.0.0.1",
        "example.com",
        "http://127.0.0.1.evil.example",
        "https://u:p@h",
        "https://:p@h",
        "https://h?",
        "https://h#",
        "https://h\x7f.x",
        "http://[",
    ],
)
def test_base_urls_that_would_leak_a_key(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        connect("s", around({"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": url}))
    assert "GOOGLE_GEMINI_BASE_URL" in caught.value.message


@pytest.mark.parametrize("location", ["evil.example/x", "127.0.0.1:1/x?", "a b", "", "US"])
def test_a_location_is_no_address(location: str) -> None:
    env = {"GOOGLE_GENAI_USE_VERTEXAI": "1", "GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": location}
    env["GOOGLE_APPLICATION_CREDENTIALS"] = str(Path.home() / "adc.json")
    with FakeGemini() as fake:
        external_account(fake)
        with pytest.raises(ConfigError if location else AuthError):
            connect("s", around(env))


@pytest.mark.parametrize(
    ("url", "env", "proxy"),
    [
        ("https://api.example.com", {}, None),
        ("https://api.example.com", {"HTTPS_PROXY": "http://p:1"}, "http://p:1"),
        ("https://api.example.com", {"https_proxy": "p:1"}, "http://p:1"),
        ("https://api.example.com", {"ALL_PROXY": "http://p:1"}, "http://p:1"),
        ("https://api.example.com", {"HTTP_PROXY": "http://p:1"}, None),
        ("https://api.example.com", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "x, example.com"}, None),
        ("https://api.example.com", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": ".example.com:443"}, None),
        ("https://api.example.com", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "*"}, None),
        ("https://api.example.com", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "fd00::/8,ample.com,"}, "http://p:1"),
        ("http://127.0.0.1:8080", {"HTTP_PROXY": "http://p:1", "ALL_PROXY": "http://p:1"}, None),
        ("https://localhost:8080", {"HTTPS_PROXY": "http://p:1"}, None),
    ],
)
def test_proxies(url: str, env: dict[str, str], proxy: str | None) -> None:
    from gemcli.api.http import proxy_for

    assert proxy_for(url, env) == proxy


async def test_a_key_for_this_machine_passes_no_proxy() -> None:
    with FakeGemini(turn(text("hello"))) as fake, FakeGemini() as proxy:
        env = {
            "GEMINI_API_KEY": KEY,
            "GOOGLE_GEMINI_BASE_URL": fake.url,
            "HTTP_PROXY": proxy.url,
            "ALL_PROXY": proxy.url,
        }
        async with open_session(fake, env=env) as session:
            assert (await said(session, "hi"))[-1] == TurnFinished(TurnEnd.DONE)
        assert proxy.requests == []


def certificate() -> tuple[Path, Path]:
    """A certificate of our own for 127.0.0.1, which no system trusts."""
    import datetime
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Test Authority")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    cert_path, key_path = Path.cwd() / "cert.pem", Path.cwd() / "key.pem"
    cert_path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    key_path.write_bytes(key.private_bytes(pem, pkcs8, serialization.NoEncryption()))
    return cert_path, key_path


async def test_certificates() -> None:
    """Over real TLS: an authority nobody knows is refused at once, one that the user names is believed."""
    import ssl

    cert, key = certificate()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    with FakeGemini(turn(text("hello")), turn(text("hello")), tls=context) as fake:
        env = {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": fake.url}
        async with open_session(fake, env=env) as session:
            end = (await said(session, "hi"))[-1]
        assert isinstance(end, TurnFinished) and end.error is not None
        assert end.error.type == "CERTIFICATE_NOT_TRUSTED" and "SSL_CERT_FILE" in end.error.hint
        for name in ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"):
            async with open_session(fake, env=env | {name: str(cert)}) as session:
                assert (await said(session, "hi"))[-1] == TurnFinished(TurnEnd.DONE)


async def test_a_token_that_cannot_be_a_header() -> None:
    with FakeGemini(turn(text("x")), token=TOKEN_ANSWER | {"access_token": "tok-secret-123\nX: y"}) as fake:
        env = vertex(fake, GOOGLE_CLOUD_PROJECT="p", GOOGLE_CLOUD_LOCATION="l")
        env["GOOGLE_APPLICATION_CREDENTIALS"] = external_account(fake)
        async with open_session(fake, env=env) as session:
            end = (await said(session, "hi"))[-1]
    assert isinstance(end, TurnFinished) and end.error is not None
    assert end.error.exit_code == 41 and "tok-secret" not in repr(end)


async def test_a_token_service_that_cannot_be_reached_is_tried_again() -> None:
    clock = FakeClock()
    with FakeGemini() as fake:
        env = vertex(fake, GOOGLE_CLOUD_PROJECT="p", GOOGLE_CLOUD_LOCATION="l")
        path = Path(external_account(fake))
        path.write_text(path.read_text().replace(f":{fake.port}", ":9"))
        async with open_session(
            fake, clock, env=env | {"GOOGLE_APPLICATION_CREDENTIALS": str(path)}, max_attempts=2
        ) as session:
            end = (await said(session, "hi"))[-1]
    assert isinstance(end, TurnFinished) and end.error is not None
    assert (end.error.type, clock.slept) == ("NETWORK_ERROR", [5.0])


@pytest.mark.parametrize(
    "operation",
    [
        {"name": "operations/x", "done": True, "error": "no"},
        {"name": None},
        {"name": "../../evil"},
        {"name": "operations/a\x01b"},
    ],
)
async def test_odd_onboarding_answers(operation: dict[str, object]) -> None:
    with FakeGemini(loadCodeAssist={"allowedTiers": 5}, onboardUser=operation) as fake:
        async with open_session(fake, env=CODE_ASSIST | {"CODE_ASSIST_ENDPOINT": fake.url}) as session:
            end = (await said(session, "one"))[-1]
        assert len(fake.requests) == 2
    assert isinstance(end, TurnFinished) and end.error is not None and end.error.exit_code == 41


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GEMINI_CLI_CUSTOM_HEADERS", "no colon here"),
        ("GEMINI_CLI_CUSTOM_HEADERS", "X-Name: José"),
        ("GEMINI_CLI_CUSTOM_HEADERS", "Content-Length: 3"),
        ("GEMINI_CLI_CUSTOM_HEADERS", "X: a\r\nEvil: b"),
        ("GOOGLE_GENAI_API_VERSION", "v1/../x"),
        ("SSL_CERT_FILE", "/nowhere.pem"),
    ],
)
def test_environment_that_cannot_be_used(name: str, value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        connect("s", around({"GEMINI_API_KEY": KEY, name: value}))
    assert name in caught.value.message


async def test_a_service_that_repeats_the_key_does_not_get_it_shown() -> None:
    with FakeGemini(fails(403, f"the key {KEY} is not welcome")) as fake:
        async with open_session(fake) as session:
            end = (await said(session, "hi"))[-1]
    assert isinstance(end, TurnFinished) and end.error is not None
    assert end.error.message == "the key [REDACTED] is not welcome"
    assert KEY not in repr(end)
