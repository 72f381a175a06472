"""Start-up: --version, --help and a one-shot prompt, beside the original in the same run.

python -m benchmarks.start [--repeat 9]
"""

from benchmarks.rig import compare, print_table, repeats

ROWS = {
    "--version": ["--version"],
    "--help": ["--help"],
    "one-shot -p": ["-p", "hi", "-m", "gemini-2.5-flash", "--approval-mode", "yolo", "--skip-trust"],
}
AIMS = {"--version": 0.06, "--help": 0.06, "one-shot -p": 0.3}

if __name__ == "__main__":
    print_table(compare(ROWS, repeats(__doc__, 9)), AIMS)
