import { beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNT, ISSUES } from './doubles/jira.ts';
import { connect, expectRefusal, expectSuccess, walkOf } from './support/walk.ts';
import type { Walk } from './support/walk.ts';

const SEARCH = 'jira-search-issues';
const jql = 'project = APP ORDER BY created DESC';
const issues = Array.from({ length: ISSUES }, (_, index) => ({ key: `APP-${index}` }));

describe('Jira by API token', () => {
  let walk: Omit<Walk, 'signIn'>;
  beforeAll(async () => {
    const fields = { site: 'ada', email: ACCOUNT.email, accessToken: ACCOUNT.token };
    walk = walkOf('jira', await connect({ applicationSlug: 'jira', authenticationId: 0, fields }));
  });

  it('reads a list over several pages', async () => {
    await walk.double.received();
    expect(expectSuccess(await walk.execute(SEARCH, { jql }))).toMatchObject({ items: issues });
    const pages = await walk.double.received();
    expect(pages.map(({ path, query }) => [path, query['jql'], query['nextPageToken'] ?? null])).toEqual([
      ['/site/ada/rest/api/3/search/jql', jql, null],
      ['/site/ada/rest/api/3/search/jql', jql, expect.any(String)],
      ['/site/ada/rest/api/3/search/jql', jql, expect.any(String)],
    ]);
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
});
