"""The page on migration holds what pROC said, and the data that it said it about."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "migration.md").read_text(encoding="utf-8")
OF_PROC, OF_ASAH = (json.loads(block) for block in re.findall(r'"""\n([{[].*?)\n"""', PAGE, re.S))


def test_the_page_holds_what_the_script_wrote():
    assert json.loads((ROOT / "docs" / "migration.json").read_text(encoding="utf-8")) == OF_PROC


def test_the_page_holds_the_data_of_proc():
    data = json.loads((ROOT / "tests" / "data" / "proc.json").read_text(encoding="utf-8"))
    asah = data["cases"]["asah"]
    assert [asah["labels"], asah["scores"]["s100b"], asah["scores"]["ndka"]] == OF_ASAH
