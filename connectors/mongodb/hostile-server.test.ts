import type { Socket } from 'node:net';
import { Binary } from 'bson';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import { createConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import {
  testCall,
  testConnector,
  testCredential,
  testEgress,
  testMethod,
  testOptions,
  testTool,
} from '@fairlead/connector-runtime/testing/calls';
import { generated } from '@fairlead/connector-runtime/testing/damaged-messages';
import { connectorHandlers } from '../handlers.ts';
import { SERVER_ATTACKS, SLOW_SERVERS, damagedConversation } from './testing/attacks.ts';
import { HELLO, HONEST, reply, startFakeServer } from './testing/fake-server.ts';
import type { FakeAnswer, FakeServer } from './testing/fake-server.ts';
import type { BsonDocument } from './wire.ts';

const egress = testEgress();
const runtime = createConnectorRuntime({ egress, handlers: connectorHandlers });
afterAll(() => egress.close());

async function start(answers: readonly FakeAnswer[]): Promise<FakeServer> {
  const server = await startFakeServer(() => answers);
  onTestFinished(() => server.close());
  return server;
}

function call(
  members: JsonObject,
  o: { readonly handler?: string; readonly fields?: JsonObject; readonly timeoutMs?: number } = {},
): Promise<ToolOutcome> {
  const { handler = 'findDocuments', fields = {}, timeoutMs = 30_000 } = o;
  return runtime.execute(
    testCall(testTool({ type: 'handler', handler }), {
      connector: testConnector({ slug: 'mongodb', name: 'MongoDB' }),
      method: testMethod({ type: 'custom' }),
      credential: testCredential({ host: '127.0.0.1', database: 'd', sslMode: 'disable', ...members }),
      fields: { collection: 'c', ...fields },
    }),
    testOptions({ timeoutMs }),
  );
}

/** Runs a search on a server with these answers. An exception in a listener of the socket would end this process. */
async function searchOn(answers: readonly FakeAnswer[], timeoutMs?: number): Promise<ToolOutcome> {
  const { port } = await start(answers);
  return call({ port }, timeoutMs === undefined ? {} : { timeoutMs });
}

const failsWith = (text: string): object => ({
  isSuccess: false,
  errorMessage: expect.stringContaining(text) as string,
});

it('a server that follows the protocol is understood, in pieces of any size', async () => {
  const drip =
    (bytes: Buffer) =>
    (socket: Socket): void => {
      const write = (at: number): void => {
        if (at < bytes.length) socket.write(bytes.subarray(at, at + 1), () => write(at + 1));
      };
      write(0);
    };
  const expected = { isSuccess: true, output: { items: [{ _id: 1, a: 'x' }] } };
  expect(await searchOn(HONEST)).toMatchObject(expected);
  expect(await searchOn(HONEST.map(drip))).toMatchObject(expected);
});

describe('a server that does not is a failed call', () => {
  it.each(SERVER_ATTACKS)('$name', async ({ answers, says }) => {
    expect(await searchOn(answers)).toMatchObject(failsWith(says));
  });

  it.each(SLOW_SERVERS)('$name, at its deadline', async ({ answers, says }) => {
    expect(await searchOn(answers, 500)).toMatchObject(failsWith(says));
  });

  it('whatever bytes it sends', async () => {
    const seeds = Array.from({ length: 100 }, (_value, seed) => seed);
    const outcomes = await Promise.all(
      seeds.map((seed) => searchOn(generated(damagedConversation, seed), 2_000)),
    );
    expect(outcomes.filter(({ isSuccess }) => !isSuccess).length).toBeGreaterThan(50);
  });
});

describe('members of a deployment', () => {
  const secondary = (members: BsonDocument): Buffer =>
    reply(1, { ok: 1, isWritablePrimary: false, secondary: true, ...members });

  it('a write goes to the primary that a secondary names; a read goes there too', async () => {
    const primary = await start(HONEST);
    const named = await start([secondary({ primary: `127.0.0.1:${primary.port}` })]);
    expect(await call({ port: named.port })).toMatchObject({ isSuccess: true });
    expect(primary.connections()).toBe(1);
  });

  it('without a primary a secondary takes reads, which say that it may, and no writes', async () => {
    const commands: BsonDocument[] = [];
    const found = HONEST[1] ?? Buffer.alloc(0);
    const { port } = await start([
      secondary({}),
      (socket, command) => {
        commands.push(command);
        socket.write(found);
      },
    ]);
    expect(await call({ port })).toMatchObject({ isSuccess: true });
    expect(await call({ port }, { handler: 'dropCollection' })).toMatchObject(failsWith('is a primary'));
    expect(commands).toMatchObject([{ find: 'c', $readPreference: { mode: 'secondaryPreferred' } }]);
  });

  it('a server cannot have a call dial many others, nor a private address', async () => {
    const others = await Promise.all(Array.from({ length: 30 }, () => start([secondary({})])));
    const hosts = others.map(({ port }) => `127.0.0.1:${port}`);
    const first = await start([secondary({ hosts: ['no address', ...hosts] })]);
    expect(await call({ port: first.port }, { handler: 'dropCollection' })).toMatchObject(
      failsWith('is a primary'),
    );
    const dialed = others.reduce((sum, server) => sum + server.connections(), 0);
    expect(dialed).toBe(9);
    const elsewhere = await start([secondary({ primary: '10.0.0.1:27017' })]);
    expect(await call({ port: elsewhere.port }, { handler: 'dropCollection' })).toMatchObject(
      failsWith('is not a public address'),
    );
  });
});

describe('a login', () => {
  /** A server whose login has these first and these last messages. */
  async function logInAt(first: (nonce: string) => string, last: string): Promise<ToolOutcome> {
    const payloadOf = (text: string): Binary => new Binary(Buffer.from(text));
    const { port } = await start([
      reply(1, HELLO),
      (socket, { payload }) => {
        const text = payload instanceof Binary ? Buffer.from(payload.buffer).toString() : '';
        const [, nonce = ''] = /r=([^,]+)/.exec(text) ?? [];
        socket.write(reply(2, { ok: 1, conversationId: 1, done: false, payload: payloadOf(first(nonce)) }));
      },
      reply(3, { ok: 1, conversationId: 1, done: true, payload: payloadOf(last) }),
      reply(4, { ok: 1, cursor: { id: 0, ns: 'd.c', firstBatch: [] } }),
    ]);
    return call({ port, user: 'u', password: 'p' });
  }

  it.each([
    ['cannot prove that it knows the user', (nonce: string) => `r=${nonce}x,s=AAAA,i=4096`, 'v=AAAA'],
    ['cannot prove that it knows the user', (nonce: string) => `r=${nonce}x,s=AAAA,i=4096`, 'e=no'],
    ['more than 100000 SCRAM iterations', (nonce: string) => `r=${nonce}x,s=AAAA,i=2000000000`, ''],
    ['its login is not a SCRAM login', (nonce: string) => `r=${nonce}x,s=AAAA,i=1`, ''],
    ['its login is not a SCRAM login', (nonce: string) => `r=${nonce},s=AAAA,i=4096`, ''],
    ['its login is not a SCRAM login', () => 'r=other,s=AAAA,i=4096', ''],
  ] as const)('fails if the server %s', async (text, first, last) => {
    expect(await logInAt(first, last)).toMatchObject(failsWith(text));
  });
});
