from __future__ import annotations

import pytest

from pytest_rcabench.files.diffs import touched_files

MODIFIED = "--- a/pool.py\n+++ b/pool.py\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n"
DIFFS = {
    "modified": (MODIFIED, ("pool.py",)),
    "no prefix": ("--- pool.py\n+++ pool.py\n@@ -1 +1 @@\n-a\n+b\n", ("pool.py",)),
    "a time after the name": (
        "--- a/pool.py\t2026-10-07 13:00:00\n+++ b/pool.py\t2026-10-07 13:00:01\n",
        ("pool.py",),
    ),
    "D46 quoted": (
        '--- "a/dir \\303\\251/a b.txt"\t\n+++ "b/dir \\303\\251/a b.txt"\t\n@@ -0,0 +1 @@\n+x\n',
        ("dir é/a b.txt",),
    ),
    "D46 quoted letters": (
        '--- "a/\\"x\\"\\t é"\n+++ "b/\\"x\\"\\t é"\n',
        ('"x"\t é',),
    ),
    "created": ("--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x\n", ("new.py",)),
    "deleted": ("--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", ("old.py",)),
    "D47 renamed": (
        "diff --git a/old name.py b/new name.py\nrename from old name.py\nrename to new name.py\n",
        ("new name.py",),
    ),
    "D47 renamed to a quoted name": (
        'diff --git a/old.py "b/\\303\\251.py"\nrename from old.py\nrename to "\\303\\251.py"\n',
        ("é.py",),
    ),
    "D47 binary": (
        "diff --git a/a logo.png b/a logo.png\nBinary files a/a logo.png and b/a logo.png differ\n",
        ("a logo.png",),
    ),
    "D47 mode only": (
        "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
        "diff --git a/pool.py b/pool.py\n" + MODIFIED,
        ("run.sh", "pool.py"),
    ),
    "D47 merge": (
        "diff --cc pool.py\n--- a/pool.py\n+++ b/pool.py\n@@@ -1,1 -1,1 +1,1 @@@\n",
        ("pool.py",),
    ),
    "D47 no newline at the end": (
        (
            "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n"
            "\\ No newline at end of file\n--- a/b\n+++ b/b\n"
        ),
        ("a", "b"),
    ),
    "D48 lines that look like headers": (
        "--- a/query.sql\n+++ b/query.sql\n@@ -1,2 +1,2 @@\n--- a/note.py\n+++ b/note.py\n x\n"
        + MODIFIED,
        ("query.sql", "pool.py"),
    ),
    "twice": (MODIFIED + MODIFIED, ("pool.py",)),
    "no diff": ("", ()),
    "another kind of diff": ("@@ pool.py @@\n+x\n", ()),
}


@pytest.mark.parametrize(("diff", "files"), DIFFS.values(), ids=DIFFS.keys())
def test_the_files_of_a_diff_are_named_once_and_in_order(diff: str, files: tuple[str, ...]) -> None:
    """Whatever git prints, the path is the one that the repository knows."""
    assert touched_files(diff) == files
