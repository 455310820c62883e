"""Every provider's route takes the same proxy and trusts the same certificates, and none reads a .netrc."""

import importlib.util
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest

from suts.network import is_direct, route_to, trusted
from suts.registry import resolve
from suts.settings import Settings, UnknownSutError
from suts.sut import ErrorKind, Message, Received, Request, Sut, SutError
from tests.suts.certificates import HOST, Certificates, made_certificates
from tests.suts.conftest import Loopback, Serve, streaming
from tests.suts.proxy_server import PASSWORD, USER, LoopbackProxy, proxying
from tests.suts.reading import recorded

KEY = "sk-planted-0123456789abcdef"
CANARY = "canary-of-the-netrc"
PROXY = "http://proxy.example:3128"


@dataclass(frozen=True)
class RouteCase:
    """A provider's model, what follows the server's address, and the recorded stream that it is answered with."""

    model: str
    path: str = "/v1"
    stream: str = "openai_text"


ROUTES = {
    "openai": RouteCase("openai/gpt-x"),
    "anthropic": RouteCase("anthropic/claude-x", "", "claude_thinking"),
    "openai-sdk": RouteCase("openai-sdk/gpt-x"),
    "anthropic-sdk": RouteCase("anthropic-sdk/claude-x", "", "claude_thinking"),
    "litellm": RouteCase("litellm/openai/gpt-x"),
}
every_route = pytest.mark.parametrize("name", ROUTES)
every_scheme = pytest.mark.parametrize("scheme", ["http", "https"])
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning:litellm")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    return made_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(autouse=True)
def a_netrc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A .netrc for every machine, where every library would look for it."""
    (tmp_path / ".netrc").write_text(f"default login {CANARY} password {CANARY}\n")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))


def made(name: str, base_url: str, variables: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> Sut:
    """A system of this route in a process that has these variables."""
    if (
        name in ("litellm", "openai-sdk", "anthropic-sdk")
        and importlib.util.find_spec(name.removesuffix("-sdk")) is None
    ):
        pytest.skip(f"the extra {name} is not installed")
    for variable in ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NO_PROXY", "no_proxy"):
        # Set before it is deleted, so that what the route itself sets is undone, too.
        monkeypatch.setenv(variable, "")
        monkeypatch.delenv(variable)
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    keys = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
    settings = Settings(base_url=base_url, environment=keys, network=variables, insecure_http=True)
    return resolve(ROUTES[name].model, settings)


async def received(sut: Sut) -> bytes:
    try:
        pieces: list[Received] = [piece async for piece in sut.stream(Request("", (Message("user", "hello"),)))]
    finally:
        await sut.aclose()
    return b"".join(piece.data for piece in pieces)


def stream_of(name: str) -> list[bytes]:
    return re.findall(rb".+?\n\n", recorded(ROUTES[name].stream), re.DOTALL)


def with_credentials(proxy: LoopbackProxy, password: str = PASSWORD) -> str:
    return proxy.url.replace("//", f"//{USER}:{quote(password, safe='')}@")


def all_heard(server: Loopback, proxy: LoopbackProxy) -> str:
    return "\n".join((*proxy.heads, *(f"{asked.path} {asked.headers}" for asked in server.asked)))


@every_route
@every_scheme
async def test_a_proxy_with_credentials_leads_to_the_server(
    serve: Serve, certificates: Certificates, monkeypatch: pytest.MonkeyPatch, name: str, scheme: str
) -> None:
    tls = certificates.server if scheme == "https" else None
    async with serve(streaming(*stream_of(name)), tls=tls) as server, proxying(server.url) as proxy:
        host = f"{HOST}:{server.url.rpartition(':')[2]}"
        variables = {f"{scheme.upper()}_PROXY": with_credentials(proxy), "SSL_CERT_FILE": str(certificates.authority)}
        sut = made(name, f"{scheme}://{host}{ROUTES[name].path}", variables, monkeypatch)
        data = await received(sut)

    assert b"data: " in data
    path = server.asked[0].path
    assert proxy.lines == [f"CONNECT {host} HTTP/1.1" if tls else f"POST http://{host}{path} HTTP/1.1"]
    assert CANARY not in all_heard(server, proxy)
    assert "proxy-authorization" not in server.asked[0].headers
    assert KEY in str(server.asked[0].headers)
    assert KEY not in proxy.heads[0] or not tls
    assert sut.endpoint.proxy == proxy.url
    assert PASSWORD in getattr(sut, "secrets", ())


@every_route
@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
async def test_a_certificate_is_trusted_that_a_variable_names_and_loopback_has_no_proxy(
    serve: Serve, certificates: Certificates, monkeypatch: pytest.MonkeyPatch, name: str, variable: str
) -> None:
    async with serve(streaming(*stream_of(name)), tls=certificates.server) as server, proxying(server.url) as proxy:
        variables = {variable: str(certificates.authority), "HTTPS_PROXY": proxy.url, "ALL_PROXY": proxy.url}
        sut = made(name, server.url + ROUTES[name].path, variables, monkeypatch)
        data = await received(sut)

    assert b"data: " in data
    assert proxy.heads == []
    assert sut.endpoint.proxy == ""
    assert CANARY not in all_heard(server, proxy)


@every_route
async def test_another_certificate_is_refused(
    serve: Serve, certificates: Certificates, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    other = made_certificates(tmp_path)
    async with serve(streaming(*stream_of(name)), tls=certificates.server) as server:
        variables = {"SSL_CERT_FILE": str(other.authority)}
        sut = made(name, server.url + ROUTES[name].path, variables, monkeypatch)
        with pytest.raises(SutError):
            await received(sut)

    assert server.asked == []


@pytest.mark.parametrize("name", ["openai", "anthropic-sdk", "openai-sdk"])
@pytest.mark.parametrize(
    "password,refuse,expected",
    [
        pytest.param("no-password", "407 Proxy Authentication Required", (ErrorKind.AUTH, False), id="password"),
        pytest.param(PASSWORD, "403 Forbidden", (ErrorKind.CONNECTION, False), id="blocked"),
        pytest.param(PASSWORD, "503 Busy", (ErrorKind.CONNECTION, True), id="busy"),
    ],
)
async def test_a_proxy_that_refuses_is_named_without_its_credentials(
    monkeypatch: pytest.MonkeyPatch, name: str, password: str, refuse: str, expected: tuple[ErrorKind, bool]
) -> None:
    async with proxying("http://127.0.0.1:9", refuse) as proxy:
        variables = {"https_proxy": with_credentials(proxy, password)}
        sut = made(name, f"https://{HOST}{ROUTES[name].path}", variables, monkeypatch)
        with pytest.raises(SutError) as caught:
            await received(sut)

    assert (caught.value.kind, caught.value.retryable) == expected
    assert str(caught.value).startswith(f"the proxy {proxy.url} answered {refuse}")
    assert password not in repr(caught.value)
    assert len(proxy.heads) == 1


@pytest.mark.parametrize(
    "variables,base_url,address",
    [
        pytest.param({}, "https://a.example", "", id="none"),
        pytest.param({"HTTPS_PROXY": PROXY}, "https://a.example", PROXY, id="upper-case"),
        pytest.param(
            {"https_proxy": PROXY, "HTTPS_PROXY": "http://other"}, "https://a.example", PROXY, id="lower-first"
        ),
        pytest.param({"https_proxy": "", "HTTPS_PROXY": PROXY}, "https://a.example", "", id="empty-is-none"),
        pytest.param({"HTTPS_PROXY": PROXY}, "http://a.example", "", id="other-scheme"),
        pytest.param({"ALL_PROXY": PROXY}, "http://a.example", PROXY, id="all"),
        pytest.param({"HTTP_PROXY": "proxy.example:3128"}, "http://a.example", PROXY, id="no-scheme"),
        pytest.param({"HTTPS_PROXY": "http://u:p@[::1]:8080/"}, "https://a.example", "http://[::1]:8080", id="ipv6"),
        pytest.param({"HTTPS_PROXY": PROXY, "NO_PROXY": "b.example,.example"}, "https://a.example", "", id="exempt"),
    ],
)
def test_the_variables_of_the_process_choose_the_proxy(variables: dict[str, str], base_url: str, address: str) -> None:
    assert route_to(base_url, variables).address == address


@pytest.mark.parametrize(
    "listed,host,exempt",
    [
        ("", "a.example", False),
        ("*", "a.example", True),
        ("example", "a.example", True),
        (".a.example", "a.example", True),
        ("*.example", "a.example", True),
        ("xample", "a.example", False),
        ("b.example A.Example", "a.example", True),
        ("a.example:443", "a.example", True),
        ("a.example:8443", "a.example", False),
        ("10.0.0.0/8", "10.1.2.3", True),
        ("10.0.0.0/8", "11.1.2.3", False),
        ("10.1.2.3", "10.1.2.3", True),
        ("fd00::/8", "fd00::7", True),
        ("[fd00::7]:443", "fd00::7", True),
        ("10.0.0.0/8", "a.example", False),
    ],
)
def test_no_proxy_exempts_hosts_domains_addresses_and_networks(listed: str, host: str, exempt: bool) -> None:
    assert is_direct(host, 443, listed) is exempt


@pytest.mark.parametrize(
    "variables,message",
    [
        pytest.param(
            {"ALL_PROXY": "socks5h://u:p@127.0.0.1:9050"}, "ALL_PROXY: socks5h://127.0.0.1:9050 is a", id="socks"
        ),
        pytest.param({"https_proxy": "ftp://u:p@a"}, "https_proxy: is no URL of a proxy", id="scheme"),
        pytest.param({"https_proxy": "http://u:p@"}, "https_proxy: is no URL of a proxy", id="no-host"),
        pytest.param({"https_proxy": "http://a:port"}, "https_proxy: is no URL of a proxy", id="port"),
        pytest.param({"SSL_CERT_FILE": "/nowhere/ca.pem"}, "SSL_CERT_FILE: there is no /nowhere/ca.pem", id="no-file"),
    ],
)
def test_what_cannot_be_used_is_refused_by_the_name_of_its_variable(variables: dict[str, str], message: str) -> None:
    with pytest.raises(UnknownSutError) as caught:
        resolve("openai/gpt-x", Settings(environment={"OPENAI_API_KEY": KEY}, network=variables))

    assert str(caught.value).startswith(message)
    assert "u:p" not in str(caught.value)


def test_a_file_without_certificates_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text("not a certificate")

    with pytest.raises(UnknownSutError, match=r"REQUESTS_CA_BUNDLE: .* cannot be read as certificates"):
        trusted({"REQUESTS_CA_BUNDLE": str(file)})


def test_one_context_serves_all_systems(certificates: Certificates) -> None:
    variables = {"SSL_CERT_FILE": str(certificates.authority)}

    assert trusted(variables) is trusted(dict(variables))
    assert trusted({}) is None
