import { setTimeout as delay } from 'node:timers/promises';

/** Address of Node's inspector after SIGUSR1; only one process at a time can use it. */
const INSPECTOR = 'http://127.0.0.1:9229/json/list';
const POLL_MS = 20;
const LIMIT_MS = 90_000;

/** A request of the Chrome DevTools protocol. */
interface InspectorRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Sends requests to a running Node process's inspector sequentially, then closes it. Throws if an evaluated expression throws. */
export async function inspect(id: number, requests: readonly InspectorRequest[]): Promise<void> {
  process.kill(id, 'SIGUSR1');
  const socket = new WebSocket(await inspectorOf(id));
  await once(socket, 'open');
  for (const [index, request] of requests.entries()) {
    const answered = once(socket, 'message');
    socket.send(JSON.stringify({ id: index, ...request }));
    const { data } = (await answered) as { data?: unknown };
    if (typeof data === 'string' && data.includes('"exceptionDetails"')) throw new Error(data);
  }
  const closed = once(socket, 'close');
  const close = { method: 'Runtime.evaluate', params: { expression: CLOSE } };
  socket.send(JSON.stringify({ id: requests.length, ...close }));
  await closed;
}

/** Closes the inspector and its connection, so that the next process can open its own. */
const CLOSE = `setImmediate(() => process.getBuiltinModule('node:inspector').close())`;

async function inspectorOf(id: number): Promise<string> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const url = await fetch(INSPECTOR).then(
      async (answer) =>
        ((await answer.json()) as { webSocketDebuggerUrl?: string }[])[0]?.webSocketDebuggerUrl,
      () => undefined,
    );
    if (url !== undefined) return url;
    if (Date.now() > deadline) throw new Error(`Process ${id} opened no inspector.`);
    await delay(POLL_MS);
  }
}

function once(socket: WebSocket, event: 'open' | 'message' | 'close'): Promise<Event> {
  return new Promise((resolve, reject) => {
    socket.addEventListener(event, resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error('The inspector ended the connection.')), {
      once: true,
    });
    setTimeout(() => reject(new Error(`The inspector sent no ${event} in time.`)), LIMIT_MS).unref();
  });
}
