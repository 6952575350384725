import { PassThrough, Readable } from 'node:stream';
import type { ServerResponse } from 'node:http';
import { expect, test, vi } from 'vitest';
import { newAgent } from '../testing/agents.ts';
import { taskDeps } from '../testing/task-deps.ts';
import { ctx } from '../testing/use-case-deps.ts';
import { createLogCollections } from './log-collections.ts';

const agent = { ...newAgent(), id: 1, accountId: 'acc_1' };
const proceeding = { proceed: () => Promise.resolve(), complete: () => Promise.resolve() };

/** A response that records its body. */
function reader(): ServerResponse & { readonly sent: () => string } {
  const pieces: Buffer[] = [];
  const stream = new PassThrough();
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  // The code under test uses no other members of a response.
  return Object.assign(stream, {
    writeHead: () => undefined,
    sent: () => Buffer.concat(pieces).toString(),
  }) as unknown as ReturnType<typeof reader>;
}

function setUp() {
  const deps = taskDeps();
  const logs = createLogCollections(deps);
  const online = { ...agent, lastSeenAt: deps.clock.now() };
  const download = (response = reader()) => ({ response, over: logs.download(ctx, online, response) });
  const idOf = async (at: number): Promise<string> => {
    await vi.waitFor(() => expect(deps.tasks.stored.size).toBe(at + 1), 90_000);
    return [...deps.tasks.stored.keys()][at] ?? '';
  };
  return { ...deps, logs, download, idOf };
}

test('downloads before the first byte share one archive; a later one starts another', async () => {
  const { logs, download, idOf, tasks } = setUp();
  const shared = [download(), download()];
  const archive = new PassThrough();
  const received = logs.receive(await idOf(0), archive, proceeding);
  archive.write('one ');
  await vi.waitFor(() => expect(shared[0]?.response.sent()).toBe('one '), 90_000);
  const later = download();
  await idOf(1);
  archive.end('archive');
  await received;
  await Promise.all(shared.map(({ over }) => over));
  expect(shared.map(({ response }) => response.sent())).toEqual(['one archive', 'one archive']);
  const [, second = ''] = tasks.stored.keys();
  await logs.receive(second, Readable.from([Buffer.from('another')]), proceeding);
  await later.over;
  expect(later.response.sent()).toBe('another');
});

test('an archive whose token is worth nothing at its end is not delivered as whole', async () => {
  const { logs, download, idOf } = setUp();
  const { response, over } = download();
  const complete = () => Promise.reject(new Error('rotated'));
  const archive = Readable.from([Buffer.from('most')]);
  await expect(logs.receive(await idOf(0), archive, { ...proceeding, complete })).rejects.toThrow('rotated');
  await over;
  expect([response.destroyed, response.writableFinished]).toEqual([true, false]);
});

test('an archive that nobody takes any more is refused', async () => {
  const { logs, download, idOf } = setUp();
  const { response, over } = download();
  const archive = new PassThrough();
  const received = logs.receive(await idOf(0), archive, proceeding);
  archive.write('begin');
  await vi.waitFor(() => expect(response.sent()).toBe('begin'), 90_000);
  response.destroy();
  archive.write('more');
  await expect(received).rejects.toMatchObject({ errorCode: 'TASK_ENDED' });
  await over;
});

test.each([
  ['an agent that is offline', 0, 'OPA_AGENT_OFFLINE', 'Lab is WaitingForConnection'],
  ['too many downloads', 10, 'RATE_LIMIT_EXCEEDED', 'Too many downloads'],
])('%s is an error before anything is sent', async (_case, downloads, code, text) => {
  const { logs, download } = setUp();
  for (let count = 0; count < downloads; count += 1) download().over.catch(() => undefined);
  const refused = downloads === 0 ? logs.download(ctx, agent, reader()) : download().over;
  await expect(refused).rejects.toMatchObject({ code, message: expect.stringContaining(text) as string });
});

test('a failure of the collection is an error with the agent’s text', async () => {
  const { download, idOf, waiting } = setUp();
  const { over } = download();
  const result = { isSuccess: false, errorMessage: 'No space left.' };
  const id = await idOf(0);
  waiting.resolve(id, Buffer.from(JSON.stringify(result)));
  await expect(over).rejects.toMatchObject({
    code: 'OPA_AGENT_ERROR',
    message: 'The on-prem agent Lab could not collect its logs: No space left.',
  });
});

test('an agent that says that it has sent its logs, but has not, ends the downloads and leaves their places', async () => {
  const { download, idOf, waiting } = setUp();
  for (let at = 0; at < 11; at += 1) {
    const { over } = download();
    waiting.resolve(await idOf(at), Buffer.from('{"isSuccess":true}'));
    await expect(over).rejects.toMatchObject({ code: 'OPA_AGENT_ERROR' });
  }
});

test('an archive that is refused before its first byte leaves the downloads to the end of their task', async () => {
  const { logs, download, idOf, waiting } = setUp();
  const { response, over } = download();
  const id = await idOf(0);
  const proceed = () => Promise.reject(new Error('rotated'));
  const received = logs.receive(id, Readable.from([]), { ...proceeding, proceed });
  await expect(received).rejects.toThrow('rotated');
  expect(response.destroyed).toBe(false);
  waiting.resolve(id, Buffer.from('{"isSuccess":false,"errorMessage":"Refused."}'));
  await expect(over).rejects.toMatchObject({ code: 'OPA_AGENT_ERROR' });
});
