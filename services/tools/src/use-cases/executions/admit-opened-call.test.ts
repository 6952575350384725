import { systemClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test, vi } from 'vitest';
import { CallChanged } from '../../domain/call-changed.ts';
import type { FetchedFile } from '../../ports/files.ts';
import { executionPorts } from '../../testing/execution-ports.ts';
import { toolDefinition } from '../../testing/fixtures.ts';
import { startedCall } from '../../testing/started-calls.ts';
import { connection, connectionsOf } from '../../testing/tool-calls.ts';
import { toolset } from '../../testing/toolsets.ts';
import { admitOpenedCall } from './admit-opened-call.ts';
import { openCallCredential } from './open-call-credential.ts';

const SECRET = 'secret-of-the-connection';
const policy = { readOnly: false, fixedFields: {}, callsPerHour: 5, requireApproval: [] };
const FETCHED: FetchedFile = {
  kind: 'fetched',
  content: Buffer.from('a'),
  name: 'a',
  contentType: 'text/plain',
};

/** Admits a toolset's call with one file by address; `stored` gives the toolset for each read. */
async function admit(...stored: ReturnType<typeof toolset>[]) {
  const ctx = testContext();
  const giveBack = vi.fn(() => Promise.resolve());
  const fetch = vi.fn(() => Promise.resolve(FETCHED));
  const credential = { version: 1, fields: {}, secrets: [SECRET] };
  let reads = 0;
  const ports = executionPorts({
    connections: connectionsOf(connection(), { kind: 'credential', credential }),
    toolsets: { find: () => Promise.resolve(stored[Math.min((reads += 1), stored.length) - 1]) },
    hourlyCalls: { take: () => Promise.resolve({ outcome: 'admitted', giveBack }) },
    fileFetcher: { fetch },
  });
  const definition = toolDefinition({
    inputSchema: { type: 'object', properties: { file: { format: 'file' } } },
  });
  const { target, inputs, ...started } = startedCall({ readAt: systemClock.now() });
  const checked = {
    ...started,
    inputs: { ...inputs, fields: { file: { url: 'https://files.test/a' } } },
    target: { ...target, tool: { ...target.tool, definition }, toolset: toolset({ policy }) },
  };
  const opened = await openCallCredential(ports, ctx, checked.target, checked.inputs);
  if (opened.kind === 'none') throw new Error('The connection has a credential.');
  const admitted = await admitOpenedCall(ports, ctx, checked, opened.call).catch((error: unknown) => error);
  return { admitted, fetched: fetch.mock.calls.length, givenBack: giveBack.mock.calls.length };
}

test('an admitted call has the contents of its files, and knows the secrets of its credential', async () => {
  const { admitted, ...seen } = await admit(toolset({ policy }));
  expect(admitted).toMatchObject({ approval: undefined, call: { fields: { file: { name: 'a' } } } });
  expect((admitted as { masker: { text(it: string): string } }).masker.text(`x ${SECRET}`)).toBe('x ***');
  expect(seen).toEqual({ fetched: 1, givenBack: 0 });
});

test('a call whose toolset has changed fetches no file and counts as none', async () => {
  const { admitted, ...seen } = await admit(toolset({ policy, tools: [] }));
  expect(admitted).toBeInstanceOf(CallChanged);
  expect(seen).toEqual({ fetched: 0, givenBack: 0 });
});

test('a call whose toolset changes while its files are read is refused, and given back', async () => {
  const { admitted, ...seen } = await admit(toolset({ policy }), toolset({ policy, tools: [] }));
  expect(admitted).toBeInstanceOf(CallChanged);
  expect(seen).toEqual({ fetched: 1, givenBack: 1 });
});
