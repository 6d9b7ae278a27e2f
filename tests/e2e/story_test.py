"""The same hundred tokens, whatever runs them: levels D0, D1, D3 and D5 of docs/determinism.md through the program.

The bytes are tests/golden/story.txt, so that builds by different compilers are compared too.

    story_test.py            compare
    story_test.py --update   write the golden anew (a new numeric profile)
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden/story.txt"
COMMAND = ["run", "-p", "Once upon a time", "-n", "100", "--seed", "7", "--quiet"]
SIMD_LEVELS = ["scalar", "sse4", "avx2", "avx512", "neon"]


def story(env, *arguments):
    binary = os.environ.get("DECANT_BIN", str(ROOT / "build/release/bin/decant"))
    return subprocess.run([binary, *COMMAND, *arguments], env=env, capture_output=True, timeout=600)


def main():
    env = dict(os.environ)
    env.setdefault("DECANT_MODELS", str(ROOT / "models"))
    env.pop("DECANT_SIMD", None)
    if not (pathlib.Path(env["DECANT_MODELS"]) / "SmolLM2-135M-Instruct.Q4_1.gguf").exists():
        print("skipped: the default model is absent (make model)")
        return 1 if os.environ.get("CI") == "true" else 77
    if "--update" in sys.argv[1:]:
        GOLDEN.write_bytes(story(env).stdout)
        return 0
    golden = GOLDEN.read_bytes()
    cases = [(f"--threads {t}", {}, ["--threads", str(t)]) for t in (1, 2, 3)]
    cases += [(f"--prefill-chunk {c}", {}, ["--prefill-chunk", str(c)]) for c in (1, 512)]
    cases += [("--no-kv-cache", {}, ["--no-kv-cache"])]
    cases += [(f"DECANT_SIMD={level}", {"DECANT_SIMD": level}, []) for level in SIMD_LEVELS]
    passed = failed = refused = 0
    for name, extra, arguments in cases:
        done = story(dict(env, **extra), *arguments)
        if extra and done.returncode == 1 and b"; this machine has " in done.stderr:
            refused += 1
            print(f"{name}: not on this machine")
        elif done.returncode == 0 and done.stdout == golden:
            passed += 1
            print(f"{name}: equal")
        else:
            failed += 1
            print(f"{name}: exit {done.returncode}, differs\n{done.stdout!r}\n{done.stderr.decode(errors='replace')}")
    print(f"{passed} passed, {failed} failed, {refused} skipped")
    return 0 if failed == 0 and passed >= 7 else 1


if __name__ == "__main__":
    sys.exit(main())
