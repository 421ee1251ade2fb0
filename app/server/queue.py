"""Who is served next: clients take turns, whoever has waited longest first."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import Generic, TypeVar

JobT = TypeVar("JobT")


@dataclass(frozen=True)
class Client:
    """Who asks: ``origin`` is the key and address, ``program`` what it calls itself there (and its user's name)."""

    origin: str
    program: str = ""


class QueueFullError(Exception):
    """``mine``: it is this client's own share that is used up."""

    def __init__(self, mine: bool) -> None:
        super().__init__("full")
        self.mine = mine


_Lane = OrderedDict[str, deque[JobT]]


class FairQueue(Generic[JobT]):
    """Takes turns between origins, and within an origin between its programs: nobody gains by asking more often, nor
    by calling itself many names. Safe to use from any thread."""

    def __init__(self, limit: int, limit_per_client: int) -> None:
        self._limit = limit
        self._limit_per_client = limit_per_client
        self._lanes: OrderedDict[str, _Lane[JobT]] = OrderedDict()
        self._clients: dict[int, Client] = {}
        self._size = 0
        self._closed = False
        self._changed = threading.Condition()

    def __len__(self) -> int:
        return self._size

    def put(self, client: Client, job: JobT) -> None:
        """Raises ``QueueFullError``."""
        with self._changed:
            lane = self._lanes.get(client.origin, OrderedDict())
            if self._size >= self._limit:
                raise QueueFullError(mine=False)
            if len(lane.get(client.program, ())) >= self._limit_per_client:
                raise QueueFullError(mine=True)
            self._lanes[client.origin] = lane
            lane.setdefault(client.program, deque()).append(job)
            self._clients[id(job)] = client
            self._size += 1
            self._changed.notify()

    def take(self) -> JobT | None:
        """Wait for a job; None once the queue is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._size > 0 or self._closed)
            if self._closed:
                return None
            origin, lane = self._lanes.popitem(last=False)
            program, jobs = lane.popitem(last=False)
            job = jobs.popleft()
            if jobs:
                lane[program] = jobs
            if lane:
                self._lanes[origin] = lane
            self._clients.pop(id(job), None)
            self._size -= 1
            return job

    def remove(self, job: JobT) -> bool:
        """Whether it was still waiting."""
        with self._changed:
            client = self._clients.pop(id(job), None)
            if client is None:
                return False
            lane = self._lanes[client.origin]
            lane[client.program].remove(job)
            if not lane[client.program]:
                del lane[client.program]
            if not lane:
                del self._lanes[client.origin]
            self._size -= 1
            return True

    def drain(self) -> list[JobT]:
        """Everything that still waits; nothing waits any more."""
        with self._changed:
            jobs = [job for lane in self._lanes.values() for waiting in lane.values() for job in waiting]
            self._lanes.clear()
            self._clients.clear()
            self._size = 0
            return jobs

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
