import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApiDocument } from '../openapi/document.ts';
import { routeTable } from '../routes/route-table.ts';
import { call, startEdge } from '../testing/edge.ts';
import type { TestEdge } from '../testing/edge.ts';
import { docsPages } from './docs.ts';

const document = openApiDocument(routeTable, 'https://api.test.example');
const ANYONE = { headers: { 'x-api-key': '' } };
let edge: TestEdge;
beforeAll(async () => {
  edge = await startEdge({ pages: docsPages(document) });
});
afterAll(() => edge.close());

describe('documentation', () => {
  test('/openapi.json is for anyone', async () => {
    const answer = await call(edge, 'GET', '/openapi.json', ANYONE);
    expect(JSON.parse(String(answer.body['text']))).toEqual(JSON.parse(JSON.stringify(document)));
  });

  test('/docs shows every operation and schema to anyone, with a link to each', async () => {
    const { status, body } = await call(edge, 'GET', '/docs', ANYONE);
    expect(status).toBe(200);
    const page = String(body['text']);
    for (const { operationId, summary } of routeTable) {
      expect(page).toContain(`id="${operationId}"`);
      expect(page).toContain(`href="#${operationId}"`);
      expect(page).toContain(summary);
    }
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(page).toContain(`id="${target}"`);
  });

  test('an example on /docs sends the credential that its operation takes', async () => {
    const page = String((await call(edge, 'GET', '/docs', ANYONE)).body['text']);
    const exampleOf = (operationId: string): string =>
      /<pre[^]*?<\/pre>/.exec(page.slice(page.indexOf(`id="${operationId}"`)))?.[0] ?? '';
    expect(exampleOf('listAccounts')).toContain('$OPERATOR_KEY');
    expect(exampleOf('listUsers')).toContain('$API_KEY');
  });

  test('/docs loads nothing from anywhere and may run nothing', async () => {
    const { headers, body } = await call(edge, 'GET', '/docs', ANYONE);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/);
    expect(String(body['text'])).not.toMatch(/<script|<link|<img|src=|url\(|@import/);
  });

  test('the style sheet is the one that the policy allows', async () => {
    const { headers, body } = await call(edge, 'GET', '/docs', ANYONE);
    const [, style = ''] = /<style>([^]*?)<\/style>/.exec(String(body['text'])) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}';`);
  });

  test('pages answer GET and HEAD only', async () => {
    const answer = await call(edge, 'POST', '/docs', ANYONE);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});
