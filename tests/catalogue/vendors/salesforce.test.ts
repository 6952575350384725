import { beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNTS } from './doubles/salesforce.ts';
import { expectRefusal, expectRetry, expectSignInNeeded, expectSuccess, signInTo } from './support/walk.ts';
import type { SeenRequest, Walk } from './support/walk.ts';

const QUERY = 'salesforce-query-records';
const soql = 'SELECT Id, Name FROM Account';

const hostOf = (request: SeenRequest | undefined): string => String(request?.headers['host']);

/** Hosts of the requests to the API. */
const hostsOf = (requests: readonly SeenRequest[]): readonly string[] => [
  ...new Set(requests.filter(({ path }) => path.startsWith('/services/data/')).map(hostOf)),
];

describe('Salesforce', () => {
  let walk: Walk;
  beforeAll(async () => {
    walk = await signInTo('salesforce', { values: { Key3: 'test' } });
  });

  it('signs in at the host of sandboxes, and calls the API at the address that the tokens name', async () => {
    const { signIn, connection, double, execute } = walk;
    expect(signIn.map(({ path }) => path)).toEqual([
      '/test/services/oauth2/authorize',
      '/test/services/oauth2/authorize',
      '/test/services/oauth2/token',
    ]);
    expect(connection).toMatchObject({ status: 'Active', grantedScopes: ['api', 'refresh_token'] });
    await double.received();
    expectSuccess(await execute(QUERY, { soql }, { top: 1 }));
    expect(hostsOf(await double.received())).toEqual([expect.not.stringMatching(`^${hostOf(signIn[0])}$`)]);
  });

  it('reads a list over several pages by the addresses that the responses name', async () => {
    await walk.double.received();
    const output = expectSuccess(await walk.execute(QUERY, { soql }));
    const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ({ Name: `Account ${index}` }));
    expect(output).toMatchObject({ items: accounts, totalCount: ACCOUNTS });
    const pages = await walk.double.received();
    expect(pages.map(({ path, query }) => [path, query['q'] ?? null])).toEqual([
      ['/services/data/v62.0/query', soql],
      [expect.stringMatching(/\/query\/01g/), null],
      [expect.stringMatching(/\/query\/01g/), null],
    ]);
  });

  it('renews a session that has ended, and follows the organization to another host', async () => {
    await walk.double.order({ expire: true });
    await walk.double.received();
    expectSuccess(await walk.execute(QUERY, { soql }));
    const [before, after] = hostsOf(await walk.double.received());
    expect(before).not.toBe(after);
    await walk.double.order({ expire: true });
    expectSuccess(await walk.execute(QUERY, { soql }));
    expect(hostsOf(await walk.double.received())).toEqual([after]);
  });

  it('reads again after a limit, which is a 403, and reports one that lasts', async () => {
    const error = { message: 'TotalRequests Limit exceeded.', errorCode: 'REQUEST_LIMIT_EXCEEDED' };
    const limited = { status: 403, body: [error] };
    await walk.double.answer(limited);
    expectRetry(await walk.execute(QUERY, { soql }));
    await walk.double.answer(limited, limited, limited);
    expect(await walk.execute(QUERY, { soql })).toMatchObject({
      isSuccess: false,
      errorMessage: 'Salesforce responded with 403: TotalRequests Limit exceeded.',
      executionInfo: { attempts: 3 },
    });
  });

  it('says why a query was refused', async () => {
    const message =
      "\nSELECT Nme FROM Account\n       ^\nERROR at Row:1:Column:8\nNo such column 'Nme' on entity 'Account'.";
    await walk.double.answer({ status: 400, body: [{ message, errorCode: 'INVALID_FIELD' }] });
    expectRefusal(
      await walk.execute(QUERY, { soql: 'SELECT Nme FROM Account' }),
      "Salesforce responded with 400: SELECT Nme FROM Account ^ ERROR at Row:1:Column:8 No such column 'Nme' on entity 'Account'.",
    );
  });

  it('needs a new sign-in once the grant is revoked', async () => {
    await walk.double.order({ revoke: true });
    expect(await walk.execute(QUERY, { soql })).toMatchObject({ isSuccess: false });
    await expectSignInNeeded(walk, 'expired access/refresh token');
  });
});
