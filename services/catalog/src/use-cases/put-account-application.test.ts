import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { contentHash } from '../domain/content-hash.ts';
import { setUpWrites } from '../testing/application-writes.ts';
import { encodedConnector, testConnector } from '../testing/connectors.ts';
import { putAccountApplication } from './put-account-application.ts';

const ctx = testContext({ accountId: 'acc_1' });
const connector = testConnector('mcp-7');
const { tools: _tools, triggerTypes: _triggerTypes, ...head } = connector;

it('stores the application for the caller’s account and announces the change', async () => {
  const { deps, written, announced, clock } = setUpWrites();
  expect(await putAccountApplication(deps, ctx, encodedConnector(connector))).toEqual({
    head,
    toolCount: 0,
    isAvailable: true,
    createdAt: clock.now(),
    updatedAt: clock.now(),
  });
  expect(written).toEqual([['acc_1', 'mcp-7', contentHash(connector)]]);
  expect(announced).toEqual([['acc_1', ctx]]);
});

it('refuses a slug of the platform, with nothing written', async () => {
  const { deps, written, announced } = setUpWrites();
  const put = putAccountApplication(deps, ctx, encodedConnector(testConnector('crm')));
  await expect(put).rejects.toMatchObject({ code: 'CONFLICT' });
  expect([written, announced]).toEqual([[], []]);
});

it('names every path that breaks a rule, or the whole if it is not a connector', async () => {
  const { deps, written } = setUpWrites();
  const wrong = encodedConnector({ ...connector, slug: 'No Slug', version: '', settings: ['baseUrl'] });
  await expect(putAccountApplication(deps, ctx, wrong)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'connector.slug' }, { field: 'connector.version' }],
  });
  await expect(putAccountApplication(deps, ctx, new Uint8Array())).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'connector' }],
  });
  expect(written).toEqual([]);
});

it('announces a change even after a failed write, which may have happened', async () => {
  const { deps, announced } = setUpWrites({ isBroken: true });
  await expect(putAccountApplication(deps, ctx, encodedConnector(connector))).rejects.toThrow('no database');
  expect(announced).toEqual([['acc_1', ctx]]);
});

it('an import replaces nothing, and an account has a limited number of them', async () => {
  const { deps, written } = setUpWrites();
  const put = (slug: string, isImport: boolean) =>
    putAccountApplication(deps, ctx, encodedConnector(testConnector(slug)), { isImport });
  await expect(put('taken', true)).rejects.toThrow('has an application taken');
  await expect(put('one-more', true)).rejects.toThrow('at most 100 imported');
  expect(written).toEqual([]);
  await put('taken', false);
  await put('other', true);
  expect(written).toHaveLength(2);
});
