"""Chromium and Firefox with the extension, headless, each with a profile of its own and behind the proxy."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import subprocess
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.extension.shared_browser import WAIT, NotClickedError, PageGoneError, Shared

ROOT = Path(__file__).parents[2]
_FIREFOX_UUID = "6d1f2a5e-3c44-4b8e-9a5d-0123456789ab"
_FIREFOX_ID = "crowdlog@crowdlog.example"


def built(out: Path, *, grant: bool = True) -> Path:
    """The extension as a store gets it; `grant`: with all optional hosts granted, so that no prompt comes."""
    subprocess.run(["node", ROOT / "extension/build.mjs", out, *(["--grant"] if grant else [])], check=True)
    return out


class Chromium(Shared):
    def __init__(self, context: Any) -> None:
        self.context = context
        worker = (
            context.service_workers[0] if context.service_workers else context.wait_for_event("serviceworker")
        )
        self.base = worker.url.rsplit("/", 1)[0]
        self._watching: Any = None
        self.tab = context.new_page()

    def watch(self, script: str) -> Any:
        if self._watching is None:
            self._watching = self.context.new_page()
            self._watching.goto(f"{self.base}/help.html")
            self.tab.bring_to_front()
        return self._watching.evaluate(f"async () => {{ {script} }}")

    def stop_background(self) -> None:
        """As the browser does when it wants to; returns when it is stopped."""
        session = self.context.browser.new_browser_cdp_session()
        end = time.monotonic() + WAIT
        while running := self._backgrounds(session):
            assert time.monotonic() < end, "the background goes on"
            for one in running:
                with contextlib.suppress(Exception):  # it may have ended by itself
                    session.send("Target.closeTarget", {"targetId": one})
        session.detach()

    def _backgrounds(self, session: Any) -> list[str]:
        targets = session.send("Target.getTargets")["targetInfos"]
        workers = [one for one in targets if one["type"] == "service_worker"]
        return [one["targetId"] for one in workers if one["url"].startswith(self.base)]

    def open(self, url: str) -> None:
        self.tab.goto(url)

    def page(self, name: str) -> None:
        self.tab.goto(f"{self.base}/{name}")

    def error_page(self) -> bool:
        """Whether the browser shows that a page cannot be reached."""
        self.tab.wait_for_timeout(50)  # the driver learns of the new page while it waits
        return bool(self.tab.url.startswith("chrome-error:"))

    def take_back(self, origin: str) -> None:
        """A host, as she does in the browser's settings."""
        assert self.watch(f"return chrome.permissions.remove({{ origins: [{json.dumps(origin)}] }})")

    def take_back_engines(self) -> None:
        """All pages, those of the engines included, as she does with "Site access: on click"."""
        self.site_access("ON_CLICK")

    def site_access(self, kind: str) -> None:
        """Which pages the extension may see, in the browser's own settings."""
        settings = self.context.new_page()
        settings.goto("chrome://extensions/")
        changed = {"extensionId": self.base.removeprefix("chrome-extension://"), "hostAccess": kind}
        settings.evaluate(f"chrome.developerPrivate.updateExtensionConfiguration({json.dumps(changed)})")
        settings.close()

    def allow_site(self, pattern: str) -> None:
        """The pages of one site and no others, as she does with "Site access: on this site"."""
        self.site_access("ON_SPECIFIC_SITES")
        settings = self.context.new_page()
        settings.goto("chrome://extensions/")
        ours = json.dumps(self.base.removeprefix("chrome-extension://"))
        settings.evaluate(f"chrome.developerPrivate.addHostPermission({ours}, {json.dumps(pattern)})")
        settings.close()

    def run(self, script: str) -> Any:
        return self.tab.evaluate(f"async () => {{ {script} }}")

    def click(self, selector: str) -> None:
        self.tab.click(selector, timeout=WAIT * 1000)

    def click_once(self, selector: str) -> None:
        from playwright.sync_api import TimeoutError as TooLate

        try:
            self.tab.click(selector, timeout=5000)
        except TooLate as error:
            if "performing click action" in str(error):
                raise
            raise NotClickedError from error

    def fill(self, selector: str, text: str) -> None:
        self.tab.fill(selector, text)

    def press_key(self) -> None:
        """Any key, in the page: what it does then is the person's doing."""
        self.tab.keyboard.press("a")

    def press_enter(self, selector: str) -> None:
        self.tab.press(selector, "Enter")

    def drag(self, source: str, target: str) -> None:
        self.tab.set_viewport_size({"width": 1100, "height": 2000})  # both ends must be in sight
        self.tab.drag_and_drop(source, target)

    def screenshot(self, path: Path, width: int) -> None:
        self.tab.set_viewport_size({"width": width, "height": 900})
        self.tab.screenshot(path=path, full_page=True)


def _chromium_options(extension: Path, proxy: int) -> list[str]:
    folder = extension / "chromium"
    return [
        "--headless=new",
        "--no-sandbox",
        f"--disable-extensions-except={folder}",
        f"--load-extension={folder}",
        f"--proxy-server=127.0.0.1:{proxy}",
        "--proxy-bypass-list=<-loopback>",
        "--ignore-certificate-errors",
        "--disable-gpu",
    ]


@contextmanager
def chromium(
    extension: Path, profile: Path, proxy: int, *, playwright: Any, dark: bool = False
) -> Iterator[Chromium]:
    context = playwright.chromium.launch_persistent_context(
        str(profile),
        executable_path=shutil.which("chromium"),
        headless=True,
        ignore_https_errors=True,
        color_scheme="dark" if dark else "light",
        args=_chromium_options(extension, proxy),
    )
    try:
        yield Chromium(context)
    finally:
        context.close()


@contextmanager
def undriven_chromium(extension: Path, profile: Path, proxy: int) -> Iterator[None]:
    """Chromium with nobody at its controls: a driven one makes no pages ready."""
    options = [*_chromium_options(extension, proxy), "--no-first-run", "--remote-debugging-port=0"]
    command = ["chromium", *options, f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def granting_chromium(extension: Path, profile: Path, proxy: int, *, playwright: Any) -> Iterator[Chromium]:
    """Chromium that grants every host without a question, because its profile says that she was asked for all
    before: without a screen it shows no question. `extension` is a build without `--grant`.
    """
    with chromium(extension, profile, proxy, playwright=playwright) as first:
        name = first.base.removeprefix("chrome-extension://")
    file = profile / "Default/Preferences"
    preferences = json.loads(file.read_text())
    settings = preferences["extensions"]["settings"][name]
    for kind in ("granted_permissions", "runtime_granted_permissions"):
        settings.setdefault(kind, {})["explicit_host"] = ["http://*/*", "https://*/*"]
    file.write_text(json.dumps(preferences))
    with chromium(extension, profile, proxy, playwright=playwright) as again:
        yield again


class Firefox(Shared):
    def __init__(self, client: Any) -> None:
        self.client = client
        self.base = f"moz-extension://{_FIREFOX_UUID}"
        self._watching = ""

    def watch(self, script: str) -> Any:
        own = self.client.current_window_handle
        if self._watching == "":
            self._watching = self.client.open(type="tab", focus=True)["handle"]
            self.client.switch_to_window(self._watching, focus=True)
            self.page("help.html")
            self.client.switch_to_window(own, focus=True)
        self.client.switch_to_window(self._watching, focus=False)
        try:
            return self.run(script)
        finally:
            self.client.switch_to_window(own, focus=False)

    def stop_background(self) -> None:
        """As the browser does when it wants to; returns when it is stopped."""
        stop = (
            "const [id, done] = arguments; const { extension } = WebExtensionPolicy.getByID(id);"
            "extension.terminateBackground({ disableResetIdleForTest: true }).then(() => done(true), done);"
        )
        with self.client.using_context("chrome"):
            assert self.client.execute_async_script(stop, script_args=[_FIREFOX_ID]) is True

    def background_state(self) -> str:
        """Whether it runs; to ask starts nothing."""
        script = "return WebExtensionPolicy.getByID(arguments[0])?.extension.backgroundState ?? ''"
        with self.client.using_context("chrome"):
            return str(self.client.execute_script(script, script_args=[_FIREFOX_ID]))

    def take_back(self, origin: str) -> None:
        """A host, as she does in the browser's settings."""
        script = (
            "const [id, origin, done] = arguments;"
            "const file = 'resource://gre/modules/ExtensionPermissions.sys.mjs';"
            "const { ExtensionPermissions } = ChromeUtils.importESModule(file);"
            "const gone = { origins: [origin], permissions: [], data_collection: [] };"
            "ExtensionPermissions.remove(id, gone, WebExtensionPolicy.getByID(id).extension)"
            ".then(() => done(true), done);"
        )
        with self.client.using_context("chrome"):
            assert self.client.execute_async_script(script, script_args=[_FIREFOX_ID, origin]) is True

    def take_back_engines(self) -> None:
        """All pages, those of the engines included, as she does in the browser's settings."""
        for pattern in self.run("return (await chrome.permissions.getAll()).origins"):
            self.take_back(pattern)

    def open(self, url: str) -> None:
        self.client.navigate(url)

    def error_page(self) -> bool:
        """Whether the browser shows that a page cannot be reached."""
        shown = "return gBrowser.selectedBrowser.documentURI?.spec ?? ''"
        with self.client.using_context("chrome"):
            return str(self.client.execute_script(shown)).startswith("about:neterror")

    def page(self, name: str) -> None:
        """Marionette may not navigate to pages of extensions; the browser itself may. By way of an empty
        page: the same page from before would otherwise be taken for the new one, and go away later.
        """
        self.client.navigate("about:blank")
        load = (
            "gBrowser.selectedBrowser.loadURI(Services.io.newURI(arguments[0]),"
            " {triggeringPrincipal: Services.scriptSecurityManager.getSystemPrincipal()})"
        )
        with self.client.using_context("chrome"):
            self.client.execute_script(load, script_args=[f"{self.base}/{name}"])
        self.wait(f"location.href.startsWith('{self.base}/{name}') && document.readyState === 'complete'")

    def run(self, script: str) -> Any:
        whole = (
            "const [done] = [arguments[arguments.length - 1]];"
            f"(async () => {{ {script} }})().then(v => done(JSON.stringify({{v: v ?? null}})),"
            "e => done(JSON.stringify({e: String(e)})));"
        )
        text = self.client.execute_async_script(whole, new_sandbox=False, sandbox=None)
        if text is None:
            raise PageGoneError
        answer = json.loads(text)
        if "e" in answer:
            raise RuntimeError(answer["e"])
        return answer["v"]

    def click(self, selector: str) -> None:
        self.client.find_element("css selector", selector).click()

    def click_once(self, selector: str) -> None:
        from marionette_driver.errors import NoSuchElementException, StaleElementException

        try:
            self.click(selector)
        except (NoSuchElementException, StaleElementException) as error:  # told before anything is clicked
            raise NotClickedError from error

    def drag(self, source: str, target: str) -> None:
        """Press the button on one element and move to another. Without a screen Firefox starts the drag and
        tells every element it passes, but lets nothing fall: the last event is made here.
        """
        from marionette_driver.marionette import ActionSequence

        self.client.set_window_rect(width=1100, height=2000)  # both ends must be in sight
        ends = [self.client.find_element("css selector", one) for one in (source, target)]
        chain = ActionSequence(self.client, "pointer", "hand", pointer_params={"pointerType": "mouse"})
        chain.pointer_move(0, 0, origin=ends[0]).pointer_down().pause(100)
        chain.pointer_move(8, 8, origin=ends[0], duration=100).pause(100)
        chain.pointer_move(0, 0, origin=ends[1], duration=300).pause(100)
        chain.pointer_move(4, 4, origin=ends[1], duration=100).pause(100)
        chain.pointer_up().perform()
        drop = "new DragEvent('drop', { bubbles: true, cancelable: true })"
        self.run(f"document.querySelector({json.dumps(target)})?.dispatchEvent({drop})")

    def answer_prompt(self, yes: bool) -> str:
        """Press a button of the browser's own question about permissions; returns what it asks."""
        find = "document.getElementById('addon-webext-permissions-notification')"
        shown = f"{find} && PopupNotifications.isPanelOpen"
        end = time.monotonic() + WAIT
        with self.client.using_context("chrome"):
            while not self.client.execute_script(f"return !!({shown})"):
                assert time.monotonic() < end, "the browser asks nothing"
                time.sleep(0.1)
            name = "button" if yes else "secondaryButton"
            script = f"const one = {find}; const text = one.textContent; one.{name}.click(); return text;"
            return str(self.client.execute_script(script))

    def press_key(self) -> None:
        """Any key, in the page: what it does then is the person's doing."""
        from marionette_driver.marionette import ActionSequence

        ActionSequence(self.client, "key", "keyboard").key_down("a").key_up("a").perform()

    def press_enter(self, selector: str) -> None:
        self.client.find_element("css selector", selector).send_keys("\ue007")

    def fill(self, selector: str, text: str) -> None:
        field = self.client.find_element("css selector", selector)
        field.clear()
        field.send_keys(text)

    def screenshot(self, path: Path, width: int) -> None:
        self.client.set_window_rect(width=width, height=900)
        path.write_bytes(self.client.screenshot(format="binary"))


@contextmanager
def firefox(
    extension: Path, profile: Path, proxy: int, *, prompts: bool = False, lasting: bool = False
) -> Iterator[Firefox]:
    """`lasting`: the extension is installed in the profile, which may be started again."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of distro, which the driver's parts call
        from marionette_driver.addons import Addons
        from marionette_driver.marionette import Marionette

    known = lasting and profile.exists()
    profile.mkdir(parents=True, exist_ok=known)
    port = _free_port()
    preferences = {
        "marionette.port": port,
        "extensions.webextensions.uuids": json.dumps({_FIREFOX_ID: _FIREFOX_UUID}),
        "extensions.webextOptionalPermissionPrompts": prompts,
        "xpinstall.signatures.required": not lasting,
        "security.notification_enable_delay": 0,
        "network.proxy.type": 1,
        "network.proxy.http": "127.0.0.1",
        "network.proxy.http_port": proxy,
        "network.proxy.ssl": "127.0.0.1",
        "network.proxy.ssl_port": proxy,
        "network.proxy.no_proxies_on": "",
        "network.proxy.allow_hijacking_localhost": True,
        "network.captive-portal-service.enabled": False,
        "network.connectivity-service.enabled": False,
        "app.normandy.enabled": False,
        "browser.shell.checkDefaultBrowser": False,
        "datareporting.policy.dataSubmissionEnabled": False,
        "toolkit.telemetry.reportingpolicy.firstRun": False,
        "browser.aboutwelcome.enabled": False,
    }
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in preferences.items()]
    (profile / "user.js").write_text("\n".join(lines) + "\n")
    command = [
        "firefox-esr",
        "--marionette",
        "--remote-allow-system-access",
        "--headless",
        "--no-remote",
        "--profile",
        str(profile),
    ]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait_for_port(port, process)
        client = Marionette(host="127.0.0.1", port=port)
        client.start_session({"acceptInsecureCerts": True})
        client.timeout.script = WAIT
        client.timeout.implicit = 5
        if not known:
            file = extension / ("crowdlog-firefox.zip" if lasting else "firefox")
            Addons(client).install(str(file), temp=not lasting)
            _to_welcome_tab(client)
        yield Firefox(client)
        if lasting:  # a browser that is ended from outside forgets what its extensions listen for
            client._send_message("Marionette:Quit", {"flags": ["eForceQuit"]})
            process.wait(WAIT)
        else:
            client.cleanup()
    finally:
        _end(process)


def _to_welcome_tab(client: Any) -> None:
    """The extension opens a tab when it is installed; the tests go on in it."""
    end = time.monotonic() + WAIT
    while len(client.window_handles) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    client.switch_to_window(client.window_handles[-1], focus=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise AssertionError("Firefox did not start")
