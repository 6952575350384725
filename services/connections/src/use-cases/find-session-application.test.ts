import { ApiError } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { connectorHead, connectSession } from '../testing/builders.ts';
import { sessionCalls } from '../testing/session-calls.ts';
import { findSessionApplication } from './find-session-application.ts';

test('a session offers what it names, or everything; a renewal only its connection’s application, with its client', async () => {
  const find = (over: Parameters<typeof connectSession>[0], slug: string) =>
    findSessionApplication(sessionCalls().deps, testContext(), connectSession(over), slug);
  expect((await find({}, 'erp')).provider).toEqual({ kind: 'default' });
  expect((await find({ connectionId: 7 }, 'crm')).provider).toEqual({ kind: 'current', authProviderId: 0 });
  for (const refused of [find({ applicationSlugs: ['crm'] }, 'erp'), find({ connectionId: 7 }, 'erp')])
    await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('an application of a kind that end users cannot connect is NOT_FOUND', async () => {
  const { deps } = sessionCalls();
  const catalog = { getConnector: () => Promise.resolve(connectorHead({ kind: 'MCPClient' })) };
  await expect(
    findSessionApplication({ ...deps, catalog }, testContext(), connectSession(), 'mcp'),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('of one that does not exist, no more is said than of one that is not offered', async () => {
  const { deps } = sessionCalls();
  const unknown = new ApiError('NOT_FOUND', 'Did you mean secret?', { candidates: ['secret'] });
  const catalog = { getConnector: () => Promise.reject(unknown) };
  const find = (over: Parameters<typeof connectSession>[0]) =>
    findSessionApplication({ ...deps, catalog }, testContext(), connectSession(over), 'secre').catch(
      (error: unknown) => error,
    );
  const [missing, notOffered] = [await find({}), await find({ applicationSlugs: ['crm'] })];
  expect(missing).toMatchObject({ code: 'NOT_FOUND', candidates: undefined });
  expect(missing).toEqual(notOffered);
});
