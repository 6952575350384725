import { notFound } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { CallerRefusedError } from '../../domain/caller-refused-error.ts';
import type { Connection } from '../../domain/target.ts';
import type { Toolset } from '../../domain/toolset.ts';
import { connection } from '../../testing/tool-calls.ts';
import { toolset } from '../../testing/toolsets.ts';
import { requireCurrent } from './require-current.ts';

const READ_AT = new Date('2026-11-28T12:00:00.000Z');
const POLICY = { readOnly: false, fixedFields: { a: { b: 1 } }, callsPerHour: 5, requireApproval: ['c'] };
const held = toolset({ policy: POLICY });

/** Checks a call against the stored records, `ageMs` after its connection was read. */
function check(
  o: {
    toolset?: Toolset | undefined;
    connection?: Connection;
    ageMs?: number;
    revision?: string;
    isRevoked?: boolean;
  } = {},
) {
  const { ageMs = 0, revision } = o;
  const stored = 'toolset' in o ? o.toolset : held;
  const deps = {
    toolsets: { find: () => Promise.resolve(stored) },
    connections: {
      getConnection: () =>
        o.connection ? Promise.resolve(o.connection) : Promise.reject(notFound('connection')),
    },
    callers: {
      requireCurrent: () =>
        o.isRevoked === true
          ? Promise.reject(new CallerRefusedError('invalidCredential'))
          : Promise.resolve(),
    },
    clock: { now: () => new Date(READ_AT.getTime() + ageMs) },
  };
  const credential = revision === undefined ? undefined : { version: 1, fields: {}, secrets: [], revision };
  const call = { target: { toolset: held, connection: connection() }, readAt: READ_AT };
  return requireCurrent(deps, testContext(), call, credential);
}

test('a call whose toolset is as it was may leave, whatever it is called', async () => {
  await expect(check({ toolset: structuredClone(held) })).resolves.toBeUndefined();
  const renamed = { ...held, name: 'Other', updatedAt: READ_AT };
  await expect(check({ toolset: renamed })).resolves.toBeUndefined();
});

test('a call whose toolset demands something else is checked anew', async () => {
  const stored = { ...held, policy: { ...POLICY, readOnly: true } };
  await expect(check({ toolset: stored })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('a call whose toolset is gone is refused', async () => {
  await expect(check({ toolset: undefined })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a connection that was read a while ago is read again', async () => {
  await expect(check({ ageMs: 100 })).resolves.toBeUndefined();
  await expect(check({ ageMs: 101 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const blocked = connection({ isLicensed: false });
  await expect(check({ ageMs: 101, connection: blocked })).rejects.toMatchObject({
    code: 'CONNECTION_BLOCKED',
  });
  await expect(check({ ageMs: 101, connection: connection() })).resolves.toBeUndefined();
});

test('a caller who was checked a while ago is checked again', async () => {
  const revoked = { isRevoked: true, connection: connection() };
  await expect(check({ ...revoked, ageMs: 100 })).resolves.toBeUndefined();
  await expect(check({ ...revoked, ageMs: 101 })).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

test('a call whose credential was replaced is checked anew; one that was renewed is the same', async () => {
  const stored = (revision: string) =>
    connection({ credential: { version: 9, fields: {}, secrets: [], revision } });
  await expect(check({ ageMs: 101, revision: '1', connection: stored('1') })).resolves.toBeUndefined();
  const changed = { code: 'UNAVAILABLE' };
  await expect(check({ ageMs: 101, revision: '1', connection: stored('2') })).rejects.toMatchObject(changed);
  await expect(check({ ageMs: 101, revision: '1', connection: connection() })).rejects.toMatchObject(changed);
});
