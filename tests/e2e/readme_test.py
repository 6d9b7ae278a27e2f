"""Runs what the README and the docs show, and compares the output.

Every `console` block is a session: lines "$ command", each followed by what it prints on standard output. Commands run
from the repository's root with the built program on the PATH. Blocks of commands that set up a machine (`make …`) are
only checked to name targets that exist.

    readme_test.py            compare
    readme_test.py --update   rewrite the outputs in place
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_docs  # noqa: E402

PAGES = ["README.md", "docs/reference-preset.md", "docs/evaluation.md", "docs/chat.md", "docs/configuration.md", "docs/constraints.md"]
MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"


def environment():
    env = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8")
    binary = pathlib.Path(os.environ.get("DECANT_BIN", ROOT / "build/release/bin/decant"))
    env["PATH"] = f"{binary.parent}{os.pathsep}{env['PATH']}"
    env.setdefault("DECANT_MODELS", str(ROOT / "models"))
    return env


def run(command, env):
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=300)
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr}"
    return done.stdout if done.stdout.endswith("\n") or not done.stdout else done.stdout + "\n"


def make_targets():
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))


def main():
    update = "--update" in sys.argv[1:]
    env = environment()
    if not (pathlib.Path(env["DECANT_MODELS"]) / MODEL).exists():
        print("skipped: the default model is absent (make model)")
        return 1 if os.environ.get("CI") == "true" else 77
    passed = failed = 0
    for page in PAGES:
        path = ROOT / page
        text = path.read_text(encoding="utf-8")
        for block in check_docs.extract_blocks(text, "console"):
            shown = []
            for step in check_docs.console_steps(block):
                if step.command.startswith("make "):
                    ok = step.command.split()[1] in make_targets()
                    actual = step.output
                else:
                    actual = run(step.command, env)
                    ok = actual == step.output
                shown.append(f"$ {step.command}\n{actual}")
                passed, failed = (passed + 1, failed) if ok else (passed, failed + 1)
                if not ok and not update:
                    print(f"{page}:{step.line}: $ {step.command}\n--- shown\n{step.output}--- printed\n{actual}")
            if update:
                text = text.replace(block.text, "".join(shown), 1)
        if update:
            path.write_text(text, encoding="utf-8")
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 or update else 1


if __name__ == "__main__":
    sys.exit(main())
