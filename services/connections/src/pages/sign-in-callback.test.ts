import { ApiError } from '@fairlead/errors/api-error';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { callHttp as call } from '@fairlead/service-kit/testing/http';
import { startHttpService } from '@fairlead/service-kit/testing/http';
import { ASKED, back, closeAll, follow, setUp, show, STATE } from '../testing/sign-in-pages.ts';
import { signInPages } from './sign-in.ts';

afterEach(closeAll);

describe('the callback', () => {
  test('it hands on the whole query with this sign-in’s cookie, forgets the cookie and says so to the person', async () => {
    const seen: unknown[] = [];
    const { edge } = await setUp({
      complete: (request) => {
        const { state, browserBinding, callbackQuery } = request;
        seen.push([state, browserBinding.reveal(), callbackQuery.reveal()]);
        return { applicationName: 'Sandbox <CRM>' };
      },
    });
    const query = `code=a%2Bb&state=${STATE}&iss=https%3A%2F%2Fvendor.example`;
    const answer = await back(
      edge,
      query,
      `other=1; __Host-fairlead-sign-in-x=no; __Host-fairlead-sign-in-${STATE}=bind-1`,
    );
    expect(seen[0]).toEqual([STATE, 'bind-1', query]);
    const outcome = await follow(edge, answer);
    expect([outcome.status, outcome.body['text']]).toEqual([
      200,
      expect.stringContaining('Sandbox &lt;CRM&gt;'),
    ]);
    expect(answer.headers.getSetCookie()[0]).toContain(`__Host-fairlead-sign-in-${STATE}=; Path=/`);
    expect(answer.headers.getSetCookie()[0]).toContain('Max-Age=0');
    expect(answer.headers.getSetCookie()[1]).toMatch(/^__Host-fairlead-sign-in-form-\S+=; .*Max-Age=0$/);
    expect(outcome.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('the address of the outcome holds neither code nor state, shows it again, and shows nobody else anything', async () => {
    const { edge } = await setUp();
    const answer = await back(edge, `code=secret-code&state=${STATE}`);
    expect(answer.headers.get('location')).toMatch(/^\/connect\/outcome\/\w{22}$/);
    for (const shown of [await follow(edge, answer), await follow(edge, answer)])
      expect([shown.status, shown.body['text']]).toEqual([200, expect.stringContaining('You are signed in')]);
    const other = await follow(edge, answer, '');
    expect([other.status, other.body['text']]).toEqual([400, expect.stringContaining('has ended')]);
  });

  test.each([
    ['an internal error', new Error('bug'), 500, 'Something went wrong'],
    ['a long reason', new ApiError('OAUTH_SIGN_IN_FAILED', 'no-way '.repeat(1_000)), 400, ' no-way…<'],
  ])('%s is shown at an address without the code, too', async (_what, error, status, shown) => {
    const { edge } = await setUp({
      complete: () => {
        throw error;
      },
    });
    const answer = await back(edge, `code=1&state=${STATE}`);
    const outcome = await follow(edge, answer);
    expect([outcome.status, outcome.body['text']]).toEqual([status, expect.stringContaining(shown)]);
  });

  test('it hands on which server’s address the browser came back to', async () => {
    const seen: string[] = [];
    const { edge } = await setUp({
      complete: ({ callbackSegment }) => {
        seen.push(callbackSegment);
        return { applicationName: 'MCP' };
      },
    });
    for (const path of ['/connect/callback', '/connect/callback/aB-_9'])
      await call(edge, 'GET', `${path}?code=1&state=${STATE}`, { headers: {} });
    expect(seen).toEqual(['', 'aB-_9']);
  });

  test('a browser that did not begin has no binding to show', async () => {
    const seen: string[] = [];
    const { edge } = await setUp({
      complete: ({ browserBinding }) => {
        seen.push(browserBinding.reveal());
        throw new ApiError('OAUTH_STATE_EXPIRED', 'internal wording');
      },
    });
    const answer = await back(edge, `code=1&state=${STATE}`, '__Host-fairlead-sign-in-other=stolen');
    expect(seen).toEqual(['']);
    expect(answer.status).toBe(400);
    expect(answer.body['text']).toContain('This sign-in has ended');
  });

  test('the vendor’s own words are shown as text, never as markup', async () => {
    const { edge } = await setUp({
      complete: () => {
        throw new ApiError('OAUTH_SIGN_IN_FAILED', 'The vendor said: <img src=x onerror=alert(1)>');
      },
    });
    const answer = await follow(edge, await back(edge, `error=access_denied&state=${STATE}`));
    expect(answer.status).toBe(400);
    expect(answer.body['text']).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(answer.body['text']).not.toContain('<img');
  });

  test('neither state nor code reaches the log', async () => {
    const { edge } = await setUp();
    const answer = await back(edge, `code=secret-code&state=${STATE}`);
    await expect
      .poll(() => edge.lines().some((line) => line['requestId'] === answer.headers.get('x-request-id')))
      .toBe(true);
    expect(JSON.stringify(edge.lines())).not.toMatch(new RegExp(`secret-code|${STATE}`));
  });

  test('while identity or the database is away the person is asked to try again', async () => {
    const away = (): Promise<never> => Promise.reject(new ApiError('UNAVAILABLE', 'internal wording'));
    const edge = await startHttpService({
      pages: signInPages({
        useCases: {
          describeSignIn: () => Promise.resolve(ASKED),
          bindBrowser: away,
          cancelSignIn: away,
          completeSignIn: away,
        },
        findMember: away,
        publicUrl: 'https://fairlead.example',
        addressOf: () => '192.0.2.1',
        limit: () => 0,
        continueSession: () => Promise.reject(new Error('no session')),
      }),
    });
    onTestFinished(() => edge.close());
    const returned = await back(edge, `code=1&state=${STATE}`);
    // The same address works later: cookies are kept, and the browser is not redirected.
    expect(returned.headers.getSetCookie()).toEqual([]);
    for (const answer of [returned, await show(edge)]) {
      expect(answer.status).toBe(503);
      expect(answer.body['text']).toContain('Please try again');
    }
  });
});
