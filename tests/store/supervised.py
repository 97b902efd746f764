"""A process that uses an embedded server: it prints what it wrote, a line at a time, once a write is acknowledged."""

import os
import sys

from reaffirm.store import OutcomeUnknown, StoreUnavailable, open_store

WRITE = "MERGE (n:Line {id: $id}) ON CREATE SET n.worker = $worker RETURN 1 AS one"


def main(folder: str, worker: str, count: int) -> None:
    store = open_store(f"embedded:{folder}?graph=lines")
    for number in range(count):
        line = f"{worker}-{number}"
        for _ in range(50):
            try:
                store.write(WRITE, id=line, worker=worker)
                break
            except (OutcomeUnknown, StoreUnavailable):
                continue
        print(line, flush=True)
    store.close()
    os._exit(0)  # what Python does at its end is not what is tried here


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
