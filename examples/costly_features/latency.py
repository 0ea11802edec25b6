"""A TCP proxy that adds latency: every packet arrives half a round trip later, in order."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def delayed(port: int, seconds: float) -> Iterator[int]:
    """A port of its own that leads to `port`, with so many seconds more per round trip."""
    ready: threading.Event = threading.Event()
    proxy = Proxy(port, seconds / 2, ready)
    thread = threading.Thread(target=lambda: asyncio.run(proxy.serve()), daemon=True)
    thread.start()
    ready.wait(10)
    try:
        yield proxy.own_port
    finally:
        proxy.stop()
        thread.join(10)


class Proxy:
    """Connections of a thread with a loop of its own: the caller's loop may be busy."""

    def __init__(self, port: int, delay: float, ready: threading.Event) -> None:
        self.port, self.delay, self.ready, self.own_port = port, delay, ready, 0
        self.connections: set[asyncio.Future[None]] = set()

    async def serve(self) -> None:
        self.loop, self.ended = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.own_port = server.sockets[0].getsockname()[1]
        self.ready.set()
        await self.ended.wait()
        server.close()
        for connection in self.connections:
            connection.cancel()
        await asyncio.gather(*self.connections, return_exceptions=True)

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.ended.set)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections.add(asyncio.ensure_future(self._connect(reader, writer)))

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self._pass(reader, there[1]), self._pass(there[0], writer))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """What is read now is written after the delay; reading goes on meanwhile."""
        packets: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def send() -> None:
            while True:
                due, packet = await packets.get()
                await asyncio.sleep(max(0.0, due - self.loop.time()))
                if not packet:
                    return
                writer.write(packet)
                await writer.drain()

        sending = asyncio.ensure_future(send())
        try:
            packet = b"-"
            while packet:
                packet = await reader.read(65536)
                packets.put_nowait((self.loop.time() + self.delay, packet))
            await sending
        except OSError:
            pass
        finally:
            sending.cancel()
            writer.close()
