import { expect, test } from 'vitest';
import { sessionCalls } from '../testing/session-calls.ts';
import { getConnectApplication } from './get-connect-application.ts';

test('an offered application comes with its methods; another one is NOT_FOUND', async () => {
  const { deps, ctx } = sessionCalls({ applicationSlugs: ['crm'] });
  const { head, methods } = await getConnectApplication(deps, ctx, 'crm');
  expect([head.slug, methods.map(({ method }) => method.authenticationId)]).toEqual(['crm', [0, 1]]);
  await expect(getConnectApplication(deps, ctx, 'erp')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
