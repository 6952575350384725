import { beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNT, ISSUES, SITES } from './doubles/jira.ts';
import {
  connect,
  expectFiring,
  expectRefusal,
  expectRenewals,
  expectSignInNeeded,
  expectSuccess,
  signInTo,
  walkOf,
} from './support/walk.ts';
import type { Walk } from './support/walk.ts';

const SEARCH = 'jira-search-issues';
const jql = 'project = APP ORDER BY created DESC';
const [, cloudId = ''] = Object.keys(SITES);
const issues = Array.from({ length: ISSUES }, (_, index) => ({ key: `APP-${index}` }));

describe('Jira by sign-in', () => {
  let walk: Walk;
  let offered: unknown;
  beforeAll(async () => {
    walk = await signInTo('jira', {
      authenticationId: 1,
      choose: (options) => {
        offered = options;
        return { cloudId };
      },
    });
  });

  it('offers the sites of the person, and sends calls to the chosen one', async () => {
    const { signIn, connection, double, execute } = walk;
    expect(offered).toEqual({ cloudId: SITES });
    expect(signIn.map(({ path }) => path)).toEqual([
      '/authorize',
      '/authorize',
      '/oauth/token',
      '/oauth/token/accessible-resources',
    ]);
    expect(signIn[0]?.query).toMatchObject({ audience: 'api.atlassian.com', prompt: 'consent' });
    expect(signIn[0]?.query['scope']).toContain('offline_access');
    expect(signIn[2]?.headers['content-type']).toBe('application/json');
    expect(connection).toMatchObject({ status: 'Active', fields: { cloudId } });
    await double.received();
    expectSuccess(await execute(SEARCH, { jql }, { top: 1 }));
    const [request] = await double.received();
    expect(request?.path).toBe(`/ex/jira/${cloudId}/rest/api/3/search/jql`);
  });

  it('fires for a changed issue, whose time has a zone without a colon', async () => {
    const requests = await expectFiring(walk, {
      triggerTypeSlug: 'jira-issue-changed',
      configuration: { jql: 'project = APP' },
      record: { key: 'APP-20' },
      payload: { key: 'APP-20' },
    });
    expect(requests[0]?.path).toBe(`/ex/jira/${cloudId}/rest/api/3/search/jql`);
    expect(requests[0]?.query['jql']).toMatch(
      /^\(project = APP\) AND updated >= \d{13} ORDER BY updated ASC$/,
    );
  });

  it('reads a list over several pages', async () => {
    await walk.double.received();
    expect(expectSuccess(await walk.execute(SEARCH, { jql }))).toMatchObject({ items: issues });
    const pages = await walk.double.received();
    expect(pages.map(({ query }) => [query['jql'], query['nextPageToken'] ?? null])).toEqual([
      [jql, null],
      [jql, expect.any(String)],
      [jql, expect.any(String)],
    ]);
  });

  it('renews an expired token again and again, with the refresh token that came last', async () => {
    await expectRenewals(walk, () => walk.execute(SEARCH, { jql }));
  });

  it('waits as long as a limit says before it reads again', async () => {
    const body = { errorMessages: ['Rate limit exceeded.'], errors: {} };
    await walk.double.answer({ status: 429, headers: { 'retry-after': '1' }, body });
    const read = await walk.execute(SEARCH, { jql }, { top: 1 });
    expectSuccess(read);
    expect(read.executionInfo.attempts).toBe(2);
  });

  it('says why a query was refused, and which fields of an issue were', async () => {
    const message = "Error in the JQL Query: The character '?' is a reserved JQL character.";
    await walk.double.answer({ status: 400, body: { errorMessages: [message], errors: {} } });
    expectRefusal(await walk.execute(SEARCH, { jql: '?' }), `Jira responded with 400: ${message}`);
    const errors = { project: 'valid project is required', priority: 'Priority is not valid' };
    await walk.double.answer({ status: 400, body: { errorMessages: [], errors } });
    expectRefusal(
      await walk.execute('jira-create-issue', { project: 'NONE', summary: 'New' }),
      `Jira responded with 400: ${JSON.stringify(errors)}`,
    );
  });

  it('needs a new sign-in once the refresh token is refused', async () => {
    await walk.double.order({ revoke: true });
    expect(await walk.execute(SEARCH, { jql })).toMatchObject({ isSuccess: false });
    await expectSignInNeeded(walk, 'Unknown or invalid refresh token.');
  });
});

describe('Jira by API token', () => {
  it('calls the API of the site itself', async () => {
    const fields = { site: 'ada', email: ACCOUNT.email, accessToken: ACCOUNT.token };
    const connection = await connect({ applicationSlug: 'jira', authenticationId: 0, fields });
    const { execute, double } = walkOf('jira', connection);
    await double.received();
    expect(expectSuccess(await execute(SEARCH, { jql }))).toMatchObject({ items: issues });
    const pages = await double.received();
    expect(pages.map(({ path }) => path)).toEqual(
      Array.from({ length: 3 }, () => '/site/ada/rest/api/3/search/jql'),
    );
  });
});
