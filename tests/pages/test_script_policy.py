from crowdlog.pages.render import render
from crowdlog.pages.script_policy import policy, script_hashes

# The hash of alert('Hello, world.'); as CSP Level 3 gives it in §8.1.
SCRIPT, HASH = "alert('Hello, world.');", "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng="


def test_a_script_is_allowed_by_its_hash_and_no_other_is():
    told = policy([SCRIPT])
    assert f"script-src '{HASH}';" in told
    assert told.startswith("default-src 'none';")
    assert "unsafe-inline" not in told.replace("style-src 'unsafe-inline'", "")
    assert "script-src 'none'" in policy([])


def test_a_page_tells_its_hashes_and_text_of_a_log_cannot_add_one():
    mine = '<meta http-equiv="Content-Security-Policy" content="script-src \'sha256-' + "A" * 43 + "='\">"
    page = render("reproduction.html", version="1", users=1, studies=[], scripts=[SCRIPT])
    assert script_hashes(page) == [HASH]
    assert script_hashes("<title>a</title>" + mine) == []
    assert script_hashes(render("reproduction.html", version="1", users=1, studies=[])) == []
