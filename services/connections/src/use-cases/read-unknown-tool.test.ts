import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { Connection } from '../domain/connection.ts';
import { connection, OWNER } from '../testing/builders.ts';
import { readUnknownTool } from './read-unknown-tool.ts';
import type { ConnectionReference } from '../ports/credential-store.ts';

const byMcp = connection({ id: 7, kind: 'MCPClient', applicationSlug: 'mcp-7' });

function read(reference: ConnectionReference, stored: Connection = byMcp, isAnnounced = false) {
  const readings: number[] = [];
  const announced: number[] = [];
  const deps = {
    connections: {
      find: (_ctx: unknown, accountId: string, id: number) =>
        Promise.resolve(accountId === stored.accountId && id === stored.id ? stored : undefined),
    },
    toolReader: {
      readForUnknownTool: (_ctx: unknown, { id }: Connection) => {
        readings.push(id);
        return Promise.resolve(true);
      },
      readAnnounced: (_ctx: unknown, { id }: Connection) => {
        announced.push(id);
        return Promise.resolve(true);
      },
    },
  };
  const result = readUnknownTool(deps, testContext(OWNER), { ...reference, isAnnounced });
  return { readings, announced, result };
}

test.each<[string, ConnectionReference]>([
  ['its id', { kind: 'id', id: 7 }],
  ['its application', { kind: 'application', applicationSlug: 'mcp-7' }],
])('an MCP connection is named by %s', async (_what, reference) => {
  const { readings, result } = read(reference);
  expect(await result).toBe(true);
  expect(readings).toEqual([7]);
});

test.each<[string, ConnectionReference, Connection?]>([
  ['another account’s', { kind: 'id', id: 8 }],
  ['of another application', { kind: 'id', id: 7 }, connection({ id: 7 })],
  ['of no application', { kind: 'application', applicationSlug: 'mcp' }],
  ['of an application that looks similar', { kind: 'application', applicationSlug: 'mcp-7-8' }],
])('nothing is read for a connection that is %s', async (_what, reference, stored) => {
  const { readings, result } = read(reference, stored);
  expect(await result).toBe(false);
  expect(readings).toEqual([]);
});

test('tools that their server says to have changed are read as announced', async () => {
  const { readings, announced, result } = read({ kind: 'id', id: 7 }, byMcp, true);
  expect(await result).toBe(true);
  expect([readings, announced]).toEqual([[], [7]]);
});
