"""How a run can end: these codes and no others."""

EXIT_CODES = {
    0: "done; also when whoever read standard output went away",
    1: "failed: wrong arguments, the model service, an answer that is none, a fault of gemcli",
    41: "not authenticated: no credentials, or none that can be used",
    42: "no usable input: no prompt, or a feature that is not here yet",
    44: "a sandbox was asked for and cannot be given",
    52: "the configuration cannot be used",
    53: "the session reached its turn limit, or the model went round in circles",
    54: "a tool failed for good (comes with the tools)",
    55: "the folder is not trusted",
    56: "the budget is spent: --budget, --max-tokens or --max-turns",
    130: "interrupted: Ctrl-C, SIGINT",
    143: "terminated: SIGTERM",
}
