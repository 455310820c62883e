"""llama.cpp's server on loopback until its stdin ends: llamacpp_server.py MODEL WINDOW SLOTS; prints its URL.

Run by the interpreter of the servers.
"""

import sys

import xllamacpp  # type: ignore[import-not-found]  # installed for servers alone


def serve(model: str, window: int, slots: int) -> None:
    """Serve the model, with so many tokens for each slot."""
    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.n_ctx = window * slots
    parameters.n_parallel = slots
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.cpuparams.n_threads = 1
    parameters.n_threads_http = 2 + slots
    parameters.warmup = False
    parameters.endpoint_props = parameters.endpoint_slots = parameters.endpoint_metrics = True
    server = xllamacpp.Server(parameters)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
