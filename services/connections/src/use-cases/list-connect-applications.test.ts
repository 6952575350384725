import type { ConnectorHead } from '@fairlead/connector-model/model';
import { notFound } from '@fairlead/errors/api-error';
import { expect, test } from 'vitest';
import type { ConnectSession } from '../domain/connect-session.ts';
import { connectorHead, field, oauthMethod } from '../testing/builders.ts';
import { sessionCalls } from '../testing/session-calls.ts';
import { listConnectApplications } from './list-connect-applications.ts';

function world({ head, ...over }: Partial<ConnectSession> & { readonly head?: Partial<ConnectorHead> }) {
  const { deps, ctx } = sessionCalls(over);
  const asked: unknown[] = [];
  const catalog = {
    getConnector: (_ctx: unknown, slug: string) => {
      if (slug === 'gone') return Promise.reject(notFound('application'));
      const methods = slug === 'no-client' ? { authenticationMethods: [oauthMethod()] } : head;
      return Promise.resolve(connectorHead({ slug, name: slug.toUpperCase(), ...methods }));
    },
    listAvailable: (_ctx: unknown, o: object) => {
      asked.push(o);
      return Promise.resolve({ items: [], totalCount: 0 });
    },
  };
  const authProviders = { methods: () => Promise.resolve([]) };
  const list = (search = '', page = { offset: 0, top: 10 }) =>
    listConnectApplications({ ...deps, catalog, authProviders }, ctx, { page, search });
  return { list, asked };
}

test('what a session names is listed by name if it can be connected now', async () => {
  const { list } = world({ applicationSlugs: ['erp', 'gone', 'no-client', 'crm'] });
  const slugs = async (...o: Parameters<typeof list>) => (await list(...o)).items.map(({ slug }) => slug);
  expect(await slugs()).toEqual(['crm', 'erp']);
  expect(await slugs('ER')).toEqual(['erp']);
  expect(await slugs('', { offset: 1, top: 1 })).toEqual(['erp']);
  expect((await list('', { offset: 1, top: 1 })).totalCount).toBe(2);
  expect((await world({ connectionId: 7 }).list()).items.map(({ slug }) => slug)).toEqual(['crm']);
});

test('a sign-in that only an auth provider completes is not offered by the connector’s own client', async () => {
  const address = field('address', { isRequired: true, providerSlot: 'BaseUrl' });
  const slugs = async (isRequired: boolean) => {
    const head = { authenticationMethods: [oauthMethod({ fields: [{ ...address, isRequired }] })] };
    return (await world({ head, applicationSlugs: ['crm'] }).list()).items.map(({ slug }) => slug);
  };
  expect(await slugs(true)).toEqual([]);
  expect(await slugs(false)).toEqual(['crm']);
});

test('a session that names none offers what the catalogue has for the account’s clients', async () => {
  const { list, asked } = world({});
  await list('mail');
  expect(asked).toEqual([
    {
      page: { offset: 0, top: 10 },
      search: 'mail',
      kinds: ['Regular', 'Key'],
      clients: [{ applicationSlug: 'crm', authenticationId: 0, isOwn: true }],
    },
  ]);
});
