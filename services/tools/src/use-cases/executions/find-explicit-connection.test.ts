import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { connection } from '../../testing/tool-calls.ts';
import { findExplicitConnection } from './find-explicit-connection.ts';

it('asks for the connection that is named, of the end user', async () => {
  const asked: unknown[] = [];
  const connections = {
    getConnection(_ctx: unknown, ...of: unknown[]) {
      asked.push(of);
      return Promise.resolve(connection());
    },
  };
  expect(await findExplicitConnection({ connections }, testContext(), 7, 'a')).toEqual(connection());
  await expect(findExplicitConnection({ connections }, testContext(), 0, 'a')).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'connectionId' }],
  });
  expect(asked).toEqual([[7, 'a']]);
});
