import { SignInService } from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import type { CompleteSignInRequest } from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { afterEach, describe, expect, test } from 'vitest';
import { awayServices, call, startEdge } from '../testing/edge.ts';
import type { TestEdge } from '../testing/edge.ts';
import { startRemote } from '../testing/remote.ts';
import { signInPages } from './sign-in.ts';

const STATE = '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4';
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function setUp(
  o: { publicUrl?: string; complete?: (request: CompleteSignInRequest) => { applicationName: string } } = {},
) {
  const callers: unknown[] = [];
  const remote = await startRemote((router) =>
    router.service(SignInService, {
      beginSignIn: (_request, context) => {
        callers.push(requestContext(context).caller);
        return { authorizeUrl: 'https://vendor.example/authorize?state=1&x=a%20b', browserBinding: 'bind-1' };
      },
      completeSignIn: (request) => o.complete?.(request) ?? { applicationName: 'Sandbox CRM' },
    }),
  );
  const edge = await startEdge({
    pages: signInPages({
      signIns: remote.services.signIns,
      publicUrl: o.publicUrl ?? 'https://fairlead.example',
    }),
  });
  closing.push(
    () => remote.close(),
    () => edge.close(),
  );
  return { edge, callers };
}

const back = (edge: TestEdge, query: string, cookie = '') =>
  call(edge, 'GET', `/connect/callback?${query}`, { headers: { cookie, 'x-api-key': '' } });

describe('the first hop', () => {
  test('it binds the sign-in to the browser and sends it to the vendor, without a principal', async () => {
    const { edge, callers } = await setUp();
    const answer = await call(edge, 'GET', `/connect/start/${STATE}`, { headers: { 'x-api-key': '' } });
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      'https://vendor.example/authorize?state=1&x=a%20b',
    ]);
    expect(answer.headers.getSetCookie()).toEqual([
      `__Host-fairlead-sign-in-${STATE}=bind-1; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=300`,
    ]);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(callers).toEqual([{ kind: 'service', service: 'gateway' }]);
  });

  test('on plain http the cookie has its plain name and is not Secure: browsers would drop it', async () => {
    const { edge } = await setUp({ publicUrl: 'http://127.0.0.1:8080' });
    const [cookie] = (await call(edge, 'GET', `/connect/start/${STATE}`)).headers.getSetCookie();
    expect(cookie).toBe(`fairlead-sign-in-${STATE}=bind-1; Path=/; HttpOnly; SameSite=Lax; Max-Age=300`);
  });

  test('a state cannot write into the cookie header', async () => {
    const { edge } = await setUp();
    const [cookie] = (
      await call(edge, 'GET', `/connect/start/${encodeURIComponent('a; Domain=evil=\r\nx')}`)
    ).headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-fairlead-sign-in-aDomainevilx=bind-1; Path=\//);
  });

  test('HEAD, which link checkers send, uses nothing up', async () => {
    const { edge, callers } = await setUp();
    expect((await call(edge, 'HEAD', `/connect/start/${STATE}`)).status).toBe(405);
    expect(callers).toEqual([]);
  });
});

describe('the callback', () => {
  test('it hands on the whole query with this sign-in’s cookie, forgets the cookie and says so to the person', async () => {
    const seen: CompleteSignInRequest[] = [];
    const { edge } = await setUp({
      complete: (request) => {
        seen.push(request);
        return { applicationName: 'Sandbox <CRM>' };
      },
    });
    const query = `code=a%2Bb&state=${STATE}&iss=https%3A%2F%2Fvendor.example`;
    const answer = await back(
      edge,
      query,
      `other=1; __Host-fairlead-sign-in-x=no; __Host-fairlead-sign-in-${STATE}=bind-1`,
    );
    expect(seen[0]).toMatchObject({ state: STATE, browserBinding: 'bind-1', callbackQuery: query });
    expect(answer.status).toBe(200);
    expect(answer.body['text']).toContain('Sandbox &lt;CRM&gt;');
    expect(answer.headers.getSetCookie()[0]).toContain(`__Host-fairlead-sign-in-${STATE}=; Path=/`);
    expect(answer.headers.getSetCookie()[0]).toContain('Max-Age=0');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('a browser that did not begin has no binding to show', async () => {
    const seen: string[] = [];
    const { edge } = await setUp({
      complete: ({ browserBinding }) => {
        seen.push(browserBinding);
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
    const answer = await back(edge, `error=access_denied&state=${STATE}`);
    expect(answer.status).toBe(400);
    expect(answer.body['text']).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(answer.body['text']).not.toContain('<img');
  });

  test('neither state nor code reaches the log', async () => {
    const { edge } = await setUp();
    const answer = await back(edge, `code=secret-code&state=${STATE}`);
    await expect
      .poll(() => edge.lines.some((line) => line['requestId'] === answer.headers.get('x-request-id')))
      .toBe(true);
    expect(JSON.stringify(edge.lines)).not.toMatch(new RegExp(`secret-code|${STATE}`));
  });

  test('with the connections service away the person is asked to try again', async () => {
    const edge = await startEdge({
      pages: signInPages({ signIns: awayServices().signIns, publicUrl: 'https://fairlead.example' }),
    });
    closing.push(() => edge.close());
    const answer = await back(edge, `code=1&state=${STATE}`);
    expect(answer.status).toBe(503);
    expect(answer.body['text']).toContain('Please try again');
  });
});
